"""The Box-Cox transform and its inverse, of x and of 1 + x."""

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp, log, log1p, power
from ..samples import Sample
from ..selection import where
from .integrals import exprel_moment
from .scipy_kernels import scipy_kernel, weakly

# With u = log x, x^λ = exp(λ u) and E(n) the n-th derivative of exprel, (x^λ - 1) / λ = u E(0)(λ u): all derivatives
# by λ are u^(n + 1) E(n)(λ u), smooth at λ = 0, and the one by x is x^(λ - 1), in which nothing cancels.


def _transform(log_of):
    def run(xp, x, lmbda):
        with np.errstate(divide="ignore"):
            u = getattr(xp, log_of)(x)
        zero = lmbda == 0
        return xp.where(zero, u, xp.expm1(lmbda * u) / xp.where(zero, 1.0, lmbda))

    return run


def _by_lmbda(u, lmbda):
    """u² E(1)(λ u); of infinite u that of -1 / λ, or infinite."""
    ends = abs(u) == np.inf
    finite = ((lmbda > 0.0) == (u < 0.0)) & (lmbda != 0.0)
    u = where(ends, 0.0, u)
    limit = where(finite, 1.0 / where(finite, lmbda * lmbda, 1.0), np.inf)
    return where(ends, limit, u * u * exprel_moment(lmbda * u, n=1))


def _shifted_power(x, lmbda):
    """(1 + x)^(λ - 1), 1 of λ = 1 at the ends too."""
    u = log1p(x)
    return exp((lmbda - 1.0) * where((lmbda == 1.0) & (abs(u) == np.inf), 0.0, u))


def _samples(low, high):
    def draw(rng):
        shapes = (((), ()), ((2, 1), (3,)), ((), (0,)))
        return [Sample(rng.uniform(low, high, s), rng.uniform(-2.0, 2.0, t)) for s, t in shapes] + [
            Sample(rng.uniform(low, high, 3), np.array([0.0, 1e-9, 1.0])),
            Sample(rng.uniform(low, high, 3).astype("f4"), rng.uniform(-2.0, 2.0, 3).astype("f4"))]

    return draw


_REAL = {"complex": "SciPy has it for real values"}
_run_boxcox, _run_boxcox1p = scipy_kernel("boxcox", _transform("log")), scipy_kernel("boxcox1p", _transform("log1p"))
boxcox = elementwise(
    "boxcox",
    impl=lambda xp, x, lmbda: _run_boxcox(xp, x, lmbda),
    d={"x": lambda x, lmbda: power(x, lmbda - 1.0), "lmbda": lambda x, lmbda: _by_lmbda(weakly(log, x), lmbda)},
    singular=True, absent=_REAL, samples=_samples(0.3, 3.0))
boxcox1p = elementwise(
    "boxcox1p",
    impl=lambda xp, x, lmbda: _run_boxcox1p(xp, x, lmbda),
    d={"x": lambda x, lmbda: _shifted_power(x, lmbda), "lmbda": lambda x, lmbda: _by_lmbda(weakly(log1p, x), lmbda)},
    singular=True, absent=_REAL, samples=_samples(-0.5, 2.0))


def _inverse_of(finish):
    def run(xp, y, lmbda):
        zero = lmbda == 0
        return finish(xp)(xp.where(zero, y, xp.log1p(lmbda * y) / xp.where(zero, 1.0, lmbda)))

    return run


def _inverse_by_lmbda(base, y, lmbda):
    """base y² h(λ y) by h(w) = (w / (1 + w) - log(1 + w)) / w², and its series, -1/2 + 2 w / 3 - …, near 0."""
    w = lmbda * y
    near = abs(w) < 0.1
    small, far = where(near, w, 0.0), where(near, 1.0, w)
    total = 0.0
    for k in range(20, 1, -1):
        total = total * small + (-1.0) ** (k + 1) * (1.0 - 1.0 / k)
    h = where(near, total, (far / (1.0 + far) - log1p(far)) / far / far)
    return base * y * y * h


_run_inv_boxcox = scipy_kernel("inv_boxcox", _inverse_of(lambda xp: xp.exp))
_run_inv_boxcox1p = scipy_kernel("inv_boxcox1p", _inverse_of(lambda xp: xp.expm1))
inv_boxcox = elementwise(
    "inv_boxcox",
    impl=lambda xp, y, lmbda: _run_inv_boxcox(xp, y, lmbda),
    d={"y": lambda y, lmbda, ans: ans / (1.0 + lmbda * y),
       "lmbda": lambda y, lmbda, ans: _inverse_by_lmbda(ans, y, lmbda)},
    singular=True, absent=_REAL, samples=_samples(-0.3, 0.3))
inv_boxcox1p = elementwise(
    "inv_boxcox1p",
    impl=lambda xp, y, lmbda: _run_inv_boxcox1p(xp, y, lmbda),
    d={"y": lambda y, lmbda: inv_boxcox(y, lmbda) / (1.0 + lmbda * y),
       "lmbda": lambda y, lmbda: _inverse_by_lmbda(inv_boxcox(y, lmbda), y, lmbda)},
    singular=True, absent=_REAL, samples=_samples(-0.3, 0.3))
