"""log and its relatives, by the series of the inverse hyperbolic tangent around one."""

from math import inf, nan

from .coefficients import CONSTANTS
from .simd import FORMATS, add_exact, add_ordered, as_float, finite_or, mul_exact, polynomial, power_of_two

ROOT_HALF = {64: 0x3FE6A09E667F3BCD, 32: 0x3F3504F3}  # bits of the square root of one half
ONE = {64: 0x3FF0000000000000, 32: 0x3F800000}
TINY = {64: 2.0**-1022, 32: 2.0**-126}


def split(b, x):
    """`k` and `m` of `x = m * 2 ** k`, `m` within a factor of the square root of two of one; `x` is normal."""
    form = FORMATS[b.width]
    moved = b.iadd(b.bits(x), b.iconst(ONE[b.width] - ROOT_HALF[b.width]))
    k = b.isub(b.lshr(moved, b.iconst(form.mantissa)), b.iconst(form.bias))
    mask = b.iconst((1 << form.mantissa) - 1)
    return k, b.from_bits(b.iadd(b.iand(moved, mask), b.iconst(ROOT_HALF[b.width])))


def normal(b, x):
    """`x`, times a power of two where it is subnormal, and that power's exponent as a float."""
    form = FORMATS[b.width]
    small = b.fcmp("<", x, b.const(TINY[b.width]))
    lifted = b.fmul(x, b.const(2.0 ** (form.mantissa + 2)))
    shift = b.select(small, b.const(float(form.mantissa + 2)), b.const(0.0))
    return b.select(small, lifted, x), shift


def near_one(b, f, low=None):
    """`log(1 + f + low)` as a sum of two, for `1 + f` within a factor of the square root of two of one."""
    half, half_low = mul_exact(b, f, b.fmul(f, b.const(0.5)))
    s = b.fdiv(f, b.fadd(f, b.const(2.0)))
    z = b.fmul(s, s)
    high, lost = add_ordered(b, f, b.fneg(half))
    rest = b.fmul(s, b.fma(z, polynomial(b, "log", z), half))
    rest = b.fadd(b.fsub(lost, half_low), rest)
    return high, rest if low is None else b.fadd(rest, b.fsub(low, b.fmul(low, f)))


def log_sum(b, u, low, shift=None):
    """`log(u + low)` plus `shift` times log 2 as a sum of two; `u` is normal and positive, `low` below its ulp."""
    form = FORMATS[b.width]
    k, m = split(b, u)
    f = b.fsub(m, b.const(1.0))
    rest = None
    if low is not None:
        # where u is large, `low` is too small to matter, and its factor might not be a number
        large = b.icmp(">", k, b.iconst(form.bias - 2))
        factor = power_of_two(b, b.isub(b.iconst(form.bias), b.select(large, b.iconst(form.bias), k)))
        f, rest = add_exact(b, f, b.fmul(low, factor))
    k = as_float(b, k) if shift is None else b.fadd(as_float(b, k), shift)
    high, rest = near_one(b, f, rest)
    return with_powers(b, k, high, rest, CONSTANTS["ln2_short", b.width])


def with_powers(b, k, high, low, unit):
    """`k * unit + high + low` as a sum of two: the product with the first part of `unit` is exact."""
    total, lost = add_ordered(b, b.fmul(k, b.const(unit[0])), high)
    return total, b.fadd(b.fma(k, b.const(unit[1]), lost), low)


def at_edges(b, x, value, pole=0.0):
    """`value` where `x` is a number above `pole`; minus infinity there, NaN below, infinity at infinity."""
    value = finite_or(b, x, value, b.const(inf))
    edge = b.select(b.fcmp("==", x, b.const(pole)), b.const(-inf), b.const(nan))
    return b.select(b.fcmp(">", x, b.const(pole)), value, edge)


def log(b, x):
    u, shift = normal(b, x)
    high, low = log_sum(b, u, None, b.fneg(shift))
    return at_edges(b, x, b.fadd(high, low))


def log2(b, x):
    return _in_base(b, x, CONSTANTS["log2e", b.width], (1.0, 0.0))


def log10(b, x):
    return _in_base(b, x, CONSTANTS["log10e", b.width], CONSTANTS["log10_2_short", b.width])


def _in_base(b, x, factor, unit):
    u, shift = normal(b, x)
    k, m = split(b, u)
    high, low = near_one(b, b.fsub(m, b.const(1.0)))
    product, lost = mul_exact(b, high, b.const(factor[0]))
    rest = b.fma(low, b.const(factor[0]), b.fma(high, b.const(factor[1]), lost))
    total, rest = with_powers(b, b.fsub(as_float(b, k), shift), product, rest, unit)
    return at_edges(b, x, b.fadd(total, rest))


def log1p_sum(b, f, low):
    """`log(1 + f + low)`, for a sum that is normal and finite."""
    one = b.const(1.0)
    u, lost = add_exact(b, one, f)
    high, rest = log_sum(b, u, lost if low is None else b.fadd(lost, low))
    return b.fadd(high, rest)


def log1p(b, x):
    value = at_edges(b, x, log1p_sum(b, x, None), -1.0)
    tiny = b.fcmp("<", b.fabs(x), b.const(2.0 ** -(FORMATS[b.width].mantissa + 2)))
    return b.select(tiny, x, value)
