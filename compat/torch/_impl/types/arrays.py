"""The types of arrays with memory: NumPy's, and CuPy's where it is installed and finds a device."""

import sys
from functools import cache
from importlib.util import find_spec
from weakref import ref

import numpy as np

from ..... import _engine

ndarray = np.ndarray
ROOTS = {}  # id of an array that `laid_out` made on a device -> the array that owns its memory, and a weak reference
_CUPY = _engine.LazyModule("cupy")
ARRAYS = {ndarray}  # CuPy's joins them when a device is first asked for


@cache
def cupy():
    """CuPy; None where it is not installed or finds no device."""
    if "cupy" not in sys.modules and find_spec("cupy") is None:
        return None
    module = _engine.loaded(_CUPY)
    if not module.is_available():
        return None
    ARRAYS.add(module.ndarray)
    return module


def namespace(array):
    """NumPy, or the library of an array of a device."""
    return np if type(array) is ndarray else cupy()


def address(array):
    """The address of the first element."""
    return array.ctypes.data if type(array) is ndarray else array.data.ptr


def writeable(array):
    """Tell whether an array may be written to; those of a device always may."""
    return type(array) is not ndarray or array.flags.writeable


def laid_out(shape, dtype, memory, offset, strides):
    """An array over memory: a view of `memory`, one-dimensional, from a byte on, with strides in bytes."""
    if type(memory) is ndarray:
        return np.ndarray(shape, dtype, memory, offset, strides)
    out = over_memory(memory, shape, dtype, memory.data + offset, strides)
    root = root_on_device(memory)
    key = id(out)
    ROOTS[key] = root, ref(out, lambda _: ROOTS.pop(key))
    return out


def over_memory(array, shape, dtype, pointer, strides):
    """An array over memory of a device, which CuPy does not know as a view of another one."""
    return type(array)(shape, dtype, pointer, strides)


def root_on_device(array):
    """The array of a device that owns the memory of `array`, which `laid_out` notes where CuPy does not."""
    while array.base is not None:
        array = array.base
    known = ROOTS.get(id(array))
    return array if known is None else known[0]
