"""The error function and its complement: SciPy's (11 ns an element), or rational approximations of ours (70)."""

import math

import numpy as np

from ...errors import DtypeError, at_user_line
from ...primitive.families import elementwise
from ..arithmetic import exp
from ..elementary import _kernel_sigmoid, _sigmoid, _stable_sigmoid, sigmoid, sigmoid_slope
from ..samples import Sample, together, unary
from ..selection import minimum, where
from .scipy_kernels import SINGLE, WIDE, scipy_kernel

# x Φ(x) and its derivative for large float32 arrays: Φ, the normal CDF, in twenty NumPy passes.

# Φ(-s) = exp(-s²/2) M(s), and M as a polynomial in t = 1 / (1 + 0.23 s), lowest power first: a form of Hastings (1955),
# Approximations for digital computers. The coefficients are a minimax fit on [0, 14] (iterated weights); the relative
# error there is 4.8e-8. In float32 the rounding of s² adds s² / 4 units in the last place.
_SCALE = np.float32(0.23)
_M = tuple(np.float32(c) for c in (
    -2.775522054917069e-05, 0.09237834346530771, 0.0857636717799716, 0.11951126223093839, -0.03291386812625152,
    0.3014638015497991, -0.2781191115480314, 0.2904102705717486, -0.07846663839266194))
_DENSITY_32 = np.float32(0.3989422804014327)
_ONE, _ZERO = np.float32(1.0), np.float32(0.0)
_FAR_32 = np.float32(20.0)  # Φ(-20) is 0 in float32
_INFINITE = np.float32(np.inf)
LEAST = 1024  # elements; SciPy's is as fast on fewer


def fits(x):
    """Tell whether an operand is an array that this is for."""
    return type(x) is np.ndarray and x.dtype == np.float32 and x.size >= LEAST


def _tails_32(x):
    """`(s, Φ(-s), exp(-s²/2))` for the size s of x, and whether all of x is finite."""
    size = np.abs(x)
    finite = bool(size.max() < _INFINITE)
    np.minimum(size, _FAR_32, out=size)
    t = size * _SCALE
    t += np.float32(1.0)
    np.reciprocal(t, out=t)
    tail = t * _M[-1]
    for c in _M[-2:0:-1]:
        tail += c
        tail *= t
    tail += _M[0]
    np.multiply(size, size, out=t)
    t *= np.float32(-0.5)
    np.exp(t, out=t)
    tail *= t
    return size, tail, t, finite


def times_normal_cdf(x):
    """x Φ(x) = max(x, 0) - s Φ(-s); at -inf it is NaN, infinity times 0, as the formula for few elements has it."""
    size, tail, _, finite = _tails_32(x)
    tail *= size
    out = np.maximum(x, np.float32(0.0), out=size)
    out -= tail
    if not finite:
        out[x == -_INFINITE] = np.nan
    return out


def slope(x):
    """Φ(x) + x φ(x): 1 - r where x is positive, r where it is negative, with r = Φ(-s) - s φ(s).

    At infinities it is NaN, infinity times 0, as the formula for few elements has it."""
    size, tail, density, finite = _tails_32(x)
    density *= size
    density *= _DENSITY_32
    tail -= density
    tail *= np.copysign(np.float32(1.0), x, out=size)
    np.subtract(~np.signbit(x), tail, out=tail)
    if not finite:
        tail[np.isinf(x)] = np.nan
    return tail


def in_operations(x):
    """The same two in operations, with the infinities and NaN of the formula for few elements.

    They are finite at no infinity, where the functions above are called in their place."""
    size = abs(x)
    s = where(size < _FAR_32, size, _FAR_32)
    t = _ONE / (_ONE + s * _SCALE)
    tail = t * _M[-1]
    for c in _M[-2:0:-1]:
        tail = (tail + c) * t
    density = exp(s * s * np.float32(-0.5))
    tail = (tail + _M[0]) * density
    r = tail - size * density * _DENSITY_32
    above = x > _ZERO
    return where(above, x, _ZERO) - where(above, s, size) * tail, where(x >= _ZERO, _ONE - r, r)


# W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969), 631-637: relative error
# below 1e-16. Highest power first.
_P = (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3)
_Q = (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
_R = (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
      2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3, 1.23033935479799725e3)
_S = (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
      3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3)
_T = (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
      1.60837851487422766e-2, 6.58749161529837803e-4)
_U = (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
      2.33520497626869185e-3)
_SLOPE = 2.0 / math.sqrt(math.pi)


def _poly(xp, coefficients, x):
    out = xp.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        out = out * x + c
    return out


def _scaled(xp, size):
    """exp(x²) erfc(x) of sizes above 0.46875."""
    middle = xp.clip(size, 0.4, 4.0)
    ratio = _poly(xp, _R, middle) / _poly(xp, _S, middle)
    far = xp.maximum(size, 4.0)
    inverse = 1.0 / far / far
    tail = (1.0 / math.sqrt(math.pi) - inverse * _poly(xp, _T, inverse) / _poly(xp, _U, inverse)) / far
    return xp.where(size <= 4.0, ratio, tail)


def _tails(xp, size):
    """erfc of sizes above 0.46875."""
    coarse = xp.trunc(xp.minimum(size, 30.0) * 16.0) / 16.0  # exp(-x²) without the rounding of x²
    return _scaled(xp, size) * xp.exp(-coarse * coarse) * xp.exp(-(size - coarse) * (size + coarse))


def own_erfcx(xp, x):
    """exp(x²) erfc(x) without SciPy."""
    wide, dtype = _prepared(xp, x)
    size = xp.abs(wide)
    square = xp.minimum(size, 1.0) ** 2
    near = xp.exp(square) * (1.0 - size * (_poly(xp, _P, square) / _poly(xp, _Q, square)))
    found = xp.where(size <= 0.46875, near, _scaled(xp, size))
    return xp.where(wide < 0, 2.0 * xp.exp(wide * wide) - found, found).astype(dtype)


def far_slope(x, sign):
    """Σ sign^n (2n + 1)!! / (2 x²)^n, up to n = 20: the derivative of DLMF 7.12.1, of which direct formulas lose x²."""
    w = sign * 0.5 / x / x
    total = 1.0
    for n in range(20, 0, -1):
        total = 1.0 + (2 * n + 1) * w * total
    return total


def _prepared(xp, x):
    x = x if hasattr(x, "dtype") else xp.asarray(x)
    if x.dtype.kind == "c":
        raise DtypeError(f"the error function of {x.dtype} needs SciPy; pip install 'covector[scipy]'{at_user_line()}")
    dtype = x.dtype if x.dtype.kind == "f" else WIDE
    return x.astype(WIDE), dtype


def _erf(xp, x):
    wide, dtype = _prepared(xp, x)
    size = xp.abs(wide)
    square = xp.minimum(size, 1.0) ** 2
    near = wide * (_poly(xp, _P, square) / _poly(xp, _Q, square))
    far = xp.where(xp.isinf(size), 1.0, 1.0 - _tails(xp, size))
    return xp.where(size <= 0.46875, near, xp.copysign(far, wide)).astype(dtype)


def _erfc(xp, x):
    wide, dtype = _prepared(xp, x)
    size = xp.abs(wide)
    square = xp.minimum(size, 1.0) ** 2
    near = 1.0 - wide * (_poly(xp, _P, square) / _poly(xp, _Q, square))
    tail = xp.where(xp.isinf(size), 0.0, _tails(xp, size))
    return xp.where(size <= 0.46875, near, xp.where(wide < 0, 2.0 - tail, tail)).astype(dtype)


# DLMF 7.2.1 and 7.2.2.
_run_erf, _run_erfc = scipy_kernel("erf", _erf), scipy_kernel("erfc", _erfc)
erf = elementwise("erf", costly=True, impl=lambda xp, x: _run_erf(xp, x), quiet=True,
                  d={"x": lambda x: exp(-x * x) * _SLOPE}, kernel={}, samples=unary(-3.0, 3.0))
erfc = elementwise("erfc", costly=True, impl=lambda xp, x: _run_erfc(xp, x), quiet=True,
                   d={"x": lambda x: exp(-x * x) * -_SLOPE}, kernel={}, samples=unary(-3.0, 3.0))
_HALF = math.sqrt(0.5)
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)


def _gelu(xp, x):
    return times_normal_cdf(x) if fits(x) else 0.5 * x * _run_erfc(xp, x * -_HALF)


def _gelu_slope(x):
    if fits(x):
        return slope(x)
    return 0.5 * erfc(x * -_HALF) + x * exp(-0.5 * (x * x)) * _DENSITY


gelu = elementwise(
    "gelu",  # x Φ(x), the distribution function Φ by erfc, which keeps the relative precision of its left tail
    impl=_gelu,
    d={"x": lambda x: _gelu_slope(x)},
    kernel={"impl": lambda x: in_operations(x)[0] if x.dtype == SINGLE else gelu(x),
            "vjp": lambda ct, x: ct * (in_operations(x)[1] if x.dtype == SINGLE else _gelu_slope(x))},
    samples=unary(-3.0, 3.0, complex_too=False),
    quiet=True,
    absent={"complex": "the activation is one of real networks"},
)


# The tanh approximation of GELU, which saves its operand only.

_TWICE, _CUBE = math.sqrt(8.0 / math.pi), 0.044715
_FAR = 1e4  # of squares: there is no slope left, and cubes do not overflow


def _inner(x, square):
    return _TWICE * x * (1.0 + _CUBE * square)


def _gelu_tanh(xp, x):
    """(1 + tanh(u)) / 2 = sigmoid(2 u), whose left tail has all its digits."""
    return x * _sigmoid(xp, _inner(x, xp.minimum(x * x, _FAR)))


def _gelu_tanh_slope(x, of=sigmoid):
    square = minimum(x * x, _FAR)
    u = _inner(x, square)
    return of(u) + _TWICE * x * (1.0 + (3.0 * _CUBE) * square) * sigmoid_slope(u)


gelu_tanh = elementwise(
    "gelu_tanh",  # x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2: Hendrycks and Gimpel (2016), Gaussian error linear units
    impl=_gelu_tanh,
    lower=lambda x: x * _stable_sigmoid(np, _inner(x, minimum(x * x, _FAR))),
    d={"x": lambda x: _gelu_tanh_slope(x)},
    kernel={"impl": lambda x: x * _kernel_sigmoid(_inner(x, minimum(x * x, _FAR))),
            **dict.fromkeys(("vjp", "jvp"), lambda c, x: c * _gelu_tanh_slope(x, _kernel_sigmoid))},
    quiet=True,
    samples=together(unary(-3.0, 3.0, complex_too=False), lambda rng: [Sample(np.array([-9.0, 0.0, 30.0]), tol=1e-5)]),
    absent={"complex": "the activation is one of real networks"},
)
