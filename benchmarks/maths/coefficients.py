"""Writes transforms/compile/maths/coefficients.py: polynomials by Remez exchange, constants in parts.

Run `python benchmarks/maths/coefficients.py`; the file comes out the same, byte for byte. `--errors [NAME ...]` prints
the binary logarithm of the largest error of each polynomial instead.
"""

import sys
from functools import partial
from pathlib import Path
from textwrap import wrap

from mpmath import mp, mpf
from remez import DIGITS, minimax, number, root, split

OUT = Path(__file__).resolve().parents[2] / "transforms" / "compile" / "maths" / "coefficients.py"
HALF_LN2 = 0.34657359028
QUARTER_PI_SQUARED = 0.6169
CENTRE = 3.75
ROOT_S = 0.0294373  # (√2 - 1)² / (√2 + 1)²


def _in_square(f):
    """A function of `z = x²`; `f` at a place that is not zero."""
    return lambda z: f(mp.sqrt(z))


def _inverse_square(f):
    """A function of `w = 1 / x²`."""
    return lambda w: f(1 / mp.sqrt(w))


def _tail(place):
    x = CENTRE * (1 + place) / (1 - place)
    return (1 + 2 * x) * mp.exp(x**2) * mp.erfc(x)


def _stirling(x):
    return (mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


def _bessel_far(order):
    """sqrt(x) exp(-x) I(x) of x from 8 on, in 16 / x - 1."""
    def at(t):
        x = 16 / (1 + t)
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)

    return at


# name -> (function, low, high, weight, coefficients for each width)
POLYNOMIALS = {
    # (eʳ - 1 - r) / r²
    "exp": (lambda r: (mp.expm1(r) - r) / r**2, -HALF_LN2, HALF_LN2, lambda r: r**2, {64: 10, 32: 5}),
    # (log((1 + s) / (1 - s)) - 2 s) / s³, in z = s²
    "log": (_in_square(lambda s: (2 * mp.atanh(s) - 2 * s) / s**3), 0, ROOT_S, None, {64: 7, 32: 4}),
    # (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴, in z = r²; the short ones are for single precision in wide lanes
    "sin": (_in_square(lambda r: (mp.sin(r) - r) / r**3), 0, QUARTER_PI_SQUARED, None, {64: 6, 32: 3}),
    "cos": (_in_square(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), 0, QUARTER_PI_SQUARED, None, {64: 6, 32: 3}),
    "sin_short": (_in_square(lambda r: (mp.sin(r) - r) / r**3), 0, QUARTER_PI_SQUARED, None, {64: 4}),
    "cos_short": (_in_square(lambda r: (mp.cos(r) - 1 + r**2 / 2) / r**4), 0, QUARTER_PI_SQUARED, None, {64: 4}),
    "exp_short": (lambda r: (mp.expm1(r) - r) / r**2, -HALF_LN2, HALF_LN2, lambda r: r**2, {64: 6}),
    "log_short": (_in_square(lambda s: (2 * mp.atanh(s) - 2 * s) / s**3), 0, ROOT_S, None, {64: 5}),
    # (log((1 + s) / (1 - s)) - 2 s - 2/3 s³) / s⁵, in z = s²
    "log_rest": (_in_square(lambda s: (2 * mp.atanh(s) - 2 * s - 2 * s**3 / 3) / s**5), 0, ROOT_S, None, {64: 8}),
    # (arctan t - t) / t³ and (arcsin s - s) / s³, in their squares
    "arctan": (_in_square(lambda t: (mp.atan(t) - t) / t**3), 0, 0.171573, None, {64: 12, 32: 5}),
    "arcsin": (_in_square(lambda s: (mp.asin(s) - s) / s**3), 0, 0.25, None, {64: 12, 32: 5}),
    # (1 + 2 x) exp(x²) erfc(x), in (x - 3.75) / (x + 3.75), for x up to 28 and to 10.5
    "erfc": (_tail, -1, (28 - CENTRE) / (28 + CENTRE), None, {64: 24}),
    "erfc_short": (_tail, -1, (10.5 - CENTRE) / (10.5 + CENTRE), None, {64: 12}),
    # erf(x) / x - 1, in x²
    "erf": (_in_square(lambda x: mp.erf(x) / x - 1), 0, 1, None, {64: 12}),
    "erf_short": (_in_square(lambda x: mp.erf(x) / x - 1), 0, 1, None, {64: 7}),
    # ((ndtr(x) - 1/2) / x - 1 / sqrt(2 pi)) / x², in x²
    "ndtr": (
        _in_square(lambda x: (mp.erf(x / mp.sqrt(2)) / 2 / x - 1 / mp.sqrt(2 * mp.pi)) / x**2),
        0,
        1,
        None,
        {64: 10},
    ),
    # log gamma(2 + t) / t; its slope at 1.625 + t, over the distance from its root
    "gammaln": (lambda t: mp.loggamma(2 + t) / t, -0.5, 0.5, None, {64: 18}),
    "digamma": (lambda t: mp.psi(0, 1.625 + t) / (1.625 + t - root()), -0.625, 0.625, None, {64: 25}),
    # what Stirling's formula leaves out, times x, and of its slope, times x², in 1 / x²
    "stirling": (_inverse_square(_stirling), 1e-18, 1 / 3.5**2, None, {64: 11}),
    "psi": (_inverse_square(lambda x: (mp.psi(0, x) - mp.log(x) + 0.5 / x) * x**2), 1e-18, 1 / 3.25**2, None, {64: 12}),
    # the cube root of 1 + f
    "cbrt": (lambda f: mp.cbrt(1 + f), -0.292894, 0.414214, None, {64: 7, 32: 5}),
    # (I0(x) - 1) / x² and I1(x) / x up to 8, in x²; from there on as `_bessel_far`
    "i0": (_in_square(lambda x: (mp.besseli(0, x) - 1) / x**2), 0, 64, _in_square(lambda x: x**2 / mp.besseli(0, x)),
           {64: 15}),
    "i0_short": (_in_square(lambda x: (mp.besseli(0, x) - 1) / x**2), 0, 64,
                 _in_square(lambda x: x**2 / mp.besseli(0, x)), {64: 10}),
    "i1": (_in_square(lambda x: mp.besseli(1, x) / x), 0, 64, _in_square(lambda x: x / mp.besseli(1, x)), {64: 15}),
    "i1_short": (_in_square(lambda x: mp.besseli(1, x) / x), 0, 64, _in_square(lambda x: x / mp.besseli(1, x)),
                 {64: 10}),
    "i0_far": (_bessel_far(0), -1, 1, None, {64: 22}),
    "i0_far_short": (_bessel_far(0), -1, 1, None, {64: 8}),
    "i1_far": (_bessel_far(1), -1, 1, None, {64: 22}),
    "i1_far_short": (_bessel_far(1), -1, 1, None, {64: 8}),
}
WORDS = 25
# name -> parts, low bits of the first that are zero for 64 and for 32
SPLITS = {
    "ln2": (3, 0, 0),
    "two_thirds": (2, 0, 0),
    "ln2_short": (2, 11, 8),
    "log10_2_short": (2, 11, 8),
    "log2e": (2, 0, 0),
    "log10e": (2, 0, 0),
    "pi": (3, 0, 0),
    "half_pi": (3, 0, 0),
    "quarter_pi": (2, 0, 0),
    "root_two": (2, 0, 0),
    "density": (2, 0, 0),
    "log_pi": (2, 0, 0),
    "stirling": (2, 0, 0),
    "root": (2, 0, 0),
    "root_up": (2, 0, 0),
    "root_down": (2, 0, 0),
    "two_over_pi": (2, 0, 0),
}


def polynomial(name, width):
    """The coefficients as mpmath numbers, and the largest error."""
    f, low, high, weight, counts = POLYNOMIALS[name]
    return minimax(partial(_deep, f), low, high, counts[width], weight)


def _deep(f, x):
    with mp.workdps(3 * DIGITS):
        return f(mpf(x))


def constant(name, width):
    parts, short64, short32 = SPLITS[name]
    return split(name.removesuffix("_short"), width, parts, short64 if width == 64 else short32)


def words():
    """The digits of 2 / pi in base 2 ** 48, from the first after the point."""
    with mp.workdps(450):
        whole = int(mp.floor(2 / mp.pi * mpf(2) ** (48 * WORDS)))
    return [whole >> 48 * (WORDS - 1 - k) & (1 << 48) - 1 for k in range(WORDS)]


def entry(table, name, width):
    """The numbers of one entry, as they are in the file."""
    if table == "POLYNOMIALS":
        return [number(c, width) for c in polynomial(name, width)[0]]
    return constant(name, width)


def text():
    """The whole file."""
    lines = [
        '"""Coefficients and constants, lowest first: written by benchmarks/maths/coefficients.py."""',
        "",
        "# fmt: off",
    ]
    for table, entries in ("POLYNOMIALS", {n: e[-1] for n, e in POLYNOMIALS.items()}), ("CONSTANTS", SPLITS):
        lines += [f"{table} = {{"]
        for name in entries:
            for width in entries[name] if table == "POLYNOMIALS" else (64, 32):
                numbers = wrap(", ".join(map(repr, entry(table, name, width))) + ",", 112)
                lines += [f'    ("{name}", {width}): (', *[f"        {line}" for line in numbers], "    ),"]
        lines += ["}"]
    lines += ["# the digits of 2 / pi in base 2 ** 48", "WORDS = ("]
    lines += [f"    {line}" for line in wrap(", ".join(f"0x{word:012X}" for word in words()) + ",", 112)] + [")"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--errors" in sys.argv:
        for name in sys.argv[2:] or POLYNOMIALS:
            for width in POLYNOMIALS[name][-1]:
                print(name, width, mp.nstr(mp.log(polynomial(name, width)[1], 2), 5))
    else:
        OUT.write_text(text(), encoding="utf-8")
