"""Arithmetic and the elementary functions."""

import operator

import numpy as np

from ..arrays.backend import SCALARS
from ..arrays.small_calls import small_names
from ..primitive.families import elementwise
from ..tape.unbroadcast import conj
from .dependence import nonzero
from .samples import Sample, binary, together, unary
from .selection import unit, where

ndarray = np.ndarray
_times, _minus, _over, _opposite = operator.mul, operator.sub, operator.truediv, operator.neg
_squared, _cos, _sin = np.square, np.cos, np.sin
small_names(globals(), ("_times", "_minus", "_over", "_opposite", "_squared", "_cos", "_sin"))
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
expm1 = elementwise("expm1", d={"x": lambda ans: ans + 1.0}, op=np.expm1, singular=True, samples=unary())
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
_ONE, _SINGLE_ONE = np.ones(()), np.ones((), np.float32)
_DOUBLE = _ONE.dtype
_FLOATS = _DOUBLE, _SINGLE_ONE.dtype


# A primitive, so that its derivative is one factor: second derivatives take one pass over batched tangents, not four.
tanh_slope = elementwise(
    "tanh_slope", impl=lambda xp, x: _tanh_slope(x), d={"x": lambda x: -2.0 * x}, samples=unary()
)  # 1 - tanh² of tanh


def _tanh_slope(x):
    """1 - x²; a 0-d one of the same dtype takes half the time of a Python scalar."""
    if type(x) is ndarray and x.dtype in _FLOATS:
        return _minus(_ONE if x.dtype is _DOUBLE else _SINGLE_ONE, _squared(x))
    return 1.0 - x * x


def _times_slope(ct, ans):
    """ct (1 - ans²), the slope written out."""
    if type(ans) is ndarray:
        return _times(ct, _minus(_ONE if ans.dtype is _DOUBLE else _SINGLE_ONE, _squared(ans)))
    return ct * tanh_slope(ans)


tanh = elementwise(
    "tanh",
    d={"x": lambda ans: tanh_slope(ans)},
    real_vjp={"x": _times_slope},
    real_jvp={"x": _times_slope},
    op=np.tanh,
    samples=unary(),
)
arctan2 = elementwise(
    "arctan2",
    jvp={"x": lambda dx, x, y: dx * y / _norm2(x, y), "y": lambda dy, x, y: -(dy * x) / _norm2(x, y)},
    vjp={"x": lambda ct, x, y: ct * y / _norm2(x, y), "y": lambda ct, x, y: -(ct * x) / _norm2(x, y)},
    op=np.arctan2,
    singular=True,
    samples=binary(0.5, 2.0, complex_too=False),
)


def _norm2(x, y):
    """x² + y², infinite where both vanish: arctan2(0, 0) then has derivatives 0 of every order."""
    s = x * x + y * y
    return where(s == 0, np.inf, s)


hypot = elementwise(
    "hypot",
    jvp={"x": lambda dx, x, ans: dx * unit(x, ans), "y": lambda dy, y, ans: dy * unit(y, ans)},
    vjp={"x": lambda ct, x, ans: ct * unit(x, ans), "y": lambda ct, y, ans: ct * unit(y, ans)},
    op=np.hypot,
    samples=together(binary(0.5, 2.0, complex_too=False),
                     lambda rng: [Sample(np.zeros(2), np.array([0.0, 3.0]), smooth=False, orders=1)]),
)

