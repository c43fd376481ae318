"""Binomial coefficients, Pochhammer symbols, and the logarithm of the gamma function in the plane."""

from typing import Any

import numpy as np

from ...core.arrays.backend import special_function
from ...core.checks import refuse_arguments, whole
from ...core.ops.selection import where
from ...core.ops.special import gamma_functions
from ...numpy.surface import Array, floating, lift


def loggamma(x: Array, /) -> Array:
    """Compute the principal branch of log Γ(x).

    Args:
        x: an array, real or complex; integers are converted to float64. Poles at 0, -1, -2, …; NaN at real x < 0.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: ψ(x), DLMF 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.loggamma(4.0)), 6)
    1.791759
    """
    return gamma_functions.loggamma(lift(x))


def poch(z: Array, m: Array, /) -> Array:
    """Compute the Pochhammer symbol Γ(z + m) / Γ(z).

    Args:
        z, m: arrays, real; integers are converted to float64.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: by digamma functions, DLMF 5.2.4 and 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.poch(3.0, 2.0)), 6)
    12.0
    """
    return gamma_functions.poch(lift(z), lift(m))


def binom(n: Array, k: Array, /) -> Array:
    """Compute the binomial coefficient of real arguments.

    Args:
        n, k: arrays, real; integers are converted to float64.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: by digamma functions, DLMF 1.2.6 and 5.2.2; where the value is 0, by those of 1 / Γ.

    >>> from covector.scipy import special
    >>> round(float(special.binom(5.0, 2.0)), 6)
    10.0
    """
    return gamma_functions.binom(lift(n), lift(k))


def comb(N: Array, k: Array, *, exact: bool = False, repetition: bool = False) -> Array:
    """Compute the number of combinations of `N` things taken `k` at a time.

    Args:
        N, k: arrays, real; integers are converted to float64.
        exact: not supported: exact integers have no derivative; call SciPy.
        repetition: whether things may be taken again.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted. 0 where `k > N`, `N < 0` or `k < 0`.
    Raises:
        TypeError: `exact` is given.
    Derivative: that of `binom`; 0 outside.

    >>> from covector.scipy import special
    >>> round(float(special.comb(5, 2)), 6)
    10.0
    """
    refuse_arguments("comb", "call scipy.special.comb", exact=exact or None)
    n, k = floating(N), floating(k)
    if repetition:
        n = where((k == 0) & (n == 0), 0.0 * n, n + k - 1.0)
    inside = (k <= n) & (n >= 0) & (k >= 0)
    return where(inside, gamma_functions.binom(where(inside, n, 1.0), where(inside, k, 1.0)), 0.0)


def perm(N: Array, k: Array, exact: bool = False) -> Array:
    """Compute the number of permutations of `k` things out of `N`.

    Args:
        N, k: arrays, real; integers are converted to float64.
        exact: not supported: exact integers have no derivative; call SciPy.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted. 0 where `k > N`, `N < 0` or `k < 0`.
    Raises:
        TypeError: `exact` is given.
    Derivative: that of `poch`; 0 outside.

    >>> from covector.scipy import special
    >>> round(float(special.perm(5, 2)), 6)
    20.0
    """
    refuse_arguments("perm", "call scipy.special.perm", exact=exact or None)
    n, k = floating(N), floating(k)
    inside = (k <= n) & (n >= 0) & (k >= 0)
    n, k = where(inside, n, 1.0), where(inside, k, 1.0)
    return where(inside, gamma_functions.poch(n - k + 1.0, k), 0.0)


def bernoulli(n: int) -> Any:
    """Compute the Bernoulli numbers B₀ … Bₙ.

    Args:
        n: an integer, not traced.
    Returns:
        a float64 array of length n + 1.

    >>> from covector.scipy import special
    >>> special.bernoulli(2)[:2]
    array([ 1. , -0.5])
    """
    return special_function(np, "bernoulli")(whole(n, "n", 0))
