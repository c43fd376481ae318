"""autograd.numpy.numpy_boxes: the type of traced arrays."""

from .._impl.missing import refusing as _refusing
from .._impl.tracer import Box

ArrayBox = Box

_refusing("numpy.numpy_boxes")
