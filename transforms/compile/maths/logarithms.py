"""log and its relatives, by the series of the inverse hyperbolic tangent around one."""

from math import inf, nan

from .coefficients import CONSTANTS
from .exponentials import exp_parts
from .simd import (
    FORMATS,
    add_exact,
    add_ordered,
    as_float,
    divide,
    finite_or,
    mul_exact,
    polynomial,
    power_of_two,
    scale,
    squeeze,
)

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


# Logarithms of sums and of odds, and products with logarithms.


def logaddexp(b, x, y):
    """`log(exp(x) + exp(y))`: the larger, and `log1p(exp(-d))` of their difference `d`.

    Known to about `2 ** -57` of the larger of these, so where they cancel less is left; single precision is wide.
    """
    if b.width == 32:
        return b.narrow(logaddexp(b.wide, b.widen(x), b.widen(y)))
    high, low, larger = _exponential_of_distance(b, x, y, 1.0)
    return _larger_and(b, x, y, larger, *log_sum(b, *_one_and(b, high, low)))


def logaddexp2(b, x, y):
    """`log2(2 ** x + 2 ** y)`, as `logaddexp`."""
    if b.width == 32:
        return b.narrow(logaddexp2(b.wide, b.widen(x), b.widen(y)))
    high, low, larger = _exponential_of_distance(b, x, y, CONSTANTS["ln2", b.width])
    high, low = log_sum(b, *_one_and(b, high, low))
    factor = CONSTANTS["log2e", b.width]
    product, lost = mul_exact(b, high, b.const(factor[0]))
    low = b.fma(low, b.const(factor[0]), b.fma(high, b.const(factor[1]), lost))
    return _larger_and(b, x, y, larger, product, low)


def _one_and(b, high, low):
    total, lost = add_ordered(b, b.const(1.0), high)
    return total, b.fadd(lost, low)


def _exponential_of_distance(b, x, y, unit):
    """`exp(-|x - y| unit)` as a sum of two, and the larger of `x` and `y`."""
    form = FORMATS[b.width]
    swap = b.fcmp("<", x, y)
    larger, smaller = b.select(swap, y, x), b.select(swap, x, y)
    distance, lost = add_exact(b, smaller, b.fneg(larger))
    if unit != 1.0:
        lost = b.fmul(lost, b.const(unit[0]))
        distance, more = mul_exact(b, distance, b.const(unit[0]))
        lost = b.fadd(b.fma(b.fsub(smaller, larger), b.const(unit[1]), more), lost)
    inside = b.fcmp(">", distance, b.const(form.bottom))
    distance, lost = b.select(inside, distance, b.const(form.bottom)), b.select(inside, lost, b.const(0.0))
    same = b.fcmp("==", x, y)  # infinities, too
    distance, lost = (b.select(same, b.const(0.0), part) for part in (distance, lost))
    n, h, t = exp_parts(b, distance, lost)
    h, t = add_ordered(b, h, t)
    return scale(b, h, n), scale(b, t, n), larger


def _larger_and(b, x, y, larger, high, low):
    total, lost = add_exact(b, larger, high)
    value = b.fadd(total, b.fadd(lost, low))
    value = b.select(b.fcmp("<", b.fabs(larger), b.const(inf)), value, larger)
    return b.select(b.or_(b.isnan(x), b.isnan(y)), b.const(nan), value)


def softplus(b, x):
    """`log(1 + exp(x))`."""
    form = FORMATS[b.width]
    n, h, t = exp_parts(b, squeeze(b, b.fneg(b.fabs(x)), form.bottom, 0.0))
    h, t = add_ordered(b, h, t)
    high, low = log_sum(b, *_one_and(b, scale(b, h, n), scale(b, t, n)))
    larger = b.select(b.fcmp(">", x, b.const(0.0)), x, b.const(0.0))
    total, lost = add_exact(b, larger, high)
    return finite_or(b, x, b.fadd(total, b.fadd(lost, low)), x)


def log_expit(b, x):
    """The logarithm of the sigmoid."""
    return b.fneg(softplus(b, b.fneg(x)))


def logit(b, x):
    """`log(x / (1 - x))`, which `sigmoid` undoes."""
    one, zero = b.const(1.0), b.const(0.0)
    inside = b.and_(b.fcmp(">", x, zero), b.fcmp("<", x, one))
    u, shift = normal(b, b.select(inside, x, b.const(0.5)))
    lifted = b.fcmp(">", shift, zero)
    u, low = divide(b, u, zero, *add_ordered(b, one, b.fneg(b.select(lifted, zero, u))))
    u, low = add_ordered(b, u, low)
    high, low = log_sum(b, u, low, b.fneg(shift))
    ends = b.select(b.fcmp("==", x, zero), b.const(-inf), b.const(nan))
    return b.select(inside, b.fadd(high, low), b.select(b.fcmp("==", x, one), b.const(inf), ends))


def xlogy(b, x, y):
    """`x log(y)`, and 0 where `x` is."""
    u, shift = normal(b, y)
    high, low = log_sum(b, u, None, b.fneg(shift))
    return _times(b, x, y, high, low, at_edges(b, y, high))


def xlog1py(b, x, y):
    """`x log(1 + y)`, and 0 where `x` is."""
    u, lost = add_exact(b, b.const(1.0), y)
    high, low = log_sum(b, u, lost)
    tiny = b.fcmp("<", b.fabs(y), b.const(2.0 ** -(FORMATS[b.width].mantissa + 2)))
    high, low = b.select(tiny, y, high), b.select(tiny, b.copysign(b.const(0.0), y), low)
    return _times(b, x, y, high, low, at_edges(b, y, high, -1.0))


def entr(b, x):
    """`-x log(x)`, 0 at 0 and minus infinity below."""
    u, shift = normal(b, x)
    high, low = log_sum(b, u, None, b.fneg(shift))
    value = _times(b, b.fneg(x), x, high, low, at_edges(b, x, high))
    return b.select(b.fcmp("<", x, b.const(0.0)), b.const(-inf), value)


def _times(b, x, y, high, low, whole):
    """`x (high + low)` where `whole`, the logarithm of `y`, is finite; else `x` times that."""
    finite = b.fcmp("<", b.fabs(whole), b.const(inf))
    both = b.and_(finite, b.fcmp("<", b.fabs(x), b.const(inf)))
    value = b.fma(x, b.select(finite, high, whole), b.select(both, b.fmul(x, low), b.const(0.0)))
    zero = b.and_(b.fcmp("==", x, b.const(0.0)), b.not_(b.isnan(y)))
    return b.select(zero, b.const(0.0), value)


# arcsinh, arccosh and arctanh, by logarithms of sums that are known to twice the precision.


def _log_of_one_and(b, f, low, large, x):
    """`log(1 + f + low)`, or `log(2 x)` where that is `large`."""
    u, lost = add_exact(b, b.const(1.0), f)
    zero = b.const(0.0)
    u, low = b.select(large, x, u), b.select(large, zero, b.fadd(lost, low))
    high, low = log_sum(b, u, low, b.select(large, b.const(1.0), zero))
    return b.fadd(high, low)


def _is_large(b, a):
    """A mask of the values for which `a * a + 1` rounds to `a * a`."""
    return b.fcmp(">", a, b.const(2.0 ** (FORMATS[b.width].mantissa // 2 + 3)))


def arcsinh(b, x):
    """With `a = |x|`: `log1p(a + a² / (1 + sqrt(1 + a²)))`."""
    a, one = b.fabs(x), b.const(1.0)
    large = _is_large(b, a)
    near = b.select(large, one, a)
    root = b.sqrt(b.fma(near, near, one))
    f, low = add_ordered(b, near, b.fdiv(b.fmul(near, near), b.fadd(one, root)))
    value = b.copysign(_log_of_one_and(b, f, low, large, a), x)
    tiny = b.fcmp("<", a, b.const(2.0 ** -(FORMATS[b.width].mantissa // 2 + 2)))
    return b.select(b.or_(tiny, b.not_(b.fcmp("<", a, b.const(inf)))), x, value)


def arccosh(b, x):
    """With `t = x - 1`: `log1p(t + sqrt(t² + 2 t))`."""
    large = _is_large(b, x)
    t = b.fsub(b.select(large, b.const(2.0), x), b.const(1.0))
    f, low = add_exact(b, t, b.sqrt(b.fma(t, t, b.fadd(t, t))))
    value = finite_or(b, x, _log_of_one_and(b, f, low, large, x), b.const(inf))
    return b.select(b.fcmp(">=", x, b.const(1.0)), value, b.const(nan))


def arctanh(b, x):
    """With `a = |x|`: half of `log1p(2 a / (1 - a))`."""
    a, one, zero = b.fabs(x), b.const(1.0), b.const(0.0)
    inside = b.fcmp("<", a, one)
    near = b.select(inside, a, zero)
    f, low = divide(b, b.fadd(near, near), zero, *add_ordered(b, one, b.fneg(near)))
    u, lost = add_exact(b, one, f)
    high, low = log_sum(b, u, b.fadd(lost, low))
    value = b.select(inside, b.fmul(b.fadd(high, low), b.const(0.5)), b.const(inf))
    value = b.select(b.fcmp("<=", a, one), b.copysign(value, x), b.const(nan))
    return b.select(b.fcmp("<", a, b.const(2.0 ** -(FORMATS[b.width].mantissa // 2 + 2))), x, value)
