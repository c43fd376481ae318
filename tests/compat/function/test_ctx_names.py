"""Attributes of a ctx may have any name: those that a node itself has are the user's in the user's code."""

import pytest

import covector.compat.torch as torch

NAMES = """
steps run check saved rule parents seq extra free more edges operands places changed guarded pruned undefined name lost
modified count state shapes kept outputs needs value node args
""".split()


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_of_any_name_reaches_backward(name):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, [1, 2])
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            assert getattr(ctx, name) == [1, 2]
            (x,) = ctx.saved_tensors
            return grad * 2 * x / x

    x = torch.ones(2, requires_grad=True)
    y = Double.apply(x * 3)
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
