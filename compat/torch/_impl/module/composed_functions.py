"""Functions of torch.nn.functional, of weights and of lists of tensors that are composed of others."""

from ..public_names import F, torch


def conv_tbc(input, weight, bias, pad=0):
    """Convolve `(T, N, C_in)` along its first axis with weights `(k, C_in, C_out)`."""
    return F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_channel_shuffle(input, groups):
    """`channel_shuffle`."""
    return F.channel_shuffle(input, groups)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
                         ignore_index=None, label_smoothing=0.0, options=None):
    """The cross entropy of `input @ linear_weight.T + linear_bias`.

    Args:
        input: `(N, I)` or `(I,)`.
        linear_weight: `(C, *out, I)`; the target has the axes `out` too.
        options: how PyTorch computes it in parts; here it is computed at once.

    >>> import covector.compat.torch as torch
    >>> torch.nn.functional.linear_cross_entropy(torch.ones(2, 3), torch.zeros(4, 3), torch.tensor([0, 3]))
    tensor(1.3863)
    """
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), got "
                           f"{input.shape[-1]} and {linear_weight.shape[-1]}, respectively")
    classes = tuple(linear_weight.shape[:-1])
    if len(classes) > 1 and input.dim() == 1:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires "
                           f"batched input, (N, {input.shape[0]}), got unbatched input with shape {tuple(input.shape)}")
    out = F.linear(input, linear_weight.reshape(-1, linear_weight.shape[-1]))
    out = out.unflatten(-1, classes) if len(classes) > 1 else out
    out = out if linear_bias is None else out + linear_bias
    return F.cross_entropy(out, target, weight=weight, ignore_index=-100 if ignore_index is None else ignore_index,
                           reduction=reduction, label_smoothing=label_smoothing)


# Weights by their norms: weights as lengths times directions, and the largest singular value.


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


# Lists of tensors as one flat tensor, and back.


def flatten_dense_tensors(tensors):
    """The elements of tensors as one; of a single tensor a view.

    >>> from covector.compat.torch._impl.public_names import torch
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
