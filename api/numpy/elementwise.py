"""Elementwise functions: NumPy's ufuncs, and what is composed of them."""

import math
from typing import Any

import numpy as np

from ..core.arrays.dtypes import result_dtype
from ..core.errors import at_user_line
from ..core.lazy import LazyModule
from ..core.numpy_api import methods, views
from ..core.ops import arithmetic, elementary, selection, shaping
from ..core.ops.indexing import pairs
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer
from .surface import UNSET, Array, array_of, as_numpy, dispatch, implements, lift, public, refuse_options, ufunc

add, subtract, multiply, divide = ufunc(np.add), ufunc(np.subtract), ufunc(np.multiply), ufunc(np.divide)
true_divide = divide
negative, positive, power, float_power = ufunc(np.negative), ufunc(np.positive), ufunc(np.power), ufunc(np.float_power)
pow = power
square, reciprocal, sqrt = ufunc(np.square), ufunc(np.reciprocal), ufunc(np.sqrt)
exp, expm1, log, log1p = ufunc(np.exp), ufunc(np.expm1), ufunc(np.log), ufunc(np.log1p)
sin, cos, tan, tanh = ufunc(np.sin), ufunc(np.cos), ufunc(np.tan), ufunc(np.tanh)
arctan2, hypot = ufunc(np.arctan2), ufunc(np.hypot)
atan2 = arctan2
absolute, fabs, conjugate = ufunc(np.absolute), ufunc(np.fabs), ufunc(np.conjugate)
abs, conj = absolute, conjugate
equal, not_equal, less, less_equal = ufunc(np.equal), ufunc(np.not_equal), ufunc(np.less), ufunc(np.less_equal)
greater, greater_equal = ufunc(np.greater), ufunc(np.greater_equal)
bitwise_and, bitwise_or, bitwise_xor = ufunc(np.bitwise_and), ufunc(np.bitwise_or), ufunc(np.bitwise_xor)
bitwise_not = bitwise_invert = invert = ufunc(np.invert)
logical_and, logical_or, logical_xor = ufunc(np.logical_and), ufunc(np.logical_or), ufunc(np.logical_xor)
logical_not = ufunc(np.logical_not)
sign, floor, ceil, trunc, rint = ufunc(np.sign), ufunc(np.floor), ufunc(np.ceil), ufunc(np.trunc), ufunc(np.rint)
isnan, isfinite, isinf = ufunc(np.isnan), ufunc(np.isfinite), ufunc(np.isinf)
floor_divide, remainder, divmod = ufunc(np.floor_divide), ufunc(np.remainder), ufunc(np.divmod)
mod = remainder
maximum, minimum = ufunc(np.maximum), ufunc(np.minimum)
arcsin, arccos, arctan = ufunc(np.arcsin), ufunc(np.arccos), ufunc(np.arctan)
asin, acos, atan = arcsin, arccos, arctan
sinh, cosh = ufunc(np.sinh), ufunc(np.cosh)
arcsinh, arccosh, arctanh = ufunc(np.arcsinh), ufunc(np.arccosh), ufunc(np.arctanh)
asinh, acosh, atanh = arcsinh, arccosh, arctanh
log2, log10, exp2, cbrt = ufunc(np.log2), ufunc(np.log10), ufunc(np.exp2), ufunc(np.cbrt)
deg2rad, rad2deg, radians, degrees = ufunc(np.deg2rad), ufunc(np.rad2deg), ufunc(np.radians), ufunc(np.degrees)
logaddexp, logaddexp2 = ufunc(np.logaddexp), ufunc(np.logaddexp2)
copysign, signbit, heaviside = ufunc(np.copysign), ufunc(np.signbit), ufunc(np.heaviside)
fmod, fmax, fmin, modf = ufunc(np.fmod), ufunc(np.fmax), ufunc(np.fmin), ufunc(np.modf)
left_shift, right_shift = ufunc(np.left_shift), ufunc(np.right_shift)
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
gcd, lcm, bitwise_count = ufunc(np.gcd), ufunc(np.lcm), ufunc(np.bitwise_count)
frexp, ldexp, nextafter, spacing = ufunc(np.frexp), ufunc(np.ldexp), ufunc(np.nextafter), ufunc(np.spacing)


@implements(np.sinc)
def sinc(x: Array) -> Array:
    return elementary.sinc(x)


@implements(np.clip)
def clip(a: Array, a_min: Any = UNSET, a_max: Any = UNSET, out: Any = None, *, min: Any = None,
         max: Any = None) -> Array:
    refuse_options("clip", out)
    if (a_min is UNSET) != (a_max is UNSET):
        raise TypeError(f"clip takes both a_min and a_max, but got one; give None for the other, or use min= or max="
                        f"{at_user_line()}")
    if a_min is not UNSET and (min is not None or max is not None):
        raise ValueError(f"clip takes a_min and a_max, or min= and max=, but got some of both; omit one pair"
                         f"{at_user_line()}")
    a_min, a_max = (None if v is UNSET else v for v in (a_min, a_max))
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    return methods.clip(array_of(a), None if low is None else lift(low), None if high is None else lift(high))


@implements(np.round, np.around)
def round(a: Array, decimals: int = 0, out: Any = None) -> Array:
    refuse_options("round", out)
    return methods.round_(a, decimals)


around = round


def _traced_fix(x: Array, out: Any = None) -> Array:
    refuse_options("fix", out)
    return selection.trunc(x)


def _plain_fix(x: Array, out: Any = None) -> Array:
    return np.trunc(x, out=out)  # np.fix is it, and warns since NumPy 2.5


dispatch(np.fix, _traced_fix)
fix = public(as_numpy(_plain_fix, np.fix), _traced_fix)


@implements(np.real)
def real(val: Array) -> Array:
    return val.real


@implements(np.imag)
def imag(val: Array) -> Array:
    return val.imag


@implements(np.angle)
def angle(z: Array, deg: bool = False) -> Array:
    ans = arithmetic.arctan2(z.imag, z.real) if z.dtype.kind == "c" else arithmetic.arctan2(0, z)
    return ans * (180 / np.pi) if deg else ans


@implements(np.nan_to_num)
def nan_to_num(x: Array, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Array:
    if not copy and x.dtype.kind in "fc" and x.ndim:
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    if x.dtype.kind == "c":
        parts = [nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf) for part in (x.real, x.imag)]
        return pairs.as_complex(shaping.stack(*parts, axis=x.ndim))  # a product with 1j makes NaN of infinite parts
    if x.dtype.kind != "f":
        return views.copied(x) if copy else x
    if any(v is not None and np.iscomplexobj(v) for v in (nan, posinf, neginf)):
        raise TypeError(f"nan_to_num of real values takes real replacements, but got nan={nan!r}, posinf={posinf!r}, "
                        f"neginf={neginf!r}; give real ones{at_user_line()}")
    top = np.finfo(x.dtype)
    ans = selection.where(selection.isnan(x), nan, x)
    ans = selection.where(x == np.inf, float(top.max) if posinf is None else posinf, ans)
    return selection.where(x == -np.inf, float(top.min) if neginf is None else neginf, ans)


@implements(np.isclose)
def isclose(a: Array, b: Array, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Array:
    a, b = lift(a), lift(b)
    b = float(b) if type(b) in (bool, int) else b
    b = b if type(b) in (float, complex) else selection.astype(b, result_dtype(b, 1.0))  # booleans do not subtract
    with np.errstate(invalid="ignore"):
        size = shaping.absolute(b) if hasattr(b, "dtype") else math.hypot(b.real, b.imag)  # Python numbers stay weak
        near = selection.isfinite(b) & (shaping.absolute(a - b) <= atol + rtol * size)
    ans = near | (a == b)
    return ans | ((a != a) & (b != b)) if equal_nan else ans


@implements(np.allclose)
def allclose(a: Array, b: Array, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
    return isclose(a, b, rtol, atol, equal_nan).all()


@implements(np.array_equal)
def array_equal(a1: Array, a2: Array, equal_nan: bool = False) -> Any:
    a1, a2 = array_of(a1), array_of(a2)
    if a1.shape != a2.shape:
        return False
    same = a1 == a2
    return (same | ((a1 != a1) & (a2 != a2)) if equal_nan else same).all()


@implements(np.array_equiv)
def array_equiv(a1: Array, a2: Array) -> Any:
    a1, a2 = array_of(a1), array_of(a2)
    try:
        np.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return False
    return (a1 == a2).all()


@implements(np.isrealobj)
def isrealobj(x: Array) -> bool:
    return x.dtype.kind != "c"


@implements(np.iscomplexobj)
def iscomplexobj(x: Array) -> bool:
    return x.dtype.kind == "c"


@implements(np.isreal)
def isreal(x: Array) -> Array:
    return x.imag == 0


@implements(np.iscomplex)
def iscomplex(x: Array) -> Array:
    return x.imag != 0


@implements(np.astype)
def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    return views.astype(x, dtype, copy=copy)


@implements(np.shape)
def shape(a: Array) -> tuple:
    return tuple(a.shape)


@implements(np.ndim)
def ndim(a: Array) -> int:
    return int(a.ndim)


@implements(np.size)
def size(a: Array, axis: Any = None) -> int:
    return int(math.prod(a.shape[k] for k in methods.normal_axes(axis, a.ndim)))


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(*[(_NUMBERS[x.dtype.kind] if x.aval.weak else x.dtype) if hasattr(x, "aval") else x
                            for x in arrays_and_dtypes])


_NUMBERS = {"b": False, "i": 0, "f": 0.0, "c": 0j}  # for traced Python numbers, which promote as such


# Window functions, and the Bessel function of one of them.

bessel_integer: Any = LazyModule("covector.core.ops.special.bessel")
bartlett, blackman, hamming, hanning = np.bartlett, np.blackman, np.hamming, np.hanning


@implements(np.i0)
def i0(x: Array) -> Array:
    x = array_of(x)
    if x.dtype.kind == "c":
        raise TypeError(f"i0 takes real values, but got complex ones; take x.real or np.abs(x){at_user_line()}")
    return bessel_integer.bessel_i(x, order=0)


def kaiser(M: Any, beta: Any) -> Array:
    if not isinstance(beta, Tracer):
        return np.kaiser(M, beta)
    size = np.kaiser(M, 0.0).shape[0]  # NumPy says what it takes
    if size < 2:
        return np.ones(size)
    places = np.arange(size) / (M - 1) * 2.0 - 1.0
    return i0(beta * constant(np.sqrt(1.0 - places**2), beta)) / i0(beta)


as_numpy(kaiser, np.kaiser)
