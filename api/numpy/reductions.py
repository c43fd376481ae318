"""Reductions and running sums."""

import builtins
from typing import Any

import numpy as np

from ..core.checks import flag
from ..core.errors import at_user_line
from ..core.numpy_api import methods, reducing
from ..core.numpy_api.reducing import reduce
from ..core.ops import reductions, reductions as r, running, selection, shaping
from ..core.trace.device import constant
from ..core.trace.tracer import is_concrete
from .surface import UNSET, Array, Axis, array_beside, array_of, implements, known, refuse_options

_abs, _max, _min = builtins.abs, builtins.max, builtins.min


@implements(np.sum, masked=True)
def sum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("sum", out)
    return reduce(r.reduce_sum, array_of(a), axis, keepdims, dtype, None, initial, where)


@implements(np.prod, masked=True)
def prod(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
         where: Any = True) -> Array:
    refuse_options("prod", out)
    return reduce(r.reduce_prod, array_of(a), axis, keepdims, dtype, None, initial, where)


@implements(np.max, np.amax, masked=True)
def max(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("max", out)
    return reduce(r.reduce_max, array_of(a), axis, keepdims, None, None, initial, where)


@implements(np.min, np.amin, masked=True)
def min(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = UNSET,
        where: Any = True) -> Array:
    refuse_options("min", out)
    return reduce(r.reduce_min, array_of(a), axis, keepdims, None, None, initial, where)


amax, amin = max, min


@implements(np.mean, masked=True)
def mean(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *,
         where: Any = True) -> Array:
    refuse_options("mean", out)
    return reducing.mean(array_of(a), axis, dtype, flag(keepdims), where)


@implements(np.var, masked=True)
def var(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
        where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    refuse_options("var", out)
    centre = None if mean is UNSET else mean
    return reducing.var(array_of(a), axis, degrees(ddof, correction), flag(keepdims), dtype, where, centre)


@implements(np.std, masked=True)
def std(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: Any = False, *,
        where: Any = True, mean: Any = UNSET, correction: Any = UNSET) -> Array:
    refuse_options("std", out)
    centre = None if mean is UNSET else mean
    return reducing.std(array_of(a), axis, degrees(ddof, correction), flag(keepdims), dtype, where, centre)


def degrees(ddof: float, correction: Any) -> float:
    """`ddof`, or `correction`, its name in the array API."""
    if correction is UNSET:
        return ddof
    if ddof != 0:
        raise ValueError(f"ddof and correction name one number, but both were given: {ddof} and {correction}; omit "
                         f"one{at_user_line()}")
    return correction


@implements(np.average)
def average(a: Array, axis: Axis = None, weights: Any = None, returned: bool = False, *,
            keepdims: Any = False) -> Any:
    a, axis = array_of(a), tuple(axis) if isinstance(axis, list) else axis
    if weights is None:
        ans = reducing.mean(a, axis, None, keepdims)
        if not ans.size:
            raise ZeroDivisionError(f"average cannot broadcast the elements to the sum of weights, for shape "
                                    f"{a.shape} and axis={axis}; use mean{at_user_line()}")
        return (ans, np.full(ans.shape, a.size / ans.size, ans.dtype)) if returned else ans
    weights = array_of(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(f"average needs axis where the weights have another shape: {a.shape} and {weights.shape}"
                            f"; name the axis along which they weigh{at_user_line()}")
        axes = [methods.normal_axis(k, a.ndim) for k in (axis if isinstance(axis, tuple) else (axis,))]
        if weights.shape != tuple(a.shape[k] for k in axes):
            raise ValueError(f"average needs weights of shape {tuple(a.shape[k] for k in axes)} along axis {axis}, "
                             f"but got {weights.shape}; give one weight per element along it{at_user_line()}")
        weights = methods.transpose(weights, tuple(sorted(range(len(axes)), key=axes.__getitem__)))
        weights = methods.reshape(weights, tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))
        weights = shaping.broadcast_to(weights, a.shape)
    dtype = np.result_type(a.dtype, weights.dtype, *(["f8"] if a.dtype.kind in "biu" else []))
    total = reduce(r.reduce_sum, weights, axis, keepdims, dtype)
    if is_concrete(total) and (known(total, "average") == 0).any():
        raise ZeroDivisionError(f"average divides by the sum of the weights, which is 0 along axis={axis}; leave out "
                                f"what has no weight{at_user_line()}")
    ans = reduce(r.reduce_sum, selection.astype(a, dtype) * selection.astype(weights, dtype), axis, keepdims) / total
    return (ans, total) if returned else ans


@implements(np.ptp)
def ptp(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False) -> Array:
    refuse_options("ptp", out)
    a = array_of(a)
    return reduce(r.reduce_max, a, axis, keepdims) - reduce(r.reduce_min, a, axis, keepdims)


@implements(np.all, masked=True)
def all(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Array:
    refuse_options("all", out)
    return reduce(r.reduce_all, array_of(a), axis, keepdims, None, None, None, where)


@implements(np.any, masked=True)
def any(a: Array, axis: Axis = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Array:
    refuse_options("any", out)
    return reduce(r.reduce_any, array_of(a), axis, keepdims, None, None, None, where)


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
    return reduce(r.reduce_sum, array_of(a) != 0, axis, keepdims)


@implements(np.cumsum)
def cumsum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("cumsum", out)
    return methods.accumulate(r.cumsum, array_of(a), axis, dtype)


@implements(np.diff)
def diff(a: Array, n: int = 1, axis: int = -1, prepend: Any = UNSET, append: Any = UNSET) -> Array:
    a = array_of(a)
    if n < 0:
        raise ValueError(f"diff needs n >= 0, but got {n}; take n=0 for no difference{at_user_line()}")
    if n == 0:
        return a
    if not a.ndim:
        raise ValueError(f"diff needs an array of at least one axis, but got shape (); "
                         f"reshape it to (-1,){at_user_line()}")
    axis = methods.normal_axis(axis, a.ndim)
    parts = [x if x is a else _edge(x, a, axis) for x in (prepend, a, append) if x is not UNSET]
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


# Running sums and products, and the differences that undo them.


@implements(np.cumprod)
def cumprod(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("cumprod", out)
    return methods.accumulate(running.cumprod, array_of(a), axis, dtype)


@implements(np.nancumsum)
def nancumsum(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("nancumsum", out)
    return methods.accumulate(reductions.cumsum, without_nan(array_of(a), 0.0), axis, dtype)


@implements(np.nancumprod)
def nancumprod(a: Array, axis: Axis = None, dtype: Any = None, out: Any = None) -> Array:
    refuse_options("nancumprod", out)
    return methods.accumulate(running.cumprod, without_nan(array_of(a), 1.0), axis, dtype)


def without_nan(a: Array, neutral: float) -> Array:
    """`a` with `neutral` in place of NaN; integers have none."""
    return selection.where(selection.isnan(a), neutral, a) if a.dtype.kind in "fc" else a


@implements(np.cumulative_sum)
def cumulative_sum(x: Array, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
                   include_initial: bool = False) -> Array:
    refuse_options("cumulative_sum", out)
    return _cumulative("cumulative_sum", reductions.cumsum, x, axis, dtype, 0 if include_initial else None)


@implements(np.cumulative_prod)
def cumulative_prod(x: Array, /, *, axis: Any = None, dtype: Any = None, out: Any = None,
                    include_initial: bool = False) -> Array:
    refuse_options("cumulative_prod", out)
    return _cumulative("cumulative_prod", running.cumprod, x, axis, dtype, 1 if include_initial else None)


def _cumulative(name: str, prim: Any, x: Array, axis: Any, dtype: Any, initial: Any) -> Array:
    x = array_of(x)
    x = x if x.ndim else methods.reshape(x, (1,))
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name} of an array with {x.ndim} axes needs axis; "
                             f"give axis=0, or ravel it{at_user_line()}")
        axis = 0
    axis = methods.normal_axis(axis, x.ndim)
    ans = methods.accumulate(prim, x, axis, dtype)
    if initial is None:
        return ans
    first = np.full(tuple(1 if k == axis else n for k, n in enumerate(x.shape)), initial, ans.dtype)
    return shaping.concatenate(constant(first, ans), ans, axis=axis)


@implements(np.ediff1d)
def ediff1d(ary: Array, to_end: Any = None, to_begin: Any = None) -> Array:
    ary = methods.reshape(array_of(ary), (-1,))
    if ary.dtype == np.bool_:
        raise TypeError(f"ediff1d subtracts, which booleans do not; convert them to integers{at_user_line()}")
    parts = [diff(ary)]
    for name, value in (("to_begin", to_begin), ("to_end", to_end)):
        if value is None:
            continue
        value = methods.reshape(array_beside(value, ary), (-1,))
        if not np.can_cast(value.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"ediff1d cannot put {name} of dtype {value.dtype} next to differences of dtype {ary.dtype}"
                            f"; cast it before with .astype{at_user_line()}")
        value = value if value.dtype == ary.dtype else selection.astype(value, ary.dtype)
        parts = [value, *parts] if name == "to_begin" else [*parts, value]
    return shaping.concatenate(*parts, axis=0) if len(parts) > 1 else parts[0]
