"""Bessel functions of order 0 and 1."""

from ...core.ops.special import bessel
from ...numpy.surface import Array, lift


def j0(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order 0.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -J₁(x), DLMF 10.6.3.

    >>> from covector.scipy import special
    >>> round(float(special.j0(1.0)), 6)
    0.765198
    """
    return bessel.j0(lift(x))


def j1(x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order 1.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (J₀(x) - J₂(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.j1(1.0)), 6)
    0.440051
    """
    return bessel.j1(lift(x))


def y0(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order 0.

    Args:
        x: an array, real; integers are converted to float64. A pole at 0, NaN below.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -Y₁(x), DLMF 10.6.3.

    >>> from covector.scipy import special
    >>> round(float(special.y0(1.0)), 6)
    0.088257
    """
    return bessel.y0(lift(x))


def y1(x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order 1.

    Args:
        x: an array, real; integers are converted to float64. A pole at 0, NaN below.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (Y₀(x) - Y₂(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.y1(1.0)), 6)
    -0.781213
    """
    return bessel.y1(lift(x))


def i0(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 0.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: I₁(x), DLMF 10.29.3.

    >>> from covector.scipy import special
    >>> round(float(special.i0(1.0)), 6)
    1.266066
    """
    return bessel.i0(lift(x))


def i1(x: Array, /) -> Array:
    """Compute the modified Bessel function of order 1.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (I₀(x) + I₂(x)) / 2, DLMF 10.29.1.

    >>> from covector.scipy import special
    >>> round(float(special.i1(1.0)), 6)
    0.565159
    """
    return bessel.i1(lift(x))


def i0e(x: Array, /) -> Array:
    """Compute exp(-abs(x)) I₀(x).

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: that of I₀ scaled, minus sign(x) times the value; 0 is chosen at 0.

    >>> from covector.scipy import special
    >>> round(float(special.i0e(100.0)), 6)
    0.039944
    """
    return bessel.i0e(lift(x))


def i1e(x: Array, /) -> Array:
    """Compute exp(-abs(x)) I₁(x).

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: that of I₁ scaled, minus sign(x) times the value.

    >>> from covector.scipy import special
    >>> round(float(special.i1e(100.0)), 6)
    0.039744
    """
    return bessel.i1e(lift(x))


def k0(x: Array, /) -> Array:
    """Compute the modified Bessel function K₀ of the second kind.

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: -K₁(x), DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k0(1.0)), 6)
    0.421024
    """
    return bessel.k0(lift(x))


def k1(x: Array, /) -> Array:
    """Compute the modified Bessel function K₁ of the second kind.

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: -K₀(x) - K₁(x) / x, DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k1(1.0)), 6)
    0.601907
    """
    return bessel.k1(lift(x))


def k0e(x: Array, /) -> Array:
    """Compute exp(x) K₀(x).

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: the value minus exp(x) K₁(x), DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k0e(1.0)), 6)
    1.144463
    """
    return bessel.k0e(lift(x))


def k1e(x: Array, /) -> Array:
    """Compute exp(x) K₁(x).

    Args:
        x: an array, real and positive; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`; infinite at 0, NaN below.
    Derivative: the value minus exp(x) K₀(x) minus the value over x, DLMF 10.29.

    >>> from covector.scipy import special
    >>> round(float(special.k1e(1.0)), 6)
    1.636153
    """
    return bessel.k1e(lift(x))
