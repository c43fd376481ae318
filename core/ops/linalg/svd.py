"""Singular values and vectors, and the pseudo-inverse."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, real_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ..samples import Sample
from ..selection import where
from ..shaping import concatenate
from .decompositions import adjoint, real_diagonal
from .guards import FINITE, INVARIANT, RAISE, chosen, cut, nought, real_matrices
from .products import lift, matmul
from .quotients import ADDED, quotient, settled
from .spectral import along, determined, put_diagonal, sums_of_powers


def _matrix_aval(a, name):
    if a.ndim < 2:
        raise ShapeError(f"{name} needs matrices (..., m, n), but got shape {a.shape}; "
                         f"reshape it, or add an axis with a[None]{at_user_line()}")
    return make_aval(a.shape, float_dtype(a.dtype))


def _svd_shape(a, full_matrices):
    a = _matrix_aval(a, "svd")
    *lead, m, n = a.shape
    k = min(m, n)
    rows, columns = (m, n) if full_matrices else (k, k)
    return (make_aval((*lead, m, rows), a.dtype), make_aval((*lead, k), real_dtype(a.dtype)),
            make_aval((*lead, columns, n), a.dtype))


def _kept(ds, s):
    """`ds` where the singular value is not 0; at 0, a non-smooth point like that of |x|, the derivative 0 is chosen."""
    if not s.shape[-1]:
        return ds
    # Relative to the largest singular value, which is the first.
    return where(s > nought(s) * s[..., :1], ds, 0.0)


def _svd_jvp(da, ans, a_aval, full_matrices, repeated):
    """Wan and Zhang (2019), arXiv 1909.02659, section 3, and Townsend (2016).

    With M = Uᴴ dA V, P its Hermitian and Q its skew part: dU = U (K + L), dV = V (K - L) for K = P / (s_j - s_i) and
    L = Q / (s_j + s_i), which follows from splitting Uᴴ dU and Vᴴ dV into sum and difference; and beyond the space of
    U, dU has (1 - U Uᴴ) dA V S⁻¹. Vectors added by `full_matrices` move so that they stay orthogonal, no further.
    """
    u, s, vh = ans
    m, n = a_aval.shape[-2:]
    k = min(m, n)

    def over(x, kind, part):
        return quotient(x, s, da, kind, part, repeated, "singular vectors")

    v = adjoint(vh)
    first, last = u[..., :k], v[..., :k]
    core = matmul(adjoint(first), matmul(da, last))
    even, odd = over(core, "gap", "hermitian"), over(core, "sum", "skew")
    du, dv = matmul(first, even + odd), matmul(last, even - odd)
    if m > k:
        du = _beyond(du, u, matmul(da, last), k, over)
    if n > k:
        dv = _beyond(dv, v, matmul(adjoint(da), first), k, over)
    return du, real_diagonal(core), adjoint(dv)


def _beyond(du, u, image, k, over):
    """Add to `du` its part outside the first k columns of `u`, and the tangent of the columns behind them."""
    first, more = u[..., :k], u[..., k:]
    if not more.shape[-1]:
        return du + over(image - matmul(first, matmul(adjoint(first), image)), "scale", "whole")
    slope = over(matmul(adjoint(more), image), "scale", "whole")
    return concatenate(du + matmul(more, slope), -matmul(first, adjoint(slope)), axis=u.ndim - 1)


def _svd_vjp(ct, ans, a_aval, repeated):
    """The adjoint: U M̄ Vᴴ for M̄ = diag(s̄) + skew(G + H) / (s_j - s_i) + skew(G - H) / (s_j + s_i), G = Uᴴ Ū and
    H = Vᴴ V̄, and the parts beyond the spaces of U and V."""
    u, s, vh = ans
    ct_u, ct_s, ct_vh = ct
    m, n = a_aval.shape[-2:]
    k = min(m, n)

    beside = ct_vh if ct_u is None else ct_u

    def over(x, kind, part):
        return quotient(x, s, beside, kind, part, repeated, "singular vectors")

    v = adjoint(vh)
    first, last = u[..., :k], v[..., :k]
    ct_left = None if ct_u is None else ct_u[..., :k]
    ct_right = None if ct_vh is None else adjoint(ct_vh)[..., :k]
    if beside is not None:
        # At one singular value of 0 u and v are determined up to signs in the square real case, where s may change its.
        zero = m != n or u.dtype.kind == "c"
        ct_s, ct_left, ct_right = determined(ct_s, (ct_left, ct_right), s, repeated, "singular vectors", zero)
    else:
        return matmul(along(first, ct_s, s, repeated, "singular values"), adjoint(last))
    core = None if ct_s is None else put_diagonal(ct_s)
    left = None if ct_left is None else matmul(adjoint(first), ct_left)
    right = None if ct_right is None else matmul(adjoint(last), ct_right)
    if left is not None or right is not None:
        total = right if left is None else left if right is None else left + right
        gap = -right if left is None else left if right is None else left - right
        part = over(total, "gap", "skew") + over(gap, "sum", "skew")
        core = part if core is None else core + part
    ans = matmul(first, matmul(core, adjoint(last)))
    if m > k and ct_u is not None:
        ans = ans + matmul(_from_beyond(ct_u, u, left, k, over, repeated), adjoint(last))
    if n > k and ct_vh is not None:
        ans = ans + matmul(first, adjoint(_from_beyond(adjoint(ct_vh), v, right, k, over, repeated)))
    return ans


def _from_beyond(ct, u, inner, k, over, repeated):
    """The adjoint of `_beyond`, as the cotangent of its `image`."""
    first, more = u[..., :k], u[..., k:]
    if not more.shape[-1]:
        return over(ct - matmul(first, inner), "scale", "whole")
    back = matmul(adjoint(more), ct[..., :k])
    back = back - matmul(adjoint(settled(ct[..., k:], more, ct, repeated, ADDED)), first)
    return matmul(more, over(back, "scale", "whole"))


def _gauge(u, s, vh):
    """The gauge-invariant part: s, u_i vh_i, and the projectors on the columns that were added."""
    k = s.shape[-1]
    out = [s, u[..., :, None, :k] * vh[..., :k, :].swapaxes(-1, -2)[..., None, :, :]]
    v = adjoint(vh)
    return (*out, *[matmul(x[..., k:], adjoint(x[..., k:])) for x in (u, v) if x.shape[-1] > k])


def _svd_samples(rng):
    out = []
    for shape, full, policy in (((3, 3), False, FINITE), ((4, 2), False, FINITE), ((2, 4), True, FINITE),
                                ((2, 3, 2), True, RAISE), ((4, 2), True, RAISE), ((1, 3), False, RAISE),
                                ((3, 3), True, INVARIANT), ((0, 3, 2), False, RAISE), ((2, 0), True, RAISE)):
        params = {"full_matrices": full, "repeated": policy}
        base = np.eye(*shape[-2:]) * np.arange(1.0, 1.0 + shape[-1])
        a = base + 0.3 * rng.normal(size=shape)
        z = a + 0.3j * rng.normal(size=shape)
        out += [Sample(x, params=params, tol=1e-5, gauge=_gauge) for x in (a, z)]
    out.append(Sample(np.diag([3.0, 1.0]).astype("f4"), params=params, gauge=_gauge))
    return [*out, Sample(np.diag([2.0, 2.0, 0.0]), params={"full_matrices": False, "repeated": FINITE}, smooth=False,
                         orders=1, gauge=lambda u, s, vh: sums_of_powers(s))]


svd = primitive(
    "svd",  # (u, singular values in descending order, vh)
    lapack=lambda full_matrices, repeated: ("svd_f" if full_matrices else "svd_s", False),
    effects="context",
    impl=lambda xp, a, *, full_matrices, repeated: tuple(xp.linalg.svd(a, full_matrices)),
    outputs=3,
    accepts_none=True,
    shape=_svd_shape,
    jvp={"a": _svd_jvp},
    vjp={"a": _svd_vjp},
    batch=lambda a, full_matrices, repeated: svd(a, full_matrices=full_matrices, repeated=repeated),
    blocks=2,
    samples=_svd_samples,
    absent={"()": "its operand is a matrix"},
)


def _svdvals_jvp(da, a, repeated, used):
    """From A = U S Vᴴ: Uᴴ dA V = Uᴴ dU S + dS + S dVᴴ V, where the outer terms are skew times S, with imaginary
    diagonals; so dS = Re diag(Uᴴ dA V)."""
    u, s, vh = svd(a, full_matrices=False, repeated=repeated)
    return _kept(real_diagonal(matmul(adjoint(chosen(u, s, used)), matmul(da, adjoint(vh)))), s)


def _svdvals_vjp(ct, a, repeated, used):
    """The adjoint: U diag(s̄) Vᴴ."""
    u, s, vh = svd(a, full_matrices=False, repeated=repeated)
    u = chosen(u, s, used)
    return matmul(along(u, _kept(ct, s), s, repeated, "singular values"), vh)


def _svdvals_samples(rng):
    params = {"repeated": RAISE, "used": "all"}
    cases = [Sample(case.operands[0], params=params, tol=1e-5) for case in _svd_samples(rng)[:-1]]
    return [*cases, *[Sample(a, params=params, smooth=False, orders=1, gauge=sums_of_powers)
                      for a in (np.diag([2.0, 2.0, 0.0]), np.zeros((2, 3)))]]


svdvals = primitive(
    "svdvals",  # needs no vectors until it is differentiated; used: "all", the "largest", or the ratio of "extremes"
    lapack=lambda repeated, used: ("svd", False),
    effects="context",
    impl=lambda xp, a, *, repeated, used="all": xp.linalg.svd(a, compute_uv=False),
    shape=lambda a: _svd_shape(a, False)[1],
    jvp={"a": _svdvals_jvp},
    vjp={"a": _svdvals_vjp},
    batch=lambda a, repeated, used: svdvals(a, repeated, used),
    blocks=2,
    samples=_svdvals_samples,
)


def _pinv_shape(a, rcond):
    a = _matrix_aval(a, "pinv")
    lead = broadcast_shape("pinv", [a.shape[:-2], rcond.shape])
    return make_aval((*lead, a.shape[-1], a.shape[-2]), a.dtype)


def _pinv(xp, a, rcond):
    lead = np.broadcast_shapes(a.shape[:-2], rcond.shape)
    if lead != a.shape[:-2]:  # NumPy writes into an array of the shape of the singular values
        a = xp.broadcast_to(a, (*lead, *a.shape[-2:]))
    return xp.linalg.pinv(a, rcond)


def _lowered_pinv(a, rcond):
    """As NumPy computes it."""
    real_matrices(a)
    u, s, vh = svd(a, full_matrices=False, repeated=FINITE)
    large = s > rcond[..., None] * s[..., :1]
    sizes = where(large, 1.0 / where(large, s, 1.0), 0.0)
    return matmul(vh.swapaxes(-1, -2), sizes[..., None] * u.swapaxes(-1, -2))


def _pinv_jvp(da, a, ans, rcond):
    """Golub and Pereyra (1973), equation 4.12: dA⁺ = -A⁺ dA A⁺ + A⁺ A⁺ᴴ dAᴴ (1 - A A⁺) + (1 - A⁺ A) dAᴴ A⁺ᴴ A⁺, along
    matrices of one rank."""
    ans = cut(ans, a, rcond)
    up, d_up = adjoint(ans), adjoint(da)
    ans_up = matmul(matmul(ans, up), d_up)
    up_ans = matmul(d_up, matmul(up, ans))
    return (-matmul(ans, matmul(da, ans)) + ans_up - matmul(ans_up, matmul(a, ans))
            + up_ans - matmul(ans, matmul(a, up_ans)))


def _pinv_vjp(ct, a, ans, rcond):
    """The adjoint of the three terms."""
    ans = cut(ans, a, rcond)
    up, ct_up = adjoint(ans), adjoint(ct)
    ans_up = matmul(ct_up, matmul(ans, up))
    up_ans = matmul(matmul(up, ans), ct_up)
    return (-matmul(up, matmul(ct, up)) + ans_up - matmul(a, matmul(ans, ans_up))
            + up_ans - matmul(matmul(up_ans, ans), a))


def _pinv_batch(a, rcond, batched):
    if batched[0]:
        a = lift(a, rcond.ndim - batched[1] + 3)
    if batched[1]:
        rcond = lift(rcond, a.ndim - batched[0] - 1)
    return pinv(a, rcond)


def _pinv_samples(rng):
    out = []
    for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 2), (1, 1), (0, 3, 2)):
        a = np.eye(*shape[-2:]) + 0.3 * rng.normal(size=shape)
        z = a + 0.3j * rng.normal(size=shape)
        out += [Sample(x, np.asarray(1e-14), tol=1e-5) for x in (a, z)]
    thin = rng.normal(size=(3, 1)) * rng.normal(size=2)  # of rank 1: the derivative along matrices of rank 1
    return [*out, Sample(np.eye(2, dtype="f4") * 2, np.float32(1e-6)), Sample(thin, np.asarray(1e-10), smooth=False),
            Sample(np.stack([np.eye(2), np.diag([1.0, 3.0])]), np.array([1e-12, 1e-10]), tol=1e-5)]


pinv = primitive(
    "pinv",  # rcond: (...), singular values below rcond times the largest count as 0
    impl=lambda xp, a, rcond: _pinv(xp, a, rcond),
    lower=_lowered_pinv,
    shape=_pinv_shape,
    nondiff="rcond",
    jvp={"a": _pinv_jvp},
    vjp={"a": _pinv_vjp},
    batch=_pinv_batch,
    blocks=2,
    samples=_pinv_samples,
)
