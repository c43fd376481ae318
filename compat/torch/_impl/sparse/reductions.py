"""Sums, norms and softmax of sparse tensors."""

import math

import numpy as np

from ..dispatch.call import ROWS
from ..types import dtypes
from ..types.tensor_type import wrap
from .coo import groups, keys
from .entries import coalesced, distinct, entrywise, laid, recorded, shown, values
from .shaping import axis
from .sparse_tensor import sparse_operation, unsupported


@sparse_operation("sum")
def total(t, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of all elements, or along axes."""
    if out is not None or keepdim:
        raise NotImplementedError("sum of a sparse tensor with keepdim=True or out= is not supported; use the output, "
                                  "or call .to_dense() first")
    dtype = dtypes.torch_dtype(dtype)
    if t.dtype.category < 2 and dtype is None:
        dtype = dtypes.int64
    return sparse_sum(t, dim, dtype, "SumBackward0" if dim is None else "SumBackward1")


@sparse_operation("sparse.sum")
def sparse_sum(t, dim=None, dtype=None, name="SparseSumBackward0"):
    """The sum of the elements along axes; sparse while a sparse axis is left."""
    c = distinct(t) if recorded(t) else t
    entries = values(c)
    if dtype is not None and dtype is not t.dtype:
        entries = entries.to(dtype)
    add = ROWS["sum"].fun
    if dim is None or not isinstance(dim, int) and not len(dim):
        return shown(add(entries), "SumBackward0", [t])
    dims = sorted({axis(t, d) for d in ((dim,) if isinstance(dim, int) else dim)})
    if not isinstance(dim, int) and len(dims) != len(dim):
        raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    k, n = t.sparse_dim(), t.dim()
    dense = [d - k + 1 for d in dims if d >= k]
    if dense:
        entries = add(entries, dense)
    left = [d for d in range(k) if d not in dims]
    shape = [t.shape[d] for d in range(n) if d not in dims]
    if not left:
        return shown(add(entries, 0), name, [t])
    if len(left) == k:
        return shown(laid(entries, c.value.indices, shape, c.value.coalesced), name, [t])
    places = c.value.indices[left]
    order, first, numbers = groups(keys(places, shape))
    out = wrap(np.zeros((len(first), *entries.shape[1:]), entries.value.dtype))
    sums = ROWS["index_add"].fun(out, 0, wrap(numbers), entries)
    return shown(laid(sums, places[:, order[first]], shape, True), name, [t])


@sparse_operation("norm")
def norm(t, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of all elements as of one vector."""
    if dim is not None and len((dim,) if isinstance(dim, int) else tuple(dim)) < t.dim() or keepdim or out is not None:
        raise NotImplementedError("norm of a sparse tensor along some of its axes is not supported: norm_sparse "
                                  "currently only supports full reductions; call .to_dense() first")
    found = values(coalesced(t))
    p = 2 if p in ("fro", None) else p
    if p == -math.inf and found.numel() < t.numel():
        raise unsupported("norm")
    if isinstance(p, int | float) and p < 0:
        raise unsupported("norm")
    flat = ROWS["reshape"].fun(found, (-1,))
    return shown(ROWS["linalg.vector_norm"].fun(flat, p, dtype=dtype), "NormBackward1", [t])


@sparse_operation("dist")
def dist(a, b, p=2):
    """The norm of a difference."""
    return norm(a - b, p)


@sparse_operation("any")
def any_(t, dim=None, keepdim=False):
    """Tell whether an element is not zero."""
    if dim is not None:
        raise unsupported("any.dim")
    return wrap(np.asarray(bool(t.value.coalesce().values.any())))


@sparse_operation("sparse.softmax")
def softmax(t, dim, *, dtype=None):
    """Softmax of the entries along an axis; where there is none it is -inf, so that the output is 0."""
    return normalized(t, dim, dtype, False)


@sparse_operation("sparse.log_softmax")
def log_softmax(t, dim, *, dtype=None):
    """Its logarithm, at the entries."""
    return normalized(t, dim, dtype, True)


def normalized(t, dim, dtype, log):
    """Softmax of the entries along an axis, or its logarithm."""
    if dtype is not None:
        t = t.to(dtype)
    at, k = axis(t, dim), t.sparse_dim()
    c = coalesced(t)
    word = "SparseLogSoftmaxBackward0" if log else "SparseSoftmaxBackward0"
    if at >= k:
        fun = ROWS["log_softmax" if log else "softmax"].fun
        return shown(entrywise(c, lambda v: fun(v, at - k + 1)), word, [t])
    entries = values(c)
    rest = [d for d in range(k) if d != at]
    order, first, numbers = groups(keys(c.value.indices[rest], [t.shape[d] for d in rest]))
    array = c.value.values
    highest = np.maximum.reduceat(array[order], first, axis=0) if len(order) else array
    number = wrap(numbers)
    pick = ROWS["index_select"].fun
    shifted = entries - wrap(highest[numbers])
    powers = ROWS["exp"].fun(shifted)
    sums = ROWS["index_add"].fun(wrap(np.zeros((len(first), *array.shape[1:]), array.dtype)), 0, number, powers)
    out = shifted - pick(ROWS["log"].fun(sums), 0, number) if log else powers / pick(sums, 0, number)
    return shown(laid(out, c.value.indices, c.value.shape, True), word, [t])
