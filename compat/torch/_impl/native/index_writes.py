"""Writes by basic indices in native code: what `write` and `put` of write_lanes.py do, and `write` of level_writes.py.

None is given for all else, before anything is written.
"""

from .histories import exposed, plain_array
from .index_lanes import within
from .lanes import is_number
from .language.words import (
    BASE,
    BOTH,
    KEEPERS,
    NULL,
    NUMBER,
    VALUE,
    Bool,
    Done,
    Int,
    Object,
    PyObject_GetItem,
    PyObject_SetItem,
    PySequence_Concat,
    PyTuple_GetItem,
    PyTuple_Size,
    attempt,
    context,
    every,
    lane,
    own,
    place,
)
from .levels import level_array, of_level, operand_edge, running
from .maps import under
from .objects import INFERRING, OTHERS, RECORDING, edge, is_tensor, mode, node, numpy_array, root, same_shape
from .shape_lanes import integer
from .things import FAST, INFERENCE, MODES, aval_of, double, ndarray
from .traces import indifferent, note_write

WRITEABLE = 1024  # flag of arrays
EXACT = 1 << 53
LARGE = 1023 + 127  # the exponent of floats that are too large for 32 bits


def is_basic(k: Object) -> Bool:
    """Tell whether an item of a key may be one of a basic key."""
    kind = type(k)
    return kind is int or kind is slice or k is None or k is Ellipsis


def all_basic(key: Object) -> Bool:
    """The same of all items of a tuple."""
    for k in range(PyTuple_Size(key)):
        if not is_basic(PyTuple_GetItem(key, k)):
            return False
    return True


def spot_of(key: Object, x: Object, front: Int) -> Object:
    """The place of a basic key in an array whose first axes, `front` of them, it passes over; None for any other."""
    kind = type(key)
    if kind is int:
        if x.rank <= front or not within(key, x.dims[front]):
            return None
        return (key,) if front == 0 else (every, key)
    if not (all_basic(key) if kind is tuple else is_basic(key)):
        return None
    given = key if kind is tuple else (key,)
    if front != 0:
        given = PySequence_Concat((every,), given)
    placed = place(given, x.shape)
    if placed is None:
        return None
    index = PyTuple_GetItem(placed, 0)
    if PyTuple_Size(index) == 1 and PyTuple_GetItem(index, 0) is Ellipsis:
        return None
    return PyTuple_GetItem(placed, 2)


def nearest(value: Object, x: Object) -> Bool:
    """Tell whether a number is one of an array's dtype, the nearest one for a float."""
    if type(value) is int:
        n = integer(value)
        return n <= EXACT and n >= -EXACT
    return x.descr is double or ((value.float_bits >> 52) & 2047) < LARGE


def settable(v: Object, x: Object, spot: Object) -> Bool:
    """Tell whether the elements of an array may be written to a place as they are."""
    if v.descr is not x.descr:
        return False
    if v.rank == 0:
        return True
    part = attempt(PyObject_GetItem(x, spot))
    if part is NULL:
        return False
    if type(part) is not ndarray:
        return False
    if not same_shape(part, v):
        return False
    if root(v) is not root(x):
        return True
    if part.data is not v.data:
        return False
    for k in range(v.rank):
        if part.strides[k] != v.strides[k]:
            return False
    return True


@lane
def quick_put(t, key, value):
    """`t[key] = value` of a tensor that is no view: True where it was written."""
    now = mode()
    a = own(t)
    b = own(value)
    front = 0
    narrow = is_number(value)
    if now == OTHERS:
        m = context(MODES)
        trace = running(m)
        if trace is not NULL:
            return put_at_level(t, key, value, trace)
        now = RECORDING
        front = 1
        a = own(under(t, m))
        if a is NULL:
            return None
        if not narrow:
            b = own(under(value, m))
            if b is NULL:
                return None
    if not is_tensor(a):
        return None
    x = own(numpy_array(a))
    if x is NULL:
        return None
    if exposed(x) or not (a.dispatch_key is FAST or (a.dispatch_key is INFERENCE and now == INFERRING)):
        return None
    p = own(a.node)
    if p is None:
        if now == RECORDING and a.wants_grad is not False:
            return None
    elif p.rule is None or not indifferent(p, KEEPERS):
        return None
    v = b if narrow else own(plain_array(b, now))
    if v is NULL:
        return None
    spot = spot_of(key, x, front)
    if spot is None or not (nearest(v, x) if narrow else settable(v, x, spot)):
        return None
    q = None
    if now == RECORDING and not narrow:
        q = edge(b)
    if x.flags & WRITEABLE == 0 or a.value is not x or a.node is not p:  # Python ran
        return None
    PyObject_SetItem(x, spot, v)
    if a.dispatch_key is not INFERENCE:
        note_write(x)
    if now == RECORDING:
        put_history(a, x, spot, v, narrow, p, q)
    return True


def put_history(a: Object, x: Object, spot: Object, v: Object, narrow: Bool, p: Object, q: Object) -> Done:
    """The history of what was written to: `p` is its old node, `q` that of the value."""
    if p is None and q is None:
        return True
    aval = NUMBER
    if not narrow and not (v.rank == 0 and v.descr is double):
        aval = aval_of(v)
    rule = VALUE if p is None else BASE if q is None else BOTH
    parents = q if p is None else p if q is None else (p, q)
    a.node = node(rule, parents, (aval_of(x), aval, spot, False))
    return True


def put_at_level(t: Object, key: Object, value: Object, trace: Object) -> Object:
    """`quick_put` of a value of a level."""
    if not of_level(t, trace):
        return None
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        return None
    x = own(t.value.value)
    p = own(t.node)
    if p is None:
        if t.wants_grad is not False:
            return None
    elif p.rule is None or not indifferent(p, KEEPERS):
        return None
    narrow = is_number(value)
    v = own(value if narrow else level_array(value, trace))
    if v is NULL:
        return None
    spot = spot_of(key, x, 0)
    if spot is None or not (nearest(v, x) if narrow else settable(v, x, spot)):
        return None
    q = None if narrow else operand_edge(value, trace)
    if x.flags & WRITEABLE == 0 or t.value.value is not x or t.node is not p:
        return None
    PyObject_SetItem(x, spot, v)
    note_write(x)
    put_history(t, x, spot, v, narrow, p, q)
    return True
