"""covector.ops: sums, products and extremes of segments."""

import numpy as np
import pytest

import covector as cv
from covector.testing import check_grads

RNG = np.random.default_rng(4)
ROWS = RNG.normal(size=(7, 2))
IDS = np.array([0, 3, 0, -1, 1, 9, 3])
LOOPS = {"sum": (np.sum, 0.0), "prod": (np.prod, 1.0), "max": (np.max, -np.inf), "min": (np.min, np.inf)}


def by_loop(name, rows, ids, count):
    reduce, empty = LOOPS[name]
    return np.stack([reduce(rows[ids == k], axis=0) if np.any(ids == k) else np.full(rows.shape[1:], empty)
                     for k in range(count)])


@pytest.mark.parametrize("name", LOOPS)
def test_segments_are_those_of_a_loop_in_every_mode(name):
    segments = getattr(cv.ops, f"segment_{name}")
    expected = by_loop(name, ROWS, IDS, 4)
    np.testing.assert_allclose(segments(ROWS, IDS, 4), expected)
    np.testing.assert_allclose(cv.jit(lambda rows, ids: segments(rows, ids, 4))(ROWS, IDS), expected)
    many = cv.vmap(lambda rows, ids: segments(rows, ids, 4))(np.stack([ROWS, 2 * ROWS]), np.stack([IDS, IDS[::-1]]))
    np.testing.assert_allclose(many, [expected, by_loop(name, 2 * ROWS, IDS[::-1], 4)])
    check_grads(lambda rows: segments(rows, IDS, 4)[np.array([0, 1, 3])], (ROWS,), order=2)


@pytest.mark.parametrize("name", LOOPS)
def test_dtypes_and_numbers_of_segments(name):
    segments = getattr(cv.ops, f"segment_{name}")
    for dtype in (np.float32, np.int64):
        assert segments(np.ones(3, dtype), np.array([0, 2, 0])).dtype == dtype
    assert segments(np.ones(3), np.array([0, 2, 0])).shape == (3,)
    assert segments(np.ones((0, 2)), np.zeros(0, int)).shape == (0, 2)
    empty = segments(np.ones(1, int), np.array([1]), 2)[0]
    assert empty == {"sum": 0, "prod": 1, "max": np.iinfo(int).min, "min": np.iinfo(int).max}[name]


def test_what_does_not_fit_is_said():
    with pytest.raises(ValueError, match=r"segment_sum needs one integer for each row, but .*\(2,\).*\(3,\); give the"):
        cv.ops.segment_sum(np.ones(3), np.array([0, 1]))
    with pytest.raises(ValueError, match="segment_max needs one integer for each row, but .*float64"):
        cv.ops.segment_max(np.ones(3), np.ones(3))
    with pytest.raises(TypeError, match="segment_sum counts its segments by segment_ids, which are traced; give num"):
        cv.jit(cv.ops.segment_sum)(np.ones(3), np.array([0, 1, 0]))
