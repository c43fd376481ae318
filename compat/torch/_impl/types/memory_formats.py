"""Memory formats: the order of a tensor's axes in memory, as `contiguous`, `clone`, `to` and the factories take it."""

import numpy as np

from .....extend import Opaque, Tracer
from .arrays import ARRAYS, namespace
from .size import memory_format as MemoryFormat

ORDERS = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}  # from the outermost axis inwards


def order_of(format, ndim):  # noqa: A002
    """The axes from the outermost in memory inwards, or None for their own order (`contiguous_format`)."""
    order = ORDERS.get(checked(format).name)
    if order is not None and len(order) != ndim:
        raise RuntimeError(f"required rank {len(order)} tensor to use {format.name} format")
    return order


def preserves(format):  # noqa: A002
    """Tell whether a format keeps the order that there is."""
    return format is None or checked(format).name == "preserve_format"


def checked(format):  # noqa: A002
    """A format, or torch's refusal of something else."""
    if not isinstance(format, MemoryFormat):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(format).__name__}")
    return format


def empty_in_format(shape, dtype, format, xp=np):  # noqa: A002
    """An uninitialized array in a format, of NumPy or of another library."""
    order = None if format is None else order_of(format, len(shape))
    if order is None:
        return xp.empty(shape, dtype)
    return xp.empty([shape[a] for a in order], dtype).transpose(np.argsort(order).tolist())


def lies_in(array, format):  # noqa: A002
    """Tell whether the elements of an array lie in memory as a format says."""
    order = ORDERS.get(checked(format).name)
    if order is None:
        return array.flags.c_contiguous
    if len(order) != array.ndim:
        return False
    expected = array.itemsize
    for a in reversed(order):
        if array.shape[a] != 1:
            if array.strides[a] != expected:
                return False
            expected *= array.shape[a]
    return True


def arranged(v, format, ndim):  # noqa: A002
    """A fresh value with its array in a format (vmap's axes lie outside all)."""
    order = order_of(format, ndim)
    if type(v) in ARRAYS:
        return in_order(v, order)
    if isinstance(v, Opaque):
        return v  # a program takes over the layout of the general path's output
    u = v
    while isinstance(u.value, Tracer):
        u = u.value
    if type(u.value) in ARRAYS:
        u.value = in_order(u.value, order)
    return v


def in_order(array, order):
    """An array whose last axes lie in memory in an order."""
    if order is None:
        return namespace(array).ascontiguousarray(array) if array.ndim else array
    hidden = array.ndim - len(order)
    axes = [*range(hidden), *[a + hidden for a in order]]
    return namespace(array).ascontiguousarray(array.transpose(axes)).transpose(np.argsort(axes).tolist())
