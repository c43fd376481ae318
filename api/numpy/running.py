"""Running sums and products, and the differences that undo them."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.ops import reductions, running, selection, shaping
from ..core.trace.device import constant
from .reductions import diff
from .surface import Array, Axis, array_beside, array_of, implements, refuse_options


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
