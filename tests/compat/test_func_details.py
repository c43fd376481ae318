"""torch.func in detail: what it takes, what it refuses and with which words, on compat and PyTorch."""

import functools
import warnings
from collections import OrderedDict, namedtuple

import pytest

import covector.compat.torch as compat
from harness import attempt, message


def pair(torch):
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def scale(v):
    return v * 2


def script_gradients_of_nests(torch):
    f = torch.func
    x, y = pair(torch)
    point = namedtuple("point", "a b")
    loss = lambda d, s=1: (d["b"] * d["a"][0] * s).sin().sum()  # noqa: E731
    tree = {"b": x, "a": [y, x]}
    return (f.grad(loss)(tree), f.grad(loss)(tree, s=2.0), f.grad(lambda p: (p.a * p.b).sum())(point(x, y))._asdict(),
            f.grad(lambda o: (o["z"] ** 3).sum())(OrderedDict(z=x, y=y)),
            f.grad(lambda a, b: (a * b).sum(), argnums=-1)(x, y),
            f.grad(lambda a, b: (a * b).sum(), argnums=(1, 0))(x, y), f.grad(lambda a, b: (a * b).sum(), (1,))(x, y),
            f.vjp(lambda d: {"s": d["b"].sin(), "t": (d["a"][0],)}, tree)[1]({"s": x, "t": (y,)}),
            f.grad(lambda a: ((a * 2).sum(), {"aux": [a, a * 3]}), has_aux=True)(x),
            f.vjp(lambda a: (a * 2, {"aux": [a]}), x, has_aux=True)[2],
            f.jvp(lambda d: {"o": d["b"] * d["a"][0]}, (tree,), ({"b": y, "a": [x, y]},)),
            f.jvp(lambda a: (a * 2, [a * 3]), (x,), (y,), has_aux=True))


def script_refusals_of_grad(torch):
    f = torch.func
    x, y = pair(torch)
    n = torch.tensor([1, 2, 3])
    out = []
    for g in (f.grad, f.grad_and_value):
        out += [message(lambda: g(scale)(x)), message(lambda: g(lambda v: 3.0)(x)),
                message(lambda: g(lambda v: None)(x)),
                message(lambda: g(lambda v: v.sum(), has_aux=True)(x)), message(lambda: g(lambda v: v.sum())(3.0)),
                message(lambda: g(lambda v: (v * 1.0).sum())(n)), message(lambda: g(lambda v: v.sum(), argnums=1)(x)),
                message(lambda: g(lambda v: v.sum(), argnums=())(x)),
                message(lambda: g(lambda v: v.sum(), argnums=(0, 0))(x)),
                message(lambda: g(lambda v: v.sum(), argnums=(0, -1))(x)),
                message(lambda: g(lambda v: v.sum(), argnums="x")(x)),
                message(lambda: g(lambda v: v.sum(), argnums=("x",))(x)),
                message(lambda: g(lambda v: v.sum(), argnums=[0])(x)),
                message(lambda: g(lambda v: (v.sum(), 3.0), has_aux=True)(x)), message(lambda: g(lambda v: v.sum())()),
                message(lambda: g(lambda d: d["a"].sum())({"a": x, "n": 3}))]
    return out


def script_refusals_of_vjp_and_jvp(torch):
    f = torch.func
    x, y = pair(torch)
    n = torch.tensor([1, 2, 3])
    pull = f.vjp(lambda v: (v, v * 2), x)[1]
    out = [message(lambda: f.vjp(lambda v: 3.0, x)), message(lambda: f.vjp(lambda v: None, x)),
           message(lambda: f.vjp(lambda v: (), x)), message(lambda: f.vjp(lambda v: v > 0, x)),
           message(lambda: f.vjp(scale, n)), message(lambda: f.vjp(scale, 3.0)),
           message(lambda: f.vjp(scale, x, has_aux=True)),
           message(lambda: pull(x)), message(lambda: pull([x, x])), attempt(lambda: pull((x, torch.ones(2))))[:2],
           message(lambda: f.vjp(lambda v: (v, 3.0), x, has_aux=True)), message(lambda: f.vjp(lambda v: (v, 3.0), x))]
    out += [message(lambda: f.jvp(scale, x, x)), message(lambda: f.jvp(scale, (x,), x)),
            message(lambda: f.jvp(scale, (x,), [x])),
            message(lambda: f.jvp(scale, (x,), (x, x))), message(lambda: f.jvp(scale, (), ())),
            message(lambda: f.jvp(scale, (3.0,), (x,))), message(lambda: f.jvp(scale, (x,), (3.0,))),
            message(lambda: f.jvp(scale, (n,), (x,))), message(lambda: f.jvp(scale, (x,), (n,))),
            message(lambda: f.jvp(scale, (x,), (torch.ones(2),))), message(lambda: f.jvp(lambda v: 3.0, (x,), (x,))),
            message(lambda: f.jvp(lambda v: torch.ones(2), (x,), (x,), strict=True)),
            message(lambda: f.jvp(lambda v: torch.ones(2), (x,), (x,))),
            message(lambda: f.jvp(scale, (x,), (x,), has_aux=True)),
            message(lambda: f.jvp(lambda v: (v, 3.0), (x,), (x,), has_aux=True)),
            message(lambda: f.jvp(lambda v: (v, 3), (x,), (x,)))]
    return out


def script_refusals_of_jacobians(torch):
    f = torch.func
    x, y = pair(torch)
    z = torch.tensor([1 + 2j])
    return (message(lambda: f.jacrev(scale, chunk_size=0)), message(lambda: f.jacrev(scale)(z)),
            message(lambda: f.jacfwd(scale)(z)), message(lambda: f.jacrev(lambda v: torch.complex(v, v))(x)),
            message(lambda: f.jacrev(scale, argnums=2)(x)), message(lambda: f.jacfwd(scale, argnums=2)(x)),
            message(lambda: f.jacrev(lambda v: 3.0)(x)), message(lambda: f.jacrev(scale)(3.0)),
            message(lambda: f.jacfwd(scale, randomness="x")(x)))


def script_jacobians(torch):
    f = torch.func
    x, y = pair(torch)
    g = lambda a, b: {"s": a * b[0], "t": (a.sum() * b,)}  # noqa: E731
    m = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    out = []
    for jac in (f.jacrev, f.jacfwd):
        out += [jac(g)(x, y), jac(g, argnums=1)(x, y), jac(g, argnums=(0, 1))(x, y),
                jac(lambda d: d["a"] @ d["b"])({"a": m, "b": m}),
                jac(lambda a: (a * 2, {"aux": a * 3}), has_aux=True)(x), jac(lambda v: v.sum())(m),
                jac(lambda v: v.t())(m).contiguous()]
    out += [f.jacrev(g, argnums=(0, 1), chunk_size=n)(x, y) for n in (1, 2, 4, 100)]
    out += [f.hessian(lambda a, b: (a ** 2 * b ** 3).sum(), argnums=(0, 1))(x, y),
            f.jacfwd(f.jacfwd(lambda a: a ** 3))(x),
            f.jacrev(f.jacrev(lambda a: (a ** 3).sum()))(x).contiguous(),
            f.jacfwd(lambda a, b: a * b, argnums=None)(x, y)]
    return out


def script_vmap_of_nests(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)
    y = torch.arange(12.0).reshape(3, 2, 2)
    return (v(lambda d: {"s": d["a"] + 1, "t": [d["b"]]})({"a": x, "b": x * 2}),
            v(lambda a, b: (a, b), in_dims=(0, 1))(x, y),
            v(lambda a, b: (a, b), in_dims=(-1, 0))(x, y), v(lambda a: (a, a * 2), out_dims=(0, 1))(x),
            v(lambda a: {"u": a, "w": a * 2}, out_dims={"u": 0, "w": 1})(x),
            v(lambda a: [a, (a, a)], out_dims=[0, 1])(x),
            v(lambda a, n: a * n, in_dims=(0, None))(x, 3), v(lambda d: d["a"] * d["n"],
                                                              in_dims=({"a": 0, "n": None},))({"a": x, "n": 2}),
            v(lambda a: a, out_dims=-1)(y), v(lambda a: a, out_dims=(1,))(x), v(lambda a: x[0])(x),
            v(lambda a: (a, x), out_dims=(0, None))(x), v(lambda a, k=1: a * k)(x, k=x[0]),
            v(lambda a: a.sum(), chunk_size=2)(torch.arange(10.0).reshape(5, 2)),
            [t.contiguous() for t in
             v(lambda a: (a, a * 2), out_dims=(0, 1), chunk_size=2)(torch.arange(10.0).reshape(5, 2))],
            v(lambda a: a, in_dims=1, chunk_size=2)(torch.arange(10.0).reshape(2, 5)).contiguous())


def script_refusals_of_vmap(torch):
    v = torch.func.vmap
    x = torch.arange(6.0).reshape(2, 3)

    class Callable:
        def __call__(self, a):
            return 3.0

        def __repr__(self):
            return "Callable()"

    return (message(lambda: v(scale)()), message(lambda: v(scale, in_dims=None)(x)),
            message(lambda: v(scale, in_dims=[0])(x)),
            message(lambda: v(scale, in_dims=(0, 0))(x)), message(lambda: v(scale, in_dims=("a",))(x)),
            message(lambda: v(scale, in_dims=(None,))(x)), message(lambda: v(scale)(3.0)),
            message(lambda: v(scale, in_dims=2)(x)),
            message(lambda: v(scale, in_dims=-3)(x)), message(lambda: v(scale, in_dims=({"a": 0},))(x)),
            message(lambda: v(lambda a, b: a)(x, torch.ones(3))), message(lambda: v(scale, out_dims="a")(x)),
            message(lambda: v(scale, out_dims=(0, 1))(x)), message(lambda: v(scale, out_dims=None)(x)),
            message(lambda: v(lambda a: (a, a), out_dims=(0, 1, 0))(x)), message(lambda: v(lambda a: 3.0)(x)),
            message(lambda: v(lambda a: (a, 3.0))(x)), message(lambda: v(lambda a: None)(x)),
            message(lambda: v(Callable())(x)),
            message(lambda: v(functools.partial(lambda b, a: 3.0, 1))(x)), message(lambda: v(scale, randomness="x")(x)),
            message(lambda: v(scale, chunk_size=0)(x)), message(lambda: v(scale)(torch.tensor(1.0))),
            message(lambda: v(scale, out_dims=(0.5,))(x)))


def script_arguments_may_be_written_to(torch):
    f = torch.func
    x, y = pair(torch)
    w = y.clone()

    def g(a, b):
        b.mul_(2)
        return (a * b).sum()

    return f.grad(g)(x, w), w, attempt(lambda: f.jvp(lambda a: g(a, w), (x,), (x,)))[:2]


def script_old_functions_and_hooks_are_refused(torch):
    f = torch.func
    x, y = pair(torch)

    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    graph = torch.autograd.graph

    def hooked(a):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return a.sin().sum()

    def around(g):
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            return g()

    def disabled():
        with graph.disable_saved_tensors_hooks("not here"):
            return f.grad(hooked)(x)

    return (message(lambda: f.grad(lambda a: Old.apply(a).sum())(x)), message(lambda: f.vmap(Old.apply)(x)),
            message(lambda: f.jvp(Old.apply, (x,), (x,))), message(lambda: f.vmap(lambda a: Old.apply(y) * a)(x)),
            message(lambda: f.grad(lambda a: (Old.apply(y) * a).sum())(x)), message(lambda: f.grad(hooked)(x)),
            message(lambda: f.vjp(hooked, x)), message(lambda: f.jvp(hooked, (x,), (x,))),
            message(lambda: f.vmap(hooked)(x)),
            message(lambda: around(lambda: f.grad(lambda a: a.sum())(x))),
            message(lambda: around(lambda: f.jacrev(scale)(x))),
            message(lambda: around(lambda: f.vmap(scale)(x))), message(disabled),
            message(lambda: around(lambda: f.jacfwd(scale)(x))))


def functions(torch):
    class Mul(torch.autograd.Function):
        seen = []

        @staticmethod
        def forward(a, b, n):
            return a * b * n, a + 1

        @staticmethod
        def setup_context(ctx, inputs, output):
            a, b, n = inputs
            ctx.n, ctx.shape = n, a.shape
            ctx.save_for_backward(a, b)
            ctx.save_for_forward(a, b)
            Mul.seen.append(tuple(a.shape))

        @staticmethod
        def backward(ctx, g, h):
            a, b = ctx.saved_tensors
            Mul.seen.append(tuple(g.shape))
            return g * b * ctx.n * 10 + h, g * a * ctx.n * 10, None

        @staticmethod
        def jvp(ctx, da, db, _):
            a, b = ctx.saved_tensors
            return (da * b + a * db) * ctx.n * 10, da

    class Generated(Mul):
        generate_vmap_rule = True

    class Own(Mul):
        @staticmethod
        def vmap(info, in_dims, a, b, n):
            Mul.seen.append((tuple(info), in_dims, tuple(a.shape)))
            a = a.movedim(in_dims[0], 0) if in_dims[0] is not None else a
            b = b.movedim(in_dims[1], 0) if in_dims[1] is not None else b
            return Own.apply(a, b, n), 0

    Mul.seen = []
    return Mul, Generated, Own


def script_functions_under_vmap(torch):
    f = torch.func
    Mul, Generated, Own = functions(torch)
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = torch.tensor([0.5, -1.0, 2.0])
    out = []
    for F in (Generated, Own):
        call = lambda a, b: F.apply(a, b, 3)  # noqa: E731
        loss = lambda a, b: sum(t.sum() for t in call(a, b))  # noqa: E731
        out += [f.vmap(call)(x, x), f.vmap(call, in_dims=(0, None))(x, y), f.vmap(call, in_dims=(1, None))(x, y[:2]),
                f.vmap(call, in_dims=1)(x, x), f.vmap(call, in_dims=(None, 0))(y, x),
                f.vmap(f.grad(loss, (0, 1)))(x, x),
                f.vmap(f.grad(loss, (0, 1)), in_dims=(0, None))(x, y),
                f.grad(lambda a: sum(t.sum() for t in f.vmap(call)(a, x)))(x),
                f.grad(lambda b: sum(t.sum() for t in f.vmap(call, in_dims=(0, None))(x, b)))(y),
                f.vmap(f.vmap(call))(x, x), f.vmap(lambda a: f.vmap(call, in_dims=(0, None))(a, y[0]))(x),
                f.vmap(f.grad(lambda a: f.grad(loss)(a, a).sum()))(x), f.jvp(f.vmap(call), (x, x), (x, x + 1)),
                f.vmap(lambda a, da: f.jvp(call, (a, a), (da, da)))(x, x)]
        w = x.clone().requires_grad_()
        sum(t.sum() for t in f.vmap(call, in_dims=(0, None))(w, y)).backward()
        out.append(w.grad)
    return out, Mul.seen[-12:]


def script_axes_that_a_functions_vmap_is_told(torch):
    seen = []

    class F(torch.autograd.Function):
        @staticmethod
        def forward(d, n):
            return d * n

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def vmap(info, in_dims, d, n):
            seen.append((info.batch_size, info.randomness, in_dims, tuple(d.shape), type(info).__name__))
            return F.apply(d, n), in_dims[0]

    v = torch.func.vmap
    y = torch.arange(24.0).reshape(2, 3, 4)
    out = [v(lambda a: F.apply(a, 2), in_dims=d)(y) for d in (0, 1, 2, -1)]
    out.append(v(lambda a: F.apply(F.apply(a, 2), 3), in_dims=1, out_dims=1, randomness="same")(y))
    out.append(v(v(lambda a: F.apply(a, 2), in_dims=1), in_dims=1)(y))
    return out, seen


def script_what_a_functions_vmap_returns(torch):
    def make(answer, **more):
        class F(torch.autograd.Function):
            @staticmethod
            def forward(a):
                return a * 2

            @staticmethod
            def setup_context(ctx, inputs, output):
                pass

            if answer is not None:
                @staticmethod
                def vmap(info, in_dims, a):
                    return answer(a)

        for k, value in more.items():
            setattr(F, k, value)
        return F

    x = torch.arange(6.0).reshape(2, 3)
    run = lambda F: message(lambda: torch.func.vmap(F.apply)(x))  # noqa: E731
    return (run(make(lambda a: a)), run(make(lambda a: (a, 0, 0))), run(make(lambda a: [a, 0])),
            run(make(lambda a: (a, (0, 0)))),
            run(make(lambda a: (a.t(), 1))), run(make(lambda a: (a[0], None))), run(make(lambda a: (a, 0))),
            run(make(None)),
            run(make(lambda a: (a, 0), generate_vmap_rule=True)), run(make(lambda a: ((a, 3), (0, None)))))


def script_shapes_and_generated_rules(torch):
    class Sum(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a, b):
            return (a * b).sum()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.shape = inputs[0].shape
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            return g.expand(ctx.shape) * b, g * a

    f = torch.func
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    one = torch.tensor([[2.0], [3.0]])
    return (f.vmap(Sum.apply)(x, x), f.vmap(f.grad(Sum.apply, (0, 1)))(x, one),
            f.vmap(f.grad(Sum.apply, (0, 1)), (0, None))(x, one[0]),
            f.grad(lambda a, b: f.vmap(Sum.apply)(a, b).sum(), (0, 1))(x, one),
            f.grad(lambda a, b: f.vmap(Sum.apply, (0, None))(a, b).sum(), (0, 1))(x, one[0]))


def script_linearize(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's tracer warns of itself
        return linearized(torch)


def linearized(torch):
    f = torch.func
    x, y = pair(torch)
    w = x.clone().requires_grad_()
    runs = []

    def counted(a):
        runs.append(1)
        return a.sin() * a

    out, push = f.linearize(counted, x)
    pushed = [push(y), push(x)]
    return (out, pushed, len(runs), f.vmap(push)(torch.eye(3)),
            f.linearize(lambda a, b: {"k": a * b, "l": [a.sum()]}, x, y)[1](y, x),
            message(lambda: push(torch.ones(2))), message(lambda: push(x.double())), message(lambda: push(x, x)),
            message(lambda: push([x])), f.linearize(lambda a: (a.sin(), 3), x)[1](y), f.linearize(scale, w)[1](x),
            message(lambda: f.linearize(scale, torch.tensor([1, 2]))),
            f.linearize(lambda d: d["a"] * d["b"], {"a": x, "b": y})[1]({"a": y, "b": x}))


def script_functionalize(torch):
    f = torch.func.functionalize
    x, y = pair(torch)

    def g(a, n):
        b = a + 1
        b.view(-1).add_(n)
        a.mul_(2)
        return b, a.view(3, 1), n

    found = f(g)(x, 2)
    other = f(g, remove="mutations_and_views")(y, 2)
    w = torch.ones(3, requires_grad=True)
    z = w * 1
    out = f(lambda a: a.mul_(2).sin())(z)
    return (found, x, other, y, other[1].data_ptr() == y.data_ptr(),
            torch.autograd.grad(out.sum(), w), message(lambda: f(scale, remove="x")),
            torch.func.grad(lambda a: f(scale)(a).sum())(x))


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


def script_random_numbers_under_vmap(torch):
    f = torch.func
    x = torch.rand(4, 3) + 1
    same = lambda t: all(torch.equal(t[0], row) for row in t)  # noqa: E731
    half = torch.full((40,), 0.5)
    fills = ("uniform_", "normal_", "exponential_", "random_", "cauchy_", "log_normal_")
    cases = [lambda v: torch.rand(3), lambda v: torch.randn(3) + v * 0, lambda v: torch.randint(0, 10000, (3,)),
             lambda v: torch.randperm(50), lambda v: torch.rand_like(v), lambda v: torch.randn_like(x[0]),
             lambda v: torch.randint_like(v, 0, 10000), lambda v: torch.bernoulli(half),
             lambda v: torch.bernoulli(v * 0 + 0.5),
             lambda v: v.bernoulli(0.5), lambda v: torch.normal(v, v), lambda v: torch.normal(0.0, 1.0, (3,)),
             lambda v: torch.normal(x[0], 1.0), lambda v: torch.multinomial(v, 20, True),
             lambda v: torch.multinomial(x[0], 20, True),
             lambda v: torch.poisson(v * 100), lambda v: torch.poisson(x[0] * 100), lambda v: torch.zeros(3).uniform_(),
             lambda v: torch.zeros_like(v.repeat(20)).bernoulli_(0.5),
             lambda v: v.repeat(20).bernoulli_(v.repeat(20) * 0 + 0.5),
             lambda v: (v * 1).geometric_(0.001), lambda v: torch.nn.functional.dropout(torch.ones(30)),
             lambda v: (torch.nn.functional.dropout(v.repeat(10)) == 0) * 1.0,
             lambda v: torch.nn.functional.dropout(v, training=False) * 0,
             lambda v: torch.rand(3, generator=torch.Generator()), *[lambda v, n=n: getattr(v * 1, n)() for n in fills]]
    out = []
    for randomness in ("error", "different", "same"):
        for case in cases:
            found = attempt(lambda: f.vmap(case, randomness=randomness)(x))
            out.append(found if isinstance(found, tuple) else (tuple(found.shape), same(found)))
    nested = [f.vmap(lambda v: f.vmap(lambda u: torch.rand(2), randomness=a)(v), randomness=b)(x)
              for a in ("same", "different") for b in ("same", "different")]
    out += [[tuple(t.shape), same(t), same(t.transpose(0, 1))] for t in nested]
    whole = torch.rand(6, 2)
    for randomness in ("same", "different"):
        t = f.vmap(lambda v: torch.rand(2) + v * 0, randomness=randomness, chunk_size=4)(whole)
        out.append([tuple(t.shape), same(t)])
    out.append(f.vmap(lambda v: f.grad(lambda u: (torch.rand(3) * u).sum())(v), randomness="different")(x).shape)
    return out


def script_new_tensors_under_vmap(torch):
    v = torch.func.vmap
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    makers = [lambda t: t.new_zeros(3), lambda t: t.new_ones(3), lambda t: t.new_full((3,), 2.0),
              lambda t: t.new_empty(3).zero_(),
              lambda t: torch.zeros_like(t), lambda t: torch.ones_like(t), lambda t: torch.full_like(t, 2.0)]
    return ([v(lambda t: make(t).add_(t))(x) for make in makers], [v(lambda t: make(t))(x) for make in makers],
            [v(torch.func.grad(lambda t: (make(t).add_(t) * t).sum()))(x) for make in makers],
            attempt(lambda: v(lambda t: t.new_tensor([1.0, 2.0, 3.0]).add_(t))(x))[:2])


def script_trees(torch):
    import importlib
    p = importlib.import_module(torch.__name__ + ".utils._pytree")
    tree = [1, {"b": (2, None), "a": [3]}, OrderedDict(z=1), ()]
    leaves, spec = p.tree_flatten(tree)
    return (leaves, str(spec), p.tree_unflatten([x if x is None else x * 2 for x in leaves], spec),
            p.treespec_pprint(spec),
            p.tree_map(lambda a, b: (a, b), [1, (2,)], [3, ((4, 5),)]),
            message(lambda: p.tree_map(lambda a, b: a, [1, (2,)], [3, [4]])),
            message(lambda: p.tree_map(lambda a, b: a, [1, (2,)], [3, (4, 5)])), p.tree_leaves(None),
            p.tree_all(bool, [1, 0]),
            p.tree_any(bool, [1, 0]), p.tree_map_only(int, lambda a: -a, [1, "a"]), spec == p.tree_structure(tree),
            spec.num_leaves,
            p.tree_leaves([(1, 2), 3], is_leaf=lambda t: isinstance(t, tuple)),
            message(lambda: p.tree_unflatten([1], p.tree_structure([1, 2]))))


def test_functions_without_setup_context_run_in_covectors_own_transforms():
    import covector as cv

    class Old(compat.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    assert cv.grad(lambda a: Old.apply(a).sum())(compat.ones(2)).tolist() == [2.0, 2.0]


def test_linearize_nests_with_the_other_transforms():
    f = compat.func
    x = compat.tensor([1.0, 2.0, 3.0], dtype=compat.float64)
    t = compat.tensor([0.5, -1.0, 2.0], dtype=compat.float64)
    g = lambda a: a.sin() * a  # noqa: E731
    pushed = lambda v: f.jvp(g, (v,), (t,))[1]  # noqa: E731
    linear = lambda v: f.linearize(g, v)[1](t)  # noqa: E731
    assert compat.allclose(f.jacrev(linear)(x), f.jacrev(pushed)(x))
    assert compat.allclose(f.vmap(lambda v, d: f.linearize(g, v)[1](d))(x, t), pushed(x))
    w = x.clone().requires_grad_()
    assert compat.allclose(compat.autograd.grad(linear(w).sum(), w)[0], f.grad(lambda v: pushed(v).sum())(x))


def script_captured_values_with_a_tangent(torch):
    f = torch.func
    x, y = pair(torch)
    return (f.jvp(lambda a: f.grad(lambda b: (a * b * a * b).sum())(y), (x,), (y,)),
            f.jacfwd(lambda a: f.vjp(lambda b: a * b, y)[1](x)[0])(x),
            f.hessian(lambda a: f.grad(lambda b: (a * b).sum())(y).sum())(x).contiguous())


def script_modes_and_detach_reach_the_transforms_around(torch):
    f = torch.func
    x = torch.tensor(3.0)

    def g(a):
        with torch.no_grad():
            b = a * 2
        return a * b

    return (f.grad(lambda a: f.grad(lambda b: b * b.detach())(a))(x),
            f.jvp(lambda a: f.jvp(lambda b: b * b.detach(), (a,), (a,))[1], (x,), (x,)),
            f.grad(lambda a: f.jvp(g, (a,), (x,))[1])(x), f.grad(lambda a: f.grad(g)(a))(x),
            f.jvp(lambda a: f.grad(g)(a), (x,), (x,)),
            f.grad(lambda a: f.vmap(g)(a[None]).sum())(x))


def script_new_tensors_in_nested_transforms_are_written_to(torch):
    f = torch.func
    x, y = pair(torch)

    def g(a):
        z = torch.zeros(3)
        z[1] = a[0] * a[2]
        z.add_(a)
        return z * z

    total = lambda a: g(a).sum()  # noqa: E731
    return (f.grad(lambda a: f.grad(total)(a).sum())(x), f.jacfwd(f.jacfwd(g))(x), f.hessian(total)(x).contiguous(),
            f.jacrev(f.jacrev(g))(x).contiguous(),
            f.jvp(lambda a: f.grad(lambda b: (g(a) * b).sum())(y), (x,), (y,)))


def script_written_values_with_a_tangent_are_differentiated(torch):
    f = torch.func
    x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
    g = lambda a: (a * 2).mul_(3).sigmoid_() + a.clone().add_(a).exp_()  # noqa: E731
    y, dot = f.jvp(g, (x,), (x,))
    return torch.autograd.grad((y * dot).sum(), x), torch.autograd.grad(f.jacfwd(g)(x).sum(), x)


def script_tangents_through_broadcasting_and_diagonals(torch):
    f = torch.func
    x = torch.tensor([[0.1, 0.2, 0.3], [0.5, 0.1, 0.9]])
    v = x.cos()
    labels = torch.tensor([1, 2])
    loss = lambda a: torch.nn.functional.cross_entropy(a, labels)  # noqa: E731

    def g(a):
        y = a * 1
        y.diagonal().mul_(3).add_(a[0, :2])
        y.view(-1)[1:].mul_(a.reshape(-1)[0])
        return y

    other = torch.arange(6.0).reshape(3, 2).t()
    return (f.jvp(lambda a: f.jvp(loss, (a,), (v,))[1], (x,), (v,)), f.jvp(g, (x,), (v,)), f.jvp(g, (x,), (other,)),
            f.jvp(g, (x,), (torch.tensor(1.0).expand(2, 3),)))


def test_linearize_takes_functions_that_fill_new_tensors():
    def g(a):
        z = compat.zeros(3) * 2
        z[compat.tensor([0, 2])] = a[:2] * a[1:]
        y = compat.zeros_like(a)
        y.add_(z)
        return (y * compat.func.grad(lambda b: (b * y).sum())(a)).sum()

    x = compat.tensor([1.0, 2.0, 3.0])
    for run in (lambda v: compat.func.linearize(g, v)[1](x), lambda v: compat.func.jvp(g, (v,), (x,))[1]):
        assert run(x).item() == pytest.approx(4 * (4.0 + 36.0))


def script_a_function_of_a_dual_inside_of_a_transform(torch):
    fw = torch.autograd.forward_ad
    x, y = pair(torch)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(a):
            return a * a

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, da):
            return 2 * da * ctx.saved_tensors[0]

    x.requires_grad_()
    with fw.dual_level():
        d = fw.make_dual(x, y)
        out = torch.func.grad(lambda e: (Square.apply(d) * e).sum())(y)
        value, dot = fw.unpack_dual(out)
        return value.detach(), dot.detach(), dot.requires_grad, torch.autograd.grad(dot.sum(), x)
