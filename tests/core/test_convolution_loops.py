"""Convolutions as loops give what products of their windows give, to rounding, at every stride and padding."""

import warnings

import numpy as np
import pytest

import covector
import covector.numpy as cnp
from covector import nn
from covector.core.ops.nn import convolution, convolution_loops
from covector.core.primitive.kernels import KNOWN_LOOPS
from covector.extend import REGISTRY
from covector.testing import check
from covector.transforms.compile.machine.engine import Machine

pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")

PRIMITIVES = ("conv", "conv_input", "conv_weight")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Loops for the smallest arrays, too."""
    for name in ("_LEAST", "_FEW", "_MANY"):
        monkeypatch.setattr(convolution_loops, name, 0)
    monkeypatch.setattr(convolution_loops, "_WASTE", 1000)


def _given(rng, dtype, d):
    """A random convolution."""
    groups, kernel = int(rng.choice([1, 1, 2, 3])), rng.integers(1, 5, d)
    stride, dilation, padding = rng.integers(1, 4, d), rng.integers(1, 3, d), rng.integers(0, 4, (d, 2))
    size = np.maximum(dilation * (kernel - 1) + 1 - padding.sum(1), 1) + rng.integers(0, 9, d)
    channels, features, n = groups * rng.integers(1, 4), groups * rng.integers(1, 12), rng.integers(1, 5)
    x = rng.normal(size=(n, channels, *size)).astype(dtype)
    w = rng.normal(size=(features, channels // groups, *kernel)).astype(dtype)
    return x, w, (tuple(map(int, stride)), tuple((int(a), int(b)) for a, b in padding),
                  tuple(map(int, dilation)), groups)


def _compared(x, w, params):
    """Each operation by loops and by products."""
    names = dict(zip(("stride", "padding", "dilation", "groups"), params))
    y = convolution._conv(np, x, w, **names)
    ct = np.random.default_rng(1).normal(size=y.shape).astype(x.dtype)
    size, kernel = x.shape[2:], w.shape[2:]
    plain = (y, convolution._conv_input(np, ct, w, size, **names), convolution._conv_weight(np, ct, x, kernel, **names))
    loops = (_looped("conv", x, w, *params), _looped("conv_input", ct, w, size, *params),
             _looped("conv_weight", ct, x, kernel, *params))
    return [(a, b) for a, b in zip(loops, plain) if a is not None]


def _looped(name, *args):
    """What the loops of an operation give; None where it has none for such arguments."""
    loops = {"conv": convolution_loops.CONV, "conv_input": convolution_loops.CONV_INPUT,
             "conv_weight": convolution_loops.CONV_WEIGHT}[name]
    found = loops.given(*args)
    if found is None:
        assert np.prod(args[1].shape[2:] if name != "conv_weight" else args[2]) == 1
        return None
    return loops.runner(f"{name} alone")(*args)


@pytest.fixture
def forgotten():
    """A scope whose kernels are not kept."""
    yield
    for name in PRIMITIVES:
        KNOWN_LOOPS.pop(f"{name} alone", None)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_random_convolutions(seed, d, dtype, forgotten):
    rng = np.random.default_rng([seed, d])
    for _ in range(10):
        x, w, params = _given(rng, dtype, d)
        for found, wanted in _compared(x, w, params):
            assert found.dtype == wanted.dtype and found.shape == wanted.shape and found.flags.c_contiguous
            scale = np.abs(wanted).max(initial=1)
            np.testing.assert_allclose(found, wanted, rtol=0, atol=scale * (2e-6 if dtype == "f4" else 1e-14))


@pytest.mark.parametrize("vector", [16, 32, 64])
def test_registers_of_every_width(vector, monkeypatch, forgotten):
    monkeypatch.setattr(Machine, "vector", vector)
    rng = np.random.default_rng(vector)
    for _ in range(4):
        x, w, params = _given(rng, "f4", 2)
        for found, wanted in _compared(x, w, params):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max(initial=1) * 2e-6)


def test_many_small_examples_and_large_images(forgotten):
    for shape, features in (((37, 5, 6, 7), 19), ((2, 3, 40, 50), 9), ((3, 1, 1, 700), 2)):
        rng = np.random.default_rng(features)
        x, w = rng.normal(size=shape), rng.normal(size=(features, shape[1], 1 if shape[2] == 1 else 3, 3))
        for stride in ((1, 1), (2, 2)):
            for found, wanted in _compared(x, w, (stride, ((1, 1), (1, 1)), (1, 1), 1)):
                np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max() * 1e-14)


@pytest.mark.parametrize("groups", [1, 2])
def test_examples_that_are_taken_in_several_goes(groups, monkeypatch, forgotten):
    monkeypatch.setattr(convolution_loops, "_TOGETHER", 200)
    rng = np.random.default_rng(0)
    for columns in (8, 11):
        convolution_loops._plan.cache_clear()
        x, w = rng.normal(size=(7, 4, 6, columns)), rng.normal(size=(6, 4 // groups, 3, 3))
        for found, wanted in _compared(x, w, ((1, 1), ((1, 1), (1, 1)), (1, 1), groups)):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=np.abs(wanted).max() * 1e-14)
    convolution_loops._plan.cache_clear()


@pytest.mark.parametrize("name", PRIMITIVES)
def test_the_checker_with_loops_for_all_samples(name):
    check(REGISTRY[name])
    assert any(KNOWN_LOOPS[name].values())


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_left_to_products(bad, forgotten):
    x, w = np.ones((2, 2, 6, 6)), np.ones((3, 2, 3, 3))
    x[1, 0, 2, 5] = bad
    params = ((1, 1), ((0, 0), (0, 0)), (1, 1), 1)
    assert _looped("conv", x, w, *params) is None
    found = REGISTRY["conv"].fun(x, w, *params)
    assert np.isfinite(found[0]).all() and not np.isfinite(found[1]).all() and np.isfinite(found[1, :, 3:]).all()


def test_overflow_warns_as_a_product_does():
    x, w = np.full((2, 2, 6, 6), 1e30, "f4"), np.full((3, 2, 3, 3), 1e30, "f4")
    params = ((1, 1), ((1, 1), (1, 1)), (1, 1), 1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert np.isinf(REGISTRY["conv"].fun(x, w, *params)).all()
    with warnings.catch_warnings(record=True) as plain:
        warnings.simplefilter("always")
        convolution._conv(np, x, w, *params)
    assert [str(s.message) for s in seen] == [str(s.message) for s in plain]


def test_arrays_that_are_not_in_order(forgotten):
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(8, 6, 4, 2)).T, rng.normal(size=(3, 3, 4, 5)).transpose(3, 2, 0, 1)
    for found, wanted in _compared(x, w, ((1, 1), ((1, 1), (1, 1)), (1, 1), 1)):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)


def test_large_convolutions_of_compiled_functions_are_these_loops():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(8, 8, 20, 20)), rng.normal(size=(16, 8, 3, 3))
    fun = covector.value_and_grad(lambda x, w: nn.conv(cnp.tanh(x), w, padding=1).sum() ** 2, (0, 1))
    wanted = fun(x, w)
    for name in PRIMITIVES:
        KNOWN_LOOPS[name].clear()
    compiled = covector.jit(fun)
    for _ in range(2):
        found = compiled(x, w)
        for a, b in zip((found[0], *found[1]), (wanted[0], *wanted[1])):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    assert all(KNOWN_LOOPS[name] for name in PRIMITIVES)


@pytest.mark.parametrize("x, w, padding, dilation, groups", [
    ((2, 3, 5), (2, 3, 2), 0, 1, 1), ((1, 4, 6, 7), (4, 2, 3, 2), 1, 2, 2), ((2, 4, 12, 12), (40, 4, 3, 3), 1, 1, 1),
    ((1, 2, 5, 4), (3, 2, 2, 1), 3, 1, 1), ((4, 16, 16, 16), (16, 16, 3, 3), 1, 1, 1),
    ((2, 24, 16, 16), (24, 24, 3, 3), 1, 1, 1), ((2, 4, 3, 5, 4), (2, 4, 2, 3, 2), 1, 1, 1)])
@pytest.mark.parametrize("more", [0, 1])
def test_the_transpose_of_stride_1_by_all_ways(x, w, padding, dilation, groups, more):
    rng, n = np.random.default_rng(0), len(x) - 2
    x, w = rng.normal(size=x), rng.normal(size=w)
    names = {"stride": (1,) * n, "padding": ((padding, padding),) * n, "dilation": (dilation,) * n, "groups": groups}
    y = convolution._conv(np, x, w, **names)
    ct = rng.normal(size=y.shape)
    back = convolution._conv_input(np, ct, w, tuple([k + more for k in x.shape[2:]]), **names)
    assert back.shape[2:] == tuple([k + more for k in x.shape[2:]])
    inner = back[(..., *[slice(0, k) for k in x.shape[2:]])]
    np.testing.assert_allclose((y * ct).sum(), (x * inner).sum(), 1e-10)
    assert not padding < more or not back[..., -1].any()  # no window reaches so far


def test_a_transpose_by_infinite_weights_has_no_nan_beside_them():
    """Where a window does not reach, zeros around the features must not meet infinity."""
    w = np.array([[[np.inf, 1.0, 2.0]]])
    names = {"stride": (1,), "padding": ((0, 0),), "dilation": (1,), "groups": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        back = convolution._conv_input(np, np.ones((1, 1, 3)), w, (5,), **names)
    np.testing.assert_array_equal(back[0, 0], [np.inf, np.inf, np.inf, 3.0, 2.0])
