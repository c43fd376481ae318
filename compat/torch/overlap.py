"""Memory that is shared: refusals of writes whose outcome would depend on the order of the elements."""

import numpy as np

from . import versions
from .accumulate import dense
from .state import bottom

ndarray = np.ndarray
OVERLAPPING = ("unsupported operation: more than one element of the written-to tensor refers to a single memory "
               "location. Please clone() the tensor before performing the operation.")


def overlapping(array):
    """Whether two elements of an array share memory, by its strides."""
    return any(s == 0 and n > 1 for s, n in zip(array.strides, array.shape)) and array.size > 0


def check_overlap(array, operands):
    """Refuse a write where elements share memory with each other or, shifted, with an operand."""
    if overlapping(array):
        raise RuntimeError(OVERLAPPING)
    for x in operands:
        other = bottom(x)
        if type(other) is ndarray and versions.root_of(other) is versions.root_of(array) and other is not array:
            if partly_shared(array, other):
                raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor "
                                   "refer to a single memory location. Please clone() the tensor before performing the "
                                   "operation.")


def partly_shared(a, b):
    """Whether two arrays of one memory overlap without being the same elements in the same order.

    Where one has gaps PyTorch looks no further, and what it then writes depends on the order of the elements.
    """
    same = a.ctypes.data == b.ctypes.data and a.strides == b.strides
    return not (same and (a.shape == b.shape or a.size == b.size and dense(a))) and np.shares_memory(a, b)
