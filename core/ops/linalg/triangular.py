"""Triangular systems, by substitution: BLAS's where SciPy hands it out, else a block at a time, with products of the
rest."""

import math

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.backend import triangular_solver
from ...arrays.dtypes import float_dtype, result_dtype
from ...arrays.sums import shaped
from ...errors import ShapeError, SquareError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..dependence import columns
from ..samples import Sample
from .products import lift, matmul

ndarray = np.ndarray
_BLOCK = 48  # rows that are solved at once: from twice of it on products of the rest are faster


def _substituted(k, a, b, lower, turned, unit):
    """One row of x after the other; `turned`: the elements of `a` are read with rows and columns exchanged."""
    batch, n, width = b.shape
    many = a.shape[0]
    k.require(a.shape[1].equals(n), a.shape[2].equals(n), many.equals(batch) | many.equals(1))
    out = k.output(b.kind, (batch, n, width))
    lower, turned, unit = (k.scalar(v, "i64").differs(0) for v in (lower, turned, unit))
    lost = k.cell(0, b.kind)  # NaN where something is not finite, which NumPy may warn of
    down, across = k.where(turned, k.scalar(1, "i64"), n), k.where(turned, n, k.scalar(1, "i64"))
    flat = a.shaped(many, n * n)
    for i in k.range(batch):
        own = k.where(many.equals(1), k.scalar(0, "i64"), i)
        for step in k.range(n):
            row = k.where(lower, step, n - 1 - step)
            for j in k.range(width, vectors=True):
                out[i, row, j] = b[i, row, j]
            for past in k.range(step):
                column = k.where(lower, past, n - 1 - past)
                factor = flat[own, row * down + column * across]
                for j in k.range(width, vectors=True):
                    out[i, row, j] = out[i, row, j] - factor * out[i, column, j]
            pivot = k.where(unit, k.scalar(1, b.kind), flat[own, row * (n + 1)])
            k.refuse(pivot.equals(0))
            for j in k.range(width, vectors=True):
                x = out[i, row, j] / pivot
                out[i, row, j] = x
                lost.add(x - x)
    k.refuse(lost.get().differs(0))


def _plain(a, b, lower, unit):
    """Arrays with one axis in front, `a` as it lies in memory or turned; None for what LAPACK does."""
    if type(a) is not ndarray or type(b) is not ndarray or not b.size or b.dtype.kind != "f":
        return None
    lead, own = b.shape[:-2], a.shape[:-2]
    turned = a.strides[-2] < a.strides[-1] and a.ndim == 2
    a = a.T if turned else a
    if own != lead and a.size != a.shape[-1] ** 2:
        a, b = np.broadcast_to(a, (*np.broadcast_shapes(own, lead), *a.shape[-2:])), np.broadcast_to(
            b, (*np.broadcast_shapes(own, lead), *b.shape[-2:]))
    n = a.shape[-1]
    return a.reshape(-1, n, n), b.reshape(-1, n, b.shape[-1]), int(lower), int(turned), int(unit)


_SUBSTITUTED = Loops(_substituted, _plain).runner("substitution")


def substitute(xp, a, b, lower, unit):
    """`x` with `a @ x = b`, of which one triangle of `a` is read, without the diagonal where that is `unit`."""
    n = a.shape[-1]
    out = _by_blas(a, b, lower, unit) if xp is np else None
    if out is not None:
        return out
    if n <= _BLOCK:
        out = _SUBSTITUTED(a, b, lower, unit) if xp is np else None
        if out is None:
            return _of_one_block(xp, a, b, lower, unit)
        return shaped(out, (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
    middle = n // 2
    parts = slice(0, middle), slice(middle, n)
    first, second = parts if lower else parts[::-1]
    x = substitute(xp, a[..., first, first], b[..., first, :], lower, unit)
    rest = b[..., second, :] - xp.matmul(a[..., second, first], x)
    y = substitute(xp, a[..., second, second], rest, lower, unit)
    return xp.concatenate((x, y) if lower else (y, x), axis=-2)


def _by_blas(a, b, lower, unit):
    """The solution of one system; None where BLAS is not to be had, or what it gives is not finite, which it does not
    warn of. Rows of `b` are columns to BLAS: xᵀ aᵀ = bᵀ.
    """
    if type(a) is not ndarray or type(b) is not ndarray or a.ndim != 2 or b.ndim != 2 or not b.size or (
            a.dtype != b.dtype or not (unit or a.diagonal().all())):
        return None
    solve = triangular_solver(b.dtype)
    if solve is None:
        return None
    turned = a.flags.f_contiguous
    out = solve(1, a if turned else a.T, b.T, side=1, lower=lower == turned, trans_a=turned, diag=unit).T
    return out if np.isfinite(out).all() else None


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


def _shape(a, b, name="solve_triangular"):
    n = a.shape[-1] if a.ndim else 0
    if a.ndim < 2 or a.shape[-2] != n:
        raise SquareError(f"{name} needs square matrices (..., n, n), but got shape {a.shape}; take "
                          f"its first rows or columns{at_user_line()}")
    if b.ndim < 2 or b.shape[-2] != n:
        raise ShapeError(f"{name} needs b of shape (..., {n}, k) for a of shape {a.shape}, but got {b.shape}"
                         f"; reshape b, or transpose it{at_user_line()}")
    lead = broadcast_shape(name, [a.shape[:-2], b.shape[:-2]])
    return make_aval((*lead, *b.shape[-2:]), float_dtype(result_dtype(a, b)))


def _triangle(x, lower, unit):
    """The triangle of matrices that is read, zeros elsewhere."""
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
    shape=lambda a, b: _shape(a, b),
    jvp={"a": _jvp_a, "b": lambda db, a, lower, trans, unit: solve_triangular(a, db, lower, trans, unit)},
    vjp={"a, b": _vjp},
    batch=_batch,
    linear=("b",),
    depends=lambda a, b, ans: columns(ans.shape, a.shape, b.shape),
    blocks=2,
    samples=_samples,
)


def _nonzero_above(k, a):
    """The number of elements above the diagonals that are not 0."""
    n = a.shape[1]
    k.require(a.shape[2].equals(n))
    out = k.output("i64", (1,))
    found = k.cell(0, "i64")
    for i in k.range(a.shape[0]):
        for row in k.range(n):
            for j in k.range(n, row + 1):
                found.add(k.where(a[i, row, j].differs(0), k.scalar(1, "i64"), 0))
    out[0] = found.get()


_ABOVE = Loops(_nonzero_above, lambda a: (
    a.reshape((math.prod(a.shape[:-2]), *a.shape[-2:])),) if a.dtype.kind == "f" else None).runner("nonzero_above")


def _is_lower(xp, l):
    """Tell whether matrices are lower triangles; of a small one np.tril takes longer than the substitution."""
    found = _ABOVE(l) if xp is np else None
    return bool((xp.tril(l) == l).all()) if found is None else not found[0]


def _by_factor(xp, l, b):
    dtype = float_dtype(result_dtype(l, b))
    l, b = xp.asarray(l, dtype=dtype), xp.asarray(b, dtype=dtype)
    if _is_lower(xp, l):
        return substitute(xp, _turned(l, 2), substitute(xp, l, b, True, False), False, False)
    return xp.linalg.solve(_turned(l, 2), xp.linalg.solve(l, b))


def _by_factor_jvp(dl, l, ans):
    """From d(L Lᴴ x) = 0: dx = -(L Lᴴ)⁻¹ (dL Lᴴ + L dLᴴ) x."""
    turned = _turned(l, 2)
    return -factor_solve(l, matmul(dl, matmul(turned, ans)) + matmul(l, matmul(_turned(dl, 2), ans)))


def _by_factor_vjp(ct, l, ans):
    """The adjoint: b̄ = (L Lᴴ)⁻¹ c̄, and -(b̄ xᴴ + x b̄ᴴ) L, from the side that takes fewer products."""
    b = factor_solve(l, ct)
    if 3 * b.shape[-1] > l.shape[-1]:
        half = matmul(b, _turned(ans, 2))
        return -matmul(half + _turned(half, 2), l), b
    return -matmul(b, matmul(_turned(ans, 2), l)) - matmul(ans, matmul(_turned(b, 2), l)), b


def _by_factor_batch(l, b, batched):
    rank = 1 + max(x.ndim - own for x, own in zip((l, b), batched))
    return factor_solve(*[lift(x, rank) if own else x for x, own in zip((l, b), batched)])


def _by_factor_samples(rng):
    found = [Sample(np.tril(a), b, tol=1e-5) for a, b in (case.operands for case in _samples(rng))]
    return [*found, Sample(rng.normal(size=(3, 3)) + 3 * np.eye(3), rng.normal(size=(3, 2)), tol=1e-5)]


factor_solve = primitive(
    "factor_solve",  # x with l @ lᴴ @ x = b, l: (..., n, n), lower triangles as a rule, b: (..., n, k)
    impl=lambda xp, l, b: _by_factor(xp, l, b),
    shape=lambda l, b: _shape(l, b, "factor_solve"),
    jvp={"l": _by_factor_jvp, "b": lambda db, l: factor_solve(l, db)},
    vjp={"l, b": _by_factor_vjp},
    batch=_by_factor_batch,
    linear=("b",),
    depends=lambda l, b, ans: columns(ans.shape, l.shape, b.shape),
    blocks=2,
    samples=_by_factor_samples,
)
