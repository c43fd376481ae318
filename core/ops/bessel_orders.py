"""Bessel functions of any order, which is a constant to derivatives: by it there is no closed form."""

import numpy as np

from ..dtypes import is_inexact
from ..errors import DtypeError, RuleError, at_user_line
from ..families import elementwise
from ..tracer import Batched, Tracer
from .samples import Sample
from .scipy_kernels import WIDE, scipy_kernel
from .selection import sign


def _kernel(name):
    """SciPy's function `name` of an order and an array, in the precision of the array."""
    kernel = scipy_kernel(name)

    def run(xp, v, x):
        x = xp.asarray(x)
        if x.dtype.kind == "c":
            raise DtypeError(f"{name} takes real values, but got {x.dtype}: SciPy has derivatives of complex ones by "
                             "other functions; call scipy.special outside of the derivative")
        return kernel(xp, xp.asarray(v).astype(x.dtype if is_inexact(x.dtype) else WIDE), x)

    return run


def _of_order(name, d, orders=(0.5, 1.0, 2.5), **facts):
    """The function of the order `v` at `x`."""
    kernel = _kernel(name)
    prim = elementwise(
        f"{name}_of_order",
        impl=lambda xp, v, x: kernel(xp, v, x),
        d={"x": d},
        nondiff="v",
        absent={"complex": "the functions of order 0 and 1 are real"},
        samples=lambda rng: [Sample(np.array(orders[0]), rng.uniform(0.5, 3.0, s)) for s in ((), (2, 3), (0,))]
        + [Sample(np.array(orders), rng.uniform(0.5, 3.0, (2, 3))),
           Sample(np.array(1), np.array(1.5)), Sample(np.array(orders[1]), rng.uniform(0.5, 3, 3).astype(np.float32))],
        **facts,
    )

    def of_order(v, x):
        return prim(_constant(name, v), x)

    of_order.__name__ = name
    return prim, of_order


def _constant(name, v):
    """An order, unless it may carry a derivative."""
    inner = v
    while isinstance(inner, Tracer):
        if not isinstance(inner, Batched) and v.dtype.kind not in "iub":
            raise RuleError(f"{name} has no derivative by its order, but the order is a traced value ({v.aval!r}); "
                            f"pass an integer or a plain array, or stop_gradient(v){at_user_line()}")
        inner = inner.value
    return v


# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. DLMF 10.6.1.
_j, jv = _of_order("jv", lambda v, x: 0.5 * (_j(v - 1, x) - _j(v + 1, x)))
_y, yv = _of_order("yv", lambda v, x: 0.5 * (_y(v - 1, x) - _y(v + 1, x)), singular=True)
_yn, yn = _of_order("yn", lambda v, x: 0.5 * (_yn(v - 1, x) - _yn(v + 1, x)), (0, 1, 2), singular=True)
# DLMF 10.29.1, of I and of exp(iπv) K; ive has a kink at 0 if v is 0, where it takes the mean of both sides.
_i, iv = _of_order("iv", lambda v, x: 0.5 * (_i(v - 1, x) + _i(v + 1, x)))
_ie, ive = _of_order("ive", lambda v, x, ans: 0.5 * (_ie(v - 1, x) + _ie(v + 1, x)) - sign(x) * ans)
_k, kv = _of_order("kv", lambda v, x: -0.5 * (_k(v - 1, x) + _k(v + 1, x)), singular=True)
_ke, kve = _of_order("kve", lambda v, x, ans: ans - 0.5 * (_ke(v - 1, x) + _ke(v + 1, x)), singular=True)
