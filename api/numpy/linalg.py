"""Linear algebra: `numpy.linalg` on arrays and traced arrays."""

import math
import operator
from typing import Any

import numpy as np

from ..core.checks import flag
from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api import methods, roots, views
from ..core.numpy_api.reducing import reduce
from ..core.ops import arithmetic, reductions, selection, shaping
from ..core.ops.linalg import decompositions, determinants, products, qr as _qr, svd as _svd
from ..core.trace.device import constant
from . import linear_algebra
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
from .surface import Array, Axis, array_of, implements, refuse_options

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


# Norms of vectors and matrices, and condition numbers, as in `numpy.linalg`.


@implements(np.linalg.norm)
def norm(x: Array, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    x = inexact(x)
    if axis is None:
        if ord is None or (ord == 2 and x.ndim == 1) or (ord in ("f", "fro") and x.ndim == 2):
            return _euclid(x, tuple(range(x.ndim)), keepdims)
        axes = tuple(range(x.ndim))
        if x.ndim not in (1, 2):
            raise ValueError(f"norm with ord={ord!r} needs one or two axes, but got shape {x.shape}; name them with "
                             f"axis{at_user_line()}")
    else:
        axes = tuple([methods.normal_axis(k, x.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))])
    if len(axes) == 1:
        return _vector_norm(x, 2 if ord is None else ord, axes, keepdims)
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError(f"norm takes one or two different axes, but got axis={axis}; "
                         f"name them once, or reshape{at_user_line()}")
    rest = tuple(k for k in range(x.ndim) if k not in axes)
    ans = _matrix_norm(shaping.transpose(x, (*rest, *axes)), ord, False)
    if flag(keepdims):
        return methods.reshape(ans, tuple(1 if k in axes else n for k, n in enumerate(x.shape)))
    return ans


@implements(np.linalg.vector_norm)
def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Array:
    x = inexact(x)
    axes = methods.normal_axes(axis, x.ndim)
    return _vector_norm(x, ord, axes, keepdims)


@implements(np.linalg.matrix_norm)
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    return _matrix_norm(matrices(x, "matrix_norm"), ord, keepdims)


@implements(np.linalg.cond)
def cond(x: Array, p: Any = None) -> Array:
    x = matrices(x, "cond")
    if 0 in x.shape[-2:]:
        raise np.linalg.LinAlgError(f"cond is not defined on empty matrices, but got shape {x.shape}; "
                                    f"check the size before{at_user_line()}")
    if p is not None and p not in (2, -2):
        return _matrix_norm(x, p, False) * _matrix_norm(decompositions.inv(x), p, False)
    s = _svd.svdvals(x, policy_here(), "extremes")
    big, small = _extreme(s, max), _extreme(s, min)
    if p == -2:
        big, small = small, big
    with np.errstate(all="ignore"):
        ratio = big / small
        unknown = reductions.reduce_any(selection.isnan(x), (x.ndim - 2, x.ndim - 1), False)
        return selection.where(selection.isnan(ratio) & ~unknown, np.inf, ratio)


def _vector_norm(x: Array, ord: Any, axes: tuple, keepdims: Any) -> Array:
    axes = tuple(sorted(axes))
    keepdims = flag(keepdims)
    if ord == 2:
        return _euclid(x, axes, keepdims)
    size = shaping.absolute(x)
    if ord == np.inf:
        return _largest(size, axes, keepdims)
    if ord == -np.inf:
        return reductions.reduce_min(size, axes, keepdims)
    if ord == 0:
        return reductions.reduce_sum(selection.astype(x != 0, size.dtype), axes, keepdims)
    if ord == 1:
        return reductions.reduce_sum(size, axes, keepdims)
    if isinstance(ord, str):
        raise ValueError(f"norm of vectors has no ord={ord!r}; give a number, inf or -inf{at_user_line()}")
    if ord < 0:
        return methods.power(reductions.reduce_sum(methods.power(size, ord), axes, keepdims), 1 / ord)
    zero = size == 0  # |x|^p has derivative 0 at 0 for p > 1; 0 is chosen for p <= 1, too
    powers = selection.where(zero, 0.0, methods.power(selection.where(zero, 1.0, size), float(ord)))
    total = reductions.reduce_sum(powers, axes, keepdims)
    none = total == 0
    return selection.where(none, 0.0, methods.power(selection.where(none, 1.0, total), 1 / ord))


def _largest(x: Array, axes: tuple, keepdims: bool) -> Array:
    """The largest of values that are nonnegative; 0 of none."""
    return reduce(reductions.reduce_max, x, axes, keepdims, initial=None if x.size else 0)


def _extreme(s: Array, which: Any) -> Array:
    """The largest or smallest singular value; those that are equal share the derivative."""
    axes = (s.ndim - 1,)
    return _largest(s, axes, False) if which is max else reductions.reduce_min(s, axes, False)


def _matrix_norm(x: Array, ord: Any, keepdims: bool) -> Array:
    """The norm of the matrices in the last two axes, of any order."""
    if ord in (None, "fro", "f"):
        ans = _euclid(x, (x.ndim - 2, x.ndim - 1), False)
    elif ord in (1, -1, np.inf, -np.inf):
        along, other = (-2, -1) if ord in (1, -1) else (-1, -2)
        sums = reductions.reduce_sum(shaping.absolute(x), (x.ndim + along,), True)
        extreme = _largest if ord > 0 else reductions.reduce_min
        ans = methods.squeeze(extreme(sums, (x.ndim + other,), True), (x.ndim - 2, x.ndim - 1))
    elif ord in (2, -2, "nuc"):
        s = _svd.svdvals(x, policy_here(), "largest" if ord == 2 else "all")
        ans = reductions.reduce_sum(s, (s.ndim - 1,), False) if ord == "nuc" else _extreme(s, max if ord == 2 else min)
    else:
        raise ValueError(f"norm of matrices supports the orders None, 'fro', 'nuc', 1, -1, 2, -2, inf and -inf, but "
                         f"got {ord!r}; choose one of them{at_user_line()}")
    return methods.reshape(ans, (*ans.shape, 1, 1)) if flag(keepdims) else ans


def _euclid(x: Array, axes: tuple, keepdims: Any) -> Array:
    """sqrt(Σ |x|²); its derivative at 0 is 0, the subgradient of smallest norm."""
    return roots.vector_norm(x, tuple(sorted(axes)), flag(keepdims))
