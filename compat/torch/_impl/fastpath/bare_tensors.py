"""Lanes of tensors of other dtypes than float32 and float64, of which nothing is recorded: what writes to them, and
arithmetic of complex and half numbers.

Each function gives False or None for what it does not take, before anything is written.
"""

import numpy as np

from ..dispatch.layouts import laid_out
from ..graph import versions
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import MODES
from ..types.number_cache import EXACT
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import GENERAL, Tensor, infer, wrap
from ..views.overlap import crossing
from .basic_index import place, same
from .copy_slices import hooked

ndarray = np.ndarray
_HALF = 65504.0  # the largest number of half precision


def bare(t):
    """Tell whether a tensor is an ambient one over an array of NumPy of such a dtype, without history and tangent, and
    not of inference mode."""
    if t.dispatch_key != GENERAL or type(t) not in PLAIN_KINDS or t.level_trace is not None:
        return False
    array = t.value
    if type(array) is not ndarray or array.dtype.kind == "f" and array.itemsize > 2 or (
            t.node is not None or t.wants_grad):
        return False
    meta = t.autograd_meta
    if meta is None:
        return True
    if meta.tangent is not None or meta.forward_base is not None or meta.inference:
        return False
    base = meta.base
    return base is None or base.node is None and not base.wants_grad and (
        base.autograd_meta is None or base.autograd_meta.tangent is None)


OTHERS = frozenset(map(np.dtype, (np.float16, np.complex64, np.complex128)))
ARITHMETIC = frozenset({"add", "subtract", "multiply", "divide"})  # primitives whose dtype is that of the operands


def combined(fun, input, other):
    """Arithmetic of two bare tensors of one complex dtype, or of halves, or of one and a number; None for others."""
    x, m = input.value, MODES.get()
    if type(x) is not ndarray or m is not None and not m.still or not bare(input):
        return None
    y = other
    if type(other) is Tensor:
        y = other.value
        if type(y) is not ndarray or x.dtype is not y.dtype or not bare(other):
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


def open_to(t):
    """Tell whether a bare tensor may be written to at once: nothing has to hear of it, and no elements share memory."""
    m = MODES.get()
    if m is not None and not m.still and (m.packing is None or not hooked(m)) or not bare(t):
        return False
    array = t.value
    return array.flags.writeable and not (versions.EXPOSED and versions.exposed(array)) and (
        t.autograd_meta is None or not crossing(array))


def number(value, dtype):
    """A number of Python as a dtype takes it; None where that is refused, or has rules of its own."""
    kind, letter = type(value), dtype.kind
    if kind is float:
        if letter in "iu":
            if not -EXACT <= value <= EXACT or value != int(value):
                return None
            value = int(value)
    elif kind is bool:
        return value if letter == "b" else None
    elif kind is not int:
        return None
    if letter in "iu":
        low = -(1 << 8 * dtype.itemsize - 1) if letter == "i" else 0
        return value if low <= value < low + (1 << 8 * dtype.itemsize) else None
    if letter == "b":
        return bool(value)
    most = EXACT if letter == "c" else _HALF if letter == "f" else 0
    return value if -most <= value <= most else None


def operand(value, array):
    """What is written to an array: a number, or the array of a bare tensor of its dtype; None for all else."""
    if type(value) not in PLAIN_KINDS:
        return number(value, array.dtype)
    return value.value if bare(value) and value.value.dtype is array.dtype else None


def put(t, key, value):
    """`t[key] = value` for a basic key."""
    if not open_to(t):
        return False
    array = t.value
    kind = type(key)
    if kind is int:
        shape = array.shape
        if not shape or not -shape[0] <= key < shape[0]:
            return False
        spot = key
    else:
        found = place(key if kind is tuple else (key,), array.shape)
        if found is None:
            return False
        spot = found[2]
    v = operand(value, array)
    if v is None:
        return False
    if type(v) is ndarray and v.ndim:
        part = array[spot]
        if part.shape != v.shape or versions.root_of(v) is versions.root_of(array) and not same(part, v):
            return False
    array[spot] = v
    _ = versions.note(array)
    return True


def assign(t, value):
    """`t.copy_(value)`, `t.fill_(value)`."""
    if not open_to(t):
        return False
    array = t.value
    v = operand(value, array)
    if v is None or type(v) is ndarray and (v.shape != array.shape or np.may_share_memory(v, array)):
        return False
    array[...] = v
    _ = versions.note(array)
    return True


def update(ufunc, t, other):
    """`t += other` and related writes to integers, where the output is one of their dtype."""
    if not open_to(t):
        return False
    x = t.value
    if x.dtype.kind not in "iu" or type(other) not in PLAIN_KINDS and type(other) is not int:
        return False
    y = operand(other, x)
    if y is None or type(y) is ndarray and y is not x and (
            y.shape != x.shape and y.ndim or versions.root_of(x) is versions.root_of(y)):
        return False
    _ = ufunc(x, y, x)
    _ = versions.note(x)
    return True
