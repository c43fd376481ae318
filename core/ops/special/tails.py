"""Distribution functions and losses expressed through other functions, by SciPy's names."""

import math

from ..arithmetic import sin, sqrt
from ..selection import floor, where
from .incomplete import betainc, gammainc, gammaincc
from .scipy_kernels import in_one_precision


@in_one_precision
def betaincc(a, b, x):
    """1 - I_x(a, b) = I_{1-x}(b, a), DLMF 8.17.4."""
    return betainc(b, a, 1.0 - x)


@in_one_precision
def chdtr(v, x):
    return gammainc(0.5 * v, 0.5 * x)


@in_one_precision
def chdtrc(v, x):
    return gammaincc(0.5 * v, 0.5 * x)


@in_one_precision
def fdtr(dfn, dfd, x):
    return betainc(0.5 * dfn, 0.5 * dfd, dfn * x / (dfd + dfn * x))


@in_one_precision
def fdtrc(dfn, dfd, x):
    return betainc(0.5 * dfd, 0.5 * dfn, dfd / (dfd + dfn * x))


@in_one_precision
def gdtr(a, b, x):
    return gammainc(b, a * x)


@in_one_precision
def gdtrc(a, b, x):
    return gammaincc(b, a * x)


@in_one_precision
def pdtr(k, m):
    return gammaincc(floor(k) + 1.0, m)


@in_one_precision
def pdtrc(k, m):
    return gammainc(floor(k) + 1.0, m)


@in_one_precision
def exp10(x):
    return 10.0**x


@in_one_precision
def cosm1(x):
    """cos(x) - 1 = -2 sin²(x / 2)."""
    s = sin(0.5 * x)
    return -2.0 * s * s


@in_one_precision
def huber(delta, r):
    """r² / 2 up to |r| = delta, delta (|r| - delta / 2) beyond; there both have the same slope."""
    size = abs(r)
    inside = size <= delta
    value = where(inside, 0.5 * r * r, delta * (size - 0.5 * delta))
    return where(delta < 0, math.inf, value)


@in_one_precision
def pseudo_huber(delta, r):
    """delta² (sqrt(1 + (r / delta)²) - 1), 0 for delta = 0."""
    none = delta == 0
    safe = where(none, 1.0, delta)
    v = r / safe
    square = v * v
    value = safe * safe * (square / (1.0 + sqrt(1.0 + square)))  # the difference above, without cancellation
    return where(delta < 0, math.inf, where(none, 0.0 * r, value))


TAILS = {fun.__name__: fun for fun in (
    betaincc, chdtr, chdtrc, fdtr, fdtrc, gdtr, gdtrc, pdtr, pdtrc, exp10, cosm1, huber, pseudo_huber)}
