"""The fast paths of views of ambient float tensors, and of writes through them.

What `views.view`, `inplace` and `rebase` do for one basic index, reshape or transpose, written out for speed: the nodes
are the same, their names and edges are worked out when somebody asks.
"""

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.node import FREED, UNDEFINED, GradNode, NamedRule, freed
from ..modes.modes import MODES
from ..state.state import Record, accumulator, needs_grad, new
from ..types.tensor_type import VIEW, Tensor
from ..views.overlap import OVERLAPPING, overlapping
from ..views.views import GETITEM, RESHAPE, TRANSPOSE, UPDATE, refresh

ndarray = np.ndarray
next_seq = extend.next_seq
aval_of = extend.aval_of
Scatter = extend.Scatter


def ready(t):
    """Whether a tensor is an ambient one of floats outside all modes, its history up to date."""
    slow = t.dispatch_key
    if slow > 1 or type(t) is not Tensor or MODES.get() is not None:
        return False
    if slow:
        meta = t.autograd_meta
        base = meta.base.autograd_meta
        if meta.tangent is not None or meta.creation is not None or base is not None and (
                base.tangent is not None or base.relaid):
            return False
        if versions.WRITTEN or versions.EXPOSED:
            refresh(t)
        return t.node is not None or not needs_grad(meta.base)
    return True


def rules_of(prim, titles):
    """The rules of a view primitive under torch's names."""
    rule = prim.rule((0,), True)  # shapes and dtypes fit: nothing to cast or to sum
    return {title: NamedRule(rule, title) for title in titles}


SELECT = rules_of(GETITEM, ("SelectBackward0", "SliceBackward0", "UnsqueezeBackward0", "SqueezeBackward0",
                            "SqueezeBackward1", "AliasBackward0"))
SHAPED = rules_of(RESHAPE, ("ViewBackward0", "ReshapeAliasBackward0"))
TURNED = rules_of(TRANSPOSE, ("TransposeBackward0", "PermuteBackward0", "TBackward0"))
_LAYOUT = {prim: prim.rule((0,), True).names for prim in (GETITEM, RESHAPE, TRANSPOSE)}


if _LAYOUT != {GETITEM: ("x_aval", "index"), RESHAPE: ("x_aval",), TRANSPOSE: ("axes",)}:
    raise AssertionError(f"the rules of the view primitives save other things than these lanes write: {_LAYOUT}")


def made(t, array, prim, params, rule):
    """The view `array` of a tensor that is `ready`."""
    out = new(Tensor)
    out.value = array
    out.level_trace = None
    out.wants_grad = False
    out.dispatch_key = VIEW
    out.autograd_meta = meta = Record()
    parent = t.autograd_meta
    if t.dispatch_key:
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


def indexed(t, index, title, spot=None):
    """The view of a ready tensor by a basic index (with an Ellipsis, so that it is an array).

    `spot` is the same place for the rule, without the Ellipsis: where it names one element the sweep then adds numbers,
    in 0.1 us, and not arrays without axes, in 1.0.
    """
    array = t.value
    out = new(Tensor)
    out.value = view = array[index]
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
    node.saved = (aval_of(array), index if spot is None else spot)
    node.seq = next_seq()
    node.extra = None
    return out


def parted(t, indices, rule):
    """The views of a ready tensor by several basic indices, as the outputs of one node."""
    array, p = t.value, t.node
    node = None
    if p is not None or t.wants_grad:
        node = GradNode()
        node.parents = accumulator(t) if p is None else p
        node.rule = rule
        node.saved = (aval_of(array), indices)
        node.seq = next_seq()
        node.extra = None
    base, steps = (t.autograd_meta.base, t.autograd_meta.steps) if t.dispatch_key else (t, ())
    outs = []
    for k, index in enumerate(indices):
        out = new(Tensor)
        out.value = view = array[index]
        out.level_trace = out.node = None
        out.wants_grad = False
        out.dispatch_key = VIEW
        out.autograd_meta = meta = Record()
        meta.base = base
        meta.steps = (*steps, (GETITEM, (index,)))
        meta.creation = "multi"
        if versions.WRITTEN:
            meta.attr_version = versions.version(view)
        if node is not None:
            out.node = pick = GradNode()
            pick.rule = extend.pick_rule(len(indices), k)
            pick.parents = node
            pick.saved = pick.extra = None
            pick.seq = next_seq()
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
    return made(t, array, RESHAPE, (array.shape,), SHAPED[title])


def turned(t, axes, title):
    """The view of a ready tensor with its axes in another order."""
    return made(t, t.value.transpose(axes), TRANSPOSE, (axes,), TURNED[title])


class CopySlices(GradNode):
    """A write through a view, as the node of the base: the written part's cotangent goes through the rule of the
    operation, and comes back into its place.

    `saved` is `(index, aval of the base, the operation's node)`; parents are the base's old node and those of the other
    operands. The rule must not need the old contents.
    """

    __slots__ = ()

    def apply(self, ct, drive):
        """Lift what the operation saved where the sweep is recorded, check it, and run."""
        if self.saved is FREED:
            raise freed()
        if ct is UNDEFINED:
            return self.undefined()
        index, aval, fn = self.saved
        saved = fn.saved
        if fn.rule.keeps:
            if versions.WRITTEN:
                fn.check(saved)
            if drive.create_graph:
                saved = drive.trace.lift(fn, saved, True)
            if not drive.retain:
                self.saved = FREED
        return slices(ct, index, aval, fn.rule, saved)

    def changed(self, saved, part=None):
        """What the operation finds."""
        return saved[2].changed(saved[2].saved)


def slices(ct, index, aval, rule, saved):
    """The cotangents of a base that was written to in part by an operation with `rule`."""
    whole = Scatter.of(aval, ct)
    part = whole.part(index)
    back = rule.back(part, saved)
    if type(back) is not tuple:
        if back is not part:
            whole.put(index, back)
        return whole
    if back[0] is not part:
        whole.put(index, back[0])
    return (whole, *back[1:])


def _rule(keeps):
    """The rule of CopySlices for operations that save values, and for those that do not."""
    rule = NamedRule(UPDATE.rule((0, 1), True), "torch::autograd::CopySlices", lambda node: (
        node.parents if type(node.parents) is tuple else (node.parents, None)))
    rule.prim = rule.collect = None
    rule.names = rule.origins = rule.active = ()
    rule.keeps = keeps
    rule.lazy = True
    rule.back = rule.strong = lambda ct, saved: slices(ct, saved[0], saved[1], saved[2].rule, saved[2].saved)
    return rule


COPY_SLICES = {keeps: _rule(keeps) for keeps in (False, True)}


def can_write(t):
    """Whether a write through a view is the common case: one basic index of an ambient base with a node, and no hook,
    tangent or mode in sight. The view's own history may be out of date: it is not needed."""
    meta = t.autograd_meta
    base = meta.base
    if len(meta.steps) != 1 or meta.steps[0][0] is not GETITEM or base.dispatch_key or meta.creation is not None:
        return False
    node = base.node
    if node is None or node.extra is not None or meta.tangent is not None or versions.EXPOSED:
        return False
    if base.autograd_meta is not None and (base.autograd_meta.tangent is not None or base.autograd_meta.relaid):
        return False
    return t.node is None or t.node.extra is None


def written(t, rule, q, saved):
    """The history of a base after a write through its view by `rule`; the view's own is made when it is read."""
    meta = t.autograd_meta
    base = meta.base
    fn = GradNode()
    fn.rule = rule
    fn.parents = (None, q)
    fn.saved = saved
    fn.extra = None
    put = meta.put
    if put is None:
        if overlapping(base.value):
            raise RuntimeError(OVERLAPPING)
        put = meta.put = (meta.steps[0][1][0], aval_of(base.value))
    node = CopySlices()
    node.rule = COPY_SLICES[rule.keeps]
    node.parents = base.node if q is None else (base.node, q)
    node.saved = (*put, fn)
    node.seq = fn.seq = next_seq()
    node.extra = None
    base.node = node
    t.node = None
    meta.attr_version = -1
