"""Tensors, nodes and modes in native code: how they are read and made, for the lanes that do so.

As all sources of native functions, this is compiled (language/translator.py), and does not run as Python.
"""

from .language.words import (
    BEHIND,
    NULL,
    NUMBERS_BEHIND,
    Bool,
    Borrowed,
    Int,
    Object,
    PyTuple_New,
    PyTuple_SetItem,
    PyType_GenericAlloc,
    Taken,
    context,
    filled,
    inline,
)
from .things import (
    FAST,
    INFERENCE,
    INFERRED,
    MODES,
    GradNode,
    Parameter,
    Tensor,
    accumulator,
    aval_of,
    ndarray,
    next_seq,
)

RECORDING, NO_GRAD, INFERRING, OTHERS = range(4)  # modes
X, Y, OUTPUT, X_AVAL, Y_AVAL = range(1, 6)  # what a rule saves, four bits each
ORDERED = 1  # flag of arrays whose elements lie in the order of the axes


def item(what: Int, x: Object, y: Object, v: Object) -> Object:
    """One of the things that a rule saves."""
    if what == X:
        return x
    if what == Y:
        return y
    if what == OUTPUT:
        return v
    return aval_of(x if what == X_AVAL else y)


def saved(what: Int, x: Object, y: Object, v: Object) -> Object:
    """What a rule saves: None, one thing, or a tuple."""
    if what == 0:
        return None
    if what < 16:
        return item(what, x, y, v)
    count = 0
    rest = what
    while rest != 0:
        rest = rest >> 4
        count += 1
    out = PyTuple_New(count)
    for k in range(count):
        PyTuple_SetItem(out, k, item((what >> (4 * k)) & 15, x, y, v))
    return out


@inline
def rule_at(place: Int) -> Borrowed:
    """A rule behind the named places of a lane's table; what it saves stands behind each."""
    return BEHIND[2 * place]


@inline
def saves_at(place: Int) -> Int:
    """What such a rule saves."""
    return NUMBERS_BEHIND[2 * place + 1]


def tensor(v: Taken, node: Taken, inferred: Bool) -> Object:
    """A tensor over an array with a node."""
    if inferred:
        return tensor_of(v, node, INFERRED, INFERENCE)
    return tensor_of(v, node, None, FAST)


def tensor_of(v: Taken, node: Taken, meta: Taken, key: Taken) -> Object:
    """The same with its record and its key."""
    return filled(PyType_GenericAlloc(Tensor, 0), value=v, node=node, autograd_meta=meta, level_trace=None,
                  wants_grad=False, dispatch_key=key)


def node(rule: Object, parents: Taken, kept: Taken) -> Object:
    """A node with its parents and what it saved."""
    return node_of(GradNode, rule, parents, kept)


def node_of(kind: Object, rule: Object, parents: Taken, kept: Taken) -> Object:
    """The same of another class of nodes."""
    seq = next_seq()
    return filled(PyType_GenericAlloc(kind, 0), rule=rule, parents=parents, saved=kept, seq=seq, extra=None)


def mode() -> Int:
    """Tell whether operations are recorded, or left in no_grad or inference mode, where nothing else is in force."""
    m = context(MODES)
    if m is None:
        return RECORDING
    if m.still is not True:
        return OTHERS
    return INFERRING if m.inferring is True else NO_GRAD


def hooked_mode(known: Int) -> Int:
    """A mode of `mode`, but that of recording where nothing but saved-tensor hooks is in force."""
    if known < OTHERS:
        return known
    m = context(MODES)
    return OTHERS if m.packing is None else RECORDING


@inline
def is_tensor(t: Object) -> Bool:
    """Tell whether an object is a tensor, and of no class that programs define."""
    kind = type(t)
    return kind is Tensor or kind is Parameter


@inline
def numpy_array(t: Object) -> Borrowed:
    """The array of a tensor, if it is one of NumPy's; else null."""
    x = t.value
    if x is NULL:
        return NULL
    return x if type(x) is ndarray else NULL


@inline
def has_history(t: Object) -> Bool:
    """Tell whether a tensor has a history, or starts one."""
    return t.node is not None or t.wants_grad is not False


def edge(t: Object) -> Object:
    """The node of an operand; None where it has no history."""
    known = t.node
    if known is not None:
        return known
    if t.wants_grad is False:
        return None
    return accumulator(t)


@inline
def ordered(x: Object) -> Bool:
    """Tell whether elements lie in the order of the axes."""
    return x.flags & ORDERED != 0


def root(x: Object) -> Borrowed:
    """The array that owns the memory of one."""
    while True:
        below = x.array_base
        if below is NULL:
            return x
        if type(below) is not ndarray:
            return x
        x = below
    return x


def elements(x: Object) -> Int:
    """How many elements an array has."""
    n = 1
    dims = x.dims
    for k in range(x.rank):
        n = n * dims[k]
    return n


def same_shape(x: Object, y: Object) -> Bool:
    """Tell whether two arrays have the same shape."""
    rank = x.rank
    if rank != y.rank:
        return False
    dims = x.dims
    other = y.dims
    for k in range(rank):
        if dims[k] != other[k]:
            return False
    return True
