"""Quantiles of the Poisson and the binomial distribution: the least count with enough probability."""

import numpy as np

from ...primitive.families import ZERO, elementwise
from ..samples import Sample
from .scipy_kernels import scipy_kernel

_poisson, _binomial = scipy_kernel("pdtrik"), scipy_kernel("bdtrik")
_above, _beta = scipy_kernel("gammaincc"), scipy_kernel("betainc")


def _least(xp, found, enough):
    """The count at or just below the solution for real counts, where that has enough probability."""
    above = xp.ceil(found)
    below = xp.maximum(above - 1.0, 0.0)
    return xp.where(enough(below), below, above)


def _poisson_quantile(xp, u, mu):
    return _least(xp, _poisson(xp, u, mu), lambda k: _above(xp, k + 1.0, mu) >= u)


def _binomial_quantile(xp, u, n, p):
    inside = (n > 0.0) & (p > 0.0) & (p < 1.0)
    trials, chance = xp.where(inside, n, 1.0), xp.where(inside, p, 0.5)
    found = _least(xp, _binomial(xp, u, trials, chance),
                   lambda k: _beta(xp, xp.maximum(trials - k, 1e-300), k + 1.0, 1.0 - chance) >= u)
    return xp.where(inside, xp.minimum(found, trials), xp.where(p >= 1.0, n, 0.0))


def _draw(rng, shape):
    return rng.uniform(0.05, 0.95, shape)


poisson_quantile = elementwise(
    "poisson_quantile",  # counts are flat in u and mu
    impl=lambda xp, u, mu: _poisson_quantile(xp, u, mu),
    d=ZERO,
    absent={"complex": "probabilities are real"},
    samples=lambda rng: [Sample(_draw(rng, s), rng.uniform(0.5, 9.0, t), smooth=False)
                         for s, t in (((), ()), ((2, 1), (3,)), ((0,), ()))] + [
        Sample(np.array([0.3, 0.8], np.float32), np.array([4.0, 2.0], np.float32), smooth=False)],
)
binomial_quantile = elementwise(
    "binomial_quantile",  # counts are flat in all operands
    impl=lambda xp, u, n, p: _binomial_quantile(xp, u, n, p),
    d=ZERO,
    absent={"complex": "probabilities are real"},
    samples=lambda rng: [Sample(_draw(rng, s), np.floor(rng.uniform(1.0, 20.0, t)), _draw(rng, t), smooth=False)
                         for s, t in (((), ()), ((2, 1), (3,)), ((0,), ()))] + [
        Sample(np.full(3, 0.5), np.array([0.0, 3.0, 3.0]), np.array([0.5, 0.0, 1.0]), smooth=False),
        Sample(*[np.array(v, np.float32) for v in ([0.3, 0.8], [4.0, 9.0], [0.5, 0.2])], smooth=False)],
)
