"""Writes at places that an index may name more than once: each is met as often as it is named."""

import numpy as np

from ..arrays.avals import aval_of
from ..ops import arithmetic, selection, shaping
from ..ops.indexing import indexing, sorting
from ..ops.indexing.plans import is_basic, plan_index
from ..trace.device import constant
from ..trace.tracer import Tracer, concrete, is_concrete


def repeated(x, key):
    """Whether `key` names a place of `x` more than once; None where that is not known here."""
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
    for turn in range(turns.max(initial=-1) + 1):
        chosen = np.flatnonzero(turns == turn)
        values = () if value is None else (indexing.index(value, chosen) if np.ndim(value) else value,)
        ans = indexing.update(ans, places[chosen], fun(indexing.index(ans, places[chosen]), *values))
    return shaping.reshape(ans, tuple(x.shape))


def extreme(x, key, value, largest):
    """`x` with the larger (or the smaller) of `x[key]` and each value that is written to a place."""
    places, value = _flat_places(x, key), _flat_value(x, key, value)
    flat = _flat(x)
    if np.ndim(value):  # sorted, so that the last value of a place, which stays, is its extreme
        down = arithmetic.negative if value.dtype.kind in "fc" else selection.bitwise_invert
        order = sorting.argsort(value if largest else down(value), 0, "stable")
        order = indexing.index(order, sorting.argsort(indexing.index(places, order), 0, "stable"))
        places, value = (indexing.index(v, order) for v in (places, value))
    choose = selection.maximum if largest else selection.minimum
    ans = indexing.update(flat, places, choose(indexing.index(flat, places), value))
    return shaping.reshape(ans, tuple(x.shape))


def turn_numbers(places):
    """How often each place was met before."""
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
