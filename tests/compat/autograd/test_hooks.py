"""Hooks of tensors, leaves and nodes, of several tensors, and what may happen inside of them."""

import random

from harness import attempt


def script_order_and_replacement(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(("a", g.tolist())))
    y.register_hook(lambda g: g * 2)
    y.register_hook(lambda g: seen.append(("b", g.tolist())))
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    return seen, x.grad


def script_leaf_hooks(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g * 3)
    x.register_hook(lambda g: seen.append(g.tolist()))
    (x * x).sum().backward()
    (x * 2 + x).sum().backward()
    return seen, x.grad


def _order_of(torch, seed):
    """In which order hooks of leaves and of other tensors run in two backward passes over a random graph."""
    chance, order = random.Random(seed), []
    leaves = [torch.tensor([1.0 + i, 2.0], requires_grad=True) for i in range(chance.randint(2, 5))]
    for i, leaf in enumerate(leaves):
        if chance.random() < 0.6:
            leaf.register_hook(lambda g, i=i: order.append(f"leaf {i}"))
        if chance.random() < 0.6:
            leaf.register_post_accumulate_grad_hook(lambda t, i=i: order.append(f"grad {i}"))
    values = list(leaves)
    operations = [lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a.sin(), lambda a, b: a.exp() * 0.1,
                  lambda a, b: torch.stack([a, b]).sum(0), lambda a, b: a.split(1)[0] + b]
    for turn in range(2):
        for k in range(chance.randint(2, 9)):
            y = chance.choice(operations)(chance.choice(values), chance.choice(values[-4:]))
            if chance.random() < 0.4:
                y.register_hook(lambda g, tag=f"value {turn} {k}": order.append(tag))
            values.append(y)
        out = values[-1].sum()
        if chance.random() < 0.8:
            out.backward(retain_graph=True)
        else:
            torch.autograd.grad(out, chance.sample(leaves, 2), allow_unused=True, retain_graph=True)
        order.append("done")
    return order


def script_leaf_hooks_run_as_soon_as_the_gradient_is_complete(torch):
    return [_order_of(torch, seed) for seed in range(40)]


def script_removal(torch):
    seen = []
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    a = y.register_hook(lambda g: seen.append("a"))
    b = y.register_hook(lambda g: (seen.append("b"), c.remove())[0])
    c = y.register_hook(lambda g: seen.append("c"))
    y.backward(retain_graph=True)
    a.remove()
    a.remove()
    y.backward(retain_graph=True)
    with y.register_hook(lambda g: seen.append("d")):
        y.backward(retain_graph=True)
    y.backward()
    return seen, x.grad, isinstance(a.id, int), a.id < b.id < c.id


def script_added_while_running(torch):
    seen = []
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2

    def first(g):
        seen.append("first")
        y.register_hook(lambda g: seen.append("late"))

    y.register_hook(first)
    y.backward(retain_graph=True)
    y.backward()
    return seen


def script_after_in_place(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(("old", g.tolist())))
    y.retain_grad()
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("new", g.tolist())))
    y.sum().backward()
    return seen, y.grad, x.grad


def script_in_place_on_a_view_with_hooks(torch):
    seen = []
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    v = y[1:]
    y.register_hook(lambda g: seen.append(("base", g.tolist())))
    v.register_hook(lambda g: seen.append(("view", g.tolist())))
    v.mul_(3)
    y.sum().backward()
    return seen, x.grad


def script_retained_gradient_sees_all_hooks(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.register_hook(lambda g: g * 5)
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 7,))
    y.sum().backward()
    return y.grad, x.grad


def script_capture_sees_hooks(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: g * 2)
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 7,))
    a = torch.autograd.grad(z.sum(), y, retain_graph=True)
    b = torch.autograd.grad(z.sum(), [y, x], retain_graph=True)
    c = torch.autograd.grad(z.sum(), x)
    return a, b, c


def script_wrong_results(torch):
    out = []
    for value in (3, "a", torch.ones(3), torch.ones(2, dtype=torch.float64), torch.ones(1), torch.ones(1, 2), [1.0]):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        y.register_hook(lambda g: value)
        out.append(attempt(lambda: y.sum().backward()))
        x.register_hook(lambda g: value)
        out.append(attempt(lambda: (x * 2).sum().backward()))
    return out


def script_named_hook_in_message(torch):
    def mine(g):
        return torch.ones(5)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(mine)
    return attempt(lambda: (x * 2).sum().backward())


def script_where_hooks_are_refused(torch):
    x = torch.tensor([1.0, 2.0])
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    return [attempt(lambda: x.register_hook(print)), attempt(lambda: x.register_post_accumulate_grad_hook(print)),
            attempt(lambda: (y * 2).register_post_accumulate_grad_hook(print)), attempt(lambda: x.retain_grad())]


def script_exceptions(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def fails(*a):
        raise KeyError("on purpose")

    out = []
    y = x * 2
    y.register_hook(fails)
    out.append(attempt(lambda: y.sum().backward()))
    y = x * 2
    y.grad_fn.register_hook(fails)
    out.append(attempt(lambda: y.sum().backward()))
    y = x * 2
    y.grad_fn.register_prehook(fails)
    out.append(attempt(lambda: y.sum().backward()))
    with x.register_post_accumulate_grad_hook(fails):
        out.append(attempt(lambda: (x * 2).sum().backward()))
    return out, torch.is_grad_enabled(), x.grad


def script_post_accumulate(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.tolist())))
    x.register_hook(lambda g: seen.append("tensor hook"))
    h = x.register_post_accumulate_grad_hook(lambda t: seen.append("second"))
    (x * 2).sum().backward()
    (x * 2 + x * 3).sum().backward()
    h.remove()
    torch.autograd.grad((x * 2).sum(), x)
    return seen, x.grad


def script_post_accumulate_frees_and_steps(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def step(t):
        with torch.no_grad():
            t.sub_(t.grad * 0.1)
        t.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    (x * x).sum().backward()
    return x, x.grad


def script_post_accumulate_result(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda t: torch.ones(2))
    return attempt(lambda: (x * 2).sum().backward()), x.grad


def script_node_hooks(torch):
    seen = []

    def note(*a):
        seen.append([[None if t is None else t.tolist() for t in g] for g in a])

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    c = torch.tensor([3.0, 4.0])
    z = x * y
    z.grad_fn.register_hook(note)
    z.grad_fn.register_prehook(lambda g: note(g))
    w = x * c
    w.grad_fn.register_hook(note)
    (z + w).sum().backward()
    return seen, x.grad, y.grad


def script_node_hooks_replace(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.grad_fn.register_prehook(lambda g: (g[0] * 2,))
    y.grad_fn.register_prehook(lambda g: (g[0] + 1,))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10,))
    y.grad_fn.register_hook(lambda gi, go: (gi[0] + 1,))
    y.sum().backward()
    return x.grad


def script_node_hooks_replace_each_of_several(torch):
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 5.0], requires_grad=True)
    joined = x * y
    joined.grad_fn.register_hook(lambda gi, go: (gi[0] + 1, gi[1] * 10))
    joined.sum().backward()
    left, right = (x * 1).unbind()
    left.grad_fn.register_prehook(lambda g: (g[0] * 3, g[1] + 5))
    (left * 2 + right * 7).backward()
    return x.grad, y.grad


def script_node_hooks_wrong_results(torch):
    out = []
    one = torch.ones(2)
    for value in (3, one, (one, one), (), (3,), (torch.ones(3),), [one], (None,)):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y.grad_fn.register_hook(lambda gi, go: value)
        out.append((attempt(lambda: y.sum().backward()), x.grad))
        z = x.exp()
        x.grad = None
        z.grad_fn.register_prehook(lambda go: value)
        out.append((attempt(lambda: z.sum().backward()), x.grad))
    return out


def script_accumulate_grad_node_hooks(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    acc = y.grad_fn.next_functions[0][0]
    acc.register_hook(lambda gi, go: seen.append((len(gi), [g.tolist() for g in go], x.grad.tolist())))
    acc.register_prehook(lambda go: (go[0] * 5,))
    y.sum().backward()
    return seen, x.grad, acc.variable is x, acc.name(), type(acc).__name__, acc.next_functions


def script_multi_all(torch):
    seen = []

    def note(grads):
        seen.append([None if g is None else g.tolist() for g in grads])

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    c = a * b
    d = a * b
    h = torch.autograd.graph.register_multi_grad_hook((a, b, c, d), note)
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    h.remove()
    c.sum().backward()
    return seen


def script_multi_any(torch):
    seen = []
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    c = a * b
    h = torch.autograd.graph.register_multi_grad_hook((a, b, c), lambda g: seen.append(g.tolist()), mode="any")
    c.sum().backward(retain_graph=True)
    c.sum().backward(retain_graph=True)
    with h:
        pass
    c.sum().backward()
    k = torch.ones(2)
    out = attempt(lambda: torch.autograd.graph.register_multi_grad_hook((a, k), print, mode="any") and None)
    return seen, out, attempt(lambda: torch.autograd.graph.register_multi_grad_hook((a,), print, mode="each")), attempt(
        lambda: torch.autograd.graph.register_multi_grad_hook((a, k), print))


def script_backward_inside_a_hook(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([3.0], requires_grad=True)
    y = x * 2

    def hook(g):
        with torch.enable_grad():
            (w * w).backward()
        return g * w.grad

    y.register_hook(hook)
    y.sum().backward()
    return x.grad, w.grad


def script_hooks_during_create_graph(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x ** 3
    y.register_hook(lambda g: (seen.append((g.requires_grad, torch.is_grad_enabled())), g * x)[1])
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    y = x ** 3
    y.register_hook(lambda g: seen.append((g.requires_grad, torch.is_grad_enabled())))
    (y * y).sum().backward()
    return seen, g, h


def script_queue_callback(torch):
    from_ = torch.autograd.Variable._execution_engine
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2

    def hook(g):
        seen.append("hook")
        from_.queue_callback(lambda: seen.append(("end", x.grad.tolist())))

    y.register_hook(hook)
    y.sum().backward()
    return seen, attempt(lambda: from_.queue_callback(print))


def script_queue_callback_in_sweeps_of_other_kinds(torch):
    from_ = torch.autograd.Variable._execution_engine
    seen = []

    class Queues(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            seen.append(attempt(lambda: from_.queue_callback(lambda: seen.append("end"))))
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def inner(g):  # a sweep inside of a sweep has its own end
        with torch.enable_grad():
            Queues.apply(x.detach().requires_grad_()).sum().backward()
        seen.append("outer goes on")

    y = x * 3
    y.register_hook(inner)
    y.sum().backward()
    return seen


def script_hook_result_is_the_gradient_itself(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    kept = []
    x.register_hook(lambda g: (kept.append(g), g)[1])
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    return kept, x.grad


def script_hooks_of_several_outputs(torch):
    seen = []
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    a, b = x.unbind(0)
    a.register_hook(lambda g: seen.append(("a", g.tolist())))
    b.register_hook(lambda g: None if g is None else g * 10)
    a.grad_fn.register_prehook(lambda gs: seen.append([None if g is None else g.tolist() for g in gs]))
    (a * 2).sum().backward(retain_graph=True)
    (a + b).sum().backward()
    return seen, x.grad


def script_hooks_survive_detach_and_requires(torch):
    x = torch.tensor([1.0], requires_grad=True)
    x.register_hook(lambda g: g * 2)
    y = x.detach().requires_grad_()
    (y * 3).backward()
    (x * 3).backward()
    return x.grad, y.grad, x._backward_hooks is not None, y._backward_hooks


def script_hooks_and_gradients_that_are_none(torch):
    seen = []

    class Drop(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return None

    x = torch.tensor([1.0], requires_grad=True)
    x.register_hook(lambda g: seen.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda t: seen.append("post"))
    y = x * 2
    y.register_hook(lambda g: seen.append("middle"))
    y.grad_fn.register_prehook(lambda g: seen.append(("pre", g[0] is None)))
    y.grad_fn.register_hook(lambda gi, go: seen.append(("post node", gi[0] is None, go[0] is None)))
    Drop.apply(y).backward()
    return seen, x.grad


def leaf(torch, *values):
    return torch.tensor(list(values), requires_grad=True)


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


def script_hooks_and_handles(torch):
    v = torch.tensor([0.0, 0.0, 0.0], requires_grad=True)
    handle = v.register_hook(lambda g: g * 2)
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    hooked, v.grad = v.grad, None
    handle.remove()
    v.backward(torch.tensor([1.0, 2.0, 3.0]))
    return hooked, v.grad, type(handle).__name__, handle.remove(), attempt(lambda: torch.ones(2).register_hook(print))


def script_multi_grad_hook(torch):
    a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    c, d, out = a * b, a * b, []
    torch.autograd.graph.register_multi_grad_hook((a, b, c, d), lambda gs: out.append([g is not None for g in gs]))
    c.sum().backward(retain_graph=True)
    c.sum().backward(inputs=(a,), retain_graph=True)
    return out


def script_hooks_that_follow_each_other_see_one_tensor(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            seen.append(g)
            return g * 2

    def marked(g):
        seen.append(g)
        g.mark = "seen"

    def same(seen):
        return [[a is b for a in seen] for b in seen], [getattr(g, "mark", None) for g in seen]

    found = []
    for output in (lambda y: y.sum(), lambda y: (y * 3).sum(), lambda y: torch.exp(y).sum()):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        seen = []
        y = x * 2
        y.register_hook(marked)
        y.register_hook(seen.append)
        y.grad_fn.register_prehook(lambda gs: seen.append(gs[0]))
        y.grad_fn.register_hook(lambda _, gs: seen.append(gs[0]))
        y.retain_grad()
        output(y).backward()
        found.append(same(seen))
        found.append([y.grad.tolist(), x.grad.tolist()])
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = Doubled.apply(x)
    z.register_hook(marked)
    z.sum().backward()
    found.append(same(seen))
    seen = []
    y = torch.tensor([1.0, 2.0], requires_grad=True) * 2
    y.register_hook(marked)
    y.register_hook(lambda g: (seen.append(g), g * 2)[1])
    y.register_hook(marked)
    y.register_hook(lambda g: (g.mul_(3), None)[1])
    y.register_hook(seen.append)
    torch.exp(y).sum().backward()
    found.append([same(seen), seen[-1]])
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = x * 3
    z.grad_fn.register_hook(lambda gs, _: marked(gs[0]))
    x.register_hook(seen.append)
    torch.exp(z).sum().backward()
    found.append(same(seen))
    return found
