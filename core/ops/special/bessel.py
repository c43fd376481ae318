"""Bessel functions of order 0 and 1; those of higher order serve their second derivatives."""

import numpy as np

from ...primitive.families import elementwise
from ..samples import Sample, together, unary
from ..selection import sign
from .bessel_integer import away_from_0, bessel_i, whole_order
from .scipy_kernels import scipy_kernel, scipy_unary

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
                                                                    + ive(x, v=v + 1)), v), 0.5, 3.0)
