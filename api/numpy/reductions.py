"""Reductions and running sums."""

import builtins
import math
from typing import Any

import numpy as np

from ..core import methods
from ..core.device import constant
from ..core.ops import reductions as r, selection, shaping
from .surface import UNSET, Array, Axis, array_beside, array_of, implements, masked_by, refuse_options, without_mask

_abs, _max, _min = builtins.abs, builtins.max, builtins.min


@implements(np.sum, masked=True)
def sum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("sum", out)
    ans = methods.reduce(r.reduce_sum, masked_by(where, array_of(a), 0), axis, keepdims, dtype)
    return ans if initial is UNSET or initial is None else ans + initial


@implements(np.prod, masked=True)
def prod(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
         where: Any = True) -> Array:
    refuse_options("prod", out)
    ans = methods.reduce(r.reduce_prod, masked_by(where, array_of(a), 1), axis, keepdims, dtype)
    return ans if initial is UNSET or initial is None else ans * initial


@implements(np.max, np.amax, masked=True)
def max(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("max", out)
    if initial is UNSET or initial is None:
        _needs_initial("max", where)
        return methods.reduce(r.reduce_max, array_of(a), axis, keepdims)
    a = masked_by(where, array_of(a), initial)
    return _with_initial(r.reduce_max, selection.maximum, a, axis, keepdims, initial)


@implements(np.min, np.amin, masked=True)
def min(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("min", out)
    if initial is UNSET or initial is None:
        _needs_initial("min", where)
        return methods.reduce(r.reduce_min, array_of(a), axis, keepdims)
    a = masked_by(where, array_of(a), initial)
    return _with_initial(r.reduce_min, selection.minimum, a, axis, keepdims, initial)


def _needs_initial(name: str, where: Any) -> None:
    if not without_mask(where):
        raise ValueError(f"{name} with where= needs initial=, the answer where no element is chosen")


def _with_initial(reducer: Any, pair: Any, a: Array, axis: Axis, keepdims: Any, initial: Any) -> Array:
    a = array_of(a)
    axes = () if not a.ndim and axis in (0, -1) else methods.normal_axes(axis, a.ndim)
    if math.prod(a.shape[k] for k in axes):
        return pair(reducer(a, axes, bool(keepdims)), initial)
    shape = tuple(1 if k in axes else n for k, n in enumerate(a.shape) if keepdims or k not in axes)
    return np.full(shape, initial, a.dtype)


amax, amin = max, min


@implements(np.mean, masked=True)
def mean(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *,
         where: Any = True) -> Array:
    refuse_options("mean", out)
    a = array_of(a)
    if without_mask(where):
        return methods.mean(a, axis, dtype, keepdims)
    a = selection.astype(a, np.float64 if dtype is None and a.dtype.kind in "biu" else dtype or a.dtype)
    total = methods.reduce(r.reduce_sum, masked_by(where, a, 0), axis, keepdims)
    return selection.astype(total / _chosen(where, a, axis, keepdims), total.dtype)


def _chosen(where: Any, a: Array, axis: Axis, keepdims: Any) -> Array:
    """How many elements of each reduction the mask chooses."""
    ones = selection.where(array_of(where), constant(np.ones(a.shape, np.intp), a), 0)
    return methods.reduce(r.reduce_sum, ones, axis, keepdims)


@implements(np.var, masked=True)
def var(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
        where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    refuse_options("var", out)
    ddof = ddof if correction is UNSET else correction
    if without_mask(where) and mean is UNSET:
        return _as_asked(methods.var(_in_dtype(a, dtype), axis, ddof, keepdims), dtype, a)
    return _spread(a, axis, dtype, ddof, keepdims, where, mean)


@implements(np.std, masked=True)
def std(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
        where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    refuse_options("std", out)
    ddof = ddof if correction is UNSET else correction
    if without_mask(where) and mean is UNSET:
        return _as_asked(methods.std(_in_dtype(a, dtype), axis, ddof, keepdims), dtype, a)
    return methods.root(_spread(a, axis, dtype, ddof, keepdims, where, mean))


def _as_asked(ans: Array, dtype: Any, a: Array) -> Array:
    """NumPy gives a complex variance of real values where it was asked for one."""
    asked = dtype is not None and np.dtype(dtype).kind == "c" and array_of(a).dtype.kind != "c"
    return selection.astype(ans, dtype) if asked else ans


def _in_dtype(a: Array, dtype: Any) -> Array:
    a = array_of(a)
    return a if dtype is None else selection.astype(a, dtype)


def _spread(a: Array, axis: Axis, dtype: Any, ddof: float, keepdims: Any, where: Any, centre: Any) -> Array:
    """The variance of the elements that `where` chooses, about a centre that may be given."""
    a = _in_dtype(a, np.float64 if dtype is None and array_of(a).dtype.kind in "biu" else dtype)
    if centre is UNSET:
        centre = mean(a, axis, None, None, True, where=where)
    squares = methods.reduce(r.reduce_sum, masked_by(where, methods.square_of(a - centre), 0), axis, keepdims)
    count = _chosen(where, a, axis, keepdims)
    return selection.astype(squares / selection.maximum(count - ddof, 0), squares.dtype)


@implements(np.average)
def average(a: Array, axis: Axis = None, weights: Any = None, returned: bool = False, *,
            keepdims: Any = False) -> Any:
    a = array_of(a)
    if weights is None:
        ans = methods.mean(a, axis, None, keepdims)
        count = a.size / _max(ans.size, 1)
        return (ans, np.full(ans.shape, count)) if returned else ans
    weights = array_of(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(f"average needs axis where the weights have another shape: {a.shape} and {weights.shape}")
        axes = methods.normal_axes(axis, a.ndim)
        if weights.shape != tuple(a.shape[k] for k in axes):
            raise ValueError(f"average needs weights of shape {tuple(a.shape[k] for k in axes)} along axis {axis}, "
                             f"but got {weights.shape}")
        weights = methods.reshape(weights, tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))
        weights = shaping.broadcast_to(weights, a.shape)
    total = methods.reduce(r.reduce_sum, weights, axis, keepdims)
    ans = methods.reduce(r.reduce_sum, a * weights, axis, keepdims) / total
    return (ans, total) if returned else ans


@implements(np.ptp)
def ptp(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False) -> Array:
    refuse_options("ptp", out)
    a = array_of(a)
    return methods.reduce(r.reduce_max, a, axis, keepdims) - methods.reduce(r.reduce_min, a, axis, keepdims)


@implements(np.all, masked=True)
def all(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Array:
    refuse_options("all", out)
    return methods.reduce(r.reduce_all, masked_by(where, array_of(a), True), axis, keepdims)


@implements(np.any, masked=True)
def any(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Array:
    refuse_options("any", out)
    return methods.reduce(r.reduce_any, masked_by(where, array_of(a), False), axis, keepdims)


@implements(np.argmax)
def argmax(a: Array, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Array:
    refuse_options("argmax", out)
    return array_of(a).argmax(axis=axis, keepdims=keepdims)


@implements(np.argmin)
def argmin(a: Array, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Array:
    refuse_options("argmin", out)
    return array_of(a).argmin(axis=axis, keepdims=keepdims)


@implements(np.count_nonzero)
def count_nonzero(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    return methods.reduce(r.reduce_sum, array_of(a) != 0, axis, keepdims)


@implements(np.cumsum)
def cumsum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("cumsum", out)
    return methods.accumulate(r.cumsum, array_of(a), axis, dtype)


@implements(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1, prepend: Any = UNSET, append: Any = UNSET) -> Array:
    a = array_of(a)
    if n < 0:
        raise ValueError(f"diff needs n >= 0, but got {n}")
    if n == 0:
        return a
    if not a.ndim:
        raise ValueError("diff needs an array of at least one axis, but got shape ()")
    axis = methods.normal_axis(axis, a.ndim)
    parts = [_edge(prepend, a, axis)] * (prepend is not UNSET) + [a] + [_edge(append, a, axis)] * (append is not UNSET)
    a = shaping.concatenate(*parts, axis=axis) if len(parts) > 1 else a
    for _ in range(n):
        size = a.shape[axis]
        upper = shaping.slice_axis(a, axis, 1, size)
        lower = shaping.slice_axis(a, axis, 0, _max(size - 1, 0))
        a = upper != lower if a.dtype.kind == "b" else upper - lower
    return a


def _edge(value: Any, a: Array, axis: int) -> Array:
    value = array_beside(value, a)
    if value.ndim:
        return value
    return shaping.broadcast_to(value, tuple(1 if k == axis else n for k, n in enumerate(a.shape)))
