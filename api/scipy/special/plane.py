"""Functions of the complex plane: Lambert's W, the Faddeeva function, and spherical harmonics."""

from ...core.checks import refuse_arguments
from ...core.ops.special import plane
from ...numpy.surface import Array, array_of, floating, lift


def lambertw(z: Array, k: Array = 0, tol: float = 1e-8) -> Array:
    """Compute Lambert's W: w with w exp(w) = z.

    Args:
        z: an array, real or complex.
        k: the branch, integers; not differentiable.
        tol: not supported: as SciPy has it by default.
    Returns:
        an array of complex values; the shapes broadcast.
    Raises:
        RuleError: the derivative with respect to the branch is requested.
    Derivative: exp(-w) / (1 + w), Corless et al. (1996), Advances in Computational Mathematics 5, equation 3.2;
    infinite at -1 / e.

    >>> from covector.scipy import special
    >>> import numpy as np
    >>> complex(special.lambertw(np.e)).real
    1.0
    """
    refuse_arguments("lambertw", tol=None if tol == 1e-8 else tol)
    return plane.lambertw(array_of(k), floating(z))


def wrightomega(z: Array, /) -> Array:
    """Compute Wright's function: ω with ω + log ω = z.

    Args:
        z: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `z`.
    Derivative: ω / (1 + ω), Corless and Jeffrey (2002), The Wright ω function, section 3.

    >>> from covector.scipy import special
    >>> round(float(special.wrightomega(0.0)), 6)
    0.567143
    """
    return plane.wrightomega(lift(z))


def wofz(z: Array, /) -> Array:
    """Compute the Faddeeva function exp(-z²) erfc(-iz).

    Args:
        z: an array, real or complex.
    Returns:
        an array of complex values of the shape of `z`.
    Derivative: 2i / √π - 2 z w(z), DLMF 7.10.2.

    >>> from covector.scipy import special
    >>> complex(special.wofz(0.0))
    (1+0j)
    """
    return plane.wofz(floating(z))


def erfi(z: Array, /) -> Array:
    """Compute the imaginary error function -i erf(iz).

    Args:
        z: an array, real or complex; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `z`.
    Derivative: 2 exp(z²) / √π.

    >>> from covector.scipy import special
    >>> round(float(special.erfi(0.5)), 6)
    0.614952
    """
    return plane.erfi(lift(z))


def voigt_profile(x: Array, sigma: Array, gamma: Array, /) -> Array:
    """Compute Voigt's profile, the convolution of a normal and a Cauchy density.

    Args:
        x: an array, real.
        sigma: the standard deviation of the normal density, positive.
        gamma: the half width of the Cauchy density, positive.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: by the Faddeeva function, DLMF 7.19.1 and 7.10.2.

    >>> from covector.scipy import special
    >>> round(float(special.voigt_profile(1.0, 0.5, 0.5)), 6)
    0.18143
    """
    return plane.voigt_profile(lift(x), lift(sigma), lift(gamma))


def sph_harm_y(n: Array, m: Array, theta: Array, phi: Array, *, diff_n: int = 0) -> Array:
    """Compute spherical harmonics.

    Args:
        n, m: the degree and the order, integers; not differentiable.
        theta: the polar angle, from 0 to π. At the poles the derivative is the one toward the inside.
        phi: the azimuth.
        diff_n: not supported: differentiate.
    Returns:
        an array of complex values; the shapes broadcast.
    Raises:
        RuleError: the derivative with respect to the degree or the order is requested.
    Derivative: of neighbouring orders, DLMF 14.30.1 and 14.10.1, 14.10.2.

    >>> from covector.scipy import special
    >>> round(complex(special.sph_harm_y(1, 0, 0.5, 0.2)).real, 6)
    0.428789
    """
    refuse_arguments("sph_harm_y", "differentiate the function", diff_n=diff_n or None)
    theta, phi = floating(theta), floating(phi)
    return plane.sph_harm_y(array_of(n), array_of(m), theta, phi)
