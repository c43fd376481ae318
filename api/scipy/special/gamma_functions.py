"""Gamma and beta functions."""

import math

import numpy as np

from ...core.errors import at_user_line
from ...core.ops import selection
from ...core.ops.special import box_cox, gamma_functions, incomplete
from ...core.trace.device import constant
from ...core.trace.tracer import unwrap
from ...numpy.surface import Array, array_of, floating, lift, ordered


def gamma(x: Array, /) -> Array:
    """Compute the gamma function Γ(x).

    Args:
        x: an array, real; integers are converted to float64. Poles at 0, -1, -2, …
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: Γ(x) ψ(x), DLMF 5.2.2.

    >>> from covector.scipy import special
    >>> float(special.gamma(5.0))
    24.0
    """
    return gamma_functions.gamma(lift(x))


def gammaln(x: Array, /) -> Array:
    """Compute log|Γ(x)|.

    Args:
        x: an array, real; integers are converted to float64. Poles at 0, -1, -2, …
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: ψ(x), DLMF 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.gammaln(10.0)), 6)
    12.801827
    """
    return gamma_functions.gammaln(lift(x))


def gammasgn(x: Array, /) -> Array:
    """Compute the sign of Γ(x).

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`: 1 or -1; NaN at negative integers.
    Derivative: 0.

    >>> from covector.scipy import special
    >>> float(special.gammasgn(-0.5))
    -1.0
    """
    return gamma_functions.gammasgn(lift(x))


def rgamma(x: Array, /) -> Array:
    """Compute 1 / Γ(x), which is 0 at the poles of Γ.

    Args:
        x: an array, real; integers are converted to float64.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -ψ(x) / Γ(x), DLMF 5.2.2; below one half by the reflection formula DLMF 5.5.3, which has no poles.

    >>> import covector
    >>> from covector.scipy import special
    >>> covector.grad(special.rgamma)(0.0)
    array(1.)
    """
    return gamma_functions.rgamma(lift(x))


def digamma(x: Array, /) -> Array:
    """Compute the digamma function ψ(x) = Γ'(x) / Γ(x).

    Args:
        x: an array, real; integers are converted to float64. Poles at 0, -1, -2, …
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: the trigamma function, `polygamma(1, x)`, DLMF 5.15.

    >>> from covector.scipy import special
    >>> round(float(special.digamma(1.0)), 6)
    -0.577216
    """
    return gamma_functions.digamma(lift(x))


def beta(a: Array, b: Array, /) -> Array:
    """Compute the beta function Γ(a) Γ(b) / Γ(a + b).

    Args:
        a, b: arrays, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: B(a, b) (ψ(a) - ψ(a + b)) with respect to `a`, DLMF 5.12.1 and 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.beta(2.0, 3.0)), 6)
    0.083333
    """
    return gamma_functions.beta(lift(a), lift(b))


def betaln(a: Array, b: Array, /) -> Array:
    """Compute the logarithm of the beta function's absolute value.

    Args:
        a, b: arrays, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: ψ(a) - ψ(a + b) with respect to `a`, DLMF 5.12.1 and 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.betaln(2.0, 3.0)), 6)
    -2.484907
    """
    return gamma_functions.betaln(lift(a), lift(b))


def gammainc(a: Array, x: Array, /) -> Array:
    """Compute the regularized lower incomplete gamma function P(a, x).

    Args:
        a: an array, positive.
        x: a nonnegative array.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: for `x` DLMF 8.8.13; for `a` a moment of the logarithm, integrated numerically.

    >>> from covector.scipy import special
    >>> round(float(special.gammainc(2.0, 3.0)), 6)
    0.800852
    """
    return incomplete.gammainc(lift(a), lift(x))


def gammaincc(a: Array, x: Array, /) -> Array:
    """Compute the regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x).

    Args:
        a: an array, positive.
        x: a nonnegative array.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: the negative of that of P.

    >>> from covector.scipy import special
    >>> round(float(special.gammaincc(2.0, 3.0)), 6)
    0.199148
    """
    return incomplete.gammaincc(lift(a), lift(x))


def betainc(a: Array, b: Array, x: Array, /) -> Array:
    """Compute the regularized incomplete beta function I_x(a, b).

    Args:
        a, b: arrays, positive.
        x: an array, between 0 and 1.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: for `x` from DLMF 8.17.1; for `a` and `b` moments of logarithms, integrated numerically.

    >>> from covector.scipy import special
    >>> round(float(special.betainc(2.0, 3.0, 0.5)), 6)
    0.6875
    """
    return incomplete.betainc(lift(a), lift(b), lift(x))


def polygamma(n: Array, x: Array) -> Array:
    """Compute the derivative of order `n` of the digamma function.

    Args:
        n: nonnegative integers; not differentiable.
        x: an array, real. Poles at 0, -1, -2, …
    Returns:
        an array; the shapes of `n` and `x` broadcast, the dtype is that of `x`.
    Raises:
        TypeError: `n` is not an integer.
    Derivative: `polygamma(n + 1, x)`, DLMF 5.15.

    >>> from covector.scipy import special
    >>> round(float(special.polygamma(1, 1.0)), 6)
    1.644934
    """
    if type(n) is float and n.is_integer():
        n = int(n)
    n = n if type(n) is int else array_of(n)
    if type(n) is not int and n.dtype.kind not in "iub":
        raise TypeError(f"polygamma needs integer orders, but got n of dtype {n.dtype}, with respect to which it is "
                        f"not differentiable; pass integers, for example n.astype(int){at_user_line()}")
    return gamma_functions.polygamma(n, lift(x))


def multigammaln(a: Array, d: int) -> Array:
    """Compute the logarithm of the multivariate gamma function of dimension `d`.

    Args:
        a: an array, real, above (d - 1) / 2.
        d: the dimension, a positive integer.
    Returns:
        an array of the shape of `a`: d (d - 1) / 4 · log π + Σ log Γ(a - j/2) for j = 0 … d - 1.
    Raises:
        ValueError: `d` is not a valid dimension, or `a` is too small.
    Derivative: that of the sum, DLMF 35.3.4 and 5.2.2.

    >>> from covector.scipy import special
    >>> round(float(special.multigammaln(3.0, 2)), 6)
    1.550195
    """
    if int(d) != d or d < 1:
        raise ValueError(f"multigammaln needs a dimension d of at least 1, but got {d!r}; pass an integer"
                         f"{at_user_line()}")
    a = floating(a)
    known = unwrap(a)
    if known is not None and bool((known <= 0.5 * (d - 1)).any()):
        raise ValueError(f"multigammaln needs a > (d - 1) / 2 = {0.5 * (d - 1)}, but the smallest a is {known.min()}; "
                         f"the integral that defines it diverges there{at_user_line()}")
    shifted = a.reshape((*a.shape, 1)) - constant(np.arange(int(d), dtype=a.dtype) / 2, a)
    return gamma_functions.gammaln(shifted).sum(axis=-1) + 0.25 * d * (d - 1) * math.log(math.pi)


psi = digamma


def zeta(x: Array, q: Array = 1.0, /) -> Array:
    """Compute the Hurwitz zeta function Σ (k + q)⁻ˣ over k = 0, 1, …; Riemann's for q = 1.

    Args:
        x: an array, real, above 1; not differentiable.
        q: an array, real. Poles at 0, -1, -2, …
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Raises:
        RuleError: the derivative with respect to `x` is requested.
    Derivative: -x ζ(x + 1, q) with respect to `q`, DLMF 25.11.17.

    >>> from covector.scipy import special
    >>> round(float(special.zeta(2.0)), 6)
    1.644934
    """
    return gamma_functions.zeta(lift(x), lift(q))


def factorial(n: Array, exact: bool = False) -> Array:
    """Compute Γ(n + 1), the factorial; 0 for negative `n`.

    Args:
        n: an array, real; integers are converted to float64.
        exact: must be False: the output is floating point.
    Returns:
        an array of the shape of `n`.
    Raises:
        ValueError: `exact` is requested.
    Derivative: Γ(n + 1) ψ(n + 1), DLMF 5.2.2; 0 for negative `n`.

    >>> from covector.scipy import special
    >>> float(special.factorial(5))
    120.0
    """
    if exact:
        raise ValueError(f"factorial returns floating-point numbers, but exact={exact!r} was asked for; use "
                         f"math.factorial for exact integers{at_user_line()}")
    n = ordered(floating(n), "factorial")
    low = n < 0
    return selection.where(low, 0.0, gamma_functions.gamma(selection.where(low, 0.0, n) + 1.0))


def boxcox(x: Array, lmbda: Array, /) -> Array:
    """Compute the Box-Cox transform (x^λ - 1) / λ, log(x) for λ = 0.

    Args:
        x: an array, real, positive.
        lmbda: an array, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: x^(λ-1); for `lmbda` that of log(x) exprel(λ log x), which is smooth at λ = 0.

    >>> from covector.scipy import special
    >>> round(float(special.boxcox(2.0, 3.0)), 6)
    2.333333
    """
    return box_cox.boxcox(ordered(floating(x), "boxcox"), lift(lmbda))


def boxcox1p(x: Array, lmbda: Array, /) -> Array:
    """Compute the Box-Cox transform of 1 + x, accurate for small `x`.

    Args:
        x: an array, real, above -1.
        lmbda: an array, real.
    Returns:
        an array; shapes broadcast, dtypes promote as in NumPy.
    Derivative: as for `boxcox`.

    >>> from covector.scipy import special
    >>> round(float(special.boxcox1p(1.0, 3.0)), 6)
    2.333333
    """
    return box_cox.boxcox1p(ordered(floating(x), "boxcox1p"), lift(lmbda))
