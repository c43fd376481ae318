"""Argument reduction modulo half of pi, accurate for every finite argument."""

import math

from .coefficients import CONSTANTS, WORDS
from .simd import FORMATS, add_exact, add_ordered, as_float, as_int, mul_exact

# From here on half of pi in three parts is too short, and the digits of 2 / pi are needed.
LARGE = {64: 2.0**30, 32: 2.0**17}


def quadrant(b, a):
    """`q`, `r` and `s` of `a = q pi / 2 + r + s`, for `a >= 0` of 64 bits: an integer modulo 4 and a sum of two."""
    far = _far(b, a, exponents=(30, 1024), shift=0, first=2, count=5)
    large = b.fcmp(">=", a, b.const(LARGE[64]))
    shifted, r, s = [b.select(large, there, here) for there, here in zip(far, _near(b, a))]
    return as_int(b, shifted), r, s


def quadrant_single(b, a):
    """`q` and `r` of `a = q pi / 2 + r`, for numbers of 32 bits in lanes of 64."""
    half_pi = CONSTANTS["half_pi", 64]
    shifted, n = _multiples(b, a)
    r = b.fma(n, b.const(-half_pi[1]), b.fma(n, b.const(-half_pi[0]), a))
    far_shifted, far_r, far_s = _far(b, a, exponents=(30, 128), shift=12, first=1, count=3)
    large = b.fcmp(">=", a, b.const(LARGE[64]))
    return as_int(b, b.select(large, far_shifted, shifted)), b.select(large, b.fadd(far_r, far_s), r)


def quadrant_near(b, a):
    """`quadrant` for `a` below `LARGE`, of either width."""
    shifted, r, s = _near(b, a)
    return as_int(b, shifted), r, s


def _multiples(b, a):
    magic = b.const(FORMATS[b.width].magic)
    shifted = b.fma(a, b.const(CONSTANTS["two_over_pi", b.width][0]), magic)
    return shifted, b.fsub(shifted, magic)


def _near(b, a):
    """Half of pi in three parts: the first difference is exact, and the second with its error."""
    half_pi = CONSTANTS["half_pi", b.width]
    shifted, n = _multiples(b, a)
    product, below = mul_exact(b, n, b.const(half_pi[1]))
    r, lost = add_exact(b, b.fma(n, b.const(-half_pi[0]), a), b.fneg(product))
    return shifted, *add_ordered(b, r, b.fma(n, b.const(-half_pi[2]), b.fsub(lost, below)))


def _far(b, a, exponents, shift, first, count):
    """Reduction by Payne and Hanek (1983), with digits of 48 bits.

    With `j` digits of 2 / pi before its point, `a = x * 2 ** (48 j)` and a digit of index `i` meet at
    `2 ** (48 (j - i - 1))`. More than `first` before `j` they make multiples of 4; after `count` they are too small.
    """
    form = FORMATS[64]
    moved = 2.0 ** (form.bias // 2)  # numbers times this, and digits over it, stay in range
    exponent = as_float(b, b.isub(b.lshr(b.bits(a), b.iconst(form.mantissa)), b.iconst(form.bias + shift)))
    shifted = b.fma(exponent, b.const(1 / 48), b.const(form.magic))
    j = as_int(b, shifted)
    x = b.fmul(a, b.const(1 / moved))
    lowest, highest = (round((e - shift) / 48) for e in exponents)
    padded = (0,) * first + WORDS
    table = [
        b.const(math.ldexp(float(w) * moved, -48 * (k + 1 - first)))
        for k, w in enumerate(padded[lowest : highest + count], lowest)
    ]
    digits = _window(b, table, b.isub(j, b.iconst(lowest)), highest - lowest, count)
    products = [mul_exact(b, x, digit) for digit in digits]
    above = [_rest(b, term) for pair in products[:first] for term in pair] + [_rest(b, products[first][0])]
    whole = above[0]
    for term in above[1:-2]:  # exact: all of them are multiples of the last bit of the largest
        whole = b.fadd(whole, term)
    whole, below = add_exact(b, whole, above[-2])
    whole, below_that = add_exact(b, whole, above[-1])
    small = [below, below_that, products[first][1], *[term for pair in products[first + 1 :] for term in pair]]
    shifted = b.fadd(whole, b.const(form.magic))
    rest = b.fsub(whole, b.fsub(shifted, b.const(form.magic)))
    below = None
    for term in small:
        rest, lost = add_exact(b, rest, term)
        below = lost if below is None else b.fadd(below, lost)
    rest, below = add_ordered(b, rest, below)
    half_pi = CONSTANTS["half_pi", 64]
    r, s = mul_exact(b, rest, b.const(half_pi[0]))
    return shifted, r, b.fma(below, b.const(half_pi[0]), b.fma(rest, b.const(half_pi[1]), s))


def _rest(b, x):
    """`x` without multiples of 4, exactly."""
    return b.fma(b.rint(b.fmul(x, b.const(0.25))), b.const(-4.0), x)


def _window(b, table, start, most, count):
    """`count` entries of `table` from `start`, at most `most`, on: moves by powers of two, the largest first."""
    step = 1 << most.bit_length() - 1
    while step:
        moved = b.icmp("!=", b.iand(start, b.iconst(step)), b.iconst(0))
        most = min(most, step - 1)
        kept = table[: most + count]
        table = [b.select(moved, table[i + step], x) if i + step < len(table) else x for i, x in enumerate(kept)]
        step >>= 1
    return table
