"""What user code learns of the backward pass that calls it, and versions that do not count."""

from harness import attempt, double, made_function, message


def name(node):
    return None if node is None else type(node).__name__


def script_the_node_that_runs(torch):
    seen, now = [], torch._C._current_autograd_node

    def backward(ctx, grad):
        seen.append(("backward", now() is ctx))
        with torch.enable_grad():
            y = double(torch, 2.0).requires_grad_()
            z = y * 3
            z.register_hook(lambda g: seen.append(("inner", name(now()))))
            z.backward()
        seen.append(("after", now() is ctx))
        return grad

    fun = made_function(torch, lambda ctx, x: x * 1, backward)
    x = double(torch, 1.0).requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: seen.append(("unpack", name(now()))) or t):
        y = x.exp()
    z = fun.apply(y)
    w = z * 2
    w.register_hook(lambda g: seen.append(("hook", name(now()))))
    z.grad_fn.register_prehook(lambda g: seen.append(("before", name(now()))))
    z.grad_fn.register_hook(lambda i, o: seen.append(("behind", name(now()))))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("leaf", name(now()))))
    w.backward()
    return seen, now()


def script_numbers_of_passes(torch):
    seen, number = [], torch._C._current_graph_task_id
    x = double(torch, 1.0).requires_grad_()
    y = x * 2
    y.register_hook(lambda g: seen.append(number()))
    for _ in range(3):
        y.backward(retain_graph=True)
    return [n - seen[0] for n in seen], number()


def script_whether_a_pass_keeps_the_graph(torch):
    seen, kept = [], torch._C._autograd._get_current_graph_task_keep_graph
    x = double(torch, 1.0).requires_grad_()
    y = x * 2
    y.register_hook(lambda g: seen.append(kept()))
    for retain in (True, False):
        y.backward(retain_graph=retain)
    return seen


def script_versions_that_are_put_back(torch):
    x, y = double(torch, 1.0, 2.0), double(torch, 3.0).requires_grad_()
    x.add_(1)
    z = y * x
    with torch.autograd._unsafe_preserve_version_counter(x):
        x.mul_(2)
        x.mul_(2)
    out = [x._version, attempt(lambda: torch.autograd.grad(z.sum(), y, retain_graph=True)[0])]
    x.mul_(2)
    out.append(attempt(lambda: torch.autograd.grad(z.sum(), y, retain_graph=True))[:2])
    with torch.autograd._unsafe_preserve_version_counter((x, y)):
        x.zero_()
    out.append((x._version, y._version))
    torch._C._autograd._unsafe_set_version_counter((x,), (7,))
    out.append(x._version)
    return out, message(lambda: torch._C._autograd._unsafe_set_version_counter((x,), (-1,)))


def script_switches(torch):
    out = [torch.autograd.is_view_replay_enabled()]
    with torch.autograd._force_original_view_tracking(True):
        out.append(torch.autograd.is_view_replay_enabled())
    return out, torch.autograd.is_view_replay_enabled(), message(lambda: torch._C._set_grad_enabled(3))


def script_what_a_pass_will_run(torch):
    will, order = torch._C._will_engine_execute_node, torch._C._current_graph_task_execution_order
    seen = []
    x = double(torch, 1.0).requires_grad_()
    y = x * 2
    z = y.exp()
    w = z.sin()
    other = double(torch, 1.0).requires_grad_().exp()
    w.register_hook(lambda g: seen.append(
        ([will(t.grad_fn) for t in (w, z, y, other)], [node.name() for node in order()])))
    with torch.autograd.set_multithreading_enabled(False):
        w.backward(retain_graph=True)
        torch.autograd.grad(w, y, retain_graph=True)
        torch.autograd.grad(w, z, retain_graph=True)
    return seen, [message(run) for run in (lambda: will(w.grad_fn), order, lambda: will(x), lambda: will(None))]


def script_a_leaf_that_is_asked_about(torch):
    x, y = double(torch, 1.0).requires_grad_(), double(torch, 1.0).requires_grad_()
    z = x * 2 * y
    leaves = [z.grad_fn.next_functions[1][0], z.grad_fn.next_functions[0][0].next_functions[0][0]]
    seen = []
    z.register_hook(lambda g: seen.append([attempt(lambda: torch._C._will_engine_execute_node(n)) for n in leaves]))
    z.backward(retain_graph=True)
    z.backward(retain_graph=True, inputs=(x,))
    torch.autograd.grad(z, x, retain_graph=True)
    return seen


def script_values_of_running_transforms(torch):
    """What `torch._C._functorch` says of them."""
    module = torch._C._functorch
    seen = []

    def look(x):
        seen.append([module.is_batchedtensor(x), module.is_gradtrackingtensor(x), module.is_functorch_wrapped_tensor(x),
                     module.maybe_get_level(x), module.maybe_get_bdim(x)])
        if seen[-1][2]:
            seen[-1].append(module.get_unwrapped(x).shape)
        return x.sum()

    x = torch.ones(2, 3)
    look(x)
    torch.func.vmap(look)(x)
    torch.func.grad(look)(x)
    torch.func.vmap(torch.func.grad(look))(x)
    torch.func.vmap(torch.func.vmap(look))(x)
    return seen, message(lambda: module.get_unwrapped(x))
