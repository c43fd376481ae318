"""Triangular systems, by substitution: a block at a time, with products of the rest."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import ShapeError, SquareError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..dependence import columns
from ..samples import Sample
from .products import lift, matmul

ndarray = np.ndarray
_BLOCK = 64  # rows that LAPACK solves at once; below a quarter of it the calls cost more, above twice of it elimination


def substitute(xp, a, b, lower, unit):
    """`x` with `a @ x = b`, of which one triangle of `a` is read, without the diagonal where that is `unit`."""
    n = a.shape[-1]
    if n <= _BLOCK:
        return _of_one_block(xp, a, b, lower, unit)
    middle = n // 2
    parts = slice(0, middle), slice(middle, n)
    first, second = parts if lower else parts[::-1]
    x = substitute(xp, a[..., first, first], b[..., first, :], lower, unit)
    rest = b[..., second, :] - xp.matmul(a[..., second, first], x)
    y = substitute(xp, a[..., second, second], rest, lower, unit)
    return xp.concatenate((x, y) if lower else (y, x), axis=-2)


def _of_one_block(xp, a, b, lower, unit):
    """By LAPACK's elimination, which exchanges and eliminates nothing in an upper triangle; a lower one is turned."""
    a = _upper(xp, a[..., ::-1, ::-1] if lower else a, unit)
    return xp.linalg.solve(a, b[..., ::-1, :])[..., ::-1, :] if lower else xp.linalg.solve(a, b)


def _upper(xp, a, unit):
    return xp.triu(a, 1) + xp.asarray(np.eye(a.shape[-1], dtype=a.dtype)) if unit else xp.triu(a)


def _turned(a, trans):
    """The matrix that `trans` means: itself, its transpose, its conjugate transpose."""
    if not trans:
        return a
    a = a.swapaxes(-1, -2)
    return conj(a) if trans == 2 else a


def _solve(xp, a, b, lower, trans, unit):
    dtype = float_dtype(result_dtype(a, b))
    a, b = _turned(xp.asarray(a, dtype=dtype), trans), xp.asarray(b, dtype=dtype)
    return substitute(xp, a, b, lower != bool(trans), unit)


def _shape(a, b):
    n = a.shape[-1] if a.ndim else 0
    if a.ndim < 2 or a.shape[-2] != n:
        raise SquareError(f"solve_triangular needs square matrices (..., n, n), but got shape {a.shape}; take "
                          f"its first rows or columns{at_user_line()}")
    if b.ndim < 2 or b.shape[-2] != n:
        raise ShapeError(f"solve_triangular needs b of shape (..., {n}, k) for a of shape {a.shape}, but got {b.shape}"
                         f"; reshape b, or transpose it{at_user_line()}")
    lead = broadcast_shape("solve_triangular", [a.shape[:-2], b.shape[:-2]])
    return make_aval((*lead, *b.shape[-2:]), float_dtype(result_dtype(a, b)))


def _triangle(x, lower, unit):
    """What is read of matrices, zeros elsewhere."""
    mask = np.tri(x.shape[-1], k=-unit, dtype=x.dtype)
    return x * constant(mask if lower else mask.T, x)


def _jvp_a(da, a, ans, lower, trans, unit):
    """From d(A x) = 0: dx = -A⁻¹ dA x."""
    return -solve_triangular(a, matmul(_turned(_triangle(da, lower, unit), trans), ans), lower, trans, unit)


def _vjp(ct, a, ans, lower, trans, unit):
    """Giles (2008), section 2.2.5: b̄ = A⁻ᴴ c̄ and -b̄ xᴴ, of which the triangle that is read, turned as `a` was."""
    if trans == 1:
        b = solve_triangular(conj(a), ct, lower, 0, unit)
        outer = matmul(conj(ans), b.swapaxes(-1, -2))
    elif trans == 2:
        b = solve_triangular(a, ct, lower, 0, unit)
        outer = matmul(ans, _turned(b, 2))
    else:
        b = solve_triangular(a, ct, lower, 2, unit)
        outer = matmul(b, _turned(ans, 2))
    return -_triangle(outer, lower, unit), b


def _batch(a, b, batched, lower, trans, unit):
    if not batched[0] and a.ndim == 2 and b.ndim == 3:  # one system for all examples
        size, n, k = b.shape
        columns = b.transpose(1, 0, 2).reshape((n, size * k))
        return solve_triangular(a, columns, lower, trans, unit).reshape((n, size, k)).transpose(1, 0, 2)
    rank = 1 + max(x.ndim - own for x, own in zip((a, b), batched))
    a, b = [lift(x, rank) if own else x for x, own in zip((a, b), batched)]
    return solve_triangular(a, b, lower, trans, unit)


def _samples(rng):
    out = []
    for k, shape in enumerate(((3, 3), (2, 3, 3), (1, 1), (0, 2, 2), (3, 3), (2, 2, 2))):
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            a = (0.3 * (rng.normal(size=shape) + c * rng.normal(size=shape)) + 2.0 * np.eye(shape[-1])) * 1.0
            for lead in {(), shape[:-2]}:
                b = rng.normal(size=(*lead, shape[-1], 2))
                params = {"lower": k % 2 == 0, "trans": k % 3, "unit": k > 3}
                out.append(Sample(a.astype(dtype), b.astype(dtype), params=params, tol=1e-5))
    return out


solve_triangular = primitive(
    "solve_triangular",  # a: (..., n, n), of which one triangle is read, b: (..., n, k); trans as in LAPACK
    impl=lambda xp, a, b, *, lower, trans, unit: _solve(xp, a, b, lower, trans, unit),
    shape=_shape,
    jvp={"a": _jvp_a, "b": lambda db, a, lower, trans, unit: solve_triangular(a, db, lower, trans, unit)},
    vjp={"a, b": _vjp},
    batch=_batch,
    linear=("b",),
    depends=lambda a, b, ans: columns(ans.shape, a.shape, b.shape),
    blocks=2,
    samples=_samples,
)
