"""Values of levels of `func` in native code: where a lane finds what is plain below one, and the nodes of such values.

A lane takes ambient tensors; values of the innermost vmap (`maps.py`); and those of the innermost level of gradients,
where that is the only one and all is recorded, over plain memory without history.
"""

from .histories import exposed, unrecorded, untouched, version
from .language.words import (
    NULL,
    Bool,
    Borrowed,
    Int,
    Object,
    PyLong_AsSsize_t,
    PyTuple_GetItem,
    PyTuple_Size,
    context,
    inline,
)
from .maps import under
from .objects import OTHERS, edge, has_history, numpy_array
from .things import MODES, Tensor, renewed

HERE, MAPPED, RAISED, ELSEWHERE = range(4)  # where what a lane takes is: the tensor itself, below one, or nowhere


def running(m: Object) -> Borrowed:
    """The innermost level of gradients of modes where nothing but it and the ambient one is in force, and both record.

    Null elsewhere.
    """
    if m is None:
        return NULL
    inner = m.quick
    if inner is None:
        return NULL
    lower = m.lower
    if PyTuple_Size(lower) != 1:
        return NULL
    if PyTuple_GetItem(PyTuple_GetItem(lower, 0), 1) is not True:
        return NULL
    return inner


def of_level(t: Object, trace: Object) -> Bool:
    """Tell whether a tensor is a value of a level over such a one, and neither it nor what it is a view of has a
    tangent."""
    if type(t) is not Tensor:
        return False
    if t.level_trace is not trace:
        return False
    meta = t.autograd_meta
    if meta is not None and not untouched(meta):
        return False
    b = t.value
    if not unrecorded(b):
        return False
    x = numpy_array(b)
    if x is NULL:
        return False
    if exposed(x):
        return False
    if meta is None:
        return True
    if meta.forward_base is not None or meta.creation is not None:
        return False
    if meta.inference is not False:
        return False
    base = meta.base
    return base is None or untouched(base.autograd_meta)


def standing(t: Object, now: Int) -> Int:
    """Where a lane of views finds what it takes."""
    if now < OTHERS:
        return HERE
    m = context(MODES)
    trace = running(m)
    if trace is NULL:
        return ELSEWHERE if under(t, m) is NULL else MAPPED
    return RAISED if of_level(t, trace) else ELSEWHERE


@inline
def taken_of(t: Object, where: Int) -> Borrowed:
    """What it takes."""
    return t if where == HERE else t.value


def level_edge(t: Object) -> Object:
    """The node of a value `of_level`; None where it has no history."""
    meta = t.autograd_meta
    if meta is None:
        return edge(t)
    base = meta.base
    if base is None:
        return edge(t)
    known = t.node
    if known is None:
        if t.wants_grad is False and not has_history(base):
            return None
    elif version(t.value.value) == PyLong_AsSsize_t(meta.attr_version):
        return known
    return renewed(t)


def level_array(t: Object, trace: Object) -> Borrowed:
    """The array of an operand at a level: of a value `of_level`, or of an `unrecorded` tensor; else null."""
    if of_level(t, trace):
        return numpy_array(t.value)
    return numpy_array(t) if unrecorded(t) else NULL


def operand_edge(t: Object, trace: Object) -> Object:
    """The node of such an operand."""
    return level_edge(t) if t.level_trace is trace else None
