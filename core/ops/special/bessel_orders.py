"""Bessel functions of any order, spherical ones, and the integrals and functions of Airy near to them."""

import math

import numpy as np

from ...arrays.dtypes import is_inexact
from ...errors import DtypeError, at_user_line
from ...primitive.families import elementwise
from ..elementary import cosh, sinh
from ..samples import Sample
from ..selection import astype, sign, trunc, where
from .bessel import _airy, away_from_0
from .integrals import _one_of, _over, _series
from .scipy_kernels import WIDE, array, calling, scipy_call, scipy_kernel


def _kernel(name):
    """SciPy's function `name` of an order and an array, in the precision of the array."""
    kernel, plain = scipy_kernel(name), scipy_kernel("iv")

    def run(xp, v, x):
        x = array(xp, x)
        if x.dtype.kind == "c":
            raise DtypeError(f"{name} takes real values, but got {x.dtype}: SciPy has derivatives of complex ones by "
                             f"other functions; call scipy.special outside of the derivative{at_user_line()}")
        v = array(xp, v).astype(x.dtype if is_inexact(x.dtype) else WIDE)
        # SciPy has NaN for ive of negative orders at 0, where it is iv, which is infinite.
        return xp.where(x == 0, plain(xp, v, x), kernel(xp, v, x)) if name == "ive" else kernel(xp, v, x)

    return run


def _of_order(name, d, orders=(0.5, 1.0, 2.5), **facts):
    """The function of the order `v` at `x`."""
    kernel = _kernel(name)
    return elementwise(
        f"{name}_of_order",
        impl=lambda xp, v, x: kernel(xp, v, x),
        d={"x": d},
        nondiff="v",
        refused={"v": "the derivative with respect to the order has no closed form"},
        absent={"complex": "the functions of order 0 and 1 are real"},
        samples=lambda rng: [Sample(np.array(orders[0]), rng.uniform(0.5, 3.0, s)) for s in ((), (2, 3), (0,))]
        + [Sample(np.array(orders), rng.uniform(0.5, 3.0, (2, 3))),
           Sample(np.array(1), np.array(1.5)), Sample(np.array(orders[1]), rng.uniform(0.5, 3, 3).astype(np.float32))],
        **facts,
    )


def _away(v, x, turn, near):
    """`near`, or the series for large positive x."""
    v = v if isinstance(v, int | float) else astype(v, near.dtype)
    return where(x > 0, away_from_0(where(x > 0, x, 1.0), v, turn, near), near)


# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. DLMF 10.6.1.
jv = _of_order("jv", lambda v, x: 0.5 * (jv(v - 1, x) - jv(v + 1, x)))
yv = _of_order("yv", lambda v, x: 0.5 * (yv(v - 1, x) - yv(v + 1, x)), singular=True)
# SciPy cuts the order of yn to a whole one, so that of 0.7 has the derivative of order 0.
yn = _of_order("yn", lambda v, x: 0.5 * (yn(trunc(v) - 1, x) - yn(trunc(v) + 1, x)), (0, 1, 2), singular=True)
# DLMF 10.29.1, of I and of exp(iπv) K; ive is not smooth at 0 if v is 0: the mean of both sides.
iv = _of_order("iv", lambda v, x: 0.5 * (iv(v - 1, x) + iv(v + 1, x)))
ive = _of_order("ive", lambda v, x, ans: _away(v, x, -1.0, 0.5 * (ive(v - 1, x) + ive(v + 1, x)) - sign(x) * ans))
kv = _of_order("kv", lambda v, x: -0.5 * (kv(v - 1, x) + kv(v + 1, x)), singular=True)
kve = _of_order("kve", lambda v, x, ans: _away(v, x, 1.0, ans - 0.5 * (kve(v - 1, x) + kve(v + 1, x))), singular=True)


# Spherical Bessel functions of integer order, the hyperbolic integrals, and Airy's functions of both kinds.

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.


def _orders(low):
    return lambda rng: [Sample(np.array(k), rng.uniform(low, 4.0, s)) for k, s in ((0, ()), (1, (3,)), (2, (0,)))] + [
        Sample(np.array([[0], [3]]), rng.uniform(low, 4.0, 3)),
        Sample(np.array(2), rng.uniform(low, 4, 3).astype("f4"))]


def _spherical(name, before, after, low):
    """f′ = (n · before · f(n - 1) + (n + 1) · after · f(n + 1)) / (2n + 1), DLMF 10.51.1 and 10.51.4: no pole at 0."""

    def slope(n, x):
        real = x.dtype if is_inexact(x.dtype) else WIDE
        size = astype(n, real)
        below = fun(where(n == 0, 0, n - 1), x)
        return (before * size * below + after * (size + 1.0) * fun(n + 1, x)) / (2.0 * size + 1.0)

    fun = calling(name, scipy_call(name), {"x": slope}, _orders(low), names="n, x", nondiff="n",
                  refused={"n": "the order is an integer"}, singular=low > 0, same=False,
                  absent={"complex": "only the real function is built"})
    return fun


spherical_jn = _spherical("spherical_jn", 1, -1, 0.0)
spherical_yn = _spherical("spherical_yn", 1, -1, 0.5)
spherical_in = _spherical("spherical_in", 1, 1, 0.0)
spherical_kn = _spherical("spherical_kn", -1, -1, 0.5)


def _sinhc(x):
    """sinh(x) / x, and its series near 0."""
    near = abs(x) < 0.5
    square = where(near, x, 0.0) ** 2
    safe = where(near, 1.0, x)
    return where(near, _series([1.0 / math.factorial(2 * k + 1) for k in range(9)], square), sinh(safe) / safe)


def _positive(rng):
    return [Sample(rng.uniform(0.3, 3.0, s)) for s in ((), (3,), (0,))] + [
        Sample(rng.uniform(0.3, 3.0, 3).astype("f4"))]


# DLMF 6.2.15 and 6.2.16.
hyperbolic_sine_integral = _one_of("hyperbolic_sine_integral", "shichi", 0, lambda x: _sinhc(x), _positive)
hyperbolic_cosine_integral = _one_of("hyperbolic_cosine_integral", "shichi", 1, lambda x: cosh(x) * _over(x), _positive,
                                     singular=True)
airy_bi = _airy("airy_bi", 2, lambda x: airy_bi_slope(x))
airy_bi_slope = _airy("airy_bi_slope", 3, lambda x: x * airy_bi(x))  # DLMF 9.2.1
