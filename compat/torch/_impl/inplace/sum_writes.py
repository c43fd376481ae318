"""Writes in place of sums with products, as averages of weights are kept: where nothing is recorded, NumPy alone."""

import numpy as np

from ..graph import versions
from ..modes.errstate import error_state, restore_fp_warnings, suppress_fp_warnings
from ..modes.modes import IN_NO_GRAD, MODES
from ..state.edges import untangled
from ..types.number_cache import FLOATS
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import INFERENCE, VIEW, TensorBase, needs_grad
from ..views.overlap import overlapping


def _add(x, y, alpha):
    np.add(x, np.multiply(y, alpha), x)


def _sub(x, y, alpha):
    np.subtract(x, np.multiply(y, alpha), x)


def _lerp(x, end, weight):
    step = np.subtract(end, x)
    np.multiply(step, weight, step)
    np.add(x, step, x)


def _addcmul(x, y, z, value=1):
    part = np.multiply(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


def _addcdiv(x, y, z, value=1):
    part = np.divide(y, z)
    np.add(x, part if value == 1 else np.multiply(part, value), x)


KERNELS = {"add": _add, "sub": _sub, "lerp": _lerp, "addcmul": _addcmul, "addcdiv": _addcdiv}  # one write, the last


def written(name, t, args, numbers):
    """Tell whether `t` is now what an operation gives, written into its memory; False for what this does not take.

    Args:
        args: tensors of the dtype of `t`, and numbers.
        numbers: arguments by name, numbers alone.
    """
    if type(t) not in PLAIN_KINDS:
        return False
    m = MODES.get()
    if m is None:
        if not (idle(t) and all(map(idle, args))):
            return False
        m = IN_NO_GRAD
    elif not m.still:
        return False
    x = t.value
    if not usable(t, m) or x.dtype not in FLOATS or not x.flags.writeable or overlapping(x) or (
            versions.EXPOSED and versions.exposed(x)):
        return False
    values = []
    for a in args:
        if type(a) in PLAIN_KINDS:
            y = a.value
            if not usable(a, m) or y.dtype is not x.dtype or y is not x and versions.root_of(x) is versions.root_of(y):
                return False
            a = y
        elif type(a) is not float and type(a) is not int:
            return False
        values.append(a)
    for v in numbers.values():
        if type(v) is not float and type(v) is not int:
            return False
    token = error_state()
    try:
        suppress_fp_warnings()
        KERNELS[name](x, *values, **numbers)
    except (ValueError, TypeError, OverflowError):  # the general road says what does not fit
        return False
    finally:
        restore_fp_warnings(token)
    versions.bump(x)
    return True


def idle(t):
    """Tell whether a value is a number, or a plain tensor of floats of which nothing is recorded."""
    if type(t) not in PLAIN_KINDS:
        return not isinstance(t, TensorBase)
    if t.node is not None or t.wants_grad or t.dispatch_key > VIEW:
        return False
    return not t.dispatch_key or not needs_grad(t.autograd_meta.base)


def usable(t, m):
    """Tell whether a tensor is a plain one of floats in these modes, which no recorded rule holds as its output."""
    key = t.dispatch_key
    if key == INFERENCE:
        return m.inference
    return not key and t.node is None or key == VIEW and untangled(t) and t.autograd_meta.base.node is None
