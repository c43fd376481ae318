"""Standardization to mean 0 and variance 1, and one-hot encoding."""

from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.checks import whole
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.numpy_api.methods import normal_axes, normal_axis
from ..core.ops import arithmetic
from ..core.ops.nn import normalisation
from ..core.trace.device import constant
from ..numpy.surface import Array, Axis, array_of, floating, lift, ordered


def standardize(
    x: Array, axis: Axis = -1, *, mean: Array | None = None, variance: Array | None = None, eps: float = 1e-5
) -> Array:
    """Compute (x - mean) / √(variance + eps).

    Args:
        axis: the axis or axes of mean and variance, or None for all.
        axis: the axis over which mean and variance are taken, several, or None for all.
        mean, variance: used instead of those of `x`, if given; they broadcast with `x`.
        eps: added to the variance for stability.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.standardize([1.0, 2.0, 3.0], eps=0.0)]
    [-1.2247, 0.0, 1.2247]
    """
    x = ordered(floating(x), "standardize")
    if mean is None and variance is None:
        return normalisation.standardize(x, normal_axes(axis, x.ndim), float(eps))
    axes = normal_axes(axis, x.ndim)
    mean = x.mean(axis=axes, keepdims=True) if mean is None else lift(mean)
    gap = x - mean
    if variance is None:
        variance = (gap * gap).mean(axis=axes, keepdims=True)
    return gap / arithmetic.sqrt(lift(variance) + float(eps))


def layer_norm(
    x: Array, scale: Array | None = None, shift: Array | None = None, *, axes: int | None = None, eps: float = 1e-5
) -> Array:
    """Standardize over the last axes, then multiply by `scale` and add `shift`.

    Args:
        x: an array, real.
        scale, shift: arrays of the shape of the normalized axes, or None for 1 and 0.
        axes: the number of trailing axes to normalize; by default those of `scale`, or of `shift`, or one.
        eps: added to the variance for stability.
    Returns:
        an array of the shape of `x`.
    Raises:
        ShapeError: `x` has fewer axes, or `scale` and `shift` do not have their shape.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.layer_norm([1.0, 2.0, 3.0], [1.0, 1.0, 2.0], [0.0, 1.0, 0.0], eps=0.0)]
    [-1.2247, 1.0, 2.4495]
    """
    x = ordered(floating(x), "layer_norm")
    given = [floating(v) for v in (scale, shift) if v is not None]
    count = whole(axes, "axes of layer_norm") if axes is not None else given[0].ndim if given else 1
    if not 1 <= count <= x.ndim:
        raise ShapeError(f"layer_norm works over one or more of the last axes, but was given axes={count} of x of "
                         f"shape {tuple(x.shape)}; name the last ones, in order{at_user_line()}")
    chosen = tuple(range(x.ndim - count, x.ndim))
    if not given:
        return normalisation.standardize(x, chosen, float(eps))
    inner = tuple(x.shape[x.ndim - count :])
    scale = constant(np.ones(inner, x.dtype), x) if scale is None else floating(scale)
    shift = constant(np.zeros(inner, x.dtype), x) if shift is None else floating(shift)
    normalisation.layer_norm.prim.shape([aval_of(v) for v in (x, scale, shift)], (chosen, eps))  # says what is wrong
    return normalisation.layer_norm(x, scale, shift, chosen, float(eps))


def one_hot(x: Array, num_classes: int, *, axis: int = -1, dtype: Any = np.float64) -> Array:
    """Encode class indices as vectors: 1 at the index, 0 elsewhere.

    Args:
        x: an array of integers; indices outside 0 … num_classes - 1 give zeros.
        num_classes: the length of the new axis.
        axis: the position of the new axis.
        dtype: the dtype of the output.
    Returns:
        an array with one more axis than `x`.
    Raises:
        DtypeError: `x` is not an integer array.
        TypeError: `num_classes` is not an integer.

    >>> from covector import nn
    >>> nn.one_hot([0, 2], 3)
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """
    x = array_of(x)
    if x.dtype.kind not in "iub":
        raise DtypeError(f"one_hot needs integers, but got {x.dtype}; round and cast them first: x.astype(int)"
                         f"{at_user_line()}")
    place = normal_axis(axis, x.ndim + 1)
    classes = np.arange(whole(num_classes, "num_classes of one_hot", 0)).reshape((-1,) + (1,) * (x.ndim - place))
    hit = x.reshape((*x.shape[:place], 1, *x.shape[place:])) == constant(classes, x)
    return hit.astype(np.dtype(dtype))
