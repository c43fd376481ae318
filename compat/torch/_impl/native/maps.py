"""Values of a vmap in native code: the tensor of all examples below one, and a value over such a tensor."""

from .histories import unrecorded
from .language.words import NULL, Borrowed, Object, PyTuple_GetItem, Taken
from .objects import tensor_of
from .things import GENERAL, Tensor


def under(t: Object, m: Object) -> Borrowed:
    """The tensor below a value of the innermost vmap of modes where nothing else is in force; else null."""
    if type(t) is not Tensor or m is None:
        return NULL
    inner = m.level_map
    if inner is None or inner is not t.level_trace or m.without is None:
        return NULL
    if PyTuple_GetItem(m.without, 0) is not None:
        return NULL
    return t.value


def below(t: Object, m: Object) -> Borrowed:
    """The same, where it is a plain tensor without history."""
    x = under(t, m)
    if x is NULL:
        return NULL
    return x if unrecorded(x) else NULL


def lifted(t: Taken, trace: Object) -> Object:
    """The value of the innermost vmap over a tensor; the tensor itself where there is no vmap."""
    if trace is NULL:
        return t
    out = tensor_of(t, None, None, GENERAL)
    out.level_trace = trace
    return out
