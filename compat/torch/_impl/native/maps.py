"""Values of a vmap in native code: the tensor of all examples below one, and a value over such a tensor."""

from .language.words import NULL, Borrowed, Int, Object, PyTuple_GetItem, Taken, context, inline
from .objects import OTHERS, is_tensor, tensor_of
from .things import FAST, GENERAL, MODES, Tensor


def under(t: Object) -> Borrowed:
    """The tensor below a value of the innermost vmap where nothing else is in force; else null. Some mode is."""
    if type(t) is not Tensor:
        return NULL
    m = context(MODES)
    if m is None:
        return NULL
    inner = m.level_map
    if inner is None or inner is not t.level_trace or m.without is None:
        return NULL
    if PyTuple_GetItem(m.without, 0) is not None:
        return NULL
    return t.value


@inline
def taken_of(t: Object, now: Int) -> Borrowed:
    """What a lane of views takes: the tensor itself, or, where its mode is another, that below a value of the vmap."""
    return t if now < OTHERS else under(t)


def below(t: Object) -> Borrowed:
    """The same, where it is a plain tensor without history."""
    x = under(t)
    if x is NULL:
        return NULL
    if is_tensor(x) and x.dispatch_key is FAST and x.node is None and x.wants_grad is False:
        return x
    return NULL


def lifted(t: Taken, trace: Object) -> Object:
    """The value of the innermost vmap over a tensor; the tensor itself where there is no vmap."""
    if trace is NULL:
        return t
    out = tensor_of(t, None, None, GENERAL)
    out.level_trace = trace
    return out
