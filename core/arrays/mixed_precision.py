"""Mixed precision: compute in float32 what float16 and bfloat16 cannot hold on the way to an output.

A count of 70,000 elements is infinite in float16, the square of 256 as well, and a sum of ones in bfloat16 ends at 256.
"""

from functools import wraps

import numpy as np

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
