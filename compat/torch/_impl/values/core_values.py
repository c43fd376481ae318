"""Tensors as core values, and back: a core value is an array, or what covector's transforms trace."""

import numpy as np

from ..... import _interpreters, extend
from ..modes.modes import carries, grad_levels
from ..state.edges import edge
from ..state.levels import AMBIENT, ESCAPED, BatchTrace, GradTrace
from ..types.arrays import ARRAYS
from ..types.devices import moved
from ..types.size import device as Device
from ..types.tensor_type import FAST, FOREIGN, GENERAL, TensorBase, at_level, bottom_dtype, current, ndarray, wrap
from .tangents import set_tangent, tangent_of

Tracer = extend.Tracer
Ambient = _interpreters.Ambient


def lower(t, fresh=False):
    """The core value of a tensor: an array, or what covector's transforms see. `fresh` copies the memory, and that of
    its tangent."""
    trace = t.level_trace
    if trace is None:
        value = t.value.copy() if fresh else t.value
        if t.dispatch_key == FAST and t.node is None and not t.wants_grad:
            return value
        node = edge(t) if carries(AMBIENT) else None
        tangent = tangent_of(t)
        if node is None and tangent is None and (type(value) is ndarray or type(value) not in ARRAYS):
            return value  # those on a GPU have the level see to it that constants follow them there
        return AMBIENT.box(value, node=node, tangent=None if tangent is None else lower(tangent, fresh))
    if trace is FOREIGN:
        return current(t)
    if trace.done:
        if isinstance(trace, BatchTrace) and not trace.own:
            raise RuntimeError(ESCAPED)
        return lower(t.value, fresh)
    if isinstance(trace, GradTrace):
        tangent = tangent_of(t)
        node = edge(t) if carries(trace) else None
        if node is None and tangent is None and bottom_dtype(t).kind in "biu":
            return lower(t.value, fresh)  # integers are no values of the level: an index or a count may be read
        return trace.box(lower(t.value, fresh), node=node, tangent=None if tangent is None else lower(tangent, fresh))
    return extend.make_batched(trace, lower(t.value, fresh))


def bare(v):
    """A core value without the box of the ambient level where it has neither a history nor a tangent there."""
    return v.value if type(v) is Ambient and v.owner is AMBIENT and v.node is None and v.tangent is None else v


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
            set_tangent(t, lift(v.tangent))
        return t
    if type(v) is extend.Batched and type(v.owner) is BatchTrace:
        return at_level(v.owner, lift(v.value))
    return at_level(FOREIGN, v)


def inside(out, m):
    """Answers as values of the running transforms, also where they depend on none of their arguments: they may be
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


# Copies between the CPU and a device, as an operation: the cotangent of a copy goes the other way.


def _moved(x, there):
    return moved(np.asarray(x) if isinstance(x, np.generic | float | complex) else x, Device(there))


def _samples(rng):
    shapes = ((), (3,), (2, 3), (0,))
    drawn = [rng.standard_normal(shape) for shape in shapes]
    drawn += [drawn[1].astype(np.float32), drawn[1] + 1j, (drawn[1] + 1j).astype(np.complex64)]
    return [extend.Sample(x, params={"here": "cpu", "there": "cpu"}) for x in drawn]


transfer = extend.linear(
    "transfer",
    impl=lambda xp, x, *, here, there: x if here == there else _moved(x, there),
    transpose=lambda ct, here, there: transfer(ct, there, here),
    shape=lambda x: x,
    batch=lambda x, here, there: transfer(x, here, there),
    samples=_samples,
    shares=True,
)
