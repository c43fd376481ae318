"""Refusals of PyTorch's layers and losses by shape, dtype or value of an argument, where NumPy would compute."""

import functools

import numpy as np

from ..dispatch.call import ROWS, promote
from ..types.dtypes import type_word
from .activations import only_floats
from .axes import tuples
from .refusals import refuse


def before(name):
    """Call the decorated function on the arguments of `torch.nn.functional.name` before its body."""

    def guard(look):
        row = ROWS[f"nn.functional.{name}"]
        body = row.body

        @functools.wraps(body)
        def looked(*args, **named):
            look(*args, **named)
            return body(*args, **named)

        row.body = looked
        return look

    return guard


@before("cross_entropy")
def _cross_entropy(input, target, weight=None, *rest, **named):
    axis = 0 if input.ndim == 1 else 1
    if tuple(target.shape) == tuple(input.shape):
        if target.dtype.kind not in "fV":
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{type_word(target.dtype)}")
    only_floats("log_softmax", input, axis)
    if target.dtype.kind in "fV" and tuple(target.shape) != tuple(input.shape):  # no probabilities, hence labels
        if axis and target.shape[:1] != input.shape[:1]:
            raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size "
                             f"({target.shape[0] if target.ndim else 1}).")
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {type_word(target.dtype)}")
    _class_weight(input.shape[axis] if input.ndim else 0, weight, "weight")
    if weight is not None and weight.dtype != input.dtype and target.dtype.kind in "iu":
        raise RuntimeError(f"expected scalar type {type_word(input.dtype)} but found {type_word(weight.dtype)}")


@before("nll_loss")
def _nll_loss(input, target, weight=None, *rest, **named):
    _class_weight(input.shape[0 if input.ndim == 1 else 1] if input.ndim else 0, weight, "weight")


def _class_weight(classes, weight, what):
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"{what} tensor should be defined either for all {classes} classes or no classes but got "
                           f"{what} tensor of shape: {list(weight.shape)}")


@before("smooth_l1_loss")
def _smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    dtype = promote(input, target)[0].dtype
    if beta and dtype.kind not in "fV":
        raise NotImplementedError(f"\"smooth_l1_cpu\" not implemented for '{type_word(dtype)}'")


@before("huber_loss")
def _huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")


@before("softshrink")
def _softshrink(input, lambd=0.5):
    if lambd < 0:
        raise RuntimeError(f"lambda must be in range [0, {np.finfo(np.float32).max:g}] for input dtype "
                           f"{type_word(input.dtype)}, but found {lambd}")


@before("hardtanh")
def _hardtanh(input, min_val=-1.0, max_val=1.0, *rest, **named):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if input.dtype.kind == "u" and int(min_val) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")


@before("celu")
def _celu(input, alpha=1.0, inplace=False):
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")


_MODES = "reflect", "replicate", "circular"


@before("pad")
def _pad(input, pad, mode="constant", value=None):
    if mode not in ("constant", *_MODES):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError("Padding length should be less than or equal to two times the input dimension but got "
                           f"padding length {len(pad)} and input of dimension {input.ndim}")
    if mode != "constant" and not (
            2 <= len(pad) <= 6 and input.ndim - len(pad) // 2 in (1, 2)):
        raise NotImplementedError(f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.\n"
                                  "Supported combinations for non-constant padding:\n"
                                  "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
                                  "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
                                  "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)")
    n = len(pad) // 2
    if mode in ("reflect", "replicate") and not all(input.shape[input.ndim - n - 1 :]):
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other "
                           f"non-zero dimensions for input, but got: {list(input.shape)}")


@before("unfold")
def _unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    kernel, dilation, around, stride = checked_windows(kernel_size, dilation, padding, stride)
    if input.ndim not in (3, 4) or not all(input.shape[input.ndim - 3 :]):
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(input.shape)}")
    counts = tuple([(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip(
        input.shape[-2:], around, dilation, kernel, stride)])
    if min(counts) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={kernel}, "
                           f"dilation={dilation}, padding={around}, calculated shape of the array of sliding blocks as "
                           f"{counts}, but its components must be at least one.")


@before("fold")
def _fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    checked_windows(kernel_size, dilation, padding, stride)


def checked_windows(kernel, dilation, around, stride):
    """Pairs of numbers for windows of images, or torch's refusal of those that make none."""
    found = []
    for word, short, v in (("kernel size", "kernel", kernel), ("dilation", "dilation", dilation),
                           ("padding", "pad", around), ("stride", "stride", stride)):
        pair = tuples(v, 2)
        if min(pair) < (short != "pad"):
            wanted = "be non-negative" if short == "pad" else "be greater than zero"
            raise RuntimeError(f"{word} should {wanted}, but got {short}_height: {pair[0]} {short}_width: {pair[1]}")
        found.append(pair)
    return found


@before("embedding")
def _embedding(input, weight, padding_idx=None, *rest, **named):
    if input.dtype not in (np.int64, np.int32):
        raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                           f"Long, Int; but got torch.{type_word(input.dtype)}Tensor instead (while checking "
                           "arguments for embedding)")
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise AssertionError("Padding_idx must be within num_embeddings")


@before("rms_norm")
def _rms_norm(input, normalized_shape, *rest, **named):
    _normalized("rms_norm", input, tuple(normalized_shape))


@before("layer_norm")
def _layer_norm(input, normalized_shape, *rest, **named):
    _normalized("layer_norm", input, tuple(normalized_shape))


def _normalized(name, input, shape):
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    if tuple(input.shape[max(input.ndim - len(shape), 0) :]) != shape:
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape [*"
                           f"{', ' * (name == 'layer_norm')}{', '.join(map(str, shape))}], but got input of size"
                           f"{list(input.shape)}")


@before("scaled_dot_product_attention")
def _attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *rest, **named):
    if query.dtype != key.dtype or query.dtype != value.dtype:
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{type_word(query.dtype)} key.dtype: {type_word(key.dtype)} and value.dtype: "
                           f"{type_word(value.dtype)} instead.")
    if attn_mask is not None and is_causal and not query.ndim == key.ndim == value.ndim == 4:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask is not None and attn_mask.dtype.kind not in "bfV":
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {type_word(attn_mask.dtype)} and  query.dtype: {type_word(query.dtype)} "
                           "instead.")


for _names, _kernel, _kinds in (
    ("leaky_relu", "leaky_relu_cpu", "biuc"),
    ("elu selu celu", "elu_cpu", "biuc"),
    ("silu", "silu_cpu", "biu"),
    ("mish", "mish_cpu", "biuc"),
    ("gelu", "GeluKernelImpl", "biuc"),
    ("softplus", "softplus_cpu", "biuc"),
    ("hardsigmoid", "hardsigmoid_cpu", "biuc"),
    ("hardswish", "hardswish_cpu", "biuc"),
    ("logsigmoid multilabel_soft_margin_loss", "log_sigmoid_cpu", "biuc"),
    ("hardshrink", "hardshrink_cpu", "biuc"),
    ("softshrink", "softshrink_check", "biuc"),
    ("threshold", "threshold_cpu", "bc"),
    ("glu", "glu_cpu", "biuc"),
    ("softsign", "abs_cpu", "b"),
    ("nll_loss", "nll_loss_out_frame", "biu"),
    ("max_pool1d", "max_pool1d_impl", "biuc"),
    ("max_pool1d_with_indices", "max_pool2d", "bc"),
):
    refuse(" ".join(f"nn.functional.{n}" for n in _names.split()), _kinds,
           f"\"{_kernel}\" not implemented for '{{word}}'")
refuse("nn.functional.relu6 nn.functional.hardtanh", "c", "clamp is not supported for complex types")
