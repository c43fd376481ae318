"""Weights by their norms: weights as lengths times directions, and the largest singular value."""

from . import functions as F, torch_names as torch


def norm_except_dim(v, pow=2, dim=0):  # noqa: A002 (torch's name)
    """The norms over all axes but one, which stays; over all of them for -1."""
    if dim == -1:
        return v.norm(pow)
    axes = [axis for axis in range(v.dim()) if axis != dim % v.dim()]
    return v.norm(pow, axes, keepdim=True) if axes else v.abs()


def weight_norm(v, g, dim=0):
    """`v` with the norms `g` over all axes but one."""
    return v * (g / norm_except_dim(v, 2, dim))


def as_matrix(weight, dim):
    """A weight with one axis first and the others as one."""
    if dim != 0:
        weight = weight.permute(dim, *[axis for axis in range(weight.dim()) if axis != dim])
    return weight.reshape(weight.size(0), -1)


def iterate(matrix, u, v, times, eps):
    """Steps of the power method for the first singular vectors, in place: `u` of `v`, then `v` of `u`."""
    with torch.no_grad():
        for _ in range(times):
            u.copy_(F.normalize(torch.mv(matrix, v), dim=0, eps=eps))
            v.copy_(F.normalize(torch.mv(matrix.t(), u), dim=0, eps=eps))


def singular_value(matrix, u, v):
    """The singular value of a pair of singular vectors."""
    return torch.dot(u, torch.mv(matrix, v))
