"""sin, cos and tan: the quadrant, then polynomials on a quarter of pi to each side."""

from math import inf, nan

from .reduction import quadrant, quadrant_near, quadrant_single
from .simd import add_ordered, divide, polynomial


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
