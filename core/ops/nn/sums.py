"""Sums over rows and columns of plain matrices, and rows shifted by one number each, by the fastest of NumPy's ways."""

import operator

import numpy as np

from ...arrays.small_calls import small_names
from ...primitive.row_kernels import shaped

ndarray = np.ndarray
PLAIN = (np.dtype(np.float32), np.dtype(np.float64))
_LONG = 4096  # elements of a row: longer ones are added pair by pair, which rounds less
_FEW = 4096  # elements of a matrix: with fewer a call costs more than what it does
_ONES = {np.dtype(t): np.ones(_LONG, t) for t in (np.float64, np.float32)}
_minus, _times = operator.sub, operator.mul
small_names(globals(), ("_minus", "_times"))


def row_sums(x):
    """The sum of each row of a matrix of float32 or float64."""
    n = x.shape[1]
    return x.dot(_ONES[x.dtype][:n]) if n <= _LONG else np.add.reduce(x, 1)


def column_sums(x):
    """The sum of each column, of arrays of a device as well."""
    if type(x) is not ndarray:
        return x.sum(0)
    n = x.shape[0]
    return _ONES[x.dtype][:n].dot(x) if n <= _LONG else np.add.reduce(x, 0)


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
