"""Operations that users define by torch.library: values, derivatives, batches, shapes, refusals."""

import numpy as np
import pytest

import covector.compat.torch as compat
from covector.compat.torch.func import grad, vmap
from harness import attempt, normal


def cubes(torch, name, **more):
    """An operation by NumPy: what is computed inside has no history of its own."""

    @torch.library.custom_op(f"covector_tests::{name}", mutates_args=())
    def cube(x: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
        return torch.from_numpy(np.asarray(scale * x.detach().numpy() ** 3))

    def setup_context(ctx, inputs, output):
        ctx.x, ctx.scale = inputs

    cube.register_autograd(lambda ctx, g: (3 * ctx.scale * ctx.x**2 * g, None), setup_context=setup_context)
    return cube


def script_values_and_derivatives_of_a_custom_operation(torch):
    cube = cubes(torch, "cube")
    x = normal(torch, 3).requires_grad_()
    y = cube(x, 2.0)
    first, = torch.autograd.grad(y.sum(), x, create_graph=True)
    second, = torch.autograd.grad(first.sum(), x)
    plain = torch.ops.covector_tests.cube(x.detach())
    return [y, first, second, plain, y.requires_grad, plain.requires_grad, cube(x, scale=3.0),
            torch.ops.covector_tests.cube.default(x.detach(), 2.0)]


def script_lists_of_tensors_and_several_outputs(torch):
    @torch.library.custom_op("covector_tests::mixed", mutates_args=())
    def mixed(xs: list[torch.Tensor], y: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
        return xs[0] * xs[1] * y, y * k

    def setup_context(ctx, inputs, output):
        xs, y, ctx.k = inputs
        ctx.save_for_backward(*xs, y)
        ctx.sizes = [o.shape for o in output]

    def backward(ctx, g, h):
        a, b, y = ctx.saved_tensors
        return [g * b * y, g * a * y], g * a * b + h * ctx.k, None

    torch.library.register_autograd("covector_tests::mixed", backward, setup_context=setup_context)
    a, b, y = (normal(torch, 2, seed=i).requires_grad_() for i in range(3))
    p, q = mixed([a, b], y, 4)
    return [p, q, *torch.autograd.grad((p * q).sum(), (a, b, y)),
            *torch.autograd.grad(mixed([a, b.detach()], y.detach(), 4)[0].sum(), a)]


def script_custom_operations_without_a_derivative(torch):
    @torch.library.custom_op("covector_tests::sine", mutates_args=())
    def sine(x: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.sin(x.detach().numpy()))

    @torch.library.custom_op("covector_tests::fill", mutates_args={"x"})
    def fill(x: torch.Tensor, value: float) -> None:
        x.fill_(value)

    x = torch.zeros(2, requires_grad=True)
    y, plain = sine(x), torch.zeros(2)
    version = plain._version
    fill(plain, 3.0)
    return [y, y.requires_grad, attempt(lambda: y.sum().backward())[1], plain, plain._version > version,
            attempt(lambda: fill.register_autograd(lambda ctx, g: g))[1], attempt(lambda: sine(x, 1, 2))[0]]


def script_shapes_and_batches_of_custom_operations(torch):
    cube = cubes(torch, "batched")
    cube.register_fake(lambda x, scale=1.0: torch.empty_like(x))

    @cube.register_vmap
    def batched(info, in_dims, x, scale):
        return cube(x, scale), in_dims[0]

    x = normal(torch, 2, 3)
    lost = cube(torch.empty(4, device="meta"))
    return [torch.func.vmap(lambda x: cube(x, 2.0), in_dims=1)(x), lost.shape, lost.device.type]


def test_derivatives_at_levels_and_batches_without_a_rule():
    cube = compat.library.custom_op("covector_tests::plain", lambda x: x * x * x, mutates_args=())
    cube.register_autograd(lambda ctx, g: 3 * ctx.x**2 * g,
                           setup_context=lambda ctx, inputs, output: setattr(ctx, "x", inputs[0]))
    x = compat.tensor([1.0, 2.0])
    slope = vmap(grad(lambda x: compat.ops.covector_tests.plain(x).sum()))
    np.testing.assert_array_equal(slope(x).numpy(), [3.0, 12.0])
    np.testing.assert_array_equal(vmap(grad(grad(cube)))(x).numpy(), [6.0, 12.0])


def test_what_a_custom_operation_may_not_do():
    @compat.library.custom_op("covector_tests::same", mutates_args=())
    def same(x):
        return x

    @compat.library.custom_op("covector_tests::write", mutates_args="unknown")
    def write(x):
        x.add_(1)

    elsewhere = compat.library.custom_op("covector_tests::elsewhere", lambda x: x, mutates_args=(), device_types="cuda")
    x = compat.ones(2)
    with pytest.raises(RuntimeError, match="covector_tests::same returned one of its inputs; .* return a clone"):
        same(x)
    with pytest.raises(RuntimeError, match="covector_tests::write writes to its argument x, which requires grad"):
        write(x.requires_grad_())
    with pytest.raises(NotImplementedError, match="covector_tests::elsewhere has no implementation on the CPU"):
        elsewhere(x)
    elsewhere.register_kernel("cpu")(lambda x: 2 * x)
    assert elsewhere(x.detach()).tolist() == [2.0, 2.0]
    short = compat.library.custom_op("covector_tests::short", lambda x, y: x * y, mutates_args=())
    short.register_autograd(lambda ctx, g: g)
    with pytest.raises(RuntimeError, match="covector_tests::short: backward returned 1 gradients, but .* 2 arguments"):
        short(x, x).sum().backward()
    with pytest.raises(ValueError, match="mutates_args names z, which the function does not take"):
        compat.library.custom_op("covector_tests::odd", lambda x: x, mutates_args=("z",))
    with pytest.raises(ValueError, match="of the form 'namespace::name', but got 'odd'"):
        compat.library.custom_op("odd", lambda x: x, mutates_args=())
    with pytest.raises(RuntimeError, match="covector_tests::none is not an operation that was defined by"):
        compat.library.register_vmap("covector_tests::none", lambda x: x)
    with pytest.raises(AttributeError, match="'torch.ops.covector_tests' has no operation 'none'"):
        compat.ops.covector_tests.none


def test_shapes_that_are_registered_before_their_operation():
    @compat.library.register_fake("covector_tests::later")
    def shapes(x):
        return x.new_empty((*x.shape, 2))

    with pytest.raises(AttributeError, match="'torch.ops.covector_tests' has no operation 'later'"):
        compat.ops.covector_tests.later
    pairs = compat.library.custom_op("covector_tests::later", lambda x: compat.stack((x, -x), -1), mutates_args=())
    assert pairs(compat.empty(3, device="meta")).shape == (3, 2)
    assert pairs(compat.ones(1)).tolist() == [[1.0, -1.0]]


def test_checks_of_operators_are_refused_in_words():
    with pytest.raises(NotImplementedError, match="torch.library.opcheck is part of PyTorch, but not implemented"):
        compat.library.opcheck(None, ())
