"""Native code as a Python callable, with what it refers to and the fallback for arguments it rejects."""

import ctypes
import warnings
import weakref

import numpy as np

from ..machine.error_states import STATE, OtherState
from ..render.functions import MISS, made_of
from ..render.numpy.numpy_source import Source

ndarray = np.ndarray
_NUMBERS = {"f": float, "i": int, "b": bool}
_PATIENCE = 16  # runs with infinities or NaN in their outputs that NumPy does again, so that it warns as it does
_FASTCALL = 0x80
_METHODS = {}  # address of a C function -> its description for Python


def attached(code, slots, around):
    """The function that is `call` of a `Code`, with its table.

    Args:
        slots: the `Slots` of the module.
        around: the `Around` that it was written for.
    """
    table = slots.table()
    table.kept += [code, around]  # the table lives as long as the function: so does what it calls
    around.place = table.__array_interface__["data"][0] + 8 * slots.places[STATE]
    run = c_function(code.address("call"), table)
    around.run = weakref.ref(run)  # the function holds the table, which holds this: a strong one would be a cycle
    return run


class Slow:
    """The same by NumPy, made when it is first needed.

    Args:
        draft: gives the draft.
    """

    def __init__(self, draft):
        self.draft = draft
        self.run = None

    def __call__(self, *values):
        if self.run is None:
            self.run = made_of(Source(self.draft(), frozenset(), True), "segment")
        return self.run(*values)


class Around(OtherState):
    """The functions that run in place of native code, or after it.

    Args:
        avals: of the operands.
        slow: runs instead, given the same values, where they are no arrays of these avals in order in memory.
        inside: it is a part of a program, of which NumPy's part may have made a Python number.
    """

    def __init__(self, avals, slow, inside=False):
        super().__init__()
        self.avals = avals
        self.slow = slow
        self.inside = inside
        self.left = _PATIENCE

    def handle(self, *values):
        """The results for values that native code does not take as they are: of copies, or by the slow function.

        MISS for values of other shapes, dtypes or types.
        """
        given = values
        if self.inside:
            values = tuple(map(_as_declared, values, self.avals))
        if len(values) != len(self.avals) or not all(map(_fits, values, self.avals)):
            return MISS
        known = self.is_known()
        if known is None:
            return self.slow(*values)
        fixed = [_in_order(x, aval) for x, aval in zip(values, self.avals)]
        run = self.run()
        if run is None or known and all(a is b for a, b in zip(fixed, given)):
            return self.slow(*values)
        return run(*fixed)

    def heard(self, result, *values):
        """The results where some are not finite: those of NumPy, which warns, as long as somebody listens."""
        if self.left:  # a program whose results are infinite on purpose would run twice for ever
            self.left -= 1
        elif not _is_heeded():
            return result
        return self.slow(*values)


def _as_declared(x, aval):
    """NumPy's result as an aval says it is: a number as a scalar, an array in the byte order of this machine."""
    if type(x) in (bool, int, float):
        return x if aval.weak else aval.dtype.type(x)
    if aval.weak and isinstance(x, np.generic) and x.dtype == aval.dtype:  # a Python number, before the loop around it
        return x.item()
    if type(x) is ndarray and not x.dtype.isnative and x.dtype.newbyteorder("=") == aval.dtype:
        return x.astype(aval.dtype)
    return x


def _fits(x, aval):
    """Tell whether a value has an aval."""
    kind = type(x)
    if aval.weak:
        return kind is _NUMBERS[aval.dtype.kind]
    if kind is not ndarray and not isinstance(x, np.generic):
        return False
    return x.shape == aval.shape and x.dtype == aval.dtype


def _is_heeded():
    """Tell whether a warning that was given before does something again."""
    return any(action in ("error", "always", "all") and issubclass(RuntimeWarning, category)
               for action, _, category, *_ in warnings.filters)


def _in_order(x, aval):
    """A value as native code takes it, if a copy is that."""
    if type(x) is ndarray and x.dtype == aval.dtype and x.shape == aval.shape:
        if not (x.flags.c_contiguous and x.flags.aligned):
            copied = np.empty(x.shape, aval.dtype.type)
            copied[...] = x
            return copied
        own = np.dtype(aval.dtype.type)
        if x.dtype is not own:  # NumPy has more than one object for a dtype
            return x.view(own)
    elif isinstance(x, np.generic) and x.dtype == aval.dtype and not aval.shape and type(x) is not aval.dtype.type:
        return np.array(x, aval.dtype)
    return x


class _Method(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("run", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


def c_function(address, table):
    """A Python function of a C function, which keeps its table alive.

    Its description is read when it is freed, by a garbage collection maybe after all that the table keeps: it stays.
    """
    method = _METHODS.get(address)
    if method is None:
        method = _METHODS[address] = _Method(b"native", address, _FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(ctypes.addressof(method), table, None)
