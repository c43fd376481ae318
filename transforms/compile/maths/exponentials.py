"""exp and its relatives: e to the remainder by half of ln 2, times a power of two."""

from math import inf, nan

from .coefficients import CONSTANTS, POLYNOMIALS
from .simd import (
    FORMATS,
    add_exact,
    add_ordered,
    as_int,
    divide,
    finite_or,
    from_square,
    mul_exact,
    power_of_two,
    scale,
    scale_sum,
    squeeze,
)

_INVERSE = {64: 0x7FDE623822FC16E6, 32: 0x7EF311C3}  # bits from which those of a number leave roughly those of 1 / x


def reduced(b, x, low=None, factor=1.0):
    """`n`, `r` and `s` of `factor x + low = n ln 2 + r + s`: an integer, up to half of ln 2, and below its last bit.

    `factor` is a power of two.
    """
    form = FORMATS[b.width]
    ln2, ln2_low, _ = CONSTANTS["ln2", b.width]
    shifted = b.fma(x, b.const(CONSTANTS["log2e", b.width][0] * factor), b.const(form.magic))
    x = x if factor == 1.0 else b.fmul(x, b.const(factor))
    n = b.fsub(shifted, b.const(form.magic))
    r = b.fma(n, b.const(-ln2), x)  # exact: both are multiples of the last bit of one
    s = b.fmul(n, b.const(-ln2_low)) if low is None else b.fma(n, b.const(-ln2_low), low)
    return as_int(b, shifted), r, s


def series(b, r, s, more=None):
    """`exp(r + s) - 1 - r`, for a small `s`; and `more`, which is as small."""
    return from_square(b, b.fadd(r, s), POLYNOMIALS["exp", b.width], s if more is None else b.fadd(s, more))


def exp_parts(b, x, low=None):
    """`n`, `h` and `t` of `exp(x + low) = (h + t) * 2 ** n`, for `x` in range."""
    n, r, s = reduced(b, x, low)
    h, t = add_ordered(b, b.const(1.0), r)
    return n, h, b.fadd(t, series(b, r, s))


def exp(b, x):
    form = FORMATS[b.width]
    n, r, s = reduced(b, squeeze(b, x, form.bottom, form.top))
    h, t = add_ordered(b, b.const(1.0), r)
    return scale_sum(b, h, series(b, r, s, t), n)


def exp_quick(b, x):
    """`exp` within 1 unit in the last place: of what lies below that, nothing is kept."""
    form = FORMATS[b.width]
    n, r, s = reduced(b, squeeze(b, x, form.bottom, form.top))
    r = b.fadd(r, s)
    value = from_square(b, r, POLYNOMIALS["exp", b.width], r)
    return scale_sum(b, b.const(1.0), value, n)


def exp2(b, x):
    form = FORMATS[b.width]
    ln2, ln2_low, _ = CONSTANTS["ln2", b.width]
    x = squeeze(b, x, form.bottom * 1.5, form.bias + 2.0)
    shifted = b.fadd(x, b.const(form.magic))
    rest = b.fsub(x, b.fsub(shifted, b.const(form.magic)))
    r, s = mul_exact(b, rest, b.const(ln2))
    s = b.fma(rest, b.const(ln2_low), s)
    h, t = add_ordered(b, b.const(1.0), r)
    return scale_sum(b, h, series(b, r, s, t), as_int(b, shifted))


def expm1_parts(b, x):
    """`n`, `h` and `t` of `exp(x) - 1 = (h + t) * 2 ** n`, for `x` in range."""
    form = FORMATS[b.width]
    n, r, s = reduced(b, x)
    r, s = add_ordered(b, r, series(b, r, s))
    # one, in units of 2 ** n; where it is far below the last bit it may be anything as small
    most = b.iconst(form.bias // 2)
    inverse = power_of_two(b, b.isub(b.iconst(form.bias), b.select(b.icmp(">", n, most), most, n)))
    h, t = add_ordered(b, b.fsub(b.const(1.0), inverse), r)
    return n, h, b.fadd(t, s)


def expm1(b, x):
    form = FORMATS[b.width]
    n, h, t = expm1_parts(b, squeeze(b, x, -0.75 * form.mantissa - 3.0, form.top))
    return b.copysign(scale_sum(b, h, t, n), x)


def _sigmoid_parts(b, x):
    """`n`, `h` and `t` of `1 / (1 + exp(-x)) = (h + t) * 2 ** n`, by `exp(-|x|)`, which cannot overflow."""
    form = FORMATS[b.width]
    n, h, t = exp_parts(b, squeeze(b, b.fneg(b.fabs(x)), form.bottom - 8.0, 0.0))
    h, t = add_ordered(b, h, t)
    # in the sum with one what is below the least normal number does not count
    least = b.iconst(1 - form.bias)
    factor = power_of_two(b, b.iadd(b.select(b.icmp("<", n, least), least, n), b.iconst(form.bias)))
    total, lost = add_ordered(b, b.const(1.0), b.fmul(h, factor))
    below = b.fcmp("<", x, b.const(0.0))
    over, rest = b.select(below, h, b.const(1.0)), b.select(below, t, b.const(0.0))
    n = b.select(below, n, b.iconst(0))
    return n, *divide(b, over, rest, total, b.fma(t, factor, lost))


def sigmoid(b, x):
    """`1 / (1 + exp(-x))`."""
    n, h, t = _sigmoid_parts(b, x)
    return scale_sum(b, h, t, n)


def silu(b, x):
    """`x` times its sigmoid; NaN at minus infinity."""
    n, h, t = _sigmoid_parts(b, x)
    return times(b, x, n, h, t, FORMATS[b.width].bottom - 8.0)


def times(b, x, n, h, t, bound):
    """`x (h + t) * 2 ** n`, which is zero below `bound`, and NaN at minus infinity."""
    y = b.select(b.fcmp("<", x, b.const(bound)), b.const(-1.0), x)
    value = scale(b, b.fma(y, h, b.fmul(y, t)), n)
    value = b.select(b.fcmp("==", x, b.const(-inf)), b.const(nan), value)
    return finite_or(b, x, value, x)


def tanh(b, x):
    """`(e - 1) / (e + 1)` for `e = exp(2 |x|)`, both in units of the power of two in `e`, with the sign of `x`.

    Both are sums of `1 - 2 ** -n` or `1 + 2 ** -n`, the remainder and its series, known early but for the last; what
    they lose is added to the quotient, in first order and roughly. The division waits for as little as can be.
    """
    form = FORMATS[b.width]
    a, bound = b.fabs(x), b.const(0.375 * form.mantissa + 1.0)
    n, r, s = reduced(b, b.select(b.fcmp(">", a, bound), bound, a), factor=2.0)
    inverse = power_of_two(b, b.isub(b.iconst(form.bias), n))
    rest = from_square(b, r, POLYNOMIALS["exp", b.width], b.fma(s, r, s))
    over, over_low = add_ordered(b, b.fsub(b.const(1.0), inverse), r)
    under, lost = add_ordered(b, b.const(1.0), inverse)
    under, under_low = add_ordered(b, under, r)
    rough = b.from_bits(b.isub(b.iconst(_INVERSE[b.width]), b.bits(under)))  # of 1 / under, to an eighth
    share = b.fmul(over, b.fmul(rough, rough))  # of what under loses
    error = b.fma(over_low, rough, b.fneg(b.fmul(b.fadd(under_low, lost), share)))
    over, over_low = add_ordered(b, over, rest)
    under, under_low = add_ordered(b, under, rest)
    error = b.fma(over_low, rough, b.fma(b.fneg(under_low), share, error))
    return b.copysign(b.fadd(b.fdiv(over, under), error), x)


def _halves(b, x):
    """`exp(|x|) / 2` and its rest, which is infinite only where the cosine of `x` is."""
    form = FORMATS[b.width]
    n, h, t = exp_parts(b, squeeze(b, b.fabs(x), 0.0, form.top + 1.0))
    h, t = add_ordered(b, h, t)
    n = b.isub(n, b.iconst(1))
    return scale(b, h, n), scale(b, t, n)


def cosh(b, x):
    half, rest = _halves(b, x)
    inverse = b.fdiv(b.const(0.25), half)
    return b.fadd(half, b.fadd(rest, inverse))


def sinh(b, x):
    """From `expm1(|x|) = e`: half of `e + e / (e + 1)`."""
    form = FORMATS[b.width]
    a = b.fabs(x)
    half, rest = _halves(b, x)
    inverse = b.fdiv(b.const(0.25), half)
    far = b.fadd(half, b.fsub(rest, inverse))
    n, h, t = expm1_parts(b, squeeze(b, a, 0.0, 2.0))
    h, t = add_ordered(b, h, t)
    factor = power_of_two(b, b.iadd(n, b.iconst(form.bias - 1)))
    h, t = b.fmul(h, factor), b.fmul(t, factor)  # half of e
    quotient, left = divide(b, h, t, *add_exact(b, b.const(1.0), b.fadd(h, h)))
    near, lost = add_ordered(b, h, quotient)
    near = b.fadd(near, b.fadd(lost, b.fadd(left, t)))
    value = b.select(b.fcmp("<", a, b.const(1.0)), near, far)
    tiny = b.fcmp("<", a, b.const(2.0 ** -(form.mantissa // 2 + 2)))  # halves of subnormal numbers would be rounded
    return b.select(tiny, x, b.copysign(value, x))
