"""Constants of a graph as values, or as places in memory of their own."""

import numpy as np

from ....core.types import Any
from .kinds import KINDS
from .statements import Const, Memory, Place

FEW = 16  # elements of an array that are values of their own
_STARTS = {"add": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf, "bitwise_or": False, "bitwise_and": True}
_DTYPES: dict[Any, Any] = {kind: dtype for dtype, kind in KINDS.items()}


def start_of(name, kind):
    """The neutral element of a reduction."""
    start = _STARTS[name]
    if kind[0] == "i" and name[:3] in ("max", "min"):
        bounds = np.iinfo(_DTYPES[kind])
        return int(bounds.min if start < 0 else bounds.max)
    return float(start) if kind[0] == "f" else start


def constant(v):
    """A literal as values, or as a Place in its own memory."""
    array = np.asarray(v.value)
    kind = KINDS[array.dtype]
    if array.size <= FEW:
        out = np.empty(array.size, object)
        for k, x in enumerate(array.reshape(-1).tolist()):
            out[k] = Const(x, kind)
        return out.reshape(array.shape)
    if not any(array.strides):
        one = np.empty((), object)
        one[()] = Const(array.flat[0].item(), kind)
        return np.broadcast_to(one, array.shape)
    if any(s % array.itemsize for s in array.strides) or not array.flags.aligned:
        array = np.ascontiguousarray(array)
    return Place(Memory(kind, array.size, "constant", 0, array), array.shape,
                 [s // array.itemsize for s in array.strides])


def cast_constant(value, kind):
    """A number in another kind."""
    if kind == value.kind:
        return value
    with np.errstate(all="ignore"):
        return Const(np.asarray(value.value, _DTYPES[value.kind]).astype(_DTYPES[kind]).item(), kind)
