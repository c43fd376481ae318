"""Answers in memory of their own: NumPy gives views where torch's operations copy."""

import numpy as np

from ....._interpreters import Ambient
from .....extend import REGISTRY, Tracer
from ..graph import versions
from ..types.arrays import ARRAYS
from ..types.tensor_type import TensorBase, bottom
from ..values.tangents import tangent_of

ndarray = np.ndarray
DUPLICATE = REGISTRY["duplicate"]


def unshared(v, tensors):
    """A core value whose memory is none of the operands', nor its tangents' that of theirs: as it is, or copied."""
    u = v
    if type(u) is Ambient and u.tangent is None:  # by far the commonest: an array of its own
        u = u.value
    if type(u) is ndarray and u.base is None:
        for t in tensors:
            if t.value is u:
                break
        else:
            if all(type(t.value) is ndarray for t in tensors):
                return v
    u = v
    while isinstance(u, Tracer):
        if type(u) is Ambient and u.tangent is not None:
            separate(u, tensors)
        u = u.value
    return own(v, tensors)


def separate(u, tensors):
    """Copy the tangent of a value where it lies in the memory of an operand's, which may be written to."""
    b = u.tangent
    while isinstance(b, Tracer):
        b = b.value
    if type(b) in ARRAYS:
        root = versions.root_of(b)
        if any(versions.root_of(a) is root for t in tensors for a in arrays_of(t)):
            u.tangent = DUPLICATE.fun(u.tangent)


def arrays_of(t):
    """The arrays of the tangents of a tensor, at all levels."""
    while isinstance(t, TensorBase):
        tangent = tangent_of(t)
        if tangent is not None:
            b = bottom(tangent)
            if type(b) in ARRAYS:
                yield b
            yield from arrays_of(tangent)
        t = t.value


def own(v, tensors):
    """A core value whose memory is none of the operands': as it is, or with its array copied."""
    holder, u = None, v
    while isinstance(u, Tracer):
        holder, u = u, u.value
    if type(u) not in ARRAYS:
        return v
    arrays = [b for b in map(bottom, tensors) if type(b) in ARRAYS]
    if u.base is None:
        shared = any(u is b for b in arrays)
    else:
        root = versions.root_of(u)
        shared = any(versions.root_of(b) is root for b in arrays)
    if not shared:
        return v
    copy = DUPLICATE.impl(np, u)
    if holder is None:
        return copy
    holder.value = copy
    return v


def renewed(v, given):
    """An output, or each of several; one that is an operand itself becomes a copy with a node of its own."""
    if isinstance(v, tuple):
        parts = [renewed(x, given) for x in v]
        return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    if isinstance(v, Tracer):
        node = v.node if type(v) is Ambient else None
        for x in given:
            for y in x if type(x) in (list, tuple) else (x,):
                if v is y or node is not None and type(y) is Ambient and y.node is node:  # one history
                    return DUPLICATE.fun(v)
    return v
