"""erf, erfc and the normal distribution: a polynomial around zero, and the exponential of the square times another."""

import math

from ....core.ops.special.inverse_erf import FAR, MIDDLE, TAIL
from .coefficients import CONSTANTS, POLYNOMIALS
from .exponentials import exp_parts, reduced, times
from .logarithms import log
from .simd import (
    FORMATS,
    add_exact,
    add_ordered,
    divide,
    mul_exact,
    poly,
    polynomial,
    power_of_two,
    scale,
    scale_sum,
    squeeze,
)

CENTRE = 3.75  # the polynomial is one in (x - 3.75) / (x + 3.75), after Shepherd and Laframboise (1981)
LAST = {64: 28.0, 32: 10.5}  # erfc is zero from here on


def _tail(b, a):
    """`n`, `h` and `t` of `erfc(a) = (h + t) * 2 ** n`, for `a >= 0` of 64 bits."""
    a = squeeze(b, a, 0.0, LAST[64])
    return _scaled_tail(b, a, CENTRE, (b.fadd(a, a), b.const(0.0)), mul_exact(b, a, b.fneg(a)))


def _scaled_tail(b, a, centre, twice, square):
    """`_tail` of a multiple of `a`: `centre` in units of `a`, and as sums of two twice it and minus its square."""
    one, centre = b.const(1.0), b.const(centre)
    place = b.fdiv(b.fsub(a, centre), b.fadd(a, centre))
    first, *others = POLYNOMIALS["erfc", 64]
    value, below = add_ordered(b, b.const(first), b.fmul(place, poly(b, place, others)))
    more, more_low = add_exact(b, twice[0], one)
    factor, factor_low = divide(b, value, below, more, b.fadd(more_low, twice[1]))
    n, h, t = exp_parts(b, *square)
    h, t = add_ordered(b, h, t)
    value, below = mul_exact(b, h, factor)
    return n, value, b.fma(t, factor, b.fma(h, factor_low, below))


def _tail_single(w, a):
    """`erfc(a)` in lanes of 64 bits, good enough for single precision."""
    a = squeeze(w, a, 0.0, LAST[32])
    one, centre = w.const(1.0), w.const(CENTRE)
    place = w.fdiv(w.fsub(a, centre), w.fadd(a, centre))
    factor = w.fdiv(poly(w, place, POLYNOMIALS["erfc_short", 64]), w.fma(a, w.const(2.0), one))
    n, r, _ = reduced(w, w.fmul(a, w.fneg(a)))
    series = w.fma(w.fmul(r, r), poly(w, r, POLYNOMIALS["exp_short", 64]), r)
    return w.fmul(w.fmul(w.fadd(one, series), factor), power_of_two(w, w.iadd(n, w.iconst(FORMATS[64].bias))))


def erfc(b, x):
    """The tail, or 2 minus it for negative numbers; around zero 1 minus `erf`."""
    if b.width == 32:
        w, x = b.wide, b.widen(x)
        value = _tail_single(w, w.fabs(x))
        return b.narrow(w.select(w.fcmp("<", x, w.const(0.0)), w.fsub(w.const(2.0), value), value))
    n, h, t = _tail(b, b.fabs(x))
    tail = scale_sum(b, h, t, n)
    high, low = add_ordered(b, b.const(2.0), b.fneg(scale(b, h, n)))
    far = b.select(b.fcmp("<", x, b.const(0.0)), b.fadd(high, b.fsub(low, scale(b, t, n))), tail)
    high, low = add_ordered(b, b.const(1.0), b.fneg(x))
    near = b.fadd(high, b.fma(b.fneg(x), polynomial(b, "erf", b.fmul(x, x)), low))
    return b.select(b.fcmp("<", b.fabs(x), b.const(0.75)), near, far)


def erf(b, x):
    """`x` and a polynomial up to one, then one less the tail."""
    if b.width == 32:
        w, x = b.wide, b.widen(x)
        return b.narrow(_erf(w, x, "erf_short", w.fsub(w.const(1.0), _tail_single(w, w.fabs(x)))))
    n, h, t = _tail(b, b.fabs(x))
    high, low = add_ordered(b, b.const(1.0), b.fneg(scale(b, h, n)))
    return _erf(b, x, "erf", b.fadd(high, b.fsub(low, scale(b, t, n))))


def _erf(b, x, name, far):
    z = b.fmul(x, x)
    near = b.fma(x, poly(b, z, POLYNOMIALS[name, 64]), x)
    return b.select(b.fcmp("<", b.fabs(x), b.const(1.0)), near, b.copysign(far, x))


def _normal_parts(b, x):
    """`n`, `h` and `t` of the normal distribution function of `x = (h + t) * 2 ** n`, of 64 bits."""
    zero, half, one = b.const(0.0), b.const(0.5), b.const(1.0)
    a = squeeze(b, b.fabs(x), 0.0, LAST[64] * 2**0.5)
    root = CONSTANTS["root_two", 64]
    twice, twice_low = mul_exact(b, a, b.const(root[0]))
    twice = twice, b.fma(a, b.const(root[1]), twice_low)
    n, h, t = _scaled_tail(b, a, CENTRE * 2**0.5, twice, mul_exact(b, a, b.fmul(a, b.const(-0.5))))
    n = b.isub(n, b.iconst(1))
    # 1 less the tail, and around zero one half and a polynomial
    high, low = add_ordered(b, one, b.fneg(scale(b, h, n)))
    low = b.fsub(low, scale(b, t, n))
    z = b.fmul(x, x)
    slope = CONSTANTS["density", 64]
    near, near_low = mul_exact(b, x, b.const(slope[0]))
    near_low = b.fma(x, b.fma(z, polynomial(b, "ndtr", z), b.const(slope[1])), near_low)
    near, lost = add_ordered(b, half, near)
    close = b.fcmp("<", a, one)
    high, low = b.select(close, near, high), b.select(close, b.fadd(lost, near_low), low)
    tail = b.and_(b.fcmp("<", x, zero), b.not_(close))
    return b.select(tail, n, b.iconst(0)), b.select(tail, h, high), b.select(tail, t, low)


def ndtr(b, x):
    """The normal distribution function."""
    if b.width == 32:
        return b.narrow(_ndtr_single(b.wide, b.widen(x)))
    n, h, t = _normal_parts(b, x)
    return scale_sum(b, h, t, n)


def _ndtr_single(w, x):
    """The normal distribution function in lanes of 64 bits, zero where it is too small for single precision."""
    a = w.fabs(x)
    tail = w.fmul(_tail_single(w, w.fmul(a, w.const(0.5**0.5))), w.const(0.5))
    tail = w.select(w.fcmp(">", a, w.const(LAST[32] * 2**0.5)), w.const(0.0), tail)
    return w.select(w.fcmp("<", x, w.const(0.0)), tail, w.fsub(w.const(1.0), tail))


def gelu(b, x):
    """`x` times the normal distribution function of it; NaN at minus infinity."""
    if b.width == 32:
        w, x = b.wide, b.widen(x)
        return b.narrow(w.fmul(x, _ndtr_single(w, x)))
    n, h, t = _normal_parts(b, x)
    return times(b, x, n, h, t, -LAST[64] * 2**0.5)


# The inverse of the normal distribution function and of erf, by three quotients of polynomials.
#
# M. J. Wichura, "Algorithm AS 241: percentage points of the normal distribution", Appl. Statist. 37 (1988), 477-484.


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
