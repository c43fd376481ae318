"""Places of the largest and smallest elements: by loops and by NumPy they are those of a stable order."""

import importlib.util

import numpy as np
import pytest

import covector
from covector.core.ops.indexing import top_k
from covector.core.primitive.kernels import Loops


def _by_hand(x, k, axis, largest):
    """NaN is larger than all; of equal elements the first comes first."""
    rows = np.moveaxis(x, axis, -1)
    found = np.zeros((*rows.shape[:-1], k), np.int64)
    for at in np.ndindex(rows.shape[:-1]):
        row, sign = rows[at], -1 if largest else 1
        found[at] = sorted(range(row.size), key=lambda i: (
            sign * np.isnan(row[i]), 0 if np.isnan(row[i]) else sign * row[i], i))[:k]
    return np.moveaxis(found, -1, axis)


LOOPS = importlib.util.find_spec("llvmlite") is not None
ORDERED = Loops(top_k._ordered, top_k._rows, top_k._shaped).runner("top_k, ordered")


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("n, k", [(66, 32), (100, 50), (310, 32), (9000, 200), (500, 65), (500, 250), (500, 500)])
def test_many_of_the_elements_are_ordered_by_loops(n, k, dtype):
    rng = np.random.default_rng(n)
    wide = rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n)
    for row in (wide, rng.integers(-2, 3, n) * 1.0, np.where(rng.random(n) < 0.5, 0.0, -0.0), np.full(n, -np.inf)):
        x = np.stack([row, np.where(rng.random(n) < 0.1, np.inf, -row)]).astype(dtype)
        for largest in (True, False):
            assert not LOOPS or ORDERED(x, k, 1, largest) is not None
            np.testing.assert_array_equal(top_k.top_k(x, k, 1, largest), _by_hand(x, k, 1, largest))
            np.testing.assert_array_equal(top_k.top_k(x.T, k, 0, largest), _by_hand(x, k, 1, largest).T)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("seed", range(4))
def test_places_are_those_of_a_stable_order(dtype, seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        n, axis = int(rng.integers(16, 700)), int(rng.integers(0, 2))
        k = int(rng.integers(1, min(n, rng.choice([8, 64, 400])) + 1))
        x = rng.integers(0, rng.choice([3, 10_000]), (2, n) if axis else (n, 2)).astype(dtype)
        kind = rng.integers(0, 5)
        if kind == 0:
            x[rng.random(x.shape) < 0.7] = -np.inf
        elif kind == 1:
            x[rng.random(x.shape) < 0.3], x[rng.random(x.shape) < 0.3] = np.inf, -0.0
        elif kind == 2:
            x[rng.random(x.shape) < 0.05] = np.nan
        elif kind == 3:
            x = np.sort(x, axis)
        for largest in (True, False):
            expected = _by_hand(x, k, axis, largest)
            np.testing.assert_array_equal(top_k.top_k(x, k, axis, largest), expected)
            np.testing.assert_array_equal(top_k._places(np, x, k, axis, largest), expected)


def test_the_gradient_of_the_largest_goes_to_their_places():
    x = np.arange(40.0)[::-1].reshape(2, 20).copy()
    slope = covector.grad(lambda x: covector.vmap(lambda r: covector.lax.top_k(r, 3)[0])(x).sum())(x)
    np.testing.assert_array_equal(slope, np.arange(20) < np.full((2, 1), 3))
    np.testing.assert_array_equal(covector.jit(lambda x: covector.lax.top_k(x, 3)[1])(x), [[0, 1, 2]] * 2)
