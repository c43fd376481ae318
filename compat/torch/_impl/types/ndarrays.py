"""Arrays of NumPy: what fast roads ask of one, where ndarrays.pyx beside it is not compiled."""

import numpy as np

ndarray = np.ndarray
UNDISTURBED = False  # whether no other thread runs between two statements that call no Python


def in_order(x):
    """Tell whether the elements of an array lie in order, without gaps."""
    return x.flags.c_contiguous


def dense(x):
    """Tell whether the elements of an array lie without gaps, in the order of its axes or the opposite one."""
    return x.flags.forc


def writes(x):
    """Tell whether an array may be written to."""
    return x.flags.writeable


def floats(x):
    """Tell whether an array is one of native floats of 32 or 64 bits."""
    return x.dtype.char in "df" and x.dtype.isnative


def of_shape(x, shape):
    """Tell whether an array has a shape."""
    return x.shape == shape


def alike(x, y):
    """Tell whether two arrays have one dtype and one shape."""
    return x.dtype is y.dtype and x.shape == y.shape


key_of = id


def filled(x, v):
    """Let all elements of an array be a number."""
    x[...] = v


copied = filled


def number(x):
    """The only element of an array; None where there are more, or none."""
    return x.item() if x.size == 1 else None


def within(key, shape):
    """Tell whether a key is of ints alone that lie in a shape."""
    if len(key) > len(shape):
        return False
    for k, n in zip(key, shape):
        if type(k) is not int or not -n <= k < n:
            return False
    return True


def same(x, y):
    """Tell whether two arrays of one shape are the same elements."""
    return x.strides == y.strides and x.__array_interface__["data"] == y.__array_interface__["data"]


def owner(x):
    """The array that owns the memory of an array, as far as NumPy knows."""
    base = x.base
    while type(base) is ndarray:
        x = base
        base = x.base
    return x


def reshaped(x, shape):
    """NumPy makes all views."""
    return None


def layout(source, shape, starts, steps, writes=True):
    """NumPy makes all views."""
    return None


def laid(x, by):
    """There is no layout."""
    raise NotImplementedError
