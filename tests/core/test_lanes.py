"""The fast road of elementwise primitives: constants beside traced values."""

import numpy as np
import pytest

import covector


@pytest.mark.parametrize("function", [np.add, np.multiply, np.divide, np.maximum, np.arctan2])
@pytest.mark.parametrize("shape", [(), (3,), (1, 3), (2, 1), (2, 3)])
@pytest.mark.parametrize("traced", [0, 1])
def test_constant_on_either_side_of_a_traced_value_broadcasts(function, shape, traced):
    rng = np.random.default_rng(0)
    x, constant = rng.uniform(0.5, 2.0, (2, 3)), rng.uniform(0.5, 2.0, shape)
    for value, beside in ((x, constant), (constant, x)):
        def f(v, beside=beside):
            out = function(v, beside) if traced == 0 else function(beside, v)
            return (out * np.arange(1.0, 7.0).reshape(2, 3)).sum()

        slope = np.zeros_like(value)
        for i in np.ndindex(value.shape):
            h = np.zeros_like(value)
            h[i] = 1e-6
            slope[i] = (f(value + h) - f(value - h)) / 2e-6
        np.testing.assert_allclose(covector.grad(f)(value), slope, rtol=1e-6, atol=1e-8)
