"""Views: tensors that share memory, whose history follows the writes to their base.

A view knows its base (the root, never a view) and the steps from it, each a (view primitive, parameters). When the
memory was written to since, the history of the view is made again: the same steps from the base's newest history.
"""

import functools

import numpy as np

from ..... import _primitives, extend
from ..graph import versions
from ..graph.node_names import NamedRule
from ..modes.modes import MODES, modes
from ..state.edges import edge, record, synced, version_of
from ..state.levels import AMBIENT, ESCAPED, BatchTrace, GradTrace
from ..state.recorder import aten_of_view
from ..types.arrays import address, laid_out, namespace
from ..types.dtypes import type_word
from ..types.tensor_type import (
    FOREIGN,
    GENERAL,
    VIEW,
    TensorBase,
    at_level,
    bottom,
    cell_of,
    current,
    hollow,
    infer,
    more,
    shape_dtype,
    wrap,
)
from .overlap import crossing

ndarray = np.ndarray
GETITEM = extend.REGISTRY["getitem"]
RESHAPE = extend.REGISTRY["reshape"]
TRANSPOSE = extend.REGISTRY["transpose"]
EXPAND = extend.REGISTRY["broadcast_to"]
UPDATE = extend.REGISTRY["index_update"]
PICK = extend.REGISTRY["pick"]


def view(t, prim, params, name=None, creation=None, maker=None):
    """The view of a tensor by one view primitive; the memory is shared at every level.

    `maker` makes the array where the primitive itself would copy; it must not mind axes in front.
    """
    m = MODES.get()
    given = t, prim, params, name, creation, maker
    if m is None or m.recorder is None or name is None:
        return compute_view(*given)
    return m.recorder.run(aten_of_view(name), compute_view, given, None, (t, *params))


@functools.cache
def titled(prim, name):
    """The rule of a view under torch's name."""
    rule = prim.rule((0,))
    return rule if name is None else NamedRule(rule, name)


def compute_view(t, prim, params, name, creation, maker):
    """The view itself; `view` also shows it to a recorder."""
    trace = t.level_trace
    if trace is not None and trace is not FOREIGN and trace.done:
        if isinstance(trace, BatchTrace):
            raise RuntimeError(ESCAPED)
        return view(t.value, prim, params, name, creation, maker)
    if trace is None:
        out = wrap(prim.impl(namespace(t.value), t.value, *params) if maker is None else maker(t.value))
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
    parent = t.autograd_meta
    if parent is not None and parent.inference:
        infer(out)  # neither a view nor a part of a history: it can never be recorded
        return out
    meta = more(out)
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
    if out.dispatch_key == VIEW and (out.value.dtype not in (np.float64, np.float32) or crossing(out.value)):
        out.dispatch_key = GENERAL
    level = trace or AMBIENT
    node = edge(t) if level.recording else None
    meta.attr_version = version_of(out)
    if not level.recording:
        meta.creation = "inference" if modes().inference else "no_grad"
    elif creation is not None:
        meta.creation = creation
    if node is not None and level.recording:
        out.node = record(level, prim, params, t, node)
        if name is not None:
            out.node.more().name = name
    return out


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
    probe = hollow(shape, dtype)
    steps = synced(meta)
    if any(prim is EXPAND for prim, _ in steps):  # elements of the base that the view stands for, each once
        index = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
        for prim, params in steps:
            index = prim.impl(np, index, *params)
        steps = ((PICK, (_primitives.Places(index),)),)
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
        raise NotImplementedError(f"an in-place write through a view by {prim.name} is not implemented; clone() the "
                                  "view first")
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


def shares(out, t):
    """Tell whether two ambient tensors lie in the same memory."""
    return versions.root_of(out.value) is versions.root_of(t.value)


def retyped(t, dtype):
    """`t.view(dtype)`: the same memory read as another dtype, without history as in torch."""
    if t.level_trace is not None:
        if t.level_trace is FOREIGN or isinstance(bottom(t), TensorBase):
            raise NotImplementedError("Tensor.view(dtype) of a traced value is not implemented: it has no memory to "
                                      "read; cast the values with to(dtype)")
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
        return wrap(namespace(array).empty(shape, dtype.numpy))
    root = versions.root_of(array)
    return wrap(laid_out(shape, dtype.numpy, versions.flat(root), address(array) - address(root), strides))


# A trace that records operations on shapes alone: what a write through a view does to the history of its base.

_HELD = extend.Tracer.value  # the slot of a box, which holds its aval, or what its aval follows from


class Box(extend.Opaque):
    """A shape and dtype with a history and without elements."""

    __slots__ = ()

    @property
    def aval(self):
        """Found when it is first asked for: the last operation is seldom asked."""
        known = _HELD.__get__(self)
        if type(known) is tuple:
            prim, operands, params = known
            known = prim.shape([x.aval for x in operands], params)
            _HELD.__set__(self, known)
        return known


class Shapes(extend.Trace):
    """Records at a level what operations with rules that need shapes alone would do."""

    __slots__ = ("recorder",)

    def __init__(self, recorder):
        self.level = 0  # no value of another trace meets its own
        self.recorder = recorder

    def box(self, aval, node):
        """A value of that shape and dtype."""
        out = Box()
        out.owner = self
        _HELD.__set__(out, aval)
        out.node = node
        return out

    def process(self, prim, args):
        """Record a node, if an operand has one."""
        operands, params = prim.split(args)
        active = tuple([i for i, x in enumerate(operands) if x.node is not None])
        out = self.box((prim, operands, params), None)
        if active:
            rule = prim.rule(active)
            if rule.keeps or "ans_aval" in rule.names:
                raise AssertionError(f"the rule of {prim.name} saves more than the shapes of operands")
            avals = tuple([x.aval for x in operands])
            record = (None, *params, None, avals) if prim.variadic else (*[None] * len(avals), *params, None, *avals)
            nodes = tuple([operands[i].node for i in active])
            saved = None if rule.collect is None else rule.collect((*record, None))
            out.node = self.recorder.node(rule, nodes if len(nodes) > 1 else nodes[0], saved)
        return out
