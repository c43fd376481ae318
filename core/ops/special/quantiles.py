"""Quantiles: inverses of the incomplete gamma and beta functions, and Student's t distribution."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp, log, log1p
from ..samples import Sample
from ..selection import where
from .entropies import xlog1py, xlogy
from .gamma_functions import betaln, gammaln
from .incomplete import beta_moment, gamma_moment
from .scipy_kernels import in_one_precision, scipy_kernel, weakly

# x with F(a, x) = y moves by dy / f where f = ∂F/∂x is the density, and by -∂F/∂a / f with a. At the ends of the domain
# the density is 0 or infinite: the slope by y is what the quotient gives there, and that by a, where x stays, is 0.
_lower, _upper, _beta = scipy_kernel("gammaincinv"), scipy_kernel("gammainccinv"), scipy_kernel("betaincinv")


def _per_gamma_density(a, x):
    """Γ(a) x^(1-a) e^x, DLMF 8.8.13."""
    return exp(weakly(gammaln, where(a > 0, a, 1.0)) + x - xlogy(a - 1.0, x))


def _per_beta_density(a, b, x):
    """B(a, b) x^(1-a) (1-x)^(1-b), from DLMF 8.17.1."""
    inside = weakly(betaln, where(a > 0, a, 1.0), where(b > 0, b, 1.0))
    return exp(inside - xlogy(a - 1.0, x) - xlog1py(b - 1.0, -x))


def _moved(moment, scale, end=False):
    """Minus a moment over the density; 0 where the moment is 0, and at an end, whatever the density."""
    still = (moment == 0) | end
    return where(still, 0.0, -moment * where(still, 1.0, scale))


def _gamma_samples(rng):
    def draw(*shapes):
        return rng.uniform(0.5, 4.0, shapes[0]), rng.uniform(0.1, 0.9, shapes[1])

    return [Sample(*draw(*s)) for s in (((), ()), ((2, 1), (3,)), ((), (0,)))] + [
        Sample(*[v.astype(np.float32) for v in draw((3,), (3,))]),
        Sample(np.array([0.3, 30.0, 30.0]), np.array([0.6, 0.2, 0.9])),
    ]


def _beta_samples(rng):
    def draw(*shapes):
        return [rng.uniform(0.5, 4.0, s) for s in shapes[:2]] + [rng.uniform(0.1, 0.9, shapes[2])]

    return [Sample(*draw(*s), orders=1) for s in (((2, 1), (), (3,)), ((), (), ()), ((), (1,), (0,)))] + [
        Sample(*[v.astype(np.float32) for v in draw(3, 3, 3)], orders=1),
        Sample(np.array([0.3, 30.0, 2.0]), np.array([0.4, 20.0, 40.0]), np.array([0.2, 0.7, 0.35])),
    ]


_REAL = {"complex": "quantiles are real"}
gammaincinv = elementwise(
    "gammaincinv",  # x with P(a, x) = y
    impl=lambda xp, a, y: _lower(xp, a, y),
    d={"a": lambda a, ans: _moved(gamma_moment(a, ans, 1), _per_gamma_density(a, ans)),
       "y": lambda a, ans: _per_gamma_density(a, ans)},
    singular=True,
    absent=_REAL,
    samples=_gamma_samples,
)

def _where_positive(xp, a, x):
    return xp.where(a >= 0, x, float("nan"))


def _frozen_samples(rng):
    return [Sample(*s.operands, smooth=False, orders=1) for s in _gamma_samples(rng)]


gamma_sample = elementwise(
    "gamma_sample",  # x, drawn from the gamma distribution of shape a: the quantile that it is moves with a
    impl=_where_positive,
    d={"a": lambda a, ans: _moved(gamma_moment(a, ans, 1), _per_gamma_density(a, ans)), "x": lambda: 1.0},
    singular=True,
    absent=_REAL,
    samples=_frozen_samples,
)
gammainccinv = elementwise(
    "gammainccinv",  # x with Q(a, x) = y
    impl=lambda xp, a, y: _upper(xp, a, y),
    d={"a": lambda a, ans: _moved(gamma_moment(a, ans, 1), _per_gamma_density(a, ans)),
       "y": lambda a, ans: -_per_gamma_density(a, ans)},
    singular=True,
    absent=_REAL,
    samples=_gamma_samples,
)
betaincinv = elementwise(
    "betaincinv",  # x with I_x(a, b) = y
    impl=lambda xp, a, b, y: _beta(xp, a, b, y),
    d={"a": lambda a, b, ans: _moved(beta_moment(a, b, ans, 1, 0), _per_beta_density(a, b, ans), ans == 1),
       "b": lambda a, b, ans: _moved(beta_moment(a, b, ans, 0, 1), _per_beta_density(a, b, ans), ans == 1),
       "y": lambda a, b, ans: _per_beta_density(a, b, ans)},
    singular=True,
    absent=_REAL,
    samples=_beta_samples,
)


@in_one_precision
def chdtri(v, p):
    return 2.0 * gammainccinv(0.5 * v, p)


@in_one_precision
def fdtri(dfn, dfd, p):
    """From both tails, so that neither rounds to 1."""
    below, above = betaincinv(0.5 * dfn, 0.5 * dfd, p), betaincinv(0.5 * dfd, 0.5 * dfn, 1.0 - p)
    none = above == 0
    return where(none, math.inf, dfd * below / (dfn * where(none, 1.0, above)))


# Student's t distribution function and its inverse; by the degrees of freedom they have no closed derivative.

_stdtr, _stdtrit = scipy_kernel("stdtr"), scipy_kernel("stdtrit")
_REAL_STUDENT = {"complex": "a distribution function is real"}
_NO_FORM = "the derivative with respect to the degrees of freedom has no closed form"


def _density(df, t):
    """The density of the t distribution, from DLMF 8.17.1."""
    half = 0.5 * (df + 1.0)
    size = weakly(gammaln, half) - weakly(gammaln, 0.5 * df) - 0.5 * weakly(log, math.pi * df)
    return exp(size - half * log1p(t * t / df))


def _samples(low, high):
    return lambda rng: [Sample(np.array(2.5), rng.uniform(low, high, s)) for s in ((), (3,), (0,))] + [
        Sample(np.array([[0.7], [9.0]]), rng.uniform(low, high, 3)),
        Sample(np.array(3.0, "f4"), rng.uniform(low, high, 3).astype("f4"))]


stdtr = elementwise(
    "stdtr",
    impl=lambda xp, df, t: _stdtr(xp, df, t),
    d={"t": lambda df, t: _density(df, t)},
    nondiff="df",
    refused={"df": _NO_FORM},
    absent=_REAL_STUDENT,
    samples=_samples(-3.0, 3.0),
)
stdtrit = elementwise(
    "stdtrit",  # t with stdtr(df, t) = p; the slope at 0 and 1 is infinite
    impl=lambda xp, df, p: _stdtrit(xp, df, p),
    d={"p": lambda df, ans: 1.0 / _density(df, ans)},
    nondiff="df",
    refused={"df": _NO_FORM},
    singular=True,
    absent=_REAL_STUDENT,
    samples=_samples(0.1, 0.9),
)
