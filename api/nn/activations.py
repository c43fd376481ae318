"""Smooth activation functions: the output has the shape of the input."""

import math

from ..core.ops import arithmetic, elementary, selection
from ..core.ops.nn import network
from ..core.ops.special import error_function
from ..numpy.surface import Array, array_of, floating, lift, ordered

_SELU_SCALE = 1.0507009873554804934193349852946  # Klambauer et al. (2017), Self-normalizing neural networks, eq. 14
_SELU_ALPHA = 1.6732632423543772848170429916717


def relu(x: Array) -> Array:
    """Compute the positive part of `x`; its derivative at 0 is 0.

    Args:
        x: an array, real.
    Returns:
        an array of the shape and dtype of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.relu([-1.0, 2.0])
    array([0., 2.])
    """
    return network.relu(ordered(lift(x), "relu"))


def gelu(x: Array, approximate: bool = True) -> Array:
    """Compute x Φ(x), with the distribution function Φ of the normal distribution.

    Args:
        x: an array, real.
        approximate: x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 in its place; the default is JAX's, where PyTorch's is
            the function itself. The two differ by up to 5e-4.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.gelu([-1.0, 2.0], approximate=False)]
    [-0.1587, 1.9545]
    """
    x = ordered(floating(x), "gelu")
    if approximate:
        return error_function.gelu_tanh(x)
    return error_function.gelu(x)


def silu(x: Array) -> Array:
    """Compute x sigmoid(x), also called swish.

    Args:
        x: an array.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.silu([-1.0, 2.0])]
    [-0.2689, 1.7616]
    """
    return elementary.silu(floating(x))


def elu(x: Array, alpha: float = 1.0) -> Array:
    """Compute `x` where it is positive, alpha (exp(x) - 1) elsewhere; the derivative at 0 is `alpha`.

    Args:
        x: an array, real.
        alpha: the negative of the limit for x to -∞.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.elu([-1.0, 2.0])]
    [-0.6321, 2.0]
    """
    x = ordered(floating(x), "elu")
    positive = x > 0
    return selection.where(positive, x, alpha * arithmetic.expm1(selection.where(positive, 0.0, x)))


def selu(x: Array) -> Array:
    """Compute `elu` with the scale and `alpha` that preserve mean 0 and variance 1; at 0 the derivative is from below.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.selu([-1.0, 2.0])]
    [-1.1113, 2.1014]
    """
    return _SELU_SCALE * elu(ordered(lift(x), "selu"), _SELU_ALPHA)


def celu(x: Array, alpha: Array = 1.0) -> Array:
    """Compute `x` where it is positive, alpha (exp(x / alpha) - 1) elsewhere; the derivative at 0 is 1.

    Args:
        x: an array, real.
        alpha: the negative of the limit for x to -∞; differentiable, and not 0.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.celu([-1.0, 2.0], 2.0)]
    [-0.7869, 2.0]
    """
    x = ordered(floating(x), "celu")
    positive = x > 0
    return selection.where(positive, x, alpha * arithmetic.expm1(selection.where(positive, 0.0, x) / alpha))


def mish(x: Array) -> Array:
    """Compute x tanh(softplus(x)): Misra (2019), Mish: a self regularized non-monotonic activation function.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.mish([-1.0, 2.0])]
    [-0.3034, 1.944]
    """
    x = ordered(floating(x), "mish")
    return x * arithmetic.tanh(network.softplus(x))


def softplus(x: Array) -> Array:
    """Compute log(1 + exp(x)), without overflow.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> [round(float(v), 4) for v in nn.softplus([-1.0, 1000.0])]
    [0.3133, 1000.0]
    """
    return network.softplus(ordered(floating(x), "softplus"))


def sigmoid(x: Array) -> Array:
    """Compute the logistic function 1 / (1 + exp(-x)).

    Args:
        x: an array.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> float(nn.sigmoid(0.0))
    0.5
    """
    return elementary.sigmoid(lift(x))


def log_sigmoid(x: Array) -> Array:
    """Compute log(sigmoid(x)), accurate where that underflows.

    Args:
        x: an array, real.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> float(nn.log_sigmoid(-1000.0))
    -1000.0
    """
    return -network.softplus(-ordered(floating(x), "log_sigmoid"))


def tanh(x: Array) -> Array:
    """Compute the hyperbolic tangent.

    Args:
        x: an array.
    Returns:
        an array of the shape of `x`.

    >>> from covector import nn
    >>> round(float(nn.tanh(1.0)), 4)
    0.7616
    """
    return arithmetic.tanh(floating(x))


def squareplus(x: Array, b: Array = 4) -> Array:
    """Compute (x + √(x² + b)) / 2, without cancellation for large negative `x`.

    Args:
        x: an array, real.
        b: the smoothness of the bend at 0, positive; differentiable.
    Returns:
        an array of the shape of `x`.
    Raises:
        DtypeError: `x` is complex.

    >>> from covector import nn
    >>> nn.squareplus([0.0, 1.5])
    array([1., 2.])
    """
    x = ordered(floating(x), "squareplus")
    low = x < 0
    total = selection.where(low, -x, x) + arithmetic.sqrt(x * x + b)
    return 0.5 * selection.where(low, b / selection.where(low, total, 1.0), total)


def log1mexp(x: Array) -> Array:
    """Compute log(1 - exp(-x)), accurate for small and for large `x`.

    Args:
        x: an array, real, nonnegative.
    Returns:
        an array of the shape of `x`; -∞ at 0, NaN below.
    Raises:
        DtypeError: `x` is complex.

    Mächler (2012), Accurately computing log(1 - exp(-|a|)), eq. 7.

    >>> from covector import nn
    >>> [float(nn.log1mexp(x)) for x in (1e-300, 50.0)]
    [-690.7755278982137, -1.9287498479639178e-22]
    """
    x = ordered(floating(x), "log1mexp")
    near = x < math.log(2.0)
    close, far = selection.where(near, x, 1.0), selection.where(near, 1.0, x)
    return selection.where(near, arithmetic.log(-arithmetic.expm1(-close)), arithmetic.log1p(-arithmetic.exp(-far)))


def identity(x: Array) -> Array:
    """Return `x` as an array, unchanged.

    Args:
        x: an array.
    Returns:
        the same array or traced value; a number or list becomes an array.

    >>> from covector import nn
    >>> nn.identity([1.0, 2.0])
    array([1., 2.])
    """
    return array_of(x)


swish = silu
