"""Bessel functions of any order, by which they have no derivative here."""

from ...core.ops import bessel_orders
from ...numpy.surface import Array, array_of, lift


def jv(v: Array, x: Array, /) -> Array:
    """Compute the Bessel function of the first kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: (J_{v-1}(x) - J_{v+1}(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.jv(2, 1.0)), 6)
    0.114903
    """
    return bessel_orders.jv(array_of(v), lift(x))


def yn(n: Array, x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of a whole order.

    Args:
        n: whole numbers; without derivative.
        x: an array, real; integers are taken as float64. A pole at 0, NaN below.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: (Y_{v-1}(x) - Y_{v+1}(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.yn(2, 1.0)), 6)
    -1.650683
    """
    return bessel_orders.yn(array_of(n), lift(x))


def yv(v: Array, x: Array, /) -> Array:
    """Compute the Bessel function of the second kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64. A pole at 0, NaN below.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: (Y_{v-1}(x) - Y_{v+1}(x)) / 2, DLMF 10.6.1.

    >>> from covector.scipy import special
    >>> round(float(special.yv(0.5, 1.0)), 6)
    -0.431099
    """
    return bessel_orders.yv(array_of(v), lift(x))


def iv(v: Array, x: Array, /) -> Array:
    """Compute the modified Bessel function of the first kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: (I_{v-1}(x) + I_{v+1}(x)) / 2, DLMF 10.29.1.

    >>> from covector.scipy import special
    >>> round(float(special.iv(2, 1.0)), 6)
    0.135748
    """
    return bessel_orders.iv(array_of(v), lift(x))


def ive(v: Array, x: Array, /) -> Array:
    """Compute `exp(-abs(x))` times the modified Bessel function of the first kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64. For v = 0 a kink at 0.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: (ive_{v-1}(x) + ive_{v+1}(x)) / 2 - sign(x) ive_v(x), DLMF 10.29.1; at the kink 0.

    >>> from covector.scipy import special
    >>> round(float(special.ive(2, 1.0)), 6)
    0.049939
    """
    return bessel_orders.ive(array_of(v), lift(x))


def kv(v: Array, x: Array, /) -> Array:
    """Compute the modified Bessel function of the second kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64. A pole at 0, NaN below.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: -(K_{v-1}(x) + K_{v+1}(x)) / 2, DLMF 10.29.1.

    >>> from covector.scipy import special
    >>> round(float(special.kv(2, 1.0)), 6)
    1.624839
    """
    return bessel_orders.kv(array_of(v), lift(x))


def kve(v: Array, x: Array, /) -> Array:
    """Compute exp(x) times the modified Bessel function of the second kind of order `v`.

    Args:
        v: the order, real; without derivative.
        x: an array, real; integers are taken as float64. A pole at 0, NaN below.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative by the order is asked for.
    Derivative: kve_v(x) - (kve_{v-1}(x) + kve_{v+1}(x)) / 2, DLMF 10.29.1.

    >>> from covector.scipy import special
    >>> round(float(special.kve(2, 1.0)), 6)
    4.41677
    """
    return bessel_orders.kve(array_of(v), lift(x))
