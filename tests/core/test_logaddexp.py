"""logaddexp at its extremes and on long arrays, where it does not run NumPy's own loop."""

import numpy as np
import pytest

import covector


def _weights(x, y):
    return covector.grad(lambda x, y: np.logaddexp(x, y).sum(), argnums=(0, 1))(np.array(x), np.array(y))


@pytest.mark.parametrize(("x", "y", "wx", "wy"), [
    (np.inf, 0.0, 1.0, 0.0), (-np.inf, 0.0, 0.0, 1.0), (np.inf, np.inf, 0.5, 0.5), (-np.inf, -np.inf, 0.0, 0.0),
    (np.inf, -np.inf, 1.0, 0.0), (800.0, -800.0, 1.0, 0.0), (3.0, 3.0, 0.5, 0.5)])
def test_weights_at_the_extremes(x, y, wx, wy):
    assert _weights(x, y) == (wx, wy)
    long = [np.full(600, v) for v in (x, y)]
    assert [set(w) for w in _weights(*long)] == [{wx}, {wy}]


def test_second_derivatives_keep_their_relative_precision():
    second = covector.grad(covector.grad(lambda z: np.logaddexp(0.0, z)))
    for z in (-40.0, 40.0):
        np.testing.assert_allclose(second(z), np.exp(-40.0), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_long_arrays_are_within_a_few_roundings(dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=4000, scale=20.0).astype(dtype) for _ in range(2))
    got = covector.value_and_grad(lambda x: np.logaddexp(x, y).sum())(x)[0]
    values = covector.jvp(lambda x: np.logaddexp(x, y), (x,), (x,))[0]
    assert values.dtype == dtype and got.dtype == dtype
    exact = np.logaddexp(x.astype(np.longdouble), y.astype(np.longdouble))
    assert np.max(np.abs(values - exact) / np.maximum(np.abs(exact), 1.0)) < 4 * np.finfo(dtype).eps


@pytest.mark.filterwarnings("error")
def test_long_arrays_of_special_values_are_numpys():
    special = np.array([np.inf, -np.inf, np.nan, 0.0, 1e308, -1e308, 1000.0])
    x, y = (a.reshape(-1).repeat(20) for a in np.meshgrid(special, special))
    with np.errstate(all="ignore"):
        expected = np.logaddexp(x, y)
    np.testing.assert_array_equal(covector.jvp(lambda x: np.logaddexp(x, y), (x,), (x,))[0], expected)
    mixed = covector.jvp(lambda x: np.logaddexp(x, 3), (x,), (x,))[0]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(mixed, np.logaddexp(x, 3))
    halves = x[:20].astype(np.float16).repeat(40)
    np.testing.assert_array_equal(covector.jvp(lambda x: np.logaddexp(x, x), (halves,), (halves,))[0],
                                  np.logaddexp(halves, halves))
