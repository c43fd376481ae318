"""Places of the largest elements of equal parts: by loops and by NumPy they are those of a plain loop."""

import numpy as np
import pytest

import covector
from covector.core.ops.nn import largest_places


def _by_hand(x, counts):
    n = len(counts)
    lead, size = x.shape[: x.ndim - n], x.shape[x.ndim - n :]
    out = np.zeros((*lead, *counts), np.int64)
    for at in np.ndindex(out.shape):
        part = [range(k * m // c, -(-(k + 1) * m // c)) for k, m, c in zip(at[len(lead) :], size, counts)]
        best = None
        for place in np.stack(np.meshgrid(*part, indexing="ij"), -1).reshape(-1, n):
            value = x[(*at[: len(lead)], *place)]
            if best is None or value > x[best] or np.isnan(value):
                best = (*at[: len(lead)], *place)
        out[at] = np.ravel_multi_index(best, x.shape)
    return out


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize(("shape", "counts"), [((3, 50), (7,)), ((2, 4, 9, 8), (3, 1)), ((2, 6, 5, 7), (2, 5, 3)),
                                               ((2, 5, 20), (8, 20)), ((2, 130), (200,))])
def test_the_places_are_the_first_largest_or_the_last_nan(shape, counts, dtype):
    rng = np.random.default_rng(0)
    for kind in range(3):
        x = rng.integers(0, 4, shape).astype(dtype)
        if kind and dtype != "i8":
            x[rng.random(shape) < 0.5] = -np.inf
            x[rng.random(shape) < 0.1 * (kind - 1)] = np.nan
        expected = _by_hand(x, counts)
        np.testing.assert_array_equal(largest_places.largest_in_parts(x, counts), expected)
        np.testing.assert_array_equal(largest_places._places_in_parts(np, x, counts), expected)
        if kind < 2:
            mapped = covector.vmap(lambda x: largest_places.largest_in_parts(x, counts))(np.stack([x, x]))
            np.testing.assert_array_equal(mapped, np.stack([expected, expected]))
