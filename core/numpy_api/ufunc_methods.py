"""The methods of NumPy's ufuncs on traced values: `reduce`, `accumulate`, `reduceat`, `outer` and `at`."""

import numpy as np

from ..arrays.axes import normal_axes, normal_axis
from ..checks import flag
from ..errors import ConversionError, DtypeError, RuleError, at_user_line
from ..ops import reductions, running, selection, shaping
from ..ops.indexing import indexing, sorting
from ..primitive.primitive import REGISTRY
from ..trace.buffers import Buffer
from ..trace.shared_memory import become_buffer
from ..trace.tracer import Tracer
from .at import turn_numbers
from .reducing import in_dtype, reduce as reduce_prim
from .views import cast_for_write

_REDUCTIONS = {
    np.add: reductions.reduce_sum, np.multiply: reductions.reduce_prod, np.maximum: reductions.reduce_max,
    np.minimum: reductions.reduce_min, np.logical_and: reductions.reduce_all, np.logical_or: reductions.reduce_any,
    np.logaddexp: reductions.logsumexp,
}  # fmt: skip
_ACCUMULATIONS = {
    np.add: reductions.cumsum, np.multiply: running.cumprod,
    # The extreme so far is the element at its place; of equal ones, the first.
    np.maximum: lambda x, axis: sorting.along(x, running.running_argmax(x, axis), axis),
    np.minimum: lambda x, axis: sorting.along(x, running.running_argmin(x, axis), axis),
}  # fmt: skip
# Of these the order does not matter, so halves are folded onto each other; others go from the first to the last.
_ASSOCIATIVE = frozenset({np.fmax, np.fmin, np.logaddexp2, np.hypot, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
                          np.gcd, np.lcm, np.logical_xor})
_TRUTHS = frozenset({np.logical_and, np.logical_or, np.logical_xor})


def full_name(ufunc):
    """The name of a ufunc in messages: with its module, if that is NumPy."""
    name = ufunc.__name__
    return f"numpy.{name}" if getattr(np, name, None) is ufunc else f"the ufunc {name}"


def call_method(ufunc, fun, method, inputs, kwargs):
    """`ufunc.method(*inputs, **kwargs)`, where `fun` computes the ufunc on traced values."""
    if fun is None or method not in _METHODS or method != "at" and (ufunc.nin, ufunc.nout, ufunc.signature) != (
            2, 1, None):
        raise RuleError(f"{full_name(ufunc)}.{method} is not supported on traced values; write it with functions "
                        f"of covector.numpy{at_user_line()}")
    return _METHODS[method](ufunc, fun, *inputs, **kwargs)


def _cast(ufunc, x, dtype, out):
    """`x` as an array or tracer in the dtype that the ufunc folds in; `out=` is refused."""
    if any(v is not None for v in (out if isinstance(out, tuple) else (out,))):
        raise RuleError(f"{full_name(ufunc)} of traced values does not write into out=; use the value it returns, "
                        f"or assign it: buffer[...] = value{at_user_line()}")
    x = x if hasattr(x, "dtype") else np.asarray(x)
    if dtype is not None:
        return selection.astype(x, dtype)
    if ufunc in _TRUTHS:
        return x if x.dtype == np.bool_ else x != 0
    try:
        plain = ufunc(np.ones(1, x.dtype), np.ones(1, x.dtype)).dtype
    except TypeError as error:
        raise DtypeError(f"{full_name(ufunc)} is not defined on values of dtype {x.dtype}; cast them before with "
                         f".astype(...){at_user_line()}") from error
    if plain == np.bool_ != x.dtype:
        raise DtypeError(f"{full_name(ufunc)} compares, and its truth values cannot be folded with values of dtype "
                         f"{x.dtype}; reduce the comparison with np.all or np.any{at_user_line()}")
    return x if plain == x.dtype or ufunc in (np.add, np.multiply) else selection.astype(x, plain)


def check_cast(ufunc, have, want, casting):
    """Raise where NumPy would not cast an operand to the `dtype=` asked for; so no derivative is cast away unseen."""
    if not np.can_cast(have, want, casting):
        raise DtypeError(f"{full_name(ufunc)} was asked for dtype={want}, to which {have} is not cast by "
                         f"casting={casting!r}; cast before with .astype({want}){at_user_line()}")


def _reduce(ufunc, fun, x, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    x = _cast(ufunc, x, dtype, out)
    prim = _REDUCTIONS.get(ufunc)
    if prim is not None:
        return reduce_prim(prim, x, axis, keepdims, dtype, None, initial, where)
    if where is not True:
        raise RuleError(f"{full_name(ufunc)}.reduce of traced values does not take where=; choose with "
                        f"np.where(mask, x, neutral) before{at_user_line()}")
    axes = () if not x.ndim and axis in (0, -1) else normal_axes(axis, x.ndim)
    if len(axes) > 1 and ufunc not in _ASSOCIATIVE:
        raise ValueError(f"{full_name(ufunc)}.reduce depends on the order, so it takes one axis, but got {axes}; "
                         f"reduce them one by one{at_user_line()}")
    ans, first = x, initial is not None and initial is not np._NoValue
    # From the last axis: folding one leaves the numbers of those before it as they are.
    for k in sorted(axes, reverse=True):
        if first:  # the initial value comes before all others
            shape = tuple(1 if i == k else n for i, n in enumerate(ans.shape))
            ans = shaping.concatenate(shaping.broadcast_to(_as_operand(initial, x.dtype), shape), ans, axis=k)
            first = False
        ans = _fold(ufunc, fun, ans, k)
    if first:
        ans = fun(_as_operand(initial, x.dtype), ans)
    if flag(keepdims):
        ans = shaping.reshape(ans, tuple(1 if k in axes else n for k, n in enumerate(x.shape)))
    return ans


def _as_operand(value, dtype):
    return selection.astype(value, dtype) if isinstance(value, Tracer) else np.asarray(value, dtype)


def _fold(ufunc, fun, x, axis):
    """`x` folded along one axis."""
    n = x.shape[axis]
    if not n:
        if ufunc.identity is None:
            raise ValueError(f"{full_name(ufunc)}.reduce of no elements is undefined, for shape {x.shape} and "
                             f"axis {axis}; give initial=, or check the size before{at_user_line()}")
        return np.full((*x.shape[:axis], *x.shape[axis + 1 :]), ufunc.identity, x.dtype)
    if ufunc not in _ASSOCIATIVE:
        return indexing.index(_running(ufunc, fun, x, axis), (slice(None),) * axis + (n - 1,))
    while n > 1:
        half = n // 2
        both = fun(shaping.slice_axis(x, axis, 0, half), shaping.slice_axis(x, axis, half, 2 * half))
        x = both if n == 2 * half else shaping.concatenate(both, shaping.slice_axis(x, axis, n - 1, n), axis=axis)
        n -= half
    return indexing.index(x, (slice(None),) * axis + (0,))


def _running(ufunc, fun, x, axis):
    """`x` folded up to each place: as one operation where the ufunc is a primitive, else part by part."""
    prim = REGISTRY.get(ufunc.__name__)
    if prim is not None and prim.lower is ufunc:
        return running.accumulate(x, axis=axis, of=prim.name)
    parts = [indexing.index(x, (slice(None),) * axis + (k,)) for k in range(x.shape[axis])]
    for k in range(1, len(parts)):
        parts[k] = fun(parts[k - 1], parts[k])
    return shaping.stack(*parts, axis=axis)


def _accumulate(ufunc, fun, x, axis=0, dtype=None, out=None):
    x = _cast(ufunc, x, dtype, out)
    if not x.ndim:
        raise TypeError(f"{full_name(ufunc)}.accumulate runs along an axis, but got a number; reshape it to (1,)"
                        f"{at_user_line()}")
    if axis is None and x.ndim > 1:
        raise ValueError(f"{full_name(ufunc)}.accumulate runs along one axis, but got axis=None for shape "
                         f"{x.shape}; name an axis, or ravel before{at_user_line()}")
    axis = normal_axis(0 if axis is None else axis, x.ndim)
    if ufunc in _ACCUMULATIONS:
        return in_dtype(_ACCUMULATIONS[ufunc](x, axis), dtype)
    if not x.shape[axis]:
        return x
    return _running(ufunc, fun, x, axis)


def _reduceat(ufunc, fun, x, indices, axis=0, dtype=None, out=None):
    x = _cast(ufunc, x, dtype, out)
    axis = normal_axis(axis, x.ndim)
    starts = np.asarray(indices)
    n = x.shape[axis]
    if starts.ndim != 1 or starts.size and starts.dtype.kind not in "iub":
        raise TypeError(f"{full_name(ufunc)}.reduceat takes a vector of integers, but got dtype {starts.dtype} and "
                        f"shape {starts.shape}; cast it with .astype(int){at_user_line()}")
    starts = starts.astype(np.intp)
    if starts.size and not (0 <= starts.min() and starts.max() < n):
        raise IndexError(f"{full_name(ufunc)}.reduceat needs indices from 0 to {n - 1} of axis {axis}, but got "
                         f"{starts.tolist()}; clip them{at_user_line()}")
    parts = []
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), n]):
        part = shaping.slice_axis(x, axis, start, max(stop, start + 1))
        parts.append(_reduce(ufunc, fun, part, axis, dtype, None, True))
    if parts:
        return shaping.concatenate(*parts, axis=axis) if len(parts) > 1 else parts[0]
    none = tuple(0 if k == axis else size for k, size in enumerate(x.shape))
    return _reduce(ufunc, fun, np.ones((*none[:axis], 1, *none[axis + 1 :]), x.dtype), axis)[
        (slice(None),) * axis + (None,)][(slice(None),) * axis + (slice(0),)]


def _outer(ufunc, fun, x, y, dtype=None, out=None):
    _cast(ufunc, np.ones(1), float, out)
    x, y = map(selection.as_array, (x, y))
    if dtype is not None:
        for v in (x, y):
            check_cast(ufunc, v.dtype, np.dtype(dtype), "same_kind")
        x, y = (selection.astype(v, dtype) for v in (x, y))
    return fun(x.reshape((*x.shape, *(1,) * y.ndim)), y)


def _at(ufunc, fun, target, index, *values):
    """Duplicate places are met one after the other; only sums of them can be taken at once."""
    value = values[0] if values else None
    if not isinstance(target, Tracer):
        raise ConversionError(f"{full_name(ufunc)}.at was asked to write a traced value into a plain array, which "
                              f"would drop its derivative; use covector.numpy.at(x)[index].add(value), or start "
                              f"from covector.numpy.zeros(shape), numpy.zeros_like(t){at_user_line()}")
    if isinstance(index, Tracer) and ufunc is not np.add:
        raise ConversionError(f"{full_name(ufunc)}.at needs concrete indices, but got traced ones "
                              f"({index.aval!r}); use np.where, or np.add.at{at_user_line()}")
    buffer = target if type(target) is Buffer else become_buffer(target)
    if values:
        if not isinstance(value, Tracer) and buffer.dtype.kind in "iu" and np.any(np.asarray(value) % 1):
            raise DtypeError(f"{full_name(ufunc)}.at of fractions ({np.asarray(value).dtype}) on an array of dtype "
                             f"{buffer.dtype} would cut off those of the results, one by one; make the array floating, "
                             f"or round the values before{at_user_line()}")
        value = cast_for_write(buffer, value)
    if ufunc in (np.add, np.subtract) and buffer.dtype != np.bool_:
        value = -value if ufunc is np.subtract else value
        buffer.assign(lambda x: indexing.update(x, index, value, add=True), value)
        return
    places = np.arange(buffer.size).reshape(buffer.shape)[index]
    if values:
        value = value if hasattr(value, "dtype") else np.asarray(value)
        value = shaping.reshape(shaping.broadcast_to(value, places.shape), (places.size,))
    places = places.reshape(-1)
    turns = turn_numbers(places)

    def update(x):
        for turn in range(turns.max(initial=-1) + 1):
            chosen = np.flatnonzero(turns == turn)
            key = np.unravel_index(places[chosen], x.shape) if x.ndim else ...
            part = indexing.index(x, key)
            new = fun(part, value[chosen]) if values else fun(part)
            new = new if x.ndim else shaping.reshape(new, ())
            x = indexing.update(x, key, cast_for_write(x, new) if isinstance(new, Tracer) else new.astype(x.dtype))
        return x

    buffer.assign(update, value)


_METHODS = {"reduce": _reduce, "accumulate": _accumulate, "reduceat": _reduceat, "outer": _outer, "at": _at}
