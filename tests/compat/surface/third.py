"""Samples of the other operations of the surface."""

import numpy as np
from surface_first import (
    BATCH,
    IMAGE,
    INDEX,
    LABELS,
    MASK,
    SIGNAL,
    SPD,
    SYM,
    T3,
    WHOLE,
    A,
    B,
    N,
    P,
    S,
    V,
    W,
    Z,
    sizes,
)
from surface_sample import TIER, Dtype, Listed, c, random, row
from surface_second import BITS, FRACTION, POSITIVE, SIGN, VOLUME, X

TIER[0] = "Third"
rng = random(2)
DEGREE = np.array([0, 1, 2, 3])
row("cauchy_ log_normal_", c(A), c(A, 1.0, 2.0), random=True)
row("geometric_", c(A, 0.3), random=True)
row("addmv", c(V[:3].copy(), A, W), c(V[:3].copy(), A, W, beta=0.5, alpha=2.0))
row("addbmm", c(S, T3, T3.transpose(0, 2, 1).copy()), c(S, T3, T3.transpose(0, 2, 1).copy(), beta=0.5, alpha=2.0))
row("addr", c(A, V[:3].copy(), W), c(A, V[:3].copy(), W, beta=0.5, alpha=2.0))
row("bitwise_left_shift bitwise_right_shift", c(BITS, BITS % 4), c(BITS, 2))
row("combinations", c(V), c(V, 3, with_replacement=True))
row("cartesian_prod", c(V, W[:2].copy()))
row("cholesky", c(SPD), c(SPD, upper=True), regular=True)
row("cholesky_inverse", c(np.linalg.cholesky(SPD)), c(np.linalg.cholesky(SPD).T.copy(), upper=True), smooth=False)
row("sum_to_size", c(A, 1, 4), c(A, (3, 1)))
row("positive", c(N), c(WHOLE))
row("conj_physical resolve_conj resolve_neg", c(Z), c(N))
row("copysign", c(N, P), c(N, -1.0))
row("corrcoef", c(N))
row("cummin", c(N, dim=1), c(N, dim=0))
row("deg2rad rad2deg", c(N), c(WHOLE))
row("diagonal_scatter", c(S, V[:3].copy()), c(A, V[:3].copy(), offset=1))
row("frac", c(3 * N))
SOUND = rng.normal(size=32)
SPECTRUM = rng.normal(size=(5, 9)) + 1j * rng.normal(size=(5, 9))
row(
    "stft",
    c(SOUND, 8, 4, return_complex=True, window=np.hanning(8) + 0.1),
    c(SOUND, 8, center=False, return_complex=True, onesided=True),
    tol=10,
)
row("istft", c(SPECTRUM, 8, 4, window=np.hanning(8) + 0.1), c(SPECTRUM, 8, 4, center=True, length=20), tol=100)
row("fliplr flipud", c(A))
row("i0", c(N))
row("frexp", c(3 * N))
row("geqrf", c(S), via=sizes(0), smooth=False, regular=True)
row("gradient", c(V), c(A, dim=1), c(A, spacing=0.5))
row("logspace", c(0.0, 1.0, 5), c(-1, 1, steps=3, base=2.0))
row("ldexp", c(N, WHOLE))
row("logaddexp2", c(N, P))
LU, PIVOTS = np.tril(S) + np.triu(SPD, 1) + 2 * np.eye(3), np.array([2, 2, 3], np.int32)
row("lu_unpack", c(LU, PIVOTS))
row("lu_solve", c(A, LU, PIVOTS), regular=True)
row("nanmedian", c(N), c(N, dim=1), c(N, dim=0, keepdim=True))
row(
    "nanquantile",
    c(N, 0.3),
    c(N, 0.4, dim=1),
    c(N, np.array([0.2, 0.6]), dim=0, keepdim=True),
    c(N, 0.3, interpolation="nearest"),
)
row("heaviside", c(N, P))
row("lcm gcd", c(WHOLE, BITS))
row("nn.functional.adaptive_avg_pool3d nn.functional.adaptive_max_pool3d", c(VOLUME, 2), c(VOLUME, (2, 1, 3)))
row("nn.functional.adaptive_max_pool1d", c(SIGNAL, 3), c(SIGNAL, 2, return_indices=True))
row("nn.functional.adaptive_max_pool2d", c(IMAGE, 3), c(IMAGE, (2, 3), return_indices=True))
row("nn.functional.avg_pool3d nn.functional.max_pool3d", c(VOLUME, 2), c(VOLUME, 2, stride=1, padding=1))
row(
    "nn.functional.conv_transpose3d",
    c(VOLUME, rng.normal(size=(2, 1, 2, 2, 2))),
    c(VOLUME, rng.normal(size=(2, 1, 2, 2, 2)), stride=2),
)
row("nn.functional.local_response_norm", c(IMAGE, 2), c(SIGNAL, 3, alpha=0.3, beta=0.5, k=2.0))
row("constant_pad_nd", c(A, (1, 2)), c(A, (1, -1, 2, 0), 3.0))
row("nn.functional.upsample_bilinear", c(IMAGE, (7, 4)), c(IMAGE, scale_factor=2))
row("nn.functional.upsample_nearest", c(IMAGE, (7, 4)), c(IMAGE, scale_factor=2))
row("nn.functional.soft_margin_loss", c(N, SIGN), c(N, SIGN, reduction="none"))
row("nn.functional.multi_margin_loss", c(N, LABELS % 4), c(N, LABELS % 4, p=2, margin=0.5, reduction="none"))
row("nn.functional.multilabel_margin_loss", c(N, np.array([[3, 0, -1, 1], [-1, 0, 0, 0], [2, 1, 0, -1]])))
row("nn.functional.multilabel_soft_margin_loss", c(N, (SIGN + 1) / 2), c(N, (SIGN + 1) / 2, reduction="none"))
row("nn.functional.max_unpool1d", c(SIGNAL[:, :, :2].copy(), np.array([[[0, 3]] * 3] * 2), 2))
row("nn.functional.max_unpool2d", c(IMAGE[:, :, :1, :2].copy(), np.array([[[[0, 7]]] * 3] * 2), 2))
row("nn.functional.max_unpool3d", c(VOLUME[:, :, :1, :1, :2].copy(), np.array([[[[[0, 7]]]] * 2]), 2))
row(
    "nn.functional.bilinear",
    c(A, B[:, :3].copy(), rng.normal(size=(2, 4, 3)), V[:2].copy()),
    c(A, B[:, :3].copy(), rng.normal(size=(2, 4, 3))),
)
row("nn.functional.celu", c(N), c(N, alpha=0.7))
row("nn.functional.rrelu", c(N), c(N, lower=0.1, upper=0.3))
row("nn.functional.tanhshrink", c(N))
row("nn.functional.threshold", c(N, 0.1, 20.0))
row("nn.functional.triplet_margin_with_distance_loss", c(N, P, A), c(N, P, A, swap=True, margin=2.0))
row("nextafter", c(N, P))
row("igamma igammac", c(POSITIVE, A))
row("nn.functional.softshrink nn.functional.hardshrink", c(N), c(N, lambd=0.2))
row("mvlgamma", c(POSITIVE + 1, 2))
row("dist", c(N, P), c(N, P, p=1), c(N, P, p=3))
row("ormqr", c(S, V[:3].copy(), A), c(S, V[:3].copy(), A, transpose=True), smooth=False)
row("float_power", c(A, 2.0), c(A, B), c(WHOLE, 2))
row("qr", c(S), c(A.T.copy()), via=sizes(0, 1), tol=100, regular=True)
row("sgn", c(N), c(Z))
row("__rand__ __ror__ __rxor__", c(BITS, 5))
row("__rmod__", c(A, 2.5))
row("select_scatter", c(A, B[0].copy(), 0, 1), c(A, V[:3].copy(), dim=1, index=2))
row("slice_scatter", c(A, B[:2].copy(), 0, 1), c(A, B[:, :2].copy(), dim=1, start=0, end=4, step=2))
row("signbit isposinf isneginf", c(N), c(WHOLE))
row("isreal", c(N), c(Z))
row("hsplit vsplit", c(rng.normal(size=(4, 4)), 2), c(rng.normal(size=(4, 4)), (1, 3)))
row("dsplit", c(T3, 2), c(T3, (1, 3)))
row("triangular_solve", c(A, np.triu(SPD)), c(A, np.tril(SPD), upper=False), smooth=False)
row("trunc", c(3 * N), c(WHOLE))
row("svd", c(A), c(S), via=sizes(0, 2), tol=100, regular=True)
row("unravel_index", c(np.array([1, 5, 7]), (3, 4)))
row("reshape_as", c(A, B.reshape(4, 3)))
row("atleast_3d", c(V), c(A))
row("column_stack", c(Listed([V, W])), c(Listed([A, B])))
row("pinverse", c(A), c(S), tol=100, regular=True)
row("index_reduce", *[c(A, 0, np.array([0, 2]), B[:2].copy(), r) for r in ("prod", "mean", "amax", "amin")])
row("unique_consecutive", c(WHOLE), c(WHOLE[0], return_inverse=True, return_counts=True))
row("put", c(A, np.array([0, 5]), V[:2].copy()), c(A, np.array([0, 5]), V[:2].copy(), accumulate=True))
row("take", c(A, np.array([0, 5, 5])))
row("byte char short", c(WHOLE), c(np.abs(N)))
row("new_empty", c(A, (2, 3)), random=True)
row("scalar_tensor", c(1.5), c(2, dtype=Dtype("int64")))
row("histogram", c(N, 4), c(N, bins=3, range=(-1.0, 1.0), density=True))
row("histogramdd", c(rng.normal(size=(6, 2)), [2, 3]))
row("msort", c(N))
row("renorm", c(N, 2, 0, 1.0), c(N, p=1, dim=1, maxnorm=0.5))
row("trapz", c(N), c(N, dx=0.5))
row("cumulative_trapezoid", c(N), c(N, dx=0.5, dim=0), c(N, A))
row("zero_", c(N), c(WHOLE))
row("mH", c(A), c(Z))
row("logcumsumexp", c(N, dim=1), c(N, dim=0))
row("nn.functional.dropout3d", c(VOLUME, 0.0), c(VOLUME, 0.5, training=False))
row("nn.functional.alpha_dropout nn.functional.feature_alpha_dropout", c(N, 0.0), c(N, 0.5, training=False))
row(
    "nn.functional.embedding_bag",
    c(INDEX, A.T.copy()),
    c(INDEX, A.T.copy(), mode="sum"),
    c(INDEX, A.T.copy(), mode="max"),
)
row(
    "nn.functional.ctc_loss",
    c(rng.normal(size=(6, 2, 4)), np.array([[1, 2, 2], [3, 1, 0]]), (6, 5), (3, 2)),
    smooth=False,
)
row("nn.functional.hinge_embedding_loss", c(N, SIGN), c(N, SIGN, margin=0.5, reduction="none"))
row("nn.functional.pdist", c(N), c(N, p=1.0), crashes=("empty", "last empty"))
row("nn.functional.pixel_unshuffle nn.functional.channel_shuffle", c(rng.normal(size=(1, 4, 4, 6)), 2))
row("fft.fftn fft.ifftn", c(N), c(Z), c(T3, s=(2, 3), dim=(0, 1), norm="ortho"))
row("fft.hfft", c(Z), c(Z, n=5))
row("fft.ihfft", c(N), c(N, n=5))
row("fft.hfft2 fft.hfftn", c(Z), c(Z, s=(3, 5)))
row("fft.ihfft2 fft.ihfftn", c(N), c(N, s=(3, 5)))
row("fft.rfftn", c(N), c(T3, dim=(0, 2)))
row("fft.irfftn", c(Z), c(Z, s=(3, 5)))
row("linalg.cross", c(S, SYM), c(S, SYM, dim=0))
row("linalg.diagonal", c(S), c(T3, offset=1, dim1=1, dim2=2))
row("linalg.cholesky_ex", c(SPD), c(BATCH, upper=True), regular=True)
row("linalg.vecdot", c(N, P), c(Z, Z * 1j), c(N, P, dim=0))
row("linalg.cond", c(SPD), c(S, p=1), c(S, p="fro"), tol=100, regular=True)
row("linalg.householder_product", c(S, V[:3].copy()), smooth=False)
row("linalg.ldl_factor", c(SYM), smooth=False)
row("linalg.ldl_factor_ex", c(SYM), smooth=False)
row("linalg.ldl_solve", c(np.tril(SPD), np.array([1, 2, 3], np.int32), A))
row("linalg.multi_dot", c(Listed([A, A.T.copy(), B])))
row("linalg.vander", c(V), c(V, N=3))
row("linalg.lu_factor linalg.lu_factor_ex", c(S), c(BATCH), regular=True)
row("linalg.lu", c(S), c(BATCH), regular=True)
row("lu", c(S), regular=True)
row("linalg.lu_solve", c(LU, PIVOTS, A), c(LU, PIVOTS, S, left=False), regular=True)
row("linalg.inv_ex", c(SPD), c(BATCH), regular=True)
row("linalg.solve_ex", c(SPD, A), regular=True)
row("linalg.tensorinv", c(rng.normal(size=(4, 2, 2)) + np.eye(4).reshape(4, 2, 2), ind=1), regular=True)
row("linalg.tensorsolve", c(rng.normal(size=(2, 2, 4)) + np.eye(4).reshape(2, 2, 4), S[:2, :2].copy()), regular=True)
row(
    "signal.windows.hamming signal.windows.hann signal.windows.bartlett signal.windows.blackman "
    "signal.windows.cosine signal.windows.exponential signal.windows.gaussian signal.windows.kaiser "
    "signal.windows.nuttall",
    c(6),
    c(5, sym=False),
)
row("signal.windows.general_cosine", c(6, a=[0.5, 0.3]))
row("signal.windows.general_hamming", c(6), c(5, alpha=0.6))
row(
    "special.i0e special.i1 special.i1e special.erfcx special.log_ndtr special.bessel_j0 special.bessel_j1 "
    "special.modified_bessel_i0 special.modified_bessel_i1 special.airy_ai",
    c(N),
)
row("special.spherical_bessel_j0", c(N))
row("special.polygamma", c(1, POSITIVE))
row("special.xlog1py", c(A, B), c(2.0, B))
row("special.zeta", c(POSITIVE + 1, A), c(POSITIVE + 1, 2.0))
row("special.ndtri", c(FRACTION))
row(
    "special.bessel_y0 special.bessel_y1 special.modified_bessel_k0 special.modified_bessel_k1 "
    "special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1",
    c(POSITIVE),
)
row(
    " ".join(
        f"special.{n}"
        for n in """chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w
    hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p
    shifted_chebyshev_polynomial_t
    shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w""".split()
    ),
    c(X, DEGREE),
    c(X, 3),
)
row(
    "masked.sum masked.prod masked.amax masked.amin masked.mean",
    c(N),
    c(N, mask=MASK),
    c(N, dim=1, mask=MASK),
    c(N, dim=0, keepdim=True, mask=MASK),
)
row("masked.cumsum masked.cumprod", c(N, dim=1), c(N, dim=0, mask=MASK))
row("masked.argmax masked.argmin", c(N), c(N, dim=1, mask=MASK))
row("masked.median", c(N, dim=1), c(N, dim=0, mask=MASK))
row("masked.norm", c(N, 2.0), c(N, 2.0, dim=1, mask=MASK))
row("masked.var masked.std", c(N, None, False), c(N, 1, True, mask=MASK), tol=10)
row("masked.softmax masked.log_softmax masked.softmin", c(N, dim=1), c(N, dim=0, mask=MASK))
row("masked.normalize", c(N, 2.0, 1), c(N, 2.0, 0, mask=MASK))
row("masked.logaddexp", c(N, P), c(N, P, input_mask=MASK))
row("masked.logsumexp", c(N, dim=1), c(N, dim=0, mask=MASK))
