"""Continuous distributions, given by the formulas of their standard forms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.ops import elementary, selection
from ...core.ops.arithmetic import exp, expm1, log, log1p, sqrt
from ...core.ops.nn import network
from ...core.ops.special import (
    bessel,
    entropies,
    error_function,
    gamma_functions,
    incomplete,
    normal_distribution as normal,
    quantiles,
    quantiles as student,
    tails,
)
from ...nn import log1mexp as loud_log1mexp
from ...numpy import arctan, arctan2, cos, logaddexp, tan
from ...numpy.surface import Array
from .distribution import Continuous, quiet_log

_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_POSITIVE = (0.0, math.inf)



def log1mexp(z: Array) -> Array:
    """log(1 - exp(-z)), -∞ at 0 without a warning."""
    with np.errstate(divide="ignore"):
        return loud_log1mexp(z)


def _lognormal(z: Array, s: Array) -> Array:
    zero = z == 0
    u = log(selection.where(zero, 1.0, z))
    return selection.where(zero, -math.inf, -0.5 * (u / s) * (u / s) - u - log(s + 0.0 * u) - _HALF_LOG_2PI)


def _inverse_gamma(z: Array, a: Array) -> Array:
    zero = z == 0
    u = selection.where(zero, 1.0, z)
    return selection.where(zero, -math.inf, -(a + 1.0) * log(u) - 1.0 / u - gamma_functions.gammaln(a))


def _inverse_of(fun: Callable[..., Array], at_zero: float) -> Callable[..., Array]:
    """`fun` of 1 / z, constant at 0."""
    def run(z: Array, a: Array) -> Array:
        zero = z == 0
        return selection.where(zero, at_zero, fun(a, 1.0 / selection.where(zero, 1.0, z)))

    return run


norm = Continuous(
    "norm",
    logpdf=lambda z: -0.5 * z * z - _HALF_LOG_2PI,
    cdf=normal.ndtr,
    sf=lambda z: normal.ndtr(-z),
    logcdf=normal.log_ndtr,
    logsf=lambda z: normal.log_ndtr(-z),
    ppf=normal.ndtri,
    isf=lambda q: -normal.ndtri(q),
)


def _from_zero(z: Any, at_zero: float, fun: Any) -> Any:
    """`fun(z)`, whose derivatives vanish at 0 as those of a density that all powers of z outweigh."""
    zero = z == 0
    return selection.where(zero, at_zero, fun(selection.where(zero, 1.0, z)))


lognorm = Continuous(
    "lognorm", "s", _POSITIVE,
    logpdf=_lognormal,
    cdf=lambda z, s: _from_zero(z, 0.0, lambda z: normal.ndtr(log(z) / s)),
    sf=lambda z, s: _from_zero(z, 1.0, lambda z: normal.ndtr(-log(z) / s)),
    logcdf=lambda z, s: normal.log_ndtr(quiet_log(z) / s),
    logsf=lambda z, s: normal.log_ndtr(-quiet_log(z) / s),
    ppf=lambda q, s: exp(s * normal.ndtri(q)),
    isf=lambda q, s: exp(-s * normal.ndtri(q)),
)
uniform = Continuous(
    "uniform", "", (0.0, 1.0),
    logpdf=lambda z: 0.0 * z,
    cdf=lambda z: z,
    sf=lambda z: 1.0 - z,
    ppf=lambda q: q,
    isf=lambda q: 1.0 - q,
)
expon = Continuous(
    "expon", "", _POSITIVE,
    logpdf=lambda z: -z,
    cdf=lambda z: -expm1(-z),
    sf=lambda z: exp(-z),
    logcdf=log1mexp,
    logsf=lambda z: -z,
    ppf=lambda q: -log1p(-q),
    isf=lambda q: -log(q),
)


def _laplace_sf(z: Array) -> Array:
    """Half of exp(-|z|) on the right, and the rest on the left."""
    right = z > 0
    tail = 0.5 * exp(selection.where(right, -z, z))
    return selection.where(right, tail, 1.0 - tail)


def _laplace_isf(q: Array) -> Array:
    right = q < 0.5
    tail = log(2.0 * selection.where(right, q, 1.0 - q))
    return selection.where(right, -tail, tail)


def _laplace_logsf(z: Array) -> Array:
    right = z > 0
    tail = selection.where(right, -z, z) - math.log(2.0)
    return selection.where(right, tail, log1p(-exp(tail)))


laplace = Continuous(
    "laplace",
    logpdf=lambda z: -abs(z) - math.log(2.0),
    cdf=lambda z: _laplace_sf(-z),
    sf=_laplace_sf,
    logcdf=lambda z: _laplace_logsf(-z),
    logsf=_laplace_logsf,
    ppf=lambda q: -_laplace_isf(q),
    isf=_laplace_isf,
)
logistic = Continuous(
    "logistic",
    logpdf=lambda z: -z - 2.0 * network.softplus(-z),
    cdf=elementary.sigmoid,
    sf=lambda z: elementary.sigmoid(-z),
    logcdf=lambda z: -network.softplus(-z),
    logsf=lambda z: -network.softplus(z),
    ppf=entropies.logit,
    isf=lambda q: -entropies.logit(q),
)
def log1p_square(z: Array) -> Array:
    """log(1 + z²), where the square overflows, too."""
    far = abs(z) > 1e10
    near = selection.where(far, 0.0, z)
    return selection.where(far, 2.0 * log(selection.where(far, abs(z), 1.0)), log1p(near * near))


def turns(q: Array) -> Array:
    """tan(π q / 2) for q between 0 and 1, from the nearer end, so that no digit of q is lost."""
    high = q > 0.5
    near = tan((0.5 * math.pi) * selection.where(high, 1.0 - q, q))
    return selection.where(high, 1.0 / selection.where(high, near, 1.0), near)


def _cauchy_isf(q: Array) -> Array:
    """cot(π q): by the distance from 1/2, or, in the tails, from the end."""
    low, high = q < 0.25, q > 0.75
    end = selection.where(high, 1.0 - q, selection.where(low, q, 0.25))
    with np.errstate(divide="ignore"):
        far = 1.0 / tan(math.pi * end)
    middle = tan(math.pi * (0.5 - selection.where(low | high, 0.5, q)))
    return selection.where(high, -far, selection.where(low, far, middle))


cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -math.log(math.pi) - log1p_square(z),
    cdf=lambda z: arctan2(1.0, -z) / math.pi,
    sf=lambda z: arctan2(1.0, z) / math.pi,
    ppf=lambda q: -_cauchy_isf(q),
    isf=_cauchy_isf,
)
gumbel_r = Continuous(
    "gumbel_r",
    logpdf=lambda z: -z - exp(-z),
    cdf=lambda z: exp(-exp(-z)),
    sf=lambda z: -expm1(-exp(-z)),
    logcdf=lambda z: -exp(-z),
    logsf=lambda z: log1mexp(exp(-z)),
    ppf=lambda q: -log(-log(q)),
    isf=lambda q: -log(-log1p(-q)),
)
gumbel_l = Continuous(
    "gumbel_l",
    logpdf=lambda z: z - exp(z),
    cdf=lambda z: -expm1(-exp(z)),
    sf=lambda z: exp(-exp(z)),
    logcdf=lambda z: log1mexp(exp(z)),
    logsf=lambda z: -exp(z),
    ppf=lambda q: log(-log1p(-q)),
    isf=lambda q: log(-log(q)),
)
pareto = Continuous(
    "pareto", "b", (1.0, math.inf),
    logpdf=lambda z, b: log(b + 0.0 * z) - (b + 1.0) * log(z),
    cdf=lambda z, b: -expm1(-b * log(z)),
    sf=lambda z, b: exp(-b * log(z)),
    logcdf=lambda z, b: log1mexp(b * log(z)),
    logsf=lambda z, b: -b * log(z),
    ppf=lambda q, b: exp(-log1p(-q) / b),
    isf=lambda q, b: exp(-log(q) / b),
)
weibull_min = Continuous(
    "weibull_min", "c", _POSITIVE,
    logpdf=lambda z, c: log(c + 0.0 * z) + entropies.xlogy(c - 1.0, z) - z**c,
    cdf=lambda z, c: -expm1(-(z**c)),
    sf=lambda z, c: exp(-(z**c)),
    logcdf=lambda z, c: log1mexp(z**c),
    logsf=lambda z, c: -(z**c),
    ppf=lambda q, c: (-log1p(-q)) ** (1.0 / c),
    isf=lambda q, c: (-log(q)) ** (1.0 / c),
)
gamma = Continuous(
    "gamma", "a", _POSITIVE,
    logpdf=lambda z, a: entropies.xlogy(a - 1.0, z) - z - gamma_functions.gammaln(a),
    cdf=lambda z, a: incomplete.gammainc(a, z),
    sf=lambda z, a: incomplete.gammaincc(a, z),
    ppf=lambda q, a: quantiles.gammaincinv(a, q),
    isf=lambda q, a: quantiles.gammainccinv(a, q),
)
invgamma = Continuous(
    "invgamma", "a", _POSITIVE,
    logpdf=_inverse_gamma,
    cdf=_inverse_of(incomplete.gammaincc, 0.0),
    sf=_inverse_of(incomplete.gammainc, 1.0),
    ppf=lambda q, a: 1.0 / quantiles.gammainccinv(a, q),
    isf=lambda q, a: 1.0 / quantiles.gammaincinv(a, q),
)
chi2 = Continuous(
    "chi2", "df", _POSITIVE,
    logpdf=lambda z, df: (entropies.xlogy(0.5 * df - 1.0, 0.5 * z) - 0.5 * z - gamma_functions.gammaln(0.5 * df)
                          - math.log(2.0)),
    cdf=lambda z, df: incomplete.gammainc(0.5 * df, 0.5 * z),
    sf=lambda z, df: incomplete.gammaincc(0.5 * df, 0.5 * z),
    ppf=lambda q, df: 2.0 * quantiles.gammaincinv(0.5 * df, q),
    isf=lambda q, df: 2.0 * quantiles.gammainccinv(0.5 * df, q),
)
def _beta_sf(z: Array, a: Array, b: Array) -> Array:
    """From the smaller tail: 1 - z, of a small z, has few of its digits."""
    below = incomplete.betainc(a, b, z)
    return selection.where(below < 0.5, 1.0 - below, incomplete.betainc(b, a, 1.0 - z))


beta = Continuous(
    "beta", "a b", (0.0, 1.0),
    logpdf=lambda z, a, b: (entropies.xlogy(a - 1.0, z) + entropies.xlog1py(b - 1.0, -z)
                            - gamma_functions.betaln(a, b)),
    cdf=lambda z, a, b: incomplete.betainc(a, b, z),
    sf=_beta_sf,
    ppf=lambda q, a, b: quantiles.betaincinv(a, b, q),
    isf=lambda q, a, b: 1.0 - quantiles.betaincinv(b, a, q),
)


t = Continuous(
    "t", "df",
    logpdf=lambda z, df: (gamma_functions.gammaln(0.5 * (df + 1.0)) - gamma_functions.gammaln(0.5 * df)
                          - 0.5 * log(math.pi * df + 0.0 * z) - 0.5 * (df + 1.0) * log1p_square(z / sqrt(df))),
    cdf=lambda z, df: student.stdtr(df, z),
    sf=lambda z, df: student.stdtr(df, -z),
    ppf=lambda q, df: student.stdtrit(df, q),
    isf=lambda q, df: -student.stdtrit(df, q),
)
gennorm = Continuous(
    "gennorm", "beta",
    logpdf=lambda z, beta: log(beta + 0.0 * z) - math.log(2.0) - gamma_functions.gammaln(1.0 / beta) - abs(z) ** beta,
)
vonmises = Continuous(
    "vonmises", "kappa",
    logpdf=lambda z, kappa: kappa * (cos(z) - 1.0) - math.log(2.0 * math.pi) - log(bessel.i0e(kappa)),
)


# Continuous distributions of one side or of a part of the line, and the F distribution.

_ROOT_HALF = math.sqrt(0.5)



def _half_normal_logsf(z: Array) -> Array:
    near = z < 1.0
    return selection.where(near, log1p(-error_function.erf(selection.where(near, z, 0.0) * _ROOT_HALF)),
                           normal.log_ndtr(-z) + math.log(2.0))


halfnorm = Continuous(
    "halfnorm", "", _POSITIVE,
    logpdf=lambda z: -0.5 * z * z + 0.5 * math.log(2.0 / math.pi),
    cdf=lambda z: error_function.erf(z * _ROOT_HALF),
    sf=lambda z: error_function.erfc(z * _ROOT_HALF),
    logsf=_half_normal_logsf,
    ppf=lambda q: math.sqrt(2.0) * normal.erfinv(q),
    isf=lambda q: -normal.ndtri(0.5 * q),
)
halfcauchy = Continuous(
    "halfcauchy", "", _POSITIVE,
    logpdf=lambda z: math.log(2.0 / math.pi) - log1p_square(z),
    cdf=lambda z: (2.0 / math.pi) * arctan(z),
    sf=lambda z: (2.0 / math.pi) * arctan2(1.0, z),
    ppf=turns,
    isf=lambda q: 1.0 / turns(q),
)


def _f_density(z: Array, dfn: Array, dfd: Array) -> Array:
    half = 0.5 * (dfn + dfd)
    return (0.5 * dfd * log(dfd + 0.0 * z) + 0.5 * dfn * log(dfn + 0.0 * z) + entropies.xlogy(0.5 * dfn - 1.0, z)
            - half * log(dfd + dfn * z) - gamma_functions.betaln(0.5 * dfn, 0.5 * dfd))


def _f_cdf(z: Array, dfn: Array, dfd: Array) -> Array:
    """From the smaller tail."""
    above = tails.fdtrc(dfn, dfd, z)
    return selection.where(above < 0.5, 1.0 - above, tails.fdtr(dfn, dfd, z))


f = Continuous(
    "f", "dfn dfd", _POSITIVE,
    logpdf=_f_density,
    cdf=_f_cdf,
    sf=lambda z, dfn, dfd: tails.fdtrc(dfn, dfd, z),
    ppf=lambda q, dfn, dfd: quantiles.fdtri(dfn, dfd, q),
    isf=lambda q, dfn, dfd: 1.0 / quantiles.fdtri(dfd, dfn, q),
)


def _log_mass(a: Array, b: Array) -> Array:
    """log(Φ(b) - Φ(a)) for a < b: on the left half line, which a mass on the right is turned to; or across 0."""
    right = a > 0
    low, high = selection.where(right, -b, a), selection.where(right, -a, b)
    across = high > 0
    left_low, left_high = selection.where(across, -2.0, low), selection.where(across, -1.0, high)
    top = normal.log_ndtr(left_high)
    one_side = top - _minus_log1mexp(top - normal.log_ndtr(left_low))
    in_low, in_high = selection.where(across, low, -1.0), selection.where(across, high, 1.0)
    both = log1p(-normal.ndtr(in_low) - normal.ndtr(-in_high))
    return selection.where(across, both, one_side)


def _minus_log1mexp(gap: Array) -> Array:
    """-log(1 - exp(-gap)) for a positive gap, 0 at an infinite one."""
    far = gap == math.inf
    return -selection.where(far, 0.0, log1mexp(selection.where(far, 1.0, gap)))


def _truncated(z: Array, a: Array, b: Array) -> Array:
    return -0.5 * z * z - 0.5 * math.log(2.0 * math.pi) - _log_mass(a, b)


def _truncated_ppf(q: Array, a: Array, b: Array) -> Array:
    """By the logarithm of Φ, from the side on which the mass lies, as SciPy."""
    left = a < 0
    mass = _log_mass(a, b)
    a1, b1 = selection.where(left, a, -1.0), selection.where(left, 1.0, b)
    inside = (q > 0) & (q < 1)
    p = selection.where(inside, q, 0.5)
    below = normal.ndtri_exp(logaddexp(normal.log_ndtr(a1), log(p) + mass))
    above = -normal.ndtri_exp(logaddexp(normal.log_ndtr(-b1), log1p(-p) + mass))
    value = selection.where(left, below, above)
    return selection.where(q <= 0, a + 0.0 * q, selection.where(q >= 1, b + 0.0 * q, value))


def _between(a: Array, b: Array) -> tuple[Array, Array, Array]:
    """The ends of the support, and a point inside: the one next to 0 of a finite end, or 0."""
    return a, b, selection.where(a > 0, a, selection.where(b < 0, b, 0.0))


truncnorm = Continuous(
    "truncnorm", "a b", _between,
    logpdf=_truncated,
    cdf=lambda z, a, b: exp(_log_mass_up_to(a, z) - _log_mass(a, b)),
    sf=lambda z, a, b: exp(_log_mass_up_to(z, b) - _log_mass(a, b)),
    logcdf=lambda z, a, b: _log_share(_log_mass_up_to(a, z), _log_mass_up_to(z, b), _log_mass(a, b)),
    logsf=lambda z, a, b: _log_share(_log_mass_up_to(z, b), _log_mass_up_to(a, z), _log_mass(a, b)),
    ppf=_truncated_ppf,
    isf=lambda q, a, b: -_truncated_ppf(q, -b, -a),
)


def _log_mass_up_to(a: Array, b: Array) -> Array:
    """`_log_mass`, -∞ of an empty interval."""
    none = a >= b
    low, high = selection.where(none, -1.0, a), selection.where(none, 1.0, b)
    return selection.where(none, -math.inf, _log_mass(low, high))


def _log_share(mine: Array, other: Array, mass: Array) -> Array:
    """The logarithm of a part of the mass; of one above a half, by the rest."""
    most = mine - mass > -math.log(2.0)
    return selection.where(most, log1p(-exp(selection.where(most, other - mass, -1.0))), mine - mass)
