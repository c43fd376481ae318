"""torch._subclasses, as far as other people's modules look at it."""

from . import fake_tensor as fake_tensor
from .fake_tensor import FakeTensor as FakeTensor, FakeTensorMode as FakeTensorMode
