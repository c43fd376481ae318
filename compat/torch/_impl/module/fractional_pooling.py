"""Maxima over windows at random distances; Graham (2014), Fractional Max-Pooling."""

import math

from ..public_names import torch
from ..types.dtypes import type_word
from .tuples import _pair, _triple


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """Maxima over windows of `(N, C, H, W)` or `(C, H, W)` at random distances.

    Args:
        kernel_size: of the windows.
        output_size: of the output, or `output_ratio`, what to multiply the size by.
        return_indices: whether the places of the maxima in the flat image are returned too.

    >>> import covector.compat.torch as torch
    >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 2, 8, 8), 2, output_ratio=0.5).shape
    torch.Size([1, 2, 4, 4])
    """
    found = pooled("2d", 2, _pair, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                          _random_samples=None):
    """Maxima over windows of `(N, C, D, H, W)` or `(C, D, H, W)` at random distances."""
    found = pooled("3d", 3, _triple, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    """`fractional_max_pool2d` with the places of the maxima."""
    return fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                                       _random_samples=None):
    """`fractional_max_pool3d` with the places of the maxima."""
    return fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)


def pooled(name, axes, ntuple, input, kernel, size, ratio, samples):
    """The maxima and their places."""
    if size is None and ratio is None:
        raise ValueError(f"fractional_max_pool{name} requires specifying either an output_size or an output_ratio")
    if input.dim() not in (axes + 1, axes + 2):
        raise RuntimeError(f"fractional_max_pool{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got: "
                           f"{list(input.shape)}")
    if input.dtype.is_complex:
        raise NotImplementedError(f"\"fractional_max_pool{name}_out_frame\" not implemented for "
                                  f"'{type_word(input.dtype.numpy)}'")
    shape = tuple(input.shape[-axes:])
    kernel = ntuple(kernel)
    size = ntuple(size) if size is not None else tuple(int(n * r) for n, r in zip(shape, ntuple(ratio)))
    for letter, out, k, n in zip("THW"[-axes:], size, kernel, shape):
        if out + k - 1 > n:
            raise RuntimeError(f"fractional_max_pool{name}(): pool_size_{letter} {k} too large relative to input size "
                               f"{n} for an output of {out}")
    planes = tuple(input.shape[-axes - 2:-axes]) if input.dim() == axes + 2 else (1, input.shape[0])
    if samples is None:
        samples = torch.rand(*planes, axes, dtype=input.dtype, device=input.device)
    draws = samples.detach().reshape(-1, axes)[:planes[0] * planes[1]]
    order = (1, 0) if axes == 2 else (0, 1, 2)  # PyTorch's: width before height, but depth first
    flat = 0
    for axis, (n, out, k) in enumerate(zip(shape, size, kernel)):
        spots = starts(draws[:, order[axis]], n, out, k).unsqueeze(-1) + torch.arange(k, device=input.device)
        where = [draws.shape[0]] + [1] * (2 * axes)
        where[1 + axis], where[1 + axes + axis] = out, k
        flat = flat * n + spots.reshape(where)
    windows = flat.reshape(*planes, math.prod(size), math.prod(kernel))
    values = input.reshape(*planes, math.prod(shape))
    candidates = values.detach().gather(-1, windows.flatten(-2)).reshape(windows.shape)
    indices = windows.gather(-1, candidates.argmax(-1, keepdim=True)).squeeze(-1)
    whole = (*input.shape[:-axes], *size)
    return values.gather(-1, indices).reshape(whole), indices.reshape(whole)


def starts(u, n, out, k):
    """The start indices of the windows of one axis: steps of `(n - k) / (out - 1)`, cut, the last window at the end."""
    steps = torch.arange(out, device=u.device)
    if out > 1:
        alpha, u = (n - k) / (out - 1), u.unsqueeze(-1)
        steps = ((steps.to(u.dtype) + u) * alpha).long() - (u * alpha).long()
    return torch.where(torch.arange(out, device=u.device) == out - 1, n - k, steps).expand(u.shape[0], out)
