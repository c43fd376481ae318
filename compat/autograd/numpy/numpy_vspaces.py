"""autograd.numpy.numpy_vspaces: vector spaces of arrays."""

from .._impl.missing import refusing as _refusing
from .._impl.spaces import (
    ArrayVSpace as ArrayVSpace,
    ComplexArrayVSpace as ComplexArrayVSpace,
    ContainerVSpace,
    VSpace as VSpace,
)

EigResultVSpace = EighResultVSpace = QRResultVSpace = SlogdetResultVSpace = SVDResultVSpace = ContainerVSpace
_refusing("numpy.numpy_vspaces")
