"""Reductions with NumPy's arguments: `axis`, `dtype`, `keepdims`, `initial=` and `where=`."""

import numpy as np

from ..arrays.axes import ALL_AXES, normal_axes
from ..arrays.dtypes import is_half, is_inexact
from ..arrays.fp_warnings import warn_user
from ..checks import flag
from ..errors import DtypeError, RuleError, ShapeError, at_user_line
from ..ops import arithmetic as a, log_sums, reductions as r, selection
from ..trace.device import as_element, constant
from ..trace.tracer import Tracer
from .roots import deviation, square_of

UNSET = np._NoValue
# What an element contributes that `where=` leaves out; an extreme has no such value.
_NEUTRAL = {r.reduce_sum: 0, r.reduce_prod: 1, r.reduce_all: True, r.reduce_any: False, r.logsumexp: -np.inf}
_PAIR = {
    r.reduce_sum: a.add, r.reduce_prod: a.multiply, r.reduce_max: selection.maximum, r.reduce_min: selection.minimum,
    r.reduce_all: selection.bitwise_and, r.reduce_any: selection.bitwise_or, r.logsumexp: log_sums.logaddexp,
}  # fmt: skip
_TRUTHS = {r.reduce_sum: r.reduce_any, r.reduce_prod: r.reduce_all}  # with dtype=bool


def no_out(out, name="a reduction"):
    """Raise for `out=`: a traced value is never written into a plain array."""
    if out is not None:
        raise RuleError(f"{name} of a traced value does not write into out=; use the value it returns, "
                        f"or assign it: buffer[...] = value{at_user_line()}")


def reduce(prim, x, axis=None, keepdims=False, dtype=None, out=None, initial=None, where=True):
    """A reduction primitive with NumPy's arguments."""
    if axis is dtype is out is initial is None and where is True:
        return prim(x, ALL_AXES[x.ndim], keepdims if keepdims is False else flag(keepdims))
    if out is not None:
        no_out(out, _name(prim))
    if dtype is not None and np.dtype(dtype) != x.dtype:
        x = selection.astype(x, dtype)
    if dtype is not None and x.dtype == np.bool_:
        prim = _TRUTHS.get(prim, prim)
    axes = ALL_AXES[x.ndim] if axis is None else _loose_axes(axis, x.ndim)
    if where is not True and where is not UNSET:
        x = _chosen(prim, x, where, initial)
    if initial is None or initial is UNSET:
        ans = prim(x, axes, flag(keepdims))
    else:
        ans = _with_initial(prim, x, axes, flag(keepdims), initial)
    return in_dtype(ans, dtype)


def in_dtype(ans, dtype):
    """`ans` in the dtype asked for: sums of small integers are wide, unless their dtype was named."""
    return ans if dtype is None or ans.dtype == dtype else selection.astype(ans, dtype)


def _axes(axis, ndim):
    """The axes of a reduction; NumPy takes no list for them."""
    if type(axis) is list or np.ndim(axis) and not isinstance(axis, tuple):
        raise TypeError(f"the axis of a reduction is None, an integer or a tuple, but got the {type(axis).__name__} "
                        f"{axis}; write axis={tuple(axis)}{at_user_line()}")
    return normal_axes(axis, ndim)


def _loose_axes(axis, ndim):
    """The same for NumPy's ufuncs, which let a number pass for a vector."""
    return () if not ndim and isinstance(axis, int | np.integer) and axis in (0, -1) else _axes(axis, ndim)


def _name(prim):
    return prim.__name__.removeprefix("reduce_")


def masked(x, where, neutral):
    """`x` with `neutral` where the mask `where=` does not hold."""
    if where is None:
        raise TypeError("where= takes a boolean mask, but got None, which NumPy reads as False, so that nothing is "
                        f"taken; leave where= out{at_user_line()}")
    mask = where if hasattr(where, "dtype") else np.asarray(where)
    if mask.dtype != np.bool_:
        raise TypeError(f"where= takes a boolean mask, but got dtype {mask.dtype}; compare it first, for example "
                        f"with mask != 0{at_user_line()}")
    ans = selection.where(mask, x, neutral)
    if ans.shape != x.shape:
        raise ShapeError(f"where= takes a mask that broadcasts to the shape {x.shape}, but got {mask.shape}; reshape "
                         f"the mask{at_user_line()}")
    return ans


def _chosen(prim, x, where, initial):
    neutral = _NEUTRAL.get(prim)
    if neutral is None:
        if initial is None or initial is UNSET:
            raise ValueError(f"{_name(prim)} with where= is undefined where no element is selected, and got no "
                             f"initial=; give initial=, the value there{at_user_line()}")
        neutral = _initial(x.dtype, initial)
    if prim in (r.reduce_all, r.reduce_any) and x.dtype != np.bool_:
        x = x != 0
    return masked(x, where, neutral)


def _initial(dtype, initial):
    """`initial=` as a number of the dtype of the output; a derivative is never cast away."""
    if isinstance(initial, Tracer):
        lost = is_inexact(initial.dtype) and not is_inexact(dtype) or initial.dtype.kind == "c" != dtype.kind
        if lost:
            raise DtypeError(f"initial= is a traced value of dtype {initial.dtype}, whose derivative an output of "
                             f"dtype {dtype} would drop; give dtype={initial.dtype}{at_user_line()}")
        if initial.ndim:
            raise ValueError(f"initial= is one number, but got shape {initial.shape}; add an array to the output "
                             f"instead{at_user_line()}")
        return initial if initial.dtype == dtype else selection.astype(initial, dtype)
    value = as_element(initial, dtype)
    if np.ndim(value):
        raise ValueError(f"initial= is one number, but got shape {np.shape(value)}; add an array to the output "
                         f"instead{at_user_line()}")
    return value


def _with_initial(prim, x, axes, keepdims, initial):
    # An extreme of no elements is undefined, and with `initial` it is that: the primitive is not called.
    if r.count(x, axes) or prim in _NEUTRAL:
        ans = prim(x, axes, keepdims)
        return _PAIR[prim](ans, _initial(ans.dtype, initial))
    shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes)
    return constant(np.zeros(shape, x.dtype), x) + _initial(x.dtype, initial)


def mean(x, axis=None, dtype=None, keepdims=False, where=True, quiet=False):
    """The mean over `axis`, of the elements that the mask `where` chooses; warns of no elements, unless `quiet`."""
    whole = where is True or where is UNSET
    axes = _axes(axis, x.ndim) if whole else _loose_axes(axis, x.ndim)
    if dtype is None and x.dtype.kind in "biu":
        dtype = np.float64
    if dtype is not None:
        x = selection.astype(x, dtype)
    if not whole:
        # A sum of halves overflows at 65504 though their mean does not.
        wide = selection.astype(x, np.float32) if is_half(x.dtype) else x
        total = r.reduce_sum(masked(wide, where, 0), axes, flag(keepdims))
        return selection.astype(total / _count(x, where, axes, keepdims), x.dtype)
    if not quiet and not r.count(x, axes):
        warn_user("Mean of empty slice")
    if x.dtype.kind in "biu":  # asked for by dtype=
        total = reduce(r.reduce_sum, x, axes, keepdims, x.dtype)
        return selection.astype(total / r.count(x, axes), x.dtype)
    if r.count(x, axes):
        return r.reduce_mean(x, axes, flag(keepdims))
    return r.reduce_sum(x, axes, flag(keepdims)) / 0


def _count(x, where, axes, keepdims):
    """The number of elements of each reduction that the mask chooses."""
    ones = masked(constant(np.ones(x.shape, np.intp), x), where, 0)
    return r.reduce_sum(ones, axes, flag(keepdims))


def var(x, axis=None, ddof=0, keepdims=False, dtype=None, where=True, centre=None, rooted=False):
    """The variance over `axis`: the mean of |x - centre|², the centre being the mean unless it is given.

    `rooted`: the root of it, with derivative 0 at a constant.
    """
    if dtype is None and is_half(x.dtype):
        return selection.astype(var(x, axis, ddof, keepdims, np.float32, where, centre, rooted), x.dtype)
    if dtype is not None:
        dtype = np.dtype(dtype)
        if dtype.kind in "biu" or dtype.kind == "f" and x.dtype.kind == "c":
            raise DtypeError(f"a variance is computed in the dtype asked for, but dtype={dtype} cannot hold the "
                             f"values of dtype {x.dtype} less their mean; omit it, and cast the output"
                             f"{at_user_line()}")
        x = selection.astype(x, dtype)
    if not isinstance(ddof, int | float | np.integer | np.floating) and not hasattr(ddof, "dtype"):
        raise TypeError(f"ddof is a number, but got {ddof!r} of type {type(ddof).__name__}; give 1 for the unbiased "
                        f"variance{at_user_line()}")
    whole = where is True or where is UNSET
    axes = _axes(axis, x.ndim) if whole else _loose_axes(axis, x.ndim)
    count = max(r.count(x, axes) - ddof, 0) if whole else None
    alone = False
    if whole and type(count) in (int, float) and count == 0:
        warn_user("Degrees of freedom <= 0 for slice")
    if centre is None:
        centre = mean(x, axes, None, True, where, quiet=True)
        if rooted:
            alone = r.count(x, axes) == 1 if whole else _count(x, where, axes, True) == 1
    apart = x - centre
    if not whole:
        apart = masked(apart, where, 0)  # before the square, whose derivative would be 0 * NaN
        count = selection.maximum(_count(x, where, axes, keepdims) - ddof, 0)
    if rooted:
        ans = deviation(apart, axes, flag(keepdims), count, alone)
    else:
        total = r.reduce_sum(square_of(apart), axes, flag(keepdims))
        ans = total / count
        ans = ans if ans.dtype == total.dtype else selection.astype(ans, total.dtype)
    return ans if dtype is None or dtype.kind != "c" else selection.astype(ans, dtype)


def std(x, axis=None, ddof=0, keepdims=False, dtype=None, where=True, centre=None):
    """The standard deviation over `axis`; its derivative at a constant is 0."""
    return var(x, axis, ddof, keepdims, dtype, where, centre, rooted=True)
