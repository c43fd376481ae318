"""The normal distribution function, its logarithm and inverse, and the inverse error functions."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp
from ..samples import Sample
from ..selection import where
from .error_function import far_slope, own_erfcx
from .scipy_kernels import WIDE, array, scalar, scipy_kernel, scipy_unary

# The slopes of the inverses at the ends of their domains are infinite. DLMF: https://dlmf.nist.gov.
_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _normal_density(x):
    return exp(-0.5 * x * x) * (1.0 / _SQRT_2PI)


# M. J. Wichura, "Algorithm AS 241: percentage points of the normal distribution", Appl. Statist. 37 (1988), 477-484:
# relative error of about 1e-16. Highest power first; for the middle, the tails, and beyond exp(-25).
MIDDLE = ((2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
            1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080),
           (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
            5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0))
TAIL = ((7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
          3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
         (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
          6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0))
FAR = ((2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
         2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720),
        (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
         1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0))


def _ratio(xp, pair, x):
    return xp.polyval(xp.asarray(pair[0]), x) / xp.polyval(xp.asarray(pair[1]), x)


def _erfinv(xp, x):
    """The inverse error function without SciPy."""
    wide = x.astype(WIDE)
    size = xp.abs(wide)
    half = 0.5 * xp.minimum(size, 0.85)
    middle = half * _ratio(xp, MIDDLE, 0.180625 - half * half)
    root = xp.sqrt(-xp.log(0.5 * (1.0 - xp.clip(size, 0.85, 1.0 - 2.0**-53))))
    tail = xp.where(root <= 5.0, _ratio(xp, TAIL, root - 1.6), _ratio(xp, FAR, root - 5.0))
    out = xp.where(size <= 0.85, middle, tail) * math.sqrt(0.5)
    return xp.copysign(xp.where(size == 1.0, math.inf, xp.where(size < 1.0, out, math.nan)), wide)


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
                     own=_erfinv)  # DLMF 7.2.1
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
