"""Lanes of views and writes by index; tests/core/generate_lanes.py writes them from tests/compat/lanes.template.

What `views.view`, `inplace` and `rebase` do for one basic index, reshape or transpose of plain tensors: the nodes are
the same, their names and edges are worked out when somebody asks.
"""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node import GradNode
from ..inplace.write import KEEPERS
from ..modes.modes import MODES
from ..state.edges import accumulator, is_current, untangled
from ..types.number_cache import EXACT
from ..types.parameter import PLAIN_KINDS, Parameter
from ..types.tensor_type import INFERENCE, INFERRED, VIEW, Record, Tensor, new
from ..views.overlap import overlapping
from ..views.views import GETITEM, RESHAPE, TRANSPOSE
from .basic_index import BASE, BOTH, NUMBER, SELECT, SHAPED, TURNED, VALUE, place, ready, same
from .copy_slices import can_write, index_of

ndarray = np.ndarray
next_seq = _engine.next_seq
aval_of = extend.aval_of
F64 = np.dtype(np.float64)


def make_view(t, array, prim, params, rule):
    """The view `array` of a tensor that is `ready`."""
    m = MODES.get()
    if m is not None and m.still:
        return unrecorded_view(t, array, (prim, params), m)
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, (prim, params))
    else:
        meta.base = t
        meta.steps = ((prim, params),)
    if versions.WRITTEN:
        meta.attr_version = versions.version(array)
    p = t.node
    if p is None:
        if not t.wants_grad:
            out.node = None
            return out
        p = accumulator(t)
    out.node = node = GradNode()
    node.rule = rule
    node.parents = p
    node.saved = params[0] if prim is TRANSPOSE else aval_of(t.value)
    node.seq = next_seq()
    node.extra = None
    return out


def unrecorded_view(t, array, step, m):
    """The view `array` of a tensor that is `ready` in no_grad or inference_mode."""
    if t.dispatch_key == INFERENCE:
        out = new(Tensor)
        out.value = array
        out.level_trace = out.node = None
        out.wants_grad = False
        out.autograd_meta, out.dispatch_key = INFERRED, INFERENCE
        return out
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, step)
    else:
        meta.base = t
        meta.steps = (step,)
    if versions.WRITTEN:
        meta.attr_version = versions.version(array)
    out.node = None
    parent = t.autograd_meta
    meta.creation = parent.creation if t.dispatch_key and parent.creation is not None else (
        "inference" if m.inference else "no_grad")
    return out


def indexed(t, index, title, spot=None):
    """The view of a ready tensor by a basic index (with an Ellipsis, so that it is an array).

    `spot` is the same place for the rule, without the Ellipsis: where it names one element the sweep then adds numbers,
    in 0.1 us, and not arrays without axes, in 1.0.
    """
    view = t.value[index]
    m = MODES.get()
    if m is not None and m.still:
        return unrecorded_view(t, view, (GETITEM, (index,)), m)
    out = new(Tensor)
    out.value = view
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    if t.dispatch_key:
        parent = t.autograd_meta
        meta.base = parent.base
        meta.steps = (*parent.steps, (GETITEM, (index,)))
    else:
        meta.base = t
        meta.steps = ((GETITEM, (index,)),)
    if versions.WRITTEN:
        meta.attr_version = versions.version(view)
    p = t.node
    if p is None:
        if not t.wants_grad:
            out.node = None
            return out
        p = accumulator(t)
    out.node = node = GradNode()
    node.rule = SELECT[title]
    node.parents = p
    node.saved = (aval_of(t.value), index if spot is None else spot)
    node.seq = next_seq()
    node.extra = None
    return out


def parted(t, indices, rule):
    """The views of a ready tensor by several basic indices, as the outputs of one node."""
    array = t.value
    m = MODES.get()
    if m is not None and m.still:
        return tuple([unrecorded_view(t, array[index], (GETITEM, (index,)), m) for index in indices])
    p = t.node
    if p is None and t.wants_grad:
        p = accumulator(t)
    whole = None
    if p is not None:
        whole = GradNode()
        whole.rule = rule
        whole.parents = p
        whole.saved = (aval_of(array), indices)
        whole.seq = next_seq()
        whole.extra = None
    outs = []
    for k, index in enumerate(indices):
        view = array[index]
        out = new(Tensor)
        out.value = view
        out.level_trace = None
        out.wants_grad = False
        out.dispatch_key = VIEW
        out.autograd_meta = meta = Record()
        if t.dispatch_key:
            parent = t.autograd_meta
            meta.base = parent.base
            meta.steps = (*parent.steps, (GETITEM, (index,)))
        else:
            meta.base = t
            meta.steps = ((GETITEM, (index,)),)
        if versions.WRITTEN:
            meta.attr_version = versions.version(view)
        meta.creation = "multi"
        if whole is None:
            out.node = None
        else:
            out.node = node = GradNode()
            node.rule = _engine.pick_rule(len(indices), k)
            node.parents = whole
            node.saved = None
            node.seq = next_seq()
            node.extra = None
        outs.append(out)
    return tuple(outs)


def reshaped(t, shape, strided="ViewBackward0"):
    """The view of a ready tensor in another shape, or None if the memory does not allow it; `strided` is the node's
    name where the elements do not lie in order."""
    array = t.value
    title = "ViewBackward0"
    if array.flags.c_contiguous:
        array = array.reshape(shape)
    else:
        try:
            array = array.reshape(shape, copy=False)
        except ValueError:
            return None
        title = strided
    return make_view(t, array, RESHAPE, (array.shape,), SHAPED[title])


def turned(t, axes, title):
    """The view of a ready tensor with its axes in another order."""
    return make_view(t, t.value.transpose(axes), TRANSPOSE, (axes,), TURNED[title])


def read(t, key):
    """The view of a tensor by a basic key, or None for what this lane does not take."""
    if not ready(t):
        return None
    kind = type(key)
    if kind is int:
        shape = t.value.shape
        if shape and -shape[0] <= key < shape[0]:
            return indexed(t, (key, Ellipsis), "SelectBackward0", (key,))
        return None
    if kind is slice:
        if not t.value.ndim or place((key,), t.value.shape) is None:
            return None
        return indexed(t, (key, Ellipsis), "SliceBackward0")
    if kind is tuple:
        found = place(key, t.value.shape)
        if found is not None:
            return indexed(t, *found)
    return None


def write(t, key, value):
    """`t[key] = value` of an ambient base for a basic key; False for what this lane does not take.

    It is one node, that of the base: core's `index_update` of the base and the value, whose pullback takes the written
    part out of one buffer, so that n writes are swept in O(n).
    """
    if type(t) not in PLAIN_KINDS or versions.EXPOSED and versions.exposed(t.value):
        return False
    m = MODES.get()
    if m is not None:
        return m.still and put(t, key, value, m)
    if t.dispatch_key:
        return False
    array = t.value
    p = t.node
    if p is None:
        if t.wants_grad:
            return False
    else:
        rule = p.rule
        if p.extra is not None and not p.extra.quiet or rule is None or rule.prim is not None and (
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
    root = array if array.base is None else versions.root_of(array)
    entry = versions.WRITTEN.get(id(root))
    if entry is None:
        entry = versions.WRITTEN[id(root)] = versions.Written(root)
    entry.count += 1
    entry.stamps.append(versions.new_stamp())
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
    root = array if array.base is None else versions.root_of(array)
    entry = versions.WRITTEN.get(id(root))
    if entry is None:
        entry = versions.WRITTEN[id(root)] = versions.Written(root)
    entry.count += 1
    entry.stamps.append(versions.new_stamp())
    return True


def assign(t, value):
    """`t.copy_(value)`, `t.fill_(value)` for a view or in no_grad; False for what this lane does not take."""
    if type(t) not in PLAIN_KINDS or versions.EXPOSED and versions.exposed(t.value):
        return False
    m = MODES.get()
    key = t.dispatch_key
    if m is not None:
        if not m.still or not (not t.dispatch_key or t.dispatch_key == INFERENCE or t.dispatch_key == VIEW and untangled(t)) or key == INFERENCE and not m.inference:
            return False
    elif key != VIEW or not can_write(t):
        return False
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
    root = array if array.base is None else versions.root_of(array)
    entry = versions.WRITTEN.get(id(root))
    if entry is None:
        entry = versions.WRITTEN[id(root)] = versions.Written(root)
    entry.count += 1
    entry.stamps.append(versions.new_stamp())
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
