"""The error function and its complement: SciPy's (11 ns an element), or rational approximations of ours (70)."""

import math

from ...errors import DtypeError, at_user_line
from ...primitive.families import elementwise
from ..arithmetic import exp
from ..samples import unary
from . import normal_tail
from .scipy_kernels import SINGLE, WIDE, scipy_kernel

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
    return normal_tail.times_normal_cdf(x) if normal_tail.fits(x) else 0.5 * x * _run_erfc(xp, x * -_HALF)


def _gelu_slope(x):
    if normal_tail.fits(x):
        return normal_tail.slope(x)
    return 0.5 * erfc(x * -_HALF) + x * exp(-0.5 * (x * x)) * _DENSITY


gelu = elementwise(
    "gelu",  # x Φ(x), the distribution function Φ by erfc, which keeps the relative precision of its left tail
    impl=_gelu,
    d={"x": lambda x: _gelu_slope(x)},
    kernel={"impl": lambda x: normal_tail.in_operations(x)[0] if x.dtype == SINGLE else gelu(x),
            "vjp": lambda ct, x: ct * (normal_tail.in_operations(x)[1] if x.dtype == SINGLE else _gelu_slope(x))},
    samples=unary(-3.0, 3.0, complex_too=False),
    quiet=True,
    absent={"complex": "the activation is one of real networks"},
)
