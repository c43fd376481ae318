"""Piecewise linear, quadratic and rational activation functions."""

from ..core.arrays.axes import normal_axis
from ..core.errors import ShapeError, at_user_line
from ..core.ops import elementary, selection
from ..numpy.surface import Array, floating, ordered


def leaky_relu(x: Array, negative_slope: Array = 0.01) -> Array:
    """Compute `x` where it is nonnegative, `negative_slope` times `x` elsewhere; the derivative at 0 is 1.

    Args:
        x: an array, real.
        negative_slope: the slope below 0; differentiable.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.leaky_relu([-1.0, 2.0])
    array([-0.01,  2.  ])
    """
    x = ordered(floating(x), "leaky_relu")
    return selection.where(x >= 0, x, negative_slope * x)


def relu6(x: Array) -> Array:
    """Clip `x` to [0, 6]; the derivative at both ends is 0.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.relu6([-1.0, 2.0, 7.0])
    array([0., 2., 6.])
    """
    x = ordered(floating(x), "relu6")
    return selection.where(x <= 0, 0.0, selection.where(x >= 6, 6.0, x))


def hard_tanh(x: Array) -> Array:
    """Clip `x` to [-1, 1]; the derivative at both ends is 1.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.hard_tanh([-2.0, 0.5, 7.0])
    array([-1. ,  0.5,  1. ])
    """
    x = ordered(floating(x), "hard_tanh")
    return selection.where(x > 1, 1.0, selection.where(x < -1, -1.0, x))


def hard_sigmoid(x: Array) -> Array:
    """Compute `relu6(x + 3) / 6`; the derivative at -3 and 3 is 0.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.hard_sigmoid([-4.0, 0.0, 1.5])
    array([0.  , 0.5 , 0.75])
    """
    return relu6(ordered(floating(x), "hard_sigmoid") + 3.0) / 6.0


def hard_silu(x: Array) -> Array:
    """Compute `x hard_sigmoid(x)`, also called hard_swish.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.hard_silu([-3.0, 0.0, 3.0])
    array([-0.,  0.,  3.])
    """
    x = ordered(floating(x), "hard_silu")
    return x * hard_sigmoid(x)


def sparse_plus(x: Array) -> Array:
    """Compute 0 up to -1, `x` from 1 on, and (x + 1)² / 4 in between; the derivative is `sparse_sigmoid`.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.sparse_plus([-2.0, 0.0, 3.0])
    array([0.  , 0.25, 3.  ])
    """
    x = ordered(floating(x), "sparse_plus")
    inside = (x > -1) & (x < 1)
    near = selection.where(inside, x, 0.0) + 1.0  # what is far away would overflow
    return selection.where(x <= -1, 0.0, selection.where(x >= 1, x, selection.where(inside, 0.25 * near * near, x)))


def sparse_sigmoid(x: Array) -> Array:
    """Compute (x + 1) / 2, clipped to [0, 1]; the derivative at -1 and 1 is one quarter.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.sparse_sigmoid([-2.0, 0.0, 3.0])
    array([0. , 0.5, 1. ])
    """
    x = ordered(floating(x), "sparse_sigmoid")
    return 0.5 * selection.minimum(selection.maximum(x + 1.0, 0.0), 2.0)


def soft_sign(x: Array) -> Array:
    """Compute x / (1 + |x|).

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.soft_sign([-1.0, 0.0, 3.0])
    array([-0.5 ,  0.  ,  0.75])
    """
    x = ordered(floating(x), "soft_sign")
    return x / (abs(x) + 1.0)


def glu(x: Array, axis: int = -1) -> Array:
    """Compute the first half of `x` times the sigmoid of its second half.

    Args:
        axis: the axis to split in two halves; its length is even.
        axis: the axis that is halved; its length is even.
    Returns:
        an array, half as long on `axis`.
    Raises:
        ShapeError: the length is odd.

    >>> from covector import nn
    >>> nn.glu([3.0, 5.0, 0.0, 0.0])
    array([1.5, 2.5])
    """
    x = floating(x)
    k = normal_axis(axis, x.ndim)
    if x.shape[k] % 2:
        raise ShapeError(f"glu needs an axis of even length, of which it halves {axis}, but got x of shape {x.shape}; "
                         f"pad it, or choose another axis{at_user_line()}")
    half = x.shape[k] // 2
    before = (slice(None),) * k
    return x[(*before, slice(None, half))] * elementary.sigmoid(x[(*before, slice(half, None))])


hard_swish = hard_silu
