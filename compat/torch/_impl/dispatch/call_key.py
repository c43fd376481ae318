"""Keys of calls: what the program of an operation depends on. Compiled with call_key.pxd beside it."""

import numpy as np

from ..state.edges import is_current, untangled
from ..types.arrays import ARRAYS
from ..types.dtypes import Default, dtype as Dtype
from ..types.number_cache import FLOATS
from ..types.parameter import Parameter
from ..types.record_slots import Record
from ..types.size import Size, memory_format
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import GENERAL, INFERENCE, Tensor

ndarray = np.ndarray
STATIC = frozenset({bool, int, str, type(None), Dtype, memory_format})
NESTS = frozenset({tuple, list, Size})
DEVICE = object()  # in a key, before what it says of a tensor of a device


def key_of(args, kwargs, m, blind, tensors):
    """The key of a call in the modes `m`, whose tensors are added to a list; None where there can be no program."""
    recording = m is None or m.packing is not None
    key = [Default.float if m is None else (Default.float, recording, m.inference)]
    if not described(args, key, tensors, recording, blind) or kwargs and not described_by_name(
            kwargs, key, tensors, recording, blind) or not tensors:
        return None
    return tuple(key)


def described(args, key, tensors, recording, blind):
    """Add what a program depends on to a key, and the tensors to a list; False where there can be no program."""
    t: TensorSlots
    for a in args:
        kind = type(a)
        if kind is Tensor or kind is Parameter:
            t = a
            x = t.value
            dtype = x.itemsize  # which tells floats apart, and hashes in 10 ns where a dtype takes 50
            if t.dispatch_key:
                if t.dispatch_key == GENERAL:
                    if type(x) is not ndarray:
                        if type(x) not in ARRAYS or not settled(a, recording, blind):
                            return False
                        key.append(DEVICE)
                    elif not (here(a, recording) if x.dtype.kind == "c" or x.itemsize == 2 and x.dtype.kind in "fV"
                              else blind and whole(a, recording)):
                        return False
                    dtype = x.dtype
                elif t.dispatch_key == INFERENCE:
                    if recording:
                        return False
                elif not (is_current(a) if recording else untangled(a)):
                    return False
            tensors.append(a)
            key += (x.shape, x.strides, dtype, recording and (t.node is not None or t.wants_grad))
        elif kind in STATIC:
            key += (kind, a)
        elif kind is float:
            key += (kind, a if a and a == a else str(a))  # -0.0 equals 0.0, and NaN no other one
        elif kind in NESTS:
            key += (kind, len(a))
            if not described(a, key, tensors, recording, blind):
                return False
        else:
            return False
    return True


def described_by_name(kwargs, key, tensors, recording, blind):
    """`described` of the arguments that are given by name."""
    key += kwargs
    return "out" not in kwargs and described(kwargs.values(), key, tensors, recording, blind)


def whole(t, recording):
    """Tell whether a tensor is an ambient one of integers or booleans; of inference mode only where nothing is
    recorded."""
    u: TensorSlots = t
    meta: Record = u.autograd_meta
    return u.level_trace is None and u.value.dtype.kind in "biu" and (
        meta is None or not (recording and meta.inference))


def settled(t, recording, blind):
    """Tell whether a tensor of a device is an ambient one, of floats or as `whole` says, and its history is up to
    date."""
    return here(t, recording) if t.value.dtype in FLOATS else blind and whole(t, recording)


def here(t, recording):
    """Tell whether a tensor of floats or complex numbers is ambient, without a tangent, and its history current."""
    u: TensorSlots = t
    meta: Record = u.autograd_meta
    if u.level_trace is not None or meta is None:
        return meta is None and u.level_trace is None
    if meta.tangent is not None or t.autograd_meta.mapped is not None or recording and meta.inference:
        return False
    return meta.base is None or (is_current(t) if recording else untangled(t))
