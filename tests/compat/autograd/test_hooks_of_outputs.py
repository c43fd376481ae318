"""Hooks, retained gradients and captures at the outputs of nodes with several, also those that no gradient reaches."""

from harness import attempt


def watched(seen, **tensors):
    """Note what each tensor's hook and, once, what the hooks of the first one's node get."""
    first = next(iter(tensors.values())).grad_fn
    first.register_hook(lambda gi, go: seen.append(("post", plain(gi), plain(go))))
    first.register_prehook(lambda go: seen.append(("pre", plain(go))))
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: seen.append((name, plain(g))))
        t.retain_grad()


def plain(g):
    return [plain(v) for v in g] if isinstance(g, tuple | list) else None if g is None else g.tolist()


def gradients(*tensors):
    return [None if t.grad is None else t.grad.tolist() for t in tensors]


def pair(torch, materialize):
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            parts = [c * k for c, k in ((g, 2), (h, 3)) if c is not None]
            return sum(parts) if parts else None

    return Pair


def dropping(torch):
    class Drop(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    return Drop


def script_unbind_with_one_output_used(torch):
    seen = []
    x = torch.ones(3, 2, requires_grad=True)
    a, b, c = (x * 1).unbind()
    watched(seen, a=a, b=b, c=c)
    (b * 2).sum().backward()
    return seen, gradients(x, a, b, c)


def script_split_with_one_output_used(torch):
    seen = []
    x = torch.ones(4, requires_grad=True)
    a, b = (x * 1).split(2)
    watched(seen, b=b, a=a)
    a.register_hook(lambda g: seen.append("again"))
    (b * 3).sum().backward(retain_graph=True)
    (a * b).sum().backward()
    return seen, gradients(x, a, b)


def script_a_prehook_replaces_what_nothing_reached(torch):
    x = torch.ones(4, requires_grad=True)
    a, b = (x * 1).chunk(2)
    handle = a.grad_fn.register_prehook(lambda go: (torch.full((2,), 5.0), *go[1:]))
    refused = attempt(lambda: (b * 3).sum().backward(retain_graph=True))
    handle.remove()
    b.grad_fn.register_prehook(lambda go: (None, go[1]))
    (a + b * 3).sum().backward()
    return refused, x.grad


def script_functions_of_two_outputs(torch):
    seen = []
    for materialize in (True, False):
        x = torch.ones(2, requires_grad=True)
        a, b = pair(torch, materialize).apply(x * 1)
        watched(seen, a=a, b=b)
        (b * 3).sum().backward()
        seen.append(gradients(x, a, b))
    return seen


def script_functions_whose_outputs_get_undefined_gradients(torch):
    seen = []
    for materialize in (True, False):
        for both in (True, False):
            x = torch.ones(2, requires_grad=True)
            x.register_hook(lambda g: seen.append(("x", plain(g))))
            a, b = pair(torch, materialize).apply(x * 1)
            watched(seen, a=a, b=b)
            dropped = dropping(torch).apply(a)
            (dropped + b if both else dropped).sum().backward()
            seen.append(gradients(x, a, b))
    return seen


def script_gradients_of_single_outputs(torch):
    seen = []
    x = torch.ones(3, 2, requires_grad=True)
    a, b, c = (x * 1).unbind()
    a.register_hook(lambda g: seen.append(("a", plain(g))))
    b.register_hook(lambda g: g * 10)
    loss = (b * 2 + c).sum()
    return (seen, plain(torch.autograd.grad(loss, [a, b], allow_unused=True, retain_graph=True)),
            plain(torch.autograd.grad(loss, [b, x], retain_graph=True)),
            plain(torch.autograd.grad(loss, [c], retain_graph=True)),
            plain(torch.autograd.grad(b, [b], torch.ones(2))))


def script_backward_into_single_outputs(torch):
    x = torch.ones(3, 2, requires_grad=True)
    a, b, c = (x * 1).unbind()
    b.register_hook(lambda g: g * 10)
    (b * 2 + c).sum().backward(inputs=[b, a], retain_graph=True)
    first = gradients(x, b)
    (b * 2 + c).sum().backward(inputs=[b, x])
    return first, gradients(x, b)


def script_decompositions_with_one_output_used(torch):
    seen = []
    x = torch.tensor([[2.0, 1.0], [0.0, 1.0]], requires_grad=True)
    u, s, v = torch.linalg.svd(x)
    for name, t in (("u", u), ("s", s), ("v", v)):
        t.register_hook(lambda g, name=name: seen.append((name, g is None)))
    s.grad_fn.register_prehook(lambda go: seen.append([g is None for g in go]))
    s.grad_fn.register_hook(lambda gi, go: seen.append([g is None for g in (*gi, *go)]))
    s.sum().backward()
    return seen


def script_hooks_on_several_outputs_of_one_node(torch):
    seen = []
    graph = torch.autograd.graph
    for mode in ("all", "any"):
        x = torch.ones(3, 2, requires_grad=True)
        graph.register_multi_grad_hook((x * 1).unbind(), lambda g: seen.append(plain(g)), mode=mode)
        outs = (x * 1).unbind()
        graph.register_multi_grad_hook(outs, lambda g: seen.append(plain(g)), mode=mode)
        (outs[1] * 2).sum().backward()
    return seen


def script_calling_a_node_of_several_outputs(torch):
    x = torch.ones(2, 2, requires_grad=True)
    a, _ = (x * 1).unbind()
    return a.grad_fn(torch.ones(2), None), a.grad_fn(None, torch.ones(2))


def script_a_removed_hook_and_a_dead_output(torch):
    seen = []
    x = torch.ones(3, 2, requires_grad=True)
    a, b, c = (x * 1).unbind()
    handle = a.register_hook(lambda g: seen.append("a"))
    c.register_hook(lambda g: seen.append(("c", plain(g))))
    del c
    handle.remove()
    b.sum().backward()
    return seen


def script_undefined_gradients_on_a_chain(torch):
    seen = []
    x = torch.ones(2, requires_grad=True)
    u = x * 2
    v = u.exp()
    watched(seen, u=u)
    watched(seen, v=v)
    x.register_hook(lambda g: seen.append(("x", plain(g))))
    dropping(torch).apply(v).sum().backward()
    return seen, gradients(x, u, v)
