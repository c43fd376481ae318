"""Sorting, and statistics of order: median, quantile."""

from typing import Any

import numpy as np

from ..core import methods
from ..core.ops import selection, shaping, sorting as ordering
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
    return _quantile(array_of(a), 0.5, axis, keepdims)


@implements(np.quantile)
def quantile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    refuse_options("quantile", out)
    if method != "linear" or weights is not None:
        raise ValueError(f"quantile of a traced value has method='linear' without weights, but got method={method!r}")
    q = np.asarray(q)
    if q.size and not (0 <= q.min() and q.max() <= 1):
        raise ValueError("quantile needs q between 0 and 1")
    return _quantile(array_of(a), q, axis, keepdims)


@implements(np.percentile)
def percentile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
               method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    return quantile(a, np.asarray(q) / 100, axis, out, overwrite_input, method, keepdims, weights=weights)


def _quantile(a: Array, q: Any, axis: Axis, keepdims: bool) -> Array:
    """Between the two order statistics next to q (n - 1), by linear interpolation; NaN if any element is NaN."""
    axes = methods.normal_axes(axis, a.ndim)
    rest = tuple(k for k in range(a.ndim) if k not in axes)
    moved = shaping.transpose(a, (*rest, *axes))
    lead = moved.shape[: len(rest)]
    rows = methods.reshape(moved, (*lead, -1))
    n = rows.shape[-1]
    if not n:
        raise ValueError("the quantile of no elements is not defined")
    if rows.dtype.kind not in "fc":
        rows = selection.astype(rows, np.float64)
    rows = ordering.sort(rows, rows.ndim - 1)
    q = np.asarray(q)
    place = (q * (n - 1)).ravel()
    low = np.floor(place).astype(np.intp)
    high = np.minimum(low + 1, n - 1)
    weight = (place - low).astype(rows.dtype)
    ans = rows[..., low] * (1 - weight) + rows[..., high] * weight
    last = rows[..., -1:]
    ans = selection.where(last != last, last, ans)
    count = len(lead)
    ans = shaping.transpose(ans, (count, *range(count)))
    if keepdims:
        lead = tuple(1 if k in axes else size for k, size in enumerate(a.shape))
    return methods.reshape(ans, (*q.shape, *lead))
