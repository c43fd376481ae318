"""Linear algebra: `numpy.linalg` on arrays and traced arrays."""

import operator
from typing import Any

import numpy as np

from ..core import methods
from ..core.errors import ShapeError, at_user_line
from ..core.ops import arithmetic, decompositions, linalg, reductions, selection, shaping
from . import indexing, linear_algebra
from .surface import Array, Axis, array_of, implements

LinAlgError = np.linalg.LinAlgError
EighResult = type(np.linalg.eigh(np.eye(1)))
QRResult = type(np.linalg.qr(np.eye(1)))
SlogdetResult = type(np.linalg.slogdet(np.eye(1)))
matmul, outer, tensordot = linear_algebra.matmul, linear_algebra.outer, linear_algebra.tensordot
diagonal = indexing.diagonal


@implements(np.linalg.solve)
def solve(a: Array, b: Array) -> Array:
    a, b = _inexact(a), _inexact(b)
    if b.ndim == 1:
        return methods.squeeze(decompositions.solve(a, methods.reshape(b, (-1, 1))), -1)
    return decompositions.solve(a, b)


@implements(np.linalg.inv)
def inv(a: Array) -> Array:
    return decompositions.inv(_inexact(a))


@implements(np.linalg.det)
def det(a: Array) -> Array:
    return decompositions.det(_inexact(a))


@implements(np.linalg.slogdet)
def slogdet(a: Array) -> Any:
    return SlogdetResult(*decompositions.slogdet(_inexact(a)))


@implements(np.linalg.cholesky)
def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """Traced: of the Hermitian part of `a`, so that the gradient is Hermitian."""
    lower = decompositions.cholesky(_inexact(a))
    return decompositions.adjoint(lower) if upper else lower


@implements(np.linalg.eigh)
def eigh(a: Array, UPLO: str = "L") -> Any:
    """Traced: of the Hermitian part of `a`, whatever `UPLO`, so that the gradient is Hermitian."""
    _check_triangle(UPLO)
    return EighResult(*decompositions.eigh(_inexact(a)))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    _check_triangle(UPLO)
    return decompositions.eigh(_inexact(a))[0]


def _check_triangle(uplo: str) -> None:
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"eigh takes UPLO 'L' or 'U', but got {uplo!r}")


@implements(np.linalg.qr)
def qr(a: Array, mode: str = "reduced") -> Any:
    a = _inexact(a)
    if a.ndim < 2:
        raise ShapeError(f"qr needs matrices, but got shape {a.shape}{at_user_line()}")
    m, n = a.shape[-2:]
    if mode not in ("reduced", "r") and not (mode == "complete" and m <= n):
        raise ValueError(f"qr of a traced {m} by {n} matrix has the modes 'reduced' and 'r', but got {mode!r}: "
                         "the other columns of a complete Q are not a function of the matrix")
    if m >= n:
        q, r = decompositions.qr(a)
    else:  # Q and the left part of R are those of the first m columns; the rest of R is Qᴴ times the other columns
        q, r = decompositions.qr(a[..., :m])
        r = shaping.concatenate(r, linalg.matmul(decompositions.adjoint(q), a[..., m:]), axis=a.ndim - 1)
    return r if mode == "r" else QRResult(q, r)


@implements(np.linalg.norm)
def norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    x = _inexact(x)
    if axis is None:
        if ord is None or (ord == 2 and x.ndim == 1) or (ord in ("f", "fro") and x.ndim == 2):
            return _euclid(x, tuple(range(x.ndim)), keepdims)
        axes = tuple(range(x.ndim))
        if x.ndim not in (1, 2):
            raise ValueError(f"norm with ord={ord!r} needs one or two axes, but got shape {x.shape}; name them by axis")
    else:
        axes = tuple([methods.normal_axis(k, x.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"norm takes one or two different axes, but got axis={axis}")
    return _matrix_norm(x, ord, axes, keepdims)


def _inexact(x: Any) -> Array:
    x = array_of(x)
    return x if x.dtype.kind in "fcV" else selection.astype(x, np.float64)


def _euclid(x: Array, axes: tuple, keepdims: Any) -> Array:
    """sqrt(Σ |x|²); its derivative at 0 is 0, the subgradient of smallest norm, to every order."""
    squares = arithmetic.square(x) if x.dtype.kind != "c" else arithmetic.square(x.real) + arithmetic.square(x.imag)
    total = reductions.reduce_sum(squares, tuple(sorted(axes)), bool(keepdims))
    zero = total == 0
    return selection.where(zero, 0.0, arithmetic.sqrt(selection.where(zero, 1.0, total)))


def _vector_norm(x: Array, ord: Any, axes: tuple, keepdims: Any) -> Array:
    axes = tuple(sorted(axes))
    keepdims = bool(keepdims)
    if ord == 2:
        return _euclid(x, axes, keepdims)
    size = shaping.absolute(x)
    if ord == np.inf:
        return reductions.reduce_max(size, axes, keepdims)
    if ord == -np.inf:
        return reductions.reduce_min(size, axes, keepdims)
    if ord == 0:
        return reductions.reduce_sum(selection.astype(x != 0, size.dtype), axes, keepdims)
    if ord == 1:
        return reductions.reduce_sum(size, axes, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"norm of vectors has no ord={ord!r}")
    if ord < 0:
        return methods.power(reductions.reduce_sum(methods.power(size, ord), axes, keepdims), 1 / ord)
    zero = size == 0  # |x|^p has derivative 0 at 0 for p > 1; 0 is chosen for p <= 1, too
    powers = selection.where(zero, 0.0, methods.power(selection.where(zero, 1.0, size), float(ord)))
    total = reductions.reduce_sum(powers, axes, keepdims)
    none = total == 0
    return selection.where(none, 0.0, methods.power(selection.where(none, 1.0, total), 1 / ord))


def _matrix_norm(x: Array, ord: Any, axes: tuple, keepdims: Any) -> Array:
    row, column = axes
    if ord in (None, "fro", "f"):
        return _euclid(x, axes, keepdims)
    if ord in (1, -1, np.inf, -np.inf):
        along, other = (row, column) if ord in (1, -1) else (column, row)
        sums = reductions.reduce_sum(shaping.absolute(x), (along,), True)
        ans = (reductions.reduce_max if ord > 0 else reductions.reduce_min)(sums, (other,), True)
        return ans if keepdims else methods.squeeze(ans, axes)
    raise ValueError(f"norm of traced matrices has the orders None, 'fro', 1, -1, inf and -inf, but got {ord!r}")


@implements(np.linalg.vector_norm)
def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Array:
    x = _inexact(x)
    axes = methods.normal_axes(axis, x.ndim)
    return _vector_norm(x, ord, axes, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    x = _inexact(x)
    return _matrix_norm(x, ord, (x.ndim - 2, x.ndim - 1), keepdims)


@implements(np.linalg.matrix_power)
def matrix_power(a: Array, n: Any) -> Array:
    n = operator.index(n)
    _square(a, "matrix_power")
    if n < 0:
        a, n = decompositions.inv(_inexact(a)), -n
    if n == 0:
        return shaping.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape)
    ans = None
    while True:
        if n & 1:
            ans = a if ans is None else linalg.matmul(ans, a)
        n >>= 1
        if not n:
            return ans
        a = linalg.matmul(a, a)


def _square(a: Array, name: str) -> None:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{name} needs square matrices, but got shape {a.shape}{at_user_line()}")


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Array:
    arrays = [array_of(x) for x in arrays]
    ans = arrays[-1]
    for x in reversed(arrays[:-1]):
        ans = linalg.dot(x, ans)
    return ans


@implements(np.linalg.vecdot)
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    x1, x2 = array_of(x1), array_of(x2)
    return reductions.reduce_sum(shaping.conjugate(x1) * x2, methods.normal_axes(axis, max(x1.ndim, x2.ndim)), False)


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Array, /) -> Array:
    return methods.swapaxes(x, -1, -2)


@implements(np.linalg.trace)
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    return methods.trace(x if dtype is None else selection.astype(x, dtype), offset, -2, -1)
