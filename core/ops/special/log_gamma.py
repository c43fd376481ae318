"""The logarithm of the gamma function in the complex plane, and quotients of gamma functions."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import sin
from ..samples import Sample, binary, together
from ..selection import where
from .gamma_functions import _rgamma_slope, digamma, gamma, polygamma, rgamma
from .scipy_kernels import scipy_kernel, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
_TERMS = 14
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _trigamma(z):
    """ψ′ of complex values: DLMF 5.15.5 up to Re z > 14, 5.15.8 there, and 5.15.6 in the left half plane."""
    left = z.real < 0.5
    w = where(left, 1.0 - z, z)
    total = 0.0
    for k in range(_TERMS):
        total = total + 1.0 / ((w + k) * (w + k))
    w = w + float(_TERMS)
    back = 1.0 / w
    square = back * back
    series = 0.0
    for b in reversed(_BERNOULLI):
        series = (series + b) * square
    total = total + back + 0.5 * square + series * back
    turned = sin(math.pi * where(left, z, 0.5))
    return where(left, (math.pi / turned) * (math.pi / turned) - total, total)


def _digamma_slope(x):
    return _trigamma(x) if x.dtype.kind == "c" else polygamma(1, x)


def _plane(low, high):
    return lambda rng: [Sample(rng.uniform(low, high, s) + 1j * rng.uniform(-2, 2, s)) for s in ((), (3,), (2, 3))]


_psi = scipy_kernel("psi")
complex_digamma = elementwise(
    "complex_digamma",  # DLMF 5.15
    impl=lambda xp, x: _psi(xp, x),
    d={"x": lambda x: _digamma_slope(x)},
    singular=True,
    samples=together(_plane(0.5, 3.0), _plane(-3.0, 0.4), lambda rng: [
        Sample(rng.uniform(0.5, 2.0, 3).astype("f4")), Sample(np.zeros((0,))), Sample(rng.uniform(0.5, 2.0, 3))]),
)
loggamma = scipy_unary("loggamma", lambda x: complex_digamma(x), 0.5, 3.0, complex_too=True,
                       singular=True)  # DLMF 5.2.2

def _poch_slope(z, m, ans, by_z):
    """ans (ψ(z + m) - ψ(z)), or ans ψ(z + m); by 1 / Γ where Γ(z) has a pole; 0 where both Γ have one."""
    top = z + m
    none, both = _pole(z + 0.0 * m), _pole(z + 0.0 * m) & _pole(top)
    slope = digamma(where(none, 2.0, top))
    usual = ans * (slope - digamma(where(none, 2.0, z + 0.0 * m)) if by_z else slope)
    at, low = where(both, 2.0, where(none, top, 2.0)), where(none, z + 0.0 * m, 0.0)
    rare = gamma(at) * _rgamma_slope(low, rgamma(low)) if by_z else 0.0 * at
    return where(both, 0.0, where(none, rare, usual))


_poch, _binom = scipy_kernel("poch"), scipy_kernel("binom")
poch = elementwise(
    "poch",  # Γ(z + m) / Γ(z), DLMF 5.2.4 and 5.2.2
    impl=lambda xp, z, m: _poch(xp, z, m),
    d={"z": lambda z, m, ans: _poch_slope(z, m, ans, True), "m": lambda z, m, ans: _poch_slope(z, m, ans, False)},
    singular=True,
    absent={"complex": "SciPy has it for real values"},
    samples=binary(0.5, 3.0, complex_too=False),
)


def _pole(x):
    """Tell whether 1 / Γ is 0 at x."""
    return (x < 0.5) & (x % 1.0 == 0)


def _binom_slope(n, k, ans, by_n):
    """ans (ψ(n + 1) - ψ(n - k + 1)), or ans (ψ(n - k + 1) - ψ(k + 1)); by 1 / Γ where it is 0, DLMF 1.2.6 and 5.2.2."""
    u, v = n - k + 1.0, k + 1.0
    none = _pole(u) | _pole(v)
    n1, u1, v1 = (where(none, 2.0, x + 0.0 * (n + k)) for x in (n + 1.0, u, v))
    usual = digamma(n1) - digamma(u1) if by_n else digamma(u1) - digamma(v1)
    n2, u2, v2 = (where(none, x + 0.0 * (n + k), 2.0) for x in (n + 1.0, u, v))
    move_u, move_v = (_rgamma_slope(x, rgamma(x)) for x in (u2, v2))
    size = gamma(n2)
    if by_n:
        rare = size * rgamma(v2) * (digamma(n2) * rgamma(u2) + move_u)
    else:
        rare = size * (rgamma(u2) * move_v - move_u * rgamma(v2))
    return where(none, rare, ans * usual)


binom = elementwise(
    "binom",  # the binomial coefficient of real n and k
    impl=lambda xp, n, k: _binom(xp, n, k),
    d={"n": lambda n, k, ans: _binom_slope(n, k, ans, True), "k": lambda n, k, ans: _binom_slope(n, k, ans, False)},
    singular=True,
    absent={"complex": "SciPy has it for real values"},
    samples=together(binary(2.2, 4.0, complex_too=False, low_y=0.3, high_y=1.7), lambda rng: [
        Sample(np.array([3.0, 4.0, 5.0]), np.array([1.0, 4.0, 0.0])),
        Sample(np.array([3.0, 2.0]), np.array([4.0, 3.0]))]),
)
