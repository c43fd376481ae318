"""Sparse matrices from values and places, with SciPy's arguments."""

from typing import Any

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.ops.indexing.indexing import take
from ...core.ops.shaping import concatenate
from ...core.ops.sparse.patterns import SparsePattern, need_scipy
from ...core.trace.tracer import Tracer
from ...numpy.surface import Array
from .sparse_array import SparseArray, _merged, sparse


def csr_array(arg1: Any, shape: tuple[int, int] | None = None) -> SparseArray:
    """Make a sparse matrix from values row by row, or from a matrix.

    Args:
        arg1: `(data, indices, indptr)` or `(data, (rows, columns))`, of which `data` may be traced; or a sparse matrix
            of SciPy; or a matrix, whose zeros are left out if it is not traced; or a shape `(m, n)`, of zeros.
        shape: rows and columns; by default what the places need.
    Returns:
        a `SparseArray`.
    Raises:
        ShapeError: lengths or places do not match.
        MissingLibraryError: SciPy is not installed.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> sparse.csr_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 1, 2]))).toarray()
    array([[0., 1.],
           [2., 0.]])
    """
    need_scipy("covector.scipy.sparse")
    if isinstance(arg1, tuple) and len(arg1) == 2:
        return coo_array(arg1, shape)
    if not isinstance(arg1, tuple):
        return _of_matrix(arg1)
    data, indices, starts = arg1
    indices, starts = _places(indices, "indices"), _places(starts, "indptr")
    return _of_rows(data, indices, starts, shape, "csr_array")


def csc_array(arg1: Any, shape: tuple[int, int] | None = None) -> SparseArray:
    """Make a sparse matrix from values column by column, or from a matrix.

    Args:
        arg1, shape: as in `csr_array`, with `indices` of rows.
    Returns:
        a `SparseArray`, which keeps its values row by row.
    Raises:
        ShapeError, MissingLibraryError: as for `csr_array`.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> sparse.csc_array((np.array([1.0, 2.0]), np.array([1, 0]), np.array([0, 1, 2]))).toarray()
    array([[0., 2.],
           [1., 0.]])
    """
    if not isinstance(arg1, tuple) or len(arg1) == 2:
        return csr_array(arg1, shape)
    data, indices, starts = arg1
    need_scipy("covector.scipy.sparse")
    turned = None if shape is None else shape[::-1]
    return _of_rows(data, _places(indices, "indices"), _places(starts, "indptr"), turned, "csc_array").T


def coo_array(arg1: Any, shape: tuple[int, int] | None = None) -> SparseArray:
    """Make a sparse matrix from values and their rows and columns; values at the same place are added up.

    Args:
        arg1: `(data, (rows, columns))`, of which `data` may be traced, or what `csr_array` takes.
        shape: rows and columns; by default what the places need.
    Returns:
        a `SparseArray`.
    Raises:
        ShapeError, MissingLibraryError: as for `csr_array`.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> def total(data):
    ...     return np.sum(sparse.coo_array((data, ([0, 1, 0], [1, 0, 1])))  @ np.array([3.0, 5.0]))
    >>> covector.grad(total)(np.ones(3))
    array([5., 3., 5.])
    """
    if not isinstance(arg1, tuple) or len(arg1) == 3:
        return csr_array(arg1, shape)
    need_scipy("covector.scipy.sparse")
    data, places = arg1
    if isinstance(places, (int, np.integer)):
        return _zeros(arg1)
    try:
        rows, columns = places
    except (TypeError, ValueError):
        raise ShapeError(f"coo_array needs (data, (rows, columns)), but got {type(places).__name__} in place of the "
                         f"pair; give one row and one column for each value{at_user_line()}") from None
    rows, columns = _places(rows, "rows"), _places(columns, "columns")
    data = _values(data)
    if not rows.shape == columns.shape == tuple(data.shape):
        raise ShapeError(f"coo_array needs as many rows and columns as values, but got {rows.shape}, {columns.shape} "
                         f"and {tuple(data.shape)}; give one place for each value{at_user_line()}")
    shape = _checked_shape(shape, rows, columns, "coo_array")
    keys = rows.astype(np.int64) * shape[1] + columns
    return _merged(data, keys, shape)


def diags_array(diagonals: Any, *, offsets: Any = 0, shape: tuple[int, int] | None = None) -> SparseArray:
    """Make a sparse matrix from diagonals.

    Args:
        diagonals: a vector for each offset, or one vector; they may be traced. With a shape, a number or a vector of
            one element stands for all of its diagonal.
        offsets: which diagonals: 0 is the main one, positive ones lie above it; an integer for one vector.
        shape: rows and columns; by default square, as large as the first diagonal needs.
    Returns:
        a `SparseArray`.
    Raises:
        ShapeError: a diagonal has another length than its offset leaves room for.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> sparse.diags_array([np.array([1.0, 2.0]), np.array([5.0])], offsets=[0, 1]).toarray()
    array([[1., 5.],
           [0., 2.]])
    """
    single = isinstance(offsets, (int, np.integer))
    offsets = [int(offsets)] if single else [int(k) for k in offsets]
    diagonals = [diagonals] if single and _values(diagonals if not isinstance(diagonals, (list, tuple)) else np.asarray(
        diagonals)).ndim == 1 else list(diagonals)
    diagonals = [_values(d) for d in diagonals]
    diagonals = [d if d.ndim else d.reshape((1,)) for d in diagonals]
    if len(diagonals) != len(offsets):
        raise ShapeError(f"diags_array needs one offset for each diagonal, but got {len(offsets)} for "
                         f"{len(diagonals)}; give as many{at_user_line()}")
    n = diagonals[0].shape[0] + abs(offsets[0]) if diagonals else 0
    m, n = shape if shape is not None else (n, n)
    rows, columns = [], []
    for at, (d, k) in enumerate(zip(diagonals, offsets)):
        length = max(min(m + min(k, 0), n - max(k, 0)), 0)
        if shape is not None and d.shape == (1,) != (length,):
            d = diagonals[at] = take(d, np.zeros(length, int), axis=0)
        if d.shape != (length,):
            raise ShapeError(f"diags_array needs a vector of length {length} for the diagonal {k} of a matrix of shape "
                             f"{(m, n)}, but got shape {tuple(d.shape)}; cut it to that length{at_user_line()}")
        rows.append(np.arange(length) - min(k, 0))
        columns.append(np.arange(length) + max(k, 0))
    data = diagonals[0] if len(diagonals) == 1 else concatenate(*diagonals, axis=0)
    return coo_array((data, (np.concatenate(rows), np.concatenate(columns))), (m, n))


def with_data(a: Any, data: Array) -> SparseArray:
    """Make a sparse matrix with the pattern of another one.

    Args:
        a: a sparse matrix of SciPy, or a `SparseArray`.
        data: its values row by row (those of `a.tocsr()`), which may be traced.
    Returns:
        a `SparseArray`.
    Raises:
        ShapeError: there are not as many values as places.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> pattern = sparse.csr_array(np.eye(2))
    >>> covector.grad(lambda d: np.sum(sparse.with_data(pattern, d) @ np.array([2.0, 3.0])))(np.ones(2))
    array([2., 3.])
    """
    need_scipy("covector.scipy.sparse")
    pattern = sparse(a).pattern
    data = _values(data)
    if tuple(data.shape) != (pattern.size,):
        raise ShapeError(f"with_data needs the {pattern.size} values of a pattern, but got shape {tuple(data.shape)}; "
                         f"give one for each place, row by row{at_user_line()}")
    return SparseArray(data, pattern)


def _zeros(shape: Any) -> SparseArray:
    return _merged(np.zeros(0), np.zeros(0, np.int64), (int(shape[0]), int(shape[1])))


def _of_matrix(a: Any) -> SparseArray:
    if hasattr(type(a), "tocsr"):
        return sparse(a)
    a = _values(a)
    if a.ndim != 2:
        raise ShapeError(f"csr_array needs a matrix, but got shape {tuple(a.shape)}; reshape it to two axes"
                         f"{at_user_line()}")
    places = np.arange(a.size) if isinstance(a, Tracer) else np.flatnonzero(a)
    return _merged(take(a.reshape((-1,)), places, axis=0), places, tuple(a.shape))


def _of_rows(data: Any, indices: np.ndarray, starts: np.ndarray, shape: Any, name: str) -> SparseArray:
    data = _values(data)
    if data.shape != indices.shape or len(starts) < 1 or starts[-1] != len(indices) or np.any(np.diff(starts) < 0):
        raise ShapeError(f"{name} needs one index for each value and indptr from 0 to their number, but got "
                         f"{tuple(data.shape)} values, {indices.shape} indices and indptr up to "
                         f"{starts[-1] if len(starts) else None}; check the three arrays{at_user_line()}")
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    shape = _checked_shape((len(starts) - 1, int(indices.max(initial=-1)) + 1) if shape is None else shape, rows,
        indices,
                           name)
    keys = rows.astype(np.int64) * shape[1] + indices
    if np.all(np.diff(keys) > 0):
        return SparseArray(data, SparsePattern(starts.copy(), indices.copy(), shape))
    return _merged(data, keys, shape)


def _checked_shape(shape: Any, rows: np.ndarray, columns: np.ndarray, name: str) -> tuple[int, int]:
    needed = int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1
    shape = needed if shape is None else (int(shape[0]), int(shape[1]))
    if needed[0] > shape[0] or needed[1] > shape[1] or min(rows.min(initial=0), columns.min(initial=0)) < 0:
        raise ShapeError(f"{name} got places outside of a matrix of shape {shape}: they need {needed}, and count from "
                         f"0; give a larger shape{at_user_line()}")
    return shape


def _places(x: Any, what: str) -> np.ndarray:
    if isinstance(x, Tracer):
        raise ShapeError(f"{what} of a sparse matrix are traced, and its pattern must be known; compute them outside "
                         f"of the transformed function{at_user_line()}")
    x = np.asarray(x)
    if x.ndim != 1 or x.dtype.kind not in "iu" and x.size:
        raise ShapeError(f"{what} of a sparse matrix are a vector of integers, but got shape {x.shape} and dtype "
                         f"{x.dtype}; convert them{at_user_line()}")
    return x.astype(np.int64)


def _values(x: Any) -> Any:
    return x if isinstance(x, Tracer) else np.asarray(x)
