"""Normalization over instances and channels, slices of bounded norms, dropout's kin."""

import math
import warnings

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import ROWS, floating, functional, method, operation, to
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST
from ..random.sampling import rand, rand_like
from ..types.dtypes import float16, type_word
from .array_functions import cnp
from .axes import wrap_dim
from .pooling import pool_places
from .tracking import check_running, track
from .windows import only_fractions

mean = REGISTRY["reduce_mean"].fun


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum=0.1, eps=1e-5):
    """Normalize each channel of each example."""
    count = math.prod(input.shape[2:])
    if use_input_stats and count == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return _instance_norm(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None:
        check_running(input, running_mean, running_var)
        axes = tuple(range(2, input.ndim))
        x = input.detach()
        track(running_mean, x.mean(axes).mean(0), momentum)
        track(running_var, x.var(axes).mean(0), momentum)
    return _instance_norm(input, None, None, weight, bias, eps)


@functional("instance_norm", front=instance_norm, layout=IN_ORDER)
def _instance_norm(input, center, spread, weight, bias, eps):
    for v in (weight, bias):
        if v is not None and v.dtype != input.dtype and (v.dtype != np.float32 or input.dtype.itemsize > 2):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of "
                               f"{type_word(np.float32 if input.dtype.itemsize < 4 else input.dtype)}")
    axes = tuple(range(2, input.ndim))
    if center is None:
        gap = input - mean(input, axes, True)
        out = gap / cnp.sqrt(mean(gap * gap, axes, True) + eps)
    else:
        shape = (1, -1) + (1,) * (input.ndim - 2)
        out = (input - cnp.reshape(center, shape)) / cnp.sqrt(cnp.reshape(spread, shape) + eps)
    shape = (1, -1) + (1,) * (input.ndim - 2)
    out = out if weight is None else out * cnp.reshape(weight, shape)
    out = out if bias is None else out + cnp.reshape(bias, shape)
    return to(out, input.dtype) if input.dtype.kind in "fV" else out


@functional("local_response_norm", layout=LIKE_FIRST)
def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    """Normalize by the mean square of adjacent channels."""
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {input.ndim} "
                         "dimensions)")
    if not input.size:
        return input
    square = cnp.moveaxis(input * input, 1, -1)
    square = cnp.pad(square, [(0, 0)] * (input.ndim - 1) + [(size // 2, (size - 1) // 2)])
    index, *_ = pool_places((square.shape[-1],), (size,), (1,), (0,), (1,), False)
    sums = cnp.sum(cnp.take(square, index, axis=square.ndim - 1), axis=square.ndim - 1)
    if sums.dtype.kind in "iu":  # torch's mean of integers is one
        input, sums = floating(input), floating(cnp.trunc(sums / size).astype(sums.dtype)) * size
    return input / (cnp.moveaxis(sums / size, -1, 1) * alpha + k) ** beta


@functional("bilinear", layout=IN_ORDER)
def bilinear(input1, input2, weight, bias=None):
    """Compute `input1ᵀ weight input2 + bias` for each output feature."""
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    if not input1.ndim:
        raise IndexError("Dimension specified as -1 but tensor has no dimensions")
    if input1.shape[-1] != weight.shape[1] or input2.shape[-1] != weight.shape[2]:
        which, got, want = (1, input1, 1) if input1.shape[-1] != weight.shape[1] else (2, input2, 2)
        raise RuntimeError(f"bilinear(): input{which} size does not match weight size: got {got.shape[-1]} but "
                           f"expected {weight.shape[want]}")
    rows = cnp.einsum("...i,kij->...kj", input1, weight)  # in one order, whoever computes: NaN is not where it is not
    out = cnp.einsum("...kj,...j->...k", rows, input2)
    return out if bias is None else out + bias


@method("nn.functional.rrelu", attached=False)
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """Compute a leaky ReLU, whose negative slopes are random when training."""
    if lower > upper:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound, but got {lower} and {upper}")
    slope = (lower + upper) / 2
    if training:
        if input.dtype is float16:
            raise NotImplementedError("\"rrelu_with_noise_out_cpu\" not implemented for 'Half'")
        slope = rand_like(input.detach()) * (upper - lower) + lower
    out = sloped(input, slope)
    return input.copy_(out) if inplace else out


@operation("nn.functional.rrelu", method=False, register=False, node="RreluWithNoiseBackward0", ties=True)
def sloped(input, slope):
    """`input`, times a slope where it is negative."""
    return cnp.where(input > 0, input, input * slope)


@method("nn.functional.rrelu_", attached=False)
def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """In-place form of :func:`rrelu`."""
    return rrelu(input, lower, upper, training, inplace=True)


def check_rate(p):
    """torch's refusal of what is no probability."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def channel_dropout(name, n):
    """`dropout2d` and related functions: whole channels are dropped."""

    def dropout(input, p=0.5, training=True, inplace=False):
        check_rate(p)
        check_axes(name, n, input.dim())
        if not training or p == 0.0:
            return input
        if p == 1.0:
            return input.mul_(0.0) if inplace else input * 0.0
        only_fractions(input)
        single = n != 2 and input.dim() != n + 2  # without a batch; dropout2d takes three axes for (N, C, L)
        lead = (1, input.shape[0]) if single else tuple(input.shape[:2])
        if len(lead) < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        keep = rand(lead, dtype=input.dtype) >= p
        keep = keep.to(input.dtype) * (1.0 / (1.0 - p))
        shape = (lead[1],) if single else lead
        out = input * keep.reshape(*shape, *[1] * (input.dim() - len(shape)))
        return input.copy_(out) if inplace else out

    method(f"nn.functional.{name}", attached=False)(dropout)


def check_axes(name, n, ndim):
    """torch's refusals and warnings about axes that are not (N, C, …) nor (C, …)."""
    if ndim not in (n + 1, n + 2):
        ending = (f"Note that {name} exists to provide channel-wise dropout on inputs with {n} spatial "
                  f"dimension{'s' if n > 1 else ''}, a channel dimension, and an optional batch dimension (i.e. "
                  f"{n + 1}D or {n + 2}D inputs).")
        if n == 1:
            raise RuntimeError(f"{name}: Expected 2D or 3D input, but received a {ndim}D input. {ending}")
        warnings.warn(f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error "
                      f"in a future release. To retain the behavior and silence this warning, please use dropout "
                      f"instead. {ending}", UserWarning, stacklevel=3)
    if n == 2 and ndim == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
                      "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior "
                      "will change in a future release to interpret the input as one without a batch dimension, i.e. "
                      "shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using "
                      "dropout1d instead.", UserWarning, stacklevel=3)


channel_dropout("dropout1d", 1)
channel_dropout("dropout2d", 2)
channel_dropout("dropout3d", 3)

_SELU = 1.7580993408473766  # scale * alpha of SELU: what a dropped value becomes, negative


def alpha_noise(input, p, training, inplace, kept):
    """Values dropped to SELU's floor, scaled so that mean and variance stay; `kept` draws which stay."""
    check_rate(p)
    if not training or p == 0.0:
        return input
    if p == 1.0:
        return input.mul_(0.0) if inplace else input * 0.0
    keep = kept()
    a = ((1 - p) * (1 + p * _SELU**2)) ** -0.5
    mask = keep.to(input.dtype)
    out = input * (mask * a) + ((mask - 1) * (_SELU * a) + a * _SELU * p)
    return input.copy_(out) if inplace else out


@method("nn.functional.alpha_dropout", attached=False)
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Apply dropout that preserves mean 0 and variance 1 of SELU activations."""
    return alpha_noise(input, p, training, inplace, lambda: rand_like(input.detach()) >= p)


@method("nn.functional.feature_alpha_dropout", attached=False)
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Apply alpha dropout to whole channels."""
    def kept():
        if input.dim() < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        keep = rand(tuple(input.shape[:2]), dtype=input.dtype) >= p
        return keep.reshape(*input.shape[:2], *[1] * (input.dim() - 2))

    return alpha_noise(input, p, training, inplace, kept)


@method("nn.functional.gumbel_softmax", attached=False)
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """Sample from the Gumbel-softmax distribution; one-hot with `hard=True`."""
    noise = -ROWS["exp"].fun(logits.detach() * 0).exponential_().log()
    soft = ROWS["softmax"].fun((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    sharp = (logits.detach() * 0).scatter_(dim, index, 1.0)
    return sharp - soft.detach() + soft


@operation("renorm", inplace_form=True, layout=IN_ORDER)
def renorm(input, p, dim, maxnorm):
    """Scale the slices along an axis whose norm exceeds `maxnorm` to that norm."""
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError("renorm: input needs at least 2 dimensions, got " + f"{input.ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    d = wrap_dim(dim, input.ndim)
    norm = ROWS["linalg.vector_norm"].body(input, p, tuple([i for i in range(input.ndim) if i != d]), True)
    return input * cnp.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0).astype(norm.dtype)
