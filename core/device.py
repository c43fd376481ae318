"""Constants inside rules, made where the values are: `constant(np.eye(3), like=x)` is on the device of `x`."""

import numpy as np

from .backend import namespace_of
from .tracer import peel

ndarray = np.ndarray


def constant(array, like):
    """A NumPy constant as an array of the library that `like` (an array or tracer of any level) computes with."""
    raw = peel(like)
    if raw is None or isinstance(raw, (ndarray, np.generic)) or type(raw) in (int, float, complex, bool):
        return array
    return namespace_of((raw,)).asarray(array)
