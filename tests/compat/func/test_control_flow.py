"""Conditions, loops and scans of functions of tensors."""

import pytest

import covector.compat.torch as compat
from covector.compat.torch._higher_order_ops import associative_scan, map as mapped, scan
from harness import attempt, double


def script_conditions(torch):
    x = double(torch, 1, 2).requires_grad_()
    found = []
    for pred in (torch.tensor(True), torch.tensor([False]), True, False):
        y = torch.cond(pred, lambda x: x.sin(), lambda x: x * x, (x,))
        found += [y.detach(), *torch.autograd.grad(y.sum(), x)]
    return found, attempt(lambda: torch.cond("x", torch.sin, torch.cos, (x,)))[1], attempt(
        lambda: torch.cond(torch.ones(2) > 0, torch.sin, torch.cos, (x,)))[0]


def script_loops(torch):
    return torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), double(torch, 1, 2)))


def test_scans_are_loops_and_have_their_derivatives():
    x = compat.arange(1.0, 7).double().reshape(2, 3).requires_grad_()
    carry, ys = scan(lambda c, x: ({"c": c["c"] * x}, c["c"] + x), {"c": compat.ones(2).double()}, x, dim=1)
    assert carry["c"].tolist() == [6.0, 120.0] and ys.tolist() == [[2.0, 5.0], [3.0, 9.0], [5.0, 26.0]]
    slope, = compat.autograd.grad(carry["c"].sum(), x)
    assert slope.tolist() == [[6.0, 3.0, 2.0], [30.0, 24.0, 20.0]]
    backwards = scan(lambda c, x: (c + x, c), compat.zeros(2).double(), x.detach(), dim=1, reverse=True)[1]
    assert backwards.tolist() == [[5.0, 11.0], [3.0, 6.0], [0.0, 0.0]]

    def step(left, right):
        return left[0] * right[0], right[0] * left[1] + right[1]

    decay, kept = associative_scan(step, (x, x), 1, combine_mode="generic")
    assert decay.tolist() == [[1.0, 2.0, 6.0], [4.0, 20.0, 120.0]]
    assert kept.tolist() == [[1.0, 4.0, 15.0], [4.0, 25.0, 156.0]]
    sums = associative_scan(compat.add, x.detach(), -1, True, "generic")
    assert sums.tolist() == [[6.0, 5.0, 3.0], [15.0, 11.0, 6.0]]
    assert mapped(lambda x, y: x.sum() * y, x.detach(), 2.0).tolist() == [12.0, 30.0]


def test_what_scans_and_loops_refuse():
    x = compat.ones(2, 3)
    with pytest.raises(RuntimeError, match="scan: All xs leaves must be a Tensor"):
        scan(lambda c, x: (c, x), x, [1.0])
    with pytest.raises(RuntimeError, match=r"dim is 2 and their shapes are \[\(2, 3\)\]"):
        scan(lambda c, x: (c, x), x, x, dim=2)
    with pytest.raises(ValueError, match="at least have 'dim' number of dimensions"):
        associative_scan(compat.add, x, 2, combine_mode="generic")
    with pytest.raises(RuntimeError, match=r"the same length along dim 0, but got \[2, 3\]"):
        scan(lambda c, x: (c, x), x, [x, x.mT])
    with pytest.raises(RuntimeError, match="init leaves"):
        scan(lambda c, x: (c, x), (), x)
    with pytest.raises(ValueError, match="'pointwise' or 'generic', but got odd"):
        associative_scan(compat.add, x, 0, combine_mode="odd")
    with pytest.raises(RuntimeError, match="body_fn should return what it takes"):
        compat.while_loop(lambda i, x: True, lambda i, x: i, (compat.tensor(0), x))
    with pytest.raises(RuntimeError, match="carried_inputs to be a tuple"):
        compat.while_loop(lambda i: True, lambda i: i, x)
