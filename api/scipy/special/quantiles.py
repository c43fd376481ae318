"""Inverses of the incomplete gamma and beta functions, and Student's t distribution."""

from ...core.ops.special import quantiles
from ...numpy.surface import Array, lift


def gammaincinv(a: Array, y: Array, /) -> Array:
    """Compute the `x` at which the incomplete gamma function P(a, x) is `y`: quantiles of the gamma distribution.

    Args:
        a: an array, positive.
        y: an array, between 0 and 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: for `y` one over the density; for `a` minus the derivative of P(a, x) for `a`, over the density.

    >>> from covector.scipy import special
    >>> round(float(special.gammaincinv(2.0, 0.5)), 6)
    1.678347
    """
    return quantiles.gammaincinv(lift(a), lift(y))


def gammainccinv(a: Array, y: Array, /) -> Array:
    """Compute the `x` at which the incomplete gamma function Q(a, x) is `y`.

    Args:
        a: an array, positive.
        y: an array, between 0 and 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: as for `gammaincinv`, with the opposite sign for `y`.

    >>> from covector.scipy import special
    >>> round(float(special.gammainccinv(2.0, 0.1)), 6)
    3.88972
    """
    return quantiles.gammainccinv(lift(a), lift(y))


def betaincinv(a: Array, b: Array, y: Array, /) -> Array:
    """Compute the `x` at which the incomplete beta function I_x(a, b) is `y`: quantiles of the beta distribution.

    Args:
        a, b: arrays, positive.
        y: an array, between 0 and 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: for `y` one over the density; for `a` and `b` minus those of I, over the density.

    >>> from covector.scipy import special
    >>> round(float(special.betaincinv(2.0, 3.0, 0.5)), 6)
    0.385728
    """
    return quantiles.betaincinv(lift(a), lift(b), lift(y))


def stdtr(df: Array, t: Array, /) -> Array:
    """Compute the distribution function of Student's t distribution.

    Args:
        df: degrees of freedom, positive; not differentiable.
        t: an array, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Raises:
        RuleError: the derivative with respect to `df` is requested.
    Derivative: the density.

    >>> from covector.scipy import special
    >>> round(float(special.stdtr(3.0, 1.0)), 6)
    0.804499
    """
    return quantiles.stdtr(lift(df), lift(t))


def stdtrit(df: Array, p: Array, /) -> Array:
    """Compute the quantiles of Student's t distribution.

    Args:
        df: degrees of freedom, positive; not differentiable.
        p: an array, between 0 and 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Raises:
        RuleError: the derivative with respect to `df` is requested.
    Derivative: one over the density; infinite at 0 and 1.

    >>> from covector.scipy import special
    >>> round(float(special.stdtrit(3.0, 0.9)), 6)
    1.637744
    """
    return quantiles.stdtrit(lift(df), lift(p))
