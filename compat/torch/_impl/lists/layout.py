"""Checks of the memory layout of device arrays: gapless, alike, disjoint."""

from ..types.arrays import namespace


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
