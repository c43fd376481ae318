"""The value below a tensor, through all its levels: shape and dtype, memory, a traced value."""

import numpy as np

from .tensor_type import FOREIGN, TensorBase, ndarray


def shape_dtype(t):
    """`(shape, NumPy dtype)`; a batch level takes one axis away."""
    value = t.value
    hidden = 0
    while not isinstance(value, ndarray):
        trace = t.level_trace
        if trace is FOREIGN:
            value = current(t)
            return tuple(value.shape)[hidden:], value.dtype
        if trace is None:  # of another layout
            break
        if trace.kind == "vmap":
            hidden += 1
        t = value
        value = t.value
    return value.shape[hidden:], value.dtype


def hollow(shape, dtype):
    """An array of that shape in the memory of one element, as `np.broadcast_to` makes it in five times the time."""
    return np.ndarray(shape, dtype, np.empty((), dtype), 0, (0,) * len(shape))


def bottom(t):
    """The array or FOREIGN tensor below all levels of `t`."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t if t.level_trace is FOREIGN else t.value


def bottom_dtype(t):
    """The NumPy dtype of a tensor."""
    while isinstance(t.value, TensorBase):
        t = t.value
    return t.value.dtype


def current(t):
    """The traced value of a FOREIGN tensor; a view whose base was written to since takes its steps again."""
    meta = t.autograd_meta
    if meta is not None and meta.base is not None:
        base = meta.base
        if cell_of(base) != meta.cell:
            value = current(base)
            for prim, params in meta.steps:
                value = prim.fun(value, *params)
            t.value = value
            meta.cell = cell_of(base)
    return t.value


def cell_of(t):
    """The version of a tensor without memory."""
    return 0 if t.autograd_meta is None else t.autograd_meta.cell or 0
