"""What lanes of views ask: whether a tensor is ready for them, where a basic index leads, the rules of the nodes."""

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..state.edges import refresh
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, INFERENCE, VIEW, needs_grad
from ..views.views import EXPAND, GETITEM, RESHAPE, TRANSPOSE, UPDATE

WHOLE = slice(None)
RECORDED = (None, "multi")  # how views come about whose history is recorded


def ready(t):
    """Tell whether a tensor is an ambient one of floats, its history up to date, outside of all modes but no_grad,
    inference mode and saved-tensor hooks, to which views have nothing to show."""
    slow = t.dispatch_key
    if slow == GENERAL or type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    if m is not None and m.packing is None:
        if not m.still:
            return False
        return slow != VIEW or settled(t)
    if slow == INFERENCE:
        return False
    if slow:
        meta = t.autograd_meta
        base = meta.base.autograd_meta
        if meta.tangent is not None or meta.creation not in RECORDED or base is not None and (
                base.tangent is not None or base.relaid):
            return False
        if versions.EXPOSED and versions.exposed(t.value) or (
                versions.WRITTEN and versions.version(t.value) != meta.attr_version):
            refresh(t)
        return t.node is not None or not needs_grad(meta.base)
    return True


def settled(t):
    """Tell whether an ambient view of floats has no tangent, and a base without tangent that never changed its
    shape."""
    meta = t.autograd_meta
    base = meta.base.autograd_meta
    return meta.tangent is None and (base is None or base.tangent is None and not base.relaid)


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


def same(part, v):
    """Tell whether two arrays of one shape are the same elements: what `t[key] += value` writes back."""
    return part.strides == v.strides and part.__array_interface__["data"] == v.__array_interface__["data"]


def rules_of(prim, titles):
    """The rules of a view primitive under torch's names."""
    rule = prim.rule((0,), True)  # shapes and dtypes fit: nothing to cast or to sum
    return {title: NamedRule(rule, title) for title in titles}


SELECT = rules_of(GETITEM, ("SelectBackward0", "SliceBackward0", "UnsqueezeBackward0", "SqueezeBackward0",
                            "SqueezeBackward1", "SqueezeBackward2", "AliasBackward0"))
SHAPED = rules_of(RESHAPE, ("ViewBackward0", "ReshapeAliasBackward0"))
TURNED = rules_of(TRANSPOSE, ("TransposeBackward0", "PermuteBackward0", "TBackward0"))
EXPANDED = rules_of(EXPAND, ("ExpandBackward0",))
_LAYOUT = {prim: prim.rule((0,), True).names for prim in (GETITEM, RESHAPE, TRANSPOSE, EXPAND)}


if _LAYOUT != {GETITEM: ("x_aval", "index"), RESHAPE: ("x_aval",), TRANSPOSE: ("axes",), EXPAND: ("x_aval",)}:
    raise AssertionError(f"the rules of the view primitives save other things than these lanes write: {_LAYOUT}")


def _rule(active):
    """The rule of a write under torch's name; it shows the base and the value, None for one without gradient."""
    shows = {(0,): lambda node: (node.parents, None), (1,): lambda node: (None, node.parents),
             (0, 1): lambda node: node.parents}[active]
    rule = NamedRule(UPDATE.rule(active, True), "torch::autograd::CopySlices", shows)
    if rule.names != ("x_aval", "v_aval", "index", "add"):
        raise AssertionError(f"the rule of index_update saves other things than this lane writes: {rule.names}")
    return rule


BASE, VALUE, BOTH = _rule((0,)), _rule((1,)), _rule((0, 1))
NUMBER = extend.make_aval((), np.dtype(np.float64))
