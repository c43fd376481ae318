"""Powers, roots and lengths."""

from math import inf, nan

from .coefficients import CONSTANTS, POLYNOMIALS
from .exponentials import exp_parts, reduced
from .logarithms import normal, split, with_powers
from .simd import (
    FORMATS,
    add_ordered,
    as_float,
    divide,
    mul_exact,
    poly,
    polynomial,
    power_of_two,
    product_of_sums,
    scale_sum,
    squeeze,
)

# Where squares leave the range, lengths are scaled: a bound, and what is multiplied from there on, and back.
SQUARES = {64: (2.0**450, 2.0**600), 32: (2.0**50, 2.0**75)}


def power(b, x, y):
    """`x ** y` by the logarithm of `|x|`, with the cases of C's `pow`."""
    value = _power(b, b.fabs(x), y) if b.width == 64 else _power_single(b, b.fabs(x), y)
    one, zero = b.const(1.0), b.const(0.0)
    half = b.fmul(y, b.const(0.5))
    whole = b.fcmp("==", b.floor(y), y)
    odd = b.and_(whole, b.fcmp("!=", b.floor(half), half))
    negative = b.icmp("<", b.bits(x), b.iconst(0))
    value = b.select(b.and_(odd, negative), b.fneg(value), value)
    undefined = b.and_(b.and_(b.fcmp("<", x, zero), b.fcmp(">", x, b.const(-inf))), b.not_(whole))
    undefined = b.or_(undefined, b.or_(b.isnan(x), b.isnan(y)))
    value = b.select(undefined, b.const(nan), value)
    endless = b.and_(b.fcmp("==", b.fabs(x), one), b.fcmp("==", b.fabs(y), b.const(inf)))
    return b.select(b.or_(endless, b.or_(b.fcmp("==", x, one), b.fcmp("==", y, zero))), one, value)


def _at_ends(b, a, value):
    """The logarithm `value` of `a`, at zero and infinity too."""
    value = b.select(b.fcmp("==", a, b.const(0.0)), b.const(-inf), value)
    return b.select(b.fcmp("==", a, b.const(inf)), a, value)


def _power(b, a, y):
    form = FORMATS[64]
    high, low = long_log(b, a)
    ends = _at_ends(b, a, high)
    product, lost = mul_exact(b, y, ends)
    lost = b.fma(y, low, lost)
    inside = b.fcmp("<", b.fabs(product), b.const(1000.0))
    inside = b.and_(inside, b.fcmp("<", b.fabs(ends), b.const(inf)))
    lost = b.select(inside, lost, b.const(0.0))
    n, h, t = exp_parts(b, squeeze(b, product, form.bottom, form.top), lost)
    return scale_sum(b, h, t, n)


def long_log(b, x):
    """`log(x)` as a sum of two, to about 2 ** -67 of it; `x` is positive and finite, of 64 bits."""
    u, shift = normal(b, x)
    k, m = split(b, u)
    k = b.fsub(as_float(b, k), shift)
    f = b.fsub(m, b.const(1.0))
    s, s_low = divide(b, f, b.const(0.0), *add_ordered(b, b.const(2.0), f))
    s, s_low = add_ordered(b, s, s_low)
    z, z_low = mul_exact(b, s, s)
    z_low = b.fma(b.fadd(s, s), s_low, z_low)
    thirds = CONSTANTS["two_thirds", 64]
    u, u_low = add_ordered(b, b.const(thirds[0]), b.fmul(z, polynomial(b, "log_rest", z)))
    v, v_low = product_of_sums(b, z, z_low, u, b.fadd(u_low, b.const(thirds[1])))
    w, w_low = product_of_sums(b, s, s_low, v, v_low)
    high, low = add_ordered(b, b.fadd(s, s), w)
    low = b.fadd(low, b.fadd(w_low, b.fadd(s_low, s_low)))
    return add_ordered(b, *with_powers(b, k, high, low, CONSTANTS["ln2_short", 64]))


def _power_single(b, a, y):
    w, a, y = b.wide, b.widen(a), b.widen(y)
    k, m = split(w, a)
    f = w.fsub(m, w.const(1.0))
    s = w.fdiv(f, w.fadd(f, w.const(2.0)))
    z = w.fmul(s, s)
    series = poly(w, z, POLYNOMIALS["log_short", 64])
    high = w.fma(w.fmul(s, z), series, w.fadd(s, s))
    high = w.fma(as_float(w, k), w.const(CONSTANTS["ln2", 64][0]), high)
    product = squeeze(w, w.fmul(y, _at_ends(w, a, high)), -110.0, 90.0)
    n, r, _ = reduced(w, product)
    series = w.fma(w.fmul(r, r), poly(w, r, POLYNOMIALS["exp_short", 64]), r)
    value = w.fadd(w.const(1.0), series)
    return b.narrow(w.fmul(value, power_of_two(w, w.iadd(n, w.iconst(FORMATS[64].bias)))))


def cbrt(b, x):
    """A polynomial between two powers of two, and two steps of Newton's, the second from an exact residual."""
    form = FORMATS[b.width]
    a = b.fabs(x)
    u, shift = normal(b, a)
    k, m = split(b, u)
    k = b.fsub(as_float(b, k), shift)
    shifted = b.fma(k, b.const(1 / 3), b.const(form.magic))
    thirds = b.fsub(shifted, b.const(form.magic))
    rest = b.fma(thirds, b.const(-3.0), k)  # -1, 0 or 1
    above, below = b.fcmp(">", rest, b.const(0.0)), b.fcmp("<", rest, b.const(0.0))

    def of(up, same, down):
        return b.select(above, b.const(up), b.select(below, b.const(down), b.const(same)))

    y = b.fmul(polynomial(b, "cbrt", b.fsub(m, b.const(1.0))), of(2 ** (1 / 3), 1.0, 0.5 ** (1 / 3)))
    m = b.fmul(m, of(2.0, 1.0, 0.5))
    square = b.fmul(y, y)
    inverse = b.fdiv(b.const(-1 / 3), square)
    y = b.fma(b.fma(square, y, b.fneg(m)), inverse, y)
    square, square_low = mul_exact(b, y, y)
    cube, cube_low = mul_exact(b, square, y)
    residual = b.fadd(b.fsub(cube, m), b.fma(square_low, y, cube_low))
    y = b.fma(residual, inverse, y)
    exponent = b.isub(b.bits(shifted), b.iconst(form.magic_bits - form.bias))
    value = b.copysign(b.fmul(y, power_of_two(b, exponent)), x)
    proper = b.and_(b.fcmp(">", a, b.const(0.0)), b.fcmp("<", a, b.const(inf)))
    return b.select(proper, value, x)


def hypot(b, x, y):
    """The length of the point `x, y`: the sum of squares and its root, each with its error."""
    x, y = b.fabs(x), b.fabs(y)
    swap = b.fcmp("<", x, y)
    a, c = b.select(swap, y, x), b.select(swap, x, y)
    bound, factor = SQUARES[b.width]
    far, close = b.fcmp(">", a, b.const(bound)), b.fcmp("<", a, b.const(1 / bound))

    def by(up, same, down):
        return b.select(far, b.const(down), b.select(close, b.const(up), b.const(same)))

    there, back = by(factor, 1.0, 1 / factor), by(1 / factor, 1.0, factor)
    a, c = b.fmul(a, there), b.fmul(c, there)
    (high, high_low), (other, other_low) = mul_exact(b, a, a), mul_exact(b, c, c)
    total, lost = add_ordered(b, high, other)
    lost = b.fadd(lost, b.fadd(high_low, other_low))
    root = b.sqrt(total)
    rest = b.fdiv(b.fadd(b.fma(b.fneg(root), root, total), lost), b.fadd(root, root))
    value = b.fmul(b.fadd(root, b.select(b.fcmp(">", root, b.const(0.0)), rest, b.const(0.0))), back)
    value = b.select(b.or_(b.isnan(x), b.isnan(y)), b.const(nan), value)
    endless = b.or_(b.fcmp("==", x, b.const(inf)), b.fcmp("==", y, b.const(inf)))
    return b.select(endless, b.const(inf), value)
