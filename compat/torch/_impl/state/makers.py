"""Queries and constructors of the lanes of plain tensors: the road that the modes leave open, operands, tensors.

Compiled with makers.pxd beside it.
"""

import numpy as np

from ..... import _engine
from ..modes.warnings import QUIET, enter_error_state, error_state, restore_fp_warnings
from ..types.blank import blank
from ..types.number_cache import CONSTS, constant
from ..types.parameter import Parameter
from ..types.tensor_slots import TensorSlots
from ..types.tensor_type import FAST, GENERAL, INFERENCE, INFERRED, VIEW, Tensor
from .edges import accumulator
from .plain import OPEN, current

ndarray = np.ndarray


def road(m):
    """The road of plain tensors: 0 where operations are recorded, 1 in no_grad, 2 in inference_mode, 3 elsewhere."""
    if not OPEN[0]:
        return 3
    if m is None:
        return 0
    if m.still:
        return 2 if m.inference else 1
    return 3 if m.packing is None else 0


def usable(x, way):
    """Tell whether an object is a plain tensor for a road: its history, if that counts, is up to date."""
    kind = type(x)
    if kind is not Tensor and kind is not Parameter:
        return False
    t: TensorSlots = x
    key = t.dispatch_key
    if not key:
        return True
    if key == VIEW:
        return current(t, not way)
    return way != 0 and key == INFERENCE


def of_floats(x):
    """Tell whether an object is a tensor of floats, plain but for its history."""
    kind = type(x)
    if kind is not Tensor and kind is not Parameter:
        return False
    t: TensorSlots = x
    return t.dispatch_key != GENERAL


def history(t):
    """The node of a usable tensor; None without a history."""
    node = t.node
    return accumulator(t) if node is None and t.wants_grad else node


def number(c, dtype):
    """A number of Python as an array without axes."""
    found = CONSTS[dtype].get(c)
    return constant(c, dtype) if found is None else found


def quiet(op):
    """A ufunc, or a function of arrays, without NumPy's warnings."""
    return _engine.small(op, quiet=quieted)


def quieted(op):
    """A function of arrays without NumPy's warnings, written out."""
    def run(*args):
        token = error_state()
        try:
            enter_error_state(QUIET)
            return op(*args)
        finally:
            restore_fp_warnings(token)

    return run


def tensor_of(value, node, meta, trace, key):
    """A tensor by its fields."""
    out: TensorSlots = blank(Tensor)
    out.value = value
    out.node = node
    out.autograd_meta = meta
    out.level_trace = trace
    out.wants_grad = False
    out.dispatch_key = key
    return out


def made(array, node):
    """A tensor over an array of floats."""
    return tensor_of(array, node, None, None, FAST)


def inferred(array):
    """A tensor of inference mode."""
    return tensor_of(array, None, INFERRED, None, INFERENCE)


def result(v, node, way):
    """The tensor that an operation gives on a road."""
    if type(v) is not ndarray:
        v = np.asarray(v)
    return inferred(v) if way == 2 else tensor_of(v, node, None, None, FAST)


def above(trace, t):
    """The value of a level over a tensor."""
    return tensor_of(t, None, None, trace, GENERAL)
