"""The node of a write through a view: `CopySlices`, and when a lane may make one."""

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.lone_cotangents import untraced
from ..graph.node import DECLINED, FREED, UNDEFINED, GradNode, freed
from ..graph.node_names import NamedRule
from ..state.edges import untangled
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import VIEW, TensorBase, needs_grad
from ..views.overlap import OVERLAPPING, overlapping
from ..views.views import GETITEM, RESHAPE, TRANSPOSE, UPDATE

next_seq = _engine.next_seq
aval_of = extend.aval_of
Ambient = _engine.Ambient
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
        """What the operation finds."""
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


def can_write(t):
    """Tell whether a write through a view is the common case: an ambient base with a node, and no hook, tangent or mode
    in sight. The view's own history may be out of date: it is not needed."""
    meta = t.autograd_meta
    base = meta.base
    if base.dispatch_key or meta.creation is not None or t.wants_grad:
        return False
    node = base.node
    if node is None or node.extra is not None and not (node.extra.quiet or node.extra.packed) or (
            meta.tangent is not None or versions.EXPOSED and versions.exposed(t.value)):
        return False
    if base.autograd_meta is not None and (base.autograd_meta.tangent is not None or base.autograd_meta.relaid):
        return False
    if t.node is not None and t.node.extra is not None and not (t.node.extra.quiet or t.node.extra.packed):
        return False
    return lies_in(base, t)


def lies_in(base, t):
    """Tell whether the place of a view in its base is one that an index names."""
    steps, whole = t.autograd_meta.steps, memory(base)
    return len(steps) == 1 and steps[0][0] is GETITEM or (
        whole.ndim > 0 and whole.flags.c_contiguous and not overlapping(memory(t)))


def hooked(m):
    """Tell whether nothing but saved-tensor hooks is in force, and none of them has to hear of writes."""
    return m.packing is not None and not any(hasattr(pack, "before_write") for pack, _ in m.hooks)


def idle(t):
    """Tell whether a value is a number, or an ambient tensor of floats without history and tangent: nothing is recorded
    of it."""
    if type(t) not in PLAIN_KINDS:
        return not isinstance(t, TensorBase)
    if t.node is not None or t.wants_grad or t.dispatch_key > VIEW:
        return False
    return not t.dispatch_key or untangled(t) and not needs_grad(t.autograd_meta.base)


def memory(t):
    """The array of an ambient tensor, or of one of the level above."""
    return t.value if t.level_trace is None else t.value.value


def index_of(t):
    """The index of a view that `can_write` in its base."""
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


def put_of(t):
    """Where a view lies in its base, with the base's aval, kept in its record; None for one that no lane writes to.

    Of a view at a level it is known that its history may be written to.
    """
    meta = t.autograd_meta
    if not (can_write(t) if t.level_trace is None else lies_in(meta.base, t)):
        return None
    whole = memory(meta.base)
    if overlapping(whole):
        return None
    meta.put = (index_of(t), aval_of(whole))
    return meta.put


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
        whole = memory(base)
        if overlapping(whole):
            raise RuntimeError(OVERLAPPING)
        put = meta.put = (index_of(t), aval_of(whole))
    node = CopySlices()
    node.rule = COPY_SLICES[rule.keeps]
    node.parents = base.node if q is None else (base.node, q)
    node.saved = (*put, fn)
    node.seq = fn.seq = next_seq()
    node.extra = None
    base.node = node
    t.node = None
    meta.attr_version = -1
