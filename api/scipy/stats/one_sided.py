"""Continuous distributions of one side or of a part of the line, and the F distribution."""

import math

from ...core.ops import selection
from ...core.ops.arithmetic import exp, log, log1p
from ...core.ops.special import (
    entropies,
    error_function,
    gamma_functions,
    normal_distribution as normal,
    quantiles,
    tails,
)
from ...numpy import arctan, arctan2, logaddexp
from ...numpy.surface import Array
from .continuous import log1mexp, log1p_square, turns
from .distribution import Continuous

_POSITIVE = (0.0, math.inf)
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
