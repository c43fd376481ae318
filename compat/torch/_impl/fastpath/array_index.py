"""Lanes of one index tensor: `t[index]` and `t[index] = value` of which nothing is recorded."""

import numpy as np

from ..graph import versions
from ..modes.modes import MODES
from ..state.edges import untangled
from ..types.number_cache import EXACT
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, VIEW, infer, needs_grad, wrap
from ..views.overlap import crossing
from .bare_tensors import bare, number
from .copy_slices import hooked

ndarray = np.ndarray


def array_of(key, shape):
    """The array of an index tensor of places, or of a mask of the first axes of a shape; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    if type(array) is not ndarray or not array.ndim:
        return None
    kind = array.dtype.kind
    fits = shape[: array.ndim] == array.shape if kind == "b" else kind == "i" and len(shape) > 0
    return array if fits else None


def unrecorded(t):
    """Whether nothing is recorded of a tensor now that has an array of NumPy and no tangent, and is none of inference
    mode."""
    if type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    if m is not None and not m.still and (m.packing is None or not hooked(m)):
        return False
    key = t.dispatch_key
    if key == GENERAL:
        return bare(t)
    if key > VIEW or key and not untangled(t):
        return False
    return m is not None and m.still or not needs_grad(t)


def place_of(key):
    """The number that an index tensor without axes is; None for all else."""
    if type(key) not in PLAIN_KINDS or key.level_trace is not None:
        return None
    array = key.value
    return int(array) if type(array) is ndarray and not array.ndim and array.dtype.kind in "iu" else None


def picked(t, key):
    """`t[key]`; None for what this lane does not take."""
    if not unrecorded(t):
        return None
    array = t.value
    index = array_of(key, array.shape)
    if index is None:
        return None
    try:
        found = array[index]
    except IndexError:
        return None
    if found.ndim > 1 and not found.flags.c_contiguous:
        found = np.ascontiguousarray(found)
    if found.ndim > 1 and not array.flags.c_contiguous:
        return None  # PyTorch lays it out as the tensor is
    out = wrap(found)
    m = MODES.get()
    if m is not None and m.inference:
        infer(out)
    return out


def put(t, key, value):
    """`t[key] = value`; False for what this lane does not take."""
    if not unrecorded(t) or t.node is not None:
        return False
    array = t.value
    index = array_of(key, array.shape)
    if index is None or not array.flags.writeable or versions.EXPOSED and versions.exposed(array):
        return False
    if t.autograd_meta is not None and (crossing(array) or t.dispatch_key == VIEW and (
            t.autograd_meta.base.node is not None)):
        return False
    if type(value) in PLAIN_KINDS:
        v = value.value
        if not unrecorded(value) or v.dtype is not array.dtype or versions.root_of(v) is versions.root_of(array):
            return False
    elif t.dispatch_key == GENERAL:
        v = number(value, array.dtype)
    elif type(value) is float:
        v = value if array.itemsize == 8 or -3e38 < value < 3e38 or value - value != 0 else None
    else:
        v = value if type(value) is int and -EXACT <= value <= EXACT else None
    if v is None:
        return False
    try:
        array[index] = v
    except (IndexError, TypeError, ValueError):  # nothing was written
        return False
    _ = versions.note(array)
    return True
