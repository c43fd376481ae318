"""Kernels of networks on large arrays, where they work in place: as on small arrays, and as PyTorch's."""

import numpy as np
import pytest

import covector.compat.torch as compat

ACTIVATIONS = ("relu relu6 leaky_relu elu selu celu gelu silu mish hardtanh hardswish hardsigmoid softshrink "
               "hardshrink tanhshrink softplus softsign logsigmoid sigmoid tanh threshold").split()
GATES = ("hardshrink", "hardsigmoid", "hardswish", "softshrink", "threshold")
EDGES = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -3.0, 6.0, 0.1, -20.0, 20.0]
FAR = [np.inf, -np.inf, 100.0, -100.0, np.nan]


def values(dtype, shape=(64, 128), far=False):
    x = np.random.default_rng(0).normal(size=shape) * 3
    edges = EDGES + FAR * far
    x.reshape(-1)[: len(edges)] = edges
    return x.astype(dtype)


def call(library, name, x):
    fun = getattr(library.nn.functional, name)
    return fun(x, 0.1, 2.0) if name == "threshold" else fun(x)


def with_gradient(library, fun, *arrays):
    leaves = [library.from_numpy(a.copy()).requires_grad_() for a in arrays]
    out = fun(library, *leaves)
    weights = np.random.default_rng(1).normal(size=tuple(out.shape)).astype(arrays[0].dtype)
    return [v.detach().numpy() for v in (out, *library.autograd.grad(out, leaves, library.from_numpy(weights)))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_large_arrays_have_the_values_and_slopes_of_small_ones(name, dtype):
    x = values(dtype, far=True)
    weights = np.random.default_rng(1).normal(size=x.shape).astype(dtype)
    found = with_gradient(compat, lambda lib, t: call(lib, name, t), x)
    for row in range(0, 64, 9):
        t = compat.from_numpy(x[row].copy()).requires_grad_()
        out = call(compat, name, t)
        (slope,) = compat.autograd.grad(out, t, compat.from_numpy(weights[row]))
        rounding = {"rtol": 1e-5, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}
        np.testing.assert_allclose(found[0][row], out.detach().numpy(), **rounding)
        np.testing.assert_allclose(found[1][row], slope.numpy(), **rounding)


OPERATIONS = {
    "softmax": (lambda lib, x: lib.softmax(x, -1), [(64, 96)]),
    "softmax of middle axis": (lambda lib, x: lib.softmax(x, 1), [(8, 9, 10)]),
    "softmax of large logits": (lambda lib, x: lib.softmax(x * 200, -1), [(8, 9, 10)]),
    "softmax of small logits": (lambda lib, x: lib.softmax(x - 90, -1), [(8, 90)]),
    "log_softmax": (lambda lib, x: lib.log_softmax(x, -1), [(64, 96)]),
    "log_softmax that is sure": (lambda lib, x: lib.log_softmax(x * 30, -1), [(64, 3)]),
    "layer_norm": (lambda lib, x, w, b: lib.nn.functional.layer_norm(x, (96,), w, b), [(64, 96), (96,), (96,)]),
    "layer_norm far from 0": (lambda lib, x, w, b: lib.nn.functional.layer_norm(x + 3, (4, 24), w, b),
                              [(16, 4, 24), (4, 24), (4, 24)]),
    "layer_norm of strided": (lambda lib, x, w, b: lib.nn.functional.layer_norm(x.transpose(0, 1), (64,), w, b),
                              [(64, 96), (64,), (64,)]),
    "batch_norm": (lambda lib, x, w, b: lib.nn.functional.batch_norm(x, None, None, w, b, True),
                   [(4, 5, 6, 7), (5,), (5,)]),
    "batch_norm of rows": (lambda lib, x, w, b: lib.nn.functional.batch_norm(x, None, None, w, b, True),
                           [(40, 5), (5,), (5,)]),
    "batch_norm by given statistics": (
        lambda lib, x, w, b, m, v: lib.nn.functional.batch_norm(x, m.detach(), v.detach().square() + 0.1, w, b)
        + 0 * m.sum() + 0 * v.sum(), [(4, 5, 6), (5,), (5,), (5,), (5,)]),
    "batch_norm without parameters": (lambda lib, x: lib.nn.functional.batch_norm(x + 9, None, None, training=True),
                                      [(4, 5, 3)]),
    "max_pool2d": (lambda lib, x: lib.nn.functional.max_pool2d(x, 2), [(2, 3, 8, 10)]),
    "max_pool2d that overlaps": (lambda lib, x: lib.nn.functional.max_pool2d(x, 3, 2, 1), [(2, 3, 9, 10)]),
    "max_pool2d with ties": (lambda lib, x: lib.nn.functional.max_pool2d(lib.round(x), 3, 1), [(2, 3, 9, 10)]),
    "max_pool1d spread": (lambda lib, x: lib.nn.functional.max_pool1d(x, 2, 1, 0, 3), [(2, 3, 20)]),
    **{f"grid_sample {mode} {padding} {align} in {len(size)}": (
        lambda lib, x, g, mode=mode, padding=padding, align=align: lib.nn.functional.grid_sample(
            x, g, mode, padding, align), [(2, 3, *size), (2, *out, len(size))])
       for mode in ("bilinear",) for padding in ("zeros", "border", "reflection") for align in (False, True)
       for size, out in (((5, 6), (4, 7)), ((3, 4, 5), (2, 3, 2)))},
    "conv2d": (lambda lib, x, w, b: lib.nn.functional.conv2d(x, w, b, padding=1), [(2, 3, 8, 9), (4, 3, 3, 3), (4,)]),
    "conv2d on long runs": (lambda lib, x, w: lib.nn.functional.conv2d(x, w, padding=(2, 1), dilation=(2, 1), groups=2),
                            [(2, 4, 20, 30), (6, 2, 3, 3)]),
    "conv3d on long runs": (lambda lib, x, w: lib.nn.functional.conv3d(x, w), [(2, 2, 6, 7, 20), (3, 2, 2, 2, 2)]),
    "matmul of a batch": (lambda lib, x, w: x.transpose(0, 1) @ w, [(3, 4, 5), (5, 6)]),
}


@pytest.mark.reference
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", OPERATIONS)
def test_values_and_gradients_are_those_of_pytorch(name, dtype):
    torch = pytest.importorskip("torch")
    fun, shapes = OPERATIONS[name]
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=s).astype(dtype) for s in shapes]
    rounding = {"rtol": 1e-5, "atol": 5e-6} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    precise = with_gradient(torch, fun, *[a.astype(np.float64) for a in arrays])
    for found, wanted, exact in zip(with_gradient(compat, fun, *arrays), with_gradient(torch, fun, *arrays), precise):
        assert found.dtype == wanted.dtype
        size = max(1.0, np.abs(wanted).max(initial=0.0))  # sums of so large terms, each side's in an order of its own
        off = np.abs(wanted - exact).max(initial=0.0)  # slopes of large logits: 1e-5 in PyTorch, 5e-8 here
        np.testing.assert_allclose(found, wanted, rounding["rtol"], rounding["atol"] * size + off)


@pytest.mark.reference
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_those_of_pytorch(name, dtype):
    torch = pytest.importorskip("torch")
    x = values(dtype, far=name in GATES)
    rounding = {np.float32: {"rtol": 2e-6, "atol": 1e-6}, np.float64: {"rtol": 1e-12, "atol": 1e-12},
                np.float16: {"rtol": 2e-3, "atol": 2e-3}}[dtype]
    if name == "hardsigmoid" and dtype == np.float64:
        rounding = {"rtol": 1e-7}  # PyTorch's 1/6 there is one of float32
    fun = lambda lib, t: call(lib, name, t)  # noqa: E731
    for found, wanted in zip(with_gradient(compat, fun, x), with_gradient(torch, fun, x)):
        np.testing.assert_allclose(found, wanted, **rounding)
        if name in GATES and dtype != np.float16:
            np.testing.assert_array_equal(np.signbit(found[found == 0]), np.signbit(wanted[found == 0]))


def test_nothing_is_read_outside_of_an_image():
    x = np.full((1, 1, 2, 2), np.nan, np.float32)
    x[0, 0, 1, 1] = 4
    grid = np.array([[[[2.0, 2.0]]]], np.float32)  # half a pixel beyond the last one on both axes
    found = compat.nn.functional.grid_sample(compat.from_numpy(x), compat.from_numpy(grid), align_corners=True)
    assert found.item() == 1.0
    far = compat.tensor([[[[compat.inf, 0.0]]]])
    found = compat.nn.functional.grid_sample(compat.ones(1, 1, 2, 2), far, mode="nearest", align_corners=True)
    assert found.item() == 0


def test_a_window_with_nan_gives_nan_and_hands_its_gradient_to_it():
    x = compat.tensor([[[1.0, compat.nan, 3.0, 0.0, 2.0, 2.0]]], requires_grad=True)
    out = compat.nn.functional.max_pool1d(x, 3)
    assert out.isnan().tolist() == [[[True, False]]]
    out.sum().backward()
    assert x.grad.tolist() == [[[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]]]


def test_an_answer_of_batch_norm_may_be_written_to_before_backward():
    x = compat.from_numpy(values(np.float64, (4, 3, 5, 2))).nan_to_num(0.0).requires_grad_()
    out = compat.nn.functional.batch_norm(x, None, None, training=True)
    out.mul_(2.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 0, atol=1e-12)


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "batch_norm", "max_pool2d", "conv2d",
                                  "grid_sample bilinear zeros False in 2"])
def test_second_derivatives_by_finite_differences(name):
    fun, shapes = OPERATIONS[name]
    rng = np.random.default_rng(3)
    small = {"softmax": [(2, 5)], "layer_norm": None, "conv2d": None}.get(name, shapes)
    if small is None:
        small = [(3, 96), (96,), (96,)] if name == "layer_norm" else [(1, 2, 4, 4), (2, 2, 3, 3), (2,)]
        fun = fun if name == "conv2d" else OPERATIONS["layer_norm"][0]
    leaves = [compat.from_numpy(rng.normal(size=s)).requires_grad_() for s in small]
    assert compat.autograd.gradgradcheck(lambda *t: fun(compat, *t), leaves, atol=1e-4)
