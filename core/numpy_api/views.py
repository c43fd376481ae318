"""Views of traced values that take several primitives or are only sometimes views: rows, diagonals, windows."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..arrays.axes import normal_axis
from ..checks import whole
from ..errors import at_user_line
from ..ops import shaping
from ..ops.indexing import indexing
from ..trace.device import constant
from ..trace.shared_memory import Step, tied


def ravel(x, order="C"):
    """All elements in a row: a view where they lie so, else a copy, where `reshape` gives one of even steps, too."""
    if order == "F":
        x = shaping.transpose(x, tuple(range(x.ndim))[::-1])
    elif order != "C":
        raise ValueError(f"a traced value has no memory layout to keep: order must be 'C' or 'F', but is {order!r}"
                         f"; omit order, or ask for 'C'{at_user_line()}")
    return tied(x, _RAVEL, (x.size,))


def diagonal(x, offset=0, axis1=0, axis2=1):
    """The diagonal of two axes, as the last axis: a view that is read-only."""
    return tied(x, _DIAGONAL, *_diagonal_of(x, offset, axis1, axis2))


def main_diagonal(x, i, j):
    """The diagonal of two axes of one length, as the last axis: a view that may be written to, as einsum gives it."""
    return tied(x, _MAIN_DIAGONAL, i, j)


def trace(x, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of the diagonal."""
    return _elements(x, *_diagonal_of(x, offset, axis1, axis2)).sum(axis=-1, dtype=dtype)


def _diagonal_of(x, offset, axis1, axis2):
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    if i == j:
        raise ValueError(f"a diagonal takes two axes, but got axis1={axis1} and axis2={axis2} of shape {x.shape}; name "
                         f"two{at_user_line()}")
    return whole(offset, "the offset of a diagonal"), i, j


def _elements(x, offset, i, j):
    rest = tuple(k for k in range(x.ndim) if k not in (i, j))
    moved = shaping.transpose(x, (*rest, i, j))
    n, m = moved.shape[-2:]
    count = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    rows = np.arange(count) + max(-offset, 0)
    return indexing.index(moved, (Ellipsis, rows, rows + offset))


def _in_rows(x, i, j):
    """`x` with the elements of its axes `i` and `j` in a row, and the order of axes in which they are the last."""
    order = (*[k for k in range(x.ndim) if k not in (i, j)], i, j)
    moved = shaping.transpose(x, order)
    return shaping.reshape(moved, (*moved.shape[:-2], x.shape[i] * x.shape[j])), order


def _main_elements(x, i, j):
    return indexing.index(_in_rows(x, i, j)[0], (..., slice(None, None, x.shape[i] + 1)))


def _put_main(x, part, i, j):
    rows, order = _in_rows(x, i, j)
    rows = indexing.index_update(rows, part, (..., slice(None, None, x.shape[i] + 1)), False, False)
    moved = shaping.reshape(rows, tuple(x.shape[k] for k in order))
    return shaping.transpose(moved, shaping.inverse_permutation(order))


def windows(x, sizes, axes):
    """All windows of `sizes` along `axes`, these as the last axes: a view that is read-only."""
    return tied(x, _WINDOWS, sizes, axes)


def _cut(x, sizes, axes):
    for k, size in zip(axes, sizes):
        places = np.arange(x.shape[k] - size + 1)[:, None] + np.arange(size)
        x = indexing.index(x, (*[slice(None)] * k, constant(places, x)))
        x = shaping.transpose(x, (*range(k + 1), *range(k + 2, x.ndim), k + 1))
    return x


_RAVEL = Step("reshape", shaping.reshape, lambda xp, x, shape: x.ravel(), shaping.reshape.prim.unview,
              copies=True)
_DIAGONAL = Step("diagonal", _elements, lambda xp, x, offset, i, j: x.diagonal(offset, i, j),
                 lambda x, part, *params: shaping.refuse_write("a diagonal"))
_MAIN_DIAGONAL = Step("main_diagonal", _main_elements, lambda xp, x, i, j: x.diagonal(0, i, j), _put_main)
_WINDOWS = Step("sliding_window_view", _cut, lambda xp, x, sizes, axes: sliding_window_view(x, sizes, axes),
                lambda x, part, *params: shaping.refuse_write("sliding windows"))
