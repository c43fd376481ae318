"""Reductions that pass over NaN."""

from typing import Any

import numpy as np

from ..core.checks import flag
from ..core.errors import at_user_line
from ..core.numpy_api import methods, roots
from ..core.numpy_api.reducing import masked, reduce
from ..core.ops import reductions as r, selection
from ..core.ops.indexing import sorting
from . import reductions
from .reductions import without_nan
from .surface import UNSET, Array, Axis, array_of, implements, refuse_options, without_mask

_TABLE = 2048  # elements: 2049 calls of 30 us


def _holes(a: Array) -> bool:
    """Tell whether values of the dtype of `a` can be NaN."""
    return a.dtype.kind in "fc"


@implements(np.nansum, masked=True)
def nansum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
           where: Any = True) -> Array:
    refuse_options("nansum", out)
    return reductions.sum(without_nan(array_of(a), 0.0), axis, dtype, None, flag(keepdims), initial, **_only(where))


@implements(np.nanprod, masked=True)
def nanprod(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
            initial: Any = UNSET, where: Any = True) -> Array:
    refuse_options("nanprod", out)
    return reductions.prod(without_nan(array_of(a), 1.0), axis, dtype, None, flag(keepdims), initial, **_only(where))


def _only(where: Any) -> dict:
    return {} if without_mask(where) else {"where": where}


def _inexact(name: str, a: Array, dtype: Any) -> None:
    if _holes(a) and dtype is not None and np.dtype(dtype).kind in "biu":
        raise TypeError(f"{name} of values of dtype {a.dtype} has outputs that can be NaN, but got dtype="
                        f"{np.dtype(dtype)}; ask for a floating dtype{at_user_line()}")


def _present(a: Array, where: Any) -> Array:
    """The mask of what is neither NaN nor left out by `where=`."""
    mask = ~selection.isnan(a)
    return mask if without_mask(where) else masked(mask, where, False)


@implements(np.nanmean, masked=True)
def nanmean(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *,
            where: Any = True) -> Array:
    refuse_options("nanmean", out)
    a, keepdims = array_of(a), flag(keepdims)
    _inexact("nanmean", a, dtype)
    if not _holes(a):
        return reductions.mean(a, axis, dtype, None, keepdims, **_only(where))
    a = a if dtype is None else selection.astype(a, dtype)
    return reductions.mean(a, axis, None, None, keepdims, where=_present(a, where))


@implements(np.nanvar, masked=True)
def nanvar(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
           where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    return _spread("nanvar", reductions.var, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _spread(name: str, fun: Any, a: Array, axis: Axis, dtype: Any, out: Any, ddof: float, keepdims: Any, where: Any,
            mean: Any, correction: Any) -> Array:
    """The variance or standard deviation of what is there."""
    refuse_options(name, out)
    a, keepdims = array_of(a), flag(keepdims)
    ddof = reductions.degrees(ddof, correction)
    _inexact(name, a, dtype)
    if not _holes(a):
        return fun(a, axis, dtype, None, ddof, keepdims, mean=mean, **_only(where))
    mask = _present(a, where)
    mean = mean if mean is UNSET else selection.astype(array_of(mean), a.dtype)
    ans = fun(selection.where(mask, a, 0.0), axis, dtype, None, ddof, keepdims, where=mask, mean=mean)
    return roots.undefined(reductions.sum(mask, axis, None, None, keepdims) <= ddof, ans)


@implements(np.nanstd, masked=True)
def nanstd(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
           where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    return _spread("nanstd", reductions.std, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


@implements(np.nanmax, masked=True)
def nanmax(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
           where: Any = True) -> Array:
    refuse_options("nanmax", out)
    return _nan_extreme(reductions.max, array_of(a), axis, flag(keepdims), initial, where, -np.inf)


@implements(np.nanmin, masked=True)
def nanmin(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
           where: Any = True) -> Array:
    refuse_options("nanmin", out)
    return _nan_extreme(reductions.min, array_of(a), axis, flag(keepdims), initial, where, np.inf)


def _nan_extreme(reducer: Any, a: Array, axis: Axis, keepdims: bool, initial: Any, where: Any, last: float) -> Array:
    if not _holes(a):
        return reducer(a, axis, None, keepdims, initial, **_only(where))
    hole = selection.isnan(a)
    if type(initial) in (float, np.float64, np.float32) and np.isnan(initial):  # passed over, as an element is
        initial = UNSET
    ans = reducer(selection.where(hole, last, a), axis, None, keepdims, initial, **_only(where))
    if initial is not UNSET and initial is not None:
        return ans
    return selection.where(reduce(r.reduce_all, hole, axis, keepdims), np.nan, ans)


@implements(np.nanargmax)
def nanargmax(a: Array, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Array:
    refuse_options("nanargmax", out)
    return _place(sorting.nanargmax, array_of(a), axis, keepdims)


@implements(np.nanargmin)
def nanargmin(a: Array, axis: Axis = None, out: Any = None, *, keepdims: Any = False) -> Array:
    refuse_options("nanargmin", out)
    return _place(sorting.nanargmin, array_of(a), axis, keepdims)


def _place(prim: Any, a: Array, axis: Axis, keepdims: Any) -> Array:
    if axis is not None and (a.ndim or axis not in (0, -1)):
        return prim(a, methods.normal_axis(axis, a.ndim), flag(keepdims))
    ans = prim(methods.reshape(a, (-1,)), 0, False)
    return methods.reshape(array_of(ans), (1,) * a.ndim) if flag(keepdims) else ans
