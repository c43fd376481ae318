"""Parameters of distributions: broadcast together, computed from each other, computed once."""

import functools
from numbers import Number

from ..public_names import F, torch

euler_constant = 0.57721566490153286060
NO_AXES = torch.Size()


def broadcast_all(*values):
    """Broadcast numbers and tensors to tensors of one shape.

    Raises:
        ValueError: a value is neither.
    """
    if not all(hasattr(type(v), "__torch_function__") or isinstance(v, torch.Tensor | Number) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    first = next((v for v in values if isinstance(v, torch.Tensor)), None)
    place = {"dtype": torch.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    tensors = tuple(torch.tensor(v, **place) if isinstance(v, Number) else v for v in values)
    if all(t.shape == tensors[0].shape for t in tensors):
        return tensors  # leaves stay leaves
    return tuple(torch.broadcast_tensors(*tensors))


def batch_shape_of(tensor, *given):
    """The batch shape of broadcast parameters: none where all that was given are numbers."""
    return torch.Size() if all(isinstance(v, Number) for v in given) else tensor.size()


def standard_normal(shape, dtype, device=None):
    """Numbers of the standard normal distribution."""
    return torch.randn(shape, dtype=dtype, device=device)


def sum_rightmost(value, dim):
    """The sum over the last `dim` axes."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """Probabilities from their logits, or from logarithms of numbers in proportion to them."""
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs):
    """Probabilities away from 0 and 1 by the resolution of their dtype."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """The inverse of `logits_to_probs`."""
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property:  # noqa: N801 (torch's name)
    """A property that is computed once, with gradients even where they are off."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, obj_type=None):
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat, diag=0):
    """The entries of lower triangular matrices as vectors, row by row.

    Raises:
        ValueError: `diag` lies outside of the matrix.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows = torch.arange(n, device=mat.device)
    return mat[..., rows < rows.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec, diag=0):
    """The inverse of `tril_matrix_to_vec`.

    Raises:
        ValueError: no triangle has so many entries.
    """
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    eps = torch.finfo(vec.dtype).eps
    if not -eps < round(n) - n < eps:
        raise ValueError(f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower "
                         "triangular part of a square D x D matrix.")
    n = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    rows = torch.arange(n, device=vec.device)
    mat[..., rows < rows.view(-1, 1) + (diag + 1)] = vec
    return mat
