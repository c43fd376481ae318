"""Checks that a kernel may compute with tensors: plain memory on a device, and how arrays lie there."""

import numpy as np

from ..modes.modes import MODES
from ..types.arrays import ARRAYS, namespace

ndarray = np.ndarray


def undisturbed():
    """Tell whether nothing but no_grad or a default device is in force."""
    m = MODES.get()
    if m is not None and m.device is not None:
        m = m.but(device=None)
    return m is None or m.still or m.default()


def stands_alone(t):
    """Tell whether a tensor is of no level, and neither computed by a recorded operation nor part of a derivative."""
    meta = t.autograd_meta
    return t.level_trace is None and t.node is None and (meta is None or meta.tangent is None and not meta.inference)


def there(t, kinds):
    """Tell whether a tensor is an array of a device, of a dtype of these letters, that a kernel can update."""
    x = t.value
    return type(x) is not ndarray and type(x) in ARRAYS and x.dtype.char in kinds and gapless(x)


def arrays_of(tensors):
    """The arrays of tensors that a kernel can update outside of all records: of one real dtype; None if it cannot."""
    if not tensors or type(tensors[0].value) is ndarray or not undisturbed():
        return None
    arrays = [t.value for t in tensors]
    if all(stands_alone(t) and not t.requires_grad and there(t, "fd") for t in tensors) and (
            len({x.dtype for x in arrays}) == 1):
        return arrays
    return None


# Checks of the memory layout of device arrays: gapless, alike, disjoint.


def gapless(x):
    """Tell whether an array fills its memory, in whatever order of its axes."""
    if x.flags.c_contiguous:
        return True
    expected = x.itemsize
    for stride, n in sorted([(stride, n) for stride, n in zip(x.strides, x.shape) if n != 1]):
        if stride != expected:
            return False
        expected *= n
    return True


def alike(x, y):
    """Tell whether the elements of two arrays of one shape, the second without gaps, come in the same order in
    memory."""
    return x.strides == y.strides or x.flags.c_contiguous and y.flags.c_contiguous


def laid_like(x, y):
    """A copy of an array whose elements come in the same order as those of another one."""
    out = namespace(y).empty_like(y)
    out[...] = x
    return out


def apart(arrays):
    """Tell whether no two arrays without gaps share memory."""
    spans = sorted([(x.data.ptr, x.data.ptr + x.nbytes) for x in arrays])
    return all(end <= start for (_, end), (start, _) in zip(spans, spans[1:]))
