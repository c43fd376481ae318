"""Details of the engine, of Functions and of saved-tensor hooks that programs of PyTorch's users rely on."""

import functools
import gc
import io
import sys
import warnings
import weakref
from collections import OrderedDict

from harness import attempt, double, made_function, message


def edge_of(torch, t):
    return torch.autograd.graph.GradientEdge(t.grad_fn, t.output_nr)


def script_zeros_for_an_unused_input_can_be_differentiated_again(torch):
    x = torch.tensor(0.5, requires_grad=True)
    y = x * torch.tensor(3.0, requires_grad=True)
    first = torch.autograd.grad(y, x, create_graph=True)
    second = torch.autograd.grad(first, x, create_graph=True, allow_unused=True, materialize_grads=True)
    third = torch.autograd.grad(second, x, materialize_grads=True)
    plain = torch.autograd.grad(first, x, allow_unused=True, materialize_grads=True)
    return second[0].requires_grad, second[0].detach(), third, plain[0].requires_grad


def script_edges_and_what_was_not_used(torch):
    a, b = double(torch, 1.0, 2.0).requires_grad_(), double(torch, 3.0, 4.0).requires_grad_()
    x, y = a.exp(), b.exp()
    out = x * 2

    def grad(*inputs):
        return torch.autograd.grad(out.sum(), inputs, retain_graph=True, allow_unused=True, materialize_grads=True)

    return grad(edge_of(torch, x), y), message(lambda: grad(x, edge_of(torch, y)))


def script_backward_to_an_edge_of_an_operation_keeps_nothing(torch):
    a, b = double(torch, 1.0, 2.0).requires_grad_(), double(torch, 3.0, 4.0).requires_grad_()
    x, y = a.exp(), b.exp()
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    out = x * 2
    torch.autograd.backward(out.sum(), inputs=(edge_of(torch, x), y), retain_graph=True)
    before = x.grad, y.grad, a.grad
    torch.autograd.backward(out.sum(), inputs=[edge_of(torch, x), x], retain_graph=True)
    torch.autograd.backward(out.sum(), inputs=torch.autograd.graph.get_gradient_edge(a))
    return before, x.grad, a.grad, b.grad, seen


def script_dtype_of_the_cotangent_of_an_edge(torch):
    x = double(torch, 1.0, 2.0).requires_grad_()
    edge = torch.autograd.graph.get_gradient_edge(x.sin().sum())
    wrong = torch.tensor(1.0, dtype=torch.complex128)
    return message(lambda: torch.autograd.grad(edge, x, grad_outputs=wrong))


def script_batched_cotangents_of_a_wrong_shape(torch):
    x = torch.ones(2, 2, requires_grad=True)

    def grad(out, g):
        return attempt(lambda: torch.autograd.grad(out, (x,), (g,), is_grads_batched=True))

    found = grad(x.clone(), torch.ones(2, 2)), grad(x.sum(), torch.ones(2, 1)), grad(x.sum(), torch.arange(3.0))
    words = "`is_grads_batched=True`, we interpret the first"
    return [[f[1], words in f[2]] if f[:1] == ("raised",) else f for f in found]


def script_calling_a_node_takes_as_many_gradients_as_it_has_outputs(torch):
    y = torch.ones(1, requires_grad=True) ** 2
    g = torch.ones(1)
    return message(lambda: y.grad_fn(g, g)), message(lambda: y.grad_fn()), y.grad_fn(g).detach()


def script_gradients_of_outputs_that_carry_none(torch):
    seen = []

    def forward(ctx, x):
        a, b = x.clone(), x.clone()
        ctx.mark_non_differentiable(b)
        ctx._materialize_non_diff_grads = bool(x[0] > 1)
        return a, b

    f = made_function(torch, forward, lambda ctx, a, b: (seen.append(None if b is None else b.tolist()), a)[1])
    for start in (1.0, 2.0):
        f.apply(torch.tensor([start], requires_grad=True))[0].backward()
    return seen


def script_a_write_to_a_view_of_what_forward_made(torch):
    def forward(ctx, x):
        out = x.clone().view_as(x)
        ctx.mark_dirty(out)
        return out

    f = made_function(torch, forward, lambda ctx, g: g)
    return message(lambda: f.apply(torch.ones(1, requires_grad=True) * 2))


def script_saved_variables_is_an_old_name(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    f = made_function(torch, forward, lambda ctx, g: g * 2 * ctx.saved_variables[0])
    x = torch.tensor(3.0, requires_grad=True)
    f.apply(x).backward()
    return x.grad


def script_hooks_left_too_often_or_inside_of_a_sweep_change_hooks_alone(torch):
    hooks = torch.autograd.graph.saved_tensors_hooks

    def unpack(x):
        one.__exit__()
        return x

    one, two = hooks(lambda x: x, unpack), hooks(lambda x: x, lambda x: x)
    for _ in range(3):
        with two:
            one.__enter__()
            torch.ones(3, requires_grad=True).sin().sum().backward()
    for _ in range(3):
        one.__exit__()
    y = torch.tensor(1.0, requires_grad=True).exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)
    return torch.is_grad_enabled(), y.requires_grad


def script_hooks_entered_inside_of_a_sweep(torch):
    hooks = torch.autograd.graph.saved_tensors_hooks
    log = []

    def unpack(x):
        inner.__enter__()
        return x

    inner = hooks(lambda x: (log.append("pack"), x)[1], lambda x: x)
    with hooks(lambda x: x, unpack):
        x = torch.ones(3, requires_grad=True)
        x.sin().sum().backward()
    y = torch.tensor(1.0, requires_grad=True).exp()
    return torch.is_grad_enabled(), y.requires_grad, x.grad




def script_powers_of_zero_and_of_negative_numbers(torch):
    a = double(torch, 0.0, 0.0, 0.0, 2.0, 0.0).requires_grad_()
    b = double(torch, -1.0, 0.0, 1.0, 0.5, -0.5).requires_grad_()
    e = torch.tensor([0.3 + 0.2j, 0.5 - 0.1j], dtype=torch.complex128, requires_grad=True)
    zero = torch.zeros(3, dtype=torch.float64)
    powers = [a**b, 0**b, (-torch.ones(2, dtype=torch.float64)) ** e, (-1) ** e]
    slopes = [torch.autograd.grad(p.abs().sum(), x) for p, x in zip(powers, ((a, b), b, e, e))]
    return [p.detach() for p in powers], slopes, torch.func.jvp(
        lambda y: zero**y, (double(torch, -1.0, 2.0, 0.0),), (torch.ones(3, dtype=torch.float64),))


def script_the_neighbour_of_a_number(torch):
    a = torch.tensor([1.0, 2.0, 3.0, 0.0], requires_grad=True)
    b = torch.tensor([2.0, 2.0, 1.0, -1.0], requires_grad=True)
    y = torch.nextafter(a, b)
    return y.detach(), torch.autograd.grad(y.sum(), (a, b)), torch.func.jvp(
        lambda x: torch.nextafter(x, b.detach()), (a.detach(),), (torch.ones(4),))


def script_distinct_values_have_no_gradient_and_say_so(torch):
    found = []
    for f in (torch.unique, torch.unique_consecutive, lambda x: torch.unique(x, dim=0),
              lambda x: torch.unique(x, return_inverse=True)[0]):
        x = torch.tensor([1.0, 1.0, 2.0], requires_grad=True)
        y = f(x)
        found.append([y, attempt(lambda: (y.sum() + x.sum()).backward()), x.grad,
                      attempt(lambda: torch.func.grad(lambda x: f(x).sum())(x.detach()))])
        with torch.no_grad():
            found.append(f(x))
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(3))
            found.append(message(lambda: f(dual))[:70])
    return found


def script_gather_and_scatter_of_numbers(torch):
    t, z = torch.tensor, torch.zeros(3)
    x, n = double(torch, 1.0, 2.0).requires_grad_(), t(5.0, dtype=torch.float64, requires_grad=True)
    found = [x.gather(0, t(1)), n.gather(0, t([0, 0])), n.gather(0, t(0)), z.scatter(0, t(1), t(5.0)),
             t(1.0).scatter(0, t([0]), t([5.0])), t(1.0).scatter_add(0, t([0, 0]), t([5.0, 6.0])),
             t(1.0).scatter_add(0, t(0), t(5.0)), z.scatter(0, t(1), 2.0), t(1.0).scatter(0, t(0), 2.0)]
    sum(f.sum() for f in found[:3]).backward()
    return found, x.grad, n.grad, message(lambda: n.gather(0, t([0, 1])))


def script_lists_of_indices_are_tuples_where_they_hold_more_than_numbers(torch):
    x = torch.arange(12.0).view(3, 4)
    keys = [[[0, 1]], [[0, 1], [1, 2]], [torch.tensor([0, 1]), torch.tensor([1, 2])], [slice(None), 1], [None],
            [[0, 1], 1], [(0, 1), (1, 2)], [0, [1]], [0, 1]]
    found = [x[k] for k in keys]
    x[[[0, 1]]] = torch.arange(4.0) * 100
    x[[[0, 2], [1, 3]]] = -1.0
    return found, x


def script_what_index_arrays_take_lies_in_order(torch):
    x = torch.arange(48.0, requires_grad=True)
    y = x.view(4, 3, 4)
    found = [y[:, [1, 2]], y[..., [0, 2, 3]], y[:, [1, 2], [2, 1]], y[:, :, [[0, 1], [2, 3]]]]
    sum(f.view(-1)[1:].sum() for f in found).backward()
    return [f.detach().view(-1) for f in found], [f.is_contiguous() for f in found], x.grad


def script_why_a_view_must_not_be_written_to(torch):
    same = made_function(torch, lambda ctx, x: x.view_as(x), lambda ctx, g: g)
    moving = torch.rand(1, requires_grad=True)
    one, two = same.apply(torch.rand(1, 2)), torch.rand(1, 2).unbind()[0]
    found = [message(lambda: one.add_(moving)), message(lambda: one.copy_(moving)), message(lambda: two.copy_(moving))]
    for mode in (torch.no_grad, torch.inference_mode):
        x = torch.zeros(2)
        with mode():
            y = x.view(2)
        y.requires_grad_(True)
        z = y.view(2)
        found.append(message(lambda: z.div_(2)))
    return found


def script_functions_refuse_to_write_to_one_of_several_views(torch):
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    f = made_function(torch, forward, lambda ctx, g: g)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    part, whole = a.split_with_sizes([1, 1])[0], a.view_as(a)
    return message(lambda: f.apply(part)), message(lambda: f.apply(whole))


def script_tangents_of_views_are_views_of_the_tangent(torch):
    dual, found = torch.autograd.forward_ad, []

    def forward(ctx, x, kind):
        ctx.kind = kind
        return x[:2]

    def jvp(ctx, t, _):
        t = t[:2]
        return t if ctx.kind == "ok" else t.clone() if ctx.kind == "copy" else t.clone().view(2, 3)

    f = made_function(torch, forward, lambda ctx, g: (g, None), jvp=jvp)
    for kind in ("ok", "copy", "other"):
        for again in (False, True):
            with dual.dual_level():
                x = dual.make_dual(torch.ones(4, 3), torch.ones(4, 3) * 2)
                x = x.view_as(x) if again else x
                found.append(message(lambda: dual.unpack_dual(f.apply(x, kind)).tangent))
    return found


def script_tangents_of_outputs_that_carry_none(torch):
    dual = torch.autograd.forward_ad

    def forward(ctx, x, y):
        out = y.clone()
        ctx.mark_non_differentiable(out)
        return x.clone(), out

    good = made_function(torch, forward, lambda ctx, a, b: (a, b), jvp=lambda ctx, a, b: (a, None))
    bad = made_function(torch, forward, lambda ctx, a, b: (a, b), jvp=lambda ctx, a, b: (a, a.clone()))
    with dual.dual_level():
        x = dual.make_dual(torch.tensor(2.0), torch.tensor(1.0))
        y = torch.tensor(3.0)
        return [dual.unpack_dual(o).tangent for o in good.apply(x, y)], "return None at that position" in message(
            lambda: bad.apply(x, y))


def script_sweeps_inside_of_sweeps_go_deep(torch):
    modes = []

    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()

    def backward(ctx, g):
        if ctx.x < 0:
            modes.append(torch.is_grad_enabled())
            if ctx.x < -1:
                raise ValueError("at the end")
            return g
        with torch.enable_grad():
            again.apply(ctx.x).sum().backward()
        return g * 2

    again = made_function(torch, forward, backward)
    x, y = torch.tensor(150.0, requires_grad=True), torch.tensor(150.5, requires_grad=True)
    again.apply(x).sum().backward()
    again.apply(y).sum().backward()
    bad = torch.tensor(-5.0, requires_grad=True)
    return x.grad, y.grad, modes, message(lambda: again.apply(bad).sum().backward()), torch.is_grad_enabled()


def script_views_and_uses_of_inference_tensors(torch):
    found = []
    for moving in (False, True):
        with torch.inference_mode():
            c = torch.ones(2, 3, requires_grad=moving)
            v = c.view(-1)
            found.append([v.is_inference(), v.requires_grad, v._is_view()])
            for change in (lambda x: x.transpose_(0, 1), lambda x: x.resize_(1, 2), lambda x: x.unsqueeze_(0)):
                d = torch.ones(2, 3, requires_grad=moving)
                change(d)
                found.append([d.is_inference(), d.requires_grad, d])
            v[0], plain = 5.0, torch.ones(2, 3)
        for out in (c.view(-1), c[0], c.t(), c.detach()):
            found.append([out.is_inference(), out.requires_grad, out._is_view(), out.is_leaf, out.detach().clone()])
        s = torch.ones(2, 3, requires_grad=True)
        found += [message(lambda: c * s), message(lambda: s.clone().mul_(plain)),
                  message(lambda: s.clone().mul_(plain.detach())), message(lambda: s.clone().add_(plain)),
                  message(lambda: torch.mul(torch.ones(2, 3), 2.0, out=plain)), message(lambda: plain.t_())]
    return found


def script_memory_that_was_resized_before_grows(torch):
    x = torch.arange(4.0)
    x.resize_((1, 2))
    before = x._version
    x.resize_((6,))[4:].zero_()
    return x, before, x.resize_as_(torch.ones(6))._version


def script_what_may_be_deleted_and_set_on_tensors(torch):
    x = torch.tensor(1.0, requires_grad=True)
    found = [message(lambda name=name: delattr(x, name)) for name in (
        "data", "requires_grad", "_grad_fn", "_backward_hooks")]
    x.data = torch.tensor(2.0)
    found += [message(lambda: setattr(x, "data", torch.tensor(3))), message(lambda: setattr(x, "data", None))]
    seen = []
    plain, y = torch.ones(2), x * 2
    for t in (x, plain, y):
        t._backward_hooks = OrderedDict(mine=lambda g: seen.append(g.tolist()))
    (y * plain.sum()).backward()
    y = x * 2
    y._grad_fn = None
    return found, x, x.grad, seen, y.requires_grad, plain._backward_hooks is not None


def script_saved_tensors_are_made_by_nodes_alone(torch):
    def same(x):
        return x

    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        return x * 2

    f = made_function(torch, forward, lambda ctx, g: g * 2)
    x = torch.ones(5, requires_grad=True)
    y, z = f.apply(x), x * x
    first, second = y.grad_fn._raw_saved_tensors
    third = z.grad_fn._raw_saved_self
    words = "incompatible function arguments"
    found = [message(torch.autograd.SavedTensor), message(lambda: second.register_hooks(same, same))]
    for saved in (first, third):
        found += [isinstance(saved, torch.autograd.SavedTensor), words in message(lambda: saved.register_hooks(same)),
                  words in message(lambda: saved.register_hooks(1, 1))]
        found += [message(lambda: saved.register_hooks(same, same)) for _ in range(2)]
    z.sum().backward()
    return found, message(lambda: third.register_hooks(same, same)), x.grad


def script_where_warnings_are_errors_anomaly_mode_prints(torch):
    err, sys.stderr = sys.stderr, io.StringIO()
    try:
        def sweep():
            with torch.autograd.detect_anomaly():
                warnings.simplefilter("error")
                a = torch.ones(5, requires_grad=True)
                b = a + 1
                c = b**2
                b += 1
                torch.autograd.grad(c.sum(), a)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind = attempt(sweep)[1]
        return kind, "Error detected in PowBackward0" in sys.stderr.getvalue()
    finally:
        sys.stderr = err


def script_warnings_that_are_given_always(torch):
    found = [torch.is_warn_always_enabled(), message(lambda: torch.set_warn_always(1))]
    torch.set_warn_always(True)
    try:
        for _ in range(2):
            x = torch.ones(2, requires_grad=True)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                (x * x).sum().backward(create_graph=True)
            found += [torch.is_warn_always_enabled(), len(caught), [str(w.message)[:40] for w in caught]]
    finally:
        torch.set_warn_always(False)
    return found


def script_types_of_tensors_by_their_old_names(torch):
    kinds = [torch.DoubleTensor, torch.FloatTensor, torch.LongTensor, torch.BoolTensor]
    tensors = [torch.ones(2), torch.ones(2).double(), torch.ones(2).long(), torch.ones(2) > 0, 3]
    return [[isinstance(t, kind) for t in tensors] for kind in kinds], [
        (kind([1, 0]), kind().dtype == kind.dtype, torch.ones(2).type(kind), tensors[0].type(kind.dtype).type())
        for kind in kinds]


def script_numpy_without_recording(torch):
    x = torch.ones(2, requires_grad=True)
    found = [message(x.numpy)]
    with torch.no_grad():
        array = x.numpy()
        array[0] = 5.0
    return found, x, message(x.numpy)


def script_the_first_recorded_gradient_is_a_copy(torch):
    x = torch.ones(2, requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    (copied, _), (source, _) = x.grad.grad_fn.next_functions
    return type(x.grad.grad_fn).__name__, copied, type(source).__name__


def script_what_a_checkpoint_stopped_early_computed_is_freed(torch):
    refs = []

    def forward(ctx, x):
        y = x.clone()
        ctx.save_for_backward(y)
        refs.append(weakref.ref(y))
        return y

    f = made_function(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    x = torch.ones(3, requires_grad=True)
    gc.disable()
    try:
        torch.utils.checkpoint.checkpoint(lambda x: f.apply(x), x, use_reentrant=False).sum().backward()
        return x.grad, [r() is None for r in refs]
    finally:
        gc.enable()


def script_policies_may_name_views(torch):
    def fn(x, y):
        return x.view(-1), y.sin().cos()

    y = torch.ones(3, requires_grad=True)
    contexts = functools.partial(torch.utils.checkpoint.create_selective_checkpoint_contexts,
                                 [torch.ops.aten.view.default, torch.ops.aten.var_mean.correction])
    out = torch.utils.checkpoint.checkpoint(fn, torch.tensor([1, 2, 3]), y, use_reentrant=False, context_fn=contexts)
    out[1].sum().backward()
    return y.grad


def script_contexts_that_are_left_in_another_order(torch):
    found, log = [], []
    x = torch.ones(2, requires_grad=True)

    def hooks():
        return torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t)

    def note():
        found.append([torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch.is_anomaly_enabled(),
                      (x * x).requires_grad, len(log)])

    def leave(context):
        context.__exit__(None, None, None)
        note()

    pairs = [(torch.no_grad, hooks), (hooks, torch.no_grad), (torch.no_grad, torch.enable_grad),
             (torch.no_grad, torch.autograd.detect_anomaly), (torch.autograd.detect_anomaly, torch.no_grad),
             (torch.inference_mode, hooks), (hooks, torch.inference_mode)]
    for first, second in pairs:
        one, two = first(), second()
        one.__enter__()
        two.__enter__()
        note()
        leave(one)
        leave(two)
        torch.set_grad_enabled(True)
    return found


def script_counting_norms_keep_a_history(torch):
    x = torch.tensor([[3.0, 0.0], [1.0, -2.0]], requires_grad=True)
    found = [torch.norm(x, 0), torch.linalg.vector_norm(x, 0, dim=1), torch.cdist(x, x.detach(), p=0.0)]
    sum(f.sum() for f in found).backward()
    return [[f.detach(), f.requires_grad] for f in found]


def script_rrelu_in_place(torch):
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    y = x * 1
    z = torch.nn.functional.rrelu_(y, 0.25, 0.25, True)
    z.sum().backward()
    return z is y, z.detach(), x.grad, torch.rrelu_(torch.tensor([-2.0, 1.0]))


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


def script_strides_beyond_a_view(torch):
    base = torch.arange(12.0)
    part, alone = base[3:7], base[3:7].detach()
    wide, other = part.as_strided((5,), (2,), 0), alone.as_strided((2, 3), (1, 2), 1)
    wide[0], other[1, 1] = 100.0, -5.0
    x = torch.arange(6.0, requires_grad=True)
    y = (x * 1)[2:]
    z = y.as_strided((3,), (2,), 1)
    z.mul_(2.0)
    with torch.inference_mode():
        quiet = torch.ones(4)[1:].as_strided((2,), (2,), 0)
    return [base, part, alone, wide, other, y.detach(), z.detach(), quiet.is_inference()], message(
        lambda: alone.as_strided((20,), (1,), 0))
