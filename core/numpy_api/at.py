"""`x.at[index]`: functional indexed updates; a repeated index is updated repeatedly."""

import operator

import numpy as np

from ..arrays.avals import aval_of
from ..checks import check_function, one_of
from ..errors import ConversionError, at_user_line
from ..ops import selection, shaping
from ..ops.indexing import indexing
from ..ops.indexing.plans import is_basic, plan_index
from ..primitive.primitive import REGISTRY
from ..trace.device import constant
from ..trace.tracer import Tracer, concrete, is_concrete


class At:
    """`at(x)[index].set(v)` and friends: indexed updates that give a new array; of a traced `x` also `x.at[index]`.

    `.get()` reads; `.set(v)`, `.add(v)`, `.subtract(v)`, `.multiply(v)` (also `.mul`), `.divide(v)`, `.power(v)`,
    `.min(v)`, `.max(v)` write; `.apply(f)` writes `f` of what is there. A place that the index names twice is written
    to twice: values add up in `.add`, multiply in `.multiply` and so on; in `.set` the last one wins. Where the index
    is traced, `.multiply`, `.divide`, `.power` and `.apply` cannot know, and need `unique_indices=True`.
    An integer out of bounds raises; with `mode="clip"` it stands for the nearest place, with `mode="drop"` or "fill"
    it is written to nowhere and reads as `fill_value` (NaN where that is not given, the extreme of integers).
    `At(x)` is the same for plain arrays, which have no `.at`.

    >>> import numpy as np
    >>> from covector._primitives import At
    >>> At(np.zeros(3))[np.array([0, 0])].add(1.0)
    array([2., 0., 0.])
    """

    __slots__ = ("x", "key")

    def __init__(self, x, key=None):
        self.x = x
        self.key = key

    def __getitem__(self, key):
        return At(self.x, key)

    def get(self, *, unique_indices=False, indices_are_sorted=False, mode=None, fill_value=None):
        if mode is not None:
            return self._in_mode(mode, "get", fill_value)
        return indexing.index(self.x, self.key)

    def set(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        if mode is not None:
            return self._in_mode(mode, "set", value)
        return indexing.update(self.x, self.key, value)

    def add(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        if mode is not None:
            return self._in_mode(mode, "add", value)
        return indexing.update(self.x, self.key, value, add=True)

    def subtract(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        return self.add(-value, mode=mode)

    def multiply(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        return self._write("multiply", operator.mul, value, unique_indices, mode)

    mul = multiply

    def divide(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        return self._write("divide", operator.truediv, value, unique_indices, mode)

    def power(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        return self._write("power", operator.pow, value, unique_indices, mode)

    def min(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        if mode is not None:
            return self._in_mode(mode, "min", value, unique_indices)
        if not unique_indices and repeated(self.x, self.key) is not False:
            return extreme(self.x, self.key, value, largest=False)
        return self.set(selection.minimum(self.get(), value))

    def max(self, value, *, unique_indices=False, indices_are_sorted=False, mode=None):
        if mode is not None:
            return self._in_mode(mode, "max", value, unique_indices)
        if not unique_indices and repeated(self.x, self.key) is not False:
            return extreme(self.x, self.key, value, largest=True)
        return self.set(selection.maximum(self.get(), value))

    def apply(self, f, *, unique_indices=False, indices_are_sorted=False, mode=None):
        check_function(f, ".at[…].apply", "give a function of the elements")
        return self._write("apply", f, None, unique_indices, mode)

    def _in_mode(self, mode, name, value, unique=False):
        """The method `name` where the index may lie outside of `x`; `value` of "get" is what is read there."""
        check_mode(mode)
        x = selection.as_array(self.x)
        if mode == "promise_in_bounds" or mode == "clip":
            inside = At(x, self.key if mode == "promise_in_bounds" else clipped(x.shape, self.key))
            return inside.get() if name == "get" else getattr(inside, name)(value, unique_indices=unique)
        if name == "get":
            return indexing.index(*padded(x, self.key, filler_of(x.dtype) if value is None else value))
        # One place behind the end takes what is dropped, and is cut off again: no branch on a traced index.
        flat, places = padded(x, self.key, 0)
        ans = getattr(At(flat, places), name)(value, unique_indices=unique)
        return shaping.reshape(indexing.index(ans, slice(0, x.size)), tuple(x.shape))

    def _write(self, name, fun, value, unique, mode):
        """`fun` of what is there and of `value`, written; in turn where a place is named more than once."""
        if mode is not None:
            return self._in_mode(mode, name, fun if value is None else value, unique)
        again = not unique and repeated(self.x, self.key)
        if again is None:
            raise ConversionError(f".at[…].{name} writes once for each time that the index names a place, but got a "
                                  f"traced index that may name one twice; give unique_indices=True where each place is "
                                  f"named once, or make the index an argument that is not transformed{at_user_line()}")
        if again:
            return in_turn(self.x, self.key, fun, value)
        return self.set(fun(self.get()) if value is None else fun(self.get(), value))


def repeated(x, key):
    """Tell whether `key` names a place of `x` more than once; None where that is not known here."""
    # Slices and masks name each place at most once, so nothing has to be looked at.
    if is_basic(key) or isinstance(key, Tracer) and key.dtype.kind == "b" and not is_concrete(key):
        return False
    plan = plan_index(aval_of(x), key)
    if plan.index.size < 2:
        return False
    if isinstance(plan.index, Tracer) and not is_concrete(plan.index):
        return None
    inner = plan.inner if plan.axes is None else [plan.inner[a] for a in plan.axes]
    places = concrete(plan.index, "at") % (inner if plan.merged is None else plan.merged)[plan.axis]
    return np.unique(places).size < places.size


def in_turn(x, key, fun, value=None):
    """`x` with `fun(x[key], value)` at `key`; at a place named again, `fun` takes what it gave there before."""
    places, value = concrete(_flat_places(x, key), "at"), _flat_value(x, key, value)
    ans, turns = _flat(x), turn_numbers(places)
    # As many rounds as the most repeated place has writes, each vectorized over places named once in it.
    for turn in range(turns.max(initial=-1) + 1):
        chosen = np.flatnonzero(turns == turn)
        values = () if value is None else (indexing.index(value, chosen) if np.ndim(value) else value,)
        ans = indexing.update(ans, places[chosen], fun(indexing.index(ans, places[chosen]), *values))
    return shaping.reshape(ans, tuple(x.shape))


def extreme(x, key, value, largest):
    """`x` with the larger (or the smaller) of `x[key]` and each value that is written to a place."""
    x = selection.as_array(x)
    places, value = _flat_places(x, key), _flat_value(x, key, selection.array_beside(x, value))
    value = shaping.broadcast_to(value, tuple(places.shape))
    ans = REGISTRY["scattered_extreme"].fun(_flat(x), value, places, 0, False, largest)
    return shaping.reshape(ans, tuple(x.shape))


def turn_numbers(places):
    """The number of earlier occurrences of each place."""
    order = np.argsort(places, kind="stable")
    run = places[order]
    first = np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else run
    turns = np.empty(places.size, np.intp)
    turns[order] = np.arange(places.size) - np.repeat(first, np.diff(np.append(first, places.size)))
    return turns


def _flat(x):
    return shaping.reshape(x, (x.size,))


def _flat_places(x, key):
    """The positions in `x`, laid out flat, that `key` names."""
    return _flat(indexing.index(constant(np.arange(x.size).reshape(x.shape), x), key))


def _flat_value(x, key, value):
    """A value for each place, laid out flat; a number stands for all of them."""
    if value is None or not np.ndim(value):
        return value
    value = selection.as_array(value)
    shape = indexing.index(constant(np.broadcast_to(0, x.shape), x), key).shape
    extra = value.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.shape[:extra]):
        value = shaping.reshape(value, tuple(value.shape[extra:]))
    return _flat(shaping.broadcast_to(value, tuple(shape)))


# Out-of-bounds modes of `x.at[index]` (`mode=`).

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
