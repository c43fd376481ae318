"""Arithmetic of complex and half numbers of which nothing is recorded."""

import numpy as np

from ..dispatch.layouts import laid_out
from ..modes.modes import MODES
from ..modes.warnings import error_state, restore_fp_warnings, suppress_fp_warnings
from ..state.plain import bare
from ..types.tensor_type import Tensor, infer, wrap

ndarray = np.ndarray
OTHERS = frozenset(map(np.dtype, (np.float16, np.complex64, np.complex128)))
ARITHMETIC = frozenset({"add", "subtract", "multiply", "divide"})  # primitives whose dtype is that of the operands


def combined(fun, input, other):
    """Arithmetic of two bare tensors of one complex dtype, or of halves, or of one and a number; None for others."""
    x, m = input.value, MODES.get()
    if type(x) is not ndarray or m is not None and not m.still or not bare(input) or made_inferring(input):
        return None
    y = other
    if type(other) is Tensor:
        y = other.value
        if type(y) is not ndarray or x.dtype is not y.dtype or not bare(other) or made_inferring(other):
            return None
    token = error_state()
    try:
        suppress_fp_warnings()
        v = fun(x, y)
    except (ValueError, TypeError, ArithmeticError):
        return None
    finally:
        restore_fp_warnings(token)
    if type(v) is not ndarray:
        v = np.asarray(v)
    elif v.ndim > 1 and v.strides != x.strides:
        v = laid_out(v, x) if y is other else laid_out(v, x, y)
    if v.dtype is not x.dtype:
        return None
    out = wrap(v)
    if m is not None and m.inference:
        infer(out)
    return out


def made_inferring(t):
    """Tell whether a tensor was made in inference mode."""
    return t.autograd_meta is not None and t.autograd_meta.inference
