"""Spherical Bessel functions, Airy functions, hyperbolic integrals, and confluent hypergeometric functions."""

from ...core.checks import refuse_arguments
from ...core.ops.special import bessel, bessel_orders, elliptic
from ...numpy.surface import Array, array_of, floating, lift, ordered


def spherical_jn(n: Array, z: Array, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the first kind.

    Args:
        n: the order, nonnegative integers; not differentiable.
        z: an array, real.
        derivative: not supported: differentiate.
    Returns:
        an array; the shapes broadcast, the dtype is that of `z`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: of neighbouring orders, DLMF 10.51.1.

    >>> from covector.scipy import special
    >>> round(float(special.spherical_jn(1, 0.5)), 6)
    0.162537
    """
    refuse_arguments("spherical_jn", "differentiate the function", derivative=derivative or None)
    return bessel_orders.spherical_jn(array_of(n), floating(z))


def spherical_yn(n: Array, z: Array, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the second kind.

    Args:
        n: the order, nonnegative integers; not differentiable.
        z: an array, real.
        derivative: not supported: differentiate.
    Returns:
        an array; the shapes broadcast, the dtype is that of `z`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: of neighbouring orders, DLMF 10.51.1.

    >>> from covector.scipy import special
    >>> round(float(special.spherical_yn(1, 0.5)), 6)
    -4.469181
    """
    refuse_arguments("spherical_yn", "differentiate the function", derivative=derivative or None)
    return bessel_orders.spherical_yn(array_of(n), floating(z))


def spherical_in(n: Array, z: Array, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the first kind, modified.

    Args:
        n: the order, nonnegative integers; not differentiable.
        z: an array, real.
        derivative: not supported: differentiate.
    Returns:
        an array; the shapes broadcast, the dtype is that of `z`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: of neighbouring orders, DLMF 10.51.4.

    >>> from covector.scipy import special
    >>> round(float(special.spherical_in(1, 0.5)), 6)
    0.170871
    """
    refuse_arguments("spherical_in", "differentiate the function", derivative=derivative or None)
    return bessel_orders.spherical_in(array_of(n), floating(z))


def spherical_kn(n: Array, z: Array, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the second kind, modified.

    Args:
        n: the order, nonnegative integers; not differentiable.
        z: an array, real.
        derivative: not supported: differentiate.
    Returns:
        an array; the shapes broadcast, the dtype is that of `z`.
    Raises:
        RuleError: the derivative with respect to the order is requested.
    Derivative: of neighbouring orders, DLMF 10.51.4.

    >>> from covector.scipy import special
    >>> round(float(special.spherical_kn(1, 0.5)), 6)
    5.716417
    """
    refuse_arguments("spherical_kn", "differentiate the function", derivative=derivative or None)
    return bessel_orders.spherical_kn(array_of(n), floating(z))


def airy(z: Array, /) -> tuple[Array, Array, Array, Array]:
    """Compute the Airy functions and their derivatives.

    Args:
        z: an array, real.
    Returns:
        Ai, Ai′, Bi and Bi′, arrays of the shape and dtype of `z`.
    Derivative: w″ = z w, DLMF 9.2.1.

    >>> from covector.scipy import special
    >>> [round(float(v), 6) for v in special.airy(0.0)]
    [0.355028, -0.258819, 0.614927, 0.448288]
    """
    z = ordered(floating(z), "airy")
    ai, bi = bessel.airy_ai(z), bessel_orders.airy_bi(z)
    return ai, bessel.airy_ai_slope(z), bi, bessel_orders.airy_bi_slope(z)


def shichi(x: Array, /) -> tuple[Array, Array]:
    """Compute the hyperbolic sine integral and the hyperbolic cosine integral.

    Args:
        x: an array, real; a pole of the second at 0.
    Returns:
        Shi and Chi, arrays of the shape and dtype of `x`.
    Derivative: sinh(x) / x and cosh(x) / x, DLMF 6.2.15 and 6.2.16.

    >>> from covector.scipy import special
    >>> [round(float(v), 6) for v in special.shichi(1.0)]
    [1.057251, 0.837867]
    """
    x = ordered(floating(x), "shichi")
    return bessel_orders.hyperbolic_sine_integral(x), bessel_orders.hyperbolic_cosine_integral(x)


def hyp0f1(v: Array, z: Array, /) -> Array:
    """Compute the confluent hypergeometric limit function ₀F₁(; v; z).

    Args:
        v: an array, real; not differentiable.
        z: an array, real.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Raises:
        RuleError: the derivative with respect to the parameter is requested.
    Derivative: ₀F₁(; v + 1; z) / v, DLMF 16.3.1.

    >>> from covector.scipy import special
    >>> round(float(special.hyp0f1(1.5, 0.5)), 6)
    1.368299
    """
    return elliptic.hyp0f1(lift(v), lift(z))


def hyperu(a: Array, b: Array, x: Array, /) -> Array:
    """Compute Tricomi's confluent hypergeometric function U(a, b, x).

    Args:
        a, b: arrays, real; not differentiable.
        x: an array, real, positive.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Raises:
        RuleError: the derivative with respect to a parameter is requested.
    Derivative: -a U(a + 1, b + 1, x), DLMF 13.3.22.

    >>> from covector.scipy import special
    >>> round(float(special.hyperu(1.5, 0.5, 1.0)), 6)
    0.273616
    """
    return elliptic.hyperu(lift(a), lift(b), lift(x))
