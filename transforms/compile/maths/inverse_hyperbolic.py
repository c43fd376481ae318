"""arcsinh, arccosh and arctanh, by logarithms of sums that are known to twice the precision."""

from math import inf, nan

from .logarithms import log_sum
from .simd import FORMATS, add_exact, add_ordered, divide, finite_or


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
