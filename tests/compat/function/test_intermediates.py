"""torch.autograd.Function: second derivatives through what forward computed for itself and left on the ctx."""

import gc
import weakref

import pytest

import covector.compat.torch as torch
from harness import made_function

PLACES = {
    "saved": (lambda ctx, e: ctx.save_for_backward(e), lambda ctx: ctx.saved_tensors[0]),
    "an attribute": (lambda ctx, e: setattr(ctx, "e", e), lambda ctx: ctx.e),
    "a name of nodes": (lambda ctx, e: setattr(ctx, "saved", e), lambda ctx: ctx.saved),
    "a list": (lambda ctx, e: setattr(ctx, "parts", [1, {"e": e}]), lambda ctx: ctx.parts[1]["e"]),
}


def wave(put, get):
    """`sin(exp(x) y)`, whose backward reads `exp(x)` where forward left it."""

    def forward(ctx, x, y):
        e = x.exp()
        put(ctx, e)
        ctx.y = y
        return torch.sin(e * y)

    def backward(ctx, g):
        e, y = get(ctx), ctx.y
        c = g * torch.cos(e * y)
        return c * e * y, c * e

    return made_function(torch, forward, backward)


def derivatives(fun, *at):
    """First to third derivatives of the sum of squares, then of that, and so on."""
    leaves = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in at]
    found, value = [], fun(*leaves)
    for _ in range(3):
        found.append(torch.autograd.grad((value * value).sum(), leaves, create_graph=True, materialize_grads=True))
        value = sum(found[-1])
    return [g.tolist() for grads in found for g in grads]


@pytest.mark.parametrize("place", PLACES)
def test_an_intermediate_has_its_derivative_wherever_forward_left_it(place):
    kind = wave(*PLACES[place])
    at = [0.3, -1.2], [1.5, 0.4]
    want = derivatives(lambda x, y: torch.sin(torch.exp(x) * y), *at)
    for found, wanted in zip(derivatives(kind.apply, *at), want):
        assert found == pytest.approx(wanted, rel=1e-12)
    assert derivatives(lambda x, y: kind.apply(x * x, x + y), *at)[2] == pytest.approx(
        derivatives(lambda x, y: torch.sin(torch.exp(x * x) * (x + y)), *at)[2], rel=1e-12)


def test_an_intermediate_of_setup_context_has_its_derivative_in_func_transforms():
    class Kind(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.exp() * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], inputs[0].exp())

        @staticmethod
        def backward(ctx, g):
            x, e = ctx.saved_tensors
            return g * (e * x + e)

    func, x = torch.func, torch.tensor([0.5, -1.2], dtype=torch.float64)
    want = (x.exp() * (x + 2)).tolist()
    assert func.vmap(func.grad(func.grad(Kind.apply)))(x).tolist() == pytest.approx(want)
    assert func.jacrev(func.jacrev(lambda v: Kind.apply(v).sum()))(x).diag().tolist() == pytest.approx(want)
    leaf = x.clone().requires_grad_()
    within = func.grad(lambda v: Kind.apply(v).sum())(leaf)
    assert torch.autograd.grad(within.sum(), leaf)[0].tolist() == pytest.approx(want)
    mapped, = torch.autograd.grad(func.vmap(Kind.apply)(leaf).sum(), leaf, create_graph=True)
    assert torch.autograd.grad(mapped.sum(), leaf)[0].tolist() == pytest.approx(want)
    assert torch.autograd.functional.hessian(lambda v: Kind.apply(v).sum(), x, vectorize=True).diag().tolist() == (
        pytest.approx(want))


@pytest.mark.parametrize("factor", [
    lambda x: (x > 0).to(x.dtype), lambda x: torch.rand(x.shape, dtype=x.dtype), lambda x: x.detach().round(),
    lambda x: torch.full_like(x, 3.0)])
def test_an_intermediate_that_depends_on_no_input_is_a_constant(factor):
    held = []

    def forward(ctx, x):
        ctx.factor = factor(x)
        held.append(ctx.factor)
        ctx.save_for_backward(x)
        return x * x * ctx.factor

    kind = made_function(torch, forward, lambda ctx, g: 2 * ctx.saved_tensors[0] * ctx.factor * g)
    x = torch.tensor([0.7, -1.2], dtype=torch.float64, requires_grad=True)
    g, = torch.autograd.grad(kind.apply(x).sum(), x, create_graph=True)
    before = torch.random.get_rng_state()
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == (2 * held[0]).tolist()
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_mask_of_a_function_that_writes_to_its_input_is_a_constant():
    def forward(ctx, x):
        ctx.mask = (x > 0).to(x.dtype) * 2
        ctx.mark_dirty(x)
        return x.mul_(ctx.mask)

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.mask)
    x = torch.tensor([0.7, -1.2], dtype=torch.float64, requires_grad=True)
    g, = torch.autograd.grad((kind.apply(x * x * x) ** 2).sum(), x, create_graph=True)
    assert torch.autograd.grad(g.sum(), x)[0].tolist() == pytest.approx([4 * 30 * 0.7**4, 0.0])


def doubled_after_exp(ctx, x):
    ctx.e = x.exp()
    ctx.mark_dirty(x)
    return x.mul_(ctx.e)


def noisy(ctx, x):
    ctx.e = x * torch.rand(x.shape, dtype=x.dtype)
    return x * ctx.e


def by_numpy(ctx, x):
    ctx.e = torch.from_numpy(x.numpy() * 2)
    return x * x


@pytest.mark.parametrize("forward, why", [
    (doubled_after_exp, "an input was written to in place"), (noisy, "it gave another value"),
    (by_numpy, "Can't call numpy")])
def test_a_second_derivative_through_what_forward_cannot_give_again_is_refused(forward, why):
    kind = made_function(torch, forward, lambda ctx, g: g * ctx.e)
    x = torch.tensor([0.7, -1.2], dtype=torch.float64, requires_grad=True)
    g, = torch.autograd.grad(kind.apply(x * 1).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=rf"MadeBackward: .* ctx\.e, .*{why}.*save inputs .*once_differentiable"):
        torch.autograd.grad(g.sum(), x)


def test_a_once_differentiable_backward_may_hand_intermediates_to_numpy():
    def forward(ctx, x):
        ctx.e = x.exp()
        return ctx.e * 1

    backward = torch.autograd.function.once_differentiable(lambda ctx, g: torch.from_numpy(g.numpy() * ctx.e.numpy()))
    kind = made_function(torch, forward, backward)
    x = torch.tensor([0.7], requires_grad=True)
    assert torch.autograd.grad(kind.apply(x).sum(), x, create_graph=True)[0].tolist() == x.exp().tolist()


def test_forward_runs_again_for_a_second_derivative_alone():
    runs = []

    def forward(ctx, x):
        runs.append(x.requires_grad)
        ctx.e = x.exp()
        return ctx.e * 2

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.e * 2)
    x = torch.tensor([0.7, 0.1], requires_grad=True)
    y = kind.apply(x)
    y.sum().backward(retain_graph=True)
    g, = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert len(runs) == 1
    torch.autograd.grad(g.sum(), x)
    assert len(runs) == 2


def test_inputs_kept_for_a_second_derivative_are_freed_with_the_graph():
    def forward(ctx, x):
        ctx.e = x.exp()
        return ctx.e * 2

    kind = made_function(torch, forward, lambda ctx, g: g * ctx.e * 2)
    leaf = torch.tensor([0.7, 0.1], requires_grad=True)
    x = leaf * 3
    y, gone = kind.apply(x), weakref.ref(x)
    del x
    gc.disable()
    try:
        y.sum().backward()
        assert gone() is None
    finally:
        gc.enable()
