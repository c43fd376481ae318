"""Samples of the operations used often."""

import numpy as np
from surface_first import (
    BATCH,
    IMAGE,
    INDEX,
    KERNEL1,
    MASK,
    PICK,
    SIGNAL,
    SPD,
    SYM,
    T3,
    U3,
    WHOLE,
    A,
    B,
    N,
    P,
    S,
    V,
    W,
    Z,
)
from surface_sample import TIER, Listed, c, random, row

TIER[0] = "Second"
rng = random(1)
X = rng.uniform(-0.9, 0.9, (3, 4))
POSITIVE = rng.uniform(1.1, 3.0, (3, 4))
FRACTION = rng.uniform(0.1, 0.9, (3, 4))
VOLUME, KERNEL3 = rng.normal(size=(1, 2, 4, 4, 3)), rng.normal(size=(3, 2, 2, 2, 2))
BITS = rng.integers(0, 16, (3, 4))
SIGN = np.where(N > 0, 1.0, -1.0)

row("true_divide", c(A, B), c(A, 2), c(WHOLE, 2))
row("log1p expm1 sinh cosh asinh", c(X), c(Z))
row("asin acos atanh", c(X), c(X + 0.3j * P))
row("acosh", c(POSITIVE), c(Z))
row("erf erfc erfinv", c(X))
row("clamp_min clamp_max", c(N, 0.1), c(N, P), c(WHOLE, 2))
row("remainder fmod", c(3 * N, B), c(3 * N, 0.7), c(WHOLE, 2), c(3 * N, -0.7))
row("lerp", c(A, B, 0.3), c(A, B, FRACTION), c(A, end=B, weight=0.7))
row("median", c(N), c(N, dim=1), c(N, dim=0, keepdim=True))
row("addmm", c(S, S, SYM), c(S, S, SYM, beta=0.5, alpha=2.0), c(S[0].copy(), S, SYM))
row("baddbmm", c(T3[:, :, :3].copy(), T3, U3), c(T3[:, :, :3].copy(), T3, U3, beta=0.5, alpha=2.0))
row("kron", c(A, B), c(V, W), c(A, V))
row("cross", c(S, SYM), c(S, SYM, dim=0), c(T3.transpose(0, 2, 1).copy(), U3, dim=2))
row("mT H", c(A))
row("expand_as view_as", c(A, B))
row("index_add", c(A, 1, PICK, B[:, :3].copy()), c(A, dim=0, index=np.array([1, 1]), source=B[:2].copy(), alpha=2.0))
row(
    "index_put",
    c(A, (PICK,), B),
    c(A, (PICK, PICK), B[0, :3].copy()),
    c(A, (np.array([0, 2]),), B[:2].copy(), accumulate=True),
)
row("take_along_dim", c(A, INDEX, dim=0), c(A, np.array([3, 1, 1])))
row("logical_not", c(MASK), c(N))
row("isinf", c(N), c(WHOLE))
row("isclose", c(A, A + 1e-9), c(A, B, rtol=0.5), c(A, B, atol=0.2))
row("empty_like", c(A), random=True)
row("empty", c(2, 3), c((2,)), random=True)
row("new_zeros", c(A, (2, 3)), c(A, 2, 3), c(WHOLE, (2,)))
row("uniform_", c(A), c(A, 1.0, 2.0), random=True)
row("multinomial", c(A, 2), c(A, 2, replacement=True), random=True)
row("diag_embed", c(A), c(V, 1), c(A, offset=-1, dim1=0, dim2=2))
row("roll", c(A, 1), c(A, (1, 2), (0, 1)), c(A, shifts=2, dims=1))
row("unbind", c(A), c(A, dim=1))
row("narrow", c(A, 1, 1, 2), c(A, dim=0, start=1, length=2))
row("select", c(A, 1, 2), c(A, dim=0, index=-1))
row("repeat_interleave", c(A, 2), c(A, 2, dim=1), c(A, np.array([1, 0, 2]), dim=0))
row("contiguous", c(A), c(A.T))
row("rsub", c(A, B), c(A, 2), c(A, 2, alpha=3))
row("linalg.slogdet", c(SPD), c(BATCH), regular=True)
row("nn.functional.elu", c(N), c(N, alpha=0.7))
row(
    "nn.functional.avg_pool2d",
    c(IMAGE, 2),
    c(IMAGE, 3, 2, 1, ceil_mode=True),
    c(IMAGE, 2, count_include_pad=False, padding=1),
)
row("nn.functional.adaptive_avg_pool2d", c(IMAGE, 2), c(IMAGE, (3, 4)))
row("nn.functional.group_norm", c(rng.normal(size=(2, 4, 3)), 2), c(rng.normal(size=(2, 4, 3)), 2, V, W), tol=100)
row("nn.functional.smooth_l1_loss", c(2 * N, P), c(2 * N, P, beta=0.5), c(2 * N, P, reduction="none"))
row(
    "nn.functional.kl_div",
    c(np.log(A), B, reduction="sum"),
    c(np.log(A), np.log(B), log_target=True),
    c(np.log(A), B, reduction="none"),
)
row("nn.functional.logsigmoid", c(N))
row(
    "nn.functional.interpolate",
    c(IMAGE, scale_factor=2),
    c(IMAGE, size=(7, 4), mode="bilinear"),
    c(IMAGE, size=(3, 7), mode="bicubic", align_corners=True),
)
row("log2 log10", c(A), c(Z))
row("exp2", c(N))
row("lgamma digamma", c(POSITIVE))
row("polygamma", c(1, POSITIVE), c(2, POSITIVE))
row("logit", c(FRACTION), c(FRACTION, eps=0.2))
row("sinc", c(N))
row("xlogy", c(A, B), c(A, 2.0), c(2.0, B))
row("hypot logaddexp", c(N, P), c(N, P[0]))
row("nan_to_num", c(N), c(N, nan=1.0, posinf=2.0, neginf=-2.0))
row("angle", c(Z), c(N))
row("polar", c(A, N))
row("complex", c(A, N))
row("view_as_real", c(Z))
row("view_as_complex", c(N.reshape(3, 2, 2)))
row("fmax fmin", c(N, P), c(N, P[0]))
row("bitwise_and bitwise_or bitwise_xor", c(BITS, BITS[::-1].copy()), c(MASK, MASK[::-1].copy()), c(BITS, 5))
row("bitwise_not", c(BITS), c(MASK))
row("logical_xor", c(MASK, MASK[::-1].copy()), c(N, P))
row("equal", c(A, A), c(A, B))
row("isin", c(WHOLE, np.array([1, 3])), c(WHOLE, np.array([1, 3]), invert=True))
row("addcmul addcdiv", c(A, B, POSITIVE), c(A, B, POSITIVE, value=0.5))
row("vdot", c(V, W), c(Z[0], Z[1]))
row("inner", c(V, W), c(A, B))
row("matrix_exp", c(S), c(BATCH * 0.1), tol=10)
row("__rmatmul__", c(A, S))
row("cummax", c(N, dim=1), c(N, dim=0))
row("diff", c(N), c(N, n=2, dim=0), c(N, prepend=A))
row("trapezoid", c(N), c(N, dx=0.5, dim=0), c(N, A))
row("nansum nanmean", c(N), c(N, dim=1), c(N, dim=0, keepdim=True))
row(
    "quantile",
    c(N, 0.3),
    c(N, 0.4, dim=1),
    c(N, np.array([0.2, 0.6]), dim=0, keepdim=True),
    c(N, 0.3, interpolation="nearest"),
)
row("kthvalue", c(N, 2), c(N, 1, dim=0, keepdim=True))
row("mode", c(WHOLE), c(WHOLE, dim=0))
row("aminmax", c(N), c(N, dim=1), c(N, dim=0, keepdim=True))
row("std_mean var_mean", c(N), c(N, dim=1), c(N, dim=0, keepdim=True, correction=0))
row("count_nonzero", c(WHOLE - 2), c(N, dim=1))
row("cov", c(N), c(N, correction=0))
row("histc", c(N, 4), c(N, bins=3, min=-1, max=1))
row("bincount", c(WHOLE[0]), c(WHOLE[0], minlength=9), c(WHOLE[0], A[0].copy()))
row("bucketize", c(N, np.array([-0.5, 0.0, 0.5])), c(N, np.array([-0.5, 0.0, 0.5]), right=True))
row("searchsorted", c(np.array([-0.5, 0.0, 0.5]), N), c(np.array([-0.5, 0.0, 0.5]), N, side="right"), c(np.sort(A), B))
row("argwhere", c(MASK), c(N))
row("index_fill", c(A, 1, PICK, 2.0), c(A, dim=0, index=PICK, value=-1))
row(
    "scatter_reduce",
    *[c(A, 0, INDEX, B[:2].copy(), reduce=r) for r in ("sum", "prod", "mean", "amax", "amin")],
    c(A, 0, INDEX, B[:2].copy(), reduce="sum", include_self=False),
)
row("masked_scatter", c(A, MASK, B))
row("fill_", c(A, 2.0), c(WHOLE, 3))
row("tile", c(A, (2, 1)), c(A, (2, 1, 1)))
row("ravel", c(A), c(T3))
row("unflatten", c(A, 1, (2, 2)), c(A, dim=1, sizes=(-1, 2)))
row("atleast_1d atleast_2d", c(np.array(1.5)), c(V), c(A))
row("broadcast_tensors", c(A, V))
row("broadcast_shapes", c((3, 1), (4,)))
row("hstack vstack dstack", c(Listed([A, B])), c(Listed([V, W])))
row("tensor_split", c(A, 2), c(A, (1, 3), dim=1))
row("split_with_sizes", c(A, [1, 2]), c(A, [1, 3], dim=1))
row("rot90", c(A), c(A, 2), c(T3, -1, (1, 2)))
row("unfold", c(V, 0, 2, 1), c(A, 1, 2, 2))
row("diagflat", c(V), c(A, 1))
row("block_diag", c(A, S))
row("tril_indices triu_indices", c(3, 3), c(3, 4, 1))
row("new_ones", c(A, (2, 3)), c(WHOLE, (2,)))
row("new_full", c(A, (2, 3), 1.5))
row("randint_like", c(A, 5), c(A, 1, 5), random=True)
row("exponential_", c(A), c(A, 2.0), random=True)
row("half cfloat cdouble", c(N), c(WHOLE))
row("cholesky_solve", c(A, np.linalg.cholesky(SPD)), c(A, np.linalg.cholesky(SPD).T.copy(), upper=True), smooth=False)
row("logdet", c(SPD), c(BATCH), regular=True)
row("linalg.pinv", c(S), c(A), tol=100, regular=True)
row(
    "linalg.eig",
    c(SYM + 0.1 * S),
    via=lambda out: (out[0].real.sum(), out[1].abs().sum(0).prod()),
    tol=100,
    regular=True,
)
row("linalg.eigvals", c(SPD), via=lambda out: out.real.sum(-1), regular=True)
row("linalg.eigvalsh", c(SYM), c(BATCH), regular=True)
row("linalg.svdvals", c(A), c(BATCH), regular=True)
row("linalg.lstsq", c(A.T.copy(), rng.normal(size=(4, 2))), via=lambda out: out[0], tol=100, regular=True)
row(
    "linalg.matrix_norm",
    c(A),
    c(A, ord="nuc"),
    c(A, ord=2),
    c(T3, ord=1),
    c(T3, ord="fro", dim=(0, 1), keepdim=True),
    regular=True,
)
row("linalg.matrix_power", c(S, 3), c(SPD, -1), c(BATCH, 2), regular=True)
row("linalg.matrix_rank", c(A), c(BATCH))
row(
    "linalg.solve_triangular",
    c(np.triu(SPD), A, upper=True),
    c(np.tril(SPD), A, upper=False),
    c(np.triu(SPD), SYM, upper=True, left=False),
    regular=True,
)
row("fft.fft2 fft.ifft2", c(N), c(Z), c(T3, s=(2, 3), dim=(0, 1), norm="ortho"))
row("fft.rfft2", c(N), c(T3, s=(2, 3), dim=(0, 1), norm="ortho"))
row("fft.irfft2", c(Z), c(Z, s=(3, 5)))
row("fft.fftshift fft.ifftshift", c(N), c(N, dim=1))
row("special.entr", c(A))
row("special.ndtr", c(N))
row("nn.functional.conv3d", c(VOLUME, KERNEL3), c(VOLUME, KERNEL3, V[:3].copy(), stride=2, padding=1))
row(
    "nn.functional.conv_transpose1d",
    c(SIGNAL, KERNEL1.transpose(1, 0, 2).copy()),
    c(SIGNAL, KERNEL1.transpose(1, 0, 2).copy(), V, stride=2, padding=1, output_padding=1),
)
row(
    "nn.functional.conv_transpose2d",
    c(IMAGE, rng.normal(size=(3, 2, 2, 3))),
    c(IMAGE, rng.normal(size=(3, 2, 2, 3)), stride=2, padding=(1, 0)),
)
row("nn.functional.max_pool1d", c(SIGNAL, 2), c(SIGNAL, 3, stride=1, padding=1))
row("nn.functional.avg_pool1d", c(SIGNAL, 2), c(SIGNAL, 3, stride=1, padding=1))
row("nn.functional.adaptive_avg_pool1d", c(SIGNAL, 3))
row("nn.functional.instance_norm", c(IMAGE), c(SIGNAL, None, None, V[:3].copy(), W[:3].copy()), tol=100)
row("nn.functional.rms_norm", c(T3, (4,)), c(T3, (4,), V), tol=10)
row("nn.functional.unfold", c(IMAGE, 2), c(IMAGE, (2, 3), dilation=1, padding=1, stride=2))
row("nn.functional.pixel_shuffle", c(rng.normal(size=(1, 4, 2, 3)), 2))
row("nn.functional.glu", c(N), c(T3, dim=0))
row(
    "nn.functional.selu nn.functional.mish nn.functional.relu6 nn.functional.hardswish "
    "nn.functional.hardsigmoid nn.functional.softsign",
    c(4 * N),
    c(T3),
)
row("nn.functional.hardtanh", c(2 * N), c(2 * N, -0.5, 0.7))
row("nn.functional.prelu", c(N, np.array([0.25])), c(N, V))
row("nn.functional.softmin", c(N, dim=1), c(T3, dim=-2))
row("nn.functional.huber_loss", c(2 * N, P), c(2 * N, P, delta=0.5), c(2 * N, P, reduction="none"))
row("nn.functional.poisson_nll_loss", c(A, B), c(A, 3 * B, log_input=False, full=True))
row("nn.functional.gaussian_nll_loss", c(N, P, A), c(N, P, A, full=True, reduction="none"))
row("nn.functional.margin_ranking_loss", c(N, P, SIGN), c(N, P, SIGN, margin=0.3, reduction="none"))
row("nn.functional.triplet_margin_loss", c(N, P, A), c(N, P, A, margin=2.0, p=3.0, swap=True))
row(
    "nn.functional.cosine_embedding_loss",
    c(N, P, SIGN[:, 0].copy()),
    c(N, P, SIGN[:, 0].copy(), margin=0.2, reduction="none"),
)
row("nn.functional.pairwise_distance", c(N, P), c(N, P, p=1.0, keepdim=True))
row(
    "nn.functional.grid_sample",
    c(IMAGE, rng.uniform(-1.2, 1.2, (2, 2, 3, 2)), align_corners=False),
    c(IMAGE, rng.uniform(-1.2, 1.2, (2, 2, 3, 2)), mode="nearest", padding_mode="border", align_corners=True),
    smooth=False,
)
row("nn.functional.dropout2d", c(IMAGE, 0.0), c(IMAGE, 0.5, training=False))
E = rng.normal(size=(3, 1, 4))
row(
    "nn.functional.multi_head_attention_forward",
    c(
        E,
        E * 0.7,
        E + 0.3,
        4,
        2,
        rng.normal(size=(12, 4)),
        rng.normal(size=12),
        None,
        None,
        False,
        0.0,
        rng.normal(size=(4, 4)),
        rng.normal(size=4),
    ),
    tol=100,
)
