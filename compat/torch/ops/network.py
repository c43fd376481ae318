"""Layers and losses of torch.nn.functional."""

import warnings

from .... import numpy as cnp
from ....extend import REGISTRY
from ..call import ROWS, Row, invoke, operation
from ..modes import MODES
from ..product_lanes import affine, affine_rules, pair_to_scalar, plain

ROWS["nn.functional.relu"] = Row("nn.functional.relu", None, "ReluBackward0", None)


def _relu(input, inplace=False):
    """The positive part; see PyTorch's documentation of `torch.nn.functional.relu`."""
    return input.relu_() if inplace else ROWS["relu"].fun(input)


ROWS["nn.functional.relu"].fun = _relu
_LINEAR = affine_rules("AddmmBackward0", (2, 0, 1))


@operation("nn.functional.linear", method=False, node="AddmmBackward0")
def linear(input, weight, bias=None):
    """`input @ weight.T + bias`; see PyTorch's documentation of `torch.nn.functional.linear`."""
    k = weight.shape[-1]
    if input.shape[-1] != k:
        rows = 1
        for n in input.shape[:-1]:
            rows *= n
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and "
                           f"{k}x{weight.shape[0]})")
    out = cnp.matmul(input, weight.T if weight.ndim == 2 else weight)
    return out if bias is None else out + bias


def _linear(input, weight, bias=None):
    if bias is not None and plain(input) and plain(weight) and plain(bias) and MODES.get() is None \
            and weight.value.ndim == 2:
        out = affine(input, t(weight), bias, _LINEAR)
        if out is not None:
            return out
    return invoke(ROWS["nn.functional.linear"], _linear, (input, weight) if bias is None else (input, weight, bias), {})


_linear.__name__ = _linear.__qualname__ = "linear"
_linear.__doc__ = linear.__doc__
ROWS["nn.functional.linear"].fun = _linear


def reduced(loss, reduction):
    """A loss under `reduction`: none, mean or sum."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return REGISTRY["reduce_mean"].fun(loss, tuple(range(loss.ndim)), False)
    if reduction == "sum":
        return cnp.sum(loss)
    raise ValueError(f"{reduction} is not a valid value for reduction")


@operation("nn.functional.mse_loss", method=False, node="MseLossBackward0")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """The mean of `(input - target) ** 2`; see PyTorch's documentation of `torch.nn.functional.mse_loss`."""
    if tuple(input.shape) != tuple(target.shape):
        warnings.warn(f"Using a target size (torch.Size({list(target.shape)})) that is different to the input size "
                      f"(torch.Size({list(input.shape)})). This will likely lead to incorrect results due to "
                      "broadcasting. Please ensure they have the same size.", UserWarning, stacklevel=4)
    return reduced(cnp.square(input - target), reduction)


_MSE_SLOW = ROWS["nn.functional.mse_loss"].fun
_mse = pair_to_scalar(REGISTRY["mean_squared_error"], "MseLossBackward0")


def _mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    if reduction == "mean" and weight is None and reduce is None and size_average is None and plain(input) \
            and plain(target) and MODES.get() is None and input.value.shape == target.value.shape \
            and input.value.dtype is target.value.dtype:
        return _mse(input, target)
    return _MSE_SLOW(input, target, size_average, reduce, reduction, weight)


_mse_loss.__name__ = _mse_loss.__qualname__ = "mse_loss"
_mse_loss.__doc__ = mse_loss.__doc__
ROWS["nn.functional.mse_loss"].fun = _mse_loss
