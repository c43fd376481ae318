"""Writes through views of several steps: the gradient goes to the elements that were written to, call after call."""

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch._impl.inplace import copy_slices
from covector.compat.torch._impl.state import plain

SHAPES = [(8,), (2, 4), (4, 2), (1, 8)]
VIEWS = {
    "turned row": lambda y: y.view(2, 4).t()[0],
    "turned block": lambda y: y.view(2, 4).t()[1:3],
    "block of a block": lambda y: y.view(4, 2)[1:3][0],
    "column": lambda y: y.view(2, 4)[:, 1],
    "cube": lambda y: y.view(2, 2, 2).transpose(0, 2)[1],
    "strided": lambda y: y.as_strided((2, 2), (2, 1), 1).t()[0],
    "one element": lambda y: y.view(2, 4)[1][2],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_write_scales_the_gradient_of_its_elements(view):
    for shape in SHAPES * 2:  # the second time their places are known
        x = torch.arange(8.0, dtype=torch.float64).reshape(shape).requires_grad_()
        y = x * 1.0
        view(y).mul_(3.0)
        y.sum().backward()
        marks = torch.ones(shape, dtype=torch.float64)
        view(marks).fill_(3.0)
        expected = marks.numpy()
        assert (x.grad.numpy() == expected).all(), shape
        assert (y.detach().numpy() == expected * np.arange(8.0).reshape(shape)).all()


def test_a_base_in_another_order():
    x = torch.arange(8.0, dtype=torch.float64).requires_grad_()
    for order in (False, True, False):
        x.grad = None
        y = (x * 1.0).view(2, 4)
        y = (y.t().clone(memory_format=torch.contiguous_format) if order else y) * 1.0
        y[1].view(-1)[0:1].mul_(5.0)
        y.sum().backward()
        assert np.flatnonzero(x.grad.numpy() == 5.0).tolist() == [1 if order else 4]


def test_what_is_kept_is_bounded():
    for n in range(2, 400):
        y = torch.ones(n, 2, requires_grad=True) * 1.0
        y.t()[0].mul_(2.0)
    assert plain.OPEN[0] <= len(copy_slices._INDICES) <= 256


def _gradient(x, create_graph):
    y = x * 1.0
    for i in (2, 5, 2):
        y[i] *= 1.0 + i
    y[4, 1] *= 3.0
    return torch.autograd.grad((y**3).sum(), x, create_graph=create_graph)[0]


def test_parts_that_are_written_twice_give_the_same_gradients_with_a_graph():
    x = torch.tensor(np.linspace(0.5, 1.5, 24).reshape(8, 3), requires_grad=True)
    found = _gradient(x, True)
    assert torch.equal(found.detach(), _gradient(x, False))
    assert torch.autograd.gradcheck(lambda x: _gradient(x, True), x)
