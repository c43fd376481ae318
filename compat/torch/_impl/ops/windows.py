"""Convolutions and padding, by covector.nn; torch's forms of arguments and its errors."""

import math

import numpy as np

from ..... import nn
from ....._engine import constant
from .....extend import REGISTRY
from ..dispatch.call import ROWS, functional, method, operation, otherwise, to
from ..dispatch.layouts import BY_FORMAT, IN_ORDER
from ..modes.modes import Complete
from ..random.sampling import kept
from ..state.python_data import filling
from ..types import dtypes
from ..types.dtypes import type_word
from ..types.parameter import PLAIN_KINDS
from .array_functions import cnp
from .axes import tuples
from .tracking import check_constant, check_running, track


def _checked(name, n, x, weight, bias, features, stride, padding, dilation, groups):
    """torch's errors for operands of a convolution that do not fit; the weight as it is named in its message."""
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of "
                           f"size: {list(x.shape)}")
    if weight.ndim != n + 2:
        raise RuntimeError(f"weight should have {n + 2} dimensions, but got {weight.ndim}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if any(d <= 0 for d in dilation):
        raise RuntimeError("dilation should be greater than zero")
    if not isinstance(padding, str) and any(p < 0 for p in tuples(padding, n)):
        raise RuntimeError("negative padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if bias is not None and tuple(bias.shape) != (features,):
        raise RuntimeError(f"Given weight of size {list(weight.shape)}, expected bias to be 1-dimensional with "
                           f"{features} elements, but got bias of size {list(bias.shape)} instead")


def convolution(n):
    """`conv1d`, `conv_transpose1d` and related functions."""

    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        stride, dilation = tuples(stride, n), tuples(dilation, n)
        _checked(f"conv{n}d", n, input, weight, bias, weight.shape[0] if weight.ndim else 0, stride,
                 padding, dilation, groups)
        if weight.shape[0] % groups:
            raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
                               f"but got weight of size [{list(weight.shape)}] instead")
        channels = input.shape[input.ndim - n - 1]
        if channels != weight.shape[1] * groups:
            shape = list(input.shape) if input.ndim == n + 2 else [1, *input.shape]
            raise RuntimeError(f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{shape} to "
                               f"have {weight.shape[1] * groups} channels, but got {channels} channels instead")
        if not weight.shape[0]:
            raise RuntimeError(f"Given groups={groups}, expected weight to be at least 1 at dimension 0, but got "
                               f"weight of size {list(weight.shape)} instead")
        if 0 in input.shape[input.ndim - n :] or 0 in weight.shape[2:]:
            raise RuntimeError("Only zero batch or zero channel inputs are supported, but got input shape: "
                               f"{list(input.shape)}")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "same" and any(s != 1 for s in stride):
                raise RuntimeError("padding='same' is not supported for strided convolutions")
        else:
            padding = tuples(padding, n)
            size = tuple([k + 2 * p for k, p in zip(input.shape[input.ndim - n :], padding)])
            kernel = tuple([d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation)])
            if any(k > m for k, m in zip(kernel, size)):
                raise RuntimeError(f"Calculated padded input size per channel: {joined(size)}. Kernel size: "
                                   f"{joined(kernel)}. Kernel size can't be greater than actual input size")
        return nn.conv(input, weight, bias, stride=stride, padding=padding, dilation=dilation, groups=groups)

    def transpose(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
        stride, dilation = tuples(stride, n), tuples(dilation, n)
        more = tuples(output_padding, n)
        _checked(f"conv_transpose{n}d", n, input, weight, bias, weight.shape[1] * groups if weight.ndim > 1 else 0,
                 stride, padding, dilation, groups)
        if weight.shape[0] % groups:
            raise RuntimeError(f"Given transposed=1, groups={groups}, expected weight to be divisible by {groups} at "
                               f"dimension 0, but got weight of size {list(weight.shape)} instead")
        channels = input.shape[input.ndim - n - 1]
        if channels != weight.shape[0]:
            raise RuntimeError(f"Given transposed=1, weight of size {list(weight.shape)}, expected "
                               f"input{list(input.shape)} to have {weight.shape[0]} channels, but got {channels} "
                               "channels instead")
        if any(p >= max(s, d) for p, s, d in zip(more, stride, dilation)):
            raise RuntimeError("output padding must be smaller than either stride or dilation, but got output padding "
                               f"{more}, stride {stride} and dilation {dilation}")
        return nn.conv_transpose(input, weight, bias, stride=stride, padding=tuples(padding, n), output_padding=more,
                                 dilation=dilation, groups=groups)

    for name, body, layout in ((f"conv{n}d", conv, None), (f"conv_transpose{n}d", transpose, IN_ORDER)):
        functional(name, body, {lambda given, named: (given[0] if given else named["input"]).ndim == n + 1:
                                "SqueezeBackward1", otherwise: "ConvolutionBackward0"}, layout=layout)


def joined(size):
    """A size as torch writes it."""
    return f"({' x '.join(map(str, size))})"


for _n in (1, 2, 3):
    convolution(_n)


@functional("unfold")
def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Extract sliding blocks of images as columns."""
    kernel, stride, dilation, around = (tuples(v, 2) for v in (kernel_size, stride, dilation, padding))
    x = cnp.pad(input, [(0, 0)] * (input.ndim - 2) + [(p, p) for p in around]) if any(around) else input
    cols = REGISTRY["windows"].fun(x, kernel, stride, dilation)  # (…, channels, *kernel, *out)
    lead = tuple(input.shape[: input.ndim - 3])
    return cnp.reshape(cols, (*lead, input.shape[-3] * math.prod(kernel), math.prod(cols.shape[-2:])))


@functional("fold")
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Sum sliding blocks, given as columns, into images."""
    size, kernel, stride, dilation, around = (
        tuples(v, 2) for v in (output_size, kernel_size, stride, dilation, padding))
    whole = tuple([k + 2 * p for k, p in zip(size, around)])
    counts = tuple([(k - d * (m - 1) - 1) // s + 1 for k, m, s, d in zip(whole, kernel, stride, dilation)])
    if input.ndim not in (2, 3) or input.shape[-2] % math.prod(kernel):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but "
                           f"got input of size {list(input.shape)} and kernel_size={kernel}.")
    if input.shape[-1] != math.prod(counts):
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={around}, "
                           f"stride={stride}, expected size of input's dimension 2 to match the calculated number of "
                           f"sliding blocks {counts[0]} * {counts[1]} = {math.prod(counts)}, but got "
                           f"input.size(2)={input.shape[-1]}.")
    channels = input.shape[-2] // math.prod(kernel)
    cols = cnp.reshape(input, (*input.shape[:-2], channels, *kernel, *counts))
    out = REGISTRY["overlap_add"].fun(cols, whole, kernel, stride, dilation)
    return out[(Ellipsis, *[slice(p, p + k) for p, k in zip(around, size)])]


def _padded(mode, n=None):
    """A rule of naming by the mode, and the number of axes that are padded."""
    def fits(given, named):
        widths = given[1] if len(given) > 1 else named["pad"]
        return (given[2] if len(given) > 2 else named.get("mode", "constant")) == mode and n in (None, len(widths) // 2)

    return fits


_PADS = {_padded("constant"): "ConstantPadNdBackward0", _padded("circular"): "torch::autograd::CopySlices",
         **{_padded(mode, n): f"{word}Pad{n}DBackward0" for n in (1, 2, 3)
            for mode, word in (("reflect", "Reflection"), ("replicate", "Replication"))}}


@functional("pad", layout=IN_ORDER, node=_PADS)
def pad(input, pad, mode="constant", value=None):
    """Pad the last axes by constants, reflection, replication or circularly."""
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]
    n = len(pairs)
    if mode == "constant":
        cut = tuple([slice(None)] * (input.ndim - n)
                    + [slice(max(-a, 0), k - max(-b, 0)) for (a, b), k in zip(pairs, input.shape[input.ndim - n :])])
        input = input[cut] if any(p < 0 for p in pad) else input
        widths = [(0, 0)] * (input.ndim - n) + [(max(a, 0), max(b, 0)) for a, b in pairs]
        if value is not None and not hasattr(value, "dtype"):
            value = filling(float(value), input.dtype)
        return cnp.pad(input, widths, constant_values=0 if value is None else value)
    if value is not None and value != 0 and mode in ("reflect", "replicate", "circular"):
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
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
        else:  # circular, of what negative widths leave
            if max(a, b) > k:
                raise RuntimeError("Padding value causes wrapping around more than once.")
            if k + a + b < 0:
                raise RuntimeError("Negative padding value is resulting in an empty dimension")
            first, left = max(-a, 0), k - max(-a, 0) - max(-b, 0)
            places = (places - first) % left + first if left > 0 else places[:0]
        input = cnp.take(input, places, axis=axis)
    return input


@operation("constant_pad_nd", method=False, layout=IN_ORDER)
def constant_pad_nd(input, pad, value=0):
    """Pad the last axes with a constant; negative widths crop."""
    return ROWS["nn.functional.pad"].body(input, pad, "constant", filling(value, input.dtype))


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """Normalize each channel over the batch, or by running statistics when not training."""
    if training and _fits(input.value, (running_mean, running_var, weight, bias)) and eps > 0:
        if running_mean is not None:
            check_running(input, running_mean, running_var)
        try:
            out, mean, var = _batch_norm(input, None, None, weight, bias, eps)
        except Complete:
            again(input, running_mean, running_var, momentum)
            raise
        moved(running_mean, running_var, mean, var, input, momentum)
        return out
    if input.numel() and not (training and input.dim() < 2):
        check_parameters(input, {"running_mean": running_mean, "running_var": running_var, "weight": weight,
                                 "bias": bias})
    if training and eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if not training:
        for name, given in (("running_mean", running_mean), ("running_var", running_var)):
            if given is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
        return _batch_norm(input, running_mean, running_var, weight, bias, eps)
    if input.ndim == 1 and not input.shape[0]:
        return _batch_norm(input, running_mean, running_var, weight, bias, eps)
    if not input.numel():  # no statistics, and none to track
        nothing = input.new_zeros(input.shape[1])
        return _batch_norm(input, nothing, nothing + 1, weight, bias, eps)
    axes = tuple([i for i in range(input.ndim) if i != 1])
    if input.numel() // input.size(1) <= 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if running_mean is not None:
        check_running(input, running_mean, running_var)
    try:
        if input.dtype in (dtypes.float32, dtypes.float64):
            out, mean, var = _batch_norm(input, None, None, weight, bias, eps)
        else:
            mean, var = input.mean(axes), input.var(axes, unbiased=False)
            out = _batch_norm(input, mean, var, weight, bias, eps)
    except Complete:
        again(input, running_mean, running_var, momentum)
        raise
    moved(running_mean, running_var, mean, var, input, momentum)
    return out


_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def _fits(array, parameters):
    """Tell whether a plain array and those of parameters are as most are: nothing of them has to be looked at
    further."""
    if type(array) is not np.ndarray or array.ndim < 2 or array.dtype not in (_SINGLE, _DOUBLE):
        return False
    channels, dtype = array.shape[1:2], array.dtype
    if array.size <= channels[0]:
        return False
    for p in parameters:
        if p is not None:
            v = p.value if type(p) in PLAIN_KINDS else None
            if type(v) is not np.ndarray or v.shape != channels or v.dtype is not dtype:
                return False
    return True


def again(input, running_mean, running_var, momentum):
    """Move running statistics where a recomputation ends early: PyTorch's kernel has done so by then."""
    axes, input = tuple([i for i in range(input.ndim) if i != 1]), input.detach()
    moved(running_mean, running_var, input.mean(axes), input.var(axes, unbiased=False), input, momentum)


def moved(running_mean, running_var, mean, var, input, momentum):
    """Move running statistics, if there are any, towards those of a batch."""
    if running_mean is not None:
        count = input.numel() // input.shape[1]
        track(running_mean, mean, momentum)
        track(running_var, var, momentum, count / (count - 1))


@functional("batch_norm", front=batch_norm, layout=BY_FORMAT)
def _batch_norm(input, mean, var, weight, bias, eps):
    """Normalize by statistics, or, where there are none, by the input's own, which are then given beside the answer."""
    if mean is None:
        channels = input.shape[1:2]
        weight = _filled(channels, 1, input) if weight is None else weight
        bias = _filled(channels, 0, input) if bias is None else bias
        return BATCH_NORM(input, weight, bias, float(eps))
    if 0 in input.shape and 0 in mean.shape:
        return input * 1
    scale = (1.0 if weight is None else weight) / cnp.sqrt(var + eps)
    shift = mean * -scale if bias is None else bias - mean * scale
    shape = (1, -1) + (1,) * (input.ndim - 2)
    out = input * cnp.reshape(scale, shape) + cnp.reshape(shift, shape)
    return to(out, input.dtype) if input.dtype.kind in "fV" else out


BATCH_NORM = REGISTRY["batch_norm"].fun


def _filled(shape, value, like):
    """An array of one value, of the dtype and library of another."""
    return constant(np.full(tuple(shape), value, like.dtype), like)


def check_parameters(input, given):
    """torch's refusals of parameters of another number of channels, or of another dtype."""
    if input.dim() < 2:
        raise RuntimeError(f"batch_norm takes an input with channels along its second axis, but got {input.dim()} axes")
    channels, given = input.shape[1], {name: p for name, p in given.items() if p is not None}
    for name, p in given.items():
        if p.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {p.numel()}")
    check_constant(given.get("running_mean"), given.get("running_var"))
    if input.dtype.numpy.kind not in "fV":
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{type_word(input.dtype.numpy)}'")
    own, kinds = input.dtype, {p.dtype for p in given.values()}
    if kinds - {own} and not (own in (dtypes.float16, dtypes.bfloat16) and kinds == {dtypes.float32}):
        raise RuntimeError(f"batch_norm takes parameters of the dtype of its input, {own}, or torch.float32 beside "
                           f"half precision, but got {', '.join(sorted(map(str, kinds)))}")


@functional("group_norm", layout=BY_FORMAT)
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    """Normalize groups of channels of each example."""
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if input.shape[0] * input.shape[1] // max(num_groups, 1) * math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {list(input.shape)}")
    if num_groups <= 0 or input.shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={num_groups}")
    for what, given in (("weight", weight), ("bias", bias)):
        if given is not None and tuple(given.shape) != (input.shape[1],):
            raise RuntimeError(f"Expected {what} to be a vector of size equal to the number of channels in input, but "
                               f"got {what} of shape {list(given.shape)} and input of shape {list(input.shape)}")
    if 0 in input.shape:
        return input * 1
    x = cnp.reshape(input, (input.shape[0], num_groups, -1))
    out = cnp.reshape(nn.standardize(x, 2, eps=eps), input.shape)
    shape = (1, -1) + (1,) * (input.ndim - 2)
    out = out if weight is None else out * cnp.reshape(weight, shape)
    return to(out if bias is None else out + cnp.reshape(bias, shape), input.dtype)


def only_fractions(input):
    """PyTorch's refusal of what scaling by a rate would not leave in its dtype."""
    if input.dtype.numpy.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {type_word(input.dtype.numpy)}")


@method("nn.functional.dropout", attached=False)
def dropout(input, p=0.5, training=True, inplace=False):
    """Zero elements with probability `p`, and scale the others by `1 / (1 - p)`."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return input.mul_(0.0) if inplace else input * 0.0
    if input.dtype.numpy.kind == "c":
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{type_word(input.dtype.numpy)}'")
    only_fractions(input)
    out = input * kept(input, p)
    return input.copy_(out) if inplace else out
