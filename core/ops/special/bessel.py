"""Bessel functions of integer order, of both kinds, plain and modified, and Airy's function."""

import math

import numpy as np

from ...primitive.families import elementwise
from ...primitive.primitive import NotLowered
from ...trace.tracer import Tracer
from ..arithmetic import exp, sqrt
from ..samples import Sample, together, unary
from ..selection import astype, sign, where
from ..shaping import absolute
from .scipy_kernels import WIDE, array, scalar, scipy_kernel, scipy_unary

# The modified Bessel function of the first kind of integer order, for window functions and their derivatives.


def _series(xp, x, order):
    """Σ (x/2)^(2k + n) / (k! (k + n)!): all terms of one sign, so nothing cancels; 90 of them up to |x| = 40."""
    square = 0.25 * x * x
    term = (0.5 * x) ** order / math.factorial(order)
    total = term
    for k in range(1, 90):
        term = term * square / (k * (k + order))
        total = total + term
    return total


def _tail(xp, x, order):
    """The series for large |x|, whose terms shrink until k is about 2 |x|: Abramowitz and Stegun (1964), 9.7.1."""
    large = xp.abs(x)
    term = total = large / large
    for k in range(1, 25):
        term = term * ((2 * k - 1) ** 2 - 4.0 * order**2) / (8.0 * k * large)
        total = total + term
    half = xp.exp(0.5 * large)  # in two factors: the exponential alone overflows sooner than the quotient
    value = half * (total / xp.sqrt(2 * math.pi * large)) * half
    return xp.where(x < 0, -value, value) if order % 2 else value


def whole_order(xp, x, order):
    """I of whole order."""
    if not order and not isinstance(x, Tracer):
        return xp.i0(x)
    x = array(xp, x)
    dtype = np.result_type(x.dtype, np.float64 if x.dtype.kind in "biu" else x.dtype)
    x = x.astype(dtype)
    with np.errstate(all="ignore"):
        near = xp.abs(x) < 36.0
        ans = xp.where(near, _series(xp, xp.where(near, x, 0.0), order), _tail(xp, xp.where(near, 36.0, x), order))
    return scalar(ans.astype(dtype))


def _of_order(x, order, low, scale):
    """I of whole order in operations, for compilers: its series near 0, and from there on by a recurrence of orders."""
    if order < 2:
        return low[order](x)
    if order > 6:  # the recurrence loses digits, unless x is large
        raise NotLowered
    dtype, x = x.dtype, astype(x, WIDE)
    size = absolute(x)
    far = 8.0 + 0.5 * order * order
    near, away = where(size < far, size, far), where(size < far, far, size)
    total, half = 0.0, 0.5 * near
    for k in range(int(2 * far) + 6, -1, -1):
        total = total * (half * half) + 1.0 / (math.factorial(k) * math.factorial(k + order))
    for _ in range(order):
        total = total * half
    below, above = low[0](away), low[1](away)
    for k in range(1, order):
        below, above = above, below - (2.0 * k / away) * above
    found = where(size < far, total * scale(near), above)
    return astype(where(x < 0, -found, found) if order % 2 else found, dtype)


def away_from_0(x, v, turn, near, sign=1.0):
    """The derivative of e^-|x| I (turn = -1) or e^x K (turn = 1) of order v, `near` 0; from 30 + v² on by its series.

    The derivative of DLMF 10.40.1 and 10.40.2: differences of the functions of two orders cancel there.
    """
    size = abs(x)
    far = size > 30.0 + v * v
    u = 1.0 / where(far, size, 100.0 + 2.0 * v * v)
    total = 0.0
    for k in range(25, -1, -1):  # each term is the one before times turn (4v² - (2k + 1)²) / 8(k + 1) x
        total = (k + 0.5) + turn * (4.0 * v * v - (2 * k + 1) ** 2) / (8.0 * (k + 1)) * u * total
    scale = math.sqrt(0.5 / math.pi) if turn < 0 else math.sqrt(0.5 * math.pi)
    return where(far, -scale * sign * u * sqrt(u) * total, near)


bessel_i = elementwise(
    "bessel_i",
    impl=lambda xp, x, *, order: whole_order(xp, x, order),
    lower=lambda x, order: _of_order(x, order, (i0, i1), lambda size: 1.0),
    quiet=True,
    d={"x": lambda x, order: 0.5 * (bessel_i(x, order=abs(order - 1)) + bessel_i(x, order=order + 1))},
    samples=together(
        *[unary(-4.0, 4.0, complex_too=False, params={"order": n}) for n in (0, 1, 2)],
        lambda rng: [Sample(np.array([0.0, 35.0, -37.0, 60.0]), params={"order": n}) for n in (0, 1)],
    ),
    absent={"complex": "as NumPy's i0, of real values alone"},
)


# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. Derivatives by a recurrence of two
# orders are smooth at 0, where those with a division by x are not.


def _order(v, low):
    """The function of order `v`: `low[0]`, `low[1]`, or the one of general order."""
    return low[v] if v < 2 else lambda x: low[2](x, v=v)


def _bessel(name, general, d, low, high, **facts):
    """The function of integer order `v` >= 2, which has SciPy's name `general` on other arrays."""
    kernel = scipy_kernel(general)
    return elementwise(
        name,
        impl=lambda xp, x, *, v: kernel(xp, v, x),
        d={"x": d},
        samples=lambda rng: [Sample(rng.uniform(low, high, s), params={"v": 2}) for s in ((), (2, 3), (0,))]
        + [Sample(rng.uniform(low, high, 3), params={"v": 3}),
           Sample(rng.uniform(low, high, 3).astype(np.float32), params={"v": 2})],
        absent={"complex": "the functions of order 0 and 1 are real"},
        **facts,
    )


# DLMF 10.6.1 and 10.6.3; y0 and y1 are -inf at 0 and NaN below.
j0 = scipy_unary("j0", lambda x: -j1(x), -4.0, 4.0, extra=[0.0])
j1 = scipy_unary("j1", lambda x: 0.5 * (j0(x) - jv(x, v=2)), -4.0, 4.0, extra=[0.0])
jv = _bessel("jv", "jv", lambda x, v: 0.5 * (_order(v - 1, (j0, j1, jv))(x) - jv(x, v=v + 1)), 0.5, 4.0)
y0 = scipy_unary("y0", lambda x: -y1(x), 0.5, 4.0, singular=True)
y1 = scipy_unary("y1", lambda x: 0.5 * (y0(x) - yv(x, v=2)), 0.5, 4.0, singular=True)
yv = _bessel("yv", "yn", lambda x, v: 0.5 * (_order(v - 1, (y0, y1, yv))(x) - yv(x, v=v + 1)), 0.5, 4.0, singular=True)
# DLMF 10.29.1 and 10.29.3.
i0 = scipy_unary("i0", lambda x: i1(x), -3.0, 3.0, extra=[0.0], own=lambda xp, x: whole_order(xp, x, 0))
i1 = scipy_unary("i1", lambda x: 0.5 * (i0(x) + bessel_i(x, order=2)), -3.0, 3.0, extra=[0.0],
                 own=lambda xp, x: whole_order(xp, x, 1))


def _scaled(x, ans, slope, v):
    """The derivative of e^-|x| f(x) from e^-|x| f'(x); at 0, not smooth if f(0) is not 0, the mean of both sides."""
    return away_from_0(x, v, -1.0, slope - sign(x) * ans, sign(x) if v % 2 == 0 else 1.0)


def _kink(name, d):
    """A scaled function with a non-smooth point at 0."""
    kernel = scipy_kernel(name)
    return elementwise(name, impl=lambda xp, x: kernel(xp, x), d={"x": d}, samples=together(
        unary(-3.0, 3.0, complex_too=False), lambda rng: [Sample(np.zeros(2), smooth=False, orders=1)]))


i0e = _kink("i0e", lambda x, ans: _scaled(x, ans, i1e(x), 0))
i1e = _kink("i1e", lambda x, ans: _scaled(x, ans, 0.5 * (i0e(x) + ive(x, v=2)), 1))
ive = _bessel("ive", "ive", lambda x, v, ans: _scaled(x, ans, 0.5 * (_order(v - 1, (i0e, i1e, ive))(x)
                                                                    + ive(x, v=v + 1)), v), 0.5, 3.0,
              lower=lambda x, v: _of_order(x, v, (i0e, i1e), lambda size: exp(-size)))


# Modified Bessel functions of the second kind, of order 0 and 1, and Airy's function, which is one of order 1/3.

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. DLMF 10.29.2 and 10.29.3; all are
# infinite at 0 and NaN below, k0e and k1e are e^x times k0 and k1.
k0 = scipy_unary("k0", lambda x: -k1(x), 0.5, 4.0, singular=True)
k1 = scipy_unary("k1", lambda x, ans: -k0(x) - ans / x, 0.5, 4.0, singular=True)
k0e = scipy_unary("k0e", lambda x, ans: away_from_0(x, 0, 1.0, ans - k1e(x)), 0.5, 4.0, singular=True)
k1e = scipy_unary("k1e", lambda x, ans: away_from_0(x, 1, 1.0, ans - k0e(x) - ans / x), 0.5, 4.0, singular=True)


def _airy(name, which, d):
    """Ai (0) or its derivative (1)."""
    kernel = scipy_kernel("airy", part=which)
    return elementwise(
        name,
        impl=lambda xp, x: kernel(xp, x),
        d={"x": d},
        quiet=True,
        samples=unary(-4.0, 3.0, complex_too=False),
        absent={"complex": "only the real function is built"},
    )


airy_ai = _airy("airy_ai", 0, lambda x: airy_ai_slope(x))
airy_ai_slope = _airy("airy_ai_slope", 1, lambda x: x * airy_ai(x))  # DLMF 9.2.1
