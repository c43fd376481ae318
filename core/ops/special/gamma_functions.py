"""The gamma and beta functions, their logarithms, and the polygamma functions."""

import math

import numpy as np

from ...arrays.dtypes import is_inexact
from ...errors import DtypeError, at_user_line
from ...primitive.families import ZERO, elementwise
from ..arithmetic import cos, sin
from ..samples import Sample, binary, together, unary
from ..selection import where
from .scipy_kernels import WIDE, array, scipy_kernel, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. At poles derivatives are what the
# formulas give: infinite, or NaN where the function itself has no value.


def _real(name):
    """A kernel that SciPy has for complex values too, whose derivatives it lacks there."""
    kernel = scipy_kernel(name)

    def run(xp, x):
        if getattr(x, "dtype", np.dtype(float)).kind == "c" or type(x) is complex:
            raise DtypeError(f"{name} takes real values, but got {np.asarray(x).dtype}: its derivative, polygamma, is "
                             "known for real arguments only; call scipy.special outside the differentiated function"
                             f"{at_user_line()}")
        return kernel(xp, x)

    return run


_gamma, _digamma, _gammasgn = _real("gamma"), _real("psi"), _real("gammasgn")
gamma = elementwise(
    "gamma",
    impl=lambda xp, x: _gamma(xp, x),
    d={"x": lambda x, ans: ans * digamma(x)},  # DLMF 5.2.2
    singular=True,
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, -2.3]))]),
)
# log|Γ|, DLMF 5.2.2.
gammaln = scipy_unary("gammaln", lambda x: digamma(x), 0.5, 3.0, extra=[-0.5, -1.5, 20.0], singular=True,
                      kernel={})
_rgamma = _real("rgamma")


def _rgamma_slope(x, ans):
    """-ψ(x) / Γ(x); below one half by DLMF 5.5.3, Γ(x) Γ(1 - x) = π / sin(πx), for ψ has poles where this has none."""
    low = x < 0.5
    turned, kept = where(low, 1.0 - x, 1.0), where(low, 1.0, x)
    angle = math.pi * where(low, x, 0.0)
    return where(low, gamma(turned) * (cos(angle) - sin(angle) * digamma(turned) / math.pi), -ans * digamma(kept))


rgamma = elementwise(
    "rgamma",  # 1 / Γ, which has no poles
    impl=lambda xp, x: _rgamma(xp, x),
    d={"x": _rgamma_slope},
    quiet=True,
    samples=together(unary(0.6, 3.0, complex_too=False),
                     lambda rng: [Sample(np.array([-2.0, -1.5, -1.0, 0.0, 0.3])), Sample(np.array(0.0))]),
)
gammasgn = elementwise("gammasgn", impl=lambda xp, x: _gammasgn(xp, x), d=ZERO, samples=together(
    unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, -2.3]))]))
digamma = elementwise(
    "digamma",
    impl=lambda xp, x: _digamma(xp, x),
    d={"x": lambda x: polygamma(1, x)},  # DLMF 5.15
    singular=True,
    kernel={"vjp": None, "jvp": None},
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, 20.0]))]),
)


_factorial, _zeta = scipy_kernel("gamma"), scipy_kernel("zeta")


def _polygamma(xp, n, x):
    """(-1)^(n+1) n! ζ(n+1, x), DLMF 25.11.12; digamma for n = 0. In the precision of `x`, whatever that of `n`."""
    n, x = array(xp, n), array(xp, x)
    order = n.astype(x.dtype if is_inexact(x.dtype) else WIDE) + 1
    size = _factorial(xp, order) * _zeta(xp, order, x)
    return xp.where(n == 0, _digamma(xp, x), xp.where(n % 2 == 1, size, -size))


polygamma = elementwise(
    "polygamma",
    impl=lambda xp, n, x: _polygamma(xp, n, x),
    d={"x": lambda n, x: polygamma(n + 1, x)},  # DLMF 5.15
    nondiff="n",
    refused={"n": "the order is an integer"},
    singular=True,
    absent={"complex": "SciPy has no Hurwitz zeta function of complex values"},
    samples=lambda rng: [
        Sample(np.array(k), rng.uniform(0.5, 3.0, s)) for k, s in ((0, ()), (1, (3,)), (2, (2, 3)), (3, (0,)))
    ] + [Sample(np.arange(3), rng.uniform(0.5, 3.0, (2, 3))), Sample(np.array(1), rng.uniform(0.5, 3, 3).astype("f4")),
         Sample(np.array([[1], [2]]), np.array([-0.5, -1.5, 20.0]))],
)

# The Hurwitz zeta function. DLMF 25.11.17.
zeta = elementwise(
    "zeta",
    impl=lambda xp, x, q: _zeta(xp, x, q),
    d={"q": lambda x, q: -x * zeta(x + 1, q)},
    nondiff="x",
    refused={"x": "the derivative with respect to the exponent has no closed form"},
    singular=True,
    absent={"complex": "SciPy has no Hurwitz zeta function of complex values"},
    samples=lambda rng: [
        Sample(rng.uniform(1.5, 4.0, s), rng.uniform(0.5, 3.0, s)) for s in ((), (3,), (2, 3), (0,))
    ] + [Sample(rng.uniform(1.5, 4.0, (2, 1)), rng.uniform(0.5, 3.0, 3)),
         Sample(np.array(2.0), rng.uniform(0.5, 3.0, 3)),
         Sample(rng.uniform(1.5, 4.0, 3).astype("f4"), rng.uniform(0.5, 3.0, 3).astype("f4"))],
)

_kernel_beta, _kernel_betaln = scipy_kernel("beta"), scipy_kernel("betaln")
beta = elementwise(
    "beta",
    impl=lambda xp, a, b: _kernel_beta(xp, a, b),
    d={"a": lambda a, b, ans: ans * _beta_slope(a, b), "b": lambda a, b, ans: ans * _beta_slope(b, a)},
    singular=True,
    samples=binary(0.5, 3.0, complex_too=False),
)
betaln = elementwise(
    "betaln",
    impl=lambda xp, a, b: _kernel_betaln(xp, a, b),
    d={"a": lambda a, b: _beta_slope(a, b), "b": lambda a, b: _beta_slope(b, a)},
    singular=True,
    samples=binary(0.5, 3.0, complex_too=False),
)


def _beta_slope(a, b):
    """∂ log B(a, b) / ∂a, from DLMF 5.12.1 and 5.2.2."""
    return digamma(a) - digamma(a + b)
