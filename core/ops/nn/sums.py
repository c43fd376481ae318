"""Row-wise dot products of plain matrices, and rows shifted by one number each, by the fastest of the NumPy calls."""

import operator

import numpy as np

from ...arrays.sums import PLAIN, shaped
from ...arrays.ufunc_dispatch import small

ndarray = np.ndarray
_LONG = 4096  # elements of a row: longer ones are added pair by pair, which rounds less
_FEW = 4096  # elements of a matrix: with fewer a call costs more than what it does
_minus, _times = small(operator.sub), small(operator.mul)


def row_dots(x, y):
    """The sum of each row of x y."""
    return np.vecdot(x, y) if x.shape[1] <= _LONG else np.add.reduce(x * y, 1)


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
