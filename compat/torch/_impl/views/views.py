"""Views: tensors that share memory, whose history follows the writes to their base.

A view knows its base (the root, never a view) and the steps from it, each a (view primitive, parameters). When the
memory was written to since, the history of the view is made again: the same steps from the base's newest history.
"""

from threading import Lock

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.node import NamedRule, short, visible
from ..modes.modes import MODES, modes
from ..state.levels import AMBIENT, FOREIGN, BatchTrace, GradTrace
from ..state.recorder import aten_of_view
from ..state.state import (
    ESCAPED,
    REFRESH,
    at_level,
    bottom,
    cell_of,
    current,
    edge,
    more,
    needs_grad,
    version_of,
    wrap,
)
from ..types.dtypes import type_word
from ..types.tensor_type import GENERAL, VIEW, TensorBase
from .shape_trace import Shapes

ndarray = np.ndarray
GETITEM = extend.REGISTRY["getitem"]
RESHAPE = extend.REGISTRY["reshape"]
TRANSPOSE = extend.REGISTRY["transpose"]
EXPAND = extend.REGISTRY["broadcast_to"]
UPDATE = extend.REGISTRY["index_update"]
PICK = extend.REGISTRY["pick"]
_STALE = Lock()  # two threads must not both make the history of one view again


def view(t, prim, params, name=None, creation=None, maker=None):
    """The view of a tensor by one view primitive; the memory is shared at every level.

    `maker` makes the array where the primitive itself would copy; it must not mind axes in front.
    """
    m = MODES.get()
    if m is None or m.recorder is None or name is None:
        return made(t, prim, params, name, creation, maker)
    return m.recorder.run(aten_of_view(name), made, (t, prim, params, name, creation, maker), None, (t, *params))


def made(t, prim, params, name, creation, maker):
    """What `view` does."""
    trace = t.level_trace
    if trace is not None and trace is not FOREIGN and trace.done:
        if isinstance(trace, BatchTrace):
            raise RuntimeError(ESCAPED)
        return view(t.value, prim, params, name, creation, maker)
    if trace is None:
        out = wrap(prim.impl(np, t.value, *params) if maker is None else maker(t.value))
    elif trace is FOREIGN:
        out = at_level(FOREIGN, prim.fun(current(t), *params))
    elif isinstance(trace, GradTrace):
        out = at_level(trace, view(t.value, prim, params, maker=maker))
    else:
        shape = shape_dtype(t)[0]
        below = t.value
        if prim is EXPAND and len(params[0]) > len(shape):  # its new axes go behind that of the batch
            below = view(below, GETITEM, ((slice(None), *(None,) * (len(params[0]) - len(shape)), Ellipsis),))
        return at_level(trace, view(below, prim, prim.batch_params(params, trace.size, shape), maker=maker))
    meta = more(out)
    parent = t.autograd_meta
    if parent is not None and parent.inference:
        meta.inference = True  # neither a view nor a part of a history: it can never be recorded
        out.dispatch_key = GENERAL
        return out
    if parent is not None and parent.base is not None:
        meta.base = parent.base
        meta.steps = (*synced(parent), (prim, params))
        meta.since = parent.since
        meta.creation = parent.creation
    else:
        meta.base = t
        meta.steps = ((prim, params),)
        meta.since = 0 if parent is None else len(parent.relaid)
    if parent is not None and parent.tangent is not None:
        meta.forward_base, meta.forward_steps = t, ((prim, params),)
    elif parent is not None and parent.forward_base is not None:
        meta.forward_base, meta.forward_steps = parent.forward_base, (*parent.forward_steps, (prim, params))
    if meta.forward_base is not None:
        out.dispatch_key = GENERAL
    if trace is FOREIGN:
        meta.cell = cell_of(meta.base)
        return out
    out.dispatch_key = out.dispatch_key or VIEW
    if out.dispatch_key == VIEW and out.value.dtype not in (np.float64, np.float32):
        out.dispatch_key = GENERAL
    level = trace or AMBIENT
    node = edge(t) if level.recording else None
    meta.attr_version = version_of(out)
    if not level.recording:
        meta.creation = meta.creation or ("inference" if modes().inference else "no_grad")
    elif creation is not None:
        meta.creation = creation
    if node is not None and level.recording:
        out.node = record(level, prim, params, t, node)
        if name is not None:
            out.node.more().name = name
    return out


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


def shape_dtype(t):
    """`(shape, NumPy dtype)`; a batch level takes one axis away."""
    value = t.value
    hidden = 0
    while not isinstance(value, ndarray):
        trace = t.level_trace
        if trace is FOREIGN:
            value = current(t)
            return tuple(value.shape)[hidden:], value.dtype
        if not isinstance(trace, GradTrace):
            hidden += 1
        t = value
        value = t.value
    return value.shape[hidden:], value.dtype


def refresh(t):
    """The node of a view, made again if the memory was written to since it was made."""
    if t.level_trace is FOREIGN:
        return None
    meta = t.autograd_meta
    now = versions.version(t.value) if t.level_trace is None and not versions.EXPOSED else version_of(t)
    if meta.attr_version == now:
        return t.node
    with _STALE:
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


REFRESH.append(refresh)


def fresh(t):
    """Whether the node of an ambient view of floats is up to date; brings it up to date."""
    if MODES.get() is not None or not untangled(t):
        return False
    meta = t.autograd_meta
    if versions.EXPOSED or versions.WRITTEN and versions.version(t.value) != meta.attr_version:
        refresh(t)
    return t.node is not None or not needs_grad(meta.base)


def untangled(t):
    """Whether neither an ambient view of floats nor its base has a tangent."""
    meta = t.autograd_meta
    base = meta.base.autograd_meta
    return meta.tangent is None and (base is None or base.tangent is None)


def synced(meta):
    """The steps from the base of a view, which may have changed its shape in place since they were noted."""
    base = meta.base.autograd_meta
    if base is not None and meta.since < len(base.relaid):
        meta.steps = (*base.relaid[: len(base.relaid) - meta.since], *meta.steps)
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
    probe = np.broadcast_to(np.empty((), dtype), shape)
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


def rebase(t, node, base_edge, edges_beside):
    """Give the base of a view the history of a write through the view: CopySlices, then the view's own again.

    Args:
        node: what wrote the view (None: constants); base_edge: the base's history before the write.
        edges_beside: those that the node shows beside it, or None.
    """
    meta = t.autograd_meta
    base = meta.base
    level = t.level_trace or AMBIENT
    shape, dtype = shape_dtype(base)
    probe = np.broadcast_to(np.empty((), dtype), shape)
    steps = synced(meta)
    if any(prim is EXPAND for prim, _ in steps):  # elements of the base that the view stands for, each once
        index = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
        for prim, params in steps:
            index = prim.impl(np, index, *params)
        steps = ((PICK, (extend.Places(index),)),)
    avals = [extend.aval_of(probe)]
    for prim, params in steps:
        probe = prim.impl(np, probe, *params)
        avals.append(extend.aval_of(probe))
    # Edges before the write, from the base inwards: the parts of the old base that are kept.
    edges = [base_edge]
    for (prim, params), aval in zip(steps[:-1], avals):
        edges.append(None if edges[-1] is None else record(level, prim, params, aval, edges[-1]))
    shapes = Shapes(level)
    for (prim, params), aval, inner, old in zip(reversed(steps), avals[-2::-1], avals[::-1], reversed(edges)):
        node = put_value(prim, params, shapes.box(aval, old), shapes.box(inner, node)).node
        if node is None and old is not None:
            node = zeroed(level, aval, old)
    if node is not None:
        extra = node.more()
        extra.name = "torch::autograd::CopySlices"
        extra.edges = (base_edge, *(edges_beside or ()))
    move_history(base, node)
    if base.autograd_meta is not None and base.autograd_meta.base is None:
        base.autograd_meta.attr_version = version_of(base)


def put_value(prim, params, x, part):
    """`x` with a view of it replaced by `part`."""
    if prim.unview is None:
        raise NotImplementedError(f"an in-place write through a view by {prim.name} is not built; clone() the view "
                                  "first")
    return prim.unview(x, part, *params)


def zeroed(level, aval, old):
    """A node that passes zeros on: the old contents were all replaced by constants."""
    rule = UPDATE.rule((0,))
    return level.node(rule, old, rule.collect((None, None, Ellipsis, False, False, None, aval, aval, None)))


def move_history(t, node):
    """Make `node` the history of a tensor that was written to: the hooks start anew, a retained gradient follows."""
    before = t.node
    t.node = node
    if before is not None and before.extra is not None and before.extra.retained is not None and node is not None:
        found = before.extra.retained
        if found() is t:
            before.extra.retained = None
            node.ensure_hooks().retained = found
    if node is not None:
        t.wants_grad = False


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


def shares(out, t):
    """Whether two ambient tensors lie in the same memory."""
    return versions.root_of(out.value) is versions.root_of(t.value)


def retyped(t, dtype):
    """`t.view(dtype)`: the same memory read as another dtype, without history as in torch."""
    if t.level_trace is not None:
        if t.level_trace is FOREIGN or isinstance(bottom(t), TensorBase):
            raise NotImplementedError("Tensor.view(dtype) of a traced value is not built: it has no memory to read; "
                                      "cast the values with to(dtype)")
        return at_level(t.level_trace, retyped(t.value, dtype))
    array, shape, steps = t.value, t.shape, t.stride()
    old, new = array.itemsize, dtype.itemsize
    words = f"view {type_word(array.dtype)} as {type_word(dtype.numpy)} (different element sizes)"
    strides = list(array.strides)
    shape = list(shape)
    if old != new:
        if not shape:
            raise RuntimeError(f"self.dim() cannot be 0 to {words}")
        if steps[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to {words}, but got {steps[-1]}")
        if new > old:
            k = new // old
            if shape[-1] % k:
                raise RuntimeError(f"self.size(-1) must be divisible by {k} to {words}, but got {shape[-1]}")
            if t.storage_offset() % k:
                raise RuntimeError(f"self.storage_offset() must be divisible by {k} to {words}, but got "
                                   f"{t.storage_offset()}")
            for i, s in enumerate(steps[:-1]):
                if s % k:
                    raise RuntimeError(f"self.stride({i}) must be divisible by {k} to {words}, but got {s}")
        shape[-1] = shape[-1] * old // new
        strides[-1] = new
    if not array.size:
        return wrap(np.empty(shape, dtype.numpy))
    root = versions.root_of(array)
    return wrap(np.ndarray(shape, dtype.numpy, versions.flat(root), array.ctypes.data - root.ctypes.data, strides))
