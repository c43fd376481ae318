"""The Schur form, where its derivative is unique: triangular, with distinct eigenvalues."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...trace.device import constant
from ..linalg.decompositions import adjoint, check_square, make_matrices
from ..linalg.guards import largest, tiny
from ..linalg.products import matmul
from ..samples import Sample
from .library import aligned, linalg, on_host, stacked


def _lower(x):
    return x * constant(np.tri(x.shape[-1], k=-1, dtype=x.dtype), x)


def _upper(x):
    return x * constant(np.tri(x.shape[-1], dtype=x.dtype).T, x)


def _check_unique(t):
    values = np.diagonal(t)
    gaps = np.abs(values[:, None] - values[None, :])[np.tri(len(values), k=-1, dtype=bool)]
    if gaps.size and gaps.min() <= tiny(t) * np.abs(values).max():
        raise np.linalg.LinAlgError(
            "the derivative of a Schur form was requested where an eigenvalue is repeated: there the matrix does not "
            "determine the vectors; use functions of the matrix itself (expm, logm, sqrtm, traces of powers), or "
            f"perturb it{at_user_line()}")


def _below(t, m, turned):
    """Strictly lower x with tril(x t - t x, -1) = tril(m, -1), a column at a time; or its adjoint, with tᴴ for t."""
    _check_unique(t)
    n = t.shape[0]
    x = np.zeros_like(m)
    for j in range(n - 2, -1, -1) if turned else range(n - 1):
        rest = slice(j + 1, n)
        if turned:
            right = m[rest, j] - x[rest, rest] @ np.conj(t[j, rest])
            matrix = np.conj(t[j, j]) * np.eye(n - j - 1) - t[rest, rest].conj().T
        else:
            right = m[rest, j] - x[rest, :j] @ t[:j, j]
            matrix = t[j, j] * np.eye(n - j - 1) - t[rest, rest]
        x[rest, j] = linalg.solve_triangular(matrix, right, lower=turned)
    return x


def _below_shape(t, m):
    check_square(t, "schur")
    lead = broadcast_shape("schur", [t.shape[:-2], m.shape[:-2]])
    return make_aval((*lead, *t.shape[-2:]), float_dtype(result_dtype(t, m)))


def _commutator(x, t):
    return matmul(x, t) - matmul(t, x)


def _below_vjp(ct, t, ans, turned):
    """The adjoint: s solves the other equation, m̄ = s, and -(xᴴ s - s xᴴ) for what stands in t's place."""
    s = below(t, ct, not turned)
    change = _commutator(adjoint(ans), s)
    return -_upper(adjoint(change) if turned else change), s


def _below_samples(rng):
    out = []
    for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            t, m = (rng.normal(size=shape) + c * rng.normal(size=shape) for _ in range(2))
            t = np.triu(0.3 * t) + np.diag(np.arange(1.0, 1 + shape[-1]))
            out += [Sample(t.astype(dtype), m.astype(dtype), params={"turned": turned}, tol=1e-5)
                    for turned in (False, True)]
    return out


def _run_below(xp, t, m, turned):
    return stacked(xp, "schur", lambda t, m: _below(t, np.tril(m, -1), turned), t.shape[-2:], t, m)


below = primitive(
    "schur_below",  # the strictly lower x of _below: t: (…, n, n) upper triangular, m: (…, n, n)
    host=True,
    impl=lambda xp, t, m, *, turned: _run_below(xp, t, m, turned),
    shape=_below_shape,
    jvp={"t": lambda dt, t, ans, turned: -below(t, _commutator(ans, adjoint(_upper(dt)) if turned else _upper(dt)),
                                                turned),
         "m": lambda dm, t, turned: below(t, dm, turned)},
    vjp={"t, m": _below_vjp},
    linear=("m",),
    batch=lambda t, m, batched, turned: below(*aligned((t, m), batched), turned),
    blocks=2,
    samples=_below_samples,
    absent={"()": "its operands are matrices"},
)


def _run_schur(xp, a):
    return stacked(xp, "schur", lambda a: linalg.schur(a, output="real"), [a.shape[-2:], a.shape[-2:]], a)


def _schur_shape(a):
    check_square(a, "schur")
    aval = make_aval(a.shape, float_dtype(a.dtype))
    return aval, aval


def _check_triangular(xp, t):
    on_host(xp, "schur")
    if t.size and bool(xp.any(np.diagonal(t, -1, -2, -1))):
        raise np.linalg.LinAlgError(
            "the derivative of a real Schur form was requested of a matrix with complex eigenvalues, where it is "
            f"not triangular; use schur(a, output='complex'){at_user_line()}")
    return t.copy()


triangular = primitive(
    "schur_triangular",  # t itself; raises where an element next below the diagonal is not 0
    host=True,
    impl=lambda xp, t: _check_triangular(xp, t),
    shape=lambda t: t,
    jvp={"t": lambda dt: dt},
    vjp={"t": lambda ct: ct},
    linear=("t",),
    batch=lambda t: triangular(t),
    samples=lambda rng: [Sample(np.triu(a), smooth=False) for a in make_matrices((3, 3), (2, 2, 2), (0, 2, 2))(rng)],
    absent={"()": "its operand is a matrix"},
)


def _schur_jvp(da, ans):
    """From M = Zᴴ dA Z = X T - T X + dT for X = Zᴴ dZ, skew-Hermitian; its lower half follows from that of M.

    The phases of the columns of Z are not determined by the matrix; the diagonal of X is taken to be 0.
    """
    t, z = ans
    t = triangular(t)
    m = matmul(adjoint(z), matmul(da, z))
    low = below(t, m, False)
    x = low - adjoint(low)
    return _upper(m - _commutator(x, t)), matmul(z, x)


def _schur_vjp(ct, ans):
    """The adjoint, for functions that do not depend on the phases of the columns of Z."""
    t, z = ans
    t = triangular(t)
    ct_t, ct_z = ct
    inner, m = 0.0, None
    if ct_t is not None:
        m = _upper(ct_t)
        inner = matmul(adjoint(t), m) - matmul(m, adjoint(t))
    if ct_z is not None:
        inner = inner + matmul(adjoint(z), ct_z)
    if t.dtype.kind == "c":
        inner = unphased(inner, ct_t if ct_z is None else ct_z)
    part = below(t, _lower(inner - adjoint(inner)), True)
    return matmul(z, matmul(part if m is None else part + m, adjoint(z)))


def _unphased(xp, x, beside):
    on_host(xp, "schur")
    if x.size:
        turn = xp.abs(np.diagonal(x, axis1=-2, axis2=-1).imag)
        size = xp.maximum(largest(xp, x), largest(xp, beside))[..., 0]
        if bool(xp.any(turn > float(np.finfo(x.dtype).eps) ** 0.25 * size)):
            raise np.linalg.LinAlgError(
                "the derivative of a Schur form was requested of a function that depends on the phases of the columns "
                "of Z, which the matrix does not determine; use a quantity that is invariant under them, such as "
                f"abs(t), abs(z) or the projector z zᴴ{at_user_line()}")
    return x.copy()


unphased = primitive(
    "schur_unphased",  # x: (…, n, n) itself; raises where its diagonal is not real, against what rounding leaves
    host=True,
    impl=lambda xp, x, beside: _unphased(xp, x, beside),
    shape=lambda x: x,
    nondiff="beside",
    jvp={"x": lambda dx: dx},
    vjp={"x": lambda ct: ct},
    linear=("x",),
    batch=lambda x, beside, batched, size: _unphased_batch(x, beside, batched, size),
    samples=lambda rng: [Sample(a + adjoint(a), a, smooth=False)
                         for a in make_matrices((3, 3), (2, 2, 2), (0, 2, 2))(rng)],
    absent={"()": "its operand is a matrix"},
)


def _unphased_batch(x, beside, batched, size):
    if not batched[0]:
        x = x + 0.0 * beside.sum(axis=tuple(range(1, beside.ndim))).reshape((size,) + (1,) * x.ndim)
        batched = (True, True)
    return unphased(*aligned((x, beside), batched))


def _gauge(t, z):
    """The gauge-invariant part: it does not depend on the phases."""
    conj = np.conj if z.dtype.kind == "c" else lambda x: x
    eigenvalues = t * np.eye(t.shape[-1], dtype=t.dtype)
    return abs(t) ** 2, eigenvalues, z[..., :, None, :] * conj(z)[..., None, :, :]


def _schur_samples(rng):
    out = []
    for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            a = 0.15 * (rng.normal(size=shape) + c * rng.normal(size=shape)) + np.diag(np.arange(1.0, 1 + shape[-1]))
            out.append(Sample(a.astype(dtype), tol=1e-5, gauge=_gauge))
    return out


schur = primitive(
    "schur",  # (t, z) with a = z t zᴴ, t upper triangular, z unitary
    host=True,
    impl=lambda xp, a: _run_schur(xp, a),
    outputs=2,
    accepts_none=True,
    shape=_schur_shape,
    jvp={"a": _schur_jvp},
    vjp={"a": _schur_vjp},
    batch=lambda a: schur(a),
    blocks=2,
    samples=_schur_samples,
    absent={"()": "its operand is a matrix"},
)
