"""torch.autograd.graph in odd uses: edges, hooks around saved tensors, what is freed when; on compat and PyTorch."""

import gc
import weakref

from harness import attempt, double


def script_edges(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()
    y = x * 2
    z = y.exp()
    a, b = z.unbind()
    for t in (x, y, z, a, b):
        e = g.get_gradient_edge(t)
        out += [type(e).__name__, e._fields, type(e.node).__name__, e.output_nr, e.node is t.grad_fn]
    out.append(attempt(lambda: g.get_gradient_edge(x.detach())))
    e = g.get_gradient_edge(y)
    out.append(torch.autograd.grad(z.sum(), e, retain_graph=True))
    out.append(torch.autograd.grad(z.sum(), (e, x), retain_graph=True))
    out.append(attempt(lambda: torch.autograd.grad(e, x, retain_graph=True)))
    out.append(attempt(lambda: torch.autograd.grad(e, x, torch.ones(2, dtype=torch.float64), retain_graph=True)))
    out.append(
        attempt(
            lambda: torch.autograd.grad(
                (e, z.sum()), x, (torch.ones(2, dtype=torch.float64), None), retain_graph=True
            )
        )
    )
    torch.autograd.backward(e, torch.ones(2, dtype=torch.float64), retain_graph=True)
    out.append(x.grad)
    x.grad = None
    z.sum().backward(inputs=[e] if False else [x], retain_graph=True)
    out.append(x.grad)
    x.grad = None
    del y
    out.append(torch.autograd.grad(z.sum(), e, retain_graph=True))
    ge = g.GradientEdge(e.node, 0)
    out.append(torch.autograd.grad(z.sum(), ge, retain_graph=True))
    out.append(attempt(lambda: g.GradientEdge(e.node)))
    out.append(attempt(lambda: torch.autograd.grad(z.sum(), g.get_gradient_edge(b), retain_graph=True)))
    out.append(
        attempt(lambda: torch.autograd.grad(z.sum(), g.get_gradient_edge(b), retain_graph=True, allow_unused=True))
    )
    out.append(torch.autograd.grad(a + b, g.get_gradient_edge(b), retain_graph=True))
    out.append(g.get_gradient_edge(x) == g.get_gradient_edge(x))
    out.append(len({g.get_gradient_edge(x), g.get_gradient_edge(x)}))
    return out


def script_nested_hooks(torch):
    g = torch.autograd.graph
    log = []
    x = double(torch, 1, 2).requires_grad_()

    def pair(n):
        def pack(t):
            log.append(("pack", n, t.detach().clone(), t.requires_grad, t.is_leaf))
            return (n, t)

        def unpack(p):
            log.append(("unpack", n, p[0]))
            return p[1]

        return pack, unpack

    with g.saved_tensors_hooks(*pair(1)):
        a = x * x
        with g.saved_tensors_hooks(*pair(2)):
            b = a.exp()
            with g.saved_tensors_hooks(*pair(3)):
                c = b * a
        d = c.sin()
    e = d.cos()
    e.sum().backward()
    log.append(x.grad)
    return log


def script_hook_in_hook(torch):
    g = torch.autograd.graph
    log = []
    x = double(torch, 1, 2).requires_grad_()

    def pack(t):
        log.append("pack")
        return t * 2

    def unpack(t):
        log.append("unpack")
        return t / 2

    with g.saved_tensors_hooks(pack, unpack):
        y = x.exp() * x
    y.sum().backward()
    log.append(x.grad)

    def pack2(t):
        with g.saved_tensors_hooks(lambda s: (log.append("inner"), s)[1], lambda s: s):
            u = t * t
        return u.sqrt()

    with g.saved_tensors_hooks(pack2, lambda s: s):
        y = x.exp()
    x.grad = None
    y.sum().backward()
    log.append(x.grad)
    return log


def script_hook_bad_returns(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()
    for unpack in (
        lambda t: None,
        lambda t: 3,
        lambda t: t[:1],
        lambda t: t.float(),
        lambda t: [t],
        lambda t: 1 / 0,
        lambda t: t.requires_grad_(),
    ):
        with g.saved_tensors_hooks(lambda t: t.detach().clone(), unpack):
            y = x.exp()
        out.append(attempt(lambda: torch.autograd.grad(y.sum(), x)))
    for pack in (lambda t: 1 / 0, lambda t: t.mul_(2)):

        def go():
            with g.saved_tensors_hooks(pack, lambda t: t):
                return (x * x).sum()

        out.append(attempt(go))
    out.append(x.exp())
    return out


def script_hooks_see(torch):
    g = torch.autograd.graph
    seen = []
    x = double(torch, 1, 2).requires_grad_()
    w = double(torch, 3, 4)

    def pack(t):
        seen.append(
            (
                tuple(t.shape),
                str(t.dtype),
                t.requires_grad,
                t.is_leaf,
                None if t.grad_fn is None else type(t.grad_fn).__name__,
                t is x,
                t is w,
            )
        )
        return t

    with g.saved_tensors_hooks(pack, lambda t: t):
        for f in (
            lambda: x * x,
            lambda: x + w,
            lambda: x.exp(),
            lambda: x.sum(),
            lambda: x.relu(),
            lambda: x.sigmoid(),
            lambda: x**2,
            lambda: x.softmax(0),
            lambda: x[0],
            lambda: x.clone(),
            lambda: x.sqrt(),
            lambda: torch.where(w > 3, x, w),
            lambda: x.masked_fill(w > 3, 0.0),
            lambda: x.cumsum(0),
            lambda: x.log(),
            lambda: x.tanh(),
            lambda: x.reciprocal(),
            lambda: torch.stack([x, w]),
            lambda: x.index_select(0, torch.tensor([0])),
            lambda: x.logsumexp(0),
        ):
            seen.append("--")
            r = f()
            seen.append(None if r.grad_fn is None else type(r.grad_fn).__name__)
    return seen


def script_disable_hooks(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()

    def a():
        with g.disable_saved_tensors_hooks("no way"):
            with g.saved_tensors_hooks(lambda t: t, lambda t: t):
                return 1

    def b():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            with g.disable_saved_tensors_hooks("no way"):
                return 1

    def c():
        with g.disable_saved_tensors_hooks("outer"):
            with g.disable_saved_tensors_hooks("inner"):
                r = [attempt(lambda: g.save_on_cpu().__enter__())]
            return r + [attempt(lambda: g.save_on_cpu().__enter__())]

    def d():
        with g.disable_saved_tensors_hooks("no"):
            return torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False)

    def e():
        with g.disable_saved_tensors_hooks("no"):
            with g.allow_mutation_on_saved_tensors():
                return 1

    @g.disable_saved_tensors_hooks("deco")
    def f():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            return 1

    for h in (a, b, c, d, e, f):
        out.append(attempt(h))

    def ok():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            return 1

    out.append(ok())
    return out


def script_save_on_cpu_forms(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()
    for kw in ({}, {"pin_memory": False}, {"device_type": "cpu"}):
        with g.save_on_cpu(**kw):
            y = (x.exp() * x).sum()
        y.backward(retain_graph=True)
        out.append(x.grad.clone())
        x.grad = None
        y.backward()
        x.grad = None
        out.append(attempt(y.backward))

    def dec():
        with g.save_on_cpu():
            y = (x**3).sum()
            (g1,) = torch.autograd.grad(y, x, create_graph=True)
        return torch.autograd.grad(g1.sum(), x)

    out.append(dec())
    return out


def script_allow_mutation_more(torch):
    g = torch.autograd.graph
    out = []
    x = double(torch, 1, 2).requires_grad_()
    with g.allow_mutation_on_saved_tensors() as ctx:
        out.append(type(ctx).__name__)
        a = x.clone()
        y = a * a
        a.mul_(5)
        z = (y * a).sum()
        a.zero_()
        z.backward()
        out.append(x.grad)
        x.grad = None
        v = x.clone()
        w = v[0:1]
        p = v.exp() * v
        w.fill_(9.0)
        p.sum().backward()
        out.append(x.grad)
        x.grad = None
        b = x.clone()
        q = (b**2).sum()
        b.sin_()
        q.backward(retain_graph=True)
        b.cos_()
        q.backward()
        out.append(x.grad)
        x.grad = None
        c = x.clone()
        q = (c**2).sum()
    out.append(attempt(lambda: q.backward()))

    def nested():
        with g.allow_mutation_on_saved_tensors():
            with g.allow_mutation_on_saved_tensors():
                pass

    out.append(attempt(nested))
    with g.allow_mutation_on_saved_tensors():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            a = x.clone()
            y = (a * a).sum()
            a.mul_(2)
        out.append(attempt(y.backward))
    with g.allow_mutation_on_saved_tensors() as ctx:
        a = x.clone()
        y = (a * a).sum()
        ctx.clear()
        out.append(attempt(y.backward)[:2] if isinstance(attempt(y.backward), tuple) else "ok")
    x.grad = None

    @g.allow_mutation_on_saved_tensors()
    def f():
        a = x.clone()
        y = (a * a).sum()
        a.mul_(2)
        y.backward()
        return x.grad

    out.append(attempt(f))
    return out


def script_raw_saved(torch):
    out = []
    x = double(torch, 1, 2).requires_grad_()
    y = x.exp()
    f = y.grad_fn
    s = f._raw_saved_result
    out.append(type(s).__name__)
    out.append(attempt(lambda: s.register_hooks(lambda t: t * 2, lambda t: t / 2)))
    out.append(attempt(lambda: s.register_hooks(lambda t: t, lambda t: t)))
    out.append(attempt(lambda: f._saved_result))
    y.sum().backward()
    out.append(x.grad)
    out.append(attempt(lambda: f._saved_result))
    y = x * x
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: "x", lambda t: x.exp().detach())
    out.append(torch.autograd.grad(y.sum(), x))
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: "x", lambda t: None)
    out.append(attempt(lambda: torch.autograd.grad(y.sum(), x)))
    return out


def script_freed_at_once(torch):
    out = []
    x = torch.ones(4, requires_grad=True)

    class Big:
        pass

    log = []

    def pack(t):
        b = Big()
        b.t = t.detach()
        weakref.finalize(b, lambda: log.append("freed"))
        return b

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
        z = y.sin()
        w = z * y
    out.append(len(log))
    w.sum().backward(retain_graph=True)
    out.append(len(log))
    w.sum().backward()
    out.append(len(log))
    del w, y, z
    gc.collect()
    out.append(len(log))
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
    n = len(log)
    del y
    out.append(len(log) - n)
    return out


def script_freed_as_the_sweep_goes(torch):
    out = []
    x = torch.ones(4, requires_grad=True)
    alive = []

    class B:
        pass

    refs = []

    def pack(t):
        b = B()
        b.t = t.detach()
        refs.append(weakref.ref(b))
        return b

    def count():
        return sum(r() is not None for r in refs)

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b.t):
        y = x.exp()
        y.register_hook(lambda g: alive.append(count()))
        z = y.exp()
        z.register_hook(lambda g: alive.append(count()))
        w = z.exp()
    x.register_hook(lambda g: alive.append(count()))
    w.sum().backward()
    out.append(alive)
    out.append(count())
    return out
