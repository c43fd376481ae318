"""`pad` in every mode of NumPy's, functions of the user's among them."""

import operator
from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import selection, shaping
from ..core.ops.linalg import products
from ..core.trace.buffers import make_buffer
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer
from . import reductions
from .creation import linspace
from .indexing import take
from .order_statistics import median
from .surface import Array, array_beside, array_of, implements, traced_inside

_OPTIONS: dict[str, dict[str, Any]] = {
    "constant": {"constant_values": 0}, "empty": {}, "edge": {}, "wrap": {}, "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"}, "linear_ramp": {"end_values": 0}, "maximum": {"stat_length": None},
    "minimum": {"stat_length": None}, "mean": {"stat_length": None}, "median": {"stat_length": None},
}  # fmt: skip
_STATISTICS: dict[str, Any] = {
    "maximum": reductions.max, "minimum": reductions.min, "mean": reductions.mean, "median": median}


@implements(np.pad)
def pad(array: Array, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Array:
    array = array_of(array)
    if callable(mode):
        return _by_function(array, _widths(pad_width, array.ndim), mode, kwargs)
    options = _OPTIONS.get(mode)
    if options is None or set(kwargs) - set(options):
        raise ValueError(f"pad supports the modes {', '.join(_OPTIONS)}, each with its own options, but got "
                         f"mode={mode!r}"
                         f"{''.join(f', {k}=' for k in kwargs)}; choose one, and its options{at_user_line()}")
    widths = _widths(pad_width, array.ndim)
    if mode == "empty" or mode == "constant" and not kwargs:
        return shaping.pad(array, widths) if any(map(any, widths)) else views.copied(array)
    if not any(map(any, widths)):
        return views.copied(array)
    value = {**options, **kwargs}
    for axis, width in enumerate(widths):
        if any(width):
            array = _padded(array, axis, width, mode, value)
    return array


def _by_function(x: Array, widths: tuple, write: Any, options: dict) -> Array:
    """`x` between zeros, into which `write(vector, width, axis, options)` writes, vector after vector, axis after axis.

    Each vector is a buffer of its own: what one call writes, the calls of later axes read.
    """
    x = shaping.pad(x, widths) if any(map(any, widths)) else x
    for axis, width in enumerate(widths):
        moved = methods.swapaxes(x, axis, -1)
        rows = methods.reshape(moved, (-1, moved.shape[-1]))
        vectors = [make_buffer(rows[k]) for k in range(rows.shape[0])]
        for vector in vectors:
            write(vector, width, axis, options)
        if vectors:
            x = methods.swapaxes(methods.reshape(shaping.stack(*vectors, axis=0), moved.shape), axis, -1)
    return x


def _widths(pad_width: Any, rank: int) -> tuple:
    if isinstance(pad_width, dict):
        pairs: Any = [(0, 0)] * rank
        for k, width in pad_width.items():
            pairs[methods.normal_axis(k, rank)] = (width, width) if np.ndim(width) == 0 else width
    else:
        pairs = np.broadcast_to(np.asarray(pad_width), (rank, 2)).tolist()
    widths = tuple((operator.index(before), operator.index(after)) for before, after in pairs)
    if any(n < 0 for pair in widths for n in pair):
        raise ValueError(f"pad needs nonnegative widths, but got {pad_width}; "
                         f"cut with a slice instead{at_user_line()}")
    return widths


def _padded(x: Array, axis: int, width: tuple, mode: str, value: dict) -> Array:
    """`x` padded along one axis."""
    n = x.shape[axis]
    if mode not in ("constant", "linear_ramp") and mode not in _STATISTICS:
        extend: Any = np.pad  # its overloads know the modes as literals
        if value.get("reflect_type") == "odd" and n > 1:
            return _applied(extend(np.eye(n), (width, (0, 0)), mode=mode, reflect_type="odd"), x, axis)
        places = extend(np.arange(n), width, mode=mode)
        return take(x, constant(places, x), axis)
    if mode == "constant":
        ends = [_block(v, x, axis, w) for v, w in zip(_pair(value["constant_values"], x, axis), width)]
    elif not n:
        raise ValueError(f"pad cannot extend axis {axis} of length 0 in mode {mode!r}; "
                         f"use mode='constant'{at_user_line()}")
    elif mode == "linear_ramp":
        edges = [methods.squeeze(shaping.slice_axis(x, axis, k, k + 1), axis) for k in (0, n - 1)]
        ends = [linspace(v, edge, w, False, dtype=x.dtype, axis=axis)
                for v, edge, w in zip(_pair(value["end_values"], x, axis), edges, width)]
        ends[1] = shaping.flip(ends[1], axes=(axis,))
    else:
        ends = []
        for side, (length, w) in enumerate(zip(_pair(value["stat_length"], x, axis), width)):
            length = n if length is None else min(n, operator.index(length))
            if length < 0:
                raise ValueError(f"pad needs a nonnegative stat_length, but got {value['stat_length']}; give "
                                 f"a number of values, or None for all{at_user_line()}")
            start = n - length if side else 0
            end = _STATISTICS[mode](shaping.slice_axis(x, axis, start, start + length), axis=axis, keepdims=True)
            ends.append(_block(selection.rint(end) if x.dtype.kind in "iu" else end, x, axis, w))
    return shaping.concatenate(ends[0], x, ends[1], axis=axis)


def _pair(value: Any, x: Array, axis: int) -> tuple:
    """The values for both sides of one axis, from a value given once, as a pair, or by axis."""
    if value is None or not isinstance(value, (list, tuple)) and not np.ndim(value):
        return value, value
    if not isinstance(value, Tracer) and not traced_inside(value):
        pairs = np.broadcast_to(np.asarray(value), (x.ndim, 2))
        return pairs[axis, 0].item(), pairs[axis, 1].item()
    rows = array_beside(value, x)
    rows = shaping.broadcast_to(rows, (x.ndim, 2))
    return rows[axis, 0], rows[axis, 1]


def _block(value: Any, x: Array, axis: int, width: int) -> Array:
    """`value` in the dtype of `x`, `width` times along `axis`."""
    value = array_beside(value, x)
    value = value if value.dtype == x.dtype else selection.astype(value, x.dtype)
    return shaping.broadcast_to(value, tuple(width if k == axis else n for k, n in enumerate(x.shape)))


def _applied(matrix: Any, x: Array, axis: int) -> Array:
    """A matrix applied along one axis."""
    moved = methods.swapaxes(x, axis, -1)
    ans = products.matmul(moved, constant(matrix.T.astype(x.dtype), x))
    return methods.swapaxes(ans, axis, -1)
