"""torch.nn.utils.fusion: a layer and the batch normalization behind it as one layer."""

import copy

from ..._impl.public_names import torch
from ..._impl.types.parameter import Parameter


def _fused_eval(layer, bn, fuse, *more):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(layer)
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("fusion needs a normalization with running statistics")
    fused.weight, fused.bias = fuse(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight,
                                    bn.bias, *more)
    return fused


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A convolution that computes what `bn(conv(x))` does in `eval()`."""
    return _fused_eval(conv, bn, fuse_conv_bn_weights, transpose)


def _parts(weight, bias, mean, var, eps, scale, shift):
    bias = torch.zeros_like(mean) if bias is None else bias
    scale = torch.ones_like(mean) if scale is None else scale
    shift = torch.zeros_like(mean) if shift is None else shift
    factor = scale * torch.rsqrt(var + eps)
    return factor, ((bias - mean) * factor + shift).to(weight.dtype)


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The weights and bias of `fuse_conv_bn_eval`."""
    factor, bias = _parts(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    shape = [1, -1] if transpose else [-1, 1]
    weight = (conv_w * factor.reshape(shape + [1] * (conv_w.dim() - 2))).to(conv_w.dtype)
    return Parameter(weight.detach(), conv_w.requires_grad), Parameter(
        bias.detach(), conv_w.requires_grad if conv_b is None else conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """A Linear that computes what `bn(linear(x))` does in `eval()`."""
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    return _fused_eval(linear, bn, fuse_linear_bn_weights)


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """The weights and bias of `fuse_linear_bn_eval`."""
    factor, bias = _parts(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)
    weight = (linear_w * factor.unsqueeze(-1)).to(linear_w.dtype)
    return Parameter(weight.detach(), linear_w.requires_grad), Parameter(
        bias.detach(), linear_w.requires_grad if linear_b is None else linear_b.requires_grad)
