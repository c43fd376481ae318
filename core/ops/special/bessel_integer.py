"""The modified Bessel function of the first kind of integer order, for window functions and their derivatives."""

import math

import numpy as np

from ...primitive.families import elementwise
from ...trace.tracer import Tracer
from ..arithmetic import sqrt
from ..samples import Sample, together, unary
from ..selection import where
from .scipy_kernels import array, scalar


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
    quiet=True,
    d={"x": lambda x, order: 0.5 * (bessel_i(x, order=abs(order - 1)) + bessel_i(x, order=order + 1))},
    samples=together(
        *[unary(-4.0, 4.0, complex_too=False, params={"order": n}) for n in (0, 1, 2)],
        lambda rng: [Sample(np.array([0.0, 35.0, -37.0, 60.0]), params={"order": n}) for n in (0, 1)],
    ),
    absent={"complex": "as NumPy's i0, of real values alone"},
)
