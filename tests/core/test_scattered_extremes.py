"""Extremes of what lands on one place: by loops and by operations the same, by hand too, where NaN or equals are."""

import numpy as np
import pytest

import covector
from covector.core.ops.indexing import extremes as extremes

EXTREME = extremes.scattered_extreme


def _by_hand(x, src, index, fresh, largest):
    """The extremes along the first axis, and equal shares of 1 for what attains them, as every NaN does."""
    out, to_x, to_src = np.empty_like(x), np.zeros_like(x), np.zeros_like(src)
    for n, c in np.ndindex(x.shape):
        landed = np.flatnonzero(index[:, c] == n)
        own = not (fresh and len(landed))
        found = np.array([*src[landed, c], *[x[n, c]] * own])
        out[n, c] = found.max() if largest else found.min()
        hit = np.isnan(found) | (found == out[n, c])
        to_src[landed, c] = hit[:len(landed)] / hit.sum()
        to_x[n, c] = hit[-1] / hit.sum() if own else 0
    return out, to_x, to_src


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("fresh", [False, True])
def test_loops_operations_and_extremes_by_hand_agree(fresh, largest, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    x, src = (np.where(rng.random(s) < 0.1, np.nan, rng.integers(0, 4, s)).astype(dtype) for s in ((30, 4), (75, 4)))
    index = rng.integers(0, 25, (75, 4))
    expected = _by_hand(x, src, index, fresh, largest)
    for loops in (True, False):
        if not loops:
            monkeypatch.setattr(extremes, "_PULLED", lambda *_: None)
        value, pull = covector.vjp(lambda x, src: EXTREME(x, src, index, 0, fresh, largest), x, src)
        for found, wanted in zip((value, *pull(np.ones_like(x))), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
    ones = np.ones_like(x), np.ones_like(src)
    moved = covector.jvp(lambda x, src: EXTREME(x, src, index, 0, fresh, largest), (x, src), ones)[1]
    np.testing.assert_allclose(moved[~np.isnan(expected[0])], 1, rtol=1e-6)
