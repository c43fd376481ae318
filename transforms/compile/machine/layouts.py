"""Memory layouts of NumPy arrays and Python objects that native code reads, verified before use."""

import ctypes
import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined] # private: where the library lies

from ....core.arrays.fp_warnings import VARIABLE

DATA, NDIM, DIMS, DESCR, FLAGS, TYPE, VALUE = 16, 24, 32, 56, 64, 8, 16  # bytes
READY = 0x101  # C-contiguous and aligned
_NEW_FROM_DESCR, _SCALAR = 94, 60  # of NumPy's table of C functions
_FUNCTIONS = ("PyList_New", "PyList_SetItem", "Py_IncRef", "Py_DecRef", "PyObject_Vectorcall", "PyEval_SaveThread",
              "PyEval_RestoreThread", "PyErr_NoMemory", "PyMem_RawMalloc", "PyMem_RawFree",
              "PyLong_AsLongLongAndOverflow", "PyGILState_Ensure", "PyGILState_Release", "PyErr_CheckSignals",
              "PyErr_Occurred", "PyContextVar_Get")


@cache
def functions():
    """`{name: address}` of the functions of Python and NumPy that a native call needs; None where code cannot call so.

    That is so on other interpreters, on free-threaded builds, and where a live array lies in memory otherwise.
    """
    if sys.implementation.name != "cpython" or _is_free_threaded() or not _lies_as_known():
        return None
    if VARIABLE is None:  # of NumPy's error state
        return None
    try:
        table = _table()
        found = {name: ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name)) for name in _FUNCTIONS}
    except (AttributeError, ValueError):
        return None
    return found | {"new": table[_NEW_FROM_DESCR], "scalar": table[_SCALAR]}


def _is_free_threaded():
    """Tell whether extensions are named as those of builds without a lock: `.cpython-313t-…`, `.cp313t-…`."""
    words = EXTENSION_SUFFIXES[0].replace("-", ".").split(".")
    return any(word[-1:] == "t" and word[-2:-1].isdigit() for word in words)


def _table():
    """NumPy's table of C functions."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(pointer(_multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))


def _lies_as_known():
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little":
        return False
    x = np.arange(6.0).reshape(2, 3)
    for array in (x, x.T, np.float32(1.0) + np.zeros((1, 2, 3), np.float32)):
        at = id(array)
        dims = _read(ctypes.c_void_p, at + DIMS)
        if not dims or (
            _read(ctypes.c_void_p, at + TYPE) != id(np.ndarray)
            or _read(ctypes.c_void_p, at + DATA) != array.__array_interface__["data"][0]
            or _read(ctypes.c_int, at + NDIM) != array.ndim
            or _read(ctypes.c_void_p, at + DESCR) != id(array.dtype)
            or _read(ctypes.c_int, at + FLAGS) != array.flags.num
            or tuple((ctypes.c_ssize_t * array.ndim).from_address(dims)) != array.shape
        ):
            return False
    numbers = [(1.25, ctypes.c_double), (np.float64(1.25), ctypes.c_double), (np.float32(1.25), ctypes.c_float),
               (np.int64(7), ctypes.c_int64), (np.int32(7), ctypes.c_int32), (np.bool_(True), ctypes.c_bool)]
    return all(_read(kind, id(number) + VALUE) == number for number, kind in numbers)


def _read(kind, address):
    return kind.from_address(address).value


# The address table passed to native code, which keeps its text free of addresses of this process.


class Slots:
    """The addresses that the text of a module asks for, by names that are the same in every process."""

    def __init__(self):
        self.places = {}  # name -> place
        self.addresses = []
        self.kept = []  # what must live as long as the code, a place each

    def place(self, name, address, kept=None):
        """The slot of the address with this name in the table."""
        if name not in self.places:
            self.places[name] = len(self.addresses)
            self.addresses.append(address)
            self.kept.append(kept)
        return self.places[name]

    def constant(self, array):
        """The slot of the address of an array's elements."""
        for k, other in enumerate(self.kept):
            if other is array:
                return k
        return self.place(f"constant {len(self.addresses)}", array.__array_interface__["data"][0], array)

    def load(self, text, place):
        """The address at a place of the table, in a function that has it as `%table`."""
        at = text.op(f"getelementptr inbounds ptr, ptr %table, i64 {place}", "ptr")
        return text.op(f"load ptr, ptr {at}", "ptr")

    @property
    def legend(self):
        """The names in their order, as a line of a module: where two texts are the same, their tables are, too."""
        return f"; table: {', '.join(self.places)}"

    def table(self):
        """The addresses in memory."""
        found = np.array(self.addresses, np.uint64).view(Table)
        found.kept = [self.kept]
        return found


class Table(np.ndarray):
    """Addresses, with what must live as long as they are used."""

    kept: list
