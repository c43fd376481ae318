"""Plain tensors: whether a fast road may take a tensor now, what lies below it, and how views and nodes are made.

Compiled with plain.pxd beside it.
"""

import numpy as np

from ....._engine import ROADS
from ..graph.versions import EXPOSED, WRITTEN, exposed, version
from ..types.ndarrays import within
from ..types.record_slots import Record
from ..types.tensor_slots import TensorSlots
from .edges import refresh
from .levels import BatchTrace, GradTrace

ndarray = np.ndarray
WHOLE = slice(None)
OPEN = [ROADS != "general"]  # whether there is a fast road
RECORDED = (None, "multi")  # how views come about whose history is recorded


def records(m):
    """Tell whether operations are recorded at every level, and nothing but levels, or saved-tensor hooks, is in
    force."""
    if m is None or m.packing is not None:
        return True
    if m.quick is None and m.mapped is None or not m.grad:
        return False
    for _, grad in m.lower:
        if not grad:
            return False
    return True


def bottom_of(t):
    """The array of NumPy below a tensor of running levels, with the count of vmaps among them; None for any other."""
    u: TensorSlots = t
    front = 0
    while u.level_trace is not None:
        trace = u.level_trace
        if type(trace) is BatchTrace:
            front += 1
        elif type(trace) is not GradTrace:
            return None
        if trace.done:
            return None
        u = u.value
    x = u.value
    return (x, front) if type(x) is ndarray else None


def untouched(meta):
    """Tell whether a record has no tangent, and its tensor did not change its shape in place."""
    known: Record = meta
    return known is None or known.tangent is None and not known.relaid


def current(t, recording):
    """Tell whether an ambient view of floats has no tangent, and a history that is up to date or not asked for."""
    u: TensorSlots = t
    meta: Record = u.autograd_meta
    base: TensorSlots = meta.base
    if meta.tangent is not None or not untouched(base.autograd_meta):
        return False
    if not recording:
        return True
    if u.node is None and base.node is None and not base.wants_grad:
        return True
    # Both tables are empty, and cost nothing, until memory is written to or handed out.
    if EXPOSED and exposed(u.value) or WRITTEN and version(u.value) != meta.attr_version:
        refresh(t)
    return u.node is not None or base.node is None and not base.wants_grad


def bare(t):
    """Tell whether a tensor of key GENERAL is an ambient one over an array of NumPy of another dtype than float32 and
    float64, without history and tangent; of inference mode only where it is no view."""
    u: TensorSlots = t
    x = u.value
    if u.level_trace is not None or u.node is not None or u.wants_grad or type(x) is not ndarray:
        return False
    dtype = x.dtype
    if dtype.kind == "f" and dtype.itemsize > 2:
        return False
    meta: Record = u.autograd_meta
    if meta is None:
        return True
    if not untouched(meta) or meta.forward_base is not None:
        return False
    base: TensorSlots = meta.base
    if base is None:
        return True
    return not meta.inference and base.node is None and not base.wants_grad and untouched(base.autograd_meta)


def hooked(m):
    """Tell whether nothing but saved-tensor hooks is in force, and none of them has to hear of writes."""
    if m.packing is None:
        return False
    for pack, _ in m.hooks:
        if hasattr(pack, "before_write"):
            return False
    return True


def view_record(t, meta, steps, array):
    """The record of the view over `array` that a tensor with the record `meta` gives by a step, in a tuple."""
    made: Record = Record.__new__(Record)
    of: Record = meta
    if of is not None and of.base is not None:
        made.base = of.base
        made.steps = of.steps + steps
        if of.creation is not None:
            made.creation = of.creation
    else:
        made.base = t
        made.steps = steps
    if WRITTEN:
        now = version(array)
        if now:
            made.attr_version = now
    return made


def simple(s):
    """Tell whether a slice is one of ints that PyTorch takes."""
    return (s.start is None or type(s.start) is int) and (s.stop is None or type(s.stop) is int) and (
        s.step is None or type(s.step) is int and s.step > 0)


def place(key, shape):
    """`(index, name of the node, spot)` of a basic key that lies within a shape; None where torch raises, and for any
    other key.

    Slices that take a whole axis make no view in torch. An index ends with an Ellipsis, so that its output is an array;
    the spot is the same without it: the number itself, where it names one.
    """
    if within(key, shape):
        return (*key, Ellipsis), "SelectBackward0" if key else "AliasBackward0", key
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
            cut = k
            if not simple(cut):
                return None
            start, stop, step = cut.start, cut.stop, cut.step
            if start is None and stop is None and step is None or (start is None or start == 0) and (
                    step is None or step == 1) and (stop is None or stop >= shape[axis]):
                k = WHOLE
            else:
                title = "SliceBackward0"
            axis += 1
        elif k is None:
            title = "UnsqueezeBackward0"
        elif k is Ellipsis and not dotted:
            dotted = True
            # Keys behind the Ellipsis count from the last axis.
            axis = rank - sum([r is not None for r in key[len(out) + 1 :]])
            if axis < 0:
                return None
        else:
            return None
        out.append(k)
    if dotted:
        index = tuple(out) if title != "AliasBackward0" else (Ellipsis,)
        return index, title, index
    # Whole axes at the end are left out, as the Ellipsis takes them.
    while out and out[-1] is WHOLE:
        out.pop()
    spot = tuple(out)
    return (*spot, Ellipsis), title, spot
