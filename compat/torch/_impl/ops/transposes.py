"""Transposes by attribute, `T`, `mT`, `H` and `mH`, and `adjoint`."""

from ..dispatch.call import ROWS, attach
from ..modes.warnings import first, tell
from ..types.tensor_type import Tensor
from ..views.fast import by_axes, viewing
from .axes import shape_of
from .shaping import permute, swapped, transpose


def reversed_axes(t):
    """`Tensor.T`: the axes in the opposite order; a warning for what is no matrix."""
    n = len(shape_of(t))
    found = permute(t, tuple(range(n))[::-1])
    if n != 2 and first("T"):
        tell("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
             "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
             "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor." if n else
             "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    return found


def matrix_turned(t):
    """`Tensor.mT`: the last two axes exchanged."""
    n = len(shape_of(t))
    if n == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0 and first("mT"):
        tell("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
    return transpose(t, -2, -1) if n else t


def conjugated(t):
    """`Tensor.H`: a matrix transposed and conjugated."""
    n = len(shape_of(t))
    if n not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor."
                           + (" For batches of matrices, consider using tensor.mH" if n > 2 else ""))
    if n == 0 and first("H"):
        tell("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
    return conjugate(transpose(t, 0, 1) if n else t)


def adjoint(input):
    """Return the conjugate transpose of the last two axes."""
    return turned_and_conjugate(input, "adjoint()")


def turned_and_conjugate(t, word):
    """The implementation of `adjoint`; `word` is the attribute that the user wrote."""
    n = len(shape_of(t))
    if n == 1:
        raise RuntimeError(f"tensor.{word} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0 and first(word):
        tell(f"{'Tensor.' * (word == 'mH')}{word} is deprecated on 0-D tensors. Consider using x.conj().")
    return conjugate(transpose(t, -2, -1) if n else t)


def conjugate(t):
    """The conjugate of a complex tensor; any other as it is."""
    return ROWS["conj"].fun(t) if t.is_complex() else t


Tensor.T = property(viewing(
    lambda shape: by_axes((1, 0), "PermuteBackward0") if len(shape) == 2 else None, reversed_axes))
Tensor.mT = property(viewing(lambda shape: swapped(shape, -2, -1) if len(shape) > 1 else None, matrix_turned))
Tensor.H = property(conjugated)
Tensor.mH = property(lambda self: turned_and_conjugate(self, "mH"))
attach("adjoint", adjoint)
