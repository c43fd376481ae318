"""The lanes of `compat/torch/_impl/fastpath` are what their generator makes of the template."""

import importlib.util
import sys
from pathlib import Path

import pytest

import covector.compat.torch as torch

PATH = Path(__file__).resolve().parent / "lanes" / "generate.py"


def test_the_lanes_are_what_the_generator_makes_of_the_template():
    spec = importlib.util.spec_from_file_location("compat_lanes_generate", PATH)
    generator = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for name, text in generator.files().items():
        assert text == (generator.TARGET / name).read_text(encoding="utf-8"), (
            f"python tests/compat/lanes/generate.py writes another {name}: edit tests/compat/lanes/template.txt")


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
