"""Rows of a table in bags: by loops, by NumPy and by hand they are the same, where some rows are left out too."""

import numpy as np
import pytest

import covector
from covector.core.ops.indexing import bags


def _given(dtype):
    rng = np.random.default_rng(0)
    return rng.integers(-3, 4, (9, 5)).astype(dtype), rng.integers(0, 9, 40), np.sort(rng.integers(0, 40, 8))


def _by_hand(places, starts, count, padding):
    numbers = [(starts <= i).sum() - 1 for i in range(len(places))]
    return [k if k < count and p != padding else -1 for k, p in zip(numbers, places)]


@pytest.mark.parametrize("count", [8, 7])
@pytest.mark.parametrize("padding", [-1, 3])
def test_bags_are_numbered_in_the_order_of_their_starts(count, padding):
    _, places, starts = _given("f8")
    expected = _by_hand(places, starts, count, padding)
    for numbers, sizes in (bags.bag_numbers(places, starts, count, padding),
                           bags._numbers(np, places, starts, count, padding)):
        np.testing.assert_array_equal(numbers, expected)
        np.testing.assert_array_equal(sizes, [expected.count(k) for k in range(count)])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_sums_and_largest_elements_of_bags(dtype):
    x, places, starts = _given(dtype)
    numbers, _ = bags.bag_numbers(places, starts, 8, 3)
    parts = [x[places[numbers == k]] for k in range(8)]
    for sums, tops in ((bags.gathered_sums, bags.largest_gathered),
                       (lambda *a: bags._sums(np, *a), lambda *a: bags._tops(np, *a))):
        np.testing.assert_array_equal(sums(x, places, numbers, 8), [part.sum(0) for part in parts])
        found = tops(x, places, numbers, 8)
        for part, rows, k in zip(parts, found, range(8)):
            first = part.argmax(0) if len(part) else np.full(5, -1)
            np.testing.assert_array_equal(rows, places[numbers == k][first] if len(part) else first)
    weights = np.arange(40.0).reshape(8, 5).astype(dtype)
    slope = covector.grad(lambda x: (bags.gathered_sums(x, places, numbers, 8) * weights).sum())(x)
    expected = np.zeros_like(x)
    np.add.at(expected, places[numbers >= 0], weights[numbers[numbers >= 0]])
    np.testing.assert_array_equal(slope, expected)


@pytest.mark.parametrize("place", [(9, 0), (0, 2)])
def test_a_row_or_a_bag_that_is_not_there_raises(place):
    with pytest.raises(IndexError):
        bags.gathered_sums(np.ones((9, 2)), np.array(place[:1]), np.array(place[1:]), 2)
