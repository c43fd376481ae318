"""Logistic functions, and products with logarithms."""

from ...core.ops import elementary
from ...core.ops.special import entropies
from ...numpy.surface import Array, lift


def logit(x: Array, /) -> Array:
    """Compute the logarithm of the odds, log(x / (1 - x)).

    Args:
        x: an array, real; integers are converted to float64. Between 0 and 1.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: 1 / (x (1 - x)); infinite at 0 and 1.

    >>> from covector.scipy import special
    >>> round(float(special.logit(0.75)), 6)
    1.098612
    """
    return entropies.logit(lift(x))


def expit(x: Array, /) -> Array:
    """Compute the logistic function 1 / (1 + exp(-x)), the inverse of `logit`.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: s (1 - s) for the value s.

    >>> from covector.scipy import special
    >>> float(special.expit(0.0))
    0.5
    """
    return elementary.sigmoid(lift(x))


def log_expit(x: Array, /) -> Array:
    """Compute log(expit(x)), accurate where that underflows.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: expit(-x).

    >>> from covector.scipy import special
    >>> float(special.log_expit(-1000.0))
    -1000.0
    """
    return entropies.log_expit(lift(x))


def xlogy(x: Array, y: Array, /) -> Array:
    """Compute x log(y), and 0 where `x` is 0 (and `y` is not NaN).

    Args:
        x, y: arrays, real or complex.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: log y for `x` (0 is chosen where x = 0 and y <= 0), x / y for `y` (0 where x = y = 0).

    >>> from covector.scipy import special
    >>> float(special.xlogy(0.0, 0.0))
    0.0
    """
    return entropies.xlogy(lift(x), lift(y))


def xlog1py(x: Array, y: Array, /) -> Array:
    """Compute x log(1 + y), and 0 where `x` is 0 (and `y` is not NaN).

    Args:
        x, y: arrays, real or complex.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: log(1 + y) for `x` (0 is chosen where x = 0 and y <= -1), x / (1 + y) for `y`.

    >>> from covector.scipy import special
    >>> float(special.xlog1py(0.0, -1.0))
    0.0
    """
    return entropies.xlog1py(lift(x), lift(y))


def entr(x: Array, /) -> Array:
    """Compute -x log(x): 0 at 0, and -inf below.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -log(x) - 1: infinite at 0, NaN below.

    >>> from covector.scipy import special
    >>> round(float(special.entr(0.5)), 6)
    0.346574
    """
    return entropies.entr(lift(x))


def sinc(x: Array, /) -> Array:
    """Compute sin(πx) / (πx), and 1 at 0.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: (cos πx - sinc x) / x, and its series near 0.

    >>> from covector.scipy import special
    >>> float(special.sinc(0.0))
    1.0
    """
    return elementary.sinc(lift(x))


def rel_entr(x: Array, y: Array, /) -> Array:
    """Compute x log(x / y): 0 where x = 0 <= y, infinite outside the domain.

    Args:
        x, y: arrays, real, nonnegative.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: log(x / y) + 1 for `x` (0 is chosen at 0), -x / y for `y`.

    >>> from covector.scipy import special
    >>> round(float(special.rel_entr(0.5, 0.25)), 6)
    0.346574
    """
    return entropies.rel_entr(lift(x), lift(y))


def kl_div(x: Array, y: Array, /) -> Array:
    """Compute x log(x / y) - x + y: y where x = 0 <= y, infinite outside the domain.

    Args:
        x, y: arrays, real, nonnegative.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: log(x / y) for `x` (0 is chosen at 0), 1 - x / y for `y`.

    >>> from covector.scipy import special
    >>> round(float(special.kl_div(0.5, 0.25)), 6)
    0.096574
    """
    return entropies.kl_div(lift(x), lift(y))
