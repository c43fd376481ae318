"""`SparseArray`: a sparse matrix with values that may be traced, in a fixed pattern."""

from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.numpy_api.sparse_operands import product, values_and_pattern
from ...core.ops.indexing.indexing import scatter_add, take
from ...core.ops.shaping import concatenate, reshape, transpose
from ...core.ops.sparse.patterns import SparsePattern, need_scipy
from ...core.trace.tracer import Tracer
from ...numpy.surface import Array
from ...tree import register


class SparseArray:
    """A sparse matrix: values in the rows of a pattern, of which the values alone may be traced.

    It is a pytree node with one leaf, `data`: transforms take and return it, and differentiate by its values. Made by
    `csr_array`, `csc_array`, `coo_array`, `diags_array` and `with_data`.

    Args:
        data: the values, row by row.
        pattern: where they stand.

    Attributes:
        data: the values, a vector.
        indices, indptr: the column of each value, and where each row begins, as in `scipy.sparse.csr_array`.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> A = sparse.csr_array(np.array([[2.0, 0.0], [1.0, 3.0]]))
    >>> A
    <SparseArray of shape (2, 2) and dtype float64 with 3 values>
    >>> covector.grad(lambda A: np.sum(A @ np.array([1.0, 2.0])))(A).toarray()
    array([[1., 0.],
           [1., 2.]])
    """

    __slots__ = ("data", "pattern")
    __array_ufunc__ = None
    __array_priority__ = 1e4
    ndim = 2

    def __init__(self, data: Any, pattern: Any) -> None:
        self.data = data
        self.pattern = pattern

    def __repr__(self) -> str:
        return (f"<SparseArray of shape {self.shape} and dtype {getattr(self.data, 'dtype', None)} with "
                f"{self.pattern.size} values>")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.pattern.shape

    @property
    def dtype(self) -> Any:
        """Of the values."""
        return aval_of(self.data).dtype

    @property
    def nnz(self) -> int:
        """The number of stored values, explicit zeros included."""
        return self.pattern.size

    @property
    def indices(self) -> np.ndarray:
        """The column of each value."""
        return self.pattern.columns

    @property
    def indptr(self) -> np.ndarray:
        """The offset at which the values of each row begin."""
        return self.pattern.starts

    @property
    def T(self) -> "SparseArray":  # noqa: N802 - SciPy's name
        """The transpose."""
        matrix = self.pattern.matrix(np.arange(self.nnz), turned=True).tocsr()
        pattern = SparsePattern(matrix.indptr, matrix.indices, matrix.shape)
        return SparseArray(take(self.data, matrix.data, axis=0), pattern)

    def transpose(self) -> "SparseArray":
        """The transpose."""
        return self.T

    def conj(self) -> "SparseArray":
        """The complex conjugate."""
        return SparseArray(self.data.conj(), self.pattern)

    def tocsr(self) -> "SparseArray":
        """The array itself, whose values lie row by row."""
        return self

    def tocsc(self) -> "SparseArray":
        """The array itself, as :func:`csc_array` makes one: its values still lie row by row."""
        return self

    def toarray(self) -> Array:
        """The matrix with its zeros."""
        m, n = self.shape
        flat = scatter_add(self.data, self.pattern.rows * n + self.indices, axis=0, n=m * n)
        return reshape(flat, (m, n))

    def to_scipy(self) -> Any:
        """The `scipy.sparse.csr_array` with these values, which must not be traced."""
        if isinstance(self.data, Tracer):
            raise RuleError(f"a SparseArray with traced values was converted to scipy.sparse, which cannot hold those; "
                            f"compute with the SparseArray, or return it from the transformed function{at_user_line()}")
        return self.pattern.matrix(np.asarray(self.data))

    def diagonal(self) -> Array:
        """The main diagonal."""
        on = np.flatnonzero(self.pattern.rows == self.indices)
        return scatter_add(take(self.data, on, axis=0), self.indices[on], axis=0, n=min(self.shape))

    def sum(self, axis: int | None = None, dtype: Any = None, out: None = None) -> Array:
        """The sum of all elements, or of each column (axis 0) or row (axis 1), in a `dtype`; there is no `out`."""
        if out is not None:
            raise TypeError(f"sum of a SparseArray writes to no array, but got out={out!r}; use its result"
                            f"{at_user_line()}")
        if dtype is not None:
            return SparseArray(self.data.astype(np.dtype(dtype)), self.pattern).sum(axis)
        if axis is None:
            return self.data.sum()
        if axis not in (0, 1, -1, -2):
            raise ShapeError(f"sum of a SparseArray takes axis 0, 1 or None, but got {axis!r}; choose one"
                             f"{at_user_line()}")
        kept = self.indices if axis in (0, -2) else self.pattern.rows
        return scatter_add(self.data, kept, axis=0, n=self.shape[1 if axis in (0, -2) else 0])

    def multiply(self, other: Any) -> "SparseArray":
        """The product element by element with a number, an array that broadcasts to the matrix, or a sparse matrix."""
        if _is_sparse(other):
            other = sparse(other)
            both = self.pattern.matrix(np.arange(1, self.nnz + 1)).multiply(
                other.pattern.matrix(np.ones(other.nnz, np.int64))).tocsr()
            theirs = other.pattern.matrix(np.arange(1, other.nnz + 1)).multiply(both != 0).tocsr()
            both.sort_indices()
            theirs.sort_indices()
            data = take(self.data, both.data - 1, axis=0) * take(other.data, theirs.data - 1, axis=0)
            return SparseArray(data, SparsePattern(both.indptr, both.indices, both.shape))
        if not np.ndim(other) if not isinstance(other, Tracer) else not other.ndim:
            return SparseArray(self.data * other, self.pattern)
        shape = tuple(np.shape(other)) if not isinstance(other, Tracer) else other.shape
        if np.broadcast_shapes(shape, self.shape) != self.shape:
            raise ShapeError(f"multiply of a SparseArray of shape {self.shape} needs an array that broadcasts to it, "
                             f"but got shape {shape}; reshape it{at_user_line()}")
        shape = (1,) * (2 - len(shape)) + shape
        places = [np.zeros_like(k) if n == 1 else k for k, n in zip((self.pattern.rows, self.indices), shape)]
        flat = reshape(other, (-1,)) if isinstance(other, np.ndarray) else other.reshape((-1,))
        return SparseArray(self.data * take(flat, places[0] * shape[1] + places[1], axis=0), self.pattern)

    def dot(self, other: Any) -> Any:
        """The matrix product, as `@`."""
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if _is_sparse(other):
            return _sparse_product(self, sparse(other))
        return product(self.data, self.pattern, _dense(other))

    def __rmatmul__(self, other: Any) -> Any:
        if _is_sparse(other):
            return _sparse_product(sparse(other), self)
        x = _dense(other)
        out = product(self.data, self.pattern, transpose(x, (1, 0)) if x.ndim == 2 else x, True)
        return transpose(out, (1, 0)) if x.ndim == 2 else out

    def __mul__(self, other: Any) -> "SparseArray":
        return self.multiply(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "SparseArray":
        if _is_sparse(other):
            return NotImplemented
        return self.multiply(1.0 / other)

    def __neg__(self) -> "SparseArray":
        return SparseArray(-self.data, self.pattern)

    def __add__(self, other: Any) -> "SparseArray":
        if not _is_sparse(other):
            raise RuleError(f"a sum of a SparseArray and {type(other).__name__} would have no zeros; use A.toarray() + "
                            f"x, or add sparse matrices{at_user_line()}")
        return _sum(self, sparse(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "SparseArray":
        return self + (-sparse(other) if _is_sparse(other) else other)

    def __rsub__(self, other: Any) -> "SparseArray":
        return -self + other


register(SparseArray, lambda a: ((a.data,), a.pattern), lambda pattern, children: SparseArray(children[0], pattern))


def _is_sparse(x: Any) -> bool:
    return hasattr(type(x), "tocsr")


def sparse(x: Any) -> SparseArray:
    """A sparse matrix of SciPy, or a `SparseArray`, as the latter."""
    return x if isinstance(x, SparseArray) else SparseArray(*values_and_pattern(x))


def _dense(x: Any) -> Any:
    return x if isinstance(x, Tracer) or isinstance(x, np.ndarray) else np.asarray(x)


def _sum(a: SparseArray, b: SparseArray) -> SparseArray:
    if a.shape != b.shape:
        raise ShapeError(f"a sum of sparse matrices needs one shape, but got {a.shape} and {b.shape}; give both the "
                         f"same{at_user_line()}")
    if a.pattern == b.pattern:
        return SparseArray(a.data + b.data, a.pattern)
    n = a.shape[1]
    keys = np.concatenate([x.pattern.rows.astype(np.int64) * n + x.indices for x in (a, b)])
    return _merged(concatenate(a.data, b.data, axis=0), keys, a.shape)


def _merged(data: Any, keys: np.ndarray, shape: tuple[int, int]) -> SparseArray:
    """The matrix with values at flat positions `keys`, those that meet added up."""
    places, back = np.unique(keys, return_inverse=True)
    return SparseArray(scatter_add(data, back, axis=0, n=len(places)), pattern_of(places, shape))


def pattern_of(places: np.ndarray, shape: tuple[int, int]) -> SparsePattern:
    """The pattern with values at sorted flat positions."""
    need_scipy("a sparse matrix")
    rows = places // max(shape[1], 1)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return SparsePattern(starts.astype(np.int64), places - rows * shape[1], shape)


def _sparse_product(a: SparseArray, b: SparseArray) -> SparseArray:
    """The product of two sparse matrices: every pair of values that meet, added up where they come to stand."""
    if a.shape[1] != b.shape[0]:
        raise ShapeError(f"a product of sparse matrices of shapes {a.shape} and {b.shape} needs as many columns as "
                         f"rows; transpose one{at_user_line()}")
    counts = np.diff(b.indptr)[a.indices]
    left = np.repeat(np.arange(a.nnz), counts)
    right = np.repeat(b.indptr[:-1][a.indices] - np.cumsum(counts) + counts, counts) + np.arange(len(left))
    keys = a.pattern.rows[left].astype(np.int64) * b.shape[1] + b.indices[right]
    return _merged(take(a.data, left, axis=0) * take(b.data, right, axis=0), keys, (a.shape[0], b.shape[1]))
