"""Building blocks of elementary functions: numbers in bits, polynomials, sums and products with their rounding errors.

Nothing here may be reassociated or contracted: an operation means one rounding.
"""

from math import inf
from typing import NamedTuple

from .coefficients import POLYNOMIALS


class Format(NamedTuple):
    mantissa: int  # bits that are stored
    bias: int
    magic: float  # 1.5 * 2 ** mantissa: what is added to it is rounded to an integer in its low bits
    magic_bits: int
    top: float  # where exp overflows, from above
    bottom: float  # below it exp is zero


FORMATS = {
    64: Format(52, 1023, 1.5 * 2.0**52, 0x4338000000000000, 709.8, -745.5),
    32: Format(23, 127, 1.5 * 2.0**23, 0x4B400000, 88.75, -104.0),
}


def polynomial(b, name, x):
    """The polynomial `name` of the table at `x`."""
    return poly(b, x, POLYNOMIALS[name, b.width])


def poly(b, x, coefficients):
    """Coefficients are lowest first. Long ones go in two chains, which halves the wait for each other."""
    if len(coefficients) < 6:
        return _horner(b, x, coefficients)
    square = b.fmul(x, x)
    return b.fma(x, _horner(b, square, coefficients[1::2]), _horner(b, square, coefficients[0::2]))


def _horner(b, x, coefficients):
    total = b.const(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = b.fma(total, x, b.const(c))
    return total


def from_square(b, x, coefficients, low):
    """`low + x² (c0 + c1 x + …)`: terms are joined in pairs, pairs of pairs and so on, by powers of `x` (Estrin).

    Twice the products of powers that `poly` has, and a third of its wait, which is what a loop over few numbers takes.
    """
    values = [b.const(c) for c in coefficients]
    terms = [low, *(b.fma(x, pair[1], pair[0]) if len(pair) > 1 else pair[0]
                    for pair in (values[k : k + 2] for k in range(0, len(values), 2)))]
    return in_pairs(b, b.fmul(x, x), terms)


def in_pairs(b, x, terms):
    """The polynomial in `x` whose coefficients are the values `terms`."""
    while len(terms) > 1:
        terms = [b.fma(x, pair[1], pair[0]) if len(pair) > 1 else pair[0]
                 for pair in (terms[k : k + 2] for k in range(0, len(terms), 2))]
        x = b.fmul(x, x) if len(terms) > 1 else x
    return terms[0]


def add_ordered(b, x, y):
    """`x + y` and its rounding error, where `|x| >= |y|` or `x` is zero."""
    total = b.fadd(x, y)
    return total, b.fsub(y, b.fsub(total, x))


def add_exact(b, x, y):
    """`x + y` and its rounding error."""
    total = b.fadd(x, y)
    part = b.fsub(total, x)
    return total, b.fadd(b.fsub(x, b.fsub(total, part)), b.fsub(y, part))


def mul_exact(b, x, y):
    """`x * y` and its rounding error."""
    product = b.fmul(x, y)
    return product, b.fma(x, y, b.fneg(product))


def product_of_sums(b, x, x_low, y, y_low):
    """`(x + x_low) * (y + y_low)` as a sum of two."""
    high, low = mul_exact(b, x, y)
    return high, b.fma(x, y_low, b.fma(x_low, y, low))


def divide(b, high, low, by, by_low):
    """`(high + low) / (by + by_low)` and what the quotient leaves out."""
    inverse = b.fdiv(b.const(1.0), by)
    quotient = b.fmul(high, inverse)
    rest = b.fadd(b.fma(b.fneg(quotient), by, high), b.fma(b.fneg(quotient), by_low, low))
    return quotient, b.fmul(rest, inverse)


def as_int(b, rounded):
    """The integer in `rounded`, a sum with the magic number."""
    return b.isub(b.bits(rounded), b.iconst(FORMATS[b.width].magic_bits))


def as_float(b, i):
    """A small integer as a float."""
    form = FORMATS[b.width]
    return b.fsub(b.from_bits(b.iadd(i, b.iconst(form.magic_bits))), b.const(form.magic))


def power_of_two(b, biased):
    """The number whose exponent bits are `biased`."""
    return b.from_bits(b.shl(biased, b.iconst(FORMATS[b.width].mantissa)))


def scale(b, x, n):
    """`x * 2 ** n` with one rounding for each half of `n`, which may leave the range of exponents by as much again."""
    twice = b.iadd(n, b.iconst(2 * FORMATS[b.width].bias))
    half = b.lshr(twice, b.iconst(1))
    return b.fmul(b.fmul(x, power_of_two(b, half)), power_of_two(b, b.isub(twice, half)))


def scale_sum(b, x, y, n):
    """`scale(b, x + y, n)`, where it is `y` that others wait for."""
    twice = b.iadd(n, b.iconst(2 * FORMATS[b.width].bias))
    half = b.lshr(twice, b.iconst(1))
    factor = power_of_two(b, half)
    return b.fmul(b.fma(y, factor, b.fmul(x, factor)), power_of_two(b, b.isub(twice, half)))


def squeeze(b, x, low, high):
    """`x` within `[low, high]`; NaN stays."""
    x = b.select(b.fcmp(">", x, b.const(high)), b.const(high), x)
    return b.select(b.fcmp("<", x, b.const(low)), b.const(low), x)


def finite_or(b, x, value, other):
    """`value`, but `other` where `x` is infinity."""
    return b.select(b.fcmp("==", x, b.const(inf)), other, value)
