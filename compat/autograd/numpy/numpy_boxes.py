"""autograd.numpy.numpy_boxes: the type of traced arrays."""

import numpy as np

from ....extend import Batched, Tracer
from ..tracer import getval

ArrayBox = Tracer


def _value(x):
    """The value one level below: autograd's `box._value`."""
    if isinstance(x, Batched) or hasattr(x, "read"):
        return getval(x)
    value = x.value
    if value is None:
        return getval(x)
    return value[()] if type(value) is np.ndarray and not value.ndim else value


Tracer._value = property(_value)  # type: ignore[attr-defined] # programs written for autograd read it
