"""Bessel functions of any order; the order is a constant, since there is no closed-form derivative by it."""

import numpy as np

from ...arrays.dtypes import is_inexact
from ...errors import DtypeError, at_user_line
from ...primitive.families import elementwise
from ..samples import Sample
from ..selection import astype, sign, trunc, where
from .bessel_integer import away_from_0
from .scipy_kernels import WIDE, array, scipy_kernel


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
