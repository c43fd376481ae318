"""Arithmetic and the elementary functions."""

import operator

import numpy as np

from ..arrays.backend import SCALARS
from ..arrays.sums import small
from ..primitive.families import ZERO, elementwise
from ..primitive.primitive import Loop
from ..tape.unbroadcast import conj
from .dependence import nonzero
from .samples import Sample, binary, together, unary
from .selection import times_unit, unit, where

ndarray = np.ndarray
_times, _over, _opposite = small(operator.mul), small(operator.truediv), small(operator.neg)
_squared, _cos, _sin, _cosh = small(np.square), small(np.cos), small(np.sin), small(np.cosh)
_REAL = np.dtype(float)

add = elementwise(
    "add",
    weak=True,
    d={"x": lambda: 1.0, "y": lambda: 1.0},
    real_vjp={"x": lambda ct: ct, "y": lambda ct: ct, "x, y": lambda ct: (ct, ct)},
    real_jvp={"x": lambda dx: dx, "y": lambda dy: dy},
    op=operator.add,
    shifts=("x", "y"),
    linear=("x, y",),
    samples=binary(),
)
subtract = elementwise(
    "subtract",
    weak=True,
    d={"x": lambda: 1.0, "y": lambda: -1.0},
    real_vjp={"x": lambda ct: ct, "y": lambda ct: _opposite(ct), "x, y": lambda ct: (ct, _opposite(ct))},
    real_jvp={"x": lambda dx: dx, "y": lambda dy: _opposite(dy)},
    op=operator.sub,
    shifts=("x",),
    linear=("x, y",),
    samples=binary(),
)
multiply = elementwise(
    "multiply",
    weak=True,
    d={"x": lambda y: y, "y": lambda x: x},
    real_vjp={"x": lambda ct, y: _times(ct, y), "y": lambda ct, x: _times(ct, x),
              "x, y": lambda ct, x, y: (_times(ct, y), _times(ct, x))},
    real_jvp={"x": lambda dx, y: _times(dx, y), "y": lambda dy, x: _times(dy, x)},
    op=operator.mul,
    linear=("x", "y"),
    depends=nonzero,
    samples=binary(),
)
scale = elementwise(
    "scale",  # x times (or over) a Python number of a kind that x has: a parameter, which nothing saves as an operand
    impl=lambda xp, x, *, factor, over: x / factor if over else x * factor,
    jvp={"x": lambda dx, factor, over: scale(dx, factor=factor, over=over)},
    vjp={"x": lambda ct, factor, over: scale(ct, factor=factor.conjugate(), over=over)},
    linear=("x",),
    samples=lambda rng: [Sample(rng.normal(size=s), params={"factor": f, "over": o})
                         for s in ((), (3,), (0,)) for f in (2, -0.3) for o in (False, True)]
    + [Sample(rng.normal(size=3) + 1j, params={"factor": 2 - 1j, "over": o}) for o in (False, True)]
    + [Sample(rng.normal(size=3).astype(np.float32), params={"factor": 1.7, "over": False})],
)
divide = elementwise(
    "divide",
    weak=True,
    impl=lambda xp, x, y: xp.true_divide(x, y),
    jvp={"x": lambda dx, y: dx / y, "y": lambda dy, ans, y: -(dy * ans) / y},
    # both begin with one quotient, which compiled code then computes once
    vjp={"x": lambda ct, y: ct / conj(y), "y": lambda ct, ans, y: -(ct / conj(y) * conj(ans))},
    real_vjp={"x": lambda ct, y: _over(ct, y), "y": lambda ct, ans, y: _opposite(_times(_over(ct, y), ans))},
    op=operator.truediv,
    singular=True,
    linear=("x",),
    samples=binary(low_y=0.5, high_y=2.0),
)
negative = elementwise(
    "negative",
    weak=True,
    d={"x": lambda: -1.0},
    real_vjp={"x": lambda ct: _opposite(ct)},
    real_jvp={"x": lambda dx: _opposite(dx)},
    op=np.negative,
    linear=("x",),
    samples=unary(),
)


def _power_x(x, y):
    """y x^(y-1), 0 where y is 0 whatever x is (so 0**0 has a finite derivative)."""
    if type(y) in SCALARS:
        return y * power(x, y - 1.0 if y else 0.0)
    zero = y == 0
    if (type(y) is ndarray or isinstance(y, np.generic)) and not zero.any():
        return y * power(x, y - 1.0)
    tiny = np.finfo(getattr(x, "dtype", float)).tiny  # below it 1/x is infinite; elsewhere 0/x is 0, its slope in y 1/x
    return y * power(x, where(zero & (abs(x) < tiny), 1.0, y - 1.0))


def _power_y(x, y, ans):
    """x^y log x, 0 where x is 0 and y is not below 0: the limit for y > 0, and the chosen subgradient of 0**0."""
    if type(x) in SCALARS:
        x = ans.dtype.type(x)
    zero = (x == 0) & (y.real >= 0)
    x = where(zero, 1.0, x)
    return ans * log(x if ans.dtype == x.dtype else x.astype(ans.dtype))  # a negative x, a complex y; a Python number


power = elementwise(
    "power",
    weak=True,
    d={"x": _power_x, "y": _power_y},
    op=operator.pow,
    singular=True,
    samples=together(
        binary(low=0.5, high=2.0, low_y=-1.5, high_y=2.5),
        lambda rng: [Sample(np.array([0.0, 0.0]), np.array([0.0, 2.0]), smooth=False, orders=1)],
    ),
)
def _integer_power(x, n):
    """x**n by repeated squaring: `np.power` is 20 times slower than a product for n = 3."""
    if n < 0:
        return 1 / _integer_power(x, -n)
    if n == 0:
        return x**0
    result = None
    while True:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        if not n:
            return result
        x = x * x


def _integer_power_vjp(ct, x, n):
    """ct n x^(n-1); of a plain array without a call of the primitive."""
    if type(x) is np.ndarray and n:
        return ct * (float(n) * _integer_power(x, n - 1))
    return ct * _integer_power_slope(x, n)


def _integer_power_slope(x, n):
    return 0.0 if n == 0 else float(n) * integer_power(x, n - 1)


integer_power = elementwise(
    "integer_power",
    weak=True,
    impl=lambda xp, x, *, n: _integer_power(x, n) if getattr(x, "dtype", _REAL).kind in "fc" else x**n,
    lower=lambda x, n: _integer_power(x, n) if n else power(x, 0),
    composite=True,
    shares=True,
    d={"x": _integer_power_slope},
    real_vjp={"x": _integer_power_vjp},
    singular=True,
    exact=True,
    samples=lambda rng: [Sample(rng.uniform(0.5, 2.0, s) + c, params={"n": n})
                         for n in (-2, 0, 1, 2, 3, 7) for s, c in (((), 0.0), ((3,), 0.0), ((2,), 0.5j))]
    + [Sample(np.zeros(2), params={"n": n}, smooth=n > 0) for n in (0, 1, 2, 3)]
    + [Sample(np.zeros(0), params={"n": 3}), Sample(rng.uniform(0.5, 2.0, 3).astype(np.float32), params={"n": 3})],
)
square = elementwise(
    "square",
    weak=True,
    d={"x": lambda x: x + x},
    real_vjp={"x": lambda ct, x: _times(ct, x + x)},
    real_jvp={"x": lambda dx, x: dx * (x + x)},
    op=np.square,
    samples=unary(),
)
reciprocal = elementwise(
    "reciprocal",
    d={"x": lambda ans: -(ans * ans)},
    op=np.reciprocal,
    singular=True,
    samples=unary(0.5, 2.0),
)
sqrt = elementwise(
    "sqrt",
    d={"x": lambda ans: 0.5 / ans},  # infinite at 0: no finite subgradient exists
    real_vjp={"x": lambda ct, ans: 0.5 * ct / ans},
    op=np.sqrt,
    singular=True,
    samples=unary(0.5, 2.0),
)
exp = elementwise(
    "exp",
    d={"x": lambda ans: ans},
    real_vjp={"x": lambda ct, ans: _times(ct, ans)},
    op=np.exp,
    singular=True,  # where it overflows, as in a branch of `where` that is not taken
    samples=unary(),
)
expm1 = elementwise("expm1", d={"x": lambda x: exp(x)}, op=np.expm1, singular=True, samples=unary())  # not ans + 1
log = elementwise(
    "log",
    jvp={"x": lambda dx, x: dx / x},
    vjp={"x": lambda ct, x: ct / conj(x)},
    real_vjp={"x": lambda ct, x: _over(ct, x)},
    op=np.log,
    singular=True,
    samples=unary(0.5, 3.0),
)
log1p = elementwise(
    "log1p",
    jvp={"x": lambda dx, x: dx / (x + 1.0)},
    vjp={"x": lambda ct, x: ct / (conj(x) + 1.0)},
    op=np.log1p,
    singular=True,
    samples=unary(-0.5, 3.0),
)
sin = elementwise(
    "sin",
    d={"x": lambda x: cos(x)},
    real_vjp={"x": lambda ct, x: _times(ct, _cos(x)) if type(x) is ndarray else ct * cos(x)},
    real_jvp={"x": lambda dx, x: _times(dx, _cos(x)) if type(x) is ndarray else dx * cos(x)},
    op=np.sin,
    samples=unary(),
)
cos = elementwise(
    "cos",
    d={"x": lambda x: -sin(x)},
    real_vjp={"x": lambda ct, x: _times(ct, _opposite(_sin(x))) if type(x) is ndarray else ct * -sin(x)},
    op=np.cos,
    samples=unary(),
)
tan = elementwise(
    "tan", d={"x": lambda ans: ans * ans + 1.0}, op=np.tan, quiet=True,
    samples=unary(-1.0, 1.0),
)


def _tanh_slope(xp, x):
    """1 - tanh², from x: 1 less the square of a rounded tanh has no digit left where that is close to 1."""
    if getattr(x, "dtype", _REAL).kind == "c":
        near = xp.abs(x) < 40.0  # beyond, a square of a complex cosh may overflow to NaN
        return xp.where(near, 1.0 / xp.square(xp.cosh(xp.where(near, x, 0.0))), 1.0 - xp.square(xp.tanh(x)))
    return 1.0 / xp.square(xp.cosh(x))


# A primitive, so that its derivative is one factor: second derivatives take one pass over batched tangents, not four.
tanh_slope = elementwise(
    "tanh_slope",
    impl=lambda xp, x: _tanh_slope(xp, x),
    d={"x": lambda x, ans: -2.0 * tanh(x) * ans},
    quiet=True,
    samples=together(unary(), lambda rng: [Sample(np.array([-20.0, 0.0, 9.0]), tol=1e-5)]),
)


def _times_slope(ct, x):
    """ct (1 - tanh² x), the slope written out: with the bits of compiled code, which multiplies by it."""
    return _times(ct, _over(1.0, _squared(_cosh(x)))) if type(x) is ndarray else ct * tanh_slope(x)


tanh = elementwise(
    "tanh",
    d={"x": lambda x: tanh_slope(x)},
    real_vjp={"x": _times_slope},
    real_jvp={"x": _times_slope},
    op=np.tanh,
    quiet=True,
    samples=together(unary(), lambda rng: [Sample(np.array([-20.0, 0.0, 9.0]), tol=1e-5)]),
)
largest = elementwise(
    "largest",  # the power of two up to max(|x|, |y|), infinite where both vanish: a scale, flat but for its steps
    impl=lambda xp, x, y: _largest(xp, x, y),
    d=ZERO,
    samples=binary(1.1, 1.9, complex_too=False),
    absent={"complex": "arctan2 is of real values"},
)


def _largest(xp, x, y):
    top = xp.maximum(xp.maximum(x, y), -xp.minimum(x, y))  # Python numbers stay weak
    endless = (top == 0) | (top == np.inf)
    part = xp.frexp(xp.where(endless, 1.0, top).astype(top.dtype))[0]
    return xp.where(endless, np.inf, top / (2.0 * part)).astype(top.dtype)


def _over_norm2(x, y):
    """x / (x² + y²), whose squares neither overflow nor vanish; at the origin 0, and so of every order."""
    scale = largest(x, y)
    x, y = x / scale, y / scale
    return x / (where(scale == np.inf, 1.0, x * x + y * y) * scale)


arctan2 = elementwise(
    "arctan2",
    d={"x": lambda x, y: _over_norm2(y, x), "y": lambda x, y: -_over_norm2(x, y)},
    op=np.arctan2,
    singular=True,
    samples=binary(0.5, 2.0, complex_too=False),
)


hypot = elementwise(
    "hypot",
    jvp={"x": lambda dx, x, ans: dx * unit(x, ans), "y": lambda dy, y, ans: dy * unit(y, ans)},
    vjp={"x": lambda ct, x, ans: ct * unit(x, ans), "y": lambda ct, y, ans: ct * unit(y, ans)},
    op=np.hypot,
    chosen={"x": lambda ct, x, ans: times_unit(ct, x, ans), "y": lambda ct, y, ans: times_unit(ct, y, ans)},
    samples=together(binary(0.5, 2.0, complex_too=False),
                     lambda rng: [Sample(np.zeros(2), np.array([0.0, 3.0]), smooth=False, orders=1)]),
)


# Functions of the representation of numbers: exponents, neighbouring floats, common divisors, bit counts.

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
