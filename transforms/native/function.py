"""A kernel as a Python function: compiled, with what runs where native code does not take what it is given."""

import ctypes
import threading
import warnings
import weakref

import numpy as np

from ...core.arrays.errstate import error_state
from ...core.types import Any
from ..compile.functions import MISS
from .ir.statements import OUTSIDE
from .machine.blas import products_library
from .machine.engine import machine
from .machine.error_states import DEFAULT, is_followed
from .machine.layouts import functions
from .machine.slots import Slots
from .printing.entry import STATE, dtype_of, entry, plain_entry, stopped
from .printing.printer import Printer

ndarray = np.ndarray
_NUMBERS = {"f": float, "i": int, "b": bool}
_PATIENCE = 16  # runs with infinities or NaN in their outputs that NumPy does again, so that it warns as it does
_FASTCALL = 0x80


def native_function(kernel, avals, out_avals, slow, boxed=()):
    """A function of arrays and numbers that runs a kernel, and `(text, function)`: the text of its module.

    Args:
        kernel: the `Kernel`.
        avals, out_avals: of its inputs and outputs.
        slow: runs instead, given the same values, where they are no arrays of these avals in order in memory.
        boxed: a bool an output: whether an output without axes is an array, not a scalar. NumPy warns of sums of
            integer scalars that wrap, not of those of arrays.
    """
    processor = machine()
    known = functions()
    slots = Slots()
    around = _Around(avals, slow)
    printer = Printer(kernel, processor.vector, slots, products_library(), known is not None)
    module = printer.module
    if known is not None:
        if printer.looks:
            module.functions["@stopped"] = stopped(module, known, slots)
        module.functions["@call"] = entry(
            module, kernel, avals, out_avals, known, slots, around.handle, around.heard, boxed)
    else:
        module.functions["@call"] = plain_entry(kernel)
    text = f"{slots.legend}\n{module.text}"
    code = processor.code(text, module.needed)
    table = slots.table()
    table.kept += [code, around]
    if known is not None:
        around.place = table.__array_interface__["data"][0] + 8 * slots.places[STATE]
    run = c_function(code.symbols["call"], table) if known is not None else _python_function(
        code.symbols["call"], table, kernel, avals, out_avals, around, boxed)
    around.run = weakref.ref(run)
    return text, run


class _Around:
    """What runs in place of native code, or after it; `run` is a weak reference to the function."""

    def __init__(self, avals, slow):
        self.avals = avals
        self.slow = slow
        self.left = _PATIENCE
        self.lock = threading.Lock()
        self.place: Any = None  # where the table has the address of `state`
        self.run: Any = None
        self.state: Any = None  # the last error state that native code can do, beside NumPy's own

    def handle(self, *values):
        """The results for values that native code does not take as they are: of copies, or by the slow function.

        MISS for values of other shapes, dtypes or types.
        """
        if len(values) != len(self.avals) or not all(map(_fits, values, self.avals)):
            return MISS
        now = error_state()
        allowed = now is DEFAULT or now is self.state
        if not allowed and not is_followed():
            return self.slow(*values)
        if not allowed and self.place is not None:
            with self.lock:  # the table never has the address of a state that nobody keeps
                ctypes.c_uint64.from_address(self.place).value = id(now)
                self.state = now
        fixed = [_in_order(x, aval) for x, aval in zip(values, self.avals)]
        run = self.run()
        if run is None or allowed and all(a is b for a, b in zip(fixed, values)):
            return self.slow(*values)
        return run(*fixed)

    def heard(self, result, *values):
        """The results where some are not finite: those of NumPy, which warns, as long as somebody listens."""
        if self.left:
            self.left -= 1
        elif not _is_heeded():
            return result
        return self.slow(*values)


def _fits(x, aval):
    """Whether a value has an aval."""
    kind = type(x)
    if aval.weak:
        return kind is _NUMBERS[aval.dtype.kind]
    if kind is not ndarray and not isinstance(x, np.generic):
        return False
    return x.shape == aval.shape and x.dtype == aval.dtype


def _is_heeded():
    """Whether a warning that was given before does something again."""
    return any(action in ("error", "always", "all") and issubclass(RuntimeWarning, category)
               for action, _, category, *_ in warnings.filters)


def _in_order(x, aval):
    """A value as native code takes it, if a copy is that."""
    if type(x) is ndarray and x.dtype == aval.dtype and x.shape == aval.shape:
        if not (x.flags.c_contiguous and x.flags.aligned):
            copied = np.empty(x.shape, dtype_of(aval))
            copied[...] = x
            return copied
        if x.dtype is not dtype_of(aval):  # NumPy has more than one object for a dtype
            return x.view(dtype_of(aval))
    elif isinstance(x, np.generic) and x.dtype == aval.dtype and not aval.shape and type(x) is not aval.dtype.type:
        return np.array(x, aval.dtype)
    return x


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("run", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


def c_function(address, table):
    """A Python function of a C function, which keeps its table alive."""
    method = _Method(b"native", address, _FASTCALL, None)
    table.kept.append(method)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), table, None)


def _python_function(address, table, kernel, avals, out_avals, around, boxed):
    """The same written in Python, where C code must not look into arrays."""
    count = len(kernel.inputs) + len(kernel.outputs) + 2
    work = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(address)

    def run(*values):
        if not is_followed():
            return around.handle(*values)
        given = []
        for x, aval in zip(values, avals):
            if type(x) is ndarray and (x.dtype != aval.dtype or x.shape != aval.shape or not x.flags.c_contiguous
                                       or not x.flags.aligned):
                return around.handle(*values)
            if type(x) is not ndarray and (aval.shape or np.asarray(x).dtype != aval.dtype):
                return around.handle(*values)
            given.append(np.asarray(x))
        outs = [*[np.empty(a.shape, a.dtype) for a in out_avals], np.zeros(())]
        scratch = np.empty(kernel.scratch + 64, np.uint8)
        work(*[a.ctypes.data for a in (*given, *outs)], scratch.ctypes.data + -scratch.ctypes.data % 64,
             table.ctypes.data)
        if outs[-1] == OUTSIDE:
            return around.slow(*values)
        result = [out if out.ndim or kept else out[()] for out, kept in zip(outs, boxed or len(out_avals) * [False])]
        return around.heard(result, *values) if np.isnan(outs[-1]) else result

    return run
