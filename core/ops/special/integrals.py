"""Functions that are integrals without a closed form: exponential, sine, Fresnel, Dawson's, Spence's, Owen's."""

import math

import numpy as np

from ...arrays.dtypes import is_inexact
from ...errors import DtypeError, at_user_line
from ...primitive.families import elementwise
from ..arithmetic import cos, exp, log1p, sin
from ..elementary import sinc
from ..samples import Sample, binary, together, unary
from ..selection import where
from .error_function import erf
from .normal_distribution import far_slope
from .scipy_kernels import WIDE, array, scipy_kernel, scipy_unary, weakly

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
_ROOT_2PI = math.sqrt(2.0 * math.pi)


def _over(x):
    """1 / x, infinite at 0 without a warning."""
    return where(x == 0, math.inf, 1.0 / where(x == 0, 1.0, x))


exp1 = scipy_unary("exp1", lambda x: -exp(-x) * _over(x), 0.3, 3.0, complex_too=True, singular=True)  # DLMF 6.2.1
expi = scipy_unary("expi", lambda x: exp(x) * _over(x), 0.3, 3.0, complex_too=True, extra=[-2.0, -0.5, 20.0],
                   singular=True)  # DLMF 6.2.5
_expn = scipy_kernel("expn")


def _exponential(xp, n, x):
    n, x = array(xp, n), array(xp, x)
    return _expn(xp, n.astype(x.dtype if is_inexact(x.dtype) else WIDE), x)


def _expn_slope(n, x):
    """-E of the order below, DLMF 8.19.13; below order 0 stands (1 + x) e^-x / x²."""
    least = n == 0
    below = expn(where(least, n, n - 1), x)
    return where(least, -exp(-x) * (1.0 + x) * _over(x) * _over(x), -below)


expn = elementwise(
    "expn",
    impl=lambda xp, n, x: _exponential(xp, n, x),
    d={"x": _expn_slope},
    nondiff="n",
    refused={"n": "the order is an integer"},
    singular=True,
    absent={"complex": "SciPy has it for real values"},
    samples=lambda rng: [Sample(np.array(k), rng.uniform(0.5, 3.0, s)) for k, s in ((0, ()), (1, (3,)), (3, (0,)))]
    + [Sample(np.array([[0], [2]]), rng.uniform(0.5, 3.0, 3)),
       Sample(np.array(2), rng.uniform(0.5, 3.0, 3).astype("f4"))],
)


def _one_of(name, pair, which, d, samples, **facts):
    """An answer of a kernel of SciPy that gives a pair, of real values, computed in double precision."""
    kernel = scipy_kernel(pair, part=which)

    def run(xp, x):
        x = array(xp, x)
        if x.dtype.kind == "c":
            raise DtypeError(f"{pair} takes real values, but got {x.dtype}; call scipy.special outside of the "
                             f"derivative{at_user_line()}")
        return kernel(xp, x.astype(WIDE)).astype(x.dtype if x.dtype.kind == "f" else WIDE)

    return elementwise(name, impl=lambda xp, x: run(xp, x), d={"x": d}, samples=samples,
                       absent={"complex": "the pair that SciPy has is taken of real values"}, **facts)


_ALL = unary(complex_too=False)
sine_integral = _one_of("sine_integral", "sici", 0, lambda x: sinc(x * (1.0 / math.pi)), together(
    unary(-3.0, 3.0, complex_too=False), lambda rng: [Sample(np.zeros(1))]))  # DLMF 6.2.9
cosine_integral = _one_of("cosine_integral", "sici", 1, lambda x: cos(x) * _over(x), unary(0.3, 3.0, complex_too=False),
                          singular=True)  # DLMF 6.2.11
fresnel_sine = _one_of("fresnel_sine", "fresnel", 0, lambda x: sin((0.5 * math.pi) * (x * x)), _ALL)  # DLMF 7.2.8
fresnel_cosine = _one_of("fresnel_cosine", "fresnel", 1, lambda x: cos((0.5 * math.pi) * (x * x)), _ALL)  # DLMF 7.2.7


def _dawsn_slope(x, ans):
    """1 - 2 x dawsn(x), DLMF 7.2.5; far from 0 the derivative of its asymptotic series, as both terms cancel."""
    if x.dtype.kind == "c":
        return 1.0 - 2.0 * x * ans
    far = abs(x) > 8.0
    away = where(far, x, 8.0)
    return where(far, -0.5 / away / away * far_slope(away, 1.0), 1.0 - 2.0 * x * ans)


dawsn = scipy_unary("dawsn", _dawsn_slope, -3.0, 3.0, complex_too=True, extra=[-9.0, 50.0])


def _series(coefficients, x):
    """A polynomial, the constant first."""
    total = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _spence_slope(x):
    """-log(x) / (x - 1), and its series about 1, where it is -1."""
    w = x - 1.0
    near = abs(w) < 0.05
    inside = where(near, w, 0.0)
    outside = where(near, 1.0, w)
    return where(near, _series([(-1.0) ** (k + 1) / (k + 1) for k in range(14)], inside), -log1p(outside) / outside)


spence = scipy_unary("spence", _spence_slope, 0.2, 3.0, complex_too=True, extra=[0.99, 1.0, 1.01],
                     singular=True)  # DLMF 25.12.1

_owens = scipy_kernel("owens_t")
owens_t = elementwise(
    "owens_t",
    impl=lambda xp, h, a: _owens(xp, h, a),
    # The integral of exp(-h² (1 + t²) / 2) / (1 + t²) / 2π over t from 0 to a, differentiated under the integral.
    d={"h": lambda h, a: exp(-0.5 * h * h) * weakly(erf, a * h * math.sqrt(0.5)) * (-0.5 / _ROOT_2PI),
       "a": lambda h, a: exp(-0.5 * h * h * (1.0 + a * a)) / (1.0 + a * a) * (0.5 / math.pi)},
    absent={"complex": "SciPy has it for real values"},
    samples=binary(complex_too=False),
)


def _exprel_moment(xp, x, n):
    """∫ tⁿ exp(x t) over t from 0 to 1, the n-th derivative of exprel: its series, or by parts from n - 1."""
    near = xp.abs(x) < 4.0
    small = xp.where(near, x, 0.0)
    total = 0.0
    for k in range(36, -1, -1):
        total = total * small + 1.0 / (math.factorial(k) * (k + n + 1))
    far = xp.where(near, 4.0, x)
    top = xp.exp(far)
    found = xp.expm1(far) / far
    for k in range(1, n + 1):
        found = (top - k * found) / far
    return xp.where(near, total, xp.where(top == np.inf, np.inf, found)).astype(x.dtype)


exprel_moment = elementwise(
    "exprel_moment",
    impl=lambda xp, x, *, n: _exprel_moment(xp, x, n),
    d={"x": lambda x, n: exprel_moment(x, n=n + 1)},
    quiet=True,
    absent={"complex": "SciPy has it for real values"},
    samples=lambda rng: [Sample(rng.uniform(-3.0, 3.0, s), params={"n": 1}) for s in ((), (2, 3), (0,))] + [
        Sample(np.array([-30.0, -5.0, 0.0, 6.0]), params={"n": 2}),
        Sample(rng.uniform(-3.0, 3.0, 3).astype("f4"), params={"n": 1})],
)
exprel = scipy_unary("exprel", lambda x: exprel_moment(x, n=1), -3.0, 3.0, extra=[-0.5, 0.0, 1e-9, 0.5], quiet=True,
                     own=lambda xp, x: xp.where(x == 0, 1.0, xp.expm1(x) / xp.where(x == 0, 1.0, x)))
