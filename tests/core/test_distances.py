"""Distances of pairs of rows: the same by loops and by NumPy, slopes too; equal largest gaps share one."""

import numpy as np
import pytest

import covector
from covector.core.ops.nn.distances import pair_distances as DISTANCES


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("p", [1, 2, float("inf")])
def test_loops_and_numpy_agree(p, dtype, upper):
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, (2, n, 37)).astype(dtype) for n in (20, 20 if upper else 30))
    found = DISTANCES(x, y, p, upper)
    whole = np.linalg.norm(x[:, :, None] - y[:, None], p, -1)
    expected = whole[:, *np.triu_indices(20, 1)] if upper else whole.reshape(2, -1)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    weights = np.arange(found.size * 1.0).reshape(found.shape).astype(dtype)
    fun = lambda x, y: (DISTANCES(x, y, p, upper) * weights).sum()  # noqa: E731
    slopes = covector.grad(fun, argnums=(0, 1))(x, y)
    for _ in range(3):
        dx, dy = (rng.normal(size=v.shape).astype(dtype) for v in (x, y))
        forward = covector.jvp(fun, (x, y), (dx, dy))[1]
        terms = [np.vdot(a, b) for a, b in zip(slopes, (dx, dy), strict=True)]
        scale = sum(np.linalg.norm(a) * np.linalg.norm(b) for a, b in zip(slopes, (dx, dy)))
        np.testing.assert_allclose(sum(terms), forward, rtol=0, atol=scale * (1e-5 if dtype == "f4" else 1e-12))


def test_equal_largest_gaps_share_the_slope():
    x, y = np.array([[0.0, 2.0, -2.0, 1.0]]), np.zeros((1, 4))
    slope = covector.grad(lambda x: DISTANCES(x, y, float("inf"), False).sum())(x)
    np.testing.assert_array_equal(slope, [[0.0, 0.5, -0.5, 0.0]])


def test_a_distance_of_nan_has_a_slope_of_nan():
    x, y = np.array([[0.0, np.nan] * 20]), np.zeros((1, 40))
    slope = covector.grad(lambda x: DISTANCES(x, y, float("inf"), False).sum())(x)
    assert np.isnan(slope[0, 1])


@pytest.mark.parametrize("p", [1, 2, float("inf")])
def test_rows_left_out_by_a_selection_contribute_nothing(p):
    x = np.array([[0.0, 1.0], [np.nan, 2.0], [3.0, 5.0]])
    known = np.array([False, True, False])  # of the pairs (0, 1), (0, 2), (1, 2)
    slope = covector.grad(lambda x: np.where(known, DISTANCES(x, x, p, True), 0.0).sum())(x)
    assert np.isfinite(slope[[0, 2]]).all() and not slope[1].any()
