"""backward and grad: gradients that add up, inputs and edges, orders, layouts, sweeps inside of sweeps."""

import collections
import warnings

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, double, made_function, message


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


def script_recorded_gradients_may_be_written_to(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(2.0, requires_grad=True)
    (g,) = torch.autograd.grad((x * x).sum() * w, x, create_graph=True)
    g[:1].mul_(3)
    return g, torch.autograd.grad(g.sum(), [x, w])


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


def script_the_first_recorded_gradient_is_a_copy(torch):
    x = torch.ones(2, requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    (copied, _), (source, _) = x.grad.grad_fn.next_functions
    return type(x.grad.grad_fn).__name__, copied, type(source).__name__


def noted(fn):
    """What a call gives, and the first words of what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = attempt(fn)
    return answer, [f"{w.category.__name__}: {str(w.message)[:60]}" for w in caught]


def pair(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def script_vectors_may_be_none_for_scalars(torch):
    x, w = pair(torch), torch.ones(2)
    y, z = x * 2, (x * x).sum()
    torch.autograd.backward([y, z], [torch.tensor([1.0, 10.0]), None])
    return (x.grad, attempt(lambda: torch.autograd.backward([w, z * 1], [None, None])),
            attempt(lambda: torch.autograd.backward([x * 2])),
            attempt(lambda: torch.autograd.backward([x * 2], [None])),
            attempt(lambda: torch.autograd.grad([x * 2, w], [x], [torch.ones(2), None])))


def script_inputs_of_backward_that_are_results_none_or_one(torch):
    x = pair(torch)
    y = x * 2
    first = attempt(lambda: (y * y).sum().backward(inputs=[y]))
    none = attempt(lambda: (x * 2).sum().backward(inputs=[]))
    (x * 2).sum().backward(inputs=x)
    return first, none, x.grad, noted(lambda: torch.autograd.grad((x * 3).sum(), [x], only_inputs=False))


def script_gradient_is_recorded_with_create_graph_alone(torch):
    x, g = pair(torch), torch.tensor([1.0, 1.0], requires_grad=True)
    (x * x).backward(g)
    plain, x.grad = x.grad, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x).backward(g, create_graph=True)
    return plain, x.grad, attempt(lambda: (x * 2).sum().backward(torch.ones(2))), attempt(
        lambda: (x * 2).backward(torch.ones(2, dtype=torch.float64)))


def script_four_rules_of_layouts(torch):
    out = []
    for p in (torch.ones(3, 2).t(), torch.ones(6).as_strided((2, 2), (3, 1)), torch.ones(1).expand(3),
              torch.ones(2, 3, 4).permute(2, 0, 1)):
        p = p.requires_grad_()
        (p * 2).sum().backward()
        first = p.grad
        (p * 2).sum().backward()
        out += [first.stride(), p.grad is first]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (p * p).sum().backward(create_graph=True)
        out += [p.grad is first, p.grad.stride()]
    return out


def script_manual_layout(torch):
    q = torch.ones(2, 3, requires_grad=True)
    q.grad = torch.zeros(3, 2).t()
    first = q.grad
    with warnings.catch_warnings():  # PyTorch says once a process that the layout is not the parameter's
        warnings.simplefilter("ignore")
        (q * 2).sum().backward()
        out = [q.grad is first, q.grad.stride()]
        (q * q).sum().backward(create_graph=True)
    return [*out, q.grad is first, q.grad.stride(), q.grad]


def script_floating_and_complex_types_alone(torch):
    kinds = (torch.half, torch.float, torch.double, torch.bfloat16, torch.cfloat, torch.cdouble)
    return [torch.ones(2, dtype=k, requires_grad=True).requires_grad for k in kinds], attempt(
        lambda: torch.tensor([1], requires_grad=True)), attempt(
        lambda: torch.ones(2, dtype=torch.int64).requires_grad_())


def script_variable(torch):
    kind, t = torch.autograd.Variable, torch.ones(2)
    v, w, u = kind(t), kind(t, requires_grad=True), kind(torch.ones(2, requires_grad=True) * 2)
    return (type(v).__name__, v is t, v.data_ptr() == t.data_ptr(), w.requires_grad, t.requires_grad, u.requires_grad,
            isinstance(t, kind), w.data.requires_grad, noted(lambda: kind(t, volatile=True).requires_grad),
            attempt(lambda: kind(3)))


def script_gradients_in_a_dtype_of_their_own(torch):
    x = torch.ones(2, dtype=torch.float16, requires_grad=True)
    x.grad_dtype = torch.float32
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    y = torch.ones(2, requires_grad=True)
    y.grad_dtype = None
    y.grad = torch.ones(2, dtype=torch.float64)
    return x.grad, str(x.grad_dtype), y.grad, attempt(lambda: (y * 1).grad_dtype)


def script_dtypes_of_gradients_that_are_refused(torch):
    x = torch.ones(2, dtype=torch.float32, requires_grad=True)
    x.grad_dtype = torch.float16
    out = [message(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float32))),
           message(lambda: setattr(torch.ones(2), "grad", torch.ones(2, dtype=torch.int64))),
           message(lambda: setattr(x, "grad_dtype", 3))]
    x.grad = torch.ones(2, dtype=torch.float16)
    out.append(message(lambda: setattr(x, "grad_dtype", torch.float32)))
    x.grad_dtype = None
    x.grad = torch.ones(2, dtype=torch.float64)
    (x * 3).sum().backward()
    return out, x.grad, x.grad_dtype


def script_a_function_keeps_the_dtype_that_a_leaf_takes(torch):
    def backward(ctx, grad):
        return grad.double() / 3

    fun = made_function(torch, lambda ctx, x: x * 2, backward)
    out = []
    for wanted in ("default", None, torch.float16, torch.float64):
        x = torch.ones(2, dtype=torch.float32, requires_grad=True)
        if wanted != "default":
            x.grad_dtype = wanted
        fun.apply(x).sum().backward()
        out.append(x.grad)
    return out


def script_wrong_arguments_of_autograd(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, n = x * 2, torch.tensor([1.0, 2.0])
    autograd = torch.autograd

    def assigned():
        torch.tensor([1]).requires_grad = True

    def hooked(t):
        t.register_post_accumulate_grad_hook(lambda p: 1)
        (t * 2).sum().backward()

    def marked():
        class Marked(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_non_differentiable(1)
                return x * 1

        Marked.apply(x)

    return [attempt(fn)[:2] if fn is marked else attempt(fn) for fn in (
        assigned, marked, lambda: autograd.grad(y.sum(), []), lambda: autograd.grad(y.sum(), n),
        lambda: autograd.grad(y.sum(), x.detach().requires_grad_()), lambda: autograd.backward(y.sum(), inputs=n),
        lambda: autograd.backward(y.sum(), inputs=[1.0]), lambda: hooked(x.detach().requires_grad_()),
        lambda: torch.set_grad_enabled("no"), lambda: autograd.set_detect_anomaly(True, check_nan=1),
        lambda: autograd.forward_ad.exit_dual_level())]


def script_inputs_by_name(torch):
    x, z = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(1.0, requires_grad=True)
    y = (x * x).sum() * 2
    found = torch.autograd.grad(y, {"x": x, "z": z}, allow_unused=True, retain_graph=True)
    y.backward(inputs={"x": x}, retain_graph=True)
    torch.autograd.backward(y, inputs={"x": x}, retain_graph=True)
    return found, x.grad, z.grad, [attempt(fn) for fn in (
        lambda: torch.autograd.grad(y, {}), lambda: y.backward(inputs={}),
        lambda: torch.autograd.grad(y, collections.OrderedDict(x=x)),
        lambda: y.backward(inputs=collections.OrderedDict(x=x)))]


def script_data_of_another_shape(torch):
    def through(old, new, f):
        x = torch.ones(old, requires_grad=True)
        f(x).sum().backward()
        x.data = torch.ones(new)
        f(x).sum().backward()

    return [attempt(lambda: through(old, new, f))[:2] for old, new in (((3, 4), (2, 2)), ((2,), (3,)))
            for f in (lambda x: x * x, torch.exp)]


def test_a_gradient_of_the_shape_before_is_not_repeated():
    x = compat.ones(3, 1, requires_grad=True)
    y = x * x
    x.data = compat.ones(3, 4)
    with pytest.raises(RuntimeError, match=r"gradient of shape \[3, 1\] for a tensor whose data is of shape \[3, 4\]"):
        y.sum().backward()
    x = compat.ones(3, requires_grad=True)
    x.exp().sum().backward()
    x.data = compat.ones(2)
    with pytest.raises(RuntimeError, match="set its .grad to None first"):
        x.exp().sum().backward()
    x.grad = None
    x.exp().sum().backward()
    assert x.grad.shape == (2,)


SELECTIONS = {
    "where": lambda y, p: compat.where(p > 0, y, compat.zeros_like(y)),
    "an index": lambda y, p: y[1:],
    "a mask": lambda y, p: y[p > 0],
    "masked_fill": lambda y, p: y.masked_fill(p == 0, 0.0),
    "overwriting": lambda y, p: compat.cat([y.clone().index_fill_(0, compat.tensor([0]), 0.0)]),
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_what_a_selection_leaves_out_contributes_nothing(name):
    """Where PyTorch gives NaN: 0 times infinity, in products as in logarithms, and of the gradient's gradient."""
    for _ in range(3):  # the second derivative runs as a program from the third time on
        p = compat.tensor([0.0, 0.3, 0.7], dtype=compat.float64, requires_grad=True)
        (g,) = compat.autograd.grad(SELECTIONS[name](p * compat.log(p), p).sum(), p, create_graph=True)
        np.testing.assert_allclose(g.detach().numpy(), [0.0, np.log(0.3) + 1, np.log(0.7) + 1])
        g.sum().backward()
        np.testing.assert_allclose(p.grad.numpy(), [0.0, 1 / 0.3, 1 / 0.7])
        p.grad = None
        SELECTIONS[name](p * compat.log(p), p).sum().backward()
        np.testing.assert_allclose(p.grad.numpy(), [0.0, np.log(0.3) + 1, np.log(0.7) + 1])
