"""NumPy's own BLAS, looked up in the library that NumPy loaded."""

import ctypes
from functools import cache

from numpy._core import _multiarray_umath  # type: ignore[attr-defined] # private: where the library lies

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
