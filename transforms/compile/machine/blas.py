"""Libraries that native code calls: NumPy's own BLAS, LAPACK and Fourier transforms, SciPy's special functions."""

import ctypes
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined] # private: where the library lies

from ....core.arrays.backend import SPECIAL, special_function
from ....core.arrays.small_ufuncs import loop_of
from ....core.errors import BackendError, MissingLibraryError
from ....core.types import Any

_FORMS = ("scipy_cblas_{}64_", "cblas_{}64_")  # of 64-bit integers, as NumPy's wheels have it
_COUNTS = ("scipy_openblas_get_num_threads64_", "openblas_get_num_threads64_")
_MANY = 1 << 10
_NAMES = ("dgemm", "sgemm", "dgemv", "sgemv")


@cache
def products_library():
    """`{name: address}` of gemm and gemv in two precisions; None where NumPy has no such library."""
    library = _library()
    if library is None:
        return None
    for form in _FORMS:
        found = {}
        for name in _NAMES:
            try:
                found[name] = ctypes.cast(getattr(library, form.format(name)), ctypes.c_void_p).value
            except AttributeError:
                break
        else:
            return found
    return None


def library_threads():
    """The number of threads that the library shares large products among; many where it does not tell."""
    library = _library()
    for name in _COUNTS:
        try:
            return int(getattr(library, name)())
        except AttributeError:
            continue
    return _MANY


@cache
def _library():
    try:
        return ctypes.CDLL(_multiarray_umath.__file__)  # its dependencies are looked up, too
    except (AttributeError, OSError):
        return None


# Loops of ufuncs, by the addresses that these hold: SciPy's special functions, NumPy's calls of LAPACK.

_LETTERS = {"f64": "d", "f32": "f"}


class UfuncLoop(NamedTuple):
    """The loop of `scipy.special`'s ufunc `name` over operands of one kind, which gives `outputs`."""

    name: str
    kind: str
    outputs: int
    addresses: tuple[int, int]  # of the function, and of what it is given beside the operands

    def made(self, machine, symbol):
        """The two addresses, which a module finds under a symbol."""
        return _Addresses(self.addresses)


class _Addresses:
    """Addresses in memory, as long as this lives."""

    def __init__(self, addresses):
        self.memory = (ctypes.c_size_t * len(addresses))(*addresses)

    def address(self, symbol):
        return ctypes.addressof(self.memory)


@cache
def ufunc_loop(name, kind):
    """The `UfuncLoop` of an operation in a kind; None where SciPy has none, or nothing tells where it lies."""
    if not name.startswith(SPECIAL) or kind not in _LETTERS:
        return None
    name, letter = name.split(".")[1], _LETTERS[kind]
    try:
        ufunc: Any = special_function(np, name) if name else None
    except (BackendError, MissingLibraryError):
        return None
    found = ufunc and loop_of(ufunc, f"{letter * ufunc.nin}->{letter * ufunc.nout}")
    return found and UfuncLoop(name, kind, ufunc.nout, found)


@cache
def lapack_loop(name):
    """The `UfuncLoop` of NumPy's linear algebra with this name, and its signature; None where there is none."""
    ufunc: Any = getattr(getattr(np.linalg, "_umath_linalg", None), name, None)
    found = ufunc and loop_of(ufunc, f"{'d' * ufunc.nin}->{'d' * ufunc.nout}")
    return found and (UfuncLoop(name, "f64", ufunc.nout, found), ufunc.signature)


@cache
def fourier_loop(name, kind):
    """The same of NumPy's Fourier transforms of a kind, whose complex operands are pairs."""
    ufunc: Any = getattr(getattr(np.fft, "_pocketfft_umath", None), name, None)
    letter = _LETTERS.get(kind)
    if ufunc is None or letter is None:
        return None
    types = [t for t in ufunc.types if letter in t and set(t.lower()) <= {letter, "-", ">"}]
    found = loop_of(ufunc, types[0]) if types else None
    return found and (UfuncLoop(name, kind, 1, found), ufunc.signature)
