"""Writes in place by elements to tensors of a device, where nothing is recorded: one function of CuPy's."""

from ..graph import versions
from ..modes.modes import MODES
from ..types.arrays import cupy, ndarray
from ..types.number_cache import EXACT, FLOATS
from ..types.parameter import PLAIN_KINDS
from ..views.overlap import overlapping
from .inplace import untracked
from .write import rescue


def updated(name, t, other):
    """Tell whether `t` of a device is now what an operation on floats of one width gives; False for what is not taken.

    Args:
        name: that of CuPy's ufunc.
        other: a tensor, or a number.
    """
    m = MODES.get()
    if m is not None and not m.still or type(t) not in PLAIN_KINDS or not untracked(t, m):
        return False
    x = y = t.value
    if type(x) is ndarray or x.dtype not in FLOATS or overlapping(x):
        return False
    if type(other) in PLAIN_KINDS:
        y = other.value
        if type(y) is not type(x) or y.dtype is not x.dtype or not untracked(other, m) or (
                y is not x and versions.root_of(x) is versions.root_of(y)):
            return False
    elif type(other) is float or type(other) is int and -EXACT <= other <= EXACT:
        y = other
    else:
        return False
    rescue(t)
    try:
        getattr(cupy(), name)(x, y, x)
    except ValueError:  # the general way says that the shapes do not fit
        return False
    versions.bump(x)
    return True
