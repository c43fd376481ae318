"""Lists of tensors as one flat tensor, and back."""

from . import torch_names as torch


def flatten_dense_tensors(tensors):
    """The elements of tensors as one; of a single tensor a view.

    >>> from covector.compat.torch._impl.module import torch_names as torch
    >>> flatten_dense_tensors([torch.ones(2), torch.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    flat = [t.contiguous().view(-1) for t in tensors]
    return flat[0] if len(flat) == 1 else torch.cat(flat)


def unflatten_dense_tensors(flat, tensors):
    """Views of a flat tensor in the shapes of tensors, one behind the other."""
    found, place = [], 0
    for t in tensors:
        n = t.numel()
        found.append(flat.narrow(0, place, n).view(t.shape))
        place += n
    return tuple(found)


def element_size(dtype):
    """The bytes of an element."""
    return dtype.itemsize
