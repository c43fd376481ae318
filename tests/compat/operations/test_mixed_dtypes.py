"""Operands of several dtypes in one call, numbers beside tensors: dtypes, values and refusals are PyTorch's."""

import numpy as np
import pytest

import covector.compat.torch as compat
from harness import attempt, rounds_as, table

KINDS = ("float32", "float64", "float16", "int64", "uint8", "bool")
# Functions of two tensors whose answer has the common dtype by PyTorch's rule: float32 of float32 and any integers.
COMMON = {
    "addr": lambda m, x, y: m.addr(x, x[:, 0], y[0]),
    "diff": lambda m, x, y: m.diff(x, prepend=y),
    "dist": lambda m, x, y: m.dist(x, y, 3.0),
    "kron": lambda m, x, y: m.kron(x, y),
    "l1_loss": lambda m, x, y: m.nn.functional.l1_loss(x, y),
    "smooth_l1_loss": lambda m, x, y: m.nn.functional.smooth_l1_loss(x, y),
    "huber_loss": lambda m, x, y: m.nn.functional.huber_loss(x, y),
    "pairwise_distance": lambda m, x, y: m.nn.functional.pairwise_distance(x, y),
    "margin_ranking_loss": lambda m, x, y: m.nn.functional.margin_ranking_loss(x, x.flip(0), y),
    "triplet_margin_loss": lambda m, x, y: m.nn.functional.triplet_margin_loss(x, y, x.flip(1)),
    "soft_margin_loss": lambda m, x, y: m.nn.functional.soft_margin_loss(x, y),
    "multilabel_soft_margin_loss": lambda m, x, y: m.nn.functional.multilabel_soft_margin_loss(x, y),
    "hinge_embedding_loss": lambda m, x, y: m.nn.functional.hinge_embedding_loss(x, y),
    "poisson_nll_loss": lambda m, x, y: m.nn.functional.poisson_nll_loss(x, y),
    "gaussian_nll_loss": lambda m, x, y: m.nn.functional.gaussian_nll_loss(x, y, x.abs() + 1),
    "as_strided_scatter": lambda m, x, y: m.as_strided_scatter(x, y[0], (3,), (1,), 2),
    "rms_norm": lambda m, x, y: m.nn.functional.rms_norm(x, (3,), y[0]),
}


def operands(torch, first, second):
    x = torch.tensor([[0.5, 2.0, -1.5], [1.0, 0.0, 3.0]])
    x = x.abs() if first == "uint8" else x
    return x.to(getattr(torch, first)), torch.tensor([[1, 0, 3], [1, 1, 0]]).to(getattr(torch, second))


@pytest.mark.parametrize("name", COMMON)
def test_integers_beside_float32_leave_it_at_that(name):
    assert COMMON[name](compat, *operands(compat, "float32", "int64")).dtype is compat.float32


@pytest.mark.parametrize("name", COMMON)
def test_mixed_operands_give_what_operands_of_the_answers_dtype_give(name):
    given = COMMON[name](compat, *operands(compat, "float32", "int64"))
    same = COMMON[name](compat, *operands(compat, "float32", "float32"))
    assert given.tolist() == pytest.approx(same.tolist(), rel=1e-6) if not given.ndim else compat.equal(given, same)


def common(torch, name):
    out = []
    for first in ("float32", "float64", "int64"):
        for second in KINDS:
            x, y = operands(torch, first, second)
            answer = attempt(lambda: COMMON[name](torch, x, y))
            out.append((first, second, answer if not isinstance(answer, tuple) else "raised"))
    return out


@rounds_as("float32", "exponentials and norms of single precision are added to what is double")
def script_the_dtype_of_losses(torch):
    skipped = {"rms_norm", "smooth_l1_loss", "gaussian_nll_loss"}  # computed for integers here
    return [(name, common(torch, name)) for name in COMMON if name not in skipped]


def script_parameters_of_normalizations_leave_the_dtype_alone(torch):
    f, half = torch.nn.functional, torch.tensor([[0.5, 2.0, -1.5, 1.0]], dtype=torch.float16)
    w, b = torch.tensor([1.0, 0.5, 2.0, -1.0]), torch.tensor([0.0, 1.0, 0.0, 0.5])
    return [str(t.dtype) for t in (
        f.layer_norm(half, (4,), w, b), f.group_norm(half, 2, w, b), f.rms_norm(half.float(), (4,), w.double()),
        f.instance_norm(half.reshape(1, 4, 1).expand(1, 4, 3), weight=w, bias=b),
        f.huber_loss(half, half.float()), f.soft_margin_loss(half, half.float()),
        f.binary_cross_entropy_with_logits(w, b, weight=b.double()))]


def script_hinge_loss_of_integers(torch):
    x, y = torch.tensor([3, -2, 5]), torch.tensor([1, -1, 0])
    loss = torch.nn.functional.hinge_embedding_loss
    return [loss(x, y, m, reduction=r) for m in (1.0, 6.2) for r in ("none", "sum")], attempt(lambda: loss(x, y))


# What a number becomes in a tensor of a small dtype, by the name of what puts it there.
PUTS = {
    "full": lambda m, d, v: m.full((2,), v, dtype=d),
    "fill_": lambda m, d, v: m.ones(2, dtype=d).fill_(v),
    "fill_ tensor": lambda m, d, v: m.ones(2, dtype=d).masked_fill(m.tensor([True, False]), m.tensor(v)),
    "masked_fill": lambda m, d, v: m.ones(2, dtype=d).masked_fill(m.tensor([True, False]), v),
    "index_fill": lambda m, d, v: m.ones(2, dtype=d).index_fill(0, m.tensor([0]), v),
    "scatter": lambda m, d, v: m.ones(2, dtype=d).scatter(0, m.tensor([0]), v),
    "pad": lambda m, d, v: m.nn.functional.pad(m.ones(2, dtype=d), (1, 0), value=float(v)),
    "assign": lambda m, d, v: assigned(m.ones(2, dtype=d), 0, v),
    "assign by mask": lambda m, d, v: assigned(m.ones(2, dtype=d), m.tensor([True, False]), v),
    "assign by index": lambda m, d, v: assigned(m.ones(2, dtype=d), m.tensor([0]), v),
    "threshold": lambda m, d, v: m.nn.functional.threshold(m.ones(2, dtype=d) * 2, v, 1.0),
    "linspace": lambda m, d, v: m.linspace(0, v, 3, dtype=d),
    "addcmul": lambda m, d, v: m.addcmul(*[m.ones(2, dtype=d)] * 3, value=v),
}
NUMBERS = (-1, -1.0, -0.5, 3, 3.7, 127.5, 128, 255.5, 256, -129, 70000.0, float("nan"), float("inf"))


def assigned(t, index, value):
    t[index] = value
    return t


def script_numbers_put_into_tensors_of_integers(torch):
    return [(name, d, v, table([lambda: put(torch, getattr(torch, d), v)])) for name, put in PUTS.items()
            for d in ("uint8", "int8", "int64") for v in NUMBERS if "linspace" not in name or abs(v) < 1e9]


def script_numbers_put_into_tensors_of_half_precision(torch):
    return [(name, v, table([lambda: put(torch, torch.float16, v)])) for name, put in PUTS.items()
            for v in NUMBERS if "assign" in name or abs(v) < 60000.0]


@pytest.mark.parametrize("name", [n for n in PUTS if n != "addcmul"])
@pytest.mark.parametrize("value", [255.5, 256, 70000.0, float("nan"), -0.5])
def test_a_number_that_does_not_fit_is_refused(name, value):
    for _ in range(3):  # calls that are repeated take another way
        with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
            PUTS[name](compat, compat.uint8, value)


def test_factors_of_integers_are_whole_numbers():
    assert PUTS["addcmul"](compat, compat.int64, 3.7).tolist() == [4, 4]
    assert PUTS["addcmul"](compat, compat.int64, 3.7).dtype is compat.int64


def test_a_power_by_a_boolean_is_one_by_a_whole_number():
    assert (compat.tensor([2, 3], dtype=compat.uint8) ** True).dtype is compat.uint8


def script_complex_numbers_have_no_order(torch):
    x = torch.ones(2)
    return [x == 1j, x != 1j], [attempt(f)[:2] for f in (
        lambda: x < 1j, lambda: x <= 1j, lambda: x > 1j, lambda: torch.ge(x, 1j), lambda: x.clamp(1j),
        lambda: x.to(torch.int64) < 1j, lambda: x.long().clamp(1j), lambda: x.clamp(0, 1j), lambda: x.clamp_min(1j),
        lambda: x.clamp_max_(1j), lambda: x.clamp(x + 1j), lambda: (x + 1j).clamp(1), lambda: (x + 1j).clamp(x),
        lambda: (x + 1j).clamp_max(1), lambda: (x + 1j).clip(1j))]


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "clamp_min"])
def test_complex_numbers_have_no_order(name):
    with pytest.raises(NotImplementedError, match="[Cc]omplex"):
        getattr(compat, name)(compat.ones(2), 1j)


def script_truth_of_what_the_common_dtype_makes_of_a_number(torch):
    small, large = torch.ones(2, dtype=torch.uint8), torch.tensor(256)
    return [getattr(torch, f"logical_{name}")(small, large) for name in ("and", "or", "xor")]


def script_powers_of_booleans_and_powers_without_end(torch):
    b, x = torch.tensor([True, False]), torch.tensor([0.5, 1.0, -2.0])
    return [b ** 2, b ** 0, b ** True, b ** False, b ** 2.0, x ** float("inf"), x ** -float("inf"),
            torch.float_power(x, float("inf"))], attempt(lambda: b ** -1)


def test_a_power_of_a_boolean_by_a_whole_number_is_a_whole_number():
    assert (compat.tensor([True, False]) ** 2).dtype is compat.int64


def script_a_scaled_operand_keeps_the_common_dtype(torch):
    half, whole, flag = torch.ones(2, dtype=torch.float16), torch.tensor([1, 2]), torch.tensor([True, False])
    return [torch.add(half, whole, alpha=1.5), torch.sub(half, whole, alpha=2), torch.add(whole, half, alpha=0.5),
            torch.add(torch.tensor(3.5, dtype=torch.float64), whole, alpha=2), torch.add(flag, flag, alpha=True),
            torch.ldexp(half, whole), torch.ldexp(whole, whole), np.int64(3) / torch.tensor([2.0])], table([
                lambda: torch.add(whole, whole, alpha=1.5), lambda: torch.add(half, half, alpha=1j)])


def test_a_scaled_operand_keeps_the_common_dtype():
    half = compat.ones(2, dtype=compat.float16)
    assert compat.add(half, compat.tensor([1, 2]), alpha=1.5).dtype is compat.float16
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        compat.add(compat.tensor([1]), compat.tensor([1]), alpha=1.5)
