"""Views, copies and casts of traced values, with the memory sharing of their NumPy equivalents."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..arrays.axes import normal_axis
from ..checks import check_options, whole
from ..errors import DtypeError, at_user_line
from ..ops import selection, shaping
from ..ops.indexing import indexing
from ..ops.indexing.places import duplicate
from ..trace.buffers import Buffer, make_buffer
from ..trace.device import as_element, constant
from ..trace.shared_memory import Step, tied
from ..trace.tracer import Tracer


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


# Copies and casts, with the memory sharing of their NumPy equivalents.


def astype(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """`x` in `dtype`; the very same where that is its own and `copy` is false."""
    if casting != "unsafe" or order != "K" or subok is not True or copy is not True:
        check_options({"order": order, "casting": casting, "subok": subok, "copy": copy})
        if not np.can_cast(x.dtype, dtype, casting):
            raise DtypeError(f"astype was asked for {np.dtype(dtype)}, to which {x.dtype} is not cast by "
                             f"casting={casting!r}; omit casting, or ask for another dtype{at_user_line()}")
    return x if not copy and x.dtype == dtype else selection.astype(x, dtype)


def copy(x):
    """A boxed copy that may be written to, in the order of the axes."""
    return make_buffer(x, ordered=True)


def copied(x):
    """`x` in memory of its own, where NumPy copies."""
    return make_buffer(x) if type(x) is Buffer else duplicate(x)


def cast_for_write(buffer, value):
    """`value` in the dtype of the buffer, as NumPy casts on assignment; a derivative is never cast away."""
    if not isinstance(value, Tracer):
        return as_element(value, buffer.dtype)
    if type(value) is Buffer:
        value = value.read()  # it may be the very buffer that is written to
        if not isinstance(value, Tracer):
            return as_element(value, buffer.dtype)
    have, want = value.dtype, buffer.dtype
    if have == want:
        return value
    # NumPy would cast, with a warning at most; a derivative lost in silence is worse than an error.
    if have.kind in "fc" and (want.kind in "biu" or have.kind == "c" and want.kind == "f"):
        raise DtypeError(f"a traced value of dtype {have} was written into an array of dtype {want}, which would drop "
                         f"its derivative; make the buffer with dtype={have}{at_user_line()}")
    return selection.astype(value, want)


def cast_in_place(contents, new, casting):
    """The result of an in-place operation in the dtype of the array, where NumPy would cast it to that."""
    have, want = new.dtype, contents.dtype
    if have.kind in "biu" and not np.can_cast(have, want, casting):
        raise DtypeError(f"an in-place operation gives {have}, which NumPy does not cast to the {want} of the array; "
                         f"write x = x + y, or make the array with dtype={have}{at_user_line()}")
    return cast_for_write(contents, new) if isinstance(new, Tracer) else new.astype(want, copy=False)


def unshared(x):
    """`x`, computed by views alone, of which one had to copy."""
    if isinstance(x, Tracer) and x.owner is not None:
        x.state = None
    return x
