"""torch._tensor: the class of tensors, under the name by which programs and files reach it."""

from ._impl.types.tensor_type import Tensor as Tensor
