"""Tensors of a device that are zeroed or clipped together, each in one launch."""

from functools import lru_cache

import numpy as np

from ..graph.versions import note_all, root_of
from .kernel import Launches, ListKernel
from .plain import apart, arrays_of


def zeroed(tensors):
    """Fill tensors with zeros; returns whether one kernel could."""
    return updated(zeros, tensors)


def clipped(tensors, low, high):
    """Clip the elements of tensors; returns whether one kernel could."""
    return updated(clip, tensors, (low, high))


def scaled_down(tensors, most, total):
    """Scale tensors of which `total` is the norm to a norm of `most`; returns whether one kernel could."""
    x = arrays_of([total, *tensors])
    return x is not None and total.dim() == 0 and updated(scaled, tensors, (most,), (x[0],))


def zeros(x):
    """Zero, whatever an element is."""
    return np.zeros_like(x)


def scaled(most, total, x):
    """An element scaled down; a number is divided by a tensor by its reciprocal, as there."""
    return x * np.minimum(np.reciprocal(total + 1e-6) * most, 1.0)


def clip(low, high, x):
    """An element between two bounds."""
    return np.clip(x, low, high)


def updated(update, tensors, numbers=(), shared=()):
    """Replace each element by a function of it; returns whether a kernel could."""
    arrays = arrays_of(tensors)
    if arrays is None or not apart(arrays):
        return False
    kernel = kernel_of(update, len(numbers), len(shared), arrays[0].dtype)
    launches = launches_of(kernel, tuple([x.size for x in arrays])).copy()
    launches.place(0, arrays)
    launches.run(numbers, shared)
    note_all([root_of(x) for x in arrays])
    return True


@lru_cache(maxsize=16)
def kernel_of(update, numbers, shared, dtype):
    """The kernel of such a function."""
    return ListKernel(update, f"covector_{update.__name__}", numbers, shared, 1, (0,), dtype)


@lru_cache(maxsize=64)
def launches_of(kernel, sizes):
    """The launches of a kernel for arrays of these sizes, to be copied."""
    return Launches(kernel, sizes)
