"""Trigonometric functions and their inverses: the quadrant, then polynomials on a quarter of pi to each side."""

from math import inf, nan

from .coefficients import CONSTANTS
from .reduction import quadrant, quadrant_near, quadrant_single
from .simd import add_exact, add_ordered, divide, polynomial, squeeze


def _sine(b, r, s, z):
    """The summand beside `r` in `sin(r + s)`."""
    series = b.fmul(b.fmul(r, z), polynomial(b, "sin", z))
    return b.fadd(series, b.fma(b.fmul(z, b.const(-0.5)), s, s))


def _cosine(b, r, s, z):
    """`cos(r + s)` as a sum of two."""
    half = b.fmul(z, b.const(0.5))
    high, lost = add_ordered(b, b.const(1.0), b.fneg(half))
    return high, b.fadd(lost, b.fma(b.fmul(z, z), polynomial(b, "cos", z), b.fneg(b.fmul(r, s))))


def sine_and_cosine(b, r, s):
    """Both of `r + s`, up to a quarter of pi, as sums of two."""
    z = b.fmul(r, r)
    return add_ordered(b, r, _sine(b, r, s, z)), add_ordered(b, *_cosine(b, r, s, z))


def _signed(b, value, q, x):
    """`value`, negative where `q & 2`, and with the sign of `x` on top, if it is given; NaN where `q` means nothing."""
    flips = b.shl(b.iand(q, b.iconst(2)), b.iconst(b.width - 2))
    if x is not None:
        flips = b.ixor(flips, b.iand(b.bits(x), b.iconst(-(1 << b.width - 1))))
    return b.from_bits(b.ixor(b.bits(value), flips))


def _odd(b, q):
    return b.icmp("!=", b.iand(q, b.iconst(1)), b.iconst(0))


def _finite(b, a, value):
    return b.select(b.fcmp("<", a, b.const(inf)), value, b.const(nan))


def _wave(b, x, cosine, reduce):
    a = b.fabs(x)
    q, r, s = reduce(b, a)
    z = b.fmul(r, r)
    sine, (high, low) = b.fadd(r, _sine(b, r, s, z)), _cosine(b, r, s, z)
    if cosine:
        q = b.iadd(q, b.iconst(1))
    value = b.select(_odd(b, q), b.fadd(high, low), sine)
    return _finite(b, a, _signed(b, value, q, None if cosine else x))


def _short(b, r):
    """Sine and cosine of `r`, good enough for single precision."""
    z = b.fmul(r, r)
    sine = b.fma(b.fmul(r, z), polynomial(b, "sin_short", z), r)
    return sine, b.fma(b.fmul(z, z), polynomial(b, "cos_short", z), b.fma(z, b.const(-0.5), b.const(1.0)))


def _wave_single(b, x, cosine):
    w, x = b.wide, b.widen(x)
    a = w.fabs(x)
    q, r = quadrant_single(w, a)
    sine, other = _short(w, r)
    if cosine:
        q = w.iadd(q, w.iconst(1))
    value = w.select(_odd(w, q), other, sine)
    return b.narrow(_finite(w, a, _signed(w, value, q, None if cosine else x)))


def sin(b, x):
    return _wave(b, x, False, quadrant) if b.width == 64 else _wave_single(b, x, False)


def cos(b, x):
    return _wave(b, x, True, quadrant) if b.width == 64 else _wave_single(b, x, True)


def tan(b, x):
    return _tan(b, x, quadrant) if b.width == 64 else _tan_single(b, x)


def _tan(b, x, reduce):
    a = b.fabs(x)
    q, r, s = reduce(b, a)
    sine, cosine = sine_and_cosine(b, r, s)
    odd = _odd(b, q)
    over = [b.select(odd, c, s) for s, c in zip(sine, cosine)]
    under = [b.select(odd, s, c) for s, c in zip(sine, cosine)]
    value, left = divide(b, *over, *under)
    turns = b.shl(q, b.iconst(1))  # a minus in odd quadrants
    return _finite(b, a, _signed(b, b.fadd(value, left), turns, x))


def _tan_single(b, x):
    w, x = b.wide, b.widen(x)
    a = w.fabs(x)
    q, r = quadrant_single(w, a)
    sine, cosine = _short(w, r)
    odd = _odd(w, q)
    value = w.fdiv(w.select(odd, cosine, sine), w.select(odd, sine, cosine))
    return b.narrow(_finite(w, a, _signed(w, value, w.shl(q, w.iconst(1)), x)))


def sin_near(b, x):
    """`sin` for `|x|` below `LARGE`, in lanes of its own width."""
    return _wave(b, x, False, quadrant_near)


def cos_near(b, x):
    """`cos` for `|x|` below `LARGE`, in lanes of its own width."""
    return _wave(b, x, True, quadrant_near)


def tan_near(b, x):
    """`tan` for `|x|` below `LARGE`, in lanes of its own width."""
    return _tan(b, x, quadrant_near)


# Inverse trigonometric functions: arcsin, arccos, arctan and arctan2.

STEEP, FLAT = 2.414213562373095, 0.41421356237309503  # tangents of 3/8 and 1/8 of pi
# From the first bound on, and below the second, points of the plane are scaled by the numbers beside them.
FAR = {64: (2.0**1000, 2.0**-100), 32: (2.0**100, 2.0**-40)}
CLOSE = {64: (2.0**-900, 2.0**200), 32: (2.0**-90, 2.0**60)}


def _angle(b, y, x):
    """The angle of the point `x, y`, neither negative nor both zero, as a sum of two."""
    steep = b.fcmp(">", y, b.fmul(x, b.const(STEEP)))
    flat = b.not_(b.fcmp(">", y, b.fmul(x, b.const(FLAT))))
    zero = b.const(0.0)

    def either(if_steep, if_flat, between):
        return b.select(steep, if_steep, b.select(flat, if_flat, between))

    less, less_low = add_exact(b, y, b.fneg(x))
    more, more_low = add_exact(b, y, x)
    over, over_low = either(b.fneg(x), y, less), either(zero, zero, less_low)
    under, under_low = either(y, x, more), either(zero, zero, more_low)
    t, rest = divide(b, over, over_low, under, under_low)
    z = b.fmul(t, t)
    series = b.fmul(b.fmul(t, z), polynomial(b, "arctan", z))
    series = b.fadd(series, b.fma(b.fneg(z), rest, rest))
    half, quarter = CONSTANTS["half_pi", b.width], CONSTANTS["quarter_pi", b.width]
    start, start_low = (either(b.const(half[k]), zero, b.const(quarter[k])) for k in (0, 1))
    high, low = add_ordered(b, start, t)
    return high, b.fadd(low, b.fadd(start_low, series))


def arctan(b, x):
    a = squeeze(b, b.fabs(x), 0.0, 2.0**60)
    high, low = _angle(b, a, b.const(1.0))
    return b.copysign(b.fadd(high, low), x)


def arctan2(b, y, x):
    up, along = b.fabs(y), b.fabs(x)
    size = b.select(b.fcmp(">", up, along), up, along)
    one, zero = b.const(1.0), b.const(0.0)
    factor = b.select(b.fcmp(">=", size, b.const(FAR[b.width][0])), b.const(FAR[b.width][1]), one)
    factor = b.select(b.fcmp("<", size, b.const(CLOSE[b.width][0])), b.const(CLOSE[b.width][1]), factor)
    endless = b.fcmp("==", size, b.const(inf))

    def scaled(length):
        at_infinity = b.select(b.fcmp("==", length, b.const(inf)), one, zero)
        return b.select(endless, at_infinity, b.fmul(length, factor))

    nowhere = b.fcmp("==", size, zero)
    high, low = _angle(b, scaled(up), b.select(nowhere, one, scaled(along)))
    pi = CONSTANTS["pi", b.width]
    back, back_low = add_ordered(b, b.const(pi[0]), b.fneg(high))
    back_low = b.fadd(back_low, b.fsub(b.const(pi[1]), low))
    behind = b.icmp("<", b.bits(x), b.iconst(0))
    value = b.select(behind, b.fadd(back, back_low), b.fadd(high, low))
    return b.select(b.or_(b.isnan(x), b.isnan(y)), b.const(nan), b.copysign(value, y))


def _arcsine(b, x):
    """Tell whether `|x|` is above one half, and `s` and `p` of `arcsin(|x|) = s + p`, or of half of `arccos(|x|)`
    there."""
    a = b.fabs(x)
    large = b.fcmp(">", a, b.const(0.5))
    half = b.const(0.5)
    z = b.select(large, b.fma(a, b.const(-0.5), half), b.fmul(a, a))
    s = b.select(large, b.sqrt(z), a)
    return large, s, b.fmul(b.fmul(s, z), polynomial(b, "arcsin", z))


def _less(b, parts, s, p):
    """The constant of two parts, less `s + p`."""
    high, low = add_ordered(b, b.const(parts[0]), b.fneg(s))
    return b.fadd(high, b.fadd(low, b.fsub(b.const(parts[1]), p)))


def arcsin(b, x):
    large, s, p = _arcsine(b, x)
    far = _less(b, CONSTANTS["half_pi", b.width], b.fadd(s, s), b.fadd(p, p))
    return b.copysign(b.select(large, far, b.fadd(s, p)), x)


def arccos(b, x):
    large, s, p = _arcsine(b, x)
    near = _less(b, CONSTANTS["half_pi", b.width], x, b.copysign(p, x))
    s, p = b.fadd(s, s), b.fadd(p, p)
    far = b.select(b.fcmp("<", x, b.const(0.0)), _less(b, CONSTANTS["pi", b.width], s, p), b.fadd(s, p))
    return b.select(large, far, near)
