"""Sorting, and searching in what is sorted."""

import operator
from typing import Any

import numpy as np

from ..core import methods
from ..core.ops import searching, selection, sorting as ordering
from .surface import Array, array_of, implements


@implements(np.sort)
def sort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    _no_fields("sort", order)
    return methods.sort(array_of(a), axis)


@implements(np.argsort)
def argsort(a: Array, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    _no_fields("argsort", order)
    return methods.argsort(array_of(a), axis, "stable" if stable else kind)


def _no_fields(name: str, fields: Any) -> None:
    if fields is not None:
        raise ValueError(f"{name} of a traced value has no fields to order by, but got order={fields!r}")


@implements(np.partition)
def partition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    a, axis, places = _partition("partition", a, kth, axis, order)
    return ordering.along(a, places, axis)


@implements(np.argpartition)
def argpartition(a: Array, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> Array:
    return _partition("argpartition", a, kth, axis, order)[2]


def _partition(name: str, a: Array, kth: Any, axis: Any, fields: Any) -> tuple:
    _no_fields(name, fields)
    a = array_of(a)
    if axis is None:
        a, axis = methods.reshape(a, (-1,)), 0
    axis = methods.normal_axis(axis, a.ndim)
    kth = operator.index(kth) if not np.ndim(kth) else tuple(map(operator.index, np.asarray(kth).tolist()))
    return a, axis, searching.argpartition(a, axis, kth)


@implements(np.lexsort)
def lexsort(keys: Any, axis: int = -1) -> Array:
    keys = [array_of(k) for k in keys]
    if not keys:
        raise TypeError("lexsort needs at least one key")
    if not keys[0].ndim:
        return np.zeros((), np.intp)
    return searching.lexsort(*keys, axis=methods.normal_axis(axis, keys[0].ndim))


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
        raise ValueError(f"searchsorted needs a sorted vector, but got shape {a.shape}")
    if sorter is not None:
        a = methods.take(a, sorter)
    return searching.searchsorted(a, v, side)


@implements(np.digitize)
def digitize(x: Array, bins: Array, right: bool = False) -> Array:
    x, bins = array_of(x), array_of(bins)
    if x.dtype.kind == "c":
        raise TypeError("digitize needs real values to order, but got complex ones")
    if bins.ndim != 1:
        raise ValueError(f"digitize needs a vector of bins, but got shape {bins.shape}")
    return searching.digitize(bins, x, bool(right))
