"""Sorting, searching in order, and statistics of order: median, quantile."""

import math
import operator
from typing import Any

import numpy as np

from ..core import methods
from ..core.device import constant
from ..core.ops import searching, selection, shaping, sorting as ordering
from ..core.tracer import Tracer
from .surface import Array, Axis, array_of, implements, refuse_options


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


@implements(np.median)
def median(a: Array, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
           keepdims: bool = False) -> Array:
    refuse_options("median", out)
    rows, lead = flattened_last(array_of(a), axis, keepdims)
    n = rows.shape[-1]
    if not n:
        return constant(np.full(lead, np.nan, rows.dtype), a)
    return _between(rows, np.float64((n - 1) / 2), lead, rows.dtype)


@implements(np.quantile)
def quantile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    refuse_options("quantile", out)
    return _quantile(np.quantile, a, q, axis, method, keepdims, weights, 1)


@implements(np.percentile)
def percentile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
               method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    refuse_options("percentile", out)
    return _quantile(np.percentile, a, q, axis, method, keepdims, weights, 100)


def _quantile(reference: Any, a: Array, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any,
              whole: int) -> Array:
    a = array_of(a)
    rows, lead = flattened_last(a, axis, keepdims)
    n = rows.shape[-1]
    if isinstance(q, Tracer):
        if method != "linear" or weights is not None or a.dtype.kind == "c" or not n:
            raise ValueError(f"{reference.__name__} of a traced q needs method='linear', no weights, real elements")
        return _between(rows, q / whole * (n - 1), lead, np.result_type(rows.dtype, q.dtype))
    place, dtype = quantile_places(reference, a, n, q, method, weights)
    return _between(rows, place, lead, dtype)


def quantile_places(reference: Any, a: Array, n: int, q: Any, method: str, weights: Any) -> tuple:
    """Where among n sorted elements NumPy finds the quantiles: between two of them; and the dtype of the answer."""
    if weights is not None:
        raise ValueError(f"{reference.__name__} of a traced value takes no weights: their order depends on the data")
    dtype = reference(np.zeros(max(n, 1), a.dtype), q, method=method).dtype
    return np.asarray(reference(np.arange(n, dtype=np.float64), q, method=method)), dtype


def flattened_last(a: Array, axis: Axis, keepdims: bool) -> tuple:
    """`a` as floating rows with the reduced axes as one, in last place; and the shape of an answer."""
    axes = methods.normal_axes(axis, a.ndim)
    rest = tuple(k for k in range(a.ndim) if k not in axes)
    moved = shaping.transpose(a, (*rest, *axes))
    lead = moved.shape[: len(rest)]
    rows = methods.reshape(moved, (*lead, math.prod(moved.shape[len(rest) :])))
    if rows.dtype.kind not in "fc":
        rows = selection.astype(rows, np.float64)
    return rows, tuple(1 if k in axes else size for k, size in enumerate(a.shape)) if keepdims else lead


def _between(rows: Array, place: Any, lead: tuple, dtype: Any) -> Array:
    """The sorted elements at fractional places, by linear interpolation; NaN if any element is NaN."""
    rank, n = rows.ndim - 1, rows.shape[-1]
    rows = ordering.sort(rows, rank)
    shape = place.shape
    place = methods.reshape(place, (-1,))
    low = selection.astype(selection.minimum(selection.floor(place), float(n - 1)), np.intp)
    high = selection.minimum(low + 1, n - 1)
    weight = place - low
    weight = selection.astype(weight, np.result_type(dtype, np.float32)) if weight.dtype != dtype else weight
    weight = constant(weight, rows) if isinstance(weight, np.ndarray) else weight
    ans = rows[..., low] * (1 - weight) + rows[..., high] * weight
    last = rows[..., -1:]
    ans = selection.where(last != last, last, ans)
    ans = methods.reshape(shaping.transpose(ans, (rank, *range(rank))), (*shape, *lead))
    return ans if ans.dtype == dtype else selection.astype(ans, dtype)


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
