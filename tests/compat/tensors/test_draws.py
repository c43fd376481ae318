"""Draws of indices with replacement: each row by its own weights, however many are drawn at once."""

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
