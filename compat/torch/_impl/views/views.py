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
    cell_of,
    current,
    edge,
    more,
    needs_grad,
    version_of,
    wrap,
)
from ..types.tensor_type import GENERAL, VIEW

ndarray = np.ndarray
GETITEM = extend.REGISTRY["getitem"]
RESHAPE = extend.REGISTRY["reshape"]
TRANSPOSE = extend.REGISTRY["transpose"]
EXPAND = extend.REGISTRY["broadcast_to"]
REAL = extend.REGISTRY["real"]
IMAG = extend.REGISTRY["imag"]
UPDATE = extend.REGISTRY["index_update"]
PICK = extend.REGISTRY["pick"]
IMPLANT = extend.REGISTRY["implant"]
AS_REAL = extend.REGISTRY["as_real"]
AS_COMPLEX = extend.REGISTRY["as_complex"]
_STALE = Lock()  # two threads must not both make the history of one view again


def batched_step(prim, params, size, shape):
    """The same step on values of `shape` with a batch axis in front."""
    if prim is PICK:
        return (params[0].batched(size, int(np.prod(shape, dtype=np.int64))),)
    if prim is GETITEM:
        index = params[0] if type(params[0]) is tuple else (params[0],)
        return ((slice(None), *index),)
    if prim is RESHAPE or prim is EXPAND:
        return ((size, *params[0]),)
    if prim is TRANSPOSE:
        return ((0, *[a + 1 for a in params[0]]),)
    return params


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
        return at_level(trace, view(below, prim, batched_step(prim, params, trace.size, shape), maker=maker))
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
        out.node = record(level, prim, params, t, node, name)
    return out


def record(level, prim, params, source, node, name=None):
    """The node of a view step."""
    rule = prim.rule((0,))
    saved = None
    if rule.collect is not None:
        aval = source_aval(source)
        saved = rule.collect((None, *params, None, aval, None))
    made = level.node(rule, node, saved)
    if name is not None:
        made.more().name = name
    return made


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
        after = prim.impl(np, probe, *params)
        rule = prim.rule((0,))
        aval = extend.make_aval(probe.shape, probe.dtype)
        saved = None if rule.collect is None else rule.collect((None, *params, None, aval, None))
        node = level.node(rule, node, saved)
        probe = after
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
    outer = []
    for prim, params in steps:
        outer.append(probe)
        probe = prim.impl(np, probe, *params)
    # Edges before the write, from the base inwards: the parts of the old base that are kept.
    edges = [base_edge]
    for (prim, params), x in zip(steps[:-1], outer[:-1]):
        edges.append(None if edges[-1] is None else put_record(level, prim, (params, x), edges[-1]))
    for (prim, params), x, old in zip(reversed(steps), reversed(outer), reversed(edges)):
        node = put_back(level, prim, params, x, old, node)
    if node is not None:
        extra = node.more()
        extra.name = "torch::autograd::CopySlices"
        extra.edges = (base_edge, *(edges_beside or ()))
    move_history(base, node)
    if base.autograd_meta is not None and base.autograd_meta.base is None:
        base.autograd_meta.attr_version = version_of(base)


def put_record(level, prim, where, node):
    """The node of a view step of the base as it was before a write."""
    params, x = where
    rule = prim.rule((0,))
    aval = extend.make_aval(x.shape, x.dtype)
    return level.node(rule, node, None if rule.collect is None else rule.collect((None, *params, None, aval, None)))


def put_back(level, prim, params, x, old, part):
    """The node of `x` with a view of it replaced by `part` (nodes; None for constants)."""
    if prim is GETITEM:
        inner = x[params[0]]
        active = tuple([i for i, n in enumerate((old, part)) if n is not None])
        if not active:
            return None
        rule = UPDATE.rule(active)
        avals = (extend.make_aval(x.shape, x.dtype), extend.make_aval(inner.shape, x.dtype))
        saved = rule.collect((None, None, params[0], False, False, None, *avals, None))
        nodes = tuple([n for n in (old, part) if n is not None])
        return level.node(rule, nodes if len(nodes) == 2 else nodes[0], saved)
    if prim is PICK:
        active = tuple([i for i, n in enumerate((old, part)) if n is not None])
        if not active:
            return None
        aval = extend.make_aval(params[0].index.shape, x.dtype)
        rule = IMPLANT.rule(active)
        saved = rule.collect((None, None, params[0], None, extend.make_aval(x.shape, x.dtype), aval, None))
        nodes = tuple([n for n in (old, part) if n is not None])
        return level.node(rule, nodes if len(nodes) == 2 else nodes[0], saved)
    if prim.name in PUT:
        return PUT[prim.name](level, x, old, part)
    if part is None:
        return None if old is None else zeroed(level, x, old)
    if prim is RESHAPE:
        inverse, arguments, aval = RESHAPE, (x.shape,), prim.impl(np, x, *params)
    elif prim is TRANSPOSE:
        back = [0] * len(params[0])
        for i, a in enumerate(params[0]):
            back[a] = i
        inverse, arguments, aval = TRANSPOSE, (tuple(back),), prim.impl(np, x, *params)
    elif prim in (AS_REAL, AS_COMPLEX):
        inverse, arguments, aval = AS_COMPLEX if prim is AS_REAL else AS_REAL, (), prim.impl(np, x)
    else:
        raise NotImplementedError(f"an in-place write through a view by {prim.name} is not supported; clone() the view "
                                  "first")
    rule = inverse.rule((0,))
    aval = extend.make_aval(aval.shape, aval.dtype)
    saved = None if rule.collect is None else rule.collect((None, *arguments, None, aval, None))
    return level.node(rule, part, saved)


def zeroed(level, x, old):
    """A node that passes zeros on: the old contents were all replaced by constants."""
    rule = UPDATE.rule((0,))
    aval = extend.make_aval(x.shape, x.dtype)
    return level.node(rule, old, rule.collect((None, None, Ellipsis, False, False, None, aval, aval, None)))


PUT = {}  # view primitives that write in a way of their own: real, imag, strided


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
