"""torch.func with modules: functional_call and stack_module_state."""

from harness import attempt, message, plain


class OwnModule:
    """As much of a module as functional_call needs."""

    def named_parameters(self, prefix="", remove_duplicate=True):
        seen = set()
        for name, x in vars(self).items():
            if isinstance(x, OwnModule):
                yield from x.named_parameters(prefix + name + ".")
            elif not (remove_duplicate and id(x) in seen) and hasattr(x, "requires_grad"):
                seen.add(id(x))
                yield prefix + name, x

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def _get_name(self):
        return type(self).__name__


def modules(torch):
    real = torch.__name__ == "torch"
    base = torch.nn.Module if real else OwnModule
    parameter = torch.nn.Parameter if real else (lambda t: t.requires_grad_())

    class Linear(base):
        def __init__(self, seed):
            super().__init__()
            self.w = parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]) + seed)
            self.b = parameter(torch.tensor([0.5, -0.5]))

        def forward(self, x, k=1.0):
            return x @ self.w + self.b * k

    class Net(base):
        def __init__(self, seed=0.0):
            super().__init__()
            self.one = Linear(seed)
            self.two = Linear(seed + 1)

        def forward(self, x, k=1.0):
            return self.two(self.one(x).tanh(), k=k)

    class Tied(base):
        def __init__(self):
            super().__init__()
            self.a = parameter(torch.tensor(1.0))
            self.b = self.a

        def forward(self, x):
            return x + self.a + 10 * self.b

    return Linear, Net, Tied


def script_functional_call(torch):
    f = torch.func
    Linear, Net, Tied = modules(torch)
    net, tied = Net(), Tied()
    x = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
    call = f.functional_call
    ones = {"one.w": torch.ones(2, 2), "two.b": torch.zeros(2)}
    t = torch.tensor(5.0)
    params = {k: p.detach() for k, p in net.named_parameters()}
    before = net(x).detach()
    out = [call(net, ones, x).detach(), call(net, [ones, {"one.b": torch.ones(2)}], (x,), {"k": 2.0}).detach(),
           torch.equal(net(x), before), list(params), f.grad(lambda p: call(net, p, x).sum())(params),
           call(tied, {"a": t}, t).detach(), call(tied, {"a": t}, t, tie_weights=False).detach(),
           call(tied, {"a": t, "b": t}, t).detach(), tied(t).detach()]
    return (*out, message(lambda: call(tied, {"a": t, "b": t * 2}, t)), message(lambda: call(net, [ones, ones], x)),
            message(lambda: call(net, 3, x)), message(lambda: call(net, [3], x)),
            message(lambda: call(net, ones, x, strict=True)),
            message(lambda: call(net, {**params, "z": t}, x, strict=True)), call(net, params, x, strict=True).detach(),
            attempt(lambda: call(net, {"one.w": 3.0}, x))[:2], torch.equal(net(x), before))


def script_stack_module_state(torch):
    f = torch.func
    Linear, Net, Tied = modules(torch)
    models = [Net(float(i)) for i in range(3)]
    params, buffers = f.stack_module_state(models)
    x = torch.tensor([[1.0, -1.0], [0.5, 2.0]])
    out = f.vmap(lambda p, b: f.functional_call(models[0], (p, b), x))(params, buffers)
    frozen = Net()
    frozen.one.w.requires_grad_(False)
    return (list(params), params["one.w"], buffers, out.detach(), message(lambda: f.stack_module_state([])),
            message(lambda: f.stack_module_state([Net(), Tied()])),
            message(lambda: f.stack_module_state([Net(), frozen])))


def script_modules_in_functional_call(torch):
    if torch.__name__ == "torch":
        Base = torch.nn.Module
        P = torch.nn.Parameter
    else:

        class Base:
            def __init__(self):
                pass

            training = True

            def named_parameters(self, **k):
                return [(n, v) for n, v in vars(self).items() if hasattr(v, "requires_grad") and v.requires_grad]

            def named_buffers(self, **k):
                return [(n, v) for n, v in vars(self).items() if hasattr(v, "requires_grad") and not v.requires_grad]

            def __call__(self, *a, **k):
                return self.forward(*a, **k)

        def P(t):
            return t.requires_grad_()

    class M(Base):
        def __init__(self, s):
            super().__init__()
            self.w = P(torch.arange(2.0) + s)
            if torch.__name__ == "torch":
                self.register_buffer("b", torch.tensor([s, s * 2]))
            else:
                self.b = torch.tensor([s, s * 2])

        def forward(self, x, k=1):
            return self.w * x * k + self.b

    f = torch.func
    out = []
    ms = [M(1.0), M(2.0), M(3.0)]
    p, b = f.stack_module_state(ms)
    out += [p, b]
    def call(p, b, x):
        return f.functional_call(ms[0], (p, b), (x,))
    x = torch.tensor([3.0, 4.0])
    out.append({k: v.requires_grad for k, v in p.items()})
    out.append(f.vmap(call, in_dims=(0, 0, None))(p, b, x).detach())
    out.append(f.functional_call(ms[0], {"w": x}, x))
    out.append(f.functional_call(ms[0], {"w": x}, (x,), {"k": 2}))
    out.append(f.functional_call(ms[0], [{"w": x}, {"b": x}], x, kwargs={"k": 2}))
    out.append(f.grad(lambda w: f.functional_call(ms[0], {"w": w}, x).sum())(x))
    out.append(attempt(lambda: f.functional_call(ms[0], {"q": x}, x)))
    out.append(attempt(lambda: f.functional_call(ms[0], {"q": x}, x, strict=True)))
    out.append(attempt(lambda: f.functional_call(ms[0], {"w": x}, x, strict=True)))
    out.append(attempt(lambda: f.functional_call(ms[0], 3, x))[:2])
    out.append(attempt(lambda: f.functional_call(ms[0], {"w": 3}, x))[:2])
    out.append(attempt(lambda: f.functional_call(ms[0], ({"w": x}, {"w": x}), x)))
    out.append(ms[0].w)
    return plain(out)
