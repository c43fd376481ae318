"""Arguments of another kind than an operation takes, beside PyTorch: bools and arrays as axes, sizes one by one in
functions, numbers that the dtype of an operation does not hold."""

import pytest

import covector.compat.torch as compat
from harness import pytorch

pytestmark = pytest.mark.reference

AXES = [f"x.{name}" for name in (
    "transpose({}, 0)", "select({}, 0)", "unsqueeze({})", "squeeze({})", "unbind({})", "flatten({})", "diagonal({})",
    "narrow({}, 0, 1)", "movedim({}, 0)", "sum({})", "softmax({})", "argmax({})", "cumsum({})", "sort({})", "flip({})",
    "size({})", "stride({})", "chunk({})", "split({})", "tensor_split({})", "hsplit({})", "unfold({}, 1, 1)",
    "topk({})", "new_zeros({})", "reshape({}, 6)")]
KINDS = ["True", "torch.tensor(True)", "torch.tensor([1])", "torch.tensor(1)", "torch.tensor(1.0)", "'1'", "1.0"]
# What else differs: PyTorch iterates over a tensor of sizes of parts; here it is one size.
PARTS = {f"x.{name}split({kind})" for name in ("", "h") for kind in KINDS if "tensor" in kind} | {
    "x.new_zeros(torch.tensor(True))"}
ARGUMENTS = [call.format(kind) for call in AXES for kind in KINDS] + [
    "torch.reshape(x, 6)", "torch.permute(x, 1, 0)", "torch.flip(x, 0, 1)", "torch.tile(x, 2, 1)", "x.flip(0, 1)",
    "torch.broadcast_to(x, 2, 3)", "x.permute(1, 0)", "x.reshape(3, 2)", "x.tile(2, 1)", "x.count_nonzero(0)",
    "x.type_as(None)", "torch.transpose(x, True, False)", "torch.count_nonzero(x, 0, 1)"]
NUMBERS = [call.format(number) for number in ("1e39", "-1e39", "70000.0", "2**64", "2**40", "1j", "300", "0.5")
           for call in (
    "x.add(y, alpha={})", "x.add_(y, alpha={})", "x.sub(y, alpha={})", "x.clone().sub_(y, alpha={})", "x.add({})",
    "x.mul({})", "x.addcmul(y, y, value={})", "x.addcdiv(y, y, value={})", "x.lerp(y, {})", "x.clamp({})",
    "x.clamp(max={})", "x.clone().clamp_(min={})", "x.addmm(q, x, alpha={})", "x.addmm(q, x, beta={})",
    "torch.where(x > 2, x, {})", "x.clone().fill_({})", "x.masked_fill(x > 2, {})", "torch.full((2,), {})",
    "torch.nn.functional.leaky_relu(x, {})", "torch.nn.functional.hardshrink(x, {})",
    "x.half().add(y.half(), alpha={})", "x.half().clamp({})", "x.half().addcmul(y.half(), y.half(), value={})",
    "x.int().sub(y.int(), alpha={})")]


def outcome(torch, call):
    """The shapes and dtypes that a call gives, or "refused"."""
    x = torch.arange(6.0).reshape(2, 3)
    try:
        found = eval(call, {"torch": torch, "x": x, "y": x + 1, "q": torch.ones(2, 2)})
    except (TypeError, RuntimeError, OverflowError, ValueError, IndexError):
        return "refused"
    return [(tuple(t.shape), str(t.dtype).rpartition(".")[2]) if hasattr(t, "dtype") else t
            for t in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("call", [call for call in (*ARGUMENTS, *NUMBERS) if call not in PARTS])
def test_arguments_are_taken_and_refused_as_in_pytorch(call):
    assert outcome(compat, call) == outcome(pytorch(), call)
