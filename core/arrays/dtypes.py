"""Promotion, and which dtypes carry derivatives."""

import numpy as np

from .avals import Aval, promoting_aval

FLOAT0 = np.dtype([("float0", np.void, 0)])  # of the gradient of integers: it has a shape and no values
_WEAK_SCALAR = {"b": False, "i": 0, "f": 0.0, "c": 0j}


def is_inexact(dtype):
    """Tell whether values of `dtype` carry derivatives: floating or complex, bfloat16 and related functions
    included."""
    kind = dtype.kind
    return kind in "fc" or (kind == "V" and dtype.name.startswith(("bfloat", "float")))


def is_complex(dtype):
    """Tell whether `dtype` is complex."""
    return dtype.kind == "c"


def real_dtype(dtype):
    """The dtype of functions such as the absolute value, which are real."""
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype


def part_dtype(dtype):
    """The dtype of the real and the imaginary part, views in the byte order of their array."""
    return real_dtype(dtype) if dtype.isnative else real_dtype(dtype).newbyteorder(">" if dtype.str[0] == ">" else "<")


def complex_dtype(dtype):
    """The smallest complex dtype that holds `dtype`."""
    if dtype.kind == "c":
        return dtype
    return np.result_type(dtype, np.complex64)


def native_dtype(dtype):
    """`dtype` in the byte order of this machine, in which NumPy computes."""
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def float_dtype(dtype):
    """`dtype` itself if floating or complex, else the float64 NumPy computes with."""
    return dtype if is_inexact(dtype) else np.dtype(np.float64)


def result_dtype(*values):
    """NumPy 2 promotion over arrays, tracers, avals, dtypes and scalars; Python scalars and weak avals are weak."""
    parts = []
    for value in values:
        if isinstance(value, np.dtype):
            parts.append(value)
            continue
        aval = value if isinstance(value, Aval) else promoting_aval(value)
        parts.append(_WEAK_SCALAR[aval.dtype.kind] if aval.weak else aval.dtype)
    return np.result_type(*parts)
