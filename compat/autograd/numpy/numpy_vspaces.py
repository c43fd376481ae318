"""autograd.numpy.numpy_vspaces: vector spaces of arrays."""

from .._impl.spaces import ArrayVSpace as ArrayVSpace, ComplexArrayVSpace as ComplexArrayVSpace, VSpace as VSpace
