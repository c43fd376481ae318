"""Searches in rows, running places of extremes and products of integers are loops, with NumPy's results."""

import importlib.util

import numpy as np
import pytest

import covector
import covector.numpy as cnp
from covector.core.errors import MutationError

NATIVE = importlib.util.find_spec("llvmlite") is not None
KINDS = ["f8", "f4", "i8", "i4"]


def _compiled(fun, *args):
    """The result of a compiled function, all of which runs natively."""
    run = covector.jit(fun)
    assert not NATIVE or "NumPy" not in str(run.explain(*args))
    return np.asarray(run(*args))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", KINDS)
def test_places_in_order_are_those_of_numpy(dtype, side):
    rng = np.random.default_rng(0)
    for n, shape in ((1, ()), (2, (3,)), (7, (2, 5)), (40, (30,)), (64, (9,))):
        x, v = (np.round(rng.normal(size=s) * 3).astype(dtype) for s in (n, shape))
        if dtype[0] == "f" and n > 2:
            x[:2], v[..., :1] = (np.nan, -np.inf), np.nan
        x = np.sort(x)
        found = _compiled(lambda x, v: cnp.searchsorted(x, v, side=side), x, v)
        np.testing.assert_array_equal(found, np.searchsorted(x, v, side=side))


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_running_extremes_are_those_of_numpy(axis, dtype):
    rng = np.random.default_rng(1)
    x = np.round(rng.normal(size=(3, 4, 5)) * 2).astype(dtype)
    if dtype[0] == "f":
        x[rng.random(x.shape) < 0.1] = np.nan
    for fun, of in ((covector.lax.cummax, np.maximum), (covector.lax.cummin, np.minimum)):
        np.testing.assert_array_equal(_compiled(lambda x: fun(x, axis), x), of.accumulate(x, axis))
        turned = _compiled(lambda x: cnp.transpose(fun(cnp.transpose(x), 2 - axis)), x)
        np.testing.assert_array_equal(turned, of.accumulate(x, axis))


@pytest.mark.parametrize("dtype", ["i8", "i4"])
def test_products_of_integers_wrap_around_as_those_of_numpy(dtype):
    rng = np.random.default_rng(2)
    for x, y in (((3, 4), (4, 5)), ((20, 30), (30, 10)), ((2, 3, 4), (2, 4, 1)), ((2, 2, 1, 3), (2, 2, 3, 2))):
        a, b = (rng.integers(-(2**31), 2**31, s).astype(dtype) for s in (x, y))
        np.testing.assert_array_equal(_compiled(lambda a, b: cnp.matmul(a, b), a, b), a @ b)
        turned = _compiled(lambda a, b: cnp.matmul(cnp.swapaxes(b, -1, -2), cnp.swapaxes(a, -1, -2)), a, b)
        np.testing.assert_array_equal(turned, np.swapaxes(a @ b, -1, -2))


@pytest.mark.skipif(not NATIVE, reason="native code needs llvmlite")
def test_a_loop_over_elements_of_a_long_array_is_native():
    """Reading one element costs the same in arrays of all lengths."""
    d = np.random.default_rng(3).normal(size=20_001)

    def largest(d):
        step = lambda c: (np.maximum(c[0], d[c[1]]), c[1] + 1)  # noqa: E731
        return covector.while_loop(lambda c: c[1] < 20_000, step, (-1e9, 0))[0]

    def written(d):
        write = covector.lax.dynamic_update_index_in_dim
        return covector.fori_loop(0, 50, lambda i, c: write(c, np.sin(c[i]), i, 0), d)

    assert _compiled(largest, d) == d[:-1].max()
    np.testing.assert_allclose(_compiled(written, d)[:50], np.sin(d[:50]), rtol=1e-15)


def test_a_long_constant_is_looked_at_in_every_call():
    table = np.arange(1000.0)
    run = covector.jit(lambda x: np.sum(x * table))
    for _ in range(3):
        assert run(np.ones(1000)) == 499500.0
    table[:] = 0.0
    with pytest.raises(MutationError, match="jit of <lambda>"):
        run(np.ones(1000))
    table[:] = np.arange(1000.0)
    assert run(np.ones(1000)) == 499500.0
