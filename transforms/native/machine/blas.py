"""NumPy's own library of matrix products, looked up where NumPy loaded it."""

import ctypes
from functools import cache

from numpy._core import _multiarray_umath  # type: ignore[attr-defined] # private: where the library lies

_FORMS = ("scipy_cblas_{}64_", "cblas_{}64_")  # of 64-bit integers, as NumPy's wheels have it
_NAMES = ("dgemm", "sgemm", "dgemv", "sgemv")


@cache
def products_library():
    """`{name: address}` of gemm and gemv in two precisions; None where NumPy has no such library."""
    try:
        library = ctypes.CDLL(_multiarray_umath.__file__)  # its dependencies are looked up, too
    except (AttributeError, OSError):
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
