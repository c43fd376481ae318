"""What writes in place leave behind, in native code: versions of memory, and nodes."""

from .language.words import (
    GETITEM,
    NULL,
    Bool,
    CopySlices,
    Done,
    Maybe,
    Object,
    PyDict_GetItemWithError,
    PyDict_SetItem,
    PyList_SetItem,
    PyLong_AsSsize_t,
    PyLong_FromVoidPtr,
    PySet_Contains,
    PyTuple_GetItem,
    PyTuple_Size,
    both,
    both_copies,
    both_saves,
    lane,
    left,
    left_copies,
    left_saves,
    put_of,
    right,
    right_saves,
)
from .objects import node, node_of, ordered, root, saved
from .things import LAST, WRITTEN, Written, aval_of, ndarray, next_seq

LEFT, RIGHT, BOTH = 1, 2, 4  # bits of `needs`: with which operands recorded contents are saved, old or new


def stamp() -> Object:
    """The number of a write, which is the newest from now on."""
    number = next_seq()
    PyList_SetItem(LAST, 0, number)
    return number


@lane
def quick_stamp():
    """`new_stamp` of versions.py."""
    return stamp()


@lane
def quick_note(array):
    """`note` of versions.py."""
    note_write(array)
    return None


def note_write(given: Object) -> Done:
    """Note a write to the memory of an array."""
    x = given
    if type(given) is ndarray:
        x = root(given)
    key = PyLong_FromVoidPtr(x)
    known = PyDict_GetItemWithError(WRITTEN, key)
    if known is NULL:
        made = Written(x)
        PyDict_SetItem(WRITTEN, key, made)
        known = PyDict_GetItemWithError(WRITTEN, key)
    known.count = PyLong_AsSsize_t(known.count) + 1
    known.stamps.append(stamp())
    return True


def indifferent(its_node: Object, keepers: Object) -> Bool:
    """Tell whether a node may stay as it is when the contents that it gave are written over.

    It has no hook, and saved nothing of them, as primitives in `keepers` do.
    """
    if its_node.extra is not None:
        return False
    rule = its_node.rule
    if rule is None:
        return True
    prim = rule.prim
    if prim is None:
        return True
    return not PySet_Contains(keepers, prim.name)


def put_place(t: Object, whole: Object) -> Maybe:
    """Where a view lies in its base, of an array `whole`, as its record keeps it; null where no lane writes."""
    meta = t.autograd_meta
    known = meta.put
    if known is not None:
        return known
    steps = meta.steps
    if PyTuple_Size(steps) == 1 and ordered(whole):
        step = PyTuple_GetItem(steps, 0)
        if PyTuple_GetItem(step, 0) is GETITEM:
            made = (PyTuple_GetItem(PyTuple_GetItem(step, 1), 0), aval_of(whole))
            meta.put = made
            return made
    found = put_of(t)
    return NULL if found is None else found


def history(a: Object, base: Object, p: Object, q: Object, y: Object, place: Object) -> Done:
    """The history of what was written to: `p` is its old node, `q` the other operand's, None where there is none."""
    rule = right
    what = right_saves
    if p is not None:
        rule = left
        what = left_saves
        if q is not None:
            rule = both
            what = both_saves
    kept = saved(what, y, y, y)
    if place is NULL:
        parents = q if p is None else p if q is None else (p, q)
        a.node = node(rule, parents, kept)
        return True
    fn = node(rule, (None, q), kept)
    index = PyTuple_GetItem(place, 0)
    aval = PyTuple_GetItem(place, 1)
    outer = p if q is None else (p, q)
    copies = left_copies if q is None else both_copies
    outer_node = node_of(CopySlices, copies, outer, (index, aval, fn))
    fn.seq = outer_node.seq
    base.node = outer_node
    a.node = None
    a.autograd_meta.attr_version = -1
    return True
