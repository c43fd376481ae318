"""The storage of tangents: which one a tensor has, and giving it one."""

import numpy as np

from ..graph import versions
from ..modes.modes import pushes
from ..state.levels import DUAL, Epoch, GradTrace
from ..types.arrays import ARRAYS, address, laid_out, namespace
from ..types.tensor_type import GENERAL, more, shape_dtype, wrap
from ..views.views import view

ndarray = np.ndarray
DEAD = Epoch()
DEAD.done = True


def tangent_of(t):
    """The tangent of a tensor while its level is open: its own, or the part of its base's that it is a view of."""
    meta = t.autograd_meta
    if meta is None or meta.tangent is None and meta.forward_base is None and (
            meta.base is None or meta.base.autograd_meta is None or meta.base.autograd_meta.tangent is None):
        return None
    found = meta.tangent
    if found is not None:
        if found[0] is DEAD:
            return None
        if not found[0].done:
            return found[1] if pushes(t.level_trace) else None
        meta.tangent = None
    base, steps = (meta.base, meta.steps) if meta.forward_base is None else (meta.forward_base, meta.forward_steps)
    if base is None or base.autograd_meta is None or base.autograd_meta.tangent is None:
        return None
    whole = tangent_of(base)
    if whole is None:
        return None
    for prim, params in steps:
        whole = view(whole, prim, params)
    return whole


def set_tangent(t, tangent):
    """Let a new tensor carry a tangent."""
    epoch = epoch_of(t)
    if epoch is None or not pushes(t.level_trace):
        return
    shape, dtype = shape_dtype(t)
    got, kind = shape_dtype(tangent)
    if got != shape or kind != dtype:
        tangent = tangent.expand(shape).to(wrap(np.zeros((), dtype)).dtype)
    more(t).tangent = (epoch, alike(t, tangent), False)
    t.dispatch_key = GENERAL


def alike(t, tangent):
    """A tangent whose memory lies as that of its tensor, so that views and writes reach the same elements of both."""
    mine, other = t.value, tangent.value
    if type(mine) not in ARRAYS or type(other) not in ARRAYS or not mine.size:
        return tangent
    if mine.strides == other.strides or all(n == 1 or a == b for n, a, b in zip(
            mine.shape, mine.strides, other.strides)):
        if mine.base is None and other.base is None:
            return tangent
        a, b = versions.root_of(mine), versions.root_of(other)
        if a.nbytes == b.nbytes:
            if mine.nbytes == a.nbytes and mine.flags.c_contiguous and other.flags.c_contiguous:
                return tangent  # all of the memory
            if address(mine) - address(a) == address(other) - address(b):
                return tangent
    root = versions.root_of(mine)
    scale = other.itemsize // mine.itemsize or 1
    room = namespace(mine).zeros(root.nbytes * scale // other.itemsize, other.dtype)
    out = wrap(laid_out(mine.shape, other.dtype, room, (address(mine) - address(root)) * scale,
                        tuple([s * scale for s in mine.strides])))
    return out.copy_(tangent)


def epoch_of(t):
    """The object whose lifetime bounds the tangents at a tensor's level."""
    return t.level_trace if isinstance(t.level_trace, GradTrace) else DUAL.get()


def viewed(meta):
    """The tensor that a view was taken of: the dual one, else its base."""
    return meta.base if meta.forward_base is None else meta.forward_base
