"""Functions of the representation of numbers: exponents, neighbouring floats, common divisors, bit counts."""

import numpy as np

from ...primitive.families import ZERO, elementwise
from ...primitive.primitive import Loop
from ..samples import Sample, binary, unary
from ..selection import where

_INTEGERS = {"float32": "it takes integers", "complex": "it takes integers"}


def _two_integers(rng):
    return [Sample(rng.integers(-12, 12, s), rng.integers(1, 12, t))
            for s, t in (((), ()), (3, 3), ((2, 3), 3), (0, 0))]


gcd = elementwise("gcd", d=ZERO, op=np.gcd, samples=_two_integers, absent=_INTEGERS)
lcm = elementwise("lcm", d=ZERO, op=np.lcm, samples=_two_integers, absent=_INTEGERS)
bitwise_count = elementwise(
    "bitwise_count", d=ZERO, op=np.bitwise_count,
    samples=lambda rng: [Sample(rng.integers(-12, 12, s)) for s in ((), 3, (2, 3), 0)], absent=_INTEGERS)
# The distance to the next float is flat between powers of two; of large numbers it is large enough to compare.
spacing = elementwise("spacing", d=ZERO, op=np.spacing, samples=unary(1e18, 4e18, complex_too=False))
nextafter = elementwise(
    "nextafter",  # the neighbour of x on the side of y: moves with x, and y gives the side alone; at x = y chosen: 0
    jvp={"x": lambda dx, x, y: where(x == y, 0.0, dx), "y": lambda dy: dy * 0.0},
    vjp={"x": lambda ct, x, y: where(x == y, 0.0, ct), "y": lambda ct: ct * 0.0},
    op=np.nextafter,
    samples=binary(complex_too=False),
)
ldexp = elementwise(
    "ldexp",  # x 2**n
    impl=lambda xp, x, n: xp.ldexp(x, n),
    lower=np.ldexp,
    jvp={"x": lambda dx, n: ldexp(dx, n)},
    vjp={"x": lambda ct, n: ldexp(ct, n)},
    nondiff="n",
    linear=("x",),
    samples=lambda rng: [Sample(rng.normal(size=s), rng.integers(-3, 4, t))
                         for s, t in (((), ()), (3, 3), ((2, 1), 3), (3, (2, 3)), (0, 0))]
    + [Sample(rng.normal(size=3).astype(np.float32), rng.integers(-3, 4, 3))],
    absent={"complex": "it takes real numbers"},
)
exponent = elementwise(
    "exponent",  # the n of x = m 2**n, 0.5 <= |m| < 1
    impl=lambda xp, x: xp.frexp(x)[1],
    lower=Loop(np.frexp, 1),
    d=ZERO,
    samples=unary(complex_too=False),
)
