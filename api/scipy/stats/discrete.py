"""Discrete distributions."""

import math

from ...core.ops import arithmetic, selection
from ...core.ops.special import entropies, gamma_functions, incomplete
from ...numpy.surface import Array
from .distribution import Discrete


def _choose(n: Array, k: Array) -> Array:
    """The logarithm of a binomial coefficient."""
    return gamma_functions.gammaln(n + 1.0) - gamma_functions.gammaln(k + 1.0) - gamma_functions.gammaln(n - k + 1.0)


def _binomial(k: Array, n: Array, p: Array) -> Array:
    over = k > n
    k = selection.where(over, 0.0, k)
    value = _choose(n, k) + entropies.xlogy(k, p) + entropies.xlog1py(n - k, -p)
    return selection.where(over, -math.inf, value)


def _binomial_cdf(k: Array, n: Array, p: Array) -> Array:
    over = k >= n
    k = selection.where(over, 0.0, k)
    return selection.where(over, 1.0, incomplete.betainc(selection.where(over, 1.0, n - k), k + 1.0, 1.0 - p))


def _binomial_sf(k: Array, n: Array, p: Array) -> Array:
    over = k >= n
    k = selection.where(over, 0.0, k)
    return selection.where(over, 0.0, incomplete.betainc(k + 1.0, selection.where(over, 1.0, n - k), p))


bernoulli = Discrete(
    "bernoulli", "p", (0.0, 1.0),
    logpmf=lambda k, p: entropies.xlogy(k, p) + entropies.xlog1py(1.0 - k, -p),
    cdf=lambda k, p: 1.0 - p * (1.0 - k),
    sf=lambda k, p: p * (1.0 - k),
)
binom = Discrete("binom", "n p", logpmf=_binomial, cdf=_binomial_cdf, sf=_binomial_sf)
geom = Discrete(
    "geom", "p", (1.0, math.inf),
    logpmf=lambda k, p: entropies.xlog1py(k - 1.0, -p) + arithmetic.log(p + 0.0 * k),
    cdf=lambda k, p: -arithmetic.expm1(entropies.xlog1py(k, -p)),
    sf=lambda k, p: arithmetic.exp(entropies.xlog1py(k, -p)),
)
poisson = Discrete(
    "poisson", "mu",
    logpmf=lambda k, mu: entropies.xlogy(k, mu) - gamma_functions.gammaln(k + 1.0) - mu,
    cdf=lambda k, mu: incomplete.gammaincc(k + 1.0, mu),
    sf=lambda k, mu: incomplete.gammainc(k + 1.0, mu),
)
nbinom = Discrete(
    "nbinom", "n p",
    logpmf=lambda k, n, p: _choose(n + k - 1.0, k) + entropies.xlogy(n, p) + entropies.xlog1py(k, -p),
    cdf=lambda k, n, p: incomplete.betainc(n, k + 1.0, p),
    sf=lambda k, n, p: incomplete.betainc(k + 1.0, n, 1.0 - p),
)
