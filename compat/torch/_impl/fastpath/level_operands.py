"""A tensor as an operand at a level: its value one level down, its node, its tangent."""

import numpy as np

from .....extend import unwrap
from ..state.edges import accumulator, edge, untangled
from ..state.levels import DUAL
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FOREIGN, GENERAL, VIEW
from ..values.core_values import lower
from ..values.tangents import tangent_of

ndarray = np.ndarray
NOT_HERE = object(), None, None


def operand(x, trace):
    """`(core value one level down, node, tangent)` of a tensor as an operand at a level; `NOT_HERE` for the rare ones.

    A tangent is a core value one level down: that of a tensor which is itself recorded is rare.
    """
    t: TensorSlots = x
    if t.level_trace is trace:
        meta = t.autograd_meta
        if trace is None:
            value = t.value
        else:
            below: TensorSlots = t.value
            plain = below.dispatch_key <= VIEW and below.node is None and not below.wants_grad and (
                not below.dispatch_key or bare(below))
            value = below.value if plain else lower(below)
        if type(value) is not ndarray and type(unwrap(value)) is not ndarray:
            return NOT_HERE  # the constants of rules follow those of a device on the general path
        if meta is None:
            node = t.node
            return value, accumulator(t) if node is None and t.wants_grad else node, None
        if meta.inference:
            return NOT_HERE
        found = meta.tangent
        if meta.base is None:
            node = t.node
            if node is None and t.wants_grad:
                node = accumulator(t)
            if found is None and meta.forward_base is None:
                return value, node, None
        else:
            node = edge(t)
        known = found is not None and found[0] is (DUAL.get() if trace is None else trace)
        dx: TensorSlots = found[1] if known else tangent_of(t)
        if dx is None:
            return value, node, None
        if node is not None:
            return NOT_HERE
        if trace is None:
            return (value, None, dx.value) if dx.level_trace is None and is_untracked(dx) else NOT_HERE
        while dx.level_trace is trace:
            if dx.node is not None or dx.wants_grad:
                return NOT_HERE
            dx = dx.value
        return value, None, dx.value if not dx.dispatch_key and dx.node is None and not dx.wants_grad else lower(dx)
    level = t.level_trace
    if level is None:
        if not t.dispatch_key and t.node is None and not t.wants_grad:
            return t.value, None, None
        if type(t.value) is not ndarray:
            return NOT_HERE
        if t.autograd_meta is not None and t.autograd_meta.inference:
            return NOT_HERE
    elif level is FOREIGN or trace is None or level.done or level.level > trace.level:
        return NOT_HERE
    return lower(t), None, None


def bare(t):
    """Tell whether an ambient view of floats without a node has no history, and neither it nor its base a tangent."""
    base: TensorSlots = t.autograd_meta.base
    return base.node is None and not base.wants_grad and untangled(t)


def is_untracked(t):
    """Tell whether an ambient tensor of floats has neither history nor tangent."""
    return t.dispatch_key != GENERAL and t.node is None and not t.wants_grad and (not t.dispatch_key or edge(t) is None)
