"""The inverse of the normal distribution function and of erf, by three quotients of polynomials.

M. J. Wichura, "Algorithm AS 241: percentage points of the normal distribution", Appl. Statist. 37 (1988), 477-484.
"""

import math

from ....core.ops.special.normal_distribution import FAR, MIDDLE, TAIL
from .logarithms import log
from .simd import poly


def erfinv(b, x):
    """The inverse of erf: the quantile of half of `x` away from one half, over the root of two."""
    if b.width == 32:
        return b.narrow(erfinv(b.wide, b.widen(x)))
    one, half = b.const(1.0), b.const(0.5)
    size = b.fabs(x)
    value = b.fmul(_quantile(b, b.fmul(size, half), b.fmul(b.fsub(one, size), half)), b.const(math.sqrt(0.5)))
    return b.copysign(value, b.fadd(x, b.const(0.0)))  # 0 of -0, as SciPy has it


def ndtri(b, p):
    """The quantile of the standard normal distribution."""
    if b.width == 32:
        return b.narrow(ndtri(b.wide, b.widen(p)))
    half = b.const(0.5)
    away = b.fsub(p, half)
    rest = b.select(b.fcmp("<", p, half), p, b.fsub(b.const(1.0), p))
    return b.copysign(_quantile(b, b.fabs(away), rest), away)


def _quantile(b, away, rest):
    """The quantile of one half and `away >= 0`, where `rest` is one half less `away`: exact of both, as they are given.

    Infinite where nothing is left, and NaN beyond.
    """
    zero = b.const(0.0)
    near = b.fmul(away, _ratio(b, MIDDLE, b.fsub(b.const(0.180625), b.fmul(away, away))))
    inside = b.select(b.fcmp(">", rest, zero), rest, b.const(0.25))
    root = b.sqrt(b.fneg(log(b, inside)))
    tail = b.select(b.fcmp("<=", root, b.const(5.0)), _ratio(b, TAIL, b.fsub(root, b.const(1.6))),
                    _ratio(b, FAR, b.fsub(root, b.const(5.0))))
    found = b.select(b.fcmp("<=", away, b.const(0.425)), near, tail)
    found = b.select(b.fcmp("==", rest, zero), b.const(math.inf), found)
    return b.select(b.fcmp(">=", rest, zero), found, b.const(math.nan))


def _ratio(b, pair, x):
    return b.fdiv(poly(b, x, pair[0][::-1]), poly(b, x, pair[1][::-1]))
