"""Answers in memory of their own: NumPy gives views where torch's operations copy."""

import numpy as np

from ...extend import REGISTRY, Tracer
from . import versions
from .state import bottom

ndarray = np.ndarray
DUPLICATE = REGISTRY["duplicate"]


def unshared(v, tensors):
    """A core value whose memory is none of the operands': as it is, or with its array copied."""
    holder, u = None, v
    while isinstance(u, Tracer):
        holder, u = u, u.value
    if type(u) is not ndarray:
        return v
    arrays = [b for b in map(bottom, tensors) if type(b) is ndarray]
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
