"""The functions that contraction libraries (opt_einsum) call for tensors of this package."""

from ..dispatch.call import ROWS
from ..types.tensor_type import Tensor
from .shaping import permute


class Contractions:
    """NumPy's signatures of torch's functions; `covector.einsum`, `tensordot` and `transpose` find them here."""

    @staticmethod
    def einsum(equation, *operands):
        """`torch.einsum`."""
        return ROWS["einsum"].fun(equation, *operands)

    @staticmethod
    def tensordot(a, b, axes=2):
        """`torch.tensordot`."""
        return ROWS["tensordot"].fun(a, b, axes)

    @staticmethod
    def transpose(a, axes=None):
        """`Tensor.permute`; without axes they are reversed."""
        return permute(a, tuple(range(a.dim()))[::-1] if axes is None else tuple(axes))


Tensor.contractions = Contractions
