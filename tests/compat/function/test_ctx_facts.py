"""What a ctx tells of what it was handed, and hooks that copies and pickles of a tensor go without."""

import copy
import io
import pickle

from harness import attempt, double, made_function


def script_facts_of_a_ctx(torch):
    out = []

    class Told(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, hand):
            def facts():
                found = (ctx.dirty_tensors, ctx.non_differentiable, ctx.saved_for_forward, ctx.to_save)
                return [None if v is None else len(v) for v in found]

            out.append(facts())
            y, z = x * 2, x * 3
            if hand:
                ctx.mark_non_differentiable(z)
                ctx.save_for_forward(x)
                ctx.save_for_backward(x, y)
            else:
                ctx.to_save = (x,)
                ctx.non_differentiable = (z,)
            out.append(facts())
            return y, z

        @staticmethod
        def backward(ctx, g, _):
            out.append(len(ctx.saved_tensors))
            return g * 2, None

    x = double(torch, 1.0, 2.0).requires_grad_()
    for hand in (False, True):
        y, z = Told.apply(x, hand)
        out.append((y.requires_grad, z.requires_grad))
        y.sum().backward()
    return out, x.grad


def script_hooks_are_not_copied(torch):
    x, y = double(torch, 1.0).requires_grad_(), double(torch, 2.0).requires_grad_()
    x.register_hook(print)
    y.register_hook(torch.utils.hooks.unserializable_hook(lambda g: g))
    for t in (x, y):
        pickle.dumps(t)
        torch.save(t, io.BytesIO())
        copy.copy(t)
        copy.deepcopy(t)
    return [bool(copy.deepcopy(t)._backward_hooks) for t in (x, y)]


def script_states_of_devices(torch):
    names = torch.utils.checkpoint
    names.DefaultDeviceType.set_device_type("cpu")
    return names.get_device_states(torch.ones(2), 3), names.set_device_states([], []), (
        names.DefaultDeviceType.get_device_type())


def script_shared_storage_is_known_in_any_case(torch):
    def forward(ctx, x):
        ctx.mark_shared_storage((x, x))
        return x * 2

    double_it = made_function(torch, forward, lambda ctx, g: g * 2)
    return double_it.apply(torch.ones(2, dtype=torch.float64, requires_grad=True))


def script_what_is_marked_as_written_counts_where_it_is_recorded(torch):
    def forward(ctx, x, part):
        y = x.clone()
        y = y[:1] if part else y
        ctx.mark_dirty(y)
        return y

    marks = made_function(torch, forward, lambda ctx, g: (g * 2, None))
    x = double(torch, 1.0, 2.0)
    leaf = x.clone().requires_grad_()
    with torch.no_grad():
        quiet = [marks.apply(leaf, part) for part in (False, True)]
    return [*quiet, marks.apply(x, False), marks.apply(x, True), attempt(lambda: marks.apply(leaf, True))]


def script_edges_are_known_in_forward(torch):
    seen = []

    def look(ctx):
        seen.append([(None if node is None else node.name(), nr) for node, nr in ctx.next_functions])

    def forward(ctx, x, y, k):
        look(ctx)
        return x * y * k

    def backward(ctx, g):
        look(ctx)
        return g, g, None

    fun = made_function(torch, forward, backward)
    x = double(torch, 1.0, 2.0).requires_grad_()
    for y in (x * 2, double(torch, 1.0, 2.0), x.unbind()[1]):
        fun.apply(x, y, 2).sum().backward()
    with torch.no_grad():
        fun.apply(x, x, 1)
    return seen
