"""Linear algebra: `numpy.linalg` on arrays and traced arrays."""

import math
import operator
from typing import Any

import numpy as np

from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import arithmetic, selection, shaping
from ..core.ops.linalg import decompositions, determinants, products, qr as _qr
from ..core.trace.device import constant
from . import linear_algebra
from .norms import cond as cond, matrix_norm as matrix_norm, norm as norm, vector_norm as vector_norm
from .spectra import (
    EighResult as EighResult,
    EigResult as EigResult,
    SVDResult as SVDResult,
    eig as eig,
    eigh as eigh,
    eigvals as eigvals,
    eigvalsh as eigvalsh,
    inexact,
    lstsq as lstsq,
    matrices,
    matrix_rank as matrix_rank,
    pinv as pinv,
    policy_here,
    repeated_values as repeated_values,
    square,
    svd as svd,
    svdvals as svdvals,
)
from .surface import Array, array_of, implements, refuse_options

LinAlgError = np.linalg.LinAlgError
QRResult = type(np.linalg.qr(np.eye(1)))
SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@implements(np.linalg.solve)
def solve(a: Array, b: Array) -> Array:
    a, b = inexact(a), inexact(b)
    if not b.ndim:
        raise ShapeError(f"solve needs right sides of at least one axis, but got shapes {a.shape} and (); divide, or "
                         f"reshape to (n, 1){at_user_line()}")
    if b.ndim == 1:
        return decompositions.solve_vector(a, b)
    return decompositions.solve(a, b)


@implements(np.linalg.inv)
def inv(a: Array) -> Array:
    return decompositions.inv(square(a, "inv"))


@implements(np.linalg.det)
def det(a: Array) -> Array:
    return determinants.det(square(a, "det"))


@implements(np.linalg.slogdet)
def slogdet(a: Array) -> Any:
    return SlogdetResult(*determinants.slogdet(square(a, "slogdet")))


@implements(np.linalg.cholesky)
def cholesky(a: Array, /, *, upper: bool = False) -> Array:
    """Traced: of one triangle of `a`, as NumPy has it; the gradient is Hermitian."""
    a = square(a, "cholesky")
    if upper:
        return decompositions.adjoint(decompositions.cholesky(decompositions.adjoint(a), True))
    return decompositions.cholesky(a, True)


@implements(np.linalg.qr)
def qr(a: Array, mode: str = "reduced") -> Any:
    """Traced: of full rank. The columns that 'complete' adds to Q are any basis, see `repeated_values`."""
    a = matrices(a, "qr")
    m, n = a.shape[-2:]
    if mode == "raw":
        return _householder(a)
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr supports the modes 'reduced', 'complete', 'r' and 'raw', but got {mode!r}; "
                         f"choose one of them{at_user_line()}")
    if m >= n:
        complete = mode == "complete" and m > n
        q, r = _qr.qr(a, complete, policy_here())
        if complete:
            r = shaping.pad(r, ((0, 0),) * (a.ndim - 2) + ((0, m - n), (0, 0)))
    else:  # Q and the left part of R are those of the first m columns; the rest of R is Qᴴ times the other columns
        q, r = _qr.qr(a[..., :m], False, policy_here())
        r = shaping.concatenate(r, products.matmul(decompositions.adjoint(q), a[..., m:]), axis=a.ndim - 1)
    return r if mode == "r" else QRResult(q, r)


def _householder(a: Array) -> tuple[Array, Array]:
    """LAPACK's reflectors, transposed as NumPy returns them, and their scales: `geqrf`, column by column.

    A column x = (α, rest) is reflected to (β, 0) by Hᴴ for β = -sign(Re α) |x|, H = 1 - τ v vᴴ, τ = (β - α) / β and
    v = (1, rest / (α - β)); where the rest is 0 and α real, H is the identity.
    """
    m, n = a.shape[-2:]
    parts, scales = [], []
    for k in range(min(m, n)):
        x = a[..., k:, 0]
        alpha, rest = x[..., :1], x[..., 1:]
        squares = (rest * shaping.conjugate(rest)).real.sum(axis=-1, keepdims=True)
        turn = alpha.imag * alpha.imag if a.dtype.kind == "c" else 0.0
        flat = squares + turn == 0
        size = arithmetic.sqrt(selection.where(flat, 1.0, alpha.real * alpha.real + turn + squares))
        beta = selection.where(alpha.real < 0, size, -size)
        v = selection.where(flat, 0.0, rest / (alpha - beta))
        tau = selection.where(flat, 0.0, (beta - alpha) / beta)
        diagonal = selection.where(flat, alpha, selection.astype(beta, a.dtype))
        column = shaping.concatenate(a[..., :k, 0], diagonal, v, axis=a.ndim - 2)
        parts.append(column)
        scales.append(tau)
        later = a[..., k:, 1:]
        v = shaping.concatenate(0.0 * tau + 1.0, v, axis=a.ndim - 2)[..., None]
        moved = later - v * (shaping.conjugate(tau)[..., None] * products.matmul(decompositions.adjoint(v), later))
        a = shaping.concatenate(a[..., :k, 1:], moved, axis=a.ndim - 2)
    columns = [x[..., None, :] for x in parts]
    others = [methods.swapaxes(a, -1, -2)] if a.shape[-1] else []
    if not columns:
        return methods.swapaxes(a, -1, -2), a[..., 0, :0] if m else methods.reshape(a, (*a.shape[:-2], 0))
    return (shaping.concatenate(*columns, *others, axis=a.ndim - 2),
            shaping.concatenate(*scales, axis=a.ndim - 2))


@implements(np.linalg.matrix_power)
def matrix_power(a: Array, n: Any) -> Array:
    a, n = array_of(a), operator.index(n)
    decompositions.check_square(a, "matrix_power")
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        return shaping.broadcast_to(constant(np.eye(a.shape[-1], dtype=a.dtype), a), a.shape)
    ans = None
    while True:
        if n & 1:
            ans = a if ans is None else products.matmul(ans, a)
        n >>= 1
        if not n:
            return ans
        a = products.matmul(a, a)


@implements(np.linalg.multi_dot)
def multi_dot(arrays: Any, *, out: Any = None) -> Array:
    refuse_options("multi_dot", out)
    arrays = [array_of(x) for x in arrays]
    if len(arrays) < 2:
        raise ValueError(f"multi_dot needs two or more arrays, but got {len(arrays)}; "
                         f"give a list of them{at_user_line()}")
    if any(x.ndim != 2 for x in arrays[1:-1]) or any(x.ndim not in (1, 2) for x in (arrays[0], arrays[-1])):
        raise ShapeError("multi_dot needs matrices, and first and last matrices or vectors, but got shapes "
                         f"{', '.join(str(x.shape) for x in arrays)}; reshape those in between{at_user_line()}")
    sizes = [1 if arrays[0].ndim == 1 else arrays[0].shape[0], *[x.shape[0] for x in arrays[1:]],
             1 if arrays[-1].ndim == 1 else arrays[-1].shape[1]]
    return _in_order(arrays, _cheapest(sizes), 0, len(arrays) - 1)


def _cheapest(sizes: list[int]) -> dict:
    """The best split of each run of a matrix chain, by dynamic programming (Cormen et al., section 14.2)."""
    count = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(count)}, {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))
    return split


def _in_order(arrays: list, split: dict, i: int, j: int) -> Array:
    if i == j:
        return arrays[i]
    k = split[i, j]
    return products.matmul(_in_order(arrays, split, i, k), _in_order(arrays, split, k + 1, j))


@implements(np.linalg.tensorinv)
def tensorinv(a: Array, ind: int = 2) -> Array:
    a = inexact(a)
    if ind <= 0:
        raise ValueError(f"tensorinv needs ind > 0, but got {ind}; it counts the axes of the rows{at_user_line()}")
    size = math.prod(a.shape[ind:])
    return methods.reshape(decompositions.inv(methods.reshape(a, (size, -1))), (*a.shape[ind:], *a.shape[:ind]))


@implements(np.linalg.tensorsolve)
def tensorsolve(a: Array, b: Array, axes: Any = None) -> Array:
    a, b = inexact(a), inexact(b)
    if axes is not None:
        order = list(range(a.ndim))
        for k in axes:
            order.remove(k)
            order.insert(a.ndim, k)
        a = shaping.transpose(a, tuple(order))
    shape = tuple(a.shape[b.ndim - a.ndim:])
    size = math.prod(shape)
    if a.size != size * size:
        raise np.linalg.LinAlgError("tensorsolve needs prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]), but got "
                                    f"shapes {a.shape} and {b.shape}; reshape one of them{at_user_line()}")
    ans = decompositions.solve(methods.reshape(a, (size, size)), methods.reshape(b, (size, 1)))
    return methods.reshape(ans, shape)


@implements(np.linalg.matmul)
def matmul(x1: Array, x2: Array, /) -> Array:
    return products.matmul(array_of(x1), array_of(x2))


@implements(np.linalg.outer)
def outer(x1: Array, x2: Array, /) -> Array:
    x1, x2 = array_of(x1), array_of(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ShapeError(f"linalg.outer needs vectors, but got shapes {x1.shape} and {x2.shape}; np.outer flattens "
                         f"its operands{at_user_line()}")
    return linear_algebra.outer(x1, x2)


@implements(np.linalg.tensordot)
def tensordot(x1: Array, x2: Array, /, *, axes: Any = 2) -> Array:
    return linear_algebra.tensordot(x1, x2, axes)


@implements(np.linalg.cross)
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    x1, x2 = array_of(x1), array_of(x2)
    for x in (x1, x2):
        if x.shape[axis] != 3:
            raise ShapeError(f"linalg.cross needs vectors of length 3 along axis {axis}, but got shapes {x1.shape} and "
                             f"{x2.shape}; append a 0 to those of the plane{at_user_line()}")
    return linear_algebra.cross(x1, x2, axis=axis)


@implements(np.linalg.diagonal)
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    return views.diagonal(x, offset, -2, -1)


@implements(np.linalg.vecdot)
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    return products.vecdot(x1, x2, axis)


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Array, /) -> Array:
    return methods.swapaxes(x, -1, -2)


@implements(np.linalg.trace)
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    return views.trace(x, offset, -2, -1, dtype)
