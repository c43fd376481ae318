"""Elliptic integrals."""

from ...core.ops.special import elliptic
from ...numpy.surface import Array, lift


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
