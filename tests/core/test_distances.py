"""Distances between rows: by loops and by NumPy they and their slopes are the same; equal largest gaps share one."""

import numpy as np
import pytest

import covector
from covector.core.ops.nn.distances import row_distances as DISTANCES


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("p", [1, 2, float("inf")])
def test_loops_and_numpy_agree(p, dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, (n, 37)).astype(dtype) for n in (20, 30))
    places = rng.integers(0, 20, 50), rng.integers(0, 30, 50)
    found = DISTANCES(x, y, *places, p)
    np.testing.assert_allclose(found, np.linalg.norm(x[places[0]] - y[places[1]], p, 1), rtol=1e-5)
    weights = np.arange(50.0).astype(dtype)
    slopes = covector.grad(lambda x, y: (DISTANCES(x, y, *places, p) * weights).sum(), argnums=(0, 1))(x, y)
    forward = covector.jacfwd(lambda x, y: (DISTANCES(x, y, *places, p) * weights).sum(), argnums=(0, 1))(x, y)
    for a, b in zip(slopes, forward, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3 if dtype == "f4" else 1e-10, atol=1e-2 if dtype == "f4" else 1e-10)


def test_equal_largest_gaps_share_the_slope():
    x, y = np.array([[0.0, 2.0, -2.0, 1.0]]), np.zeros((1, 4))
    slope = covector.grad(lambda x: DISTANCES(x, y, np.array([0]), np.array([0]), float("inf")).sum())(x)
    np.testing.assert_array_equal(slope, [[0.0, 0.5, -0.5, 0.0]])


def test_a_distance_of_nan_has_a_slope_of_nan():
    x, y = np.array([[0.0, np.nan] * 20]), np.zeros((1, 40))
    slope = covector.grad(lambda x: DISTANCES(x, y, np.array([0]), np.array([0]), float("inf")).sum())(x)
    assert np.isnan(slope[0, 1])
