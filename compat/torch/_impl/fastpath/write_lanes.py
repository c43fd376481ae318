"""Lanes of writes by index and of whole contents; tests/core/generate_lanes.py writes them from
tests/compat/lanes.template.

What `inplace` and `rebase` do for one basic index of plain tensors, or for a view that is filled: the nodes are the
same, their names and edges are worked out when somebody asks.
"""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node import GradNode
from ..inplace.write import KEEPERS
from ..modes.modes import IN_NO_GRAD, MODES
from ..state.edges import accumulator, is_current, untangled
from ..types.number_cache import EXACT
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_type import GENERAL, INFERENCE, VIEW, Tensor
from ..views.overlap import overlapping
from . import bare_tensors, level_writes, map_views, native_views
from .basic_index import BASE, BOTH, NUMBER, VALUE, place, same
from .copy_slices import can_write, hooked, idle, index_of

ndarray = np.ndarray
next_seq = _engine.next_seq
aval_of = extend.aval_of
F64 = np.dtype(np.float64)


def write(t, key, value):
    """`t[key] = value` of an ambient base for a basic key; False for what this lane does not take.

    It is one node, that of the base: core's `index_update` of the base and the value, whose pullback takes the written
    part out of one buffer, so that n writes are swept in O(n).
    """
    if native_views.quick_put(t, key, value):
        return True
    if type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    if m is not None and m.quick is not None:
        return level_writes.write(t, key, value, m.quick)
    if m is not None and m.mapped is not None:
        return map_views.written(t, value, m, write, key)
    if t.dispatch_key == GENERAL:
        return bare_tensors.put(t, key, value)
    if versions.EXPOSED and versions.exposed(t.value):
        return False
    if m is not None and (m.packing is None or not hooked(m)):
        return m.still and put(t, key, value, m)
    if t.dispatch_key:
        return idle(t) and idle(value) and put(t, key, value, IN_NO_GRAD)
    array = t.value
    p = t.node
    if p is None:
        if t.wants_grad:
            return False
    else:
        rule = p.rule
        if p.extra is not None and not (p.extra.quiet or p.extra.packed) or rule is None or rule.prim is not None and (
                rule.prim.name in KEEPERS):
            return False
    kind = type(key)
    if kind is int:
        shape = array.shape
        if not shape or not -shape[0] <= key < shape[0]:
            return False
        spot = (key,)
    else:
        found = place(key if kind is tuple else (key,), array.shape)
        if found is None or found[0] == (Ellipsis,):
            return False
        spot = found[2]
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        if not (not value.dispatch_key or value.dispatch_key == VIEW and is_current(value)):
            return False
        v = value.value
        if v.dtype is not array.dtype:
            return False
        if v.ndim:
            part = array[spot]
            if part.shape != v.shape or versions.root_of(v) is versions.root_of(array) and not same(part, v):
                return False
        q = value.node
        if q is None and value.wants_grad:
            q = accumulator(value)
    elif kind is float or kind is int and -EXACT <= value <= EXACT:
        if array.dtype is not F64 and not -3e38 < value < 3e38:
            return False
        v = value
        q = None
    else:
        return False
    if not array.flags.writeable:
        return False
    array[spot] = v
    _ = versions.note(array)
    if p is None and q is None:
        return True
    aval = NUMBER if kind not in PLAIN_KINDS or not v.ndim and v.dtype is F64 else aval_of(v)
    rule = VALUE if p is None else BASE if q is None else BOTH
    t.node = node = GradNode()
    node.rule = rule
    node.parents = q if p is None else p if q is None else (p, q)
    node.saved = (aval_of(array), aval, spot, False)
    node.seq = next_seq()
    node.extra = None
    return True


def put(t, key, value, m):
    """`t[key] = value` for a basic key in no_grad or inference_mode; False for what this lane does not take."""
    way = t.dispatch_key
    if not (not t.dispatch_key or t.dispatch_key == INFERENCE or t.dispatch_key == VIEW and untangled(t)) or way == INFERENCE and not m.inference:
        return False
    array = t.value
    found = place(key if type(key) is tuple else (key,), array.shape)
    if found is None or found[0] == (Ellipsis,):
        return False
    spot = found[2]
    kind = type(value)
    if kind is Tensor or kind is Parameter:
        v = value.value
        if not (not value.dispatch_key or value.dispatch_key == INFERENCE or value.dispatch_key == VIEW and untangled(value)) or v.dtype is not array.dtype:
            return False
        if v.ndim:
            part = array[spot]
            if part.shape != v.shape or versions.root_of(v) is versions.root_of(array) and not same(part, v):
                return False
    elif kind is float or kind is int and -EXACT <= value <= EXACT:
        if array.dtype is not F64 and not -3e38 < value < 3e38:
            return False
        v = value
    else:
        return False
    p = t.node if way != VIEW else t.autograd_meta.base.node
    if not array.flags.writeable or way == VIEW and overlapping(array) or p is not None and (
            p.rule is not None and p.rule.prim is not None and p.rule.prim.name in KEEPERS):
        return False
    array[spot] = v
    if way != INFERENCE:
        _ = versions.note(array)
    return True


def assign(t, value):
    """`t.copy_(value)`, `t.fill_(value)` for a view or in no_grad; False for what this lane does not take."""
    if type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    key = t.dispatch_key
    if m is not None and m.quick is not None:
        return level_writes.assign(t, value, m.quick)
    if m is not None and m.mapped is not None:
        return map_views.written(t, value, m, assign)
    if key == GENERAL:
        return bare_tensors.assign(t, value)
    if versions.EXPOSED and versions.exposed(t.value):
        return False
    if m is not None and m.packing is not None and hooked(m):
        m = None
    if m is not None:
        if not m.still or not (not t.dispatch_key or t.dispatch_key == INFERENCE or t.dispatch_key == VIEW and untangled(t)) or key == INFERENCE and not m.inference:
            return False
    elif key != VIEW or not can_write(t):
        if not (idle(t) and idle(value)):
            return False
        m = IN_NO_GRAD
    array = t.value
    kind = type(value)
    q = None
    if kind is Tensor or kind is Parameter:
        v = value.value
        if not ((not value.dispatch_key or value.dispatch_key == INFERENCE or value.dispatch_key == VIEW and untangled(value)) if m is not None else (not value.dispatch_key or value.dispatch_key == VIEW and is_current(value))) or v.dtype is not array.dtype or (
                v.shape != array.shape or np.may_share_memory(v, array)):
            return False
        if m is None:
            q = value.node
            if q is None and value.wants_grad:
                q = accumulator(value)
    elif kind is float or kind is int and -EXACT <= value <= EXACT:
        if array.dtype is not F64 and not -3e38 < value < 3e38:
            return False
        v = value
    else:
        return False
    base = t if key != VIEW else t.autograd_meta.base
    p = base.node
    if not array.flags.writeable or key == VIEW and overlapping(array) or p is not None and (
            p.rule is not None and p.rule.prim is not None and p.rule.prim.name in KEEPERS):
        return False
    spot = None if m is not None else index_of(t)
    array[...] = v
    if key != INFERENCE:
        _ = versions.note(array)
    if m is None:
        aval = aval_of(v) if type(v) is ndarray else NUMBER
        base.node = node = GradNode()
        node.rule = BASE if q is None else BOTH
        node.parents = p if q is None else (p, q)
        node.saved = (aval_of(base.value), aval, spot, False)
        node.seq = next_seq()
        node.extra = None
        t.node = None
        t.autograd_meta.attr_version = -1
    return True
