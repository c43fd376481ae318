"""Lanes of views in other shapes in native code: reshaped, axes in another order, broadcast.

They do what `reshaped` and `turned` of view_lanes.py do, and `expand`, and give None for all else.
"""

from .language.words import (
    EXPAND,
    NULL,
    RESHAPE,
    Bool,
    Borrowed,
    Int,
    Object,
    PyLong_AsLongLongAndOverflow,
    PySequence_Concat,
    PyTuple_GetItem,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Size,
    attempt,
    expanded,
    inline,
    lane,
    new,
    own,
    swapped,
    viewed,
    words,
)
from .levels import ELSEWHERE, HERE, MAPPED, standing, taken_of
from .objects import RECORDING, hooked_mode, mode, ordered, root, same_shape
from .things import GENERAL, VIEW, ndarray
from .views import AVAL, PAIR, seen, turned, way

BROADCAST_AXES = 32  # of what is broadcast, at most
LARGEST = (1 << 62) - 1  # of an integer that `integer` reads


@inline
def integer(k: Object) -> Int:
    """The number that an int is; more than LARGEST where that is too large."""
    over = words(1)
    over[0] = 0
    n = PyLong_AsLongLongAndOverflow(k, over)
    return LARGEST + 1 if over[0] != 0 or n > LARGEST else n


def ints(items: Object, least: Int) -> Bool:
    """Tell whether all items of a tuple are ints of at least so much."""
    for k in range(PyTuple_Size(items)):
        x = PyTuple_GetItem(items, k)
        if type(x) is not int:
            return False
        n = integer(x)
        if n < least or n > LARGEST:
            return False
    return True


def sizes_of(given: Object) -> Borrowed:
    """The sizes among arguments, which may be one tuple; null where they are no tuple."""
    if type(given) is not tuple:
        return NULL
    if PyTuple_Size(given) != 1:
        return given
    inner = PyTuple_GetItem(given, 0)
    return inner if type(inner) is tuple else given


@lane
def quick_shape(t, given_sizes):
    """The view in another shape, given as the arguments of `view` are."""
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
    sizes = own(sizes_of(given_sizes))
    if sizes is NULL or not ordered(x):
        return None
    if not ints(sizes, -1):
        return None
    if where == MAPPED:
        examples = x.dims[0]
        if examples <= 0:
            return None
        sizes = PySequence_Concat((examples,), sizes)
    array = attempt(x.reshape(sizes))
    if array is NULL:
        return None
    if same_shape(array, x):  # of axes of one element the strides stay
        array = x.view()
    step = (RESHAPE, (array.shape,))
    return seen(t, where, its_way, now, array, step, viewed, AVAL, NULL)


@lane
def quick_turn(t, axes, rule):
    """The view with all axes in another order, none of them negative."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    a = taken_of(t, where)
    front = 1 if where == MAPPED else 0
    now = now if where == HERE else RECORDING
    its_way = way(a, now)
    if its_way == 0 or type(axes) is not tuple:
        return None
    rank = a.value.rank
    if PyTuple_Size(axes) + front != rank or not ints(axes, 0):
        return None
    order = own(axes)
    if front != 0:
        order = PyTuple_New(rank)
        PyTuple_SetItem(order, 0, 0)
        for k in range(rank - 1):
            PyTuple_SetItem(order, k + 1, integer(PyTuple_GetItem(axes, k)) + 1)
    return turned(t, where, its_way, now, order, rule)


@lane
def quick_swap(t, first, second):
    """The view with two axes exchanged."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    front = 1 if where == MAPPED else 0
    now = now if where == HERE else RECORDING
    its_way = way(taken_of(t, where), now)
    if its_way == 0 or type(first) is not int or type(second) is not int:
        return None
    rank = taken_of(t, where).value.rank - front
    a = integer(first)
    b = integer(second)
    a = a + rank if a < 0 else a
    b = b + rank if b < 0 else b
    if a < 0 or b < 0 or a >= rank or b >= rank:
        return None
    axes = PyTuple_New(rank + front)
    if front != 0:
        PyTuple_SetItem(axes, 0, 0)
    for k in range(rank):
        PyTuple_SetItem(axes, k + front, (b if k == a else a if k == b else k) + front)
    return turned(t, where, its_way, now, axes, swapped)


@lane
def quick_expand(t, given_sizes):
    """The view in a larger shape, given as the arguments of `expand` are."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE:
        return None
    front = 1 if where == MAPPED else 0
    now = now if where == HERE else RECORDING
    its_way = way(taken_of(t, where), now)
    if its_way == 0:
        return None
    x = own(taken_of(t, where).value)
    sizes = own(sizes_of(given_sizes))
    if sizes is NULL or not ordered(x):
        return None
    if not ints(sizes, -1):
        return None
    if front != 0:
        sizes = PySequence_Concat((-1,), sizes)
    n = PyTuple_Size(sizes)
    lead = n - x.rank
    if lead < 0 or n > BROADCAST_AXES or (front != 0 and lead != 0):
        return None
    dims = words(BROADCAST_AXES)
    strides = words(BROADCAST_AXES)
    for k in range(n):
        wanted = integer(PyTuple_GetItem(sizes, k))
        if k < lead:
            if wanted < 0:
                return None
            dims[k] = wanted
            strides[k] = 0
        else:
            length = x.dims[k - lead]
            if wanted >= 0 and wanted != length and length != 1:
                return None
            kept = wanted < 0 or wanted == length
            dims[k] = length if kept else wanted
            strides[k] = x.strides[k - lead] if kept else 0
    array = attempt(new(ndarray, x.descr, n, dims, strides, x.data, 0, NULL))
    if array is NULL:
        return None
    array.array_base = root(x)  # it may not be written to, as all that is broadcast
    step = (EXPAND, (array.shape,))
    return seen(t, where, its_way, now, array, step, expanded, AVAL, NULL)


@lane
def quick_places(t, maker, step, rule, shared):
    """The view that `maker` makes of an array, `step` in its record; of elements that are `shared` between several of
    its own it is left to Python what may be done with it."""
    now = hooked_mode(mode())
    where = standing(t, now)
    if where == ELSEWHERE or where == MAPPED or (where != HERE and shared is not False):
        return None
    now = now if where == HERE else RECORDING
    its_way = way(taken_of(t, where), now)
    if its_way == 0:
        return None
    x = own(taken_of(t, where).value)
    array = attempt(maker(x))
    if array is NULL:
        return None
    out = seen(t, where, its_way, now, array, step, rule, PAIR, PyTuple_GetItem(PyTuple_GetItem(step, 1), 0))
    if shared is not False and out.dispatch_key is VIEW:
        out.dispatch_key = GENERAL
    return out
