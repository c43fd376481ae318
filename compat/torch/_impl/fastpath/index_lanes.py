"""The fast paths of basic indices on ambient float tensors: reads `t[index]`, and writes `t[index] = value`.

A read is a view (`view_lanes.py`). A write of a base is one node, that of the base: core's `index_update` of the base
and the value, whose pullback takes the written part out of one buffer, so that n writes are swept in O(n).
"""

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.node import GradNode, NamedRule
from ..inplace.inplace import KEEPERS
from ..modes.modes import MODES
from ..state.state import accumulator
from ..types.number_cache import EXACT
from ..types.tensor_type import VIEW, Tensor
from ..views.views import UPDATE, fresh
from .view_lanes import indexed, ready

ndarray = np.ndarray
next_seq = extend.next_seq
aval_of = extend.aval_of
F64 = np.dtype(np.float64)
WHOLE = slice(None)


def place(key, shape):
    """`(index, name of the node, spot)` of a basic key that lies within a shape; None where torch raises, and for any
    other key.

    Slices that take a whole axis make no view in torch. An index ends with an Ellipsis, so that its output is an array;
    the spot is the same without it: the number itself, where it names one.
    """
    rank = len(shape)
    axis = 0
    title = "AliasBackward0"
    out = []
    dotted = False
    for k in key:
        kind = type(k)
        if kind is int:
            if axis >= rank or not -shape[axis] <= k < shape[axis]:
                return None
            title = "SelectBackward0"
            axis += 1
        elif kind is slice:
            if axis >= rank:
                return None
            start, stop, step = k.start, k.stop, k.step
            if not ((start is None or type(start) is int) and (stop is None or type(stop) is int)
                    and (step is None or type(step) is int and step > 0)):
                return None
            if (start is None or start == 0) and (step is None or step == 1) and (stop is None or stop >= shape[axis]):
                k = WHOLE
            else:
                title = "SliceBackward0"
            axis += 1
        elif k is None:
            title = "UnsqueezeBackward0"
        elif k is Ellipsis and not dotted:
            dotted = True
            axis = rank - sum(r is not None for r in key[len(out) + 1 :])
            if axis < 0:
                return None
        else:
            return None
        out.append(k)
    if dotted:
        index = tuple(out) if title != "AliasBackward0" else (Ellipsis,)
        return index, title, index
    while out and out[-1] is WHOLE:
        out.pop()
    spot = tuple(out)
    return (*spot, Ellipsis), title, spot


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


def _rule(active):
    """The rule of a write under torch's name; it shows the base and the value, None for one without gradient."""
    shows = {(0,): lambda node: (node.parents, None), (1,): lambda node: (None, node.parents),
             (0, 1): lambda node: node.parents}[active]
    rule = NamedRule(UPDATE.rule(active, True), "torch::autograd::CopySlices", shows)
    if rule.names != ("x_aval", "v_aval", "index", "add"):
        raise AssertionError(f"the rule of index_update saves other things than this lane writes: {rule.names}")
    return rule


BASE, VALUE, BOTH = _rule((0,)), _rule((1,)), _rule((0, 1))
NUMBER = extend.make_aval((), F64)


def write(t, key, value):
    """`t[key] = value` of an ambient base for a basic key; False for what this lane does not take."""
    if type(t) is not Tensor or t.dispatch_key or MODES.get() is not None or versions.EXPOSED:
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
    if kind is Tensor:
        if value.dispatch_key and not (value.dispatch_key == VIEW and fresh(value)):
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
    entry.stamps.append(next_seq())
    if p is None and q is None:
        return True
    t.node = node = GradNode()
    if p is None:
        node.rule = VALUE
        node.parents = q
    elif q is None:
        node.rule = BASE
        node.parents = p
    else:
        node.rule = BOTH
        node.parents = (p, q)
    node.saved = (aval_of(array), NUMBER if kind is not Tensor or not v.ndim and v.dtype is F64 else aval_of(v), spot,
                  False)
    node.seq = next_seq()
    node.extra = None
    return True


def same(part, v):
    """Whether two arrays of one shape are the same elements: what `t[key] += value` writes back."""
    return part.strides == v.strides and part.__array_interface__["data"] == v.__array_interface__["data"]
