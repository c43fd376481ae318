"""Operands of several dtypes in one call: the dtype and the values of the answer are PyTorch's."""

import pytest

import covector.compat.torch as compat
from harness import attempt

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
