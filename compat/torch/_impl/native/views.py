"""Views in native code: of what kind of tensor they are made, their records, their nodes, whether their history is up
to date."""

from .histories import current, untouched, version
from .language.words import (
    GETITEM,
    NULL,
    TRANSPOSE,
    Bool,
    Int,
    Object,
    PyObject_GetItem,
    PySequence_Concat,
    Taken,
    attempt,
    own,
    ready,
)
from .levels import HERE, MAPPED, level_edge, taken_of
from .maps import lifted
from .objects import INFERRING, OTHERS, RECORDING, edge, is_tensor, node, numpy_array, tensor, tensor_of
from .things import FAST, GENERAL, INFERENCE, VIEW, Record, aval_of

# What a tensor is that a view is made of; 0: what lanes do not take. Those from BARE on are no floats of 32 or 64 bits.
ONE_ROW, PLAIN_VIEW, IN_INFERENCE, BARE, BARE_VIEW, BARE_INFERENCE = range(1, 7)
PAIR, AVAL, GIVEN = range(3)  # what a node saves: the operand's aval with something, the aval, something
FLOAT_KIND, HALF_TYPE = ord("f"), ord("e")  # letters of dtypes: the kind, and the type


def way(t: Object, now: Int) -> Int:
    """What kind of tensor a view is to be made of, as `ready` of basic_index.py says; its value is NumPy's."""
    if now >= OTHERS or not is_tensor(t):
        return 0
    if numpy_array(t) is NULL:
        return 0
    key = t.dispatch_key
    if key is FAST:
        return ONE_ROW
    if key is INFERENCE and now != RECORDING:
        return IN_INFERENCE
    if key is GENERAL:
        return bare(t)
    if key is not VIEW:
        return 0
    if current(t, now):
        if now != RECORDING:
            return PLAIN_VIEW
        creation = t.autograd_meta.creation
        if creation is None or creation == "multi":
            return PLAIN_VIEW
    return PLAIN_VIEW if ready(t) is True else 0


def bare(t: Object) -> Int:
    """What kind of tensor of another dtype than float32 and float64 a view is to be made of.

    That is an ambient one without history and tangent, over an array of NumPy.
    """
    letters = t.value.descr.letters
    if letters & 255 == FLOAT_KIND and (letters >> 8) & 255 != HALF_TYPE:
        return 0
    if t.level_trace is not None or t.node is not None or t.wants_grad is not False:
        return 0
    meta = t.autograd_meta
    if meta is None:
        return BARE
    if not untouched(meta) or meta.forward_base is not None:
        return 0
    base = meta.base
    if meta.inference is not False:
        return BARE_INFERENCE if base is None else 0
    if base is None:
        return BARE
    if base.node is not None or base.wants_grad is not False or not untouched(base.autograd_meta):
        return 0
    return BARE_VIEW


def record(t: Object, its_way: Int, now: Int, array: Object, step: Taken) -> Object:
    """The record of a view that a tensor gives by a step, but for how it was made while recording."""
    meta = Record()
    steps = (step,)
    if its_way == PLAIN_VIEW or its_way == BARE_VIEW:
        parent = t.autograd_meta
        meta.base = parent.base
        steps = PySequence_Concat(parent.steps, steps)
        if parent.creation is not None:
            meta.creation = parent.creation
    else:
        meta.base = t
    meta.steps = steps
    writes = version(array)
    if writes != 0:
        meta.attr_version = writes
    if now != RECORDING:
        meta.creation = "inference" if now == INFERRING else "no_grad"
    return meta


def inferred_view(its_way: Int, array: Taken) -> Object:
    """A view of a tensor of inference mode."""
    if its_way == IN_INFERENCE:
        return tensor(array, None, True)
    meta = Record()
    meta.inference = True
    return tensor_of(array, None, meta, GENERAL)


def seen(t: Object, where: Int, its_way: Int, now: Int, array: Taken, step: Taken, rule: Object, what: Int,
         beside: Object) -> Object:
    """The view over an array that a tensor gives by a step; its node saves `what`, with what is beside it."""
    if where == HERE:
        return seen_here(t, its_way, now, array, step, rule, what, beside)
    below = seen_here(t.value, its_way, RECORDING, array, step, rule, what, beside)
    if where == MAPPED:
        return lifted(below, t.level_trace)
    out = seen_above(t, below, step, False)
    p = level_edge(t)
    if p is not None:
        kept = None if what == GIVEN else aval_of(t.value.value)
        out.node = node(rule, p, kept if what == AVAL else beside if what == GIVEN else (kept, beside))
    return out


def seen_above(t: Object, below: Object, step: Taken, is_part: Bool) -> Object:
    """The view without a node that a value of a level gives, over that which the tensor below it gives."""
    meta = Record()
    base = own(t)
    steps = (step,)
    parent = t.autograd_meta
    if parent is not None:
        root = parent.base
        if root is not None:
            base = root
            steps = PySequence_Concat(parent.steps, steps)
    meta.base = base
    meta.steps = steps
    writes = version(below.value)
    if writes != 0:
        meta.attr_version = writes
    if is_part:
        meta.creation = "multi"
    out = tensor_of(below, None, meta, GENERAL)
    out.level_trace = t.level_trace
    return out


def seen_here(t: Object, its_way: Int, now: Int, array: Taken, step: Taken, rule: Object, what: Int,
              beside: Object) -> Object:
    """`seen` of an ambient tensor."""
    if its_way == IN_INFERENCE or its_way == BARE_INFERENCE:
        return inferred_view(its_way, array)
    meta = record(t, its_way, now, array, step)
    its_node = None
    if now == RECORDING:
        parent = edge(t)
        if parent is not None:
            kept = None if what == GIVEN else aval_of(t.value)
            its_node = node(rule, parent, kept if what == AVAL else beside if what == GIVEN else (kept, beside))
    return tensor_of(array, its_node, meta, GENERAL if its_way >= BARE else VIEW)


def seen_part(t: Object, where: Int, its_way: Int, now: Int, array: Taken, step: Taken, whole: Object,
              rule: Object) -> Object:
    """The same as one output of a node; None where there is none."""
    if where == HERE:
        return part_here(t, its_way, now, array, step, whole, rule)
    below = seen_here(t.value, its_way, RECORDING, array, step, NULL, GIVEN, NULL)  # it has no history
    if where == MAPPED:
        return lifted(below, t.level_trace)
    out = seen_above(t, below, step, True)
    if whole is not None:
        out.node = node(rule, whole, None)
    return out


def part_here(t: Object, its_way: Int, now: Int, array: Taken, step: Taken, whole: Object, rule: Object) -> Object:
    """`seen_part` of an ambient tensor."""
    if its_way == IN_INFERENCE or its_way == BARE_INFERENCE:
        return inferred_view(its_way, array)
    meta = record(t, its_way, now, array, step)
    its_node = None
    if now == RECORDING:
        meta.creation = "multi"
        if whole is not None:
            its_node = node(rule, whole, None)
    return tensor_of(array, its_node, meta, GENERAL if its_way >= BARE else VIEW)


def indexed(t: Object, where: Int, its_way: Int, now: Int, index: Object, rule: Object, spot: Object) -> Object:
    """The view by an index; None where NumPy refuses it."""
    x = own(taken_of(t, where).value)
    array = attempt(PyObject_GetItem(x, index))
    if array is NULL:
        return None
    return seen(t, where, its_way, now, array, (GETITEM, (index,)), rule, PAIR, spot)


def turned(t: Object, where: Int, its_way: Int, now: Int, axes: Object, rule: Object) -> Object:
    """The view with axes in another order; None where NumPy refuses it."""
    x = own(taken_of(t, where).value)
    array = attempt(x.transpose(axes))
    if array is NULL:
        return None
    return seen(t, where, its_way, now, array, (TRANSPOSE, (axes,)), rule, GIVEN, axes)
