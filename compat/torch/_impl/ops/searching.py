"""Membership, sorted sequences and counts."""

import numpy as np

from .....extend import Tracer
from ..dispatch.call import operation
from ..dispatch.host_ops import hosted, known, numbers
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .index_arrays import AT


@operation("isin", method=False, blind=True)
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Test whether elements occur in another tensor."""
    for v in (elements, test_elements):
        if hasattr(v, "dtype") and v.dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {type_word(v.dtype)}")
    return hosted(lambda x, y: np.isin(x, y, invert=invert), getattr(elements, "shape", ()), np.bool_,
                  *[v if hasattr(v, "dtype") else np.asarray(v) for v in (elements, test_elements)])


@operation("searchsorted", method=False, blind=True)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Return the insertion indices of values in a sorted sequence."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while "
                           "right was True")
    where = side or ("right" if right else "left")
    input = input if hasattr(input, "dtype") else np.asarray(input)
    lead = tuple(sorted_sequence.shape[:-1])
    if lead and tuple(input.shape[:-1]) != lead:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                           "of boundaries tensor and input value tensor must match, but we got boundaries tensor "
                           f"{list(sorted_sequence.shape)} and input value tensor {list(input.shape)}")

    def search(edges, values, order=None):
        if has_nan(edges) or has_nan(values):
            edges = edges if order is None else np.take_along_axis(edges, order, -1)
            return halving(np.broadcast_to(edges, (*values.shape[:-1], edges.shape[-1])), values, where == "right")
        if edges.ndim == 1:
            return np.searchsorted(edges, values, where, sorter=order)
        out = np.empty(values.shape, np.int64)
        for i in np.ndindex(*lead):
            out[i] = np.searchsorted(edges[i], values[i], where, sorter=None if order is None else order[i])
        return out

    given = (sorted_sequence, input) if sorter is None else (sorted_sequence, input, sorter)
    return hosted(search, input.shape, np.int32 if out_int32 else np.int64, *given)


def has_nan(x):
    """Tell whether an array has a NaN, which is then its least element: to ask each one takes twice as long."""
    if x.dtype.kind != "f" or not x.size:
        return x.dtype.kind == "V" and bool(np.isnan(x).any())
    least = np.minimum.reduce(x, None)
    return bool(least != least)


def halving(edges, values, right):
    """The places that PyTorch's search finds where NaN, which is no smaller and no larger than anything, is about."""
    values = values if values.ndim else values.reshape(1)
    start, end = np.zeros(values.shape, np.int64), np.full(values.shape, edges.shape[-1])
    while (start < end).any():
        middle = start + (end - start) // 2
        edge = np.take_along_axis(edges, np.minimum(middle, edges.shape[-1] - 1), -1)
        behind = ~(edge > values if right else edge >= values) & (start < end)
        start, end = np.where(behind, middle + 1, start), np.where(behind | (start >= end), end, middle)
    return start


@operation("bucketize", method=False, blind=True)
def bucketize(input, boundaries, *, out_int32=False, right=False):
    """Return the index of the bucket of each value."""
    return searchsorted.row.body(boundaries, input, out_int32=out_int32, right=right)


@operation("bincount", exact=True)
def bincount(input, weights=None, minlength=0):
    """Count the occurrences of nonnegative integers, or sum weights."""
    x, every = input, numbers(input)
    if x.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{type_word(x.dtype)}'")
    if every is None:
        known("bincount", input)  # refuses
    if x.ndim != 1 or every.size and every.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and tuple(weights.shape) != tuple(x.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    rows = every.reshape(-1, x.shape[0]) if every.size else ()
    lengths = {max(minlength, int(row.max()) + 1) for row in rows} or {minlength}
    if len(lengths) > 1:
        raise RuntimeError(f"bincount under vmap needs outputs of one size, but the examples have {sorted(lengths)}; "
                           "give a minlength that is enough for all")
    n = lengths.pop()
    if weights is None:
        return hosted(lambda x: np.bincount(x, None, n), (n,), np.int64, x)
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    if type(x) in ARRAYS and isinstance(weights, Tracer) and weights.dtype.kind in "fV":
        return AT(np.zeros(n, kind))[x].add(weights.astype(kind))
    return hosted(lambda x, w: np.bincount(x, w, n), (n,), kind, x, weights)
