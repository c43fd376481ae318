"""Error functions, and the normal distribution."""

from ...core.ops.special import error_function, normal_distribution
from ...numpy.surface import Array, lift


def erf(x: Array, /) -> Array:
    """Compute the error function.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: 2 exp(-x²) / √π, DLMF 7.2.1.

    >>> from covector.scipy import special
    >>> round(float(special.erf(0.5)), 6)
    0.5205
    """
    return error_function.erf(lift(x))


def erfc(x: Array, /) -> Array:
    """Compute the complementary error function 1 - erf(x), accurate where it is small.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -2 exp(-x²) / √π, DLMF 7.2.2.

    >>> from covector.scipy import special
    >>> bool(special.erfc(10.0) > 0)
    True
    """
    return error_function.erfc(lift(x))


def erfcx(x: Array, /) -> Array:
    """Compute the scaled complementary error function exp(x²) erfc(x).

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: 2 x erfcx(x) - 2 / √π, DLMF 7.10.2.

    >>> from covector.scipy import special
    >>> round(float(special.erfcx(0.5)), 6)
    0.61569
    """
    return normal_distribution.erfcx(lift(x))


def erfinv(x: Array, /) -> Array:
    """Compute the inverse of the error function.

    Args:
        x: an array, real; integers are converted to float64. Between -1 and 1.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: √π exp(erfinv(x)²) / 2, from DLMF 7.2.1; infinite at -1 and 1.

    >>> from covector.scipy import special
    >>> round(float(special.erfinv(0.5)), 6)
    0.476936
    """
    return normal_distribution.erfinv(lift(x))


def erfcinv(x: Array, /) -> Array:
    """Compute the inverse of the complementary error function.

    Args:
        x: an array, real; integers are converted to float64. Between 0 and 2.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -√π exp(erfcinv(x)²) / 2, from DLMF 7.2.2; infinite at 0 and 2.

    >>> from covector.scipy import special
    >>> round(float(special.erfcinv(0.5)), 6)
    0.476936
    """
    return normal_distribution.erfcinv(lift(x))


def ndtr(x: Array, /) -> Array:
    """Compute the distribution function Φ(x) of the standard normal distribution.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: the density exp(-x²/2) / √(2π).

    >>> from covector.scipy import special
    >>> float(special.ndtr(0.0))
    0.5
    """
    return normal_distribution.ndtr(lift(x))


def log_ndtr(x: Array, /) -> Array:
    """Compute log Φ(x), accurate in both tails.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: √(2/π) / erfcx(-x/√2), DLMF 7.2.2 and 7.2.3, which underflows in neither tail.

    >>> from covector.scipy import special
    >>> round(float(special.log_ndtr(-40.0)), 6)
    -804.608442
    """
    return normal_distribution.log_ndtr(lift(x))


def ndtri(x: Array, /) -> Array:
    """Compute the inverse of Φ: the quantiles of the standard normal distribution.

    Args:
        x: an array, real; integers are converted to float64. Between 0 and 1.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: √(2π) exp(ndtri(x)²/2); infinite at 0 and 1.

    >>> from covector.scipy import special
    >>> round(float(special.ndtri(0.975)), 6)
    1.959964
    """
    return normal_distribution.ndtri(lift(x))
