"""Memory that is shared: refusals of writes whose outcome would depend on the order of the elements."""

import numpy as np

from ..graph import versions
from ..graph.accumulate import dense
from ..types.arrays import ARRAYS, address
from ..types.tensor_type import bottom

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
            return np.unique(addresses(array)).size < array.size
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
    """Tell whether what is written to `a` depends on when `b`, of the same memory, is read.

    PyTorch refuses dense arrays, and looks no further where one has gaps: elements are read and written in the order
    of the memory of `a`. Where each is read before it is written (`x[:, :-1] = x[:, 1:]`, `x[:, j] = x[j]`), that is
    what a copy of `b` would give.
    """
    same = address(a) == address(b) and a.strides == b.strides
    if same and (a.shape == b.shape or a.size == b.size and dense(a)) or not np.shares_memory(a, b):
        return False
    if dense(a) and dense(b) or a.itemsize != b.itemsize or (address(a) - address(b)) % a.itemsize:
        return True
    try:
        b = np.broadcast_to(b, a.shape)
    except ValueError:
        return True
    order = np.argsort([-s for s in a.strides], kind="stable")
    written, read = (addresses(v).transpose(order).reshape(-1) + address(v) for v in (a, b))
    sorts = np.argsort(written)
    found = sorts[np.searchsorted(written, read, sorter=sorts).clip(max=a.size - 1)]  # when each is written, if it is
    return bool(np.any((written[found] == read) & (found < np.arange(a.size))))


def addresses(array):
    """The offset of each element, in bytes from the first one."""
    steps = np.ogrid[tuple([slice(0, n) for n in array.shape])]
    return sum(k * s for k, s in zip(steps, array.strides))


def into_what_is_shared(name):
    """torch's message of a write of values that a vmap maps into memory that all of its examples share."""
    word = "inplace arithmetic" if name in ARITHMETIC else name if name in BATCHED else f"aten::{name}"
    return (f"vmap: {word}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
            "has more elements than `self`. This happened due to `other` being vmapped over but `self` not being "
            f"vmapped over in a vmap. Please try to use out-of-place operators instead of {word}. If said operator is "
            "being called inside the PyTorch framework, please file a bug report instead.")
