"""torch.func.debug_unwrap."""

from ..types.tensor_type import TensorBase


def debug_unwrap(tensor, *, recurse=True):
    """Return the tensor beneath a value of a transform: as it came into `vmap`, `grad`, `jvp`, with all examples.

    For inspection only: operations on it bypass the transform, its derivatives and its batch.

    Args:
        tensor: a tensor; one that belongs to no running transform is returned as it is.
        recurse: unwrap all transforms, or one.
    Returns:
        the tensor itself, not a copy.

    >>> import covector.compat.torch as torch
    >>> seen = []
    >>> _ = torch.func.vmap(lambda row: seen.append(torch.func.debug_unwrap(row)) or row.sum())(torch.ones(2, 3))
    >>> seen[0].shape
    torch.Size([2, 3])
    """
    if not isinstance(tensor, TensorBase):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    while isinstance(tensor.value, TensorBase):
        mapped = None if tensor.autograd_meta is None else tensor.autograd_meta.mapped
        tensor = tensor.value if mapped is None else mapped[0]
        if not recurse:
            break
    return tensor
