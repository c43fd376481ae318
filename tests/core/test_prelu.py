"""Lines with learnt slopes by loops are those by NumPy, with their derivatives."""

import warnings

import numpy as np
import pytest

import covector
from covector.core.ops.nn import piecewise as module
from covector.extend import REGISTRY
from covector.testing import check

prelu = REGISTRY["prelu"].fun
SHAPES = [((8, 16, 14, 14), (16, 1, 1)), ((64, 100), (100,)), ((64, 100), ()), ((5000,), (1,)),
          ((1, 70, 90), (1, 70, 1)), ((5000, 1), (5000, 1))]


def _plain(x, w):
    return np.where(x > 0, x, x * w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("shape", "slopes"), SHAPES, ids=str)
def test_loops_give_what_numpy_gives(shape, slopes, dtype):
    rng = np.random.default_rng(0)
    x, w, ct = (rng.normal(size=s).astype(dtype) for s in (shape, slopes, shape))
    x.reshape(-1)[:2] = 0.0, -0.0
    np.testing.assert_array_equal(prelu(x, w), _plain(x, w))
    _, pull = covector.vjp(prelu, x, w)
    by_x, by_w = pull(ct)
    np.testing.assert_array_equal(by_x, np.where(x > 0, ct, ct * w))
    slack = tuple(range(len(shape) - len(slopes)))
    wide = np.where(x > 0, 0.0, ct.astype("f8") * x).sum(slack)
    wide = wide.sum(tuple([k for k, n in enumerate(slopes) if n == 1]), keepdims=True)
    assert by_w.shape == w.shape and by_w.dtype == dtype
    np.testing.assert_allclose(by_w, wide, 1e-4 if dtype == np.float32 else 1e-11, 1e-4)


def test_what_is_not_finite_and_arrays_in_another_order():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(64, 100)), rng.normal(size=100)
    x[0, :3] = np.nan, np.inf, -np.inf
    for other in (x, x.T.copy().T, x[:, ::-1], x.astype(">f8"), x.astype(np.float16)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(prelu(other, w.astype(other.dtype)), _plain(other, w.astype(other.dtype)))
    with pytest.warns(RuntimeWarning, match="overflow"):
        prelu(np.full((64, 100), -1e300), np.full(100, 1e300))


def test_slopes_of_two_axes_are_no_channels():
    x, w = np.random.default_rng(0).normal(size=(2, 60, 50)), np.random.default_rng(1).normal(size=(60, 50))
    assert module._given(x, x, w) is None
    np.testing.assert_array_equal(prelu(x, w), _plain(x, w))


def test_native_code_has_it():
    pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")
    x, w = np.random.default_rng(0).normal(size=(4, 16, 9)), np.random.default_rng(1).normal(size=(16, 1))
    native = covector.jit(prelu, compiler_options={"printer": "llvm"})
    np.testing.assert_allclose(native(x, w), _plain(x, w), 1e-12)
    assert not native.lower(x, w).source.startswith("def run(")


def test_checked():
    check(REGISTRY["prelu"])
