"""Elliptic integrals of the parameter m = k², and hypergeometric functions of real parameters."""

import math

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import cos, sin, sqrt
from ..samples import Sample, together
from ..selection import astype, where
from .scipy_kernels import SINGLE, WIDE, scipy_kernel, scipy_unary

# Hypergeometric functions of real parameters, which are constants to derivatives.

_REAL_PARAMETERS = {"complex": "its parameters are real"}
_NO_FORM = "the derivative with respect to a parameter has no closed form"
_hyp2f1, _hyp1f1 = scipy_kernel("hyp2f1"), scipy_kernel("hyp1f1")


def _parameters(rng, count, low, high):
    return [Sample(*[rng.uniform(0.5, 2.0, ()) for _ in range(count)], rng.uniform(low, high, s)) for s in (
        (), (3,), (0,))] + [Sample(*[rng.uniform(0.5, 2.0, s) for s in ((2, 1), (), (3,))[:count]],
                                   rng.uniform(low, high, (2, 3))),
                            Sample(*[rng.uniform(0.5, 2.0, 3).astype("f4") for _ in range(count)],
                                   rng.uniform(low, high, 3).astype("f4"))]


hyp2f1 = elementwise(
    "hyp2f1",
    impl=lambda xp, a, b, c, z: _hyp2f1(xp, a, b, c, z),
    d={"z": lambda a, b, c, z: a * b / c * hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)},  # DLMF 15.5.1
    nondiff="a, b, c",
    refused=dict.fromkeys("abc", _NO_FORM),
    singular=True,
    absent=_REAL_PARAMETERS,
    samples=lambda rng: _parameters(rng, 3, -2.0, 0.8),
)
hyp1f1 = elementwise(
    "hyp1f1",
    impl=lambda xp, a, b, x: _hyp1f1(xp, a, b, x),
    d={"x": lambda a, b, x: a / b * hyp1f1(a + 1.0, b + 1.0, x)},  # DLMF 13.3.15
    nondiff="a, b",
    refused=dict.fromkeys("ab", _NO_FORM),
    singular=True,
    absent=_REAL_PARAMETERS,
    samples=lambda rng: _parameters(rng, 2, -2.0, 2.0),
)
_hyp0f1, _hyperu = scipy_kernel("hyp0f1"), scipy_kernel("hyperu")
hyp0f1 = elementwise(
    "hyp0f1",
    impl=lambda xp, v, z: _hyp0f1(xp, v, z),
    d={"z": lambda v, z: hyp0f1(v + 1.0, z) / v},  # DLMF 16.3.1
    nondiff="v",
    refused={"v": _NO_FORM},
    singular=True,
    absent=_REAL_PARAMETERS,
    samples=lambda rng: _parameters(rng, 1, -2.0, 2.0),
)
hyperu = elementwise(
    "hyperu",
    impl=lambda xp, a, b, x: _hyperu(xp, a, b, x),
    d={"x": lambda a, b, x: -a * hyperu(a + 1.0, b + 1.0, x)},  # DLMF 13.3.22
    nondiff="a, b",
    refused=dict.fromkeys("ab", _NO_FORM),
    singular=True,
    absent=_REAL_PARAMETERS,
    samples=lambda rng: _parameters(rng, 2, 0.5, 3.0),
)


# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. K and E are hypergeometric, 19.5.1
# and 19.5.2, whose derivatives are 15.5.1: no difference that cancels near 0, as those of 19.4.1 and 19.4.2 do.
ellipk = scipy_unary("ellipk", lambda x: (math.pi / 8.0) * hyp2f1(1.5, 1.5, 2.0, x), -3.0, 0.9,
                     extra=[0.0, 0.99, -20.0], singular=True)
ellipe = scipy_unary("ellipe", lambda x: (-math.pi / 8.0) * hyp2f1(0.5, 1.5, 2.0, x), -3.0, 0.9,
                     extra=[0.0, 0.99, -20.0], singular=True)


def _near_one_slope(x, ans):
    """-K′(1 - x): by DLMF 19.4.1 for small x, where 1 - x rounds."""
    small = x < 0.25
    p = where(small, x, 0.1)
    direct = -(ellipe(1.0 - p) - p * ellipkm1(p)) / (2.0 * (1.0 - p) * p)
    return where(small, direct, (-math.pi / 8.0) * hyp2f1(1.5, 1.5, 2.0, 1.0 - where(small, 0.5, x)))


ellipkm1 = scipy_unary("ellipkm1", _near_one_slope, 0.05, 3.0, extra=[1.0, 0.02], singular=True)  # K(1 - x)


def _root(phi, m):
    s = sin(float(phi) if type(phi) is bool else phi)
    return sqrt(1.0 - m * s * s)


def _in_double(slope):
    """A slope in whose formula single precision cancels, computed in double."""

    def run(phi, m, ans):
        wide = [astype(x, WIDE) if getattr(x, "dtype", None) == SINGLE else x for x in (phi, m, ans)]
        wide = [float(x) if type(x) is bool else x for x in wide]  # NumPy has sines of truth values in half precision
        found = slope(*wide)
        return astype(found, SINGLE) if ans.dtype == SINGLE else found

    return run


def _by_m_second(phi, m, ans):
    """(E - F) / 2m, DLMF 19.4.6, and its series at small m, where that cancels: -½ ∫ sin² (1 + m sin² / 2 + …)."""
    small = abs(m) < 1e-2
    far = where(small, 0.5, m)
    usual = (ans - ellipkinc(phi, far)) / (2.0 * far)
    near = where(small, m, 0.0)
    return where(small, -0.5 * _series(phi, near, [math.comb(2 * k, k) / 4.0**k for k in range(9)], 1), usual)


def _by_m_first(phi, m, ans):
    """DLMF 19.4.5, at small m the series of ½ ∫ sin² / (1 - m sin²)^(3/2), and at m = 1 that integral itself."""
    small, one = abs(m) < 1e-2, m == 1.0
    far = where(small | one, 0.5, m)
    usual = ellipeinc(phi, far) / (2.0 * far * (1.0 - far)) - ans / (2.0 * far) - sin(2.0 * phi) / (
        4.0 * (1.0 - far) * _root(phi, far))
    near = where(small, m, 0.0)
    size = [(2 * k + 1) * math.comb(2 * k, k) / 4.0**k for k in range(9)]
    at_one = 0.25 * (sin(phi) / cos(phi) ** 2 - ans)
    return where(small, 0.5 * _series(phi, near, size, 1), where(one, at_one, usual))


def _series(phi, m, sizes, first):
    """Σ sizes[k] m^k ∫ sin^(2 (k + first)), the integrals by their recurrence, DLMF 4.26(iv)."""
    s, c = sin(phi), cos(phi)
    whole, power, total, weight = phi, s * c, 0.0, 1.0
    for k in range(len(sizes) + first):
        if k:
            whole = ((2 * k - 1) * whole - power) / (2.0 * k)
            power = power * s * s
        if k >= first:
            total = total + sizes[k - first] * weight * whole
            weight = weight * m
    return total


def _samples(rng):
    def phi(*s):
        return rng.uniform(-1.3, 1.3, s)

    def m(*s):
        return rng.uniform(-2.0, 0.8, s)

    return [Sample(phi(), m()), Sample(phi(3), m(3)), Sample(phi(2, 1), m(3)), Sample(phi(0), m(0)),
            Sample(phi(3).astype("f4"), m(3).astype("f4")), Sample(phi(3), np.array([0.0, 1e-9, 5e-3])),
            Sample(phi(2) + 3.0, m(2))]


_first, _second = scipy_kernel("ellipkinc"), scipy_kernel("ellipeinc")
_REAL = {"complex": "SciPy has it for real values"}
ellipkinc = elementwise(
    "ellipkinc",  # F(phi | m), the integral of 1 / sqrt(1 - m sin²)
    impl=lambda xp, phi, m: _first(xp, phi, m),
    d={"phi": lambda phi, m: 1.0 / _root(phi, m), "m": _in_double(_by_m_first)},
    singular=True,
    absent=_REAL,
    samples=together(_samples),
)
ellipeinc = elementwise(
    "ellipeinc",  # E(phi | m), the integral of sqrt(1 - m sin²)
    impl=lambda xp, phi, m: _second(xp, phi, m),
    d={"phi": lambda phi, m: _root(phi, m), "m": _in_double(_by_m_second)},
    singular=True,
    absent=_REAL,
    samples=together(_samples),
)
