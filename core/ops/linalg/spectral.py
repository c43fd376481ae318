"""Eigenvalues and eigenvectors, of Hermitian and of general matrices."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import complex_dtype, float_dtype, real_dtype
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..samples import Sample
from ..shaping import complex_of, conjugate
from .decompositions import adjoint, check_square, hermitian, make_matrices, matrix_diagonal, real_diagonal, solve
from .guards import FINITE, INVARIANT, RAISE, alike, apart, regular
from .products import matmul
from .quotients import quotient, weighted


def _eigh_shape(a):
    check_square(a, "eigh")
    dtype = float_dtype(a.dtype)
    return make_aval(a.shape[:-1], real_dtype(dtype)), make_aval(a.shape, dtype)


def put_diagonal(w):
    """Vectors as diagonal matrices."""
    return w[..., None, :] * constant(np.eye(w.shape[-1], dtype=w.dtype), w)


def _eigh_jvp(da, ans, repeated):
    """Giles (2008), section 2.3.1, and Magnus (1985): dw = diag(Vᴴ dA V), dV = V (F ∘ Vᴴ dA V), F = 1 / (w_j - w_i)."""
    w, v = ans
    inner = matmul(adjoint(v), matmul(hermitian(da), v))
    return real_diagonal(inner), matmul(v, quotient(inner, w, da, "gap", "hermitian", repeated, "eigenvectors"))


def determined(ct_w, vectors, w, repeated, about, zero=False):
    """Cotangents of values and their vectors, refused by the policy if they need either where a value is repeated.

    The value too, if vectors are needed: v diag(f(w)) vᴴ depends on how v turns in a space, however little v's own
    cotangent says of it (it is 0 at w = 0). And no cotangent tells whether only the space matters, so that is for the
    caller to say.
    """
    if repeated == FINITE:
        return ct_w, *vectors
    if ct_w is not None:
        beside = next(ct for ct in vectors if ct is not None)
        ct_w = apart(ct_w[..., None, :], w, beside, about, zero)[..., 0, :]
    if repeated == INVARIANT:  # that of vectors is checked where it meets a gap of 0
        return ct_w, *vectors
    return ct_w, *[ct if ct is None else apart(ct, w, ct, about, zero) for ct in vectors]


def symmetric(ct_w, w, repeated, about):
    """The cotangent of values alone; under INVARIANT it is refused if it tells repeated ones apart."""
    return alike(ct_w, w, about) if repeated == INVARIANT else ct_w


def along(v, ct_w, w, repeated, about):
    """The vectors `v` times the cotangents of their values alone, whose vectors need no cotangent."""
    ct_w = symmetric(ct_w, w, repeated, about)
    return v * ct_w[..., None, :] if repeated == FINITE else weighted(v, ct_w, w)


def _eigh_vjp(ct, ans, repeated):
    """The adjoint: V (diag(w̄) + F ∘ skew(Vᴴ V̄)) Vᴴ."""
    w, v = ans
    ct_w, ct_v = ct
    if ct_v is None:
        return hermitian(matmul(along(v, ct_w, w, repeated, "eigenvalues"), adjoint(v)))
    ct_w, ct_v = determined(ct_w, (ct_v,), w, repeated, "eigenvectors")
    inner = quotient(matmul(adjoint(v), ct_v), w, ct_v, "gap", "skew", repeated, "eigenvectors")
    if ct_w is not None:
        inner = inner + put_diagonal(ct_w)
    return hermitian(matmul(v, matmul(inner, adjoint(v))))


def projectors(w, v):
    """Eigenvalues and projectors: the part of the eigenvectors that does not depend on their signs and phases."""
    return w, v[..., :, None, :] * (conjugate(v) if v.dtype.kind == "c" else v)[..., None, :, :]


def sums_of_powers(w):
    """Permutation-invariant functions of n values, an array (..., n): the sums of their first n powers."""
    power, out = w, []
    for _ in range(w.shape[-1]):
        out.append(power.sum(axis=-1))
        power = power * w
    return tuple(out)


def _unordered(w, v):
    """Invariants under permutations of pairs, too: the sums of the projectors times powers of the eigenvalues."""
    projector, out = projectors(w, v)[1], list(sums_of_powers(w))
    for _ in range(w.shape[-1]):
        out.append(projector.sum(axis=-1))
        projector = projector * w[..., None, None, :]
    return tuple(out)


def _eigh_samples(rng):
    out = [Sample(a, params={"repeated": policy, "upper": policy == RAISE}, tol=1e-5, gauge=projectors)
           for policy, shapes in ((FINITE, ((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))), (RAISE, ((3, 3),)),
                                  (INVARIANT, ((3, 3), (2, 2, 2))))
           for a in make_matrices(*shapes, positive=True)(rng)]
    return [*out, Sample(np.diag([1.0, 2.0, 2.0]), params={"repeated": FINITE, "upper": False}, smooth=False, orders=1,
                         gauge=lambda w, v: (w,))]


def _of_hermitian_part(xp, a):
    turned = xp.swapaxes(a, -1, -2)
    return (a + (xp.conj(turned) if a.dtype.kind == "c" else turned)) / 2


eigh = primitive(
    "eigh",  # (eigenvalues in ascending order, eigenvectors) of the Hermitian part of a
    # upper: which triangle LAPACK starts from; it decides signs and phases of vectors
    lapack=lambda repeated, upper: ("eigh_up" if upper else "eigh_lo", True),
    effects="context",
    impl=lambda xp, a, *, repeated, upper: tuple(xp.linalg.eigh(_of_hermitian_part(xp, a), "U" if upper else "L")),
    outputs=2,
    accepts_none=True,
    shape=_eigh_shape,
    jvp={"a": _eigh_jvp},
    vjp={"a": _eigh_vjp},
    batch=lambda a, repeated, upper: eigh(a, repeated=repeated, upper=upper),
    blocks=2,
    samples=_eigh_samples,
)


def _eigvalsh_jvp(da, a, repeated):
    """Magnus (1985), theorem 1: dw = diag(Vᴴ dA V) for Hermitian dA."""
    v = eigh(a, repeated=repeated, upper=False)[1]
    return real_diagonal(matmul(adjoint(v), matmul(hermitian(da), v)))


def _eigvalsh_vjp(ct, a, repeated):
    """The adjoint: V diag(w̄) Vᴴ."""
    w, v = eigh(a, repeated=repeated, upper=False)
    return hermitian(matmul(along(v, ct, w, repeated, "eigenvalues"), adjoint(v)))


eigvalsh = primitive(
    "eigvalsh",  # of the Hermitian part; needs no eigenvectors until it is differentiated
    lapack=lambda repeated: ("eigvalsh_lo", True),
    effects="context",
    impl=lambda xp, a, *, repeated: xp.linalg.eigvalsh(_of_hermitian_part(xp, a)),
    shape=lambda a: _eigh_shape(a)[0],
    jvp={"a": _eigvalsh_jvp},
    vjp={"a": _eigvalsh_vjp},
    batch=lambda a, repeated: eigvalsh(a, repeated=repeated),
    blocks=2,
    samples=lambda rng: [
        *[Sample(a, params={"repeated": RAISE}, tol=1e-5)
          for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2), positive=True)(rng)],
        *[Sample(np.diag([1.0, 2.0, 2.0]), params={"repeated": RAISE}, smooth=False, orders=1, gauge=sums_of_powers),
          Sample(np.diag([1.0, 2.0, 3.0]), params={"repeated": INVARIANT}, tol=1e-5)],
    ],
)


def _eig_shape(a):
    check_square(a, "eig")
    dtype = complex_dtype(float_dtype(a.dtype))
    return make_aval(a.shape[:-1], dtype), make_aval(a.shape, dtype)


def _eig(xp, a):
    """Complex always: whether all eigenvalues are real is not known from shapes."""
    w, v = xp.linalg.eig(a)
    dtype = complex_dtype(a.dtype)
    return w.astype(dtype), v.astype(dtype)


def _full(v):
    """Eigenvectors that are a basis: at a defective matrix eigenvalues have no derivative."""
    return regular(v, False, "eig has no derivative at a defective matrix, whose eigenvectors do not form a basis",
                   "its eigenvalues move faster than any multiple of a change; perturb it, or use traces of its powers")


def _eig_jvp(da, ans, repeated):
    """Giles (2008), section 2.3.1: with T = V⁻¹ dA V, dw = diag(T) and dV = V (F ∘ T), and then each column less what
    lies along itself, so that its length stays 1 (Boeddeker et al. 2017, equation 4.60)."""
    w, v = ans
    inner = solve(_full(v), matmul(da, v))
    dv = matmul(v, quotient(inner, w, da, "gap", "whole", repeated, "eigenvectors"))
    return matrix_diagonal(inner), dv - v * (conjugate(v) * dv).sum(axis=-2)[..., None, :]


def _eig_vjp(ct, ans, repeated):
    """The adjoint. The lengths are fixed, so Vᴴ V̄ loses Vᴴ V diag(Re h) for h the diagonal of Vᴴ V̄; Im h is the
    dependence on phases, which the quotient refuses."""
    w, v = ans
    ct_w, ct_v = ct
    if ct_v is None:
        return _of_values(ct_w, w, v, repeated)
    ct_w, ct_v = determined(ct_w, (ct_v,), w, repeated, "eigenvectors")
    inner = matmul(adjoint(v), ct_v)
    inner = inner - matmul(adjoint(v), v) * real_diagonal(inner)[..., None, :]
    inner = quotient(inner, conjugate(w), ct_v, "gap", "phased", repeated, "eigenvectors")
    if ct_w is not None:
        inner = inner + put_diagonal(ct_w)
    return solve(adjoint(_full(v)), matmul(inner, adjoint(v)))


def _of_values(ct_w, w, v, repeated):
    """The adjoint of `eigvals`: V⁻ᴴ diag(w̄) Vᴴ."""
    v = _full(v)
    return solve(adjoint(v), adjoint(along(v, conjugate(ct_w), w, repeated, "eigenvalues")))


def _eig_samples(gauge, policies):
    def samples(rng):
        spread = np.diag([1.0, 2.5, -1.5])
        skew = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 3.0]])
        out = []
        for policy in policies:
            for base in (spread, skew, np.stack([spread, skew])[:, :2, :2], spread[:1, :1], np.zeros((0, 2, 2))):
                a = base + 0.2 * rng.normal(size=base.shape)
                z = a + 0.2j * rng.normal(size=base.shape)
                out += [Sample(x, params={"repeated": policy}, tol=1e-5, gauge=gauge) for x in (a, a.astype("f4"), z)]
        return out

    return samples


eig = primitive(
    "eig",  # (eigenvalues, eigenvectors of length 1), complex, in LAPACK's order
    effects="context",
    impl=lambda xp, a, *, repeated: _eig(xp, a),
    outputs=2,
    accepts_none=True,
    shape=_eig_shape,
    jvp={"a": _eig_jvp},
    vjp={"a": _eig_vjp},
    batch=lambda a, repeated: eig(a, repeated=repeated),
    blocks=2,
    samples=_eig_samples(_unordered, (FINITE, RAISE, INVARIANT)),
)


def _eigvals_jvp(da, a, repeated):
    """Giles (2008), section 2.3.1: dw = diag(V⁻¹ dA V)."""
    v = _full(eig(a, repeated=repeated)[1])
    return matrix_diagonal(solve(v, matmul(da, v)))


def _eigvals_vjp(ct, a, repeated):
    """The adjoint: V⁻ᴴ diag(w̄) Vᴴ."""
    return _of_values(ct, *eig(a, repeated=repeated), repeated)


eigvals = primitive(
    "eigvals",  # the first answer of eig: without vectors LAPACK may find the eigenvalues in another order
    effects="context",
    impl=lambda xp, a, *, repeated: _eig(xp, a)[0],
    shape=lambda a: _eig_shape(a)[0],
    jvp={"a": _eigvals_jvp},
    vjp={"a": _eigvals_vjp},
    batch=lambda a, repeated: eigvals(a, repeated=repeated),
    blocks=2,
    samples=_eig_samples(sums_of_powers, (RAISE, INVARIANT)),
)


# Roots of polynomials, differentiated implicitly.


def _moves(c, r):
    """The matrix of partial derivatives: from p(r) = 0 follows dr[i]/dc[k] = -r[i]^(n - 1 - k) / p'(r[i]).

    A multiple root moves infinitely fast, and the quotient says so.
    """
    n = c.shape[-1]
    powers = r[..., None] ** constant(np.arange(n - 1, -1, -1), r)
    factors = constant(np.arange(n - 1, 0, -1.0).astype(r.real.dtype), r)
    slopes = n * powers[..., :1] + matmul(powers[..., 1:], (complex_of(c)[..., :-1] * factors)[..., None])
    return -(powers / slopes)


def _roots(xp, c):
    dtype = complex_dtype(c.dtype)
    one = xp.ones(1, c.dtype)
    rows = [xp.roots(xp.concatenate((one, row))) for row in c.reshape(-1, c.shape[-1])]
    return xp.stack(rows).reshape(c.shape).astype(dtype) if rows else xp.zeros(c.shape, dtype)


monic_roots = primitive(
    "monic_roots",  # c: (*b, n), n > 0, of x^n + c[0] x^(n - 1) + … + c[n - 1] -> (*b, n) complex, in NumPy's order
    impl=lambda xp, c: _roots(xp, c),
    shape=lambda c: make_aval(c.shape, complex_dtype(c.dtype)),
    jvp={"c": lambda dc, c, ans: matmul(_moves(c, ans), complex_of(dc)[..., None])[..., 0]},
    vjp={"c": lambda ct, c, ans: matmul(ct[..., None, :], conj(_moves(c, ans)))[..., 0, :]},
    batch=lambda c: monic_roots(c),
    blocks=1,
    samples=lambda rng: [Sample(np.array(c), tol=1e-5, gauge=sums_of_powers) for c in (
        [-3.0, 2.0], [0.5], [0.3, 2.0, -1.0], [2.0j, 3.0 - 1j], [[-3.0, 2.0], [1.0, 1.0]])]
    + [Sample(np.zeros((0, 3))), Sample(np.array([-3.0, 2.0], np.float32), gauge=sums_of_powers)],
    absent={"()": "a polynomial is a vector of coefficients"},
)
