"""The node of a write through a view: `CopySlices`, and where a view lies in its base."""

import numpy as np

from ..... import _engine, _interpreters, extend
from ..graph import versions
from ..graph.accumulate import untraced
from ..graph.node import DECLINED, FREED, UNDEFINED, GradNode, freed
from ..graph.node_names import NamedRule
from ..views.overlap import overlapping
from ..views.views import GETITEM, RESHAPE, TRANSPOSE, UPDATE

aval_of = extend.aval_of
Ambient = _interpreters.Ambient
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
        return slices(ct, index, aval, fn.rule.strong if drive.masked else fn.rule.back, saved)

    def changed(self, saved, part=None):
        """The saved value as the operation finds it."""
        return saved[2].changed(saved[2].saved)


def slices(ct, index, aval, rule, saved):
    """The cotangents of a base that was written to in part by an operation with the pullback `rule`."""
    whole = Scatter.of(aval, ct)
    part = whole.part(index)
    back = rule(part, saved)
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
    rule.back = lambda ct, saved: slices(ct, saved[0], saved[1], saved[2].rule.back, saved[2].saved)
    rule.strong = lambda ct, saved: slices(ct, saved[0], saved[1], saved[2].rule.strong, saved[2].saved)
    rule.again = again
    return rule


def again(node, ct, drive):
    """The rule in a sweep that is recorded, where nothing of it has a history; DECLINED otherwise."""
    if type(ct) is Ambient and ct.node is None and ct.tangent is None and ct.owner is drive.trace:
        ct = ct.value
    if not untraced(ct) or node.saved is FREED:
        return DECLINED
    index, aval, fn = node.saved
    rule = fn.rule
    if rule.keeps:
        if rule.active != (0,) or rule.once or node.seq > versions.LAST[0] and fn.changed(fn.saved) is not None:
            return DECLINED
        if not drive.retain:
            node.saved = FREED
    return slices(ct, index, aval, rule.strong if drive.masked else rule.back, fn.saved)


COPY_SLICES = {keeps: _rule(keeps) for keeps in (False, True)}


def lies_in(base, t):
    """Tell whether the place of a view in its base is one that an index names."""
    steps, whole = t.autograd_meta.steps, memory(base)
    return len(steps) == 1 and steps[0][0] is GETITEM or (
        whole.ndim > 0 and whole.flags.c_contiguous and not overlapping(memory(t)))


def memory(t):
    """The array of an ambient tensor, or of one of the level above."""
    return t.value if t.level_trace is None else t.value.value


def index_of(t):
    """The index in its base of a view that `lies_in` it."""
    meta = t.autograd_meta
    if len(meta.steps) == 1 and meta.steps[0][0] is GETITEM:
        return meta.steps[0][1][0]
    whole, part = memory(meta.base), memory(t)
    try:  # the steps count elements, whatever the memory is: they and the base's shape say where the view is
        index = _INDICES.get(walk := (whole.shape, meta.steps))
    except TypeError:  # a slice has no hash before Python 3.12
        index = walk = None
    if index is not None:
        return index
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
    if part.size <= 1 << 12:
        if len(_INDICES) >= 256:
            _INDICES.clear()
        _INDICES[key if walk is None or any(prim not in _STEPS for prim, _ in meta.steps) else walk] = index
    return index


_STEPS = {GETITEM, RESHAPE, TRANSPOSE}  # whose parameters hold no arrays
_INDICES = {}  # where small views of several steps lie in their bases: a loop writes to the same places again and again
