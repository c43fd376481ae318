"""Functions of analysis: gammaln, digamma and the modified Bessel functions of order 0 and 1.

The first two are a polynomial around two, Stirling's series from there on, and reflection for negative numbers. Single
precision is computed in lanes of 64 bits. Near the zeros of negative arguments double precision has about `2 ** -53` of
the terms that cancel there.
"""

from math import inf, nan

from .coefficients import CONSTANTS, POLYNOMIALS
from .exponentials import exp, exp_parts
from .logarithms import log_sum, normal
from .simd import (
    add_exact,
    add_ordered,
    divide,
    finite_or,
    mul_exact,
    poly,
    polynomial,
    product_of_sums,
    scale_sum,
    squeeze,
)
from .trigonometry import sine_and_cosine

LARGE_GAMMALN, LARGE_DIGAMMA = 3.5, 3.25  # Stirling's series from here on
SMALL = 2.0**-60


def gammaln(b, x):
    """`log |gamma(x)|`; infinity at the poles."""
    if b.width == 32:
        return b.narrow(gammaln(b.wide, b.widen(x)))
    a = b.fabs(x)
    high, low = _gammaln(b, a)
    turned, turned_low = _reflected(b, a, high, low)
    negative = b.fcmp("<", x, b.const(-SMALL))
    value = b.select(negative, b.fadd(turned, turned_low), b.fadd(high, low))
    poles = b.and_(b.fcmp("<=", x, b.const(0.0)), b.fcmp("==", b.floor(x), x))
    finite = b.fcmp("<", a, b.const(inf))
    return b.select(finite, b.select(poles, b.const(inf), value), x)


def _gammaln(b, a):
    """`log gamma(a)` for `a > 0` as a sum of two."""
    one, zero = b.const(1.0), b.const(0.0)
    large = b.fcmp(">=", a, b.const(LARGE_GAMMALN))
    up, up_twice, down = b.fcmp("<", a, b.const(1.5)), b.fcmp("<", a, b.const(0.5)), b.fcmp(">", a, b.const(2.5))
    # around two: t and t times a polynomial
    place = b.select(up, one, b.const(2.0))
    place = b.select(up_twice, zero, b.select(down, b.const(3.0), place))
    t = b.fsub(a, place)
    near, near_low = _times_series(b, t, zero, t, "gammaln")
    # what the steps to there multiply: a, a (a + 1) or a - 1
    step, step_low = add_exact(b, a, one)
    twice, twice_low = product_of_sums(b, a, zero, step, step_low)
    u = b.select(large, a, b.select(down, b.fsub(a, one), b.select(up, a, one)))
    u, u_low = b.select(up_twice, twice, u), b.select(up_twice, twice_low, zero)
    u, shift = normal(b, u)
    u_low = b.select(b.fcmp("<", a, b.const(SMALL)), zero, u_low)
    high, low = log_sum(b, u, u_low, b.fneg(shift))
    signed, signed_low = b.select(up, b.fneg(high), high), b.select(up, b.fneg(low), low)
    total, lost = add_exact(b, signed, near)
    total_low = b.fadd(lost, b.fadd(near_low, signed_low))
    # Stirling: (a - 1/2) (log a - 1) + log(2 pi) / 2 - 1/2 + S(1 / a²) / a
    inverse = b.fdiv(one, a)
    series = b.fmul(inverse, polynomial(b, "stirling", b.fmul(inverse, inverse)))
    less, less_low = add_exact(b, high, b.const(-1.0))
    far, far_low = product_of_sums(b, b.fsub(a, b.const(0.5)), zero, less, b.fadd(less_low, low))
    start = CONSTANTS["stirling", 64]
    far, lost = add_exact(b, far, b.const(start[0]))
    far_low = b.fadd(b.fadd(lost, b.fadd(far_low, b.const(start[1]))), series)
    far_low = b.select(b.fcmp("<", far, b.const(inf)), far_low, zero)
    total, total_low = b.select(large, far, total), b.select(large, far_low, total_low)
    return total, total_low


def _times_series(b, x, x_low, t, name):
    """`x + x_low` times a polynomial in `t`, whose first two coefficients outweigh the others, as a sum of two."""
    first, second, *others = POLYNOMIALS[name, 64]
    inner, inner_low = add_ordered(b, b.const(second), b.fmul(t, poly(b, t, others)))
    product, product_low = mul_exact(b, t, inner)
    outer, lost = add_ordered(b, b.const(first), product)
    return product_of_sums(b, x, x_low, outer, b.fadd(lost, b.fma(t, inner_low, product_low)))


def _turn(b, a):
    """Sine and cosine of `pi a`, each a sum of two, without their signs, and whether the two lie in one quadrant."""
    rest = b.fsub(a, b.rint(a))
    size = b.fabs(rest)
    across = b.fcmp(">", size, b.const(0.25))
    part = b.select(across, b.fsub(b.const(0.5), size), size)
    pi = CONSTANTS["pi", 64]
    r, s = mul_exact(b, part, b.const(pi[0]))
    sine, cosine = sine_and_cosine(b, r, b.fma(part, b.const(pi[1]), s))
    return (
        [b.select(across, c, s) for s, c in zip(sine, cosine)],
        [b.select(across, s, c) for s, c in zip(sine, cosine)],
        b.fcmp(">=", rest, b.const(0.0)),
    )


def _reflected(b, a, high, low):
    """`log |gamma(-a)|` from that of `a`: `log(pi / (a sin(pi a)))` less it."""
    sine, _, _ = _turn(b, a)
    u, u_low = product_of_sums(b, a, b.const(0.0), *sine)
    u, shift = normal(b, u)
    term, term_low = log_sum(b, u, u_low, b.fneg(shift))
    start = CONSTANTS["log_pi", 64]
    total, lost = add_exact(b, b.const(start[0]), b.fneg(term))
    rest = b.fadd(lost, b.fsub(b.const(start[1]), term_low))
    total, lost = add_exact(b, total, b.fneg(high))
    return total, b.fadd(lost, b.fsub(rest, low))


def digamma(b, x):
    """The slope of `gammaln`; NaN at the poles but zero, where it is infinite."""
    if b.width == 32:
        return b.narrow(digamma(b.wide, b.widen(x)))
    a, one, zero = b.fabs(x), b.const(1.0), b.const(0.0)
    negative = b.fcmp("<", x, zero)
    u, u_low = add_exact(b, one, a)
    u, u_low = b.select(negative, u, a), b.select(negative, u_low, zero)
    high, low = _digamma(b, u, u_low)
    # at 1 - x, and less pi / tan(pi x)
    sine, cosine, ahead = _turn(b, a)
    pi = CONSTANTS["pi", 64]
    turn, turn_low = divide(b, *cosine, *sine)
    turn, turn_low = product_of_sums(b, turn, turn_low, b.const(pi[0]), b.const(pi[1]))
    turn, turn_low = (b.select(ahead, part, b.fneg(part)) for part in (turn, turn_low))
    total, lost = add_exact(b, high, turn)
    turned = b.fadd(total, b.fadd(lost, b.fadd(low, turn_low)))
    value = b.select(negative, turned, b.fadd(high, low))
    poles = b.and_(negative, b.fcmp("==", b.floor(x), x))
    value = b.select(b.or_(poles, b.isnan(x)), b.const(nan), value)
    value = b.select(b.fcmp("<", a, b.const(SMALL)), b.fdiv(b.const(-1.0), x), value)
    return b.select(b.fcmp("==", x, b.const(inf)), x, value)


def _digamma(b, u, u_low):
    """The digamma function of `u + u_low > 0` as a sum of two."""
    one, zero = b.const(1.0), b.const(0.0)
    up, down = b.fcmp("<", u, b.const(1.25)), b.fcmp(">", u, b.const(2.25))
    root, root_up, root_down = (CONSTANTS[name, 64] for name in ("root", "root_up", "root_down"))

    def at(if_up, between, if_down):
        return b.select(up, b.const(if_up), b.select(down, b.const(if_down), b.const(between)))

    t = b.fadd(b.fsub(u, at(0.625, 1.625, 2.625)), u_low)
    away = b.fsub(u, at(root_up[0], root[0], root_down[0]))
    away, away_low = add_ordered(b, away, b.fsub(u_low, at(root_up[1], root[1], root_down[1])))
    near, near_low = _times_series(b, away, away_low, t, "digamma")
    by = b.select(up, b.fneg(u), b.fsub(u, one))
    by_low = b.select(up, b.fneg(u_low), u_low)
    step, step_low = divide(b, one, zero, by, by_low)
    between = b.not_(b.or_(up, down))
    step, step_low = b.select(between, zero, step), b.select(between, zero, step_low)
    near, lost = add_exact(b, near, step)
    near_low = b.fadd(b.fadd(lost, near_low), step_low)
    # Stirling: log u - 1 / (2 u) + S(1 / u²) / u²
    v, shift = normal(b, u)
    high, low = log_sum(b, v, zero, b.fneg(shift))
    inverse = b.fdiv(one, u)
    square = b.fmul(inverse, inverse)
    series = b.fma(square, polynomial(b, "psi", square), b.fma(inverse, u_low, low))
    far, lost = add_ordered(b, high, b.fmul(inverse, b.const(-0.5)))
    far_low = b.fadd(lost, series)
    large = b.fcmp(">=", u, b.const(LARGE_DIGAMMA))
    return b.select(large, far, near), b.select(large, far_low, near_low)


# Modified Bessel functions of the first kind: a polynomial in x² up to 8, in 1 / x from there on.

FAR, LAST = 8.0, 750.0  # the functions overflow at 714


def _bessel(b, x, order, scaled):
    """I of the order at `x`; `scaled`: times exp(-|x|)."""
    if b.width == 32:
        return b.narrow(_by_size(b.wide, b.widen(x), order, scaled, "_short"))
    return _by_size(b, x, order, scaled, "")


def _by_size(b, x, order, scaled, short):
    one, a = b.const(1.0), b.fabs(x)
    near, far = (POLYNOMIALS[f"i{order}{part}{short}", 64] for part in ("", "_far"))
    z = squeeze(b, a, 0.0, FAR)
    square = b.fmul(z, z)
    close = b.fma(square, poly(b, square, near), one) if order == 0 else b.fmul(z, poly(b, square, near))
    large = squeeze(b, a, FAR, inf if scaled else LAST)
    away = b.fdiv(poly(b, b.fsub(b.fdiv(b.const(2.0 * FAR), large), one), far), b.sqrt(large))
    if scaled:
        close = b.fmul(close, exp(b, b.fneg(z)))
    else:
        n, h, t = exp_parts(b, large)
        away = scale_sum(b, b.fmul(h, away), b.fmul(t, away), n)
        away = finite_or(b, a, away, b.const(nan))  # as SciPy has it
    value = b.select(b.fcmp("<", a, b.const(FAR)), close, away)
    return b.copysign(value, b.fadd(x, b.const(0.0))) if order else value  # 0 of -0, as SciPy has it


def i0(b, x):
    return _bessel(b, x, 0, False)


def i1(b, x):
    return _bessel(b, x, 1, False)


def i0e(b, x):
    return _bessel(b, x, 0, True)


def i1e(b, x):
    return _bessel(b, x, 1, True)
