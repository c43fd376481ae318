"""Convolutions, pooling and padding: windows gathered once, then one product or one reduction."""

import functools

import numpy as np

from .... import numpy as cnp
from ....extend import REGISTRY
from ..call import ROWS, Row
from ..random import rand_like
from .network import functional


@functools.lru_cache(maxsize=128)
def window_index(size, kernel, stride, dilation):
    """Flat positions of the windows of a grid: `(kernel positions, windows)`, and the windows' shape."""
    out = tuple([(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation)])
    index = np.zeros((1, 1), np.int64)
    for n, k, s, d, m in zip(size, kernel, stride, dilation, out):
        places = (np.arange(k) * d)[:, None] + (np.arange(m) * s)[None]
        index = (index[:, None, :, None] * n + places[None, :, None, :]).reshape(index.shape[0] * k, index.shape[1] * m)
    index.flags.writeable = False
    return index, out


def tuples(value, n):
    """A number or a sequence as n numbers."""
    if isinstance(value, int | np.integer):
        return (int(value),) * n
    value = tuple([int(v) for v in value])
    return value * n if len(value) == 1 else value


def windows(x, kernel, stride, dilation, n):
    """`(…, kernel positions, windows)` of the last n axes, and the windows' shape."""
    size = tuple(x.shape[x.ndim - n :])
    index, out = window_index(size, kernel, stride, dilation)
    if any(m <= 0 for m in out):
        raise RuntimeError(f"Calculated padded input size per channel: {size}. Kernel size: {kernel}. Kernel size "
                           "can't be "
                           "greater than actual input size")
    flat = cnp.reshape(x, (*x.shape[: x.ndim - n], int(np.prod(size))))
    return cnp.take(flat, index, axis=flat.ndim - 1), out


def padded(x, padding, n, value=0.0):
    """Zeros (or `value`) around the last n axes."""
    if not any(padding):
        return x
    return cnp.pad(x, [(0, 0)] * (x.ndim - n) + [(p, p) for p in padding], constant_values=value)


def convolution(n):
    """`conv1d` and its kin: im2col and one product a group."""

    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        single = input.ndim == n + 1
        x = cnp.expand_dims(input, 0) if single else input
        if x.ndim != n + 2:
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to conv{n}d, but got "
                               "input of "
                               f"size: {list(input.shape)}")
        stride, dilation = tuples(stride, n), tuples(dilation, n)
        kernel = tuple(weight.shape[2:])
        if x.shape[1] != weight.shape[1] * groups:
            raise RuntimeError(f"Given groups={groups}, weight of size {list(weight.shape)}, expected input"
                               f"{list(x.shape)} to have {weight.shape[1] * groups} channels, but got {x.shape[1]} "
                               "channels "
                               "instead")
        if padding == "same":
            total = [d * (k - 1) for k, d in zip(kernel, dilation)]
            x = cnp.pad(x, [(0, 0), (0, 0)] + [(t // 2, t - t // 2) for t in total])
        else:
            x = padded(x, tuples(0 if padding == "valid" else padding, n), n)
        cols, out = windows(x, kernel, stride, dilation, n)
        batch, channels = x.shape[:2]
        count = cols.shape[-1]
        cols = cnp.reshape(cols, (batch, groups, channels // groups * int(np.prod(kernel)), count))
        flat = cnp.reshape(weight, (groups, weight.shape[0] // groups, -1))
        y = cnp.reshape(cnp.matmul(flat, cols), (batch, weight.shape[0], *out))
        if bias is not None:
            y = y + cnp.reshape(bias, (-1,) + (1,) * n)
        return cnp.squeeze(y, 0) if single else y

    made = functional(f"conv{n}d", conv, "ConvolutionBackward0")
    made.__doc__ = f"See PyTorch's documentation of `torch.nn.functional.conv{n}d`."


def pooling(n):
    """`max_pool1d`, `avg_pool1d` and their kin."""

    def prepare(input, kernel_size, stride, padding, dilation, ceil_mode, fill):
        if ceil_mode:
            raise NotImplementedError("pooling with ceil_mode=True is not built; pad the input instead")
        kernel = tuples(kernel_size, n)
        stride = kernel if stride is None or stride == [] else tuples(stride, n)
        return windows(padded(input, tuples(padding, n), n, fill), kernel, stride, tuples(dilation, n), n)

    def max_pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if return_indices:
            raise NotImplementedError(f"max_pool{n}d(return_indices=True) is not built; find the places with argmax "
                                      "over "
                                      "F.unfold")
        cols, out = prepare(input, kernel_size, stride, padding, dilation, ceil_mode, -np.inf)
        axis = cols.ndim - 2
        first = cnp.expand_dims(cnp.argmax(cols, axis), axis)
        best = cnp.squeeze(cnp.take_along_axis(cols, first, axis), axis)
        return cnp.reshape(best, (*input.shape[: input.ndim - n], *out))

    def avg_pool(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        cols, out = prepare(input, kernel_size, stride, padding, 1, ceil_mode, 0.0)
        shape = (*input.shape[: input.ndim - n], *out)
        total = cnp.sum(cols, axis=cols.ndim - 2)
        if divisor_override is not None:
            return cnp.reshape(total / divisor_override, shape)
        if not count_include_pad and any(tuples(padding, n)):
            ones = np.ones((1,) * (input.ndim - n) + tuple(input.shape[input.ndim - n :]), input.dtype)
            counts, _ = prepare(ones, kernel_size, stride, padding, 1, False, 0.0)
            return cnp.reshape(total / cnp.sum(counts, axis=counts.ndim - 2), shape)
        return cnp.reshape(total / cols.shape[-2], shape)

    suffix = "WithIndices" if n > 1 else ""
    made = functional(f"max_pool{n}d", max_pool, f"MaxPool{n}D{suffix}Backward0" if n > 1 else "SqueezeBackward1")
    made.__doc__ = f"See PyTorch's documentation of `torch.nn.functional.max_pool{n}d`."
    made = functional(f"avg_pool{n}d", avg_pool, f"AvgPool{n}DBackward0" if n > 1 else "SqueezeBackward1")
    made.__doc__ = f"See PyTorch's documentation of `torch.nn.functional.avg_pool{n}d`."


for _n in (1, 2, 3):
    convolution(_n)
    pooling(_n)


@functional("unfold", node="Im2ColBackward0")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """See PyTorch's documentation of `torch.nn.functional.unfold`."""
    kernel, stride, dilation = (tuples(v, 2) for v in (kernel_size, stride, dilation))
    cols, _ = windows(padded(input, tuples(padding, 2), 2), kernel, stride, dilation, 2)
    lead = input.shape[: input.ndim - 3]
    return cnp.reshape(cols, (*lead, -1, cols.shape[-1]))


@functional("pad", node="ConstantPadNdBackward0")
def pad(input, pad, mode="constant", value=None):
    """See PyTorch's documentation of `torch.nn.functional.pad`."""
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    n = len(pairs)
    if mode == "constant":
        cut = tuple([slice(None)] * (input.ndim - n)
                    + [slice(max(-a, 0), k - max(-b, 0)) for (a, b), k in zip(pairs, input.shape[input.ndim - n :])])
        input = input[cut] if any(p < 0 for p in pad) else input
        widths = [(0, 0)] * (input.ndim - n) + [(max(a, 0), max(b, 0)) for a, b in pairs]
        return cnp.pad(input, widths, constant_values=0 if value is None else value)
    for i, (a, b) in enumerate(pairs):
        axis = input.ndim - n + i
        k = input.shape[axis]
        places = np.arange(-a, k + b)
        if mode == "reflect":
            if max(a, b) >= k:
                raise RuntimeError("Padding size should be less than the corresponding input dimension, but got: "
                                   "padding "
                                   f"({a}, {b}) at dimension {axis} of input {list(input.shape)}")
            places = np.abs(places)
            places = np.where(places >= k, 2 * (k - 1) - places, places)
        elif mode == "replicate":
            places = np.clip(places, 0, k - 1)
        elif mode == "circular":
            places = places % k
        else:
            raise NotImplementedError(f"pad has no mode {mode!r}; use constant, reflect, replicate or circular")
        input = cnp.take(input, places, axis=axis)
    return input


@functional("batch_norm", node="NativeBatchNormBackward0")
def _batch_norm(input, mean, var, weight, bias, eps):
    shape = (1, -1) + (1,) * (input.ndim - 2)
    out = (input - cnp.reshape(mean, shape)) / cnp.sqrt(cnp.reshape(var, shape) + eps)
    out = out if weight is None else out * cnp.reshape(weight, shape)
    return out if bias is None else out + cnp.reshape(bias, shape)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """See PyTorch's documentation of `torch.nn.functional.batch_norm`."""
    if not training:
        return _batch_norm(input, running_mean, running_var, weight, bias, eps)
    axes = tuple([i for i in range(input.ndim) if i != 1])
    if input.numel() // input.shape[1] <= 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    mean = input.mean(axes)
    var = input.var(axes, unbiased=False)
    if running_mean is not None:
        count = input.numel() // input.shape[1]
        running_mean.mul_(1 - momentum).add_(mean.detach() * momentum)
        running_var.mul_(1 - momentum).add_(var.detach() * (momentum * count / (count - 1)))
    return _batch_norm(input, mean, var, weight, bias, eps)


_batch_norm.row.fun = batch_norm
_batch_norm.row.name = "nn.functional.batch_norm"


@functional("group_norm", node="NativeGroupNormBackward0")
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """See PyTorch's documentation of `torch.nn.functional.group_norm`."""
    x = cnp.reshape(input, (input.shape[0], num_groups, -1))
    mean = REGISTRY["reduce_mean"].fun
    gap = x - mean(x, (2,), True)
    out = cnp.reshape(gap / cnp.sqrt(mean(gap * gap, (2,), True) + eps), input.shape)
    shape = (1, -1) + (1,) * (input.ndim - 2)
    out = out if weight is None else out * cnp.reshape(weight, shape)
    return out if bias is None else out + cnp.reshape(bias, shape)


def dropout(input, p=0.5, training=True, inplace=False):
    """See PyTorch's documentation of `torch.nn.functional.dropout`."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    keep = rand_like(input.detach()) >= p
    out = input * (keep.to(input.dtype) * (1.0 / (1.0 - p) if p < 1 else 0.0))
    return input.copy_(out) if inplace else out


ROWS["nn.functional.dropout"] = Row("nn.functional.dropout", None, None, None)
ROWS["nn.functional.dropout"].fun = dropout
