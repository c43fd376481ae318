"""Softmax, its logarithm, and the logarithm of a sum of exponentials, over one axis or several."""

import math
from collections.abc import Callable

from ..core.axes import flag, normal_axes
from ..core.ops import network, reductions
from ..numpy.surface import Array, Axis, floating


def softmax(x: Array, axis: Axis = -1) -> Array:
    """Compute exp(x) / Σ exp(x), without overflow.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
    Returns:
        an array of the shape of `x`; its entries add up to 1 along `axis`.

    >>> from covector import nn
    >>> [round(float(v), 6) for v in nn.softmax([0.0, 1000.0])]
    [0.0, 1.0]
    """
    return over_axes(network.softmax, x, axis)


def log_softmax(x: Array, axis: Axis = -1) -> Array:
    """Compute the logarithm of `softmax`, precise where that underflows.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> [float(v) for v in nn.log_softmax([0.0, 1000.0])]
    [-1000.0, 0.0]
    """
    return over_axes(network.log_softmax, x, axis)


def logsumexp(x: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    """Compute log Σ exp(x), without overflow.

    Args:
        x: an array, real or complex.
        axis: the axis of the sum, several, or None for all.
        keepdims: whether summed axes stay, with length 1.
    Returns:
        an array without the axes summed over; -inf for sums of nothing.

    >>> from covector import nn
    >>> round(float(nn.logsumexp([1000.0, 1000.0])), 4)
    1000.6931
    """
    x = floating(x)
    return reductions.logsumexp(x, normal_axes(axis, x.ndim), flag(keepdims))


def over_axes(fun: Callable[..., Array], x: Array, axis: Axis) -> Array:
    """`fun(x, axis)`, a map along one axis, along several as if they were one."""
    x = floating(x)
    axes = normal_axes(axis, x.ndim)
    if len(axes) == 1:
        return fun(x, axes[0])
    rest = tuple([k for k in range(x.ndim) if k not in axes])
    order = rest + axes
    moved = x.transpose(order)
    kept = tuple(moved.shape[: len(rest)])
    flat = moved.reshape((*kept, math.prod(moved.shape[len(rest) :])))
    back = [0] * x.ndim
    for place, k in enumerate(order):
        back[k] = place
    return fun(flat, len(rest)).reshape(moved.shape).transpose(tuple(back))
