"""Nodes and edges of the graph: names, attributes, next functions, calls, edges as roots and as inputs."""

import copy
import pickle

from harness import attempt, double, message


def script_edges_in_sweeps(torch):
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


def script_leaves_that_are_unpacked(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        y = x.exp() * x
    saved = y.grad_fn._saved_other
    return saved, saved.is_leaf, saved.requires_grad, saved.grad_fn, torch.autograd.grad(saved.sum() * 2 + y.sum(), x)


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


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


def script_calling_a_node_takes_as_many_gradients_as_it_has_outputs(torch):
    y = torch.ones(1, requires_grad=True) ** 2
    g = torch.ones(1)
    return message(lambda: y.grad_fn(g, g)), message(lambda: y.grad_fn()), y.grad_fn(g).detach()


def script_indices_and_numbers_have_no_edge(torch):
    functional = torch.nn.functional
    i, wide = torch.tensor([0, 2]), torch.tensor([[0, 1, 2, 0]])
    mask = torch.tensor([[True, False, True, True]] * 3)
    row, found, seen = torch.ones(1, 4), [], []
    for f in (lambda t: t**2.5, lambda t: t.fmod(0.3), lambda t: t.gather(0, wide), lambda t: t.index_select(0, i),
              lambda t: t.take(i), lambda t: t[i], lambda t: t[mask], lambda t: t.masked_fill(mask, 1.0),
              lambda t: t.masked_select(mask), lambda t: t.scatter(0, wide, row), lambda t: t.scatter_add(0, wide, row),
              lambda t: t.index_add(0, i, t[1:]), lambda t: t.index_copy(0, i, t[1:]),
              lambda t: t.index_fill(0, i, 1.0), lambda t: t.put(i, row[0, :2]),
              lambda t: t.index_put((i,), t[1:]), lambda t: functional.embedding(i, t),
              lambda t: functional.nll_loss(t, torch.tensor([0, 1, 2])), lambda t: functional.layer_norm(t, (4,)),
              lambda t: functional.conv1d(t[None], torch.ones(2, 3, 2))):
        x = torch.arange(12.0).view(3, 4).requires_grad_()
        y = f(x)
        if "Scatter" not in str(y.grad_fn) and "Put" not in str(y.grad_fn):
            y.grad_fn.register_hook(lambda gi, go: seen.append([g is not None for g in gi]))
        y.sum().backward()
        found.append([type(n).__name__ for n, _ in y.grad_fn.next_functions])
    return found, seen


def script_names_of_nodes_by_the_kind_of_an_argument(torch):
    wide, two = torch.tensor([[0, 1, 2, 0]]), double(torch, 2.0)[0]
    mask, row = torch.tensor([[True, False, True, True]] * 3), torch.ones(1, 4, dtype=torch.float64)
    sample = torch.nn.functional.grid_sample
    found = []
    for f in (lambda t: t.masked_fill(mask, 1.0), lambda t: t.masked_fill(mask, two),
              lambda t: t.masked_fill(mask=mask, value=two), lambda t: (t * 1).masked_fill_(mask, 1.0),
              lambda t: (t * 1).masked_fill_(mask, two), lambda t: t.scatter(0, wide, 1.0),
              lambda t: t.scatter(0, wide, value=1.0), lambda t: t.scatter(0, wide, row),
              lambda t: t.scatter(0, wide, src=row), lambda t: (t * 1).scatter_(0, wide, 1.0),
              lambda t: torch.copysign(t, -1.0), lambda t: torch.copysign(t, two),
              lambda t: torch.cross(t[:, :3], t[:, 1:], dim=1),
              lambda t: sample(t[None, None], torch.zeros(1, 2, 2, 2, dtype=torch.float64), align_corners=False),
              lambda t: sample(t[None, None, None], torch.zeros(1, 2, 2, 2, 3, dtype=torch.float64),
                               align_corners=False)):
        x = double(torch, *range(12)).view(3, 4).requires_grad_()
        y = f(x)
        found.append([y.grad_fn.name(), len(y.grad_fn.next_functions), torch.autograd.grad(y.sum(), x)])
    return found


def script_nodes_show_what_they_saved(torch):
    b = torch.zeros(3, requires_grad=True).exp()
    wanted = ("__call__", "_raw_saved_result", "_register_hook_dict", "_saved_result", "metadata", "name",
              "next_functions", "register_hook", "register_prehook", "requires_grad")
    fn = b.grad_fn
    return ([n for n in wanted if n not in dir(fn)], isinstance(fn, torch.autograd.graph.Node), fn._saved_result,
            fn.name(), fn.metadata, fn.requires_grad, fn.next_functions[0][0].name())


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


def script_what_a_node_is_called_with(torch):
    x = double(torch, 1.0, 2.0).requires_grad_()
    y = x**2
    calls = (lambda: y.grad_fn(3), lambda: y.grad_fn(a=x), lambda: y.grad_fn(x, 3), lambda: y.grad_fn(x, x))
    return [message(fn) for fn in calls], y.grad_fn(x.detach())


def script_kinds_of_nodes(torch):
    x = double(torch, 1.0).requires_grad_()
    kind = torch._C._functions.AccumulateGrad
    found = (x * 2).grad_fn.next_functions[0][0]
    return (isinstance(found, kind), issubclass(kind, torch.autograd.graph.Node),
            isinstance((x * 2).grad_fn, kind), str(found).split(" at ")[0])


def script_nodes_are_not_copied(torch):
    x = double(torch, 1.0).requires_grad_()
    return [message(lambda: fn((x * 2).grad_fn)) for fn in (copy.copy, copy.deepcopy, pickle.dumps)]


def script_nodes_of_composed_operations_are_called(torch):
    x = double(torch, 1.0, 2.0, 4.0).requires_grad_()
    y, functional, one = x * 1, torch.nn.functional, double(torch, 1.0).sum()
    made = [x.std(), x.var(), x.norm(), x.logsumexp(0), functional.mse_loss(x, torch.zeros_like(x))]
    wide = [x.cumprod(0), functional.layer_norm(x, (3,)), torch.lerp(x, y, 0.5), torch.lerp(y, x, 0.5),
            torch.stack([x, x]), torch.cat([x, y])]
    out = [t.grad_fn(one) for t in made] + [t.grad_fn(torch.ones_like(t)) for t in wide]
    out.append(torch.addmm(x[None], x[:1, None], y[None]).grad_fn(torch.ones_like(x[None])))
    return [tuple(None if g is None else g.detach() for g in (r if isinstance(r, tuple) else (r,))) for r in out]


def script_several_outputs_have_one_node(torch):
    x = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).requires_grad_()
    out = []
    for fn in (lambda: torch.var_mean(x, 0), lambda: torch.std_mean(x), lambda: torch.aminmax(x, dim=1),
               lambda: x.aminmax(dim=0)):
        a, b = fn()
        node, seen = a.grad_fn, []
        node.register_prehook(lambda gs: seen.append([g is None for g in gs]) or tuple(
            None if g is None else g * 2 for g in gs))
        b.register_hook(lambda g: seen.append(g.tolist()))
        a.retain_grad()
        (a * 3 + b).sum().backward()
        single = torch.autograd.grad(fn()[1].sum(), x)[0]
        edge = torch.autograd.graph.get_gradient_edge(b)
        out.append((node is b.grad_fn, a.output_nr, b.output_nr, type(node).__name__, seen, a.grad, x.grad, single,
                    edge.output_nr, [type(n).__name__ for n, _ in node.next_functions],
                    attempt(lambda: (a + b).sum().backward())[:2]))
        x.grad = None
    return out


def script_second_derivatives_of_several_outputs(torch):
    x = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).requires_grad_()
    v, m = torch.var_mean(x, 0)
    (g,) = torch.autograd.grad((v * m).sum(), x, create_graph=True)
    with torch.no_grad():
        quiet = torch.var_mean(x, 0)[0].requires_grad
    return torch.autograd.grad((g * g).sum(), x), quiet, torch.func.grad(lambda x: torch.var_mean(x)[0])(x.detach())


def script_nodes_are_not_made_by_hand(torch):
    x = double(torch, 1.0, 2.0).requires_grad_()
    graph = torch.autograd.graph
    return [attempt(f) for f in (
        lambda: type(x.exp().grad_fn)(), graph.Node, lambda: graph.get_gradient_edge(1),
        lambda: graph.get_gradient_edge(graph.get_gradient_edge(x)), lambda: graph.increment_version([1]),
        lambda: torch.func.jacfwd(torch.sin)(1.0), lambda: torch._C._is_multithreading_enabled())]


def script_nodes_of_paddings_and_of_activations_in_place(torch):
    functional, x = torch.nn.functional, torch.arange(1.0, 28.0).reshape(1, 3, 3, 3).requires_grad_()
    out = [functional.pad(x[0] if n == 1 else x, (1, 1) * n, mode=mode).grad_fn.name()
           for mode in ("reflect", "replicate", "circular") for n in (1, 2)]
    out += [functional.pad(x[0], (1, 1), "reflect").grad_fn.name(), functional.pad(x, (1, 1)).grad_fn.name(),
            functional.pad(x[None], (1, 1, 1, 1, 1, 1), "replicate").grad_fn.name()]
    return out, [fn(x.clone()).grad_fn.name() for fn in (
        functional.leaky_relu_, functional.elu_, functional.hardtanh_, functional.relu_, functional.celu_,
        lambda y: functional.threshold_(y, 0.1, 0.2), lambda y: functional.leaky_relu(y, inplace=True),
        lambda y: functional.silu(y, inplace=True), torch.relu_, torch.sigmoid_, lambda y: y.sin_(),
        lambda y: y.clamp_(2, 5), lambda y: y.add_(1))]
