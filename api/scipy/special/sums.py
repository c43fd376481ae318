"""Softmax, its logarithm, and the logarithm of weighted sums of exponentials, with SciPy's signatures."""

import math

import numpy as np

from ...core.arrays.axes import normal_axes
from ...core.checks import flag
from ...core.errors import DtypeError, at_user_line
from ...core.ops import reductions, selection
from ...core.ops.nn import classification
from ...core.ops.special import entropies
from ...core.trace.device import constant
from ...nn.softmax import over_axes, together
from ...numpy.surface import Array, Axis, floating


def softmax(x: Array, axis: Axis = None) -> Array:
    """Compute exp(x) / Σ exp(x), without overflow.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
    Returns:
        an array of the shape of `x`.

    >>> from covector.scipy import special
    >>> special.softmax([[0.0, 0.0], [0.0, 0.0]])
    array([[0.25, 0.25],
           [0.25, 0.25]])
    """
    return over_axes(classification.softmax, x, axis)


def log_softmax(x: Array, axis: Axis = None) -> Array:
    """Compute the logarithm of `softmax`, accurate where that underflows.

    Args:
        x: an array, real.
        axis: the axis of the sum, several, or None for all.
    Returns:
        an array of the shape of `x`.

    >>> from covector.scipy import special
    >>> special.log_softmax([0.0, 1000.0])
    array([-1000.,     0.])
    """
    return over_axes(classification.log_softmax, x, axis)


def logsumexp(
    a: Array, axis: Axis = None, b: Array = None, keepdims: bool = False, return_sign: bool = False
) -> Array:
    """Compute log Σ b exp(a), without overflow.

    Args:
        a: an array, real; complex without `b`.
        axis: the axis of the sum, several, or None for all.
        b: weights, which may be 0 or negative; 1 by default. Broadcast with `a`.
        keepdims: whether the summed axes are kept with length 1.
        return_sign: return `(log|Σ b exp(a)|, sign)`.
    Returns:
        the logarithm, NaN where the sum is negative; with `return_sign` that of the absolute value, and the sign.
    Raises:
        DtypeError: complex values with `b` or `return_sign`.
    Derivative: b exp(a) / Σ b exp(a) for `a` and exp(a) / Σ b exp(a) for `b`, also at zero weights.

    >>> from covector.scipy import special
    >>> round(float(special.logsumexp([1000.0, 1000.0], b=[1.0, 2.0])), 4)
    1001.0986
    """
    a = floating(a)
    if b is None and not return_sign:
        return reductions.logsumexp(a, normal_axes(axis, a.ndim), flag(keepdims))
    weights = constant(np.ones((), np.float64), a) if b is None else floating(b)
    if "c" in (a.dtype.kind, weights.dtype.kind):
        raise DtypeError(f"logsumexp with b= or return_sign=True takes real values, but got {a.dtype} and "
                         f"{weights.dtype}; add the logarithm of the weights to a{at_user_line()}")
    if b is None:
        weights = weights.astype(a.dtype)
    a, weights = together(a, weights)
    size, sign = entropies.signed_logsumexp(a, weights, normal_axes(axis, a.ndim), flag(keepdims))
    return (size, sign) if return_sign else selection.where(sign < 0, math.nan, size)
