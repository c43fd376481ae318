"""The node of a write through a view: `CopySlices`, and when a lane may make one."""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.node import FREED, UNDEFINED, GradNode, freed
from ..graph.node_names import NamedRule
from ..views.overlap import OVERLAPPING, overlapping
from ..views.views import GETITEM, UPDATE

next_seq = _engine.next_seq
aval_of = extend.aval_of
Scatter = _engine.Scatter


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
    """Whether a write through a view is the common case: an ambient base with a node, and no hook, tangent or mode in
    sight. The view's own history may be out of date: it is not needed."""
    meta = t.autograd_meta
    base = meta.base
    if base.dispatch_key or meta.creation is not None:
        return False
    node = base.node
    if node is None or node.extra is not None and not node.extra.quiet or meta.tangent is not None or (
            versions.EXPOSED and versions.exposed(t.value)):
        return False
    if base.autograd_meta is not None and (base.autograd_meta.tangent is not None or base.autograd_meta.relaid):
        return False
    if t.node is not None and t.node.extra is not None and not t.node.extra.quiet:
        return False
    whole = base.value
    return len(meta.steps) == 1 and meta.steps[0][0] is GETITEM or (
        whole.ndim > 0 and whole.flags.c_contiguous and not overlapping(t.value))


def index_of(t):
    """The index of a view that `can_write` in its base."""
    meta = t.autograd_meta
    if len(meta.steps) == 1 and meta.steps[0][0] is GETITEM:
        return meta.steps[0][1][0]
    whole, part = meta.base.value, t.value
    start = part.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    key = whole.shape, part.shape, part.strides, start, whole.itemsize
    index = _INDICES.get(key)
    if index is None:
        places = np.arange(whole.size)
        seen = np.ndarray(part.shape, places.dtype, places, start // whole.itemsize * places.itemsize,
                          [s // whole.itemsize * places.itemsize for s in part.strides]) if part.size else (
            np.zeros(part.shape, places.dtype))
        found = np.unravel_index(seen, whole.shape)
        index = tuple([spots.copy() for spots in found]) if part.ndim else tuple([int(n) for n in found])
        for spots in index if part.ndim else ():
            spots.flags.writeable = False
        if len(_INDICES) >= 256:
            _INDICES.clear()
        if part.size <= 1 << 12:
            _INDICES[key] = index
    return index


_INDICES = {}  # where small views of several steps lie in their bases: a loop writes to the same places again and again


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
        put = meta.put = (index_of(t), aval_of(base.value))
    node = CopySlices()
    node.rule = COPY_SLICES[rule.keeps]
    node.parents = base.node if q is None else (base.node, q)
    node.saved = (*put, fn)
    node.seq = fn.seq = next_seq()
    node.extra = None
    base.node = node
    t.node = None
    meta.attr_version = -1
