"""Constants of a graph, as immediate values or in memory."""

import numpy as np

from .kinds import DTYPES, KINDS
from .statements import Const, Memory, Place, arranged

FEW = 16  # elements of an array that are values of their own
_STARTS = {"add": 0, "multiply": 1, "maximum": -np.inf, "minimum": np.inf, "bitwise_or": False, "bitwise_and": True}


def zero(kind):
    """The number 0 in a kind."""
    return Const({"f": 0.0, "i": 0, "u": 0, "b": False}[kind[0]], kind)


def start_of(name, kind):
    """The neutral element of a reduction."""
    start = _STARTS[name]
    if kind[0] in "iu" and name[:3] in ("max", "min"):
        bounds = np.iinfo(DTYPES[kind])
        return int(bounds.min if start < 0 else bounds.max)
    return float(start) if kind[0] == "f" else start


def constant(v):
    """A literal as values, or as a Place in its own memory."""
    array = np.asarray(v.value)
    kind = KINDS[array.dtype]
    if array.size <= FEW:
        return arranged([Const(x, kind) for x in array.reshape(-1).tolist()], array.shape)
    if not any(array.strides):
        return np.broadcast_to(arranged(Const(array.flat[0].item(), kind)), array.shape)
    if any(s % array.itemsize for s in array.strides) or not array.flags.aligned:
        array = np.ascontiguousarray(array)
    return Place(Memory(kind, array.size, "constant", 0, array), array.shape,
                 [s // array.itemsize for s in array.strides])


def cast_constant(value, kind):
    """A number in another kind."""
    if kind == value.kind:
        return value
    with np.errstate(all="ignore"):
        return Const(np.asarray(value.value, DTYPES[value.kind]).astype(DTYPES[kind]).item(), kind)
