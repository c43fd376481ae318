"""Hooks of modules: before and behind forward, on gradients, global ones, their order and messages."""

import copy
import pickle
import warnings

from harness import attempt, message, normal


def linear(torch):
    m = torch.nn.Linear(2, 3).double()
    with torch.no_grad():
        m.weight.copy_(normal(torch, 3, 2))
        m.bias.copy_(normal(torch, 3))
    return m


def script_forward_hooks_in_order(torch):
    m, seen = linear(torch), []
    x = normal(torch, 4, 2, seed=1)
    handles = [
        m.register_forward_pre_hook(lambda module, args: seen.append(("pre", len(args)))),
        m.register_forward_pre_hook(lambda module, args: args[0] * 2, prepend=True),
        m.register_forward_pre_hook(lambda module, args, kwargs: (args, kwargs), with_kwargs=True),
        m.register_forward_hook(lambda module, args, out: seen.append(("behind", float(out.detach().sum())))),
        m.register_forward_hook(lambda module, args, out: out + 1, prepend=True),
        m.register_forward_hook(lambda module, args, kwargs, out: seen.append(sorted(kwargs)), with_kwargs=True),
    ]
    found = [m(x)]
    handles[1].remove()
    handles[4].remove()
    found.append(m(input=x))
    for h in handles:
        h.remove()
    return [*found, m(x), seen]


def script_hooks_that_return_something_odd(torch):
    m = linear(torch)
    x = normal(torch, 4, 2)
    m.register_forward_pre_hook(lambda module, args, kwargs: 3, with_kwargs=True)
    n = linear(torch)
    n.register_full_backward_hook(lambda module, gi, go: (gi[0], gi[0]))
    o = linear(torch)
    o.register_full_backward_pre_hook(lambda module, go: (go[0], go[0]))
    p = linear(torch)
    p.register_full_backward_hook(lambda module, gi, go: (torch.ones(1),))
    return [message(lambda: m(x)), message(lambda: n(x.clone().requires_grad_()).sum().backward()),
            message(lambda: o(x).sum().backward()), message(lambda: p(x).sum().backward())]


def script_hooks_that_are_always_called(torch):
    seen = []

    class Fails(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    m = Fails()
    m.register_forward_hook(lambda *a: seen.append("usual"))
    m.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    m.register_forward_hook(lambda module, args, kwargs, out: seen.append(sorted(kwargs)), always_call=True,
                            with_kwargs=True)
    found = [attempt(lambda: m(x=torch.ones(1))), list(seen)]
    n = linear(torch)
    n.register_forward_hook(lambda *a: 1 / 0)
    n.register_forward_hook(lambda module, args, out: seen.append("late"), always_call=True)
    return [*found, attempt(lambda: n(normal(torch, 1, 2)))[:2], seen[-1]]


def script_full_backward_hooks(torch):
    m, seen = linear(torch), []
    x = normal(torch, 4, 2).requires_grad_()
    m.register_full_backward_hook(lambda module, gi, go: seen.append([[g.clone() for g in gi],
            [g.clone() for g in go]]))
    m.register_full_backward_hook(lambda module, gi, go: (gi[0] * 2,), prepend=True)
    m.register_full_backward_pre_hook(lambda module, go: (go[0] * 3,))
    y = m(x)
    name = type(y.grad_fn).__name__
    y.sum().backward()
    return [name, x.grad, m.weight.grad, seen]


def script_full_backward_hooks_without_gradients_of_inputs(torch):
    m, seen = linear(torch), []
    m.register_full_backward_hook(lambda module, gi, go: seen.append((gi, go[0].sum())))
    m(normal(torch, 4, 2)).sum().backward()
    n = linear(torch)
    n.register_full_backward_hook(lambda module, gi, go: (torch.ones(4, 2),))
    return [seen, m.weight.grad, message(lambda: n(normal(torch, 4, 2)).sum().backward()), m(torch.ones(1, 2).double())]


def script_full_backward_hooks_of_several_inputs_and_outputs(torch):
    class Pair(torch.nn.Module):
        def forward(self, x, n, y):
            return x * y, n, x + y

    m, seen = Pair(), []
    m.register_full_backward_hook(lambda module, gi, go: seen.append([
        [None if g is None else g.clone() for g in gi], [None if g is None else g.clone() for g in go]]))
    x, y = normal(torch, 3).requires_grad_(), normal(torch, 3, seed=1).requires_grad_()
    a, n, b = m(x, 5, y)
    a.sum().backward()
    c, _, d = m(x.detach(), 5, y)
    (c + d).sum().backward()
    with torch.no_grad():
        m(x, 5, y)
    return [n, seen, x.grad, y.grad]


def script_backward_hooks_of_the_old_kind(torch):
    m, seen = linear(torch), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        handle = m.register_backward_hook(lambda module, gi, go: seen.append(len(go)))
        m(normal(torch, 4, 2).requires_grad_()).sum().backward()
        handle.remove()
    return [seen, message(lambda: m.register_full_backward_hook(lambda *a: None)),
            message(lambda: (lambda n: (n.register_full_backward_hook(print), n.register_backward_hook(print)))(
                linear(torch)))]


def script_hooks_of_all_modules(torch):
    from importlib import import_module
    hooks = import_module(f"{torch.__name__}.nn.modules.module")
    seen = []
    x = normal(torch, 4, 2).requires_grad_()
    handles = [
        hooks.register_module_forward_pre_hook(lambda m, args: seen.append(("pre", type(m).__name__))),
        hooks.register_module_forward_hook(lambda m, args, out: seen.append(("behind", type(m).__name__))),
        hooks.register_module_full_backward_hook(lambda m, gi, go: seen.append(("back", type(m).__name__))),
        hooks.register_module_full_backward_pre_hook(lambda m, go: seen.append(("before", type(m).__name__))),
        hooks.register_module_parameter_registration_hook(lambda m, name, p: seen.append(("param", name))),
        hooks.register_module_buffer_registration_hook(lambda m, name, b: seen.append(("buffer", name))),
        hooks.register_module_module_registration_hook(lambda m, name, s: seen.append(("module", name))),
    ]
    net = torch.nn.Sequential(linear(torch), torch.nn.ReLU(), torch.nn.BatchNorm1d(3).double())
    net(x).sum().backward()
    for h in handles:
        h.remove()
    count = len(seen)
    net(x).sum().backward()
    return [seen, len(seen) == count]


def script_handles_are_contexts(torch):
    m, seen = linear(torch), []
    with m.register_forward_hook(lambda *a: seen.append(1)):
        m(torch.ones(1, 2).double())
    m(torch.ones(1, 2).double())
    return [seen, len(m._forward_hooks)]


def script_hooks_do_not_survive_their_removal_in_copies(torch):
    m, seen = linear(torch), []
    handle = m.register_forward_hook(lambda module, args, out: seen.append(module is m))
    twin = copy.deepcopy(m)
    twin(torch.ones(1, 2).double())
    handle.remove()
    m(torch.ones(1, 2).double())
    return seen


def script_handles_of_copied_modules(torch):
    calls = []

    class Held(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.handle = self.register_forward_pre_hook(note, with_kwargs=True)

        def forward(self, x):
            return x * 2

    def note(module, args, kwargs):
        calls.append(module)

    x = torch.ones(2, 4)
    original = Held()
    twin = copy.deepcopy(original)
    twin.handle.remove()
    twin(x)
    original(x)
    lazy = torch.nn.LazyLinear(3)
    copies = [copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))]
    shapes = [list(m(x).shape) for m in copies]
    left = list(twin._forward_pre_hooks_with_kwargs)
    return (len(calls), calls[0] is original, left, shapes, [repr(m) for m in copies], repr(lazy),
            [hasattr(m, "_load_hook") for m in (lazy, *copies)])


def script_global_hooks_come_and_go_between_calls(torch):
    layer, seen = torch.nn.Linear(2, 1), []
    x = torch.ones(1, 2, requires_grad=True)
    everywhere = torch.nn.modules.module
    for register, hook in (
            (everywhere.register_module_forward_pre_hook, lambda m, args: seen.append("before")),
            (everywhere.register_module_forward_hook, lambda m, args, out: seen.append("behind")),
            (everywhere.register_module_full_backward_hook, lambda m, gi, go: seen.append("back"))):
        layer(x).sum().backward()
        handle = register(hook)
        layer(x).sum().backward()
        handle.remove()
        layer(x).sum().backward()
    return seen
