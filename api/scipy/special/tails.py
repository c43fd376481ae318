"""Distribution functions that are incomplete beta and gamma functions, and their tails."""

from ...core.ops.special import box_cox, normal_distribution, quantiles, tails
from ...numpy.surface import Array, lift


def betaincc(a: Array, b: Array, x: Array, /) -> Array:
    """Compute the complement of the regularized incomplete beta function.

    Args:
        a, b: arrays, positive.
        x: an array, from 0 to 1.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `betainc`.

    >>> from covector.scipy import special
    >>> round(float(special.betaincc(1.0, 2.0, 0.25)), 6)
    0.5625
    """
    return tails.betaincc(lift(a), lift(b), lift(x))


def chdtr(v: Array, x: Array, /) -> Array:
    """Compute the distribution function of the χ² distribution.

    Args:
        v: degrees of freedom.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammainc`, by both.

    >>> from covector.scipy import special
    >>> round(float(special.chdtr(2.0, 1.0)), 6)
    0.393469
    """
    return tails.chdtr(lift(v), lift(x))


def chdtrc(v: Array, x: Array, /) -> Array:
    """Compute the probability above `x` of the χ² distribution.

    Args:
        v: degrees of freedom.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammaincc`, by both.

    >>> from covector.scipy import special
    >>> round(float(special.chdtrc(2.0, 1.0)), 6)
    0.606531
    """
    return tails.chdtrc(lift(v), lift(x))


def chdtri(v: Array, p: Array, /) -> Array:
    """Compute x with `chdtrc(v, x) = p`.

    Args:
        v: degrees of freedom.
        p: probabilities.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammainccinv`, by both.

    >>> from covector.scipy import special
    >>> round(float(special.chdtri(2.0, 0.5)), 6)
    1.386294
    """
    return quantiles.chdtri(lift(v), lift(p))


def fdtr(dfn: Array, dfd: Array, x: Array, /) -> Array:
    """Compute the distribution function of the F distribution.

    Args:
        dfn, dfd: degrees of freedom.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `betainc`, by all three.

    >>> from covector.scipy import special
    >>> round(float(special.fdtr(2.0, 3.0, 1.0)), 6)
    0.535242
    """
    return tails.fdtr(lift(dfn), lift(dfd), lift(x))


def fdtrc(dfn: Array, dfd: Array, x: Array, /) -> Array:
    """Compute the probability above `x` of the F distribution.

    Args:
        dfn, dfd: degrees of freedom.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `betainc`, by all three.

    >>> from covector.scipy import special
    >>> round(float(special.fdtrc(2.0, 3.0, 1.0)), 6)
    0.464758
    """
    return tails.fdtrc(lift(dfn), lift(dfd), lift(x))


def fdtri(dfn: Array, dfd: Array, p: Array, /) -> Array:
    """Compute x with `fdtr(dfn, dfd, x) = p`.

    Args:
        dfn, dfd: degrees of freedom.
        p: probabilities.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `betaincinv`, by all three.

    >>> from covector.scipy import special
    >>> round(float(special.fdtri(2.0, 3.0, 0.5)), 6)
    0.881102
    """
    return quantiles.fdtri(lift(dfn), lift(dfd), lift(p))


def gdtr(a: Array, b: Array, x: Array, /) -> Array:
    """Compute the distribution function of the gamma distribution of rate `a` and shape `b`.

    Args:
        a, b: arrays, positive.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammainc`, by all three.

    >>> from covector.scipy import special
    >>> round(float(special.gdtr(2.0, 3.0, 1.0)), 6)
    0.323324
    """
    return tails.gdtr(lift(a), lift(b), lift(x))


def gdtrc(a: Array, b: Array, x: Array, /) -> Array:
    """Compute the probability above `x` of the gamma distribution of rate `a` and shape `b`.

    Args:
        a, b: arrays, positive.
        x: an array, from 0 on.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammaincc`, by all three.

    >>> from covector.scipy import special
    >>> round(float(special.gdtrc(2.0, 3.0, 1.0)), 6)
    0.676676
    """
    return tails.gdtrc(lift(a), lift(b), lift(x))


def pdtr(k: Array, m: Array, /) -> Array:
    """Compute the distribution function of the Poisson distribution.

    Args:
        k: counts, rounded down; the derivative is 0.
        m: the mean.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammaincc`.

    >>> from covector.scipy import special
    >>> round(float(special.pdtr(2.0, 1.0)), 6)
    0.919699
    """
    return tails.pdtr(lift(k), lift(m))


def pdtrc(k: Array, m: Array, /) -> Array:
    """Compute the probability above `k` of the Poisson distribution.

    Args:
        k: counts, rounded down; the derivative is 0.
        m: the mean.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of `gammainc`.

    >>> from covector.scipy import special
    >>> round(float(special.pdtrc(2.0, 1.0)), 6)
    0.080301
    """
    return tails.pdtrc(lift(k), lift(m))


def inv_boxcox(y: Array, lmbda: Array, /) -> Array:
    """Compute x with `boxcox(x, lmbda) = y`.

    Args:
        y: an array, real.
        lmbda: the exponent.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: (1 + λ y)^(1/λ - 1); smooth at λ = 0, too.

    >>> from covector.scipy import special
    >>> round(float(special.inv_boxcox(1.0, 2.0)), 6)
    1.732051
    """
    return box_cox.inv_boxcox(lift(y), lift(lmbda))


def inv_boxcox1p(y: Array, lmbda: Array, /) -> Array:
    """Compute x with `boxcox1p(x, lmbda) = y`.

    Args:
        y: an array, real.
        lmbda: the exponent.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: (1 + λ y)^(1/λ - 1); smooth at λ = 0, too.

    >>> from covector.scipy import special
    >>> round(float(special.inv_boxcox1p(1.0, 2.0)), 6)
    0.732051
    """
    return box_cox.inv_boxcox1p(lift(y), lift(lmbda))


def huber(delta: Array, r: Array, /) -> Array:
    """Compute Huber's loss.

    Args:
        delta: where it becomes linear; infinite below 0.
        r: residuals.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: r up to delta, ± delta beyond.

    >>> from covector.scipy import special
    >>> round(float(special.huber(1.0, 3.0)), 6)
    2.5
    """
    return tails.huber(lift(delta), lift(r))


def pseudo_huber(delta: Array, r: Array, /) -> Array:
    """Compute the smooth form of Huber's loss, delta² (sqrt(1 + (r / delta)²) - 1).

    Args:
        delta: an array; infinite below 0.
        r: residuals.
    Returns:
        an array; the shapes broadcast, the dtypes are promoted.
    Derivative: that of the formula.

    >>> from covector.scipy import special
    >>> round(float(special.pseudo_huber(1.0, 3.0)), 6)
    2.162278
    """
    return tails.pseudo_huber(lift(delta), lift(r))


def exp10(x: Array, /) -> Array:
    """Compute 10 to the power of x.

    Args:
        x: an array, real.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: log(10) 10^x.

    >>> from covector.scipy import special
    >>> round(float(special.exp10(0.5)), 6)
    3.162278
    """
    return tails.exp10(lift(x))


def cosm1(x: Array, /) -> Array:
    """Compute cos(x) - 1 without cancellation.

    Args:
        x: an array, real.
    Returns:
        an array of the shape and dtype of `x`.
    Derivative: -sin(x).

    >>> from covector.scipy import special
    >>> round(float(special.cosm1(0.5)), 6)
    -0.122417
    """
    return tails.cosm1(lift(x))


def ndtri_exp(y: Array, /) -> Array:
    """Compute x with `log_ndtr(x) = y`.

    Args:
        y: an array, real, below 0: logarithms of probabilities.
    Returns:
        an array of the shape and dtype of `y`.
    Derivative: exp(y) over the normal density at the result.

    >>> from covector.scipy import special
    >>> round(float(special.ndtri_exp(-1.0)), 6)
    -0.337475
    """
    return normal_distribution.ndtri_exp(lift(y))


# Inverses of the incomplete gamma and beta functions, and Student's t distribution.


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
