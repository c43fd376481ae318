"""covector.debug_nans over tensors: where a NaN is made, forward and backward, in transforms and out."""

import warnings

import pytest

import covector
import covector.compat.torch as torch


def raised(fn):
    """The message of the FloatingPointError that `fn` raises under debug_nans, with no warning beside it."""
    with covector.debug_nans(), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FloatingPointError) as info:
            fn()
    return str(info.value)


def root(x):
    """Zero, and a NaN in its pullback."""
    return ((x - x).sqrt() * 0).sum()


X = torch.tensor([-2.0, 3.0, 1.0])


def leaf():
    return X.clone().requires_grad_()


LEAF = leaf()


@pytest.mark.parametrize("fn", [
    lambda: X.log(), lambda: leaf().log(), lambda: torch.log(X), lambda: torch.func.vmap(torch.log)(X),
    lambda: torch.func.grad(lambda v: v.log().sum())(X), lambda: torch.func.jvp(torch.log, (X,), (X,)),
    lambda: X.clone().log_(), lambda: torch.func.grad(lambda v: (v * 1).log_().sum())(X),
    lambda: torch.utils.checkpoint.checkpoint(torch.log, leaf(), use_reentrant=False),
], ids=range(9))
def test_a_forward_nan_names_operation_shape_operand_and_line(fn):
    message = raised(fn)
    assert "produced a NaN from" in message and "log" in message and "-2." in message and "f32[" in message
    assert "test_debug_nans.py" in message


@pytest.mark.parametrize("fn", [
    lambda: root(leaf()).backward(), lambda: torch.autograd.grad(root(LEAF * 2), LEAF),
    lambda: torch.func.grad(root)(X), lambda: torch.func.vmap(torch.func.grad(root))(torch.stack([X, X])),
    lambda: torch.func.jacrev(root)(X), lambda: torch.func.jacrev(torch.func.jacrev(root))(X),
    lambda: torch.autograd.functional.jacobian(root, X, vectorize=True),
    lambda: torch.utils.checkpoint.checkpoint(root, leaf(), use_reentrant=False).backward(),
    lambda: torch.utils.checkpoint.checkpoint(root, leaf(), use_reentrant=True).backward(),
    lambda: torch.func.vjp(root, X)[1](torch.tensor(1.0)),
], ids=range(10))  # `jacobian` row by row takes zeros for selected: they cut this NaN
def test_a_backward_nan_names_the_node_its_line_cotangent_and_what_was_saved(fn):
    message = raised(fn)
    assert "in the backward pass" in message
    assert "sqrt" in message.lower() and "test_debug_nans.py" in message
    assert "cotangent: f32[3]" in message and "[0. 0. 0.]" in message


def test_a_tangent_with_nan_is_found():
    zeros = torch.zeros(2)
    forward_ad = torch.autograd.forward_ad

    def dual():
        with forward_ad.dual_level():
            forward_ad.make_dual(zeros, zeros).sqrt()

    for fn in (lambda: torch.func.jvp(torch.sqrt, (zeros,), (zeros,)), dual,
               lambda: torch.func.vmap(lambda d: torch.func.jvp(torch.sqrt, (zeros,), (d,)))(zeros.expand(2, 2))):
        message = raised(fn)
        assert "sqrt produced a tangent with NaN from input" in message and "tangent f32[" in message


def test_second_derivatives_are_watched():
    x = torch.tensor([0.0, 1.0], requires_grad=True)

    def twice():
        (g,) = torch.autograd.grad((x ** 1.5).sum(), x, create_graph=True)
        return torch.autograd.grad((g * 0).sum(), x)

    assert "in the backward pass" in raised(twice)


def test_functions_of_the_user_are_named():
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * float("nan")

    class Wrong(Broken):
        @staticmethod
        def backward(ctx, g):
            return (g - g) / (g - g)

    assert "the pullback of BrokenBackward" in raised(lambda: Broken.apply(leaf()).sum().backward())
    assert "produced a NaN from" in raised(lambda: Wrong.apply(leaf()).sum().backward())


def test_what_is_right_stays_right_and_the_mode_ends():
    x = leaf()
    with covector.debug_nans():
        (x.sin() * x).sum().backward()
        torch.full((2,), float("nan")) * 2
        torch.where(X > 0, X, float("nan"))
        torch.tensor([float("nan")]).exp()
        with covector.debug_nans(False):
            assert X.log().isnan().any()
    assert torch.allclose(x.grad, X.cos() * X + X.sin())
    assert X.log().isnan().any()
    root(leaf()).backward()
