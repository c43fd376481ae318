"""Arrays in coordinate format: the places of entries and their values, how they add up and become dense."""

import math

import numpy as np

from ..... import extend
from ..types.size import OtherLayout

ndarray = np.ndarray
LARGEST = np.iinfo(np.int64).max


class CooArray(OtherLayout):
    """Entries of an array: `values[k]` at `indices[:, k]`. Entries at one place add up.

    Args:
        indices: `(sparse_dim, nnz)`, int64.
        values: `(nnz, *dense)`.
        shape: of the whole array: sparse axes, then dense ones.
        coalesced: whether places are known to be distinct and in order.
    """

    __slots__ = ("coalesced", "indices", "known_distinct", "shape", "values")

    def __init__(self, indices, values, shape, coalesced=False):
        self.indices = indices
        self.values = values
        self.shape = tuple(shape)
        self.coalesced = coalesced
        self.known_distinct = True if coalesced or indices.shape[1] < 2 else None

    def made(self, indices, values, shape=None, coalesced=False):
        """Another one of the same class."""
        return type(self)(indices, values, self.shape if shape is None else shape, coalesced)

    def alike(self, values):
        """The same places with other values."""
        return self.made(self.indices, values, (*self.shape[: len(self.indices)], *values.shape[1:]), self.coalesced)

    def memory(self):
        """The values, whose writes count."""
        return self.values

    @property
    def dtype(self):
        return self.values.dtype

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def nnz(self):
        return self.indices.shape[1]

    @property
    def distinct(self):
        """Tell whether no two entries have one place."""
        if self.known_distinct is None:
            self.known_distinct = len(np.unique(self.keys())) == self.nnz
        return self.known_distinct

    def keys(self):
        """The place of each entry as one number, in the order of the array's elements."""
        return keys(self.indices, self.shape)

    def astype(self, dtype):
        """The same entries in another dtype."""
        return self.alike(self.values.astype(dtype))

    def copy(self):
        """A copy of the entries."""
        return self.made(self.indices.copy(), self.values.copy(), coalesced=self.coalesced)

    def conj(self):
        """The conjugate."""
        return self.alike(self.values.conj()) if self.dtype.kind == "c" else self

    def dense(self):
        """All elements."""
        return self.added_to(np.zeros(self.shape, self.dtype))

    def added_to(self, array, times=1):
        """`array`, a dense one that is written to in place, plus the entries."""
        whole = self.coalesce()
        values = whole.values if times == 1 else whole.values * np.asarray(times, array.dtype)
        if not len(whole.indices):
            array += values.sum(0)
        elif whole.nnz:
            array[tuple(whole.indices)] += values
        return array

    def coalesce(self):
        """Distinct places in order, the values of one place added up."""
        if self.coalesced:
            return self
        if self.nnz < 2:
            return self.made(self.indices, self.values, coalesced=True)
        order, starts, _ = groups(self.keys())
        if len(starts) == self.nnz:
            values = self.values[order]
        else:
            values = np.add.reduceat(self.values[order], starts, axis=0, dtype=self.dtype)
        return self.made(self.indices[:, order[starts]], values, coalesced=True)

    def plus(self, other, times=1):
        """The sum with another one of the same shape, in PyTorch's order: two lists merged by their smaller heads."""
        if not other.nnz:
            return self
        if times != 1:
            other = other.alike((other.values * np.asarray(times, other.dtype)).astype(other.dtype, copy=False))
        if not self.nnz:
            return other
        if len(self.indices) != len(other.indices):
            raise RuntimeError("add: expected 'self' and 'other' to have same number of sparse dimensions, but 'self' "
                               f"has {len(self.indices)} sparse dimensions while 'other' has {len(other.indices)} "
                               "sparse dimensions")
        dtype = np.result_type(self.dtype, other.dtype)
        coalesced = self.coalesced and other.coalesced
        if self.indices is other.indices or np.array_equal(self.indices, other.indices):
            return self.made(self.indices, np.add(self.values, other.values, dtype=dtype), coalesced=coalesced)
        left, right, count = merged(self.keys(), other.keys())
        indices = np.empty((len(self.indices), count), np.int64)
        indices[:, right] = other.indices
        indices[:, left] = self.indices
        values = np.zeros((count, *self.values.shape[1:]), dtype)
        values[left] = self.values
        values[right] += other.values
        return self.made(indices, values, coalesced=coalesced)

    def __add__(self, other):
        if isinstance(other, CooArray):
            return self.plus(other)
        if type(other) is ndarray:
            return self.added_to(np.array(other, np.result_type(other, self.dtype)))
        if isinstance(other, extend.Tracer) or getattr(other, "absent", False):
            return NotImplemented
        raise unmet("+")

    __radd__ = __add__

    def __mul__(self, other):
        if np.ndim(other) == 0 and (type(other) is ndarray or isinstance(other, int | float | complex | np.generic)):
            return self.alike(self.values * other)
        if type(other) is ndarray and other.shape == self.shape:
            return self.alike(self.values * other[tuple(self.indices)])
        raise unmet("*")

    __rmul__ = __mul__

    def __truediv__(self, other):
        if np.ndim(other) == 0 and isinstance(other, ndarray | int | float | complex | np.generic):
            return self.alike(self.values / other)
        if type(other) is ndarray and other.shape == self.shape:
            return self.alike(self.values / other[tuple(self.indices)])
        raise unmet("/")

    def __neg__(self):
        return self.alike(-self.values)

    def __array__(self, *args, **kwargs):
        raise unmet("this step")

    def __getattr__(self, name):
        raise AttributeError(f"a sparse value has no attribute {name!r}; call .to_dense() first")

    def __repr__(self):
        return f"{type(self).__name__}({self.nnz} of {self.shape})"


def refused(symbol):
    """An operator that sparse values have not."""

    def operator(self, other=None):
        raise unmet(symbol)

    return operator


for _name, _symbol in {"__sub__": "-", "__rsub__": "-", "__rtruediv__": "/", "__matmul__": "@",
                       "__rmatmul__": "@", "__pow__": "**", "__getitem__": "[]", "__iter__": "iteration",
                       "__len__": "len", "__bool__": "bool", "__float__": "float", "__abs__": "abs"}.items():
    setattr(CooArray, _name, refused(_symbol))


def unmet(what):
    """The error where a rule, or a function that knows dense arrays alone, meets a sparse value."""
    return NotImplementedError(f"{what} of a sparse value is not supported: a sparse gradient reached an operation "
                               "that takes dense gradients alone, or a sparse tensor a transform; leave sparse=True "
                               "out, or call .to_dense() before")


def keys(indices, shape):
    """The places of entries as numbers, in the order of elements."""
    sizes = shape[: len(indices)]
    if math.prod(sizes) > LARGEST:
        raise RuntimeError(f"the sparse axes {list(sizes)} have more elements than a 64-bit integer counts; use fewer "
                           "sparse axes")
    found = np.zeros(indices.shape[1], np.int64)
    for row, n in zip(indices, sizes):
        found *= n
        found += row
    return found


def groups(places):
    """Entries by place: `(order, starts, numbers)`: the entries in order, where in it each place begins, and the number
    of each entry's place."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.ones(len(places), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    numbers = np.empty(len(places), np.int64)
    numbers[order] = np.cumsum(first) - 1
    return order, np.flatnonzero(first), numbers


def merged(left, right):
    """The positions of the entries of two lists in their merged list, and its length: the smaller of the two heads
    comes next, equal heads become one."""
    if np.all(left[1:] >= left[:-1]) and np.all(right[1:] >= right[:-1]) and len(np.unique(left)) == len(left) and (
            len(np.unique(right)) == len(right)):
        whole = np.union1d(left, right)
        return np.searchsorted(whole, left), np.searchsorted(whole, right), len(whole)
    a, b = left.tolist(), right.tolist()
    at, bt, i, j, n = [], [], 0, 0, 0
    while i < len(a) or j < len(b):
        order = 1 if i == len(a) else -1 if j == len(b) else (a[i] > b[j]) - (a[i] < b[j])
        if order <= 0:
            at.append(n)
            i += 1
        if order >= 0:
            bt.append(n)
            j += 1
        n += 1
    return np.asarray(at, np.int64), np.asarray(bt, np.int64), n


def found_at(coo, places):
    """The numbers of the entries at some places and whether there is one: `coo` is coalesced."""
    own = coo.keys()
    at = np.searchsorted(own, places)
    inside = np.minimum(at, max(len(own) - 1, 0))
    hit = np.zeros(len(places), np.bool_) if not len(own) else own[inside] == places
    return inside, hit
