"""Sum plain floats over axes as products with ones: BLAS adds in a quarter of the time that NumPy takes."""

import math
import operator

import numpy as np

from . import small_ufuncs

# Ufunc dispatch of the fast road: loops called directly on small arrays, native kernels on large ones.

MOST = 4096  # elements of a small array, as small_ufuncs.pyx has it
OPERATORS = {operator.add: np.add, operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide,
             operator.neg: np.negative, operator.mod: np.remainder, operator.floordiv: np.floor_divide}
LARGE = {}  # ufunc -> `make(instead)`: a function that runs a kernel on large arrays; core/primitive/families.py


def small(op, ufunc=None, quiet=False):
    """`op`, computed by its loop at once where it is a ufunc or an operator, and its arguments are small arrays.

    Args:
        op: a function of one or two arrays.
        ufunc: the ufunc that it comes to, where it is something else.
        quiet: nobody asks for NumPy's warnings; or what makes of a function one that gives none.
    """
    found = ufunc or OPERATORS.get(op, op)
    instead = LARGE[found](op) if found in LARGE else op
    if callable(quiet):
        instead = quiet(instead)
    return small_ufuncs.small(found, instead, bool(quiet)) if type(found) is np.ufunc else instead


ndarray = np.ndarray
PLAIN = (np.dtype(np.float32), np.dtype(np.float64))
_BLOCK, _DEEP = 256, 128  # elements of a row, and of a column, in one product: its sums round after each few
LEAST, _NARROW = 1 << 12, 64  # elements from which on short rows and few columns pay; how short they are
_MANY, _LONG = 1 << 14, 1 << 15  # from which on others pay, and rows of several blocks
_TRIED = 8  # numbers of blocks
_ONES = {t: np.ones(_BLOCK, t) for t in PLAIN}
_add = np.add.reduce


def by_products(aval):
    """Tell whether sums of arrays like this may go by products, not in NumPy's order."""
    return aval.size >= LEAST and aval.dtype in PLAIN


def sums(x, axes, keepdims=False):
    """`np.add.reduce` over some axes; large arrays of floats are added up in another order, with no larger errors."""
    if type(x) is ndarray and axes and by_products(x):
        out = _sums(x, axes)
        if out is not None:
            if keepdims:
                return shaped(np.asarray(out), tuple([1 if i in axes else n for i, n in enumerate(x.shape)]))
            return out
    return _add(x, axes, None, None, keepdims)


def _sums(x, axes):
    """The sums; None where NumPy's way is as good, and where something is not finite, of which NumPy may warn."""
    if not x.flags.c_contiguous:
        x, axes = x.T, [x.ndim - 1 - a for a in axes]
        if not x.flags.c_contiguous or len(axes) < x.ndim - 1:  # what stays would have its axes in another order
            return None
    first, last = min(axes), max(axes) + 1
    if last - first != len(axes):
        return None
    shape = x.shape
    before, n, behind = math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])
    if before * behind == 1:
        if n < _MANY or len(axes) < x.ndim:
            return None
        out = total(x.reshape(n))
        return out if math.isfinite(out) else None
    if behind == 1:
        if x.size < _MANY and n > _NARROW or x.size < _LONG and n > _BLOCK:
            return None
        out = row_sums(x.reshape(before, n))
    elif before == 1 and (x.size >= _MANY or behind <= _NARROW):
        out = column_sums(x.reshape(n, behind))
    else:
        return None
    return shaped(out, shape[:first] + shape[last:]) if math.isfinite(out.dot(out)) else None


def _even(n):
    """A number of blocks of one length, at most `_BLOCK`, that make up n elements; 0 if it is not found at once."""
    least = -(-n // _BLOCK)
    for blocks in range(least, least + _TRIED):
        if n % blocks == 0:
            return blocks
    return 0


def total(x):
    """The sum of a vector of float32 or float64."""
    n = len(x)
    ones = _ONES[x.dtype]
    if n <= _BLOCK:
        return ones[:n].dot(x)
    rows, rest = divmod(n, _BLOCK)
    whole = total(x[: n - rest].reshape(rows, _BLOCK).dot(ones))
    return whole + ones[:rest].dot(x[n - rest :]) if rest else whole


def row_sums(x):
    """The sum of each row of a matrix of float32 or float64."""
    m, n = x.shape
    ones = _ONES[x.dtype]
    if n <= _BLOCK:
        return x.dot(ones[:n])
    blocks = _even(n)
    if blocks and x.flags.c_contiguous:
        return row_sums(x.reshape(m * blocks, n // blocks).dot(ones[: n // blocks]).reshape(m, blocks))
    if m * _BLOCK < n:
        return np.array([total(row) for row in x])
    parts = np.empty((-(-n // _BLOCK), m), x.dtype)
    for part, start in zip(parts, range(0, n, _BLOCK)):
        block = x[:, start : start + _BLOCK]
        np.matmul(block, ones[: block.shape[1]], part)  # `dot` would copy the block
    return column_sums(parts)


def column_sums(x):
    """The sum of each column, of arrays of a device as well."""
    if type(x) is not ndarray:
        return x.sum(0)
    n, m = x.shape
    ones = _ONES[x.dtype]
    if n <= _DEEP:
        return ones[:n].dot(x)
    wide = n // _DEEP  # rows side by side, so that the products are of long rows
    if wide == 1 or not x.flags.c_contiguous:
        parts = np.empty((-(-n // _DEEP), m), x.dtype)
        for part, start in zip(parts, range(0, n, _DEEP)):
            block = x[start : start + _DEEP]
            ones[: len(block)].dot(block, part)
        return column_sums(parts)
    many = wide * _DEEP
    out = column_sums(ones[:_DEEP].dot(x[:many].reshape(_DEEP, wide * m)).reshape(wide, m))
    if many < n:
        out += ones[: n - many].dot(x[many:])
    return out


def shaped(out, shape):
    """An array of ours in another shape, as itself: what is a view of another would be copied by the sweep."""
    if type(out) is not ndarray:
        return out.reshape(shape)
    if out.shape != shape:
        out.resize(shape, refcheck=False)
    return out


# Row-wise dot products of plain matrices, and rows shifted by one number each, by the fastest of the NumPy calls.

_LONG_ROW = 4096  # elements of a row: longer ones are added pair by pair, which rounds less
_FEW = 4096  # elements of a matrix: with fewer a call costs more than what it does
_minus, _times = small(operator.sub), small(operator.mul)


def row_dots(x, y):
    """The sum of each row of x y."""
    return np.vecdot(x, y) if x.shape[1] <= _LONG_ROW else np.add.reduce(x * y, 1)


def rows_of(x, count=1):
    """A plain array as rows over its last `count` axes; None for what is not that, or has no elements."""
    if type(x) is not ndarray or x.dtype not in PLAIN or not x.size or not x.flags.c_contiguous:
        return None
    n = 1
    for m in x.shape[x.ndim - count :]:
        n *= m
    return x.reshape(-1, n)


def rows_along(x, axis):
    """The rows of an array over one axis; of few numbers that lie otherwise in a copy. None as for `rows_of`."""
    last = axis == x.ndim - 1
    rows = rows_of(x) if last else None
    if rows is None and type(x) is ndarray and x.dtype in PLAIN and 0 < x.size <= _FEW:
        rows = np.ascontiguousarray(x if last else x.swapaxes(axis, -1)).reshape(-1, x.shape[axis])
    return rows


def from_rows(rows, shape, axis):
    """The array of a shape that `rows_along` made rows of."""
    if axis == len(shape) - 1:
        return shaped(rows, shape)
    turned = list(shape)
    turned[axis], turned[-1] = turned[-1], turned[axis]
    return np.ascontiguousarray(rows.reshape(turned).swapaxes(axis, -1))


def row_tops(x):
    """The largest element of each row, NaN where there is one: `argmax` takes a third of the time of `max`."""
    m, n = x.shape
    return x.reshape(-1).take(x.argmax(1) + np.arange(0, m * n, n))


def less_rows(x, shift):
    """`x - shift[:, None]` in memory of its own: copies of the shifts first take 33 us for 41 at 256 x 512."""
    if x.size <= _FEW:
        return _minus(x, shift[:, None])
    out = shaped(shift.repeat(x.shape[1]), x.shape)
    return np.subtract(x, out, out=out)


def outer(x, y):
    """The outer product of two plain vectors: as a product of matrices of two columns it takes 27 us for 50."""
    if x.size * y.size <= _FEW:
        return _times(x[:, None], y)
    half = x * x.dtype.type(0.5)
    return np.dot(np.array((half, half)).T, np.array((y, y)))
