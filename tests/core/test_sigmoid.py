"""The logistic function where exp overflows, and its precision on both sides."""

import numpy as np
import pytest

import covector
from covector.nn import sigmoid


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiny_values_do_not_vanish_and_nothing_warns(dtype):
    low = -95.0 if dtype is np.float32 else -740.0
    x = np.array([low, -1.0, 0.0, 50.0, np.inf, -np.inf, np.nan], dtype)
    with np.errstate(under="ignore"):
        got, wanted = sigmoid(x), np.exp(x[:1])
    assert got.dtype == dtype and got[0] == wanted[0] > 0
    assert got[2:6].tolist() == [0.5, 1.0, 1.0, 0.0] and np.isnan(got[6])
    assert sigmoid(x[:0]).shape == (0,)


@pytest.mark.parametrize(("dtype", "low"), [(np.float32, -80.0), (np.float64, -700.0)])
def test_precision_is_relative(dtype, low):
    x = np.linspace(low, 40.0, 4001).astype(dtype)
    wide = x.astype(np.longdouble)
    wanted = 1 / (1 + np.exp(-wide))
    assert np.max(np.abs(sigmoid(x) / wanted - 1)) < 4 * np.finfo(dtype).eps


def test_second_derivatives_of_slopes():
    x = np.linspace(-2.0, 2.0, 5)
    for fun, first, second in (
        (sigmoid, lambda s: s * (1 - s), lambda s: s * (1 - s) * (1 - 2 * s)),
        (np.tanh, lambda t: 1 - t * t, lambda t: -2 * t * (1 - t * t)),
    ):
        y = fun(x)
        np.testing.assert_allclose(covector.elementwise_grad(fun)(x), first(y), rtol=1e-14)
        twice = covector.grad(lambda x, f=fun: covector.grad(lambda x: f(x).sum())(x).sum())(x)
        np.testing.assert_allclose(twice, second(y), rtol=1e-13, atol=1e-16)
