"""Samples of the operations used most."""

import numpy as np
from surface_sample import TIER, Dtype, Listed, c, random, row

TIER[0] = "First"
rng = random(0)
A, B = rng.uniform(0.2, 0.9, (3, 4)), rng.uniform(0.3, 0.8, (3, 4))
N, P = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
M, V, W = rng.normal(size=(4, 5)), rng.normal(size=4), rng.normal(size=4)
S = rng.normal(size=(3, 3))
SPD = S @ S.T + 3 * np.eye(3)
SYM = S + S.T
T3, U3 = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 4, 3))
BATCH = np.stack([SPD, SPD + 0.1 * SYM])
INDEX = np.array([[0, 1, 2, 1], [2, 0, 1, 0]])
PICK = np.array([2, 0, 2])
MASK = A > 0.5
WHOLE = rng.integers(1, 6, (3, 4))
Z = N + 1j * P

row("add sub", c(A, B), c(A, B[0]), c(A, 2), c(A, B, alpha=3), c(WHOLE, 2), c(Z, B))
row("mul", c(A, B), c(A, B[0]), c(A, 2), c(WHOLE, 2.5), c(Z, B))
row("div", c(A, B), c(A, 2), c(N, B, rounding_mode="floor"), c(WHOLE, 2), c(WHOLE, 2, rounding_mode="trunc"), c(Z, B))
row("neg abs exp sin cos tan tanh sigmoid atan square", c(N), c(Z), c(T3))
row("log sqrt rsqrt reciprocal", c(A), c(Z))
row("pow", c(A, B), c(A, 2), c(A, 2.5), c(A, -1), c(2.0, A), c(WHOLE, 2))
row("atan2", c(N, P), c(N, P[0]))
row("floor ceil sign", c(3 * N), c(WHOLE))
row("round", c(3 * N), c(3 * N, decimals=1), c(WHOLE))
row("clamp", c(N, -0.3, 0.4), c(N, min=-0.2), c(N, max=0.3), c(N, min=P), c(N, P, P + 0.5))
row("maximum minimum", c(N, P), c(N, P[0]), c(WHOLE, WHOLE[::-1].copy()))
row("floor_divide", c(3 * N, B), c(3 * N, 2), c(WHOLE, 2))
row("max min", c(N), c(N, dim=1), c(N, dim=0, keepdim=True), c(N, P))
row("sum", c(N), c(N, dim=1), c(T3, dim=(0, 2), keepdim=True), c(WHOLE), c(N, dtype=Dtype("float32")))
row("mean", c(N), c(N, dim=1), c(T3, dim=(0, 2), keepdim=True), c(WHOLE, dtype=Dtype("float64")))
row("prod", c(N), c(N, dim=1), c(N, dim=0, keepdim=True), c(WHOLE))
row(
    "var std",
    c(N),
    c(N, dim=1),
    c(T3, dim=(0, 2), keepdim=True),
    c(N, dim=1, unbiased=False),
    c(N, dim=0, correction=2),
)
row("amax amin", c(N), c(N, dim=1), c(T3, dim=(0, 2), keepdim=True))
row("argmax argmin", c(N), c(N, dim=1), c(N, dim=0, keepdim=True))
row("all any", c(MASK), c(MASK, dim=1), c(N, dim=(0, 1)), c(MASK, dim=0, keepdim=True))
row("cumsum cumprod", c(N, dim=1), c(N, dim=0), c(WHOLE, dim=0), c(N, dim=0, dtype=Dtype("float32")))
row("logsumexp", c(N, dim=1), c(T3, dim=(0, 2), keepdim=True))
row("norm", c(N), c(N, p=1, dim=1), c(N, p=3), c(N, dim=0, keepdim=True), c(N, p=float("inf")))
row("softmax log_softmax", c(N, dim=1), c(T3, dim=-2), c(N, dim=0, dtype=Dtype("float32")))
row("matmul", c(A, M), c(V, W), c(A, V), c(T3, U3), c(T3, M), c(V, M))
row("mm", c(A, M))
row("bmm", c(T3, U3))
row("mv", c(A, V))
row("dot", c(V, W))
row("einsum", c("ij,jk->ik", A, M), c("ij,ij->", A, B), c("ii->i", S), c("bij,bjk,k->bi", T3, U3, V[:3].copy()))
row("outer", c(V, W))
row("tensordot", c(A, M, dims=1), c(T3, U3, dims=([2], [1])))
row("trace", c(S))
row("cat", c(Listed([A, B])), c(Listed([A, M.T.copy()]), dim=0), c(Listed([A, B]), dim=-1))
row("stack", c(Listed([A, B])), c(Listed([A, B]), dim=-1))
row("split", c(A, 2), c(A, 3, dim=1), c(A, [1, 3], dim=1))
row("chunk", c(A, 2), c(A, 3, dim=1))
row("reshape", c(A, (4, 3)), c(A, (-1,)))
row("view", c(A, (4, 3)), c(A, -1), c(A, 2, 6))
row("flatten", c(T3), c(T3, start_dim=1), c(T3, 0, 1))
row("permute", c(T3, (2, 0, 1)))
row("transpose", c(T3, 0, 2), c(A, dim0=0, dim1=1))
row("t", c(A), c(V))
row("T", c(A))
row("unsqueeze", c(A, 1), c(A, dim=-1))
row("squeeze", c(A[:1]), c(A[:1], 0), c(A[:1, :1], dim=(0, 1)))
row("expand", c(A[:1], 3, 4), c(A[:1], (2, 3, 4)), c(A[:1], -1, 4))
row("repeat", c(A, 2, 1), c(A, (2, 1, 1)))
row("broadcast_to", c(A[0], (3, 4)))
row("gather", c(A, 0, INDEX), c(A, dim=1, index=INDEX))
row("scatter", c(A, 0, INDEX, B[:2]), c(A, 0, INDEX, 2.0), c(A, dim=0, index=INDEX[:, :2].copy(), src=B))
row("scatter_add", c(A, 0, INDEX, B[:2]), c(A, dim=1, index=INDEX, src=B))
row("index_select", c(A, 1, PICK), c(A, dim=0, index=PICK))
row(
    "__getitem__",
    c(A, 1),
    c(A, (slice(1), slice(None, None, 2))),
    c(A, None),
    c(A, PICK),
    c(A, MASK),
    c(A, (Ellipsis, 1)),
)
row("where", c(MASK, A, B), c(MASK, A, 0.0), c(MASK, A, B[0]), c(MASK))
row("masked_fill", c(A, MASK, -1.0), c(A, MASK[0], 2))
row("masked_select", c(A, MASK), c(A, MASK[0]))
row("sort", c(N), c(N, dim=0), c(N, dim=1, descending=True), c(WHOLE, dim=1, stable=True))
row("argsort", c(N), c(N, dim=0), c(N, dim=1, descending=True))
row("topk", c(N, 2), c(N, 2, dim=0), c(N, 3, largest=False))
row("unique", c(WHOLE), c(WHOLE, return_inverse=True, return_counts=True), c(WHOLE, dim=0))
row("nonzero", c(MASK), c(N), c(MASK, as_tuple=True))
row("eq ne lt le gt ge", c(WHOLE, WHOLE[::-1].copy()), c(N, P), c(WHOLE, 3), c(N, 0.5))
row("logical_and logical_or", c(MASK, MASK[::-1].copy()), c(N, P))
row("isnan isfinite", c(N), c(WHOLE), c(Z))
row("allclose", c(A, A + 1e-9), c(A, B), c(A, A + 1e-3, rtol=0.1))
row("zeros ones", c(2, 3), c((2, 3)), c(2, dtype=Dtype("int64")))
row("full", c((2, 3), 1.5), c((2,), 3), c((2,), 3, dtype=Dtype("float64")))
row("eye", c(3), c(2, 3))
row("arange", c(5), c(1, 4), c(0.0, 1.0, 0.25), c(5, 1, -1))
row("linspace", c(0, 1, 5), c(-1.0, 1.0, steps=4))
row("zeros_like ones_like", c(A), c(WHOLE), c(A, dtype=Dtype("float32")))
row("full_like", c(A, 2.5), c(WHOLE, 3))
row("randn", c(2, 3), c((2, 3)), random=True)
row("rand_like randn_like", c(A), random=True)
row("randint", c(5, (2, 3)), c(1, 5, (2,)), random=True)
row("normal", c(A, B), c(0.0, B), c(A, 1.0), c(0.0, 1.0, (2, 3)), random=True)
row("bernoulli", c(A), c(A, 0.5), random=True)
row("triu tril", c(N), c(N, 1), c(T3, diagonal=-1))
row("diag", c(S), c(V), c(S, 1), c(V, -1))
row("diagonal", c(S), c(T3, 1, 1, 2), c(A, offset=-1))
row("flip", c(A, (0, 1)), c(T3, dims=(2,)))
row("movedim", c(T3, 0, 2), c(T3, (0, 1), (2, 0)))
row("meshgrid", c(V, W[:3].copy(), indexing="ij"), c(V, W, indexing="xy"))
row("cdist", c(A, B), c(T3, T3 + 0.3), c(A, B, p=1.0), c(A, B, p=float("inf")))
row("float double long int bool", c(N), c(WHOLE))
row("to", c(N, Dtype("float32")), c(WHOLE, Dtype("float64")), c(N, dtype=Dtype("float64")))
row("clone", c(N), c(N.T))
row("item", c(np.array(1.5)), c(np.array(3)))
row("__radd__ __rmul__", c(N, 2), c(N, 2.5))
row("__rsub__ __rdiv__", c(A, 2), c(A, 2.5))
row("__rpow__", c(N, 2), c(N, 2.5))
row("linalg.inv", c(SPD), c(BATCH), regular=True)
row("linalg.solve", c(SPD, V[:3].copy()), c(SPD, A), c(BATCH, T3), c(SPD, SYM, left=False), regular=True)
row("linalg.det", c(SPD), c(BATCH), regular=True)
row("linalg.cholesky", c(SPD), c(BATCH), c(SPD, upper=True), regular=True)


def sizes(*places):
    """The outputs with the signs of some removed."""
    return lambda out: tuple([o.abs() if i in places else o for i, o in enumerate(out)])


row("linalg.eigh", c(SYM), c(BATCH), via=sizes(1), tol=100, regular=True)
row("linalg.svd", c(SPD + S), c(A, full_matrices=False), via=sizes(0, 2), tol=100, regular=True)
row("linalg.qr", c(S), c(A.T.copy()), c(A), via=sizes(0, 1), tol=100, regular=True)
row("linalg.norm", c(V), c(A), c(A, ord=1), c(A, ord="fro", dim=(0, 1)), c(A, dim=1), c(A, ord=float("inf")))
row("linalg.vector_norm", c(A), c(A, ord=1), c(A, ord=3, dim=1), c(A, dim=0, keepdim=True), c(A, ord=float("inf")))
IMAGE, KERNEL = rng.normal(size=(2, 3, 5, 6)), rng.normal(size=(4, 3, 3, 2))
SIGNAL, KERNEL1, BIAS = rng.normal(size=(2, 3, 7)), rng.normal(size=(4, 3, 3)), rng.normal(size=4)
CHANNELS = rng.uniform(0.3, 0.9, (3, 2))
ROWS_, LABELS = rng.normal(size=(3, 5)), np.array([1, 0, 4])

row(
    "nn.functional.relu nn.functional.gelu nn.functional.silu nn.functional.softplus nn.functional.leaky_relu",
    c(N),
    c(T3),
)
row("nn.functional.linear", c(A, M.T.copy()), c(A, M.T.copy(), M[0].copy()), c(T3, M.T.copy()))
row(
    "nn.functional.conv1d",
    c(SIGNAL, KERNEL1),
    c(SIGNAL, KERNEL1, BIAS, stride=2, padding=1),
    c(SIGNAL, KERNEL1[:3, :1].copy(), groups=3, padding="same"),
)
row(
    "nn.functional.conv2d",
    c(IMAGE, KERNEL),
    c(IMAGE, KERNEL, BIAS, stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
    c(IMAGE, KERNEL[:3, :1].copy(), groups=3),
)
row("nn.functional.max_pool2d", c(IMAGE, 2), c(IMAGE, (2, 3), stride=1, padding=1), c(IMAGE, 3, ceil_mode=True))
row(
    "nn.functional.pad",
    c(A, (1, 2)),
    c(IMAGE, (1, 1, 2, 0), mode="reflect"),
    c(IMAGE, (1, 1), mode="constant", value=2.0),
    c(SIGNAL, (1, 2), mode="replicate"),
    c(SIGNAL, (1, 2), mode="circular"),
)
row(
    "nn.functional.batch_norm",
    c(IMAGE, CHANNELS[:, 0].copy(), CHANNELS[:, 1].copy()),
    c(IMAGE, None, None, CHANNELS[:, 0].copy(), CHANNELS[:, 1].copy(), training=True),
    tol=100,
)
row("nn.functional.layer_norm", c(T3, (4,)), c(T3, (3, 4), A, B), tol=100)
row("nn.functional.dropout", c(N, 0.0), c(N, p=1.0), c(N, 0.5, training=False))
row("nn.functional.embedding", c(LABELS, ROWS_.T.copy()), c(INDEX, A.T.copy(), padding_idx=1))
row(
    "nn.functional.cross_entropy",
    c(ROWS_, LABELS),
    c(ROWS_, LABELS, reduction="sum"),
    c(ROWS_, LABELS, label_smoothing=0.1),
    c(ROWS_, LABELS, ignore_index=0),
    c(N, A),
    c(ROWS_, LABELS, weight=rng.uniform(0.3, 1, 5), reduction="none"),
)
row(
    "nn.functional.nll_loss",
    c(ROWS_, LABELS),
    c(ROWS_, LABELS, reduction="none"),
    c(ROWS_, LABELS, weight=rng.uniform(0.3, 1, 5)),
    c(ROWS_, LABELS, ignore_index=4),
)
row("nn.functional.mse_loss nn.functional.l1_loss", c(N, P), c(N, P, reduction="sum"), c(N, P, reduction="none"))
row(
    "nn.functional.binary_cross_entropy",
    c(A, B),
    c(A, B, weight=A.round(1), reduction="none"),
    c(A, B, reduction="sum"),
)
row(
    "nn.functional.binary_cross_entropy_with_logits",
    c(N, B),
    c(N, B, pos_weight=B[0].copy()),
    c(N, B, reduction="none"),
)
Q4, K4, V4 = (rng.normal(size=(2, 2, 3, 4)) for _ in range(3))
row(
    "nn.functional.scaled_dot_product_attention",
    c(Q4, K4, V4),
    c(Q4, K4, V4, is_causal=True),
    c(Q4, K4, V4, attn_mask=rng.normal(size=(3, 3))),
    c(T3, T3, T3, scale=0.3),
    tol=100,
)
row("nn.functional.one_hot", c(LABELS), c(INDEX, num_classes=5))
row("nn.functional.normalize", c(N), c(N, p=3.0, dim=0), c(T3, dim=-1))
row("nn.functional.cosine_similarity", c(N, P), c(T3, T3 + 0.5, dim=-1))
row("fft.fft fft.ifft", c(N), c(Z), c(N, n=6, dim=0, norm="ortho"), c(Z, n=3))
row("fft.rfft", c(N), c(N, n=5, norm="forward"), c(N, dim=0))
row("fft.irfft", c(Z), c(Z, n=5), c(Z, dim=0, norm="ortho"))
row("real", c(Z), c(N))
row("imag", c(Z))
row("conj", c(Z), c(N))
