"""Statistics of order: median and quantiles, of all elements and of those that are not NaN."""

import math
from typing import Any

import numpy as np

from ..core.arrays.dtypes import result_dtype
from ..core.arrays.fp_warnings import warn_user
from ..core.checks import flag
from ..core.errors import at_user_line
from ..core.numpy_api import methods
from ..core.numpy_api.reducing import reduce
from ..core.ops import reductions as r, selection, shaping
from ..core.ops.indexing import sorting as ordering
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer, is_concrete
from .surface import Array, Axis, array_of, implements, known, refuse_options, traced_inside

_TABLE = 2048  # elements: 2049 calls of 30 us
_CONTINUOUS = {  # those whose places move evenly with q: the numbers alpha and beta of Hyndman and Fan (1996)
    "linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8), "interpolated_inverted_cdf": (0.0, 1.0),
}  # fmt: skip
_STEPS = frozenset({"lower", "higher", "nearest", "inverted_cdf", "closest_observation"})  # each finds one element


@implements(np.median)
def median(a: Array, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
           keepdims: bool = False) -> Array:
    refuse_options("median", out)
    rows, lead = _flattened_last(array_of(a), axis, keepdims)
    n = rows.shape[-1]
    if not n:
        warn_user("Mean of empty slice")
        return constant(np.full(lead, np.nan, rows.dtype), a)
    rows = ordering.sort(rows, rows.ndim - 1)
    middle = rows[..., n // 2] if n % 2 else (rows[..., n // 2 - 1] + rows[..., n // 2]) / 2
    return methods.reshape(_or_nan(middle, rows[..., -1]), lead)


@implements(np.nanmedian)
def nanmedian(a: Array, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
              keepdims: Any = False) -> Array:
    refuse_options("nanmedian", out)
    a = array_of(a)
    if a.dtype.kind not in "fc":
        return median(a, axis, keepdims=flag(keepdims))
    rows, lead = _flattened_last(a, axis, flag(keepdims))
    rank, n = rows.ndim - 1, rows.shape[-1]
    if not n:
        warn_user("Mean of empty slice")
        return constant(np.full(lead, np.nan, a.dtype), a)
    last = methods.reshape(selection.maximum(_present(rows) - 1, 0), (*rows.shape[:-1], 1))
    rows = ordering.sort(rows, rank)  # NaN behind all others
    low, high = (ordering.along(rows, k, rank) for k in (last // 2, (last + 1) // 2))
    return methods.reshape(selection.where(last % 2 == 0, low, (low + high) / 2), lead)


@implements(np.quantile)
def quantile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    refuse_options("quantile", out)
    return _quantile(np.quantile, a, q, axis, method, keepdims, weights)


@implements(np.percentile)
def percentile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
               method: str = "linear", keepdims: bool = False, *, weights: Any = None) -> Array:
    refuse_options("percentile", out)
    return _quantile(np.percentile, a, q, axis, method, keepdims, weights)


@implements(np.nanquantile)
def nanquantile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
                method: str = "linear", keepdims: Any = False, *, weights: Any = None) -> Array:
    refuse_options("nanquantile", out)
    return _nan_quantile(np.quantile, a, q, axis, method, keepdims, weights)


@implements(np.nanpercentile)
def nanpercentile(a: Array, q: Any, axis: Axis = None, out: Any = None, overwrite_input: bool = False,
                  method: str = "linear", keepdims: Any = False, *, weights: Any = None) -> Array:
    refuse_options("nanpercentile", out)
    return _nan_quantile(np.percentile, a, q, axis, method, keepdims, weights)


def _whole(reference: Any) -> int:
    return 1 if reference is np.quantile else 100


def _quantile(reference: Any, a: Array, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any) -> Array:
    a, q = array_of(a), array_of(q) if traced_inside(q) and not isinstance(q, Tracer) else q
    rows, lead = _flattened_last(a, axis, keepdims)
    rank, n = rows.ndim - 1, rows.shape[-1]
    if isinstance(q, Tracer):
        _check_traced(reference, a, q, method, weights)
        if not n:
            raise ValueError(f"{reference.__name__} of a traced q needs elements, but got shape {a.shape}; check the "
                             f"size before{at_user_line()}")
        place, dtype = _along(n, q / _whole(reference), method), result_dtype(rows, q)
    else:
        place, dtype = _places(reference, a, n, q, method, weights)
        if weights is not None:
            return _weighted(reference, rows, q, _weight_rows(reference, a, axis, weights), lead, dtype)
    rows = ordering.sort(rows, rank)
    shape = place.shape
    place = methods.reshape(place, (-1,))
    low = selection.astype(selection.minimum(selection.floor(place), float(n - 1)), np.intp)
    ans = methods.take(rows, low, rank)
    if not _finds_one(reference, method, q):
        ans = _between(ans, methods.take(rows, selection.minimum(low + 1, n - 1), rank), place - low, dtype)
    return _in_front(_or_nan(ans, rows[..., -1:]), shape, lead, dtype)


def _along(count: Any, part: Array, method: str) -> Array:
    """Position of a quantile, traced `part`, among `count` sorted elements: Hyndman and Fan (1996), table 1."""
    if method == "linear":
        return part * (count - 1)
    alpha, beta = _CONTINUOUS[method]
    place = part * count + (part * (1 - alpha - beta) + alpha) - 1
    return selection.minimum(selection.maximum(place, 0.0), count - 1.0)


def _check_traced(reference: Any, a: Array, q: Array, method: str, weights: Any) -> None:
    if method not in _CONTINUOUS or weights is not None or a.dtype.kind not in "fiu":
        raise ValueError(f"{reference.__name__} of a traced q takes real elements, no weights and the methods "
                         f"{', '.join(_CONTINUOUS)}, but got method={method!r}, "
                         f"{'weights, ' if weights is not None else ''}elements of dtype {a.dtype}; stop_gradient(q) "
                         f"gives a plain q{at_user_line()}")
    if q.ndim > 1:
        raise ValueError(f"{reference.__name__} takes q as a number or a vector, but got shape {q.shape}; reshape it "
                         f"to (-1,){at_user_line()}")
    if is_concrete(q):
        values = known(q, reference.__name__)
        if not ((values >= 0) & (values <= _whole(reference))).all():
            raise ValueError(f"{reference.__name__} takes q from 0 to {_whole(reference)}, but got {values!s:.80}"
                             f"; clip it, or mind that percentiles count to 100{at_user_line()}")


def _places(reference: Any, a: Array, n: int, q: Any, method: str, weights: Any = None) -> tuple:
    """The fractional positions at which NumPy finds the quantiles of n sorted elements, and the dtype of the output."""
    plain = np.zeros(max(n, 1), a.dtype)
    dtype = reference(plain, q, method=method, weights=None if weights is None else np.ones(plain.shape)).dtype
    return np.asarray(reference(np.arange(n, dtype=np.float64), q, method=method)), dtype


def _finds_one(reference: Any, method: str, q: Any) -> bool:
    """Tell whether NumPy takes an element as it is: between infinite ones there is nothing to find."""
    if method in _STEPS:
        return True
    return reference is np.quantile and method == "linear" and not isinstance(q, Tracer) and (
        np.asarray(q).dtype.kind in "iu")


def _flattened_last(a: Array, axis: Axis, keepdims: bool) -> tuple:
    """`a` as floating rows with the reduced axes as one, in last place; and the shape of an output."""
    axes = methods.normal_axes(axis, a.ndim)
    rest = tuple(k for k in range(a.ndim) if k not in axes)
    moved = shaping.transpose(a, (*rest, *axes))
    lead = moved.shape[: len(rest)]
    rows = methods.reshape(moved, (*lead, math.prod(moved.shape[len(rest) :])))
    if rows.dtype.kind not in "fc":
        rows = selection.astype(rows, np.float64)
    return rows, tuple(1 if k in axes else size for k, size in enumerate(a.shape)) if flag(keepdims) else lead


def _between(lower: Array, upper: Array, weight: Array, dtype: Any) -> Array:
    """From `lower` to `upper` as `weight` goes from 0 to 1, counted from the nearer one, as NumPy does."""
    near = weight >= 0.5
    weight = weight if weight.dtype == dtype else selection.astype(weight, np.result_type(dtype, np.float32))
    weight = constant(weight, lower) if isinstance(weight, np.ndarray) else weight
    gap = upper - lower
    return selection.where(constant(near, lower) if isinstance(near, np.ndarray) else near,
                           upper - gap * (1 - weight), lower + gap * weight)


def _or_nan(ans: Array, last: Array) -> Array:
    """`ans`, or NaN where the last of the sorted elements is."""
    return selection.where(last != last, last, ans)


def _in_front(ans: Array, shape: tuple, lead: tuple, dtype: Any) -> Array:
    """The outputs for each quantile, whose axis comes first."""
    rank = ans.ndim - 1
    ans = methods.reshape(shaping.transpose(ans, (rank, *range(rank))), (*shape, *lead))
    return ans if ans.dtype == dtype else selection.astype(ans, dtype)


def _weight_rows(reference: Any, a: Array, axis: Axis, weights: Any) -> Array:
    """A weight for each element, laid out like the rows."""
    weights = array_of(weights)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError(f"{reference.__name__} takes weights of the shape of the elements unless axis says along "
                            f"which they lie, but got {weights.shape} for {a.shape}; give axis{at_user_line()}")
        axes = methods.normal_axes(axis, a.ndim)
        if weights.shape != tuple(a.shape[k] for k in axes):
            raise ValueError(f"{reference.__name__} takes weights of shape {tuple(a.shape[k] for k in axes)} along "
                             f"axis {axis}, but got {weights.shape}; transpose or slice them{at_user_line()}")
        weights = methods.reshape(weights, tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))
        weights = shaping.broadcast_to(weights, a.shape)
    weights = _flattened_last(weights, axis, False)[0]
    if is_concrete(weights):
        plain = known(weights, reference.__name__)
        if (plain < 0).any():
            raise ValueError(f"{reference.__name__} takes nonnegative weights, but the least is "
                             f"{plain.min()}; clip them{at_user_line()}")
        total = plain.sum(-1)
        if not (np.isfinite(total) & (total > 0)).all():
            raise ValueError(f"{reference.__name__} takes weights that are finite and not all 0, but their sums are "
                             f"{total}; leave out what has no weight{at_user_line()}")
    return weights


def _weighted(reference: Any, rows: Array, q: Any, weights: Array, lead: tuple, dtype: Any,
              skip: bool = False) -> Array:
    """The first element at which the running share of the weights reaches q; the weights move no element."""
    rank, n = rows.ndim - 1, rows.shape[-1]
    order = ordering.argsort(rows, rank, "stable")
    rows, weights = ordering.along(rows, order, rank), ordering.along(weights, order, rank)
    if skip:
        weights = selection.where(selection.isnan(rows), 0.0, weights)
    share = r.cumsum(weights, rank)
    share = share / share[..., -1:]
    part = np.asarray(q) / _whole(reference)
    share = selection.where(share == 0, -1.0, share)  # what has no weight comes before everything
    if part.dtype.kind == "f":
        share = selection.astype(share, part.dtype)
    flat = constant(part.reshape(-1, 1), rows)
    place = selection.minimum(r.reduce_sum(share[..., None, :] < flat, (rank + 1,), False), n - 1)
    ans = ordering.along(rows, place, rank)
    return _in_front(ans if skip else _or_nan(ans, rows[..., -1:]), part.shape, lead, dtype)


def _present(rows: Array) -> Array:
    """The number of elements in each row that are not NaN."""
    return array_of(reduce(r.reduce_sum, ~selection.isnan(rows), -1))


def _nan_quantile(reference: Any, a: Array, q: Any, axis: Axis, method: str, keepdims: Any, weights: Any) -> Array:
    a, q = array_of(a), array_of(q) if traced_inside(q) else q
    if a.dtype.kind not in "fc":
        return _quantile(reference, a, q, axis, method, flag(keepdims), weights)
    rows, lead = _flattened_last(a, axis, flag(keepdims))
    n = rows.shape[-1]
    if isinstance(q, Tracer):
        _check_traced(reference, a, q, method, weights)
        one, dtype = q, np.result_type(a.dtype, q.dtype)
    else:
        one, dtype = _places(reference, a, 1, q, method, weights)
        if not a.size:
            return constant(np.full(lead, np.nan, dtype), a)
        if weights is not None:
            return _weighted(reference, rows, q, _weight_rows(reference, a, axis, weights), lead, dtype, True)
    rank, count = rows.ndim - 1, _present(rows)
    if isinstance(q, Tracer) or method == "linear":
        part = methods.reshape(q if isinstance(q, Tracer) else np.asarray(q), (-1,)) / _whole(reference)
        some = methods.reshape(selection.maximum(count, 1), (*rows.shape[:-1], 1))
        some = selection.astype(some, part.dtype)
        place = _along(some, part if isinstance(part, Tracer) else constant(part, some), method)
    else:
        place = _from_table(reference, a, count, n, q, method)
    rows = ordering.sort(rows, rank)  # NaN behind all others
    low = selection.astype(selection.floor(place), np.intp)
    lower = ordering.along(rows, low, rank)
    if not _finds_one(reference, method, q):
        high = selection.minimum(low + 1, methods.reshape(selection.maximum(count - 1, 0), (*rows.shape[:-1], 1)))
        lower = _between(lower, ordering.along(rows, high, rank), place - low, dtype)
    return _in_front(lower, one.shape, lead, dtype)


def _from_table(reference: Any, a: Array, count: Array, n: int, q: Any, method: str) -> Array:
    """The places by NumPy's own rule of `method`, for each count that occurs, or may."""
    if is_concrete(count):
        counts = np.unique(known(count, reference.__name__)).tolist()
    elif n <= _TABLE:
        counts = list(range(n + 1))
    else:
        raise ValueError(f"nan{reference.__name__} with method={method!r} of {n} elements, batched or staged, needs "
                         f"a table of its positions for each count; use method='linear'{at_user_line()}")
    parts = np.asarray(q).size
    table = np.zeros((n + 1, parts))
    for k in counts:
        table[k] = _places(reference, a, max(k, 1), q, method)[0].reshape(-1)
    return methods.take(constant(table, a), count, 0)
