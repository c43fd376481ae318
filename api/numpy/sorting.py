"""Sorting, and searching in what is sorted."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.ops import selection
from ..core.ops.indexing import sorting, sorting as ordering
from .surface import Array, array_of, implements


@implements(np.sort)
def sort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return methods.sort(array_of(a), axis, methods.sort_kind("sort", kind, order, stable))


@implements(np.argsort)
def argsort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return methods.argsort(array_of(a), axis, methods.sort_kind("argsort", kind, order, stable))


@implements(np.partition)
def partition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    rank = array_of(a).ndim
    a, axis, places = _partition("partition", a, kth, axis, kind, order)
    ans = ordering.along(a, places, axis)
    return ans if rank else methods.reshape(ans, ())


@implements(np.argpartition)
def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    ans = _partition("argpartition", a, kth, axis, kind, order)[2]
    return ans if array_of(a).ndim or axis is None else methods.reshape(ans, ())


def _partition(name: str, a: Array, kth: Any, axis: Any, kind: str, fields: Any) -> tuple:
    methods.sort_kind(name, None, fields, None)
    if kind != "introselect":
        raise ValueError(f"{name} supports the kind 'introselect', but got {kind!r}; omit it{at_user_line()}")
    a = array_of(a)
    if axis is None or not a.ndim:
        a, axis = methods.reshape(a, (-1,)), axis or 0
    axis = methods.normal_axis(axis, a.ndim)
    chosen = np.asarray(kth)
    if chosen.dtype.kind not in "iu" and chosen.size or chosen.ndim > 1:
        raise TypeError(f"{name} needs an integer or a vector of integers, but got kth={kth!r}"
                        f"; give kth as an int or a list of ints{at_user_line()}")
    size = a.shape[axis]
    if chosen.size and a.size and not (-size <= chosen.min() and chosen.max() < size):
        raise ValueError(f"{name} got kth={kth!r}, which is out of bounds for axis {axis} of length {size}; give "
                         f"indices from {-size} to {size - 1}{at_user_line()}")
    return a, axis, sorting.argpartition(a, axis, tuple(chosen.tolist()) if chosen.ndim else int(chosen))


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Array:
    keys = [array_of(k) for k in keys]
    if not keys:
        raise TypeError(f"lexsort needs at least one key; "
                        f"give a sequence of them, the last one first in rank{at_user_line()}")
    if not keys[0].ndim:
        return np.zeros((), np.intp)
    return sorting.lexsort(*keys, axis=methods.normal_axis(axis, keys[0].ndim))


@implements(np.sort_complex)
def sort_complex(a: Array) -> Array:
    ans = methods.sort(array_of(a))
    if ans.dtype.kind == "c":
        return ans
    return selection.astype(ans, np.complex64 if ans.dtype.char in "bhBH" else np.complex128)


@implements(np.searchsorted)
def searchsorted(a: Array, v: Array, side: str = "left", sorter: Any = None) -> Array:
    a, v = array_of(a), array_of(v)
    if a.ndim != 1:
        raise ValueError(f"searchsorted needs a sorted vector, but got shape {a.shape}; "
                         f"ravel and sort it before{at_user_line()}")
    if sorter is not None:
        a = methods.take(a, sorter)
    return sorting.searchsorted(a, v, side)


@implements(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Array:
    x, bins = array_of(x), array_of(bins)
    if x.dtype.kind == "c":
        raise TypeError(f"digitize needs real values to order, but got complex ones; "
                        f"take x.real or np.abs(x){at_user_line()}")
    if bins.ndim != 1:
        raise ValueError(f"digitize needs a vector of bins, but got shape {bins.shape}; ravel it{at_user_line()}")
    return sorting.digitize(bins, x, bool(right))
