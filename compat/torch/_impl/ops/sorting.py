"""Order along an axis: sorting, the largest, the k-th, the middle."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import moving
from ..dispatch.host_ops import constant_here, detached
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, LIKE_OPERANDS
from ..types import output_tuples
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .index_arrays import along, ordered

TOP_K = REGISTRY["top_k"].fun


@moving("sort", blind=True, layout=LIKE_OPERANDS)
def sort(input, dim=-1, descending=False, stable=False):
    """Sort along an axis; returns the values and their indices."""
    if not input.ndim:
        return output_tuples.sort(REGISTRY["duplicate"].fun(input), np.zeros((), np.int64))
    d = wrap_dim(dim, input.ndim)
    order = ordered(input, d, descending)
    return output_tuples.sort(along(input, order, d), order)


@moving("argsort", blind=True, layout=LIKE_OPERANDS)
def argsort(input, dim=-1, descending=False, stable=False):
    """Return the indices that sort along an axis."""
    d = wrap_dim(dim, input.ndim)
    return ordered(input, d, descending) if input.ndim else np.zeros((), np.int64)


@moving("msort", blind=True, layout=LIKE_FIRST)
def msort(input):
    """Sort along the first axis."""
    return along(input, ordered(input, 0, False), 0) if input.ndim else input


_MANY = 64  # elements of an axis, from which a part of it is sorted where that is enough


def ranked(input, d, k):
    """Positions of which the k-th is that of the k-th smallest element; NaN counts as the largest."""
    return cnp.argpartition(input, k, axis=d) if input.shape[d] >= _MANY else ordered(input, d, False)


def nth(order, d, k):
    """The k-th element along an axis, which is kept, in memory of its own."""
    return REGISTRY["duplicate"].fun(order[(slice(None),) * d + (slice(k, k + 1),)])


@moving("topk", blind=True, layout=IN_ORDER)
def topk(input, k, dim=-1, largest=True, sorted=True):  # noqa: A002
    """Return the `k` largest or smallest elements along an axis, and their indices."""
    d = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if not input.ndim:
        return output_tuples.topk(input, np.zeros((), np.int64))
    order = TOP_K(input, k, d, bool(largest))
    return output_tuples.topk(along(input, order, d), order)


@moving("kthvalue", blind=True)
def kthvalue(input, k, dim=-1, keepdim=False):
    """Return the k-th smallest element along an axis, and its index."""
    if input.dtype.kind in "cb":
        raise NotImplementedError(f"\"kthvalue_cpu\" not implemented for '{type_word(input.dtype)}'")
    d = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[d]:
        raise IndexError(f"kthvalue(): Expected reduction dim {d} to have non-zero size.")
    if not 1 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(d))
    if not input.ndim:
        return output_tuples.kthvalue(input, np.zeros((), np.int64))
    place = nth(ranked(input, d, k - 1), d, k - 1)
    value = along(input, place, d)
    return output_tuples.kthvalue(value, place) if keepdim else output_tuples.kthvalue(
        cnp.squeeze(value, d), cnp.squeeze(place, d))


def _middle(input, dim, keepdim, kind, skip):
    """The lower middle value of an axis and its place; NaN is the output, or skipped."""
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return kind(input, np.zeros((), np.int64))
    n = input.shape[d]
    if not n:
        raise IndexError(f"median(): Expected reduction dim {d} to have non-zero size.")
    middle = (n - 1) // 2
    if skip and input.dtype.kind in "fV":
        count = cnp.sum((input == input).astype(np.int64), axis=d, keepdims=True)
        place = along(ordered(input, d, False), cnp.maximum(count - 1, 0) // 2, d)  # NaN last
    else:
        place = nth(ranked(input, d, middle), d, middle)
        if input.dtype.kind in "fV":
            lost = input != input
            place = cnp.where(cnp.any(lost, axis=d, keepdims=True), cnp.argmax(lost, axis=d, keepdims=True), place)
    value = along(input, place, d)
    return kind(value, place) if keepdim else kind(cnp.squeeze(value, d), cnp.squeeze(place, d))


def _median(name, kind, skip):
    @moving(name, doc="The lower of the middle values", blind=True, layout=IN_ORDER)
    def median(input, dim=None, keepdim=False):
        if input.dtype.kind in "cb":
            raise NotImplementedError(f"\"median_cpu\" not implemented for '{type_word(input.dtype)}'")
        if dim is not None:
            return _middle(input, dim, keepdim, kind, skip)
        flat = cnp.reshape(input, (-1,))
        if not flat.shape[0]:
            if input.dtype.kind in "fV":
                return cnp.sum(flat) + np.asarray(np.nan, input.dtype)
            return np.asarray(np.iinfo(np.int64 if input.dtype.itemsize == 8 else np.int32).min).astype(input.dtype)
        return shared(flat, _middle(detached(flat), 0, False, kind, skip)[0])


def shared(flat, value):
    """A value among those of a vector, its gradient shared evenly by all that have it."""
    if constant_here(flat) or flat.dtype.kind not in "fcV":
        return value
    mine = (detached(flat) == value) | (detached(flat) != detached(flat)) & (value != value)
    zero = np.zeros((), flat.dtype)
    mean = cnp.sum(cnp.where(mine, flat, zero) / cnp.sum(mine.astype(flat.dtype)))
    rounded = detached(mean)
    near = cnp.isfinite(rounded)  # of equal infinities the mean is exact
    return mean + (cnp.where(near, value, 0.0) - cnp.where(near, rounded, 0.0))


_median("median", output_tuples.median, False)
_median("nanmedian", output_tuples.nanmedian, True)
