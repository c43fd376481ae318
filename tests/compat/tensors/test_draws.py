"""Draws of indices with replacement: each row by its own weights, however many are drawn at once."""

import numpy as np
import pytest

from covector.compat import torch


@pytest.mark.parametrize("count", [3, 30_000])  # by comparison, and by search
def test_draws_with_replacement_go_by_their_rows(count):
    weights = torch.tensor([[0.0, 1.0, 0.0, 3.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    drawn = weights.multinomial(count, True, generator=torch.Generator().manual_seed(3))
    assert drawn.shape == (3, count) and drawn.dtype == torch.int64
    assert set(drawn[0].tolist()) <= {1, 3} and set(drawn[1].tolist()) == {0} and drawn.max() < 5
    if count > 3:
        for row, w in zip(drawn, weights):
            assert (row.bincount(minlength=5).double() / count - w / w.sum()).abs().max() < 0.02


@pytest.mark.parametrize("shape", [(), (3, 5), (0, 4)])
def test_single_precision_is_whole_numbers_of_24_bits(shape):
    torch.manual_seed(4)
    mine = torch.rand(shape).numpy()
    places = np.random.Generator(np.random.PCG64(4)).integers(0, 2**24, shape)
    assert mine.dtype == np.float32 and np.array_equal(mine, np.float32(places * 2.0**-24))


def test_a_permutation_is_the_same_alone_and_for_each_example():
    torch.manual_seed(4)
    alone = torch.randperm(9)
    torch.manual_seed(4)
    each = torch.func.vmap(lambda x: torch.randperm(9) + x, randomness="different")(torch.zeros(1, dtype=torch.int64))
    assert torch.equal(alone, each[0]) and sorted(alone.tolist()) == list(range(9))
