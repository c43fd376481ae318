"""Tensors and NumPy arrays that share memory."""

import numpy as np
import pytest

import covector.compat.torch as torch


def test_writes_through_numpy_are_noticed():
    x = torch.ones(3, requires_grad=True)
    y = torch.ones(3)
    z = (x * y).sum()
    alias = y.numpy()
    before = y._version
    alias[0] = 7.0
    assert y._version == before + 1 and y.tolist() == [7.0, 1.0, 1.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_an_alias_that_is_gone_costs_nothing():
    y = torch.ones(3)
    alias = y.numpy()
    del alias
    assert y._version == 0
    assert torch.from_numpy(y.numpy()).tolist() == [1.0, 1.0, 1.0]


def test_from_numpy_shares_memory_both_ways():
    a = np.zeros(3)
    t = torch.from_numpy(a)
    t.add_(1)
    a[0] = 9.0
    assert t.tolist() == [9.0, 1.0, 1.0] and a.tolist() == [9.0, 1.0, 1.0]


def test_writes_of_tensors_count_once_beside_an_alias():
    x, y = torch.ones(3), torch.ones(3, requires_grad=True) * 1
    aliases = x.numpy(), y.detach().numpy()
    for t in (x, y):
        t.add_(1)
        assert t._version == 1
        t += torch.ones(3)
        assert t._version == 2
        t[0] = 2.0
        assert t._version == 3
        with torch.no_grad():
            t.mul_(3)
            t[1:].copy_(t[:2].clone())
        assert t._version == 5
    assert aliases[0].tolist() == x.tolist() and aliases[1].tolist() == y.tolist()


def test_a_write_before_a_value_was_saved_is_no_write_after_it():
    w = torch.ones(3, requires_grad=True)
    y = w * 1
    alias = y.detach().numpy()
    y.mul_(2)
    z = (y * y).sum()
    assert y._version == 1 and alias[0] == 2.0
    z.backward()
    assert w.grad.tolist() == [8.0, 8.0, 8.0]
