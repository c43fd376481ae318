"""Memory that is shared: refusals of writes whose outcome would depend on the order of the elements."""

import numpy as np

from ..graph import versions
from ..graph.accumulate import dense
from ..types.arrays import ARRAYS, address
from ..types.tensor_value import bottom

OVERLAPPING = ("unsupported operation: more than one element of the written-to tensor refers to a single memory "
               "location. Please clone() the tensor before performing the operation.")
ARITHMETIC = frozenset({"add_", "sub_", "mul_", "div_", "copy_", "clamp_min_", "clamp_max_", "masked_fill_",
                        "logical_and_", "logical_or_", "logical_xor_"})  # as torch's messages name them

BATCHED = frozenset({"fill_", "index_add_", "index_fill_", "index_put_", "scatter_add_", "scatter_reduce_"})  # likewise


def overlapping(array):
    """Tell whether two elements of an array share memory, by its strides."""
    strides = array.strides
    return 0 in strides and any(s == 0 and n > 1 for s, n in zip(strides, array.shape)) and array.size > 0


def crossing(array):
    """Tell whether two elements of an array share memory though no stride is 0, as those of windows that overlap do."""
    if array.ndim < 2 or array.flags.c_contiguous or array.size < 2:
        return False
    reach = 0  # of all elements along the axes with shorter strides
    for stride, n in sorted([(abs(s), n) for s, n in zip(array.strides, array.shape) if n > 1]):
        if stride <= reach:
            places = sum(np.ogrid[tuple([slice(0, n * abs(s), abs(s)) if s else slice(0, 1)
                                         for n, s in zip(array.shape, array.strides)])])
            return np.unique(places).size < places.size
        reach += stride * (n - 1)
    return False


# Writes that PyTorch refuses before it looks at anything else, where the elements written to share memory.
FIRST = frozenset("""add_ sub_ mul_ pow_ copy_ addcmul_ addcdiv_ eq_ ne_ lt_ le_ gt_ ge_ bitwise_and_ bitwise_or_
bitwise_xor_ masked_scatter_ index_copy_ put_ scatter_ random_""".split())


def check_own(array):
    """Refuse a write where elements share memory with each other."""
    if overlapping(array) or crossing(array):
        raise RuntimeError(OVERLAPPING)


def check_overlap(array, operands):
    """Refuse a write where elements share memory with each other or, shifted, with an operand."""
    check_own(array)
    for x in operands:
        other = bottom(x)
        if type(other) in ARRAYS and versions.root_of(other) is versions.root_of(array) and other is not array:
            if partly_shared(array, other):
                raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor "
                                   "refer to a single memory location. Please clone() the tensor before performing the "
                                   "operation.")


def partly_shared(a, b):
    """Tell whether two arrays of one memory overlap without being the same elements in the same order.

    Where one has gaps PyTorch looks no further, and what it then writes depends on the order of the elements.
    """
    same = address(a) == address(b) and a.strides == b.strides
    return not (same and (a.shape == b.shape or a.size == b.size and dense(a))) and np.shares_memory(a, b)


def into_what_is_shared(name):
    """torch's message of a write of values that a vmap maps into memory that all of its examples share."""
    word = "inplace arithmetic" if name in ARITHMETIC else name if name in BATCHED else f"aten::{name}"
    return (f"vmap: {word}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
            "has more elements than `self`. This happened due to `other` being vmapped over but `self` not being "
            f"vmapped over in a vmap. Please try to use out-of-place operators instead of {word}. If said operator is "
            "being called inside the PyTorch framework, please file a bug report instead.")
