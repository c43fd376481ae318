"""Sweeps in native code: what they have to reach, rules that are recorded by programs, and gradients as tensors.

The program of a rule is found by what `recorded_rules.asked` has as its key, in bytes. The plan of a rule holds that
function, the rule's own where it may record nothing, the programs that are known, and where saved values come from.
"""

from .keys import ARRAY, AXES, KNOWN, ROOM, SPARE, TUPLE, add, add_value, add_words, floats
from .language.words import (
    NULL,
    Bool,
    Done,
    Object,
    PyBytes_FromStringAndSize,
    PyDict_GetItemWithError,
    PyList_Append,
    PyList_GetItem,
    PyList_Size,
    PyLong_AsSsize_t,
    PyObject_Vectorcall,
    PySequence_DelItem,
    PySet_Add,
    PySet_Contains,
    PyTuple_GetItem,
    PyTuple_New,
    PyTuple_SetItem,
    PyTuple_Size,
    Words,
    address,
    cells,
    lane,
    own,
    words,
)
from .objects import tensor
from .things import FREED, LAST, AccumulateGrad, Ambient, Aval, ndarray

# What the plan of a rule says of each thing that it saves: what is no value, a value without a node, the output, that
# of the first parent, of the second, …
PARAMETER, ROOTLESS, ITSELF, PARENT = range(4)
ITEMS = 12  # things that a rule saves, at most
HANDED = 4 + 2 * ITEMS  # what a program is given
WRITEABLE = 1024  # flag of arrays


def add_array(key: Words, x: Object) -> Bool:
    """Add shape and dtype of an array of NumPy."""
    if type(x) is not ndarray:
        return False
    rank = x.rank
    if rank > AXES:
        return False
    add(key, ARRAY | (rank << 16))
    add(key, x.descr.letters)
    add_words(key, x.dims, rank)
    return True


def add_parameter(key: Words, x: Object) -> Bool:
    """Add what is no value: a number, a string, an aval, or a tuple of such things."""
    if type(x) is Aval:  # what the key leads to keeps it alive
        add(key, KNOWN)
        add(key, address(x))
        return True
    if type(x) is not tuple:
        return add_value(key, x)
    count = PyTuple_Size(x)
    add(key, TUPLE)
    add(key, count)
    for k in range(count):
        if key[0] > ROOM - SPARE or not add_value(key, PyTuple_GetItem(x, k)):
            return False
    return True


def unwritten(node: Object) -> Bool:
    """Tell whether nothing was written to in place since a node was recorded."""
    return PyLong_AsSsize_t(node.seq) <= PyLong_AsSsize_t(PyList_GetItem(LAST, 0))


@lane
def quick_rule(plan, node, ct, drive):
    """The cotangents of the parents of a node, in a sweep that is recorded; the plan's Python is asked for others."""
    given = cells(HANDED)
    given[0] = node
    given[1] = ct
    given[2] = drive
    given[3] = None
    slow = PyTuple_GetItem(plan, 0)
    saved = own(node.saved)
    if saved is FREED or drive.retain is not True or not unwritten(node):
        return PyObject_Vectorcall(slow, given, 4, NULL)
    c = own(ct)
    p = own(NULL)
    owner = drive.trace
    if type(ct) is Ambient:
        if ct.boxed_owner is not owner or ct.boxed_tangent is not None:
            return PyObject_Vectorcall(slow, given, 4, NULL)
        c = ct.boxed_value
        if ct.boxed_node is not None:
            p = ct.boxed_node
    back = PyTuple_GetItem(plan, 1)
    if back is not None and p is NULL and type(c) is ndarray:  # there is nothing to record
        given[0] = c
        given[1] = saved
        return PyObject_Vectorcall(back, given, 2, NULL)
    key = words(ROOM)
    key[0] = 1
    if not add_array(key, c) or not floats(c):
        return PyObject_Vectorcall(slow, given, 4, NULL)
    add(key, 0 if p is NULL else 1)
    places = PyTuple_GetItem(plan, 3)
    parents = node.parents
    count = PyTuple_Size(places)
    n = 4
    for k in range(count):
        if key[0] > ROOM - SPARE:
            return PyObject_Vectorcall(slow, given, 4, NULL)
        x = saved if count == 1 else PyTuple_GetItem(saved, k)
        place = PyLong_AsSsize_t(PyTuple_GetItem(places, k))
        if place == PARAMETER:
            if not add_parameter(key, x):
                return PyObject_Vectorcall(slow, given, 4, NULL)
        else:
            if not add_array(key, x):
                return PyObject_Vectorcall(slow, given, 4, NULL)
            given[n] = x
            given[n + 1] = None
            if place == ITSELF:
                given[n + 1] = node
            elif place >= PARENT:
                given[n + 1] = PyTuple_GetItem(parents, place - PARENT) if type(parents) is tuple else parents
            n += 2
    made = PyBytes_FromStringAndSize(key[1:], 8 * (key[0] - 1))
    entry = own(PyDict_GetItemWithError(PyTuple_GetItem(plan, 2), made))
    if entry is NULL:
        given[3] = made
        return PyObject_Vectorcall(slow, given, 4, NULL)
    given[0] = owner
    given[2] = c
    given[3] = None if p is NULL else p
    return PyObject_Vectorcall(PyTuple_GetItem(entry, 0), given, n, NULL)


@lane
def reaches_these(nodes, seen, leaves):
    """Tell whether all leaves that nodes lead to are among some; the list and the set of nodes are added to."""
    k = 0
    while k < PyList_Size(nodes):
        parents = own(PyList_GetItem(nodes, k).parents)
        if type(parents) is not tuple:
            if not PySet_Contains(seen, parents):
                PySet_Add(seen, parents)
                PyList_Append(nodes, parents)
        else:
            count = PyTuple_Size(parents)
            if count == 0 and not PySet_Contains(leaves, PyList_GetItem(nodes, k)):
                return False
            for i in range(count):
                parent = PyTuple_GetItem(parents, i)
                if not PySet_Contains(seen, parent):
                    PySet_Add(seen, parent)
                    PyList_Append(nodes, parent)
        k += 1
    return True


def is_any_in(parents: Object, needed: Object) -> Bool:
    """Tell whether some of the parents of a node are among nodes that are told by their numbers."""
    if type(parents) is not tuple:
        return PySet_Contains(needed, parents.seq)
    for k in range(PyTuple_Size(parents)):
        if PySet_Contains(needed, PyTuple_GetItem(parents, k).seq):
            return True
    return False


def add_unseen(nodes: Object, parents: Object, seen: Object) -> Done:
    """Add the parents of a node to a list, but for those that were seen."""
    if type(parents) is not tuple:
        if not PySet_Contains(seen, parents):
            PyList_Append(nodes, parents)
        return True
    for k in range(PyTuple_Size(parents)):
        if not PySet_Contains(seen, PyTuple_GetItem(parents, k)):
            PyList_Append(nodes, PyTuple_GetItem(parents, k))
    return True


@lane
def mark(nodes, seen, targets, needed, runs):
    """Add the numbers of what leads to targets to `needed`, targets among them, and of what has such parents to `runs`.

    The list of nodes is emptied.
    """
    last = PyList_Size(nodes) - 1
    while last >= 0:
        node = own(PyList_GetItem(nodes, last))
        if not PySet_Contains(seen, node):
            PySet_Add(seen, node)
            add_unseen(nodes, node.parents, seen)  # they come first
        else:
            PySequence_DelItem(nodes, last)
            if is_any_in(node.parents, needed):
                PySet_Add(runs, node.seq)
                PySet_Add(needed, node.seq)
            elif PySet_Contains(targets, node.seq):
                PySet_Add(needed, node.seq)
        last = PyList_Size(nodes) - 1
    return True


@lane
def gradients(captured, nodes, trace):
    """What arrived at leaves as tensors, which lie in memory of their own; None where Python has to look at some."""
    count = PyList_Size(nodes)
    found = PyTuple_New(count)
    for k in range(count):
        node = PyList_GetItem(nodes, k)
        if type(node) is not AccumulateGrad:
            return None
        ct = PyDict_GetItemWithError(captured, node.seq)
        if ct is NULL:
            return None
        x = ct
        history = own(None)
        if type(ct) is Ambient:
            if ct.boxed_owner is not trace or ct.boxed_tangent is not None:
                return None
            x = ct.boxed_value
            history = ct.boxed_node
        if type(x) is not ndarray:
            return None
        if x.array_base is not NULL or not floats(x) or x.flags & WRITEABLE == 0:
            return None
        PyTuple_SetItem(found, k, tensor(x, history, False))
    return found
