"""Spherical Bessel functions of integer order, the hyperbolic integrals, and Airy's functions of both kinds."""

import numpy as np

from ...arrays.dtypes import is_inexact
from ..elementary import cosh, sinh
from ..samples import Sample
from ..selection import astype, where
from .bessel_second_kind import _airy
from .integrals import _one_of, _over
from .scipy_calls import calling, scipy_call
from .scipy_kernels import WIDE

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


def _positive(rng):
    return [Sample(rng.uniform(0.3, 3.0, s)) for s in ((), (3,), (0,))] + [
        Sample(rng.uniform(0.3, 3.0, 3).astype("f4"))]


hyperbolic_sine_integral = _one_of("hyperbolic_sine_integral", "shichi", 0, lambda x: sinh(x) * _over(x), _positive,
                                   singular=True)  # DLMF 6.2.15
hyperbolic_cosine_integral = _one_of("hyperbolic_cosine_integral", "shichi", 1, lambda x: cosh(x) * _over(x), _positive,
                                     singular=True)  # DLMF 6.2.16
airy_bi = _airy("airy_bi", 2, lambda x: airy_bi_slope(x))
airy_bi_slope = _airy("airy_bi_slope", 3, lambda x: x * airy_bi(x))  # DLMF 9.2.1
