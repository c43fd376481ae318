"""What goes past the lanes: the road of an operation at a level, and of one that is another."""

import pytest

import covector.compat.torch as torch


@pytest.mark.parametrize("call", [lambda x: torch.sum(), lambda x: torch.special.entr(), lambda x: torch.mm(x),
                                  lambda x: torch.special.entr(x, x), lambda x: torch.matmul()])
def test_a_wrong_number_of_operands_is_refused_at_a_level(call):
    with pytest.raises(TypeError):
        torch.func.grad(call)(torch.ones(2, 2))
    with pytest.raises(TypeError), torch.autograd.forward_ad.dual_level():
        call(torch.autograd.forward_ad.make_dual(torch.ones(2, 2), torch.ones(2, 2)))


def test_linear_with_a_bias_is_addmm_as_in_pytorch():
    x, w, b = (torch.rand(*s, requires_grad=True) for s in ((3, 4), (2, 4), (2,)))
    for _ in range(3):
        y = torch.nn.functional.linear(x, w, b)
    assert [f.name() for f, _ in y.grad_fn.next_functions] == [
        "torch::autograd::AccumulateGrad", "torch::autograd::AccumulateGrad", "TBackward0"]
    assert y.grad_fn.name() == "AddmmBackward0" and y.tolist() == (x @ w.T + b).tolist()
