"""Functions of torch.nn.functional that are composed of others."""

from . import functions as F


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
