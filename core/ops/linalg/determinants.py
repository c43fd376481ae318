"""Determinants: det, exact at singular matrices too, and slogdet."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, real_dtype, result_dtype
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...primitive.primitive import NotLowered
from ..dependence import cores
from ..indexing.pairs import imag, real
from ..samples import Sample, together
from ..shaping import conjugate
from .decompositions import adjoint, check_square, inv, make_matrices, matrix_diagonal, square_aval
from .guards import invertible, real_matrices, refused, regular
from .products import lift, matmul
from .small_solves import determinant, log_determinant


def _corner(x):
    """One number for each matrix, with the axes of a matrix."""
    return x[..., None, None] if getattr(x, "ndim", 0) else x


def _slogdet_shape(a):
    check_square(a, "slogdet")
    dtype = float_dtype(a.dtype)
    return make_aval(a.shape[:-2], dtype), make_aval(a.shape[:-2], real_dtype(dtype))


def _inverse(a, sign, ct):
    """The inverse, for the derivative of log |det|, which is infinite at singular matrices: NaN there, or refused where
    the cotangent asks for it."""
    return inv(invertible(a, sign, ct))


def _slogdet_jvp(da, a, ans):
    """Giles (2008), section 2.2.4: d log det = tr(A⁻¹ dA); its imaginary part turns the sign of a complex one."""
    t = (_inverse(a, ans[0], ans[0]) * da.swapaxes(-1, -2)).sum(axis=(-2, -1))
    if t.dtype.kind != "c":
        return 0.0 * t, t
    return ans[0] * (1j * imag(t)), real(t)


def _slogdet_vjp(ct, a, ans):
    """The adjoint: A⁻ᴴ times the cotangent of log |det|, and i times that of the phase of a complex sign."""
    ct_sign, ct_log = ct
    if a.dtype.kind != "c":
        if ct_log is None:
            return 0.0 * a  # the sign is flat
        scale = ct_log
    else:
        scale = 0.0 if ct_log is None else ct_log
        if ct_sign is not None:
            scale = scale + 1j * imag(conjugate(ans[0]) * ct_sign)
    return _corner(scale) * adjoint(_inverse(a, ans[0], scale))


slogdet = primitive(
    "slogdet",  # (sign, log of the absolute determinant)
    impl=lambda xp, a: tuple(xp.linalg.slogdet(a)),
    lower=log_determinant,
    lapack=lambda: ("slogdet", False),
    outputs=2,
    accepts_none=True,
    shape=_slogdet_shape,
    jvp={"a": _slogdet_jvp},
    vjp={"a": _slogdet_vjp},
    batch=lambda a: slogdet(a),
    blocks=2,
    samples=lambda rng: [Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)


def _singular_basis(xp, a):
    """A = U S Vᴴ, and det(U) det(Vᴴ): in this basis minors are products of singular values, at singular A too."""
    finite = xp.isfinite(a).all(axis=(-2, -1))
    if not bool(finite.all()):  # an SVD of NaN does not converge
        a = xp.where(finite[..., None, None], a, xp.asarray(np.eye(a.shape[-1], dtype=a.dtype)))
    u, s, vh = xp.linalg.svd(a)
    phase = xp.where(finite, xp.linalg.det(u) * xp.linalg.det(vh), np.nan)
    return xp.conj(xp.swapaxes(u, -1, -2)), s, xp.conj(xp.swapaxes(vh, -1, -2)), phase[..., None, None]


def _factor_and_inverse(xp, a):
    """det(A) and A⁻¹ where all matrices are well conditioned, which is six times faster for 200 rows; else None."""
    with np.errstate(all="ignore"):
        try:
            inverse = xp.linalg.inv(a)
        except np.linalg.LinAlgError:
            return None
        factor = xp.linalg.det(a)
        regular = _well_conditioned(xp, a, inverse, factor)
    return (factor[..., None, None], inverse) if bool(xp.all(regular)) else None


def _well_conditioned(xp, a, inverse, factor):
    # The square of a condition number: it stays below 1e6 in double precision.
    spread = xp.sum(xp.abs(inverse) ** 2, axis=(-2, -1)) * xp.sum(xp.abs(a) ** 2, axis=(-2, -1))
    facts = np.finfo(a.dtype)
    return (spread < float(facts.eps) ** -0.75) & (xp.abs(factor) > float(facts.tiny))


def _lowered_factor_and_inverse(a):
    """det(A) and A⁻¹; other matrices than well conditioned ones are NumPy's."""
    real_matrices(a)
    inverse, factor = inv(a), det(a)
    return refused(factor, ~_well_conditioned(np, a, inverse, factor))[..., None, None], inverse


def _lowered_adjugate(a):
    factor, inverse = _lowered_factor_and_inverse(a)
    return factor * inverse


def _lowered_slope(a, e):
    if a.shape[-1] < 3:
        raise NotLowered
    return _along(np, *_lowered_factor_and_inverse(a), e, np.eye(a.shape[-1], dtype=a.dtype))


def _along(xp, factor, inverse, e, eye):
    m = xp.matmul(inverse, e)
    return xp.matmul(factor * (xp.sum(m * eye, axis=(-2, -1))[..., None, None] * eye - m), inverse)


def _adjugate(xp, a):
    """det(A) A⁻¹, or V adj(S) Uᴴ: the adjugate of a product is that of its factors in the other order."""
    if not a.size:
        return a
    found = _factor_and_inverse(xp, a)
    if found is not None:
        return found[0] * found[1]
    u, s, v, phase = _singular_basis(xp, a)
    before, after = _products_beside(xp, s)
    return xp.matmul(v * (phase * (before * after)[..., None, :]), u).astype(a.dtype)


def _products_beside(xp, s):
    """The products of the values before each, and after each."""
    one = xp.ones_like(s[..., :1])
    before = xp.cumprod(xp.concatenate([one, s[..., :-1]], axis=-1), axis=-1)
    after = xp.cumprod(xp.concatenate([one, xp.flip(s[..., 1:], -1)], axis=-1), axis=-1)
    return before, xp.flip(after, -1)


def _products_without_two(xp, s):
    """Π_k≠i,j s_k for i ≠ j, and 0 on the diagonal: what lies before, between and after, without a division."""
    n = s.shape[-1]
    before, after = _products_beside(xp, s)
    above = xp.asarray(np.triu(np.ones((n, n), bool), 1))
    inside = xp.cumprod(xp.where(above, s[..., None, :], 1), axis=-1)  # Π of s_k over i < k <= j
    between = xp.concatenate([xp.ones_like(inside[..., :1]), inside[..., :-1]], axis=-1)
    upper = xp.where(above, before[..., :, None] * between * after[..., None, :], 0)
    return upper + xp.swapaxes(upper, -1, -2)


def _slope(xp, a, e):
    """The derivative of the adjugate at A along E: det(A) (tr(B E) B - B E B) for B = A⁻¹; or in the singular basis,
    where that of S along M = Uᴴ E V is Σ_j≠i M_jj Π_k≠i,j s_k on the diagonal and -M_ij Π_k≠i,j s_k off it."""
    dtype = np.result_type(a.dtype, e.dtype)
    if not a.size or not e.size:
        return xp.zeros(np.broadcast_shapes(a.shape, e.shape), dtype)
    eye = xp.asarray(np.eye(a.shape[-1], dtype=a.dtype))
    found = _factor_and_inverse(xp, a) if a.shape[-1] > 2 else None  # else exact cancellation is at stake
    if found is not None:
        return _along(xp, *found, e, eye).astype(dtype)
    u, s, v, phase = _singular_basis(xp, a)
    others = _products_without_two(xp, s)
    m = xp.matmul(xp.matmul(u, e), v)
    along = xp.sum(others * xp.sum(m * eye, axis=-2)[..., None, :], axis=-1)
    return xp.matmul(v * phase, xp.matmul(along[..., :, None] * eye - others * m, u)).astype(dtype)


def _slope_shape(a, e):
    lead = broadcast_shape("adjugate_slope", [a.shape[:-2], e.shape[:-2]])
    return make_aval((*lead, *a.shape[-2:]), result_dtype(a, e))


def _curve(a, e, f):
    """The second derivative of the adjugate along E and F, from adj = det(A) A⁻¹: symmetric, and only for invertible A.

    With B = A⁻¹, G = B F and H = B E, the derivative of det(A) (tr(H) B - H B) along F.
    """
    if a.shape[-1] < 3:  # det has degree n
        return 0.0 * (matmul(a, e) * f)
    a = regular(a, False, "the third derivative of det is computed only at invertible matrices",
                "the first two are exact there; or add a small multiple of the identity")
    b = inv(a)
    g, h = matmul(b, f), matmul(b, e)
    trace_g, trace_h = _trace(g), _trace(h)
    inner = (trace_g * trace_h - _trace(matmul(g, h))) * b
    inner = inner - matmul(trace_g * h + trace_h * g - matmul(g, h) - matmul(h, g), b)
    return det(a)[..., None, None] * inner


def _trace(x):
    return matrix_diagonal(x).sum(axis=-1)[..., None, None]


def _slope_batch(a, e, batched):
    rank = max(a.ndim - batched[0], e.ndim - batched[1]) + 1
    return adjugate_slope(lift(a, rank) if batched[0] else a, lift(e, rank) if batched[1] else e)


_invertible = make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))


def _singular(rng):
    """Matrices of rank 2, 1 and 0."""
    rank_two = np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]) + np.diag([0.0, 0.0, 1.0])
    return [rank_two, rank_two * (1 + 0.5j), np.outer([1.0, 2.0, 3.0], [1.0, -1.0, 2.0]), np.zeros((2, 2)),
            np.zeros((1, 1)), np.zeros((3, 3))]


adjugate_slope = primitive(
    "adjugate_slope",  # d adj(A)[E]; tr(F d adj(A)[E]) is symmetric in E and F, so it is its own transpose
    impl=lambda xp, a, e: _slope(xp, a, e),
    lower=_lowered_slope,
    shape=_slope_shape,
    jvp={"a": lambda da, a, e: _curve(a, e, da), "e": lambda de, a: adjugate_slope(a, de)},
    vjp={"a": lambda ct, a, e: adjoint(_curve(a, e, adjoint(ct))),
         "e": lambda ct, a: adjoint(adjugate_slope(a, adjoint(ct)))},
    linear=("e",),
    batch=_slope_batch,
    depends=lambda a, e, ans: cores(ans.shape, 2, (a.shape, 2), (e.shape, 2)),
    blocks=2,
    samples=together(
        lambda rng: [Sample(a, rng.normal(size=(*lead, *a.shape[-2:])).astype(a.dtype), tol=1e-5)
                     for a in _invertible(rng) for lead in {(), a.shape[:-2]}],
        lambda rng: [Sample(a, rng.normal(size=(3, 3)) - 1j * rng.normal(size=(3, 3)), tol=1e-5)
                     for a in _invertible(rng)[:3:2]],
        lambda rng: [Sample(np.eye(2) * 2, rng.normal(size=(2, 2)) + 1j * rng.normal(size=(2, 2)), tol=1e-5)],
    ),
    absent={"()": "its operands are matrices"},
)
adjugate = primitive(
    "adjugate",
    impl=_adjugate,
    lower=_lowered_adjugate,
    shape=lambda a: square_aval(a, "adjugate"),
    jvp={"a": lambda da, a: adjugate_slope(a, da)},
    vjp={"a": lambda ct, a: adjoint(adjugate_slope(a, adjoint(ct)))},
    batch=lambda a: adjugate(a),
    blocks=2,
    samples=together(lambda rng: [Sample(a, tol=1e-5) for a in _invertible(rng)],
                     lambda rng: [Sample(a, tol=1e-5, orders=1) for a in _singular(rng)]),
)
det = primitive(
    "det",  # Jacobi's formula, d det = tr(adj(A) dA): finite at singular matrices, where det · A⁻¹ is not
    impl=lambda xp, a: xp.linalg.det(a),
    lower=determinant,
    lapack=lambda: ("det", False),
    shape=lambda a: make_aval(a.shape[:-2], square_aval(a, "det").dtype),
    jvp={"a": lambda da, a: matrix_diagonal(matmul(adjugate(a), da)).sum(axis=-1)},
    vjp={"a": lambda ct, a: _corner(ct) * adjoint(adjugate(a))},
    batch=lambda a: det(a),
    blocks=2,
    samples=together(lambda rng: [Sample(a, tol=1e-5) for a in _invertible(rng)],
                     lambda rng: [Sample(a, tol=1e-5) for a in _singular(rng)]),
)
