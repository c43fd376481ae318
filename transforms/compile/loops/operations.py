"""Elementwise operations of native code, each written for a builder: `f(b, x, …)` on SIMD values.

A builder computes with values of one float width, 64 or 32, or with integers or masks; it has `const`, `fadd`, `fsub`,
`fmul`, `fdiv`, `fma`, `sqrt`, `fneg`, `fabs`, `copysign`, `floor`, `rint`, `trunc`, `fcmp`, `select`, masks, bits and
integers, and `library(name, …)` for functions of C. A new operation is one line of a table, under the name of its
primitive; `maths` has the elementary functions, which are many instructions, and every method of a builder.
"""

import math

from ....core.arrays.backend import SPECIAL
from ....core.types import Any
from ..maths import FUNCTIONS


class Name(str):
    """The name of a value in the text of a builder, with its type there."""

    __slots__ = ("type",)
    type: str

    def __new__(cls, text, of):
        self = str.__new__(cls, text)
        self.type = of
        return self


def _maximum(b, x, y):
    """The second of equal ones, which may be zeros of two signs, as NumPy has it."""
    return b.select(b.or_(b.fcmp(">", x, y), b.fcmp("!=", x, x)), x, y)


def _sign(b, x):
    zero = b.const(0.0)
    rest = b.select(b.fcmp("==", x, zero), zero, x)
    return b.select(b.fcmp(">", x, zero), b.const(1.0), b.select(b.fcmp("<", x, zero), b.const(-1.0), rest))


def _heaviside(b, x, y):
    zero = b.const(0.0)
    known = b.select(b.fcmp("<", x, zero), zero, b.select(b.fcmp(">", x, zero), b.const(1.0), y))
    return b.select(b.fcmp("!=", x, x), x, known)


def _remainder(b, x, y):
    zero = b.const(0.0)
    rest = b.library("fmod", x, y)
    other = b.xor_(b.fcmp("<", y, zero), b.fcmp("<", rest, zero))
    moved = b.select(other, b.fadd(rest, y), rest)
    return b.select(b.fcmp("==", rest, zero), b.copysign(zero, y), moved)


def _parts(b, x, y):
    """Quotient and remainder of integers, rounded down, for `y` other than 0; the least number by -1 is itself."""
    safe = b.select(b.icmp("==", y, b.iconst(-1)), b.iconst(1), y)
    rest = b.srem(x, safe)
    other = b.and_(b.icmp("!=", rest, b.iconst(0)), b.icmp("<", b.ixor(rest, y), b.iconst(0)))
    quotient = b.select(b.icmp("==", y, safe), b.sdiv(x, safe), b.isub(b.iconst(0), x))
    return b.select(other, b.isub(quotient, b.iconst(1)), quotient), b.select(other, b.iadd(rest, y), rest)


def _shifted(move, b, x, places):
    """Bits moved by as many places as there are, at most; by more nothing is left, as NumPy has it."""
    inside = b.below(places, b.iconst(b.width))
    return b.select(inside, move(x, b.select(inside, places, b.iconst(0))), b.iconst(0))


def _shifted_with_sign(b, x, places):
    last = b.iconst(b.width - 1)
    return b.ashr(x, b.select(b.below(places, last), places, last))


_EXPONENTS = {64: (0x7FF << 52, -1022), 32: (0xFF << 23, -126)}  # their bits, and the least of normal numbers


def _largest(b, x, y):
    """The power of two up to the larger size, infinite of zeros; of subnormal numbers by way of larger ones."""
    (mask, least), far = _EXPONENTS[b.width], 2.0**64
    top = _maximum(b, b.fabs(x), b.fabs(y))
    tiny = b.fcmp("<", top, b.const(2.0**least))
    power = b.from_bits(b.iand(b.bits(b.select(tiny, b.fmul(top, b.const(far)), top)), b.iconst(mask)))
    power = b.select(tiny, b.fmul(power, b.const(1.0 / far)), power)
    return b.select(b.fcmp("!=", top, top), top, b.select(b.fcmp("==", top, b.const(0.0)), b.const(math.inf), power))


def _half_power(whole, inverse):
    """`x ** (whole + 0.5)`, or one over it: +0 for -0, and infinite for -inf, where a root is neither."""
    def run(b, x):
        x = b.fadd(b.select(b.fcmp("==", x, b.const(-math.inf)), b.fabs(x), x), b.const(0.0))
        if inverse:
            root = b.fdiv(b.const(1.0), b.sqrt(x))
            return b.fmul(b.fdiv(b.const(1.0), x), root) if whole else root
        return b.fmul(x, b.sqrt(x)) if whole else b.sqrt(x)

    return run


POWERS = {0.5: "power_0.5", 1.5: "power_1.5", -0.5: "power_-0.5", -1.5: "power_-1.5"}  # exponents that roots give
_COMPARED = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_FLOAT_TESTS = {  # on floats, giving masks
    **{name: lambda b, x, y, sign=sign: b.fcmp(sign, x, y) for name, sign in _COMPARED.items()},
    "isnan": lambda b, x: b.fcmp("!=", x, x),
    "isinf": lambda b, x: b.fcmp("==", b.fabs(x), b.const(math.inf)),
    "isfinite": lambda b, x: b.fcmp("<", b.fabs(x), b.const(math.inf)),
}
FLOATS = {  # on floats
    "add": lambda b, x, y: b.fadd(x, y),
    "subtract": lambda b, x, y: b.fsub(x, y),
    "multiply": lambda b, x, y: b.fmul(x, y),
    "divide": lambda b, x, y: b.fdiv(x, y),
    "negative": lambda b, x: b.fneg(x),
    "absolute": lambda b, x: b.fabs(x),
    "square": lambda b, x: b.fmul(x, x),
    "reciprocal": lambda b, x: b.fdiv(b.const(1.0), x),
    "sqrt": lambda b, x: b.sqrt(x),
    "copysign": lambda b, x, y: b.copysign(x, y),
    **{name: _half_power(abs(n) > 1, n < 0) for n, name in POWERS.items()},
    "floor": lambda b, x: b.floor(x),
    "ceil": lambda b, x: b.fneg(b.floor(b.fneg(x))),
    "trunc": lambda b, x: b.trunc(x),
    "rint": lambda b, x: b.rint(x),
    "sign": _sign,
    "largest": _largest,
    "direction": _sign,
    "heaviside": _heaviside,
    "deg2rad": lambda b, x: b.fmul(x, b.const(math.pi / 180.0)),
    "rad2deg": lambda b, x: b.fmul(x, b.const(180.0 / math.pi)),
    "maximum": _maximum,
    "minimum": lambda b, x, y: b.select(b.or_(b.fcmp("<", x, y), b.fcmp("!=", x, x)), x, y),
    "fmax": lambda b, x, y: b.select(b.or_(b.fcmp(">=", x, y), b.fcmp("!=", y, y)), x, y),
    "fmin": lambda b, x, y: b.select(b.or_(b.fcmp("<=", x, y), b.fcmp("!=", y, y)), x, y),
    "strong_zero": lambda b, ct, c: b.select(  # a zero keeps its sign
        b.and_(b.fcmp("==", ct, b.const(0.0)), b.fcmp("!=", c, c)), b.const(0.0), c),
    "fmod": lambda b, x, y: b.library("fmod", x, y),
    "remainder": _remainder,
    **_FLOAT_TESTS,
}
INTEGERS = {  # on integers of one width
    "add": lambda b, x, y: b.iadd(x, y),
    "subtract": lambda b, x, y: b.isub(x, y),
    "multiply": lambda b, x, y: b.imul(x, y),
    "square": lambda b, x: b.imul(x, x),
    "negative": lambda b, x: b.isub(b.iconst(0), x),
    "absolute": lambda b, x: b.select(b.icmp("<", x, b.iconst(0)), b.isub(b.iconst(0), x), x),
    "maximum": lambda b, x, y: b.select(b.icmp(">", x, y), x, y),
    "minimum": lambda b, x, y: b.select(b.icmp("<", x, y), x, y),
    "floor_divide": lambda b, x, y: _parts(b, x, y)[0],
    "remainder": lambda b, x, y: _parts(b, x, y)[1],
    "bitwise_and": lambda b, x, y: b.iand(x, y),
    "bitwise_or": lambda b, x, y: b.ior(x, y),
    "bitwise_xor": lambda b, x, y: b.ixor(x, y),
    "bitwise_invert": lambda b, x: b.ixor(x, b.iconst(-1)),
    "left_shift": lambda b, x, places: _shifted(b.shl, b, x, places),
    "right_shift": _shifted_with_sign,
    **{name: lambda b, x, y, sign=sign: b.icmp(sign, x, y) for name, sign in _COMPARED.items()},
}
UNSIGNED = {  # on integers without signs, which a builder of their kind compares as such
    **INTEGERS,
    "absolute": lambda b, x: x,
    "right_shift": lambda b, x, places: _shifted(b.lshr, b, x, places),
    "floor_divide": lambda b, x, y: b.udiv(x, y),
    "remainder": lambda b, x, y: b.urem(x, y),
}
MASKS = {  # on masks
    "bitwise_and": lambda b, x, y: b.and_(x, y),
    "bitwise_or": lambda b, x, y: b.or_(x, y),
    "bitwise_xor": lambda b, x, y: b.xor_(x, y),
    "bitwise_invert": lambda b, x: b.not_(x),
    "equal": lambda b, x, y: b.not_(b.xor_(x, y)),
    "not_equal": lambda b, x, y: b.xor_(x, y),
    "add": lambda b, x, y: b.or_(x, y),
    "multiply": lambda b, x, y: b.and_(x, y),
    "maximum": lambda b, x, y: b.or_(x, y),
    "minimum": lambda b, x, y: b.and_(x, y),
}
CASTS = ("cast", "cast_flat")  # between kinds
TESTS = frozenset(_FLOAT_TESTS)  # what gives masks, of integers too
_OF_LOOPS = {  # what definitions of loops have beside these, and no primitive is
    "fma": lambda b, x, y, z: b.fma(x, y, z),
    "multiply_add": lambda b, x, y, z: b.multiply_add(x, y, z),  # the product may be rounded, or not
    "add_to": lambda b, x, y: b.loose("add", x, y),  # additions to one number may go in any order
    "multiply_into": lambda b, x, y: b.loose("mul", x, y),
    "bits": lambda b, x: b.bits(x),
    "from_bits": lambda b, i: b.from_bits(i),
    "bits_up": lambda b, x, places: b.shl(x, places),
    "bits_down": lambda b, x, places: b.lshr(x, places),
    "is_place": lambda b, x, n: b.below(x, n),
}


def table_of(kind):
    """The operations on values of a kind."""
    return {"f": FLOATS, "i": INTEGERS, "u": UNSIGNED, "b": MASKS}[kind[0]]


class Operations:
    """Emitter of values of one `kind`: it has the steps that the tables name, `select`, and `elementary` functions."""

    def run(self: Any, name, args):
        """The result of an operation by its name."""
        if name == "where":
            return self.select(*args)
        found: Any = table_of(self.kind).get(name) or _OF_LOOPS.get(name)
        return self.elementary(name, args) if found is None else found(self, *args)


def knows(name, kind):
    """Tell whether native code has an operation in a kind."""
    return name in table_of(kind) or kind[0] == "f" and name in FUNCTIONS


def calls_ufunc(name):
    """Tell whether an operation is a loop of a ufunc."""
    return name.startswith(SPECIAL)


def is_costly(name):
    """Tell whether an operation is many instructions."""
    return name in FUNCTIONS or name in ("remainder", "fmod") or calls_ufunc(name)
