"""Dtypes: promotion, which carry derivatives, and which are computed in a wider one."""

from functools import wraps

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


# Mixed precision: compute in float32 what float16 and bfloat16 cannot hold on the way to an output.
#
# A count of 70,000 elements is infinite in float16, the square of 256 as well; a sum of ones in bfloat16 ends at 256.

_SINGLE = np.dtype(np.float32)


def is_half(dtype):
    """Tell whether a dtype is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def holds_half(value):
    """Tell whether a value, or one of a tuple of them, is of half precision; False for what has no dtype."""
    if type(value) is tuple:
        return any(map(holds_half, value))
    dtype = getattr(value, "dtype", None)
    return dtype is not None and dtype.itemsize == 2 and is_half(dtype)


def widened(value):
    """A value, or each of a tuple of them, in float32 if it is of half precision; others as they are."""
    if type(value) is tuple:
        return tuple(map(widened, value))
    return value.astype(_SINGLE) if holds_half(value) else value


def in_single(kernel):
    """A kernel `kernel(xp, x, …)` of real arrays that computes in float32 where `x` is of half precision."""

    @wraps(kernel)
    def run(xp, x, *args):
        if x.dtype.itemsize != 2 or not is_half(x.dtype):
            return kernel(xp, x, *args)
        return kernel(xp, x.astype(_SINGLE), *[widened(a) for a in args]).astype(x.dtype)

    return run


def back_in_single(back, names, bare):
    """`back(ct, saved)` in float32 for a cotangent of half precision; avals among the saved values stay."""
    known = [not name.endswith("_aval") for name in names]

    def wide(ct, saved):
        if holds_half(ct):
            ct = widened(ct)
            if bare:
                saved = widened(saved) if known[0] else saved
            elif names:
                saved = tuple([widened(v) if flag else v for v, flag in zip(saved, known)])
        return back(ct, saved)

    return wide
