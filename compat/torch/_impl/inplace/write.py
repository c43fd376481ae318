"""Writing a core value into a tensor: the memory once, at the bottom, and the history and tangent at each level."""

import numpy as np

from ..... import _engine, _interpreters, extend
from ..graph import versions
from ..graph.node_data import visible
from ..modes.modes import MODES
from ..state.edges import edge, replay, version_of
from ..state.levels import AMBIENT, BatchTrace
from ..state.meta import library
from ..types.arrays import ARRAYS, writeable
from ..types.tensor_type import FOREIGN, GENERAL, TensorBase, bottom, cell_of, current, more, shape_dtype, wrap
from ..values.core_values import lift, lower
from ..values.tangents import epoch_of, set_tangent, tangent_of, viewed
from ..views.views import EXPAND, move_history, put_value, rebase


def write(t, new, pushed=False):
    """Write a core value into the memory of a tensor, and its history at every level.

    `pushed` says that a level above has a tangent, whose own history refers to that of the value.
    """
    trace = t.level_trace
    if trace is FOREIGN:
        write_foreign(t, new)
        return
    if trace is not None and trace.done:
        write(t.value, new, pushed)
        return
    if type(trace) is BatchTrace:
        if type(new) is extend.Batched and new.owner is trace:
            write(t.value, new.value, pushed)
        else:
            shape, _ = shape_dtype(t.value)
            write(t.value, EXPAND.fun(new, shape), pushed)
        return
    level = trace or AMBIENT
    mine = isinstance(new, _interpreters.Ambient) and new.owner is level
    node = new.node if mine else None
    value = new.value if mine else new
    pushed = pushed or mine and new.tangent is not None
    recording = level.recording
    view = t.autograd_meta is not None and t.autograd_meta.base is not None
    base_edge = edge(t.autograd_meta.base) if view and recording else None
    before = edge(t) if view and recording else t.node
    if trace is None:
        store(t, value)
    else:
        rescue(t)
        write(t.value, value, pushed)
    if mine and node is not None and trace is None and not pushed and not (view and keeps_answer(node)):
        substitute(node, value, t.value)
    if recording and node is not None:
        if view:
            rebase(t, node, base_edge, written(node, before))
            if before is None or before.extra is None or before.extra.quiet:  # made when somebody reads it
                t.autograd_meta.attr_version = -1
            else:
                replay(t, edge(t.autograd_meta.base))
                t.autograd_meta.attr_version = version_of(t)
        else:
            move_history(t, node)
    if mine and new.tangent is not None:
        write_tangent(t, new.tangent)


def written(node, before):
    """The edges of a write that CopySlices shows beside its base."""
    extra = node.extra
    if extra is not None and extra.edges is not None:
        return extra.edges[1:]
    shown = [f for f, _ in node.operands()]
    first = None if before is None else visible(before)[0]
    for i, f in enumerate(shown):
        if f is first:
            del shown[i]  # once: the value may come from the same node
            break
    return tuple(shown)


def store(t, value):
    """Copy an array into the memory of an ambient tensor and count the write."""
    array = t.value
    rescue(t)
    m = MODES.get()
    if m is not None and m.hooks:
        for pack, _ in m.hooks:
            before = getattr(pack, "before_write", None)
            if before is not None:
                before(array)
    if isinstance(value, extend.Tracer):
        raise RuntimeError(
            "a value of a running covector transform would be written into a tensor made outside of it, where its "
            "derivative would be lost; make the tensor inside the transformed function, or return the value"
        )
    if not writeable(array):
        array = writable(array)
    array[...] = value
    versions.bump(array)


# Their rules save the answer where PyTorch's save the operands: a write to the answer must stay legal. The
# rule of a root is that of `x ** 0.5` as well, whose operand PyTorch saves.
KEEPERS = frozenset("absolute divide erfinv fmod sinc sqrt".split())


def keeps_answer(node):
    """Tell whether a node saved its output where PyTorch's does not."""
    rule = node.rule
    return rule is not None and rule.prim is not None and rule.prim.name in KEEPERS and not (
        rule.prim.name == "sqrt" and node.name().startswith("Sqrt"))


def rescue(t):
    """Give a node that saved its output, where PyTorch's does not, a copy before the output is written to."""
    meta = t.autograd_meta
    source = t if meta is None or meta.base is None else meta.base
    node = source.node
    if node is None or not keeps_answer(node):
        return
    rule = node.rule
    packed = node.extra is not None and node.extra.packing is not None
    if -1 not in rule.origins or node.saved is _engine.FREED or packed:
        return
    items = (node.saved,) if len(rule.origins) == 1 else node.saved
    items = tuple([copied(x) if origin == -1 else x for x, origin in zip(items, rule.origins)])
    node.saved = items[0] if len(items) == 1 else items
    tangents = None if node.extra is None else node.extra.tangents
    if tangents and tangents.get(-1) is not None:  # the answer's tangent is written to as well
        node.extra.tangents = {**tangents, -1: copied(tangents[-1])}


def copied(x):
    """A core value in memory of its own, with its history."""
    if type(x) is _interpreters.Ambient:
        return x.owner.box(copied(x.value), x.aval, x.node, None if x.tangent is None else copied(x.tangent))
    if isinstance(x, extend.Batched):
        return extend.make_batched(x.owner, copied(x.value))
    return x.copy() if type(x) in ARRAYS else x


def writable(array):
    """A writable twin of a read-only view (NumPy makes what `expand` gives read-only) of writable memory."""
    root = versions.root_of(array)
    if not root.flags.writeable:
        raise RuntimeError("the memory of this tensor is read-only (it came from a read-only NumPy array); clone() it "
                           "before writing to it")
    offset = array.ctypes.data - root.ctypes.data
    return np.ndarray(array.shape, array.dtype, versions.flat(root), offset, array.strides)


def substitute(node, answer, memory):
    """Let a rule that saved its output refer to the memory it was written to: a later write is then noticed."""
    rule = node.rule
    if rule.prim is None or -1 not in rule.origins or node.extra is not None and node.extra.packing is not None:
        return
    if len(rule.origins) == 1:
        node.saved = memory if node.saved is answer else node.saved
    else:
        node.saved = tuple([memory if x is answer else x for x in node.saved])
    node.seq = _engine.next_seq()


def write_foreign(t, new):
    """Replace the value of a tensor without memory, or the part of its base that a view stands for."""
    meta = t.autograd_meta
    if meta is None or meta.base is None:
        t.value = new
        more(t).cell = cell_of(t) + 1
        return
    base = meta.base
    parts = [current(base)]
    for prim, params in meta.steps:
        parts.append(prim.fun(parts[-1], *params))
    for (prim, params), x in zip(reversed(meta.steps), reversed(parts[:-1])):
        new = put_value(prim, params, x, new)
    base.value = new
    more(base).cell = cell_of(base) + 1


def write_tangent(t, value):
    """After an in-place write: the tangent is written in place too, or set; that of a view in its base's."""
    while isinstance(value, _interpreters.Ambient) and value.owner is t.level_trace:
        value = value.value  # of a level's own kind, and constant there
    old = tangent_of(t)
    if old is None:
        base = None if t.autograd_meta is None else viewed(t.autograd_meta)
        if base is None:
            set_tangent(t, lift(value))
            return
        shape, dtype = shape_dtype(base)
        more(base).tangent = (epoch_of(base), wrap(library(base).zeros(shape, dtype)), False)
        base.dispatch_key = GENERAL
        if t.autograd_meta.forward_base is None:
            t.autograd_meta.forward_base, t.autograd_meta.forward_steps = base, t.autograd_meta.steps
        old = tangent_of(t)
    shape, dtype = shape_dtype(old)
    if value.dtype != dtype:
        value = value.astype(dtype)
    if tuple(value.shape) != shape:
        value = EXPAND.fun(value, shape)
    source, steps = t, ()
    if t.autograd_meta.tangent is None:
        source = viewed(t.autograd_meta)
        steps = t.autograd_meta.forward_steps if t.autograd_meta.forward_base is not None else t.autograd_meta.steps
    if holds(old, value) and (not steps or versions.root_of(bottom(old)) is versions.root_of(
            bottom(tangent_of(source)))):  # a part of the tangent may be a copy where that of the value is a view
        write(old, value)
        return
    whole = [lower(tangent_of(source))]
    for prim, params in steps:
        whole.append(prim.fun(whole[-1], *params))
    for (prim, params), x in zip(reversed(steps), reversed(whole[:-1])):
        value = put_value(prim, params, x, value)
    more(source).tangent = (epoch_of(source), lift(value), False)


def holds(t, value):
    """Tell whether a tangent's memory can take a value: both of the ambient level, or of the same levels."""
    u = lift(value)
    while isinstance(t.value, TensorBase) and isinstance(u.value, TensorBase):
        if t.level_trace is not u.level_trace:
            return False
        t, u = t.value, u.value
    return t.level_trace is u.level_trace is None and writeable(t.value)
