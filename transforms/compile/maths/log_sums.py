"""Logarithms of sums and of odds, and products with logarithms."""

from math import inf, nan

from .coefficients import CONSTANTS
from .exponentials import exp_parts
from .logarithms import at_edges, log_sum, normal
from .simd import FORMATS, add_exact, add_ordered, divide, finite_or, mul_exact, scale, squeeze


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
