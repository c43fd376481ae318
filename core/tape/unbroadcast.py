"""Bring a cotangent to the shape and dtype of its operand.

Written with operators and methods only, so it works on arrays and on tracers of any level.
"""

import numpy as np

from ..arrays.sums import sums

ndarray = np.ndarray
_AXES = {}  # (shape of a cotangent, shape of its operand) -> the axes to sum over


def conj(x):
    """The complex conjugate; real values as they are."""
    if type(x) in (float, int, complex, bool):
        return x.conjugate()
    return x.conj() if x.dtype.kind == "c" else x


def fix(c, aval):
    """`c` summed, reshaped and cast to `aval`: the transpose of broadcasting and promotion."""
    if c.shape == aval.shape:
        if c.dtype == aval.dtype:
            return c
        return recast(c, aval.dtype)
    c = unbroadcast(c, aval.shape)
    return c if c.dtype == aval.dtype else recast(c, aval.dtype)


def unbroadcast(c, target):
    """Sum `c` over the axes along which `target` was broadcast."""
    key = c.shape, target
    axes = _AXES.get(key)
    if axes is None:
        shape = c.shape
        lead = len(shape) - len(target)
        if lead < 0:  # a value written to part of an array may have more axes than that, of length 1
            return unbroadcast(c, target[-lead:]).reshape(target)
        axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(target) if n == 1 and shape[i + lead] != 1)
        if len(_AXES) >= 1024:
            _AXES.clear()
        _AXES[key] = axes
    if axes:
        c = sums(c, axes) if type(c) is ndarray else c.sum(axis=axes)
    return c if c.shape == target else c.reshape(target)


def recast(c, dtype):
    """`c` in `dtype`; a complex cotangent of a real operand gives its real part."""
    if c.dtype.kind == "c" and dtype.kind != "c":
        c = c.real
    return c if c.dtype == dtype else c.astype(dtype)
