"""backward and grad: the same scripts on compat and PyTorch."""

from harness import attempt


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


def script_accumulation_keeps_the_object(torch):
    x = leaf(torch, 1.0, 2.0)
    (x * x).sum().backward()
    g = x.grad
    (x * 3).sum().backward()
    same = g is x.grad
    (x * x * x).sum().backward(create_graph=True)
    return same, g is x.grad, x.grad.detach(), g.detach(), x.grad.requires_grad


def script_errors(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * x
    out = [
        attempt(lambda: y.backward()),
        attempt(lambda: torch.ones(2).sum().backward()),
        attempt(lambda: y.backward(torch.ones(3))),
        attempt(lambda: torch.autograd.grad(y.sum(), torch.ones(1))),
        attempt(lambda: torch.autograd.grad(y.sum(), leaf(torch, 1.0))),
        attempt(lambda: torch.autograd.backward([y], [torch.ones(2), torch.ones(2)])),
        attempt(lambda: y.sum().backward(inputs=[])),
        attempt(lambda: torch.autograd.grad(y.sum(), x, materialize_grads=True, allow_unused=False)),
        attempt(lambda: torch.tensor([1], requires_grad=True)),
        attempt(lambda: y.requires_grad_(False)),
        attempt(lambda: torch.ones(2).retain_grad()),
        attempt(lambda: torch.ones(2).register_hook(lambda g: g)),
        attempt(lambda: x.add_(1)),
        attempt(lambda: x[0].add_(1)),
        attempt(lambda: x.detach_().requires_grad),
    ]
    z = (x.detach().requires_grad_() ** 2).sum()
    z.backward()
    out.append(attempt(lambda: z.backward()))
    return out


def script_unused_and_materialized(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0)
    y = (x * x).sum()
    a = torch.autograd.grad(y, [x, w], allow_unused=True, retain_graph=True)
    b = torch.autograd.grad(y, [x, w], materialize_grads=True)
    return a, b


def script_inputs_of_backward(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0)
    h = x * w
    (h * h).sum().backward(inputs=[w], retain_graph=True)
    first = x.grad, w.grad.clone()
    (h * h).sum().backward(inputs=[h, x])
    return first, x.grad, h.grad, h.retains_grad


def script_higher_orders(torch):
    x = leaf(torch, 0.5)
    y = torch.sin(x) * x ** 3
    out = []
    for _ in range(4):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        out.append(y.detach())
    return out


def script_gradients_of_several_outputs(torch):
    x = leaf(torch, 1.0, 2.0)
    a, b = x * 2, x ** 2
    g = torch.autograd.grad([a, b], [x], [torch.ones(2), torch.tensor([1.0, 10.0])], retain_graph=True)
    torch.autograd.backward([a.sum(), b.sum()])
    return g, x.grad


def script_intermediate_inputs(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    z = (y ** 2).sum()
    return torch.autograd.grad(z, [y, x, y], retain_graph=True), torch.autograd.grad(z, y)


def script_layouts(torch):
    out = []
    for make in (lambda: torch.ones(2, 3), lambda: torch.ones(3, 2).t(), lambda: torch.ones(2, 6)[:, ::2],
                 lambda: torch.ones(3).expand(2, 3).clone(), lambda: torch.ones(4, 3, 2).permute(2, 0, 1)):
        t = make().detach().requires_grad_()
        (t * 2).sum().backward()
        out.append(t.grad.stride())
        t.grad = None
        (t * t.detach().clone().contiguous()).sum().backward()
        out.append(t.grad.stride())
    return out


def script_retain_grad_and_hooks(torch):
    log = []
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: log.append(g.tolist()))
    handle = y.register_hook(lambda g: g * 100)
    y.register_hook(lambda g: g + 1)
    x.register_hook(lambda g: log.append(g.tolist()))
    x.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.tolist()))
    (y * y).sum().backward()
    out = [y.grad, x.grad.clone()]
    handle.remove()
    y = x * 3
    (y * y).sum().backward()
    return out, x.grad, log


def script_hooks_on_nodes(torch):
    log = []
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda gs: log.append(("pre", [g.tolist() for g in gs])))
    y.grad_fn.register_hook(lambda gi, go: log.append(("post", [None if g is None else g.tolist() for g in go])))
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 2,))
    y.sum().backward()
    return x.grad, log


def script_hook_errors(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    y.register_hook(lambda g: 1 / 0)
    first = attempt(lambda: y.sum().backward())
    z = x * 3
    z.register_hook(lambda g: g[:1])
    return first, attempt(lambda: z.sum().backward())[:2]


def script_multi_grad_hooks(torch):
    log = []
    a, b, c = leaf(torch, 1.0), leaf(torch, 2.0), leaf(torch, 3.0)
    torch.autograd.graph.register_multi_grad_hook(
        (a, b, c), lambda gs: log.append([None if g is None else g.tolist() for g in gs]))
    torch.autograd.graph.register_multi_grad_hook((a, b), lambda g: log.append(g.tolist()), mode="any")
    (a * b).sum().backward()
    (a * b * c).sum().backward()
    return log


def script_reentrant(torch):
    x = leaf(torch, 2.0)

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, t):
            ctx.save_for_backward(t)
            return t ** 2

        @staticmethod
        def backward(ctx, g):
            (t,) = ctx.saved_tensors
            with torch.enable_grad():
                u = t.detach().requires_grad_()
                (u ** 2).sum().backward()
            return g * u.grad

    Inner.apply(x * 3).sum().backward()
    return x.grad


def script_complex(torch):
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    w = z * z * (2 - 1j)
    (w.real.sum() + w.abs().sum()).backward()
    return z.grad, attempt(lambda: (z * z).sum().backward())


def script_saved_tensor_hooks(torch):
    log = []
    x = leaf(torch, 1.0, 2.0)

    def pack(t):
        log.append(("pack", t.tolist()))
        return t.detach() * 2

    def unpack(p):
        log.append(("unpack", p.tolist()))
        return p / 2

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
        z = y * x
    z.sum().backward()
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        bad = attempt(lambda: torch.autograd.graph.saved_tensors_hooks(pack, unpack).__enter__())
    return x.grad, log, bad


def script_saved_attributes(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = x * w
    out = [y.grad_fn._saved_self, y.grad_fn._saved_other, y.grad_fn._saved_self is x, x.exp().grad_fn._saved_result]
    y.sum().backward()
    return out, attempt(lambda: y.grad_fn._saved_self)


def script_graph_attributes(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * 2).exp()
    fn = y.grad_fn
    fn.metadata["a"] = 1
    edge = torch.autograd.graph.get_gradient_edge(y)
    names = []
    while fn is not None:
        names.append(type(fn).__name__)
        fn = fn.next_functions[0][0] if fn.next_functions else None
    return names, y.grad_fn.metadata, edge.node is y.grad_fn, edge.output_nr, y.grad_fn.name()


def script_modes(torch):
    x = leaf(torch, 1.0)
    out = [torch.is_grad_enabled()]
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 2
        out += [torch.is_grad_enabled(), a.requires_grad, b.requires_grad]

    @torch.no_grad()
    def f():
        return (x * 2).requires_grad

    @torch.no_grad()
    def gen():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    out += [f(), [(v, torch.is_grad_enabled()) for v in gen()]]
    torch.set_grad_enabled(False)
    out.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    with torch.set_grad_enabled(False):
        out.append((x * 2).requires_grad)
    with torch.inference_mode():
        c = x * 2
        out += [c.requires_grad, c.is_inference(), torch.is_inference_mode_enabled()]
    out.append(attempt(lambda: c.requires_grad_()))
    out.append(attempt(lambda: (c * x).sum().backward()))
    out.append(attempt(lambda: c.add_(1) and None))
    return out


def script_grad_assignment(torch):
    x = leaf(torch, 1.0, 2.0)
    x.grad = torch.ones(2)
    (x * 2).sum().backward()
    out = [x.grad, attempt(lambda: setattr(x, "grad", torch.ones(3))), attempt(lambda: setattr(x, "grad", 3)),
           attempt(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)))]
    del x.grad
    return out, x.grad


def script_non_leaf_grad_warns(torch):
    x = leaf(torch, 1.0)
    return (x * 2).grad


def script_versions(torch):
    x = torch.ones(3)
    a = x._version
    x.add_(1)
    v = x[1:]
    v.mul_(2)
    d = x.detach()
    d.zero_()
    return a, x._version, v._version, d._version, x.data._version, x


def script_modified_saved_value(torch):
    x = leaf(torch, 1.0, 2.0)
    out = []
    for write in (lambda y: y.add_(1), lambda y: y[0].zero_(), lambda y: y.detach().add_(1), lambda y: y.data.add_(1)):
        y = x * 1
        z = y * y
        write(y)
        out.append(attempt(lambda z=z: z.sum().backward()))
        x.grad = None
    return out


def script_anomaly(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            raise RuntimeError("some error in backward")

    x = leaf(torch, 0.0)

    def failing():
        with torch.autograd.detect_anomaly():
            Bad.apply(x).sum().backward()

    def nan():
        with torch.autograd.set_detect_anomaly(True):
            (torch.sqrt(x) * 0).sum().backward()

    return attempt(failing), attempt(nan)[:2]


def script_recorded_gradients_may_be_written_to(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad((x * x).sum() * w, x, create_graph=True)
    g[:1].mul_(3)
    return g, torch.autograd.grad(g.sum(), [x, w])
