"""The normal distribution function, its logarithm and inverse, and the inverse error functions."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp
from ..samples import Sample
from ..selection import where
from .error_function import far_slope, own_erfcx
from .inverse_erf import inverse_erf
from .scipy_kernels import WIDE, array, scalar, scipy_kernel, scipy_unary

# The slopes of the inverses at the ends of their domains are infinite. DLMF: https://dlmf.nist.gov.
_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _normal_density(x):
    return exp(-0.5 * x * x) * (1.0 / _SQRT_2PI)


_FAR_FROM_0 = 8.0  # from where 20 terms of the asymptotic series are exact


def _erfcx_slope(x, ans):
    """2 x erfcx(x) - 2 / √π, DLMF 7.10.2; far from 0 the derivative of its asymptotic series, as both terms cancel."""
    if x.dtype.kind == "c":
        return 2.0 * x * ans - 2.0 / _SQRT_PI
    far = x > _FAR_FROM_0
    away = where(far, x, _FAR_FROM_0)
    return where(far, (-1.0 / _SQRT_PI) / away / away * far_slope(away, -1.0), 2.0 * x * ans - 2.0 / _SQRT_PI)


erfcx = scipy_unary("erfcx", _erfcx_slope, -2.0, 3.0, complex_too=True, quiet=True, own=own_erfcx, extra=[9.0, 100.0])
erfinv = scipy_unary("erfinv", lambda ans: (0.5 * _SQRT_PI) * exp(ans * ans), -0.9, 0.9, singular=True,
                     own=inverse_erf)  # DLMF 7.2.1
erfcinv = scipy_unary("erfcinv", lambda ans: (-0.5 * _SQRT_PI) * exp(ans * ans), 0.1, 1.9, singular=True)  # DLMF 7.2.2
ndtr = scipy_unary("ndtr", lambda x: _normal_density(x), -3.0, 3.0, complex_too=True, quiet=True)  # DLMF 7.18(i)
ndtri = scipy_unary("ndtri", lambda ans: _SQRT_2PI * exp(0.5 * ans * ans), 0.05, 0.95, singular=True)


def _log_ndtr_slope(x):
    """φ(x) / Φ(x); on the left by the scaled function, where both underflow, DLMF 7.2.2 and 7.2.3."""
    if x.dtype.kind == "c":
        return (2.0 / _SQRT_2PI) / erfcx(x * -math.sqrt(0.5))
    right = x > 0
    high, low = where(right, x, 0.0), where(right, 0.0, x)
    return where(right, _normal_density(high) / ndtr(high), (2.0 / _SQRT_2PI) / erfcx(low * -math.sqrt(0.5)))


log_ndtr = scipy_unary("log_ndtr", _log_ndtr_slope, -3.0, 3.0, complex_too=True, extra=[-40.0, -8.0, 8.0, 40.0],
                       quiet=True)
# x with log_ndtr(x) = y: from the density, as ndtri.
ndtri_exp = scipy_unary("ndtri_exp", lambda x, ans: _SQRT_2PI * exp(x + 0.5 * ans * ans), -8.0, -0.1, extra=[-40.0])


# Quantiles of the normal distribution truncated to an interval on one side of 0, however far out.

_erfcx = scipy_kernel("erfcx", own_erfcx)
_ROOT_HALF = math.sqrt(0.5)
_STEPS = 8


def _above(xp, u, a, b):
    """x with Φ(-x) = v Φ(-a), v = 1 - u + u Φ(-b) / Φ(-a), for 0 <= a <= b: by the distance from `a`.

    With Mills' ratio R(x) = Φ(-x) / φ(x), proportional to erfcx(x / √2), t = x - a is the root of the convex
    t (2 a + t) / 2 - log(R(a + t) / R(a)) + log v, whose slope is 1 / R(a + t). Newton's method starts above it, at the
    lesser of its bounds by the exponential and by the normal density.
    """
    dtype = u.dtype
    u, a, b = [array(xp, v).astype(WIDE) for v in (u, a, b)]

    def ratio(x):
        return _erfcx(xp, x * _ROOT_HALF)

    start = ratio(a)
    gap = b - a
    outer = xp.where(xp.isinf(b), 0.0, ratio(xp.where(xp.isinf(b), a, b)))
    over = xp.expm1(xp.where(xp.isinf(b), -np.inf, xp.log(xp.where(outer == 0, 1.0, outer) / start)
                             - xp.where(xp.isinf(b), 0.0, 0.5 * gap * (a + b))))
    drop = -xp.log1p(u * over)
    t = xp.minimum(drop * start * math.sqrt(0.5 * math.pi), 2.0 * drop / (a + xp.sqrt(a * a + 2.0 * drop) + 1e-300))
    for _ in range(_STEPS):
        here = ratio(a + t)
        t = t - (0.5 * t * (2.0 * a + t) - xp.log(here / start) - drop) * here * math.sqrt(0.5 * math.pi)
    return scalar(xp.minimum(a + xp.maximum(t, 0.0), b).astype(dtype))


def _samples(rng):
    def draw(*shape):
        a = rng.uniform(0.0, 3.0, shape)
        return Sample(rng.uniform(0.1, 0.9, shape), a, a + rng.uniform(0.5, 2.0, shape))

    return [draw(), draw(3), draw(2, 3), draw(0), Sample(*[v.astype("f4") for v in draw(3).operands]),
            Sample(rng.uniform(0.1, 0.9, (2, 1)), rng.uniform(0.0, 1.0, 3), np.array(2.0)),
            Sample(np.array([0.2, 0.9]), np.array([10.0, 30.0]), np.array([1e6, 30.1]), tol=1e-5)]


# From Φ(x) - Φ(a) = u (Φ(b) - Φ(a)), differentiated by a and by b.
truncated_above = elementwise(
    "truncated_above",
    impl=lambda xp, u, a, b: _above(xp, u, a, b),
    d={"a": lambda u, a, ans: (1.0 - u) * exp(0.5 * (ans - a) * (ans + a)),
       "b": lambda u, b, ans: u * exp(0.5 * (ans - b) * (ans + b))},
    nondiff="u",
    refused={"u": "a uniform sample is a constant"},
    singular=True,
    absent={"complex": "bounds are real"},
    samples=_samples,
)
