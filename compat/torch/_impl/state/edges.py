"""The node of a tensor as an operand: its own, a leaf's accumulator, a view's after a write to the memory.

Compiled with edges.pxd beside it.
"""

from threading import Lock
from weakref import ref

import numpy as np

from ..... import _engine, extend
from ..graph import versions
from ..graph.anomaly import stamp
from ..graph.node import AccumulateGrad, Sink
from ..graph.node_data import short, visible
from ..graph.node_names import NamedRule
from ..modes.modes import MODES
from ..types.arrays import ARRAYS
from ..types.blank import blank_node
from ..types.record_slots import Record
from ..types.size import OtherLayout
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FOREIGN, INFERRED, bottom, cell_of, hollow, more, needs_grad, shape_dtype
from .aliases import look
from .levels import AMBIENT

next_seq = _engine.next_seq
get_modes = MODES.get
GETITEM = extend.REGISTRY["getitem"]
_STALE = Lock()  # two threads must not both make the history of one view again


def edge(t):
    """The node of a tensor as an operand: its `grad_fn`, the accumulator of a leaf, or None. Views are brought up to
    date first."""
    meta: Record = t.autograd_meta
    if meta is not None and meta.base is not None:
        node = refresh(t)
    else:
        node = t.node
    if node is None and (t.wants_grad or meta is not None and meta.base is not None and t.level_trace is not FOREIGN
                         and needs_grad(meta.base)):
        return accumulator(t) if t.wants_grad or made_through(t) else sink(t)
    return node


def made_aside(t):
    """Tell whether a view was made without history, as in no_grad: a leaf, whatever became of its memory."""
    return t.node is None and t.autograd_meta is not None and t.autograd_meta.creation is not None


def made_through(t):
    """Tell whether a view without history of its own was made while recording."""
    return t.autograd_meta.creation is None


def sink(t):
    """The node of a view made in no_grad of what requires a gradient."""
    return accumulator(t, Sink)


def accumulator(t, kind=AccumulateGrad):
    """The node of a leaf, cached weakly on it."""
    meta: Record = t.autograd_meta
    found = None if meta is None else meta.accumulator
    node = None if found is None else found()
    # A node of the other kind is of no use: an accumulator keeps a gradient, a sink drops it.
    if node is None or node.lost is not kind.lost:
        if meta is None or meta is INFERRED:
            meta = more(t)
        node = blank_node(kind)
        node.rule = None
        node.parents = ()
        node.saved = t
        node.seq = next_seq()
        node.extra = None
        meta.accumulator = ref(node)
        m = get_modes()
        if m is not None and (m.anomaly is not None or m.nans is not None):
            stamp(node)
    return node


def version_of(t):
    """torch's `_version`: how often the memory was written to in place."""
    b = bottom(t)
    if isinstance(b, OtherLayout):
        b = b.memory()
    if type(b) in ARRAYS:
        look(b)
        return versions.version(b)
    base = b if b.autograd_meta is None or b.autograd_meta.base is None else b.autograd_meta.base
    return cell_of(base)


def refresh(t):
    """The node of a view, made again if the memory was written to since it was made."""
    if t.level_trace is FOREIGN:
        return None
    meta: Record = t.autograd_meta
    now = versions.version(t.value) if t.level_trace is None and not versions.exposed(t.value) else version_of(t)
    if meta.attr_version == now:
        return t.node
    with _STALE:
        # Another thread may have made it while this one waited.
        if meta.attr_version == now:
            return t.node
        base = meta.base
        if t.node is None and not needs_grad(base):
            return None
        if meta.creation is not None:
            raise RuntimeError(refusal(t, "its base or another view of its base has been"))
        node = edge(base)
        if node is not None:
            replay(t, node)
        meta.attr_version = now
    return t.node


def is_current(t):
    """Tell whether the node of an ambient view of floats is up to date; brings it up to date."""
    m = MODES.get()
    if m is not None and m.packing is None or not untangled(t):
        return False
    meta: Record = t.autograd_meta
    if versions.EXPOSED and versions.exposed(t.value) or (
            versions.WRITTEN and versions.version(t.value) != meta.attr_version):
        refresh(t)
    return t.node is not None or not needs_grad(meta.base)


def untangled(t):
    """Tell whether neither an ambient view of floats nor its base has a tangent."""
    meta: Record = t.autograd_meta
    base: TensorSlots = meta.base
    more_of_base: Record = base.autograd_meta
    return meta.tangent is None and (more_of_base is None or more_of_base.tangent is None)


def synced(meta):
    """The steps from the base of a view, which may have changed its shape in place since they were noted."""
    base = meta.base.autograd_meta
    if base is not None and meta.since < len(base.relaid):
        back = base.relaid[: len(base.relaid) - meta.since]
        if None in back:
            raise NotImplementedError("as_strided_() left out elements of the base of this view, which has their "
                                      "history no longer; use as_strided(), or make the view afterwards")
        meta.steps = (*back, *meta.steps)
        meta.since = len(base.relaid)
        meta.put = None
    return meta.steps


def replay(t, node):
    """Make the history of a view from the newest one of its base."""
    level = t.level_trace or AMBIENT
    base = t.autograd_meta.base
    first = node
    shape, dtype = shape_dtype(base)
    steps = synced(t.autograd_meta)
    if len(steps) == 1 and steps[0][0] is GETITEM and t.node is None:  # nothing to name by hand, no hook to move
        t.node = level.node(AS_STRIDED, node, (extend.make_aval(shape, dtype), steps[0][1][0]))
        return
    probe = hollow(shape, dtype)
    for prim, params in steps:
        node = record(level, prim, params, extend.aval_of(probe), node)
        probe = prim.impl(np, probe, *params)
    extra = node.more()
    extra.name = "AsStridedBackward0"
    extra.edges = (first,)
    before = t.node
    t.node = node
    if before is not None and before.extra is not None and before.extra.retained is not None:
        found = before.extra.retained
        if found() is t:
            before.extra.retained = None
            node.ensure_hooks().retained = found


AS_STRIDED = NamedRule(GETITEM.rule((0,)), "AsStridedBackward0")
if AS_STRIDED.names != ("x_aval", "index"):
    raise AssertionError(f"the rule of getitem saves other things than replay writes: {AS_STRIDED.names}")


def record(level, prim, params, source, node):
    """The node of a view step from a tensor, or from what has an aval."""
    rule = prim.rule((0,))
    saved = None
    if rule.collect is not None:
        aval = source if type(source) is extend.Aval else source_aval(source)
        saved = rule.collect((None, *params, None, aval, None))
    return level.node(rule, node, saved)


def source_aval(t):
    """Shape and dtype of a tensor as its own level sees them."""
    shape, dtype = shape_dtype(t)
    return extend.make_aval(shape, dtype)


def refusal(t, what):
    """torch's message for a view that must not be written to, or whose base was."""
    creation = t.autograd_meta.creation
    node = t.node
    mode, where, block = (("inference", "in normal mode", "inference_mode") if creation == "inference" else
                          ("no_grad", "with grad mode enabled", "no_grad"))
    head = f"A view was created in {mode} mode and {what} modified inplace {where}. "
    if node is not None:
        shown, nr = visible(node)
        head = f"Output {nr} of {short(shown.name())} is a view and {what} modified inplace. "
        if creation in ("no_grad", "inference"):
            head = (f"Output {nr} of {short(shown.name())} is a view of a view which was created in {mode} mode and "
                    f"{what} modified inplace {where}. ")
    if creation == "multi":
        return (head + "This view is the output of a function that returns multiple views. Such functions do not allow "
                "the output views to be modified inplace. You should replace the inplace operation by an out-of-place "
                "one.")
    if creation == "custom":
        return (head + "This view was created inside a custom Function (or because an input was returned as-is) and "
                "the autograd logic to handle view+inplace would override the custom backward associated with the "
                "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by "
                "cloning the output of the custom Function.")
    return (head + "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code "
            f"by moving both the view and the inplace either both inside the {block} block (if you don't want the "
            "inplace to be tracked) or both outside (if you want the inplace to be tracked).")
