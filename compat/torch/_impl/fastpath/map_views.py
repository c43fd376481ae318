"""Views of values of the innermost vmap, and writes to them: the same one level down, on all examples.

There the examples lie along the first axis, which a basic index passes over. Each function returns None, or False for a
write, for what it does not take.
"""

from ..modes.modes import MODES
from ..types.number_cache import EXACT, FLOATS
from ..types.tensor_type import Tensor, at_level
from ..types.tensor_value import shape_dtype

EVERY = slice(None)


def seen(t, fun, *args):
    """The view of a value of the innermost vmap that `fun` takes of the tensor below."""
    m = MODES.get()
    if m is None or m.mapped is None or type(t) is not Tensor or t.level_trace is not m.mapped:
        return None
    try:
        MODES.set(m.without[0] if m.without is not None else m.under())
        out = fun(t.value, *args)
    finally:
        MODES.set(m)
    return None if out is None else at_level(m.mapped, out)


def written(t, other, m, fun, *index):
    """Tell whether `fun(below, *index, other)` wrote to all examples at once; `index` is a basic key or left out.

    A tensor beside it has to be a value of the same vmap whose examples have the shape of what is written to.
    """
    trace = m.mapped
    if type(t) is not Tensor or t.level_trace is not trace:
        return False
    kind = type(other)
    if kind is Tensor:
        if other.level_trace is not trace:
            return False
        other = other.value
        shape, dtype = shape_dtype(t.value)
        given, given_dtype = shape_dtype(other)
        if given_dtype is not dtype or dtype not in FLOATS or not index and given != shape:
            return False
    elif not (kind is float or kind is int and -EXACT <= other <= EXACT):
        return False
    if index:
        key = index[0]
        index = ((EVERY, *key) if type(key) is tuple else (EVERY, key),)
    try:
        MODES.set(m.without[0] if m.without is not None else m.under())
        return fun(t.value, *index, other) is not False
    finally:
        MODES.set(m)
