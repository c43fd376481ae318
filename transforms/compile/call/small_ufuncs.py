"""Ufuncs on small arrays: NumPy's own loops, called without what NumPy does around them."""

import ctypes

import numpy as np

from ....core.types import Any
from ..machine.engine import SUPPORTED, machine
from ..machine.layouts import functions, slot_offset
from ..machine.slots import Slots
from .callable import c_function
from .small_pair_text import ARRAY_TWO
from .small_text import ARRAY_ONE, ENTRIES, PLACES, STATE

ndarray = np.ndarray
ARRAYS = STATE + ARRAY_ONE + ARRAY_TWO  # internal functions
TEXT = ARRAYS + ENTRIES
_EXACT = frozenset({np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum})
_FLOATS = ("double", "d", np.dtype(np.float64)), ("single", "f", np.dtype(np.float32))


class _UFunc(ctypes.Structure):
    """How a ufunc lies in memory: NumPy's ufuncobject.h, which extension modules are compiled against."""

    _fields_ = (("references", ctypes.c_ssize_t), ("type", ctypes.c_void_p), ("nin", ctypes.c_int),
                ("nout", ctypes.c_int), ("nargs", ctypes.c_int), ("identity", ctypes.c_int),
                ("functions", ctypes.POINTER(ctypes.c_void_p)), ("data", ctypes.POINTER(ctypes.c_void_p)),
                ("ntypes", ctypes.c_int), ("reserved", ctypes.c_int), ("name", ctypes.c_char_p))


class Small:
    """The maker of native functions around ufuncs' loops; `known` has addresses of functions of Python and NumPy."""

    arrays = ARRAYS
    shared = {"ndarray": id(ndarray), "double": id(_FLOATS[0][2]), "single": id(_FLOATS[1][2]),
              "float64": id(np.float64), "float": id(float)}
    offset = staticmethod(slot_offset)

    def __init__(self, known):
        self.known = known
        self.codes: Any = {}  # text -> its Code

    def code(self, text, symbol):
        """The `Code` of a module that has a function `symbol`.

        Args:
            text: a str, or an object whose `about` the code is found by, and which has the text as `written`.
        """
        found = self.codes.get(text)
        if found is None:
            here = machine()
            found = self.codes[text] = here.code(text, {}, symbol=symbol) if type(text) is str else here.code(
                lambda: text.written, {}, about=text.about, symbol=symbol)
        return found

    def function(self, text, symbol, places, kept):
        """A native function of a module, whose table has what stands at places: `{name: address or number}`."""
        slots = Slots()
        for name, found in places.items():
            slots.place(name, int(found))
        table = slots.table()
        code = self.code(text, symbol)
        table.kept += [code, *kept]
        return c_function(code.address(symbol), table)

    def places(self, ufunc, instead, quiet):
        """`{place: address or number}` of a ufunc's functions; None where it is none of NumPy's on native floats."""
        loops = _loops(ufunc)
        if loops is None:
            return None
        found = {**self.known, **self.shared, **loops, "op": id(instead), "broadcasts": ufunc in _EXACT,
                 "heeds": not quiet}
        return {place: found[place] for place in PLACES}

    def ufunc(self, ufunc, instead, quiet):
        """The native form of a ufunc; None where it has none.

        It takes what the ufunc takes: it does the same to one or two arrays of native floats, of at most 4,096
        elements, that lie in order in memory, or to such an array and a float.

        Args:
            instead: is called with the same arguments where these are others.
            quiet: nobody asks for NumPy's warnings, and an array without axes comes of one without.
        """
        places = self.places(ufunc, instead, quiet)
        if places is None:
            return None
        run = self.function(TEXT, "one" if ufunc.nin == 1 else "two", places, [ufunc, instead])
        return run if _agrees(run, ufunc) else None


def small_functions():
    """A `Small`; None where native code is not to be had."""
    known = functions()
    if known is None or not SUPPORTED or machine().files() is None:
        return None
    found = Small(known)
    found.code(TEXT, "one")
    return found


def _loops(ufunc):
    """`{place: address}` of a ufunc's loops over native floats; None where it is none of NumPy's, or has none."""
    known: Any = vars(np).get(ufunc.__name__) if type(ufunc) is np.ufunc else None
    if known is None or known is not ufunc:
        return None
    if ufunc.signature is not None:
        return None
    seen = _UFunc.from_address(id(ufunc))
    facts = seen.nin, seen.nout, seen.nargs, seen.ntypes
    if facts != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes) or ufunc.nout != 1 or ufunc.nin > 2:
        return None
    found = {}
    for name, letter, _ in _FLOATS:
        types = f"{letter * ufunc.nin}->{letter}"
        if types not in ufunc.types:
            return None
        k = ufunc.types.index(types)
        found |= {f"{name} loop": seen.functions[k] or 0, f"{name} data": seen.data[k] or 0}
        if not found[f"{name} loop"]:
            return None
    return found


def _agrees(run, ufunc):
    """Tell whether a native form gives what the ufunc gives, bit for bit."""
    for _, _, dtype in _FLOATS:
        x = np.array([[0.25, 1.5, 0.75], [1.25, 0.5, 2.0]], dtype)
        given = (x,) if ufunc.nin == 1 else (x, x[::-1].copy())
        with np.errstate(all="ignore"):
            expected = ufunc(*given)
            found = run(*given)
        if found.dtype != expected.dtype or found.tobytes() != expected.tobytes():
            return False
    return True
