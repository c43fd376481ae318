"""Tensor: a value of one level, its place on the tape, and what torch shows of both."""

from weakref import ref

import numpy as np

from ..... import extend
from ..graph import versions
from ..graph.anomaly import stamp
from ..graph.node import AccumulateGrad, Sink
from ..modes.modes import grad_levels, modes
from ..types.tensor_type import FAST, GENERAL, Tensor, TensorBase
from .levels import AMBIENT, FOREIGN, BatchTrace, GradTrace

ndarray = np.ndarray
Tracer = extend.Tracer
Ambient = extend.Ambient
_PLAIN = (np.dtype(np.float64), np.dtype(np.float32))


class Record:
    """What few tensors have: gradient, hooks, the base and steps of a view, a tangent, an explicit version counter.

    The defaults are the class's: a view sets three of them, and 17 assignments would cost more than all the rest of it.
    """

    grad = hooks = post = accumulator = None
    base = None  # the root of a view, never a view itself
    steps = ()
    attr_version = 0  # the version of the memory at which `node` was valid
    creation = None  # None, "no_grad", "multi", "custom", "inference": how a view was made
    tangent = None  # (epoch, Tensor)
    cell = None  # the version of a tensor without memory of its own kind (FOREIGN)
    children = name = layout = grad_dtype = None
    retains = inference = False
    forward_base = None  # the dual tensor that a view was taken of, and the steps from it
    forward_steps = ()
    mapped = None  # of a value of a vmap: what it was made of, and the mapped axis of that, if not the first
    put = None  # what view_lanes.py keeps of a view that is written to
    relaid = ()  # of a base that changed its shape in place: the steps back to older shapes, newest first
    since = 0  # of a view: how many of those its steps know of


def more(t):
    """The `Record` of a tensor, made when first asked for."""
    if t.autograd_meta is None:
        t.autograd_meta = Record()
    return t.autograd_meta


def wrap(array, kind=None):
    """An ambient tensor over an array, without history."""
    if type(array) is not ndarray:
        array = np.asarray(array)
    t = new(kind or Tensor)
    t.value = array
    t.node = t.autograd_meta = t.level_trace = None
    t.wants_grad = False
    t.dispatch_key = FAST if array.dtype in _PLAIN else GENERAL
    return t


new = object.__new__  # a tensor without its constructor


def at_level(trace, value):
    """A tensor of a level over the value below it."""
    t = new(Tensor)
    t.value = value
    t.node = t.autograd_meta = None
    t.level_trace = trace
    t.wants_grad = False
    t.dispatch_key = GENERAL
    return t


def inside(out, m):
    """Outputs as values of the running transforms, also where they depend on none of their arguments: they may be
    written to."""
    if isinstance(out, tuple):
        made = [inside(t, m) for t in out]
        return type(out)(*made) if hasattr(out, "_fields") else tuple(made)
    if not isinstance(out, TensorBase) or out.level_trace is FOREIGN:
        return out
    top = 0
    t = out
    while isinstance(t, TensorBase):
        if t.level_trace is FOREIGN:
            return out
        if t.level_trace is not None:
            top = max(top, t.level_trace.level)
        base, t = t, t.value
    if m.foreign is not None:
        if top < m.foreign:
            out = at_level(FOREIGN, lower(out))
            top = m.foreign
        elif base.autograd_meta is None:  # made just now, by an operation at a level above
            base.value, base.node, base.level_trace, base.dispatch_key = lower(base), None, FOREIGN, GENERAL
    for level in grad_levels(m):
        if level.level > top:
            out = at_level(level, out)
    return out


def lower(t, fresh=False):
    """The core value of a tensor: an array, or what covector's transforms see. `fresh` copies the memory, and that of
    its tangent."""
    trace = t.level_trace
    if trace is None:
        value = t.value.copy() if fresh else t.value
        if t.dispatch_key == FAST and t.node is None and not t.wants_grad:
            return value
        node = edge(t) if AMBIENT.recording else None
        tangent = tangent_of(t)
        if node is None and tangent is None:
            return value
        return AMBIENT.box(value, node=node, tangent=None if tangent is None else lower(tangent, fresh))
    if trace is FOREIGN:
        return current(t)
    if trace.done:
        if isinstance(trace, BatchTrace) and not trace.own:
            raise RuntimeError(ESCAPED)
        return lower(t.value, fresh)
    if isinstance(trace, GradTrace):
        tangent = tangent_of(t)
        node = edge(t) if trace.recording else None
        if node is None and tangent is None and bottom_dtype(t).kind in "biu":
            return lower(t.value, fresh)  # integers are no values of the level: an index or a count may be read
        return trace.box(lower(t.value, fresh), node=node, tangent=None if tangent is None else lower(tangent, fresh))
    return extend.make_batched(trace, lower(t.value, fresh))


def bottom_dtype(t):
    """The NumPy dtype of a tensor."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t.value.dtype


ESCAPED = ("Either your tensor may have escaped from inside a function being vmapped, or it is used in another thread "
           "than that vmap's: it stands for one example of a batch of which the vmap has ended. Return it from the "
           "mapped function instead")


def lift(v):
    """The tensor of a core value."""
    if type(v) is ndarray or not isinstance(v, Tracer):
        return wrap(v)
    if v.owner is None:  # a buffer of core's, as copies of traced values are
        return lift(v.read())
    if type(v) is Ambient:
        trace = v.owner
        if trace is AMBIENT:
            inner = v.value
            t = wrap(inner) if not isinstance(inner, Tracer) else at_level(FOREIGN, inner)
        else:
            t = at_level(trace, lift(v.value))
        t.node = v.node
        if v.tangent is not None:
            SET_TANGENT[0](t, lift(v.tangent))
        return t
    if type(v) is extend.Batched and type(v.owner) is BatchTrace:
        return at_level(v.owner, lift(v.value))
    return at_level(FOREIGN, v)


SET_TANGENT = []  # filled by forward_ad.py
TANGENT_OF = []


def tangent_of(t):
    """The tangent of a dual tensor while its level is open, or None."""
    meta = t.autograd_meta
    if meta is None or meta.tangent is None and meta.forward_base is None and (
            meta.base is None or meta.base.autograd_meta is None or meta.base.autograd_meta.tangent is None):
        return None
    return TANGENT_OF[0](t)


def current(t):
    """The traced value of a FOREIGN tensor; a view whose base was written to since takes its steps again."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        base = meta.base
        if cell_of(base) != meta.cell:
            value = current(base)
            for prim, params in meta.steps:
                value = prim.fun(value, *params)
            t.value = value
            meta.cell = cell_of(base)
    return t.value


def cell_of(t):
    """The version of a tensor without memory."""
    return 0 if t.autograd_meta is None else t.autograd_meta.cell or 0


def bottom(t):
    """The array or FOREIGN tensor below all levels of `t`."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t if t.level_trace is FOREIGN else t.value


def concrete(t, what):
    """The array of a tensor whose value is known, below all levels but vmap."""
    u = t
    while True:
        if isinstance(u.level_trace, BatchTrace):
            if u.level_trace.done:
                raise RuntimeError(ESCAPED)
            raise RuntimeError(f"vmap: It looks like you're calling .{what}() on a Tensor. We don't support vmap over "
                               f"calling .{what}() on a Tensor, please try to rewrite what you're doing with other "
                               "operations. If error is occurring somewhere inside PyTorch internals, please file a "
                               "bug report.")
        if not isinstance(u.value, TensorBase):
            break
        u = u.value
    if u.level_trace is FOREIGN:
        return foreign_value(u, what)
    return u.value


def foreign_value(t, what):
    """What a traced value of covector's own transforms says to being read: bool for control flow, else a refusal."""
    value = t.value
    if not hasattr(value, what):
        raise RuntimeError(f"{what}() of a value that a covector transform traces is not possible: it stands for many "
                           "values, or its derivative would be lost; use torch's operations, or detach() outside it")
    return getattr(value, what)()


def mapped(t):
    """Whether a running vmap maps a tensor."""
    while True:
        if isinstance(t.level_trace, BatchTrace) and not t.level_trace.done:
            return True
        if not isinstance(t.value, TensorBase):
            return False
        t = t.value


def version_of(t):
    """torch's `_version`: how often the memory was written to in place."""
    b = bottom(t)
    if type(b) is ndarray:
        ALIASES[0](b)
        return versions.version(b)
    base = b if b.autograd_meta is None or b.autograd_meta.base is None else b.autograd_meta.base
    return cell_of(base)


ALIASES = [lambda array: None]  # filled by aliases.py: notice writes through NumPy


def edge(t):
    """The node of a tensor as an operand: its `grad_fn`, the accumulator of a leaf, or None. Views are brought up to
    date first."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        node = REFRESH[0](t)
    else:
        node = t.node
    if node is None and (t.wants_grad or meta is not None and meta.base is not None and t.level_trace is not FOREIGN
                         and needs_grad(meta.base)):
        return accumulator(t) if t.wants_grad or made_through(t) else sink(t)
    return node


REFRESH = []  # filled by views.py


def made_aside(t):
    """Whether a view was made without history, as in no_grad: a leaf, whatever became of its memory."""
    return t.node is None and t.autograd_meta is not None and t.autograd_meta.creation is not None


def made_through(t):
    """Whether a view without history of its own was made while recording."""
    return t.autograd_meta.creation is None


def sink(t):
    """The node of a view made in no_grad of what requires a gradient."""
    return accumulator(t, Sink)


def accumulator(t, kind=AccumulateGrad):
    """The node of a leaf, cached weakly on it."""
    meta = t.autograd_meta or more(t)
    found = meta.accumulator
    node = None if found is None else found()
    if node is None or node.lost is not kind.lost:
        node = kind()
        node.rule = None
        node.parents = ()
        node.saved = t
        node.seq = extend.next_seq()
        node.extra = None
        meta.accumulator = ref(node)
        m = modes()
        if m.anomaly is not None or m.nans:
            stamp(node)
    return node


def needs_grad(t):
    """torch's `requires_grad`: a leaf that asks for it, a history, or a view of something that has one."""
    if t.wants_grad or t.node is not None:
        return True
    meta = t.autograd_meta
    return meta is not None and meta.base is not None and needs_grad(meta.base)
