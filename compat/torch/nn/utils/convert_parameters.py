"""torch.nn.utils.convert_parameters: parameters as one vector, and back."""

from ..._impl.public_names import torch
from ..._impl.types.tensor_type import TensorBase


def parameters_to_vector(parameters):
    """The elements of all parameters as one vector.

    >>> import covector.compat.torch as torch
    >>> torch.nn.utils.parameters_to_vector([torch.ones(2), torch.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    return torch.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Give the parameters the elements of a vector, which they then share memory with."""
    if not isinstance(vec, TensorBase):
        raise TypeError(f"expected torch.Tensor, but got: {torch.typename(vec)}")
    place = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[place:place + n].view_as(p).data
        place += n
