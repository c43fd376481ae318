"""Lanes of views by basic indices in native code.

They do what `read`, `indexed` and `parted` of view_lanes.py do, and give None for all else. Arrays are asked of NumPy.
"""

from .language.words import (
    GETITEM,
    NULL,
    SELECT,
    Bool,
    Int,
    Object,
    PyDict_GetItemWithError,
    PyLong_AsLongLongAndOverflow,
    PyObject_GetItem,
    PySequence_Concat,
    PyTuple_GetItem,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Size,
    aliased,
    attempt,
    every,
    inserted,
    lane,
    own,
    picked,
    place,
    selected,
    sliced,
    words,
)
from .levels import ELSEWHERE, HERE, MAPPED, RAISED, level_edge, standing, taken_of
from .objects import RECORDING, edge, hooked_mode, mode, node
from .shape_lanes import integer
from .things import aval_of
from .views import indexed, seen_part, way


def within(k: Object, length: Int) -> Bool:
    """Tell whether an int is an index of an axis."""
    over = words(1)
    over[0] = 0
    n = PyLong_AsLongLongAndOverflow(k, over)
    return over[0] == 0 and n >= -length and n < length


def simple(key: Object) -> Bool:
    """Tell whether a slice has ints or nothing for ends, and steps forward."""
    start = key.slice_start
    stop = key.slice_stop
    step = key.slice_step
    if step is not None:
        if type(step) is not int:
            return False
        if integer(step) <= 0:
            return False
    return (start is None or type(start) is int) and (stop is None or type(stop) is int)


@lane
def quick_read(t, key):
    """The view by a basic key."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    a = taken_of(t, where)
    front = 1 if where == MAPPED else 0
    now = now if where == HERE else RECORDING
    its_way = way(a, now)
    if its_way == 0:
        return None
    x = a.value
    kind = type(key)
    is_int = kind is int
    if is_int or kind is slice:
        if x.rank <= front:
            return None
        if is_int:
            if not within(key, x.dims[front]):
                return None
        elif not simple(key):
            return None
        rule = selected if is_int else sliced
        if front != 0:
            index = (every, key, Ellipsis)
            return indexed(t, where, its_way, now, index, rule, index)
        index = (key, Ellipsis)
        spot = (key,) if is_int else index
        return indexed(t, where, its_way, now, index, rule, spot)
    if key is Ellipsis:
        index = (key,)
        return indexed(t, where, its_way, now, index, aliased, index)
    if key is None:
        index = (key, Ellipsis) if front == 0 else (every, key, Ellipsis)
        return indexed(t, where, its_way, now, index, inserted, index)
    if kind is not tuple:
        return None
    given = own(key) if front == 0 else PySequence_Concat((every,), key)
    placed = place(given, x.shape)
    if placed is None:
        return None
    rule = PyDict_GetItemWithError(SELECT, PyTuple_GetItem(placed, 1))
    return indexed(t, where, its_way, now, PyTuple_GetItem(placed, 0), rule, PyTuple_GetItem(placed, 2))


@lane
def quick_index(t, index, title):
    """The view by an index that ends with an Ellipsis, and the name of its node."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    now = now if where == HERE else RECORDING
    its_way = way(taken_of(t, where), now)
    if its_way == 0:
        return None
    given = own(index) if where != MAPPED else PySequence_Concat((every,), index)
    return indexed(t, where, its_way, now, given, PyDict_GetItemWithError(SELECT, title), given)


@lane
def quick_parts(t, indices, rule):
    """The views by a tuple of indices, as outputs of a node with a rule, in a tuple."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    a = taken_of(t, where)
    now = now if where == HERE else RECORDING
    its_way = way(a, now)
    if its_way == 0:
        return None
    x = own(a.value)
    whole = None
    rules = None
    if now == RECORDING:
        p = level_edge(t) if where == RAISED else edge(a)
        if p is not None:
            if where == MAPPED:
                return None
            whole = node(rule, p, (aval_of(x), indices))
            rules = picked(indices)
    n = PyTuple_Size(indices)
    out = PyTuple_New(n)
    for k in range(n):
        index = own(PyTuple_GetItem(indices, k))
        if where == MAPPED:
            index = PySequence_Concat((every,), index)
        array = attempt(PyObject_GetItem(x, index))
        if array is NULL:
            return None
        picks = NULL
        if rules is not None:
            picks = PyTuple_GetItem(rules, k)
        PyTuple_SetItem(out, k, seen_part(t, where, its_way, now, array, (GETITEM, (index,)), whole, picks))
    return out
