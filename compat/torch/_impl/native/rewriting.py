"""Writes in place of what an operation gives, in native code: whether that may be, and the write.

`opened` says on which tensor the operation computes: the tensor itself where nothing is recorded, else one over a copy
of its contents with its history, since rules may save them. `rewritten` puts what it gave into the memory, and makes
its history that of the tensor. Both give None for all else, before anything is written.
"""

from .histories import exposed, usable
from .keys import BOOL_KIND, whole
from .language.words import (
    KEEPERS,
    NULL,
    Bool,
    Borrowed,
    Int,
    Object,
    PyDict_Next,
    PyObject_SetItem,
    PySet_Contains,
    PyTuple_GetItem,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Size,
    cells,
    lane,
    own,
    words,
)
from .objects import OTHERS, RECORDING, has_history, is_tensor, mode, numpy_array, root, same_shape, tensor
from .things import FAST, GENERAL, INFERENCE, VIEW, Dtype, Tensor, next_seq
from .traces import note_write
from .views import BARE, BARE_VIEW, bare
from .writes import writes_to

COMPACT, WRITEABLE = 3, 1024  # flags of arrays: in the order of the axes or the other way round; not read-only


def beside(y: Object, x: Object, now: Int) -> Bool:
    """Tell whether an argument shares no memory with an array, or is no tensor; what is recorded has to be of
    floats."""
    if not is_tensor(y):
        kind = type(y)
        return kind is int or kind is float or y is None or y is True or y is False or kind is str or kind is Dtype
    if not usable(y, now) and not whole(y, now):
        return False
    array = numpy_array(y)
    if array is NULL:
        return False
    return array is x or root(array) is not root(x)


def open_array(t: Object, now: Int) -> Borrowed:
    """The array of a tensor that may be written to; null where it is left to Python."""
    if now == OTHERS or not is_tensor(t):
        return NULL
    x = numpy_array(t)
    if x is NULL:
        return NULL
    if x.flags & COMPACT == 0 or x.flags & WRITEABLE == 0 or exposed(x):
        return NULL
    its_node = t.node
    if t.dispatch_key is GENERAL:
        kind = bare(t)
        if kind != BARE and kind != BARE_VIEW:
            return NULL
    elif not writes_to(t, now):
        return NULL
    elif t.dispatch_key is VIEW:
        its_node = t.autograd_meta.base.node
        if now == RECORDING and its_node is not None:
            return NULL
    if its_node is not None and not careless(its_node):
        return NULL
    return x


def careless(its_node: Object) -> Bool:
    """Tell whether a node may stay when the contents that it gave are written over: no hook, and nothing saved of
    them."""
    extra = its_node.extra
    if extra is not None:
        if extra.quiet is not True:
            return False
    rule = its_node.rule
    if rule is None:
        return True
    prim = rule.prim
    if prim is None:
        return True
    return not PySet_Contains(KEEPERS, prim.name)


@lane
def opened(t, arguments, keywords):
    """The tensor that an operation takes in place of one that is to hold what it gives."""
    now = mode()
    x = own(open_array(t, now))
    if x is NULL:
        return None
    recorded = now == RECORDING and t.node is not None
    for k in range(PyTuple_Size(arguments)):
        y = PyTuple_GetItem(arguments, k)
        if not beside(y, x, now):
            return None
        if now == RECORDING and is_tensor(y):
            recorded = recorded or has_history(y)
    position = words(1)
    position[0] = 0
    name = cells(1)
    value = cells(1)
    while PyDict_Next(keywords, position, name, value):
        if not beside(value[0], x, now):
            return None
        if now == RECORDING and is_tensor(value[0]):
            recorded = recorded or has_history(value[0])
    if not recorded:
        return t
    if t.dispatch_key is not FAST:
        return None
    return tensor(x.copy(), t.node, False)


@lane
def rewritten(t, source, found):
    """The tensor after the write of what the operation gave for `source`, the tensor that `opened` gave."""
    now = mode()
    x = own(open_array(t, now))
    if x is NULL or type(found) is not Tensor or found is source:
        return None
    v = own(numpy_array(found))
    if v is NULL:
        return None
    if found.level_trace is not None or not same_shape(x, v):
        return None
    if v.descr is not x.descr and v.descr.letters & 255 != BOOL_KIND:  # truths are cast, as by `eq_`
        return None
    p = own(found.node)
    if source is not t:
        if p is None or t.node is not source.node:
            return None
    elif p is not None:
        return None
    PyObject_SetItem(x, Ellipsis, v)
    if t.dispatch_key is not INFERENCE:
        note_write(x)
    if p is not None:
        if holds(p.saved, v):  # of what else it saved the write is to be noticed
            p.saved = in_place_of(v, x, p.saved)
            p.seq = next_seq()
        t.node = p
    return t


def holds(saved: Object, v: Object) -> Bool:
    """Tell whether an array is what a node saved, or among it."""
    if type(saved) is not tuple:
        return saved is v
    for k in range(PyTuple_Size(saved)):
        if PyTuple_GetItem(saved, k) is v:
            return True
    return False


def in_place_of(v: Object, x: Object, saved: Object) -> Object:
    """What a node saved, with one array in place of another."""
    if saved is v:
        return x
    if type(saved) is not tuple:
        return saved
    count = PyTuple_Size(saved)
    out = PyTuple_New(count)
    for k in range(count):
        thing = PyTuple_GetItem(saved, k)
        PyTuple_SetItem(out, k, x if thing is v else thing)
    return out
