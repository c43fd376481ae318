"""Exponential, sine, Fresnel and related integrals; hypergeometric functions."""

from ...core.ops.special import elliptic, integrals
from ...numpy.surface import Array, array_of, floating, lift, ordered


def exp1(x: Array, /) -> Array:
    """Compute the exponential integral E₁(x), the integral of exp(-t) / t from `x` to ∞.

    Args:
        x: an array, real and positive, or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -exp(-x) / x, DLMF 6.2.1.

    >>> from covector.scipy import special
    >>> round(float(special.exp1(1.0)), 6)
    0.219384
    """
    return integrals.exp1(lift(x))


def expi(x: Array, /) -> Array:
    """Compute the exponential integral Ei(x), the integral of exp(t) / t up to `x`.

    Args:
        x: an array, real or complex; integers are converted to float64. A pole at 0.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: exp(x) / x, DLMF 6.2.5.

    >>> from covector.scipy import special
    >>> round(float(special.expi(1.0)), 6)
    1.895118
    """
    return integrals.expi(lift(x))


def expn(n: Array, x: Array, /) -> Array:
    """Compute the exponential integral of order `n`, the integral of exp(-x t) / tⁿ over t from 1 to ∞.

    Args:
        n: nonnegative integers; not differentiable.
        x: an array, real, positive.
    Returns:
        an array; the shapes of both broadcast, the dtype is that of `x`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: the negative of the function of order n - 1, DLMF 8.19.13.

    >>> from covector.scipy import special
    >>> round(float(special.expn(2, 1.0)), 6)
    0.148496
    """
    return integrals.expn(array_of(n), lift(x))


def exprel(x: Array, /) -> Array:
    """Compute (exp(x) - 1) / x, 1 at 0.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: ((x - 1) exprel(x) + 1) / x, and its series near 0.

    >>> from covector.scipy import special
    >>> float(special.exprel(0.0))
    1.0
    """
    return integrals.exprel(ordered(lift(x), "exprel"))


def sici(x: Array, /) -> tuple[Array, Array]:
    """Compute the sine integral and the cosine integral.

    Args:
        x: an array, real; integers are converted to float64. The cosine integral has a pole at 0, and is NaN below.
    Returns:
        Si and Ci, arrays of the shape and dtype of `x`.
    Derivative: sin(x) / x and cos(x) / x, DLMF 6.2.9 and 6.2.11.

    >>> from covector.scipy import special
    >>> [round(float(v), 6) for v in special.sici(1.0)]
    [0.946083, 0.337404]
    """
    x = ordered(lift(x), "sici")
    return integrals.sine_integral(x), integrals.cosine_integral(x)


def fresnel(x: Array, /) -> tuple[Array, Array]:
    """Compute the Fresnel integrals of sin(π t² / 2) and cos(π t² / 2), from 0 to `x`.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        S and C, arrays of the shape and dtype of `x`.
    Derivative: the integrand, DLMF 7.2.7 and 7.2.8.

    >>> from covector.scipy import special
    >>> [round(float(v), 6) for v in special.fresnel(1.0)]
    [0.438259, 0.779893]
    """
    x = ordered(lift(x), "fresnel")
    return integrals.fresnel_sine(x), integrals.fresnel_cosine(x)


def dawsn(x: Array, /) -> Array:
    """Compute Dawson's integral, exp(-x²) times the integral of exp(t²) from 0 to `x`.

    Args:
        x: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: 1 - 2 x dawsn(x), DLMF 7.2.5.

    >>> from covector.scipy import special
    >>> round(float(special.dawsn(1.0)), 6)
    0.53808
    """
    return integrals.dawsn(lift(x))


def spence(x: Array, /) -> Array:
    """Compute Spence's function, the integral of log(t) / (1 - t) from 1 to `x`: the dilogarithm of 1 - x.

    Args:
        x: an array, real and nonnegative, or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: log(x) / (1 - x), DLMF 25.12.1; -1 at 1, infinite at 0.

    >>> from covector.scipy import special
    >>> round(float(special.spence(0.0)), 6)
    1.644934
    """
    return integrals.spence(lift(x))


def owens_t(h: Array, a: Array, /) -> Array:
    """Compute Owen's T function, the probability that X > h and 0 < Y < a X for standard normal X and Y.

    Args:
        h, a: arrays, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: that of the integral; Owen (1956), Tables for computing bivariate normal probabilities, eq. 2.1.

    >>> from covector.scipy import special
    >>> round(float(special.owens_t(1.0, 0.5)), 6)
    0.043065
    """
    return integrals.owens_t(lift(h), lift(a))


def hyp1f1(a: Array, b: Array, x: Array, /) -> Array:
    """Compute Kummer's confluent hypergeometric function ₁F₁(a; b; x).

    Args:
        a, b: real; not differentiable.
        x: an array, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Raises:
        RuleError: the derivative with respect to a parameter is requested.
    Derivative: a/b ₁F₁(a + 1; b + 1; x), DLMF 13.3.15.

    >>> from covector.scipy import special
    >>> round(float(special.hyp1f1(1.0, 2.0, 1.0)), 6)
    1.718282
    """
    return elliptic.hyp1f1(lift(a), lift(b), floating(x))


def hyp2f1(a: Array, b: Array, c: Array, z: Array, /) -> Array:
    """Compute Gauss's hypergeometric function ₂F₁(a, b; c; z).

    Args:
        a, b, c: real; not differentiable.
        z: an array, real, below 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Raises:
        RuleError: the derivative with respect to a parameter is requested.
    Derivative: ab/c ₂F₁(a + 1, b + 1; c + 1; z), DLMF 15.5.1.

    >>> from covector.scipy import special
    >>> round(float(special.hyp2f1(1.0, 1.0, 2.0, 0.5)), 6)
    1.386294
    """
    return elliptic.hyp2f1(lift(a), lift(b), lift(c), floating(z))


# Elliptic integrals.


def ellipk(m: Array, /) -> Array:
    """Compute the complete elliptic integral of the first kind, of the parameter m = k².

    Args:
        m: an array, real, below 1; integers are converted to float64. A pole at 1.
    Returns:
        an array of the shape and dtype of `m`.
    Derivative: a hypergeometric function, DLMF 19.5.1 and 15.5.1.

    >>> from covector.scipy import special
    >>> round(float(special.ellipk(0.5)), 6)
    1.854075
    """
    return elliptic.ellipk(lift(m))


def ellipkm1(p: Array, /) -> Array:
    """Compute the complete elliptic integral of the first kind at m = 1 - p.

    Args:
        p: an array, real, positive; integers are converted to float64. A pole at 0.
    Returns:
        an array of the shape and dtype of `p`.
    Derivative: DLMF 19.4.1.

    >>> from covector.scipy import special
    >>> round(float(special.ellipkm1(0.001)), 6)
    4.841133
    """
    return elliptic.ellipkm1(lift(p))


def ellipe(m: Array, /) -> Array:
    """Compute the complete elliptic integral of the second kind, of the parameter m = k².

    Args:
        m: an array, real, up to 1; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `m`.
    Derivative: a hypergeometric function, DLMF 19.5.2 and 15.5.1.

    >>> from covector.scipy import special
    >>> round(float(special.ellipe(0.5)), 6)
    1.350644
    """
    return elliptic.ellipe(lift(m))


def ellipkinc(phi: Array, m: Array, /) -> Array:
    """Compute the incomplete elliptic integral of the first kind, of the parameter m = k².

    Args:
        phi: an array, real: the amplitude.
        m: an array, real, with m sin²(phi) below 1.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: the integrand, and DLMF 19.4.5 with its series at small m.

    >>> from covector.scipy import special
    >>> round(float(special.ellipkinc(0.5, 0.5)), 6)
    0.510467
    """
    return elliptic.ellipkinc(lift(phi), lift(m))


def ellipeinc(phi: Array, m: Array, /) -> Array:
    """Compute the incomplete elliptic integral of the second kind, of the parameter m = k².

    Args:
        phi: an array, real: the amplitude.
        m: an array, real, with m sin²(phi) up to 1.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: the integrand, and DLMF 19.4.6 with its series at small m.

    >>> from covector.scipy import special
    >>> round(float(special.ellipeinc(0.5, 0.5)), 6)
    0.489911
    """
    return elliptic.ellipeinc(lift(phi), lift(m))
