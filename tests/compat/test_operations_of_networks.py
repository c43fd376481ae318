"""Pooling, resampling, losses and layers: values, dtypes and all derivatives as in PyTorch."""


import numpy as np
import pytest

import covector.compat.torch as compat
from harness import table

rng = np.random.default_rng(3)
X1, X2, X3 = rng.normal(size=(2, 3, 7)), rng.normal(size=(2, 3, 5, 6)), rng.normal(size=(1, 2, 4, 3, 5))
S2 = rng.normal(size=(1, 4, 4, 6))
A, B = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
P, Q = rng.uniform(0.2, 0.9, (3, 4)), rng.uniform(0.2, 0.9, (3, 4))
SIGN = np.where(rng.uniform(size=(3, 4)) > 0.5, 1.0, -1.0)
GRID = rng.uniform(-1.3, 1.3, (1, 3, 2, 2))
NOVMAP, VALUES = {"vmap": False}, {"orders": 0, "forward": False, "vmap": False}


def F(name, *args, **named):
    """A call of `torch.nn.functional.name(x, …)`."""
    return lambda m, *x: getattr(m.nn.functional, name)(*x, *args, **named)


def constant(f):
    """A loss whose target asks for no gradient."""
    return lambda m, x, y: f(m, x, y.detach())


CALLS = [
    *[(f"max_pool{n}d", F(f"max_pool{n}d", 2), x) for n, x in ((1, X1), (2, X2), (3, X3))],
    ("max_pool2d ceil", F("max_pool2d", 3, 2, 1, ceil_mode=True), X2),
    ("max_pool2d indices", F("max_pool2d", 2, return_indices=True), X2),
    ("max_pool2d wide", F("max_pool2d", (2, 3), (1, 2), (1, 0), (2, 1)), X2),
    *[(f"avg_pool{n}d", F(f"avg_pool{n}d", 3, 2, 1, True, False), x) for n, x in ((1, X1), (2, X2), (3, X3))],
    ("avg_pool2d ceil", F("avg_pool2d", 3, 2, 1, ceil_mode=True), X2),
    *[(f"adaptive_avg_pool{n}d", F(f"adaptive_avg_pool{n}d", 2), x) for n, x in ((1, X1), (2, X2), (3, X3))],
    ("adaptive_avg_pool2d up", F("adaptive_avg_pool2d", (None, 9)), X2),
    *[(f"adaptive_max_pool{n}d", F(f"adaptive_max_pool{n}d", 2, True), x) for n, x in ((1, X1), (2, X2), (3, X3))],
    (
        "max_unpool2d",
        lambda m, x: m.nn.functional.max_unpool2d(*m.nn.functional.max_pool2d(x, 2, return_indices=True), 2),
        S2,
        NOVMAP,
    ),
    (
        "max_unpool1d",
        lambda m, x: m.nn.functional.max_unpool1d(*m.nn.functional.max_pool1d(x, 2, return_indices=True), 2),
        X1,
        NOVMAP,
    ),
    ("lp_pool2d", F("lp_pool2d", 2, 2), np.abs(X2)),
    ("lp_pool1d", F("lp_pool1d", 3, 2, 1), np.abs(X1)),
    *[
        (f"interpolate {k}", F("interpolate", size=(7, 4), mode=k), X2)
        for k in ("nearest", "bilinear", "bicubic", "area", "nearest-exact")
    ],
    *[
        (f"interpolate {k} by", F("interpolate", scale_factor=1.7, mode=k), X2)
        for k in ("nearest", "bilinear", "bicubic")
    ],
    ("interpolate corners", F("interpolate", size=(7, 4), mode="bicubic", align_corners=True), X2),
    ("interpolate linear", F("interpolate", 9, mode="linear"), X1),
    ("interpolate trilinear", F("interpolate", 3, mode="trilinear"), X3),
    *[
        (
            f"grid_sample {k} {p} {a}",
            F("grid_sample", k, p, a),
            X2[:1].copy(),
            GRID,
            {"vmap": False, "orders": 1 if k == "bicubic" else 2},
        )
        for k in ("bilinear", "nearest", "bicubic")
        for p in ("zeros", "border", "reflection")
        for a in (True, False)
    ],
    ("grid_sample 3d", F("grid_sample", align_corners=False), X3, rng.uniform(-1.3, 1.3, (1, 2, 2, 1, 3)), NOVMAP),
    ("affine_grid", F("affine_grid", (1, 1, 2, 3), align_corners=False), rng.normal(size=(1, 2, 3)), NOVMAP),
    ("pixel_shuffle", F("pixel_shuffle", 2), S2),
    ("pixel_unshuffle", F("pixel_unshuffle", 2), S2),
    ("channel_shuffle", F("channel_shuffle", 2), S2, {"forward": False, "vmap": False}),
    ("fold", F("fold", (5, 5), 3, padding=1, stride=2), rng.normal(size=(1, 18, 9))),
    *[
        (f"poisson_nll_loss {a} {b}", constant(F("poisson_nll_loss", a, b)), P, Q * 3)
        for a in (True, False)
        for b in (True, False)
    ],
    ("gaussian_nll_loss", F("gaussian_nll_loss", full=True), A, B, P, NOVMAP),
    ("gaussian_nll_loss small", F("gaussian_nll_loss", eps=0.5), A, B, P, {"vmap": False, "forward": False}),
    ("margin_ranking_loss", lambda m, x, y, t: m.nn.functional.margin_ranking_loss(x, y, t.detach(), 0.2), A, B, SIGN),
    (
        "cosine_embedding_loss",
        lambda m, x, y, t: m.nn.functional.cosine_embedding_loss(x, y, t.detach(), 0.1),
        A,
        B,
        SIGN[:, 0].copy(),
    ),
    ("triplet_margin_loss", F("triplet_margin_loss", swap=True), A, B, P),
    ("triplet_margin_loss 3", F("triplet_margin_loss", 0.3, 3.0), A, B, P),
    ("triplet_margin_with_distance_loss", F("triplet_margin_with_distance_loss", swap=True), A, B, P),
    ("hinge_embedding_loss", constant(F("hinge_embedding_loss")), A, SIGN),
    ("soft_margin_loss", constant(F("soft_margin_loss")), A, SIGN),
    (
        "multi_margin_loss",
        F("multi_margin_loss", 2, 0.5),
        A,
        np.array([3, 0, 1]),
        {"orders": 1, "forward": False, "vmap": False},
    ),
    (
        "multilabel_margin_loss",
        F("multilabel_margin_loss"),
        A,
        np.array([[3, 0, -1, 1], [-1, 0, 0, 0], [2, 1, 0, -1]]),
        {"orders": 1, "forward": False, "vmap": False},
    ),
    ("multilabel_soft_margin_loss", constant(F("multilabel_soft_margin_loss")), A, (SIGN + 1) / 2),
    *[
        (f"pdist {p}", F("pdist", p), A, {"orders": 1, "forward": False, "vmap": False})
        for p in (1.0, 2.0, 3.0, float("inf"))
    ],
    (
        "ctc_loss",
        lambda m, x, t: m.nn.functional.ctc_loss(m.log_softmax(x, 2), t, (6, 5), (3, 2)),
        rng.normal(size=(6, 2, 4)),
        np.array([[1, 2, 2], [3, 1, 0]]),
        {"orders": 1, "forward": False, "vmap": False},
    ),
    (
        "ctc_loss none",
        lambda m, x, t: m.nn.functional.ctc_loss(m.log_softmax(x, 2), t, (6, 5), (3, 0), 3, "none"),
        rng.normal(size=(6, 2, 4)),
        np.array([1, 2, 2]),
        {"orders": 1, "forward": False, "vmap": False},
    ),
    ("instance_norm", F("instance_norm"), X2, {"vmap": False}),
    (
        "instance_norm weight",
        lambda m, x, w, b: m.nn.functional.instance_norm(x, None, None, w, b),
        X1,
        A[:, 0].copy(),
        B[:, 0].copy(),
        NOVMAP,
    ),
    ("local_response_norm", F("local_response_norm", 2, 0.3), X1),
    ("local_response_norm 3", F("local_response_norm", 3, 0.3, 0.5, 2.0), X2),
    ("bilinear", F("bilinear"), A, B[:, :3].copy(), rng.normal(size=(2, 4, 3)), rng.normal(size=2)),
    ("rrelu", F("rrelu"), A, NOVMAP),
    *[
        (
            f"embedding_bag {k}",
            F("embedding_bag", mode=k),
            np.array([[1, 2, 0], [2, 2, 1]]),
            A,
            {"forward": False, "vmap": False},
        )
        for k in ("sum", "mean", "max")
    ],
    (
        "embedding_bag offsets",
        lambda m, i, w, o, s: m.nn.functional.embedding_bag(i, w, o, mode="sum", per_sample_weights=s),
        np.array([1, 2, 0, 1]),
        A,
        np.array([0, 3]),
        A[0],
        {"orders": 1, "forward": False, "vmap": False},
    ),
    (
        "multi_head_attention_forward",
        lambda m, q, k, w, b, o: m.nn.functional.multi_head_attention_forward(
            q, k, k, 4, 2, w, b, None, None, True, 0.0, o, None
        ),
        rng.normal(size=(3, 2, 4)),
        rng.normal(size=(5, 2, 4)),
        rng.normal(size=(12, 4)),
        rng.normal(size=12),
        rng.normal(size=(4, 4)),
        {"vmap": False, "forward": False},
    ),
    ("constant_pad_nd", lambda m, x: m.constant_pad_nd(x, (1, -1, 0, 2), 3.0), A),
]


def script_refusals_of_networks(T):
    F, t = T.nn.functional, T.tensor
    return table(
        [
            lambda: F.max_pool2d(T.ones(2, 2), 2),
            lambda: F.max_pool2d(T.arange(30).view(1, 5, 6), 3, 2, 1),
            lambda: F.max_pool2d(T.ones(1, 4, 4), 2, 1, 2),
            lambda: F.avg_pool2d(T.ones(1, 4, 4), 2, divisor_override=0),
            lambda: F.max_unpool2d(T.ones(1, 2, 2), T.zeros(1, 2, 3).long(), 2),
            lambda: F.interpolate(T.ones(1, 1, 3), 2, mode="bilinear"),
            lambda: F.interpolate(T.ones(1, 1, 3)),
            lambda: F.interpolate(T.ones(1, 1, 3), 2, 2),
            lambda: F.interpolate(T.ones(1, 1, 3), 2, align_corners=True),
            lambda: F.grid_sample(T.ones(1, 1, 3, 4), T.ones(1, 2, 2, 3)),
            lambda: F.grid_sample(T.ones(1, 1, 3, 4), T.ones(1, 2, 2, 2), "x"),
            lambda: F.pixel_shuffle(T.ones(3, 2, 2), 2),
            lambda: F.pixel_unshuffle(T.ones(3, 3, 2), 2),
            lambda: F.channel_shuffle(T.ones(1, 3, 2), 2),
            lambda: F.poisson_nll_loss(T.ones(2), T.ones(2), reduction="x"),
            lambda: F.gaussian_nll_loss(T.ones(2), T.ones(2), -T.ones(2)),
            lambda: F.gaussian_nll_loss(T.ones(2), T.ones(2), T.ones(3)),
            lambda: F.cosine_embedding_loss(T.ones(2), T.ones(2), T.ones(2)),
            lambda: F.triplet_margin_loss(T.ones(1, 2), T.ones(1, 2), T.ones(1, 2), margin=-1),
            lambda: F.multi_margin_loss(T.ones(1, 2), t([2])),
            lambda: F.pdist(T.ones(2)),
            lambda: F.mse_loss(T.ones(3), T.zeros(3), reduce=False),
            lambda: F.l1_loss(T.ones(3), T.zeros(3), size_average=False),
            lambda: F.ctc_loss(T.log_softmax(T.ones(2, 1, 3), 2), t([[1, 1]]), (2,), (2,), reduction="none"),
            lambda: F.ctc_loss(T.log_softmax(T.ones(2, 1, 3), 2), t([[1, 1]]), (2,), (2,), zero_infinity=True),
            lambda: F.instance_norm(T.ones(2, 3, 1)),
            lambda: F.local_response_norm(T.ones(2, 3), 2),
            lambda: F.bilinear(T.ones(2, 3), T.ones(2, 3), T.ones(2, 3, 4)),
            lambda: F.dropout2d(T.ones(2, 3), 2.0),
            lambda: F.embedding_bag(t([1, 2]), T.ones(3, 2)),
            lambda: F.dropout2d(T.ones(2, 2, 2, 2), 1.0),
            lambda: sorted(set(F.dropout2d(T.ones(20, 5, 2, 2), 0.5).view(-1).tolist())),
            lambda: sorted({round(v, 4) for v in F.alpha_dropout(T.ones(200), 0.3, True).tolist()}),
            lambda: F.gumbel_softmax(T.ones(3, 4), hard=True).sum(-1),
            lambda: F.feature_alpha_dropout(T.ones(2, 2, 2), 1.0, True),
            lambda: F.embedding_bag(
                t([1, 2, 0, 1]), T.arange(6.0).view(3, 2), t([0, 2, 2]), mode="mean", padding_idx=1
            ),
            lambda: F.grid_sample(
                T.arange(12.0).view(1, 1, 3, 4),
                t([float("nan"), 0, float("inf"), 0.0]).view(1, 1, 2, 2),
                align_corners=False,
            ),
        ],
        contiguous=True,
    )


def script_activations_in_place(T):
    F, out = T.nn.functional, []
    for name, args in (
        ("leaky_relu", (0.1,)),
        ("silu", ()),
        ("elu", (1.0,)),
        ("threshold", (0.0, 5.0)),
        ("hardtanh", (-1.0, 1.0)),
        ("relu", ()),
        ("mish", ()),
        ("selu", ()),
    ):
        x = T.tensor([-1.0, 2.0])
        out += [getattr(F, name)(x, *args, inplace=True) is x, x]
    y = T.tensor([-1.0, 2.0], requires_grad=True)
    z = y * 1
    F.leaky_relu(z, 0.1, True)
    z.sum().backward()
    return out, z.detach(), y.grad


def script_running_statistics_of_instances(T):
    m, v = T.zeros(3), T.ones(3)
    return T.nn.functional.instance_norm(T.arange(24.0).view(2, 3, 4), m, v), m, v


def script_weights_groups_and_dtypes_are_heard(T):
    F, one, w = T.nn.functional, T.ones(3), T.tensor([1.0, 2.0, 3.0])
    q, k = T.arange(16.0).view(1, 4, 2, 2).sin(), T.arange(8.0).view(1, 2, 2, 2).cos()
    places = T.empty(0, dtype=T.int64)
    T.nonzero(T.tensor([0, 1, 2]), out=places)
    return places.tolist(), table(
        [
            lambda: F.mse_loss(one, one * 0, weight=w),
            lambda: F.huber_loss(one * 3, one * 0, weight=w),
            lambda: F.mse_loss(one, one * 0, weight=w[:2]),
            lambda: F.scaled_dot_product_attention(q, k, k, enable_gqa=True),
            lambda: T.linalg.norm(T.ones(2, 2), dtype=T.float64),
            lambda: T.linalg.matrix_norm(T.ones(2, 2), dtype=T.float64),
            lambda: T.norm(T.tensor([[1.0, 2.0], [3.0, 4.0]]), "nuc"),
        ],
        contiguous=True,
    )


def script_dtypes_of_activations(T):
    names = (
        "relu relu6 leaky_relu elu selu celu silu mish gelu softplus hardsigmoid hardswish hardtanh logsigmoid "
        "softsign hardshrink softshrink sigmoid tanh"
    )
    kinds = (T.bool, T.uint8, T.int64, T.complex64, T.bfloat16, T.float16)
    out = []
    for name in names.split():
        for kind in kinds:
            x = T.tensor([[1, 2, 0], [1, 1, 1]]).to(kind)
            answer = table([lambda x=x, name=name: getattr(T.nn.functional, name)(x).dtype])
            out.append((name, str(kind), answer))
    return out


def script_refusals_by_shape_and_value(T):
    F, t = T.nn.functional, T.tensor
    x, y = t([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]]), t([0, 1])
    square = T.ones(2, 2)
    return table(
        [
            lambda: F.cross_entropy(x, T.ones(3)),
            lambda: F.cross_entropy(x, T.ones(1, 3)),
            lambda: F.cross_entropy(x, y, weight=T.ones(2)),
            lambda: F.nll_loss(x, y, weight=T.ones(2)),
            lambda: F.nll_loss(x.long(), y),
            lambda: F.cross_entropy(T.tensor([[1j, 2j]]), t([0])),
            lambda: F.softmax(t([[1j, 2j]]), 0),
            lambda: F.rms_norm(x, (2,)),
            lambda: F.rms_norm(x.bfloat16(), (3,)),
            lambda: F.rms_norm(x.half(), (3,)),
            lambda: F.layer_norm(x, ()),
            lambda: F.embedding(t([0, -1]), x),
            lambda: F.embedding(t([0]), x, padding_idx=7),
            lambda: F.embedding(t([0.0]), x),
            lambda: F.scaled_dot_product_attention(x, x, x, attn_mask=square.bool(), is_causal=True),
            lambda: F.hardtanh(x, 1.0, -1.0),
            lambda: F.mse_loss(x.long(), x.long()),
            lambda: F.mse_loss(t([1j]), t([2j])),
            lambda: F.mse_loss(x.long(), x + 1),
            lambda: F.binary_cross_entropy(t([0.5]), t([1.5])),
            lambda: F.huber_loss(x, x + 1, delta=-1.0),
            lambda: F.smooth_l1_loss(x, x + 1, beta=-1.0),
            lambda: F.kl_div(x, x),
            lambda: F.max_pool1d(t([[1j, 2j]]), 2),
        ],
        contiguous=True,
    )


def with_gradient(loss, x):
    """A loss, detached, and the gradient of its sum."""
    x = x.requires_grad_()
    value = loss(x)
    value.sum().backward()
    return value.detach(), x.grad


def script_cross_entropy_of_one_example_without_a_batch(torch):
    weight = torch.tensor([0.5, 2.0, 1.0])
    return [with_gradient(lambda x: torch.nn.functional.cross_entropy(
        x, target, weight, reduction=r, label_smoothing=s), torch.tensor([0.5, -1.0, 2.0]))
        for target in (torch.tensor(1), torch.tensor([0.2, 0.3, 0.5])) for r in ("none", "mean", "sum")
        for s in (0.0, 0.1)]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy_of_one_example_is_that_of_a_batch_of_one(smoothing):
    x, f = compat.tensor([0.5, -1.0, 2.0]), compat.nn.functional.cross_entropy
    alone = f(x, compat.tensor(1), label_smoothing=smoothing)
    assert alone.item() == pytest.approx(f(x[None], compat.tensor([1]), label_smoothing=smoothing).item())


def script_a_weighted_absolute_loss(torch):
    y, weight = torch.tensor([1.0, 1.0, -1.0]), torch.tensor([1.0, 3.0, 0.5])
    l1_loss = torch.nn.functional.l1_loss
    return [with_gradient(lambda x: l1_loss(x, y, reduction=r, weight=weight), torch.tensor([0.5, -1.0, 2.0]))
            for r in ("none", "mean", "sum")], table([lambda: l1_loss(y, y, weight=weight[:2])])


def test_a_weighted_absolute_loss_has_the_mean_by_its_weights():
    x, y, weight = (compat.tensor(v) for v in ([0.5, -1.0], [1.0, 1.0], [1.0, 3.0]))
    assert compat.nn.functional.l1_loss(x, y, weight=weight).item() == (0.5 + 3 * 2.0) / 4


def script_pooling_with_arguments_that_pytorch_takes(torch):
    x = torch.arange(16.0, dtype=torch.float64).reshape(1, 1, 4, 4)
    f = torch.nn.functional
    return [f.avg_pool2d(x, 2, None), f.avg_pool2d(x, 2, stride=None, padding=1), f.lp_pool2d(x, 3.0, 2),
            f.lp_pool1d(x[0], 1.5, 2)]
