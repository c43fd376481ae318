"""Table-driven functions of single numbers: half the latency in a dependent chain.

Lanes would each read places of their own, which takes longer than a function of all of them.
"""

from math import log

from ....core.lazy import LazyModule
from ....core.types import Any
from .coefficients import CONSTANTS
from .simd import FORMATS

decimal: Any = LazyModule("decimal")
# About 5 / 512: of 400,000 numbers the one by which values are nearest to doubles where their rounding counts most, at
# the first places and those beside powers of two.
_STEP = float.fromhex("0x1.3ffffa9d374p-7")
_POWERS = 128  # a power of two
_PART, _PART_LOW = (c / _POWERS for c in CONSTANTS["ln2", 64][:2])
_PLACES = 2048  # a power of two; tanh rounds to one before the last, which is 20


def tanh_few(b, x):
    """The polynomial of degree 6 at the nearest multiple of `_STEP`; in double precision.

    What waits for the place are the coefficients; large numbers are seen to before they come.
    """
    if b.width == 32:
        return b.narrow(tanh_few(b.wide, b.widen(x)))
    a, one, magic = b.fabs(x), b.const(1.0), b.const(FORMATS[64].magic)
    shifted = b.fma(a, b.const(1.0 / _STEP), magic)
    start, *c = b.looked_up("tanh", b.iand(b.bits(shifted), b.iconst(_PLACES - 1)))
    far = b.fcmp(">", a, b.const(_STEP * (_PLACES - 1)))
    r = b.select(far, b.const(0.0), b.fma(b.fsub(shifted, magic), b.const(-_STEP), a))
    square = b.fmul(r, r)
    near = b.fma(r, b.fma(r, c[1], c[0]), b.select(far, one, start))
    rest = b.fma(square, b.fma(r, c[5], c[4]), b.fma(r, c[3], c[2]))
    return b.copysign(b.fma(b.fmul(square, r), rest, near), x)


def _tanh():
    """Taylor's coefficients, by `y' = 1 - y²`, the seventh spread over those below it (Chebyshev's economization)."""
    with decimal.localcontext() as context:
        context.prec = 40
        step = decimal.Decimal(_STEP)
        share5, share3, share1 = [decimal.Decimal(x) * (step / 2) ** n
                                  for n, x in ((2, 1.75), (4, -0.875), (6, 0.109375))]
        e, factor = decimal.Decimal(1), (2 * step).exp()
        for _ in range(_PLACES):
            y = (e - 1) / (e + 1)
            c1 = 1 - y * y
            c2 = -y * c1
            c3 = -(2 * y * c2 + c1 * c1) / 3
            c4 = -(y * c3 + c1 * c2) / 2
            c5 = -(2 * (y * c4 + c1 * c3) + c2 * c2) / 5
            c6 = -(y * c5 + c1 * c4 + c2 * c3) / 3
            c7 = -(2 * (y * c6 + c1 * c5 + c2 * c4) + c3 * c3) / 7
            yield [float(c) for c in (y, c1 + c7 * share1, c2, c3 + c7 * share3, c4, c5 + c7 * share5, c6)]
            e *= factor


def exp_few(b, x):
    """Of `float64`, |x| < 708: one of 128 powers of two, a double and what that lacks of it, and a polynomial."""
    magic = b.const(FORMATS[64].magic)
    shifted = b.fma(x, b.const(_POWERS / log(2)), magic)
    n = b.fsub(shifted, magic)
    low, power = b.looked_up("exp2", b.iand(b.bits(shifted), b.iconst(_POWERS - 1)))
    r = b.fma(n, b.const(-_PART_LOW), b.fma(n, b.const(-_PART), x))
    twos = b.shl(b.iand(b.bits(shifted), b.iconst(-_POWERS)), b.iconst(45))
    scale = b.from_bits(b.iadd(b.bits(power), twos))
    square = b.fmul(r, r)
    near = b.fma(square, b.fma(r, b.const(1 / 6), b.const(0.5)), b.fadd(r, low))
    value = b.fma(b.fmul(square, square), b.fma(r, b.const(1 / 120), b.const(1 / 24)), near)
    return b.fma(scale, value, scale)


def _exp2():
    """The part that a double lacks of a power of two, relative to it, and that double."""
    number = decimal.Decimal
    with decimal.localcontext() as context:
        context.prec = 40
        for k in range(_POWERS):
            exact = number(2) ** (number(k) / _POWERS)
            yield [float(exact / number(float(exact)) - 1), float(exact)]


def written_here():
    """The text of this file, from which tables follow: they are found by it; None where there is only bytecode."""
    loader: Any = __spec__.loader
    return loader.get_source(__name__)


# name -> how many numbers, at how many places, and what gives them
TABLES = {"tanh": (7, _PLACES, _tanh), "exp2": (2, _POWERS, _exp2)}
