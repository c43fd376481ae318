"""Writes in place by elements in native code: what `binary_inplace` and `put` of inplace_lanes.py do.

None is given for all else, before anything is written.
"""

from .histories import current, exposed, plain_array
from .lanes import is_number, number_of
from .language.words import KEEPERS, NULL, Bool, Int, Object, array_two, context, lane, needs, own
from .levels import level_array, of_level, operand_edge, running
from .maps import under
from .objects import INFERRING, OTHERS, RECORDING, edge, is_tensor, mode, numpy_array, root, same_shape
from .things import FAST, INFERENCE, MODES, VIEW
from .traces import BOTH, LEFT, RIGHT, history, indifferent, note_write, put_place


def writes_to(a: Object, now: Int) -> Bool:
    """Tell whether a tensor is one that the lane writes to: no recorded leaf, and a view as `writeable_view` says."""
    key = a.dispatch_key
    if key is FAST:
        return now != RECORDING or a.wants_grad is False
    if key is VIEW:
        return writeable_view(a, now)
    return key is INFERENCE and now == INFERRING


def writeable_view(a: Object, now: Int) -> Bool:
    """Tell whether a view has a history up to date, of a base that no gradient is asked of."""
    if not current(a, now if now != RECORDING else 1):
        return False
    if now != RECORDING:
        return True
    meta = a.autograd_meta
    base = meta.base
    if base.dispatch_key is not FAST or base.wants_grad is not False or a.wants_grad is not False:
        return False
    if base.node is None:
        return a.node is None
    if meta.creation is not None:
        return False
    return a.node is None or a.node.extra is None


@lane
def quick_update(t, other):
    """`t` after the write; of values of the innermost vmap the tensors below them are written to."""
    now = mode()
    a = t
    b = other
    if now == OTHERS:
        m = context(MODES)
        trace = running(m)
        if trace is not NULL:
            return update_at_level(t, other, trace)
        now = RECORDING
        a = under(t, m)
        if a is NULL:
            return None
        if not is_number(other):
            b = under(other, m)
            if b is NULL:
                return None
    if not is_tensor(a):
        return None
    x = own(numpy_array(a))
    if x is NULL:
        return None
    if exposed(x) or not writes_to(a, now):
        return None
    base = own(a)
    if a.dispatch_key is VIEW:
        base = a.autograd_meta.base
    p_before = own(base.node)
    if p_before is not None and not indifferent(p_before, KEEPERS):
        return None
    y = own(number_of(b, x) if is_number(b) else plain_array(b, now))
    if y is NULL:
        return None
    q = None
    if not is_number(b):
        if y is x or root(x) is root(y) or not same_shape(x, y):
            return None
        if now == RECORDING:
            q = edge(b)
    p = own(p_before) if now == RECORDING else None
    recorded = p is not None or q is not None
    if recorded:
        bit = RIGHT if p is None else LEFT if q is None else BOTH
        if needs & bit != 0:
            return None
        if q is not None and a.dispatch_key is not FAST and p is None:
            return None
    place = own(NULL)
    if recorded and a.dispatch_key is VIEW:
        place = put_place(a, base.value)
        if place is NULL:
            return None
    if a.value is not x or base.node is not p_before:  # Python ran
        return None
    done = array_two(x, y, x)
    if done is NULL:
        return None
    if a.dispatch_key is not INFERENCE:
        note_write(x)
    if recorded:
        history(a, base, p, q, y, place)
    return t


def update_at_level(t: Object, other: Object, trace: Object) -> Object:
    """`quick_update` of a value of a level: the memory below it has no history, it has one node."""
    if not of_level(t, trace):
        return None
    x = own(t.value.value)
    base = own(t)
    is_view = False
    meta = t.autograd_meta
    if meta is not None:
        root_of_it = meta.base
        if root_of_it is not None:
            is_view = True
            base = root_of_it
            if t.wants_grad is not False or base.node is None or not of_level(base, trace):
                return None
            if t.node is not None and t.node.extra is not None:
                return None
    p = own(base.node)
    if p is None:
        if base.wants_grad is not False:
            return None
    elif p.rule is None or not indifferent(p, KEEPERS):
        return None
    narrow = is_number(other)
    y = own(number_of(other, x) if narrow else level_array(other, trace))
    if y is NULL:
        return None
    q = None
    if not narrow:
        if y is x or root(x) is root(y) or not same_shape(x, y):
            return None
        q = operand_edge(other, trace)
    recorded = p is not None or q is not None
    place = own(NULL)
    if recorded:
        bit = RIGHT if p is None else LEFT if q is None else BOTH
        if needs & bit != 0:
            return None
        if is_view:
            place = put_place(t, base.value.value)
            if place is NULL:
                return None
    if t.value.value is not x or base.node is not p:  # Python ran
        return None
    done = array_two(x, y, x)
    if done is NULL:
        return None
    note_write(x)
    if recorded:
        history(t, base, p, q, y, place)
    return t
