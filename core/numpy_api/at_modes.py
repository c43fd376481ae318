"""Out-of-bounds modes of `x.at[index]` (`mode=`)."""

import numpy as np

from ..checks import one_of
from ..ops import selection, shaping
from ..ops.indexing import indexing
from ..trace.device import constant
from ..trace.tracer import Tracer, concrete

_MODES = ("promise_in_bounds", "clip", "drop", "fill")


def clipped(shape, key):
    """The index with each integer outside moved to the nearest end of its axis."""
    return _with_places(shape, key, lambda i, n: selection.minimum(selection.maximum(_counted(i, n), 0), n - 1))


def padded(x, key, filler):
    """`(flat, places)`: `x` laid out flat with `filler` at its end, and the place there of each one the index names."""
    table = np.pad(np.arange(x.size).reshape(x.shape), [(0, 1)] * len(x.shape), constant_values=x.size)

    def place(i, n):
        i = _counted(i, n)
        return selection.where(selection.bitwise_or(i < 0, i >= n), n, i)

    places = indexing.index(constant(table, x), _with_places(x.shape, key, place))
    last = selection.as_array(np.full(1, filler, x.dtype))
    return shaping.concatenate(shaping.reshape(x, (x.size,)), constant(last, x), axis=0), places


def filler_of(dtype):
    """The value read at a place outside: NaN, the least integer, or the largest where none is negative."""
    if dtype.kind in "fc":
        return np.nan
    return True if dtype.kind == "b" else np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max


def check_mode(mode):
    one_of(mode, ".at[…] with mode", _MODES)


def _counted(i, n):
    """Positions of which negative ones were counted from the end."""
    return selection.where(i < 0, i + n, i)


def _with_places(shape, key, place):
    """The index with `place(integers, length of their axis)` for integers, and slices that name their ends."""
    parts = list(key) if type(key) is tuple else [key]
    parts = [p if p is None or p is Ellipsis or isinstance(p, slice | Tracer) else np.asarray(p) for p in parts]
    parts = [q for p in parts for q in _without_masks(p)]
    taken = sum(p is not None and p is not Ellipsis for p in parts)
    if not any(p is Ellipsis for p in parts):
        parts.append(Ellipsis)
    found, axis = [], 0
    for p in parts:
        if p is None:
            found.append(p)
        elif p is Ellipsis:
            rest = max(len(shape) - taken, 0)
            found += [slice(0, n) for n in shape[axis : axis + rest]]
            axis += rest
        elif axis >= len(shape):
            return key  # too many: indexing says so
        elif isinstance(p, slice):
            start, stop, step = p.indices(shape[axis])
            found.append(slice(start, None if stop < 0 else stop, step))
            axis += 1
        else:
            found.append(place(p, shape[axis]))
            axis += 1
    return tuple(found)


def _without_masks(part):
    """Truth values as the positions of those that hold, which have to be known."""
    if getattr(part, "dtype", None) != np.bool_:
        return [part]
    return np.nonzero(concrete(part, ".at[…] with mode="))
