"""Derivatives at kinks as they are staged: few equations, with the values that they have eagerly."""

import numpy as np
import pytest

import covector as cv

V = np.array([0.0, -0.0, 1.0, -1.0, 2.0, np.inf, -np.inf, np.nan])
FUNCTIONS = {
    "maximum": lambda x: np.maximum(x, 0), "minimum": lambda x: np.minimum(0.0, x), "clip": lambda x: np.clip(x, 0, 1),
    "relu": cv.nn.relu, "abs": np.abs, "maximum of two": lambda x: np.maximum(x, x[::-1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_staged_derivative_is_short_and_has_the_eager_values(name, dtype):
    fun, x = FUNCTIONS[name], V.astype(dtype)
    cts = [np.ones_like(x), np.where(x > 0, np.inf, -0.0).astype(dtype), x]
    graph = cv.make_graph(lambda x, ct: cv.vjp(fun, x)[1](ct)[0])(x, x)
    assert len(graph.equations) <= {"abs": 4, "maximum of two": 6}.get(name, 3)
    for ct in cts:
        with np.errstate(all="ignore"):
            found, want = graph(x, ct), cv.vjp(fun, x)[1](ct)[0]
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(found, want)
        at = ct != 0 if name == "abs" else ...  # what no cotangent reaches is moved away from its kink, where it is 1
        np.testing.assert_array_equal(np.signbit(found[at]), np.signbit(want[at]))


def test_ties_share_and_numbers_that_are_no_numbers_keep():
    graph = cv.make_graph(lambda x, y: cv.vjp(np.maximum, x, y)[1](np.full(4, 2.0)))(np.ones(4), np.ones(4))
    x, y = graph(np.array([1.0, 1.0, np.nan, np.nan]), np.array([1.0, 2.0, 1.0, np.nan]))
    np.testing.assert_array_equal(x, [1.0, 0.0, 2.0, 1.0])
    np.testing.assert_array_equal(y, [1.0, 2.0, 0.0, 1.0])
