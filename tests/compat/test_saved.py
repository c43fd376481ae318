"""Saved values: what nodes show, hooks that pack them, writes to them, edges of the graph, and memory."""

import numpy as np

import covector.compat.torch as compat
from harness import attempt


def script_saved_attributes(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    m, e, p, d, s, t = x * y, x.exp(), x ** 3, x / y, x.sigmoid(), x.tanh()
    got = [m.grad_fn._saved_self, m.grad_fn._saved_other, e.grad_fn._saved_result, p.grad_fn._saved_self,
           p.grad_fn._saved_exponent, d.grad_fn._saved_other, s.grad_fn._saved_result,
           t.grad_fn._saved_result, m.grad_fn._saved_self is x, x.sin().grad_fn._saved_self,
           x.log().grad_fn._saved_self,
           x.sqrt().grad_fn._saved_result, x.relu().grad_fn._saved_result]
    return got, attempt(lambda: m.grad_fn._saved_nothing)


def script_saved_shapes(torch):
    x = torch.ones(2, 3, requires_grad=True)
    return [list(x.sum().grad_fn._saved_self_sym_sizes), list(x.sum(1).grad_fn._saved_dim),
            x.sum(1).grad_fn._saved_keepdim,
            list(x.view(3, 2).grad_fn._saved_self_sym_sizes), list(x.expand(4, 2, 3).grad_fn._saved_self_sym_sizes),
            x.transpose(0, 1).grad_fn._saved_dim0, x.unsqueeze(0).grad_fn._saved_dim]


def script_saved_freed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.sum().backward()
    return attempt(lambda: y.grad_fn._saved_result), attempt(lambda: y.grad_fn._raw_saved_result is None)


def script_saved_not_needed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    fn = (x * c).grad_fn
    return fn._saved_self, fn._saved_other


def script_saved_other_stays_writable(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    b = x * 1
    z = b * c
    b.add_(1)
    z.sum().backward()
    return x.grad


def script_saved_result_after_write(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    fn = y.grad_fn
    y.add_(1)
    return attempt(lambda: fn._saved_result)


def script_raw_saved(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    seen = []
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: (seen.append("pack"), t * 2)[1], lambda t: (seen.append("unpack"), t / 2)[1])
    again = attempt(lambda: raw.register_hooks(lambda t: t, lambda t: t))
    y.sum().backward()
    return seen, x.grad, again, type(raw).__name__, a_call(x)


def a_call(x):
    return x.exp().grad_fn(x.detach())


def script_pack_and_unpack_each(torch):
    seen = []

    def pack(t):
        seen.append(("pack", t.tolist(), t.requires_grad, t.is_leaf))
        return len(seen) - 1, t

    def unpack(p):
        seen.append(("unpack", p[1].tolist()))
        return p[1]

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        z = x * y
        w = z * 2
        v = w.exp()
    v.sum().backward()
    return seen, x.grad, y.grad


def script_hooks_nest_innermost_only(torch):
    seen = []
    g = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with g.saved_tensors_hooks(lambda t: (seen.append("a"), t)[1], lambda t: t):
        with g.saved_tensors_hooks(lambda t: (seen.append("b"), t * 2)[1], lambda t: t):
            y = x.exp()
        z = x.exp()
    (y + z).sum().backward()
    return seen, x.grad


def script_hooks_change_values(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 4, lambda t: t):
        y = x * x
    y.sum().backward()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: "s", lambda t: torch.ones(2)):
        z = x.exp()
    return x.grad, z.grad_fn._saved_result, attempt(lambda: z.sum().backward()), x.grad


def script_hook_errors(torch):
    g = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def fails(t):
        raise KeyError("on purpose")

    out = []

    def packs():
        with g.saved_tensors_hooks(fails, lambda t: t):
            return x.exp()

    out.append(attempt(packs)[:2])
    for unpack in (fails, lambda t: 3, lambda t: None):
        with g.saved_tensors_hooks(lambda t: t, unpack):
            y = x.exp()
        out.append(attempt(lambda: y.sum().backward()))

    def writes():
        with g.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t):
            return (x * 1).exp()

    out.append(attempt(lambda: writes() and None))
    out.append(attempt(lambda: g.saved_tensors_hooks(lambda t: t)))
    return out


def script_hooks_and_functions(torch):
    seen = []

    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(x, out, None, x * 2)
            return out

        @staticmethod
        def backward(ctx, g):
            x, out, none, mid = ctx.saved_tensors
            return g * out * (none is None)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (seen.append(t.tolist()), t.detach())[1],
                                                  lambda t: (seen.append("unpack"), t)[1]):
        y = Exp.apply(x)
    y.sum().backward()
    return seen, x.grad


def script_hooks_with_double_backward(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x ** 3
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    a = g.requires_grad
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (t,), lambda t: t[0]):
        y = x ** 3
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return a, g, h


def script_save_on_cpu(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        z = x * 1
        y = z.exp()
    y.sum().backward()
    return x.grad


def script_disable(torch):
    g = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def inside():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t):
            return x.exp()

    out = []
    with g.disable_saved_tensors_hooks("not here"):
        out.append(attempt(inside))
        with g.disable_saved_tensors_hooks("deeper"):
            out.append(attempt(inside))
        out.append(attempt(inside))
        x.exp().sum().backward()
    out.append(inside())

    def around():
        with g.saved_tensors_hooks(lambda t: t, lambda t: t), g.disable_saved_tensors_hooks("too late"):
            pass

    out.append(attempt(around))

    @g.disable_saved_tensors_hooks("decorated")
    def fun():
        return attempt(inside)

    return out, fun(), x.grad


def script_allow_mutation(torch):
    g = torch.autograd.graph
    a = torch.ones(2, 3, requires_grad=True)
    with g.allow_mutation_on_saved_tensors() as ctx:
        b = a.clone()
        out = (b ** 2).sum()
        b.sin_()
        out.backward()
        grad = a.grad
    with g.allow_mutation_on_saved_tensors():
        b = a.clone()
        late = (b ** 2).sum()
    err = attempt(lambda: late.backward())

    def nested():
        with g.allow_mutation_on_saved_tensors(), g.allow_mutation_on_saved_tensors():
            pass

    return b, grad, err, attempt(nested), ctx is not None


def test_copies_are_kept_through_views():
    torch = compat
    g = torch.autograd.graph
    a = torch.ones(4, requires_grad=True)
    with g.allow_mutation_on_saved_tensors():
        b = a.clone()
        v = b[1:]
        out = (v * v).sum() + b.exp().sum()
        b.mul_(3)
        v.zero_()
        out.backward()
    assert np.allclose(a.grad.numpy(), [np.e, np.e + 2, np.e + 2, np.e + 2])  # PyTorch 2.13 misses the view's write
    assert b.tolist() == [3.0, 0.0, 0.0, 0.0]


def script_edges(torch):
    g = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * 3
    ex, ey, ez = (g.get_gradient_edge(t) for t in (x, y, z))
    out = [type(ex.node).__name__, ex.output_nr, type(ey.node).__name__, ey.node is y.grad_fn, len(ey)]
    out.append(torch.autograd.grad(z.sum(), ey, retain_graph=True))
    out.append(torch.autograd.grad(z.sum(), [ex, y], retain_graph=True))
    out.append(torch.autograd.grad(ez, x, grad_outputs=torch.ones(2), retain_graph=True))
    torch.autograd.backward(ez, torch.ones(2))
    out.append(attempt(lambda: g.get_gradient_edge(torch.ones(1))))
    return out, x.grad


def script_edges_of_several_outputs(torch):
    g = torch.autograd.graph
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind(0)
    eb = g.get_gradient_edge(b)
    loss = (a * b).sum()
    by_hand = g.GradientEdge(b.grad_fn, 1)
    return eb.output_nr, torch.autograd.grad(loss, eb, retain_graph=True), torch.autograd.grad(loss, by_hand)


def script_edge_keeps_the_gradient_of_a_written_tensor(torch):
    g = torch.autograd.graph
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    e = g.get_gradient_edge(y)
    y.mul_(5)
    return torch.autograd.grad(y.sum(), e)


def script_scalar_edge_without_gradient(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2).sum()
    e = torch.autograd.graph.get_gradient_edge(y)
    return torch.autograd.grad(e, x)


def script_increment_version(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = y.exp() * y
    before = y._version
    torch.autograd.graph.increment_version(y)
    torch.autograd.graph.increment_version([y, x.detach()])
    with torch.inference_mode():
        i = torch.ones(1)
    return before, y._version, attempt(lambda: z.sum().backward()), attempt(
        lambda: torch.autograd.graph.increment_version(i))


def script_nodes(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp().sum()
    fn = y.grad_fn
    fn.metadata["mine"] = 3
    names = []
    while fn is not None:
        names.append((fn.name(), isinstance(fn, torch.autograd.graph.Node), len(fn.next_functions)))
        fn = fn.next_functions[0][0] if fn.next_functions else None
    return names, y.grad_fn.metadata, y.grad_fn is y.grad_fn, y.grad_fn == y.grad_fn, callable(y.grad_fn), x.grad_fn


def script_node_is_callable(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    return y.grad_fn(torch.ones(2))


def script_hooks_on_what_a_function_saved(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x, y, None)
            return y

        @staticmethod
        def backward(ctx, g):
            x, y, _ = ctx.saved_tensors
            return g * (2 * x + 0 * y)

    def attempt(fn):
        try:
            return fn()
        except Exception as error:
            return ("raised", type(error).__name__, str(error))

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = Square.apply(x).grad_fn
    raw = node._raw_saved_tensors
    first = attempt(lambda: raw[0].register_hooks(lambda t: t.detach() * 3, lambda t: t))
    second = [attempt(lambda i=i: raw[i].register_hooks(lambda t: t, lambda t: t)) for i in (0, 2)]
    third = attempt(lambda: raw[1].register_hooks(lambda t: 5, lambda t: torch.ones(2)))
    saved = node.saved_tensors
    z = (x * 1).detach().requires_grad_()
    out = Square.apply(z)
    out.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: t.detach() * 3, lambda t: t)
    (g,) = torch.autograd.grad(out.sum(), z, create_graph=True)
    return (len(raw), first, second, third, saved[0], saved[1], g, torch.autograd.grad(g.sum(), z),
            attempt(lambda: Square.apply(x).sum().backward()))


def script_what_was_freed_has_no_raw_values(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = Twice.apply(x)
    out.sum().backward()
    try:
        return len(out.grad_fn._raw_saved_tensors)
    except RuntimeError as error:
        return str(error)[:40]


def script_leaves_that_are_unpacked(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x.exp() * x
    saved = y.grad_fn._saved_other
    return saved, saved.is_leaf, saved.requires_grad, saved.grad_fn, torch.autograd.grad(saved.sum() * 2 + y.sum(), x)
