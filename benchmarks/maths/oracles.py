"""The functions in long double, which tell the worst of many arguments."""

import ctypes
from functools import cache

import llvmlite.binding as llvm
import mpmath
import numpy as np
from llvm_lanes import machine
from scipy import special

LONG = np.longdouble
_KEPT = []


@cache
def from_libm(name):
    """The function `name` of the C library for long doubles, as a function of arrays."""
    ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    text = f"""
declare x86_fp80 @{name}(x86_fp80)
define void @run(ptr %x, ptr %out, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %a = getelementptr x86_fp80, ptr %x, i64 %i
  %v = load x86_fp80, ptr %a
  %y = call x86_fp80 @{name}(x86_fp80 %v)
  %b = getelementptr x86_fp80, ptr %out, i64 %i
  store x86_fp80 %y, ptr %b
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""
    module = llvm.parse_assembly(text)
    engine = llvm.create_mcjit_compiler(module, machine())
    engine.finalize_object()
    _KEPT.append(engine)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(engine.get_function_address("run"))

    def run(x):
        x = np.ascontiguousarray(x, LONG)
        out = np.empty_like(x)
        call(x.ctypes.data, out.ctypes.data, x.size)
        return out

    return run


def sigmoid(x):
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e, 1) / (1 + e)


@cache
def _taylor():
    """The positive root of digamma in two parts, and the coefficients there."""
    with mpmath.workdps(60):
        root = mpmath.findroot(lambda v: mpmath.psi(0, v), mpmath.mpf("1.46163214496836234"))
        parts = [LONG(float(root)), LONG(mpmath.nstr(root - float(root), 25))]
        series = [LONG(mpmath.nstr(mpmath.psi(k, root) / mpmath.factorial(k), 25)) for k in range(1, 60)]
    return parts, series


def _digamma_near_its_root(x):
    """Its Taylor series there, for the sum above cancels."""
    parts, series = _taylor()
    t = np.clip((x - parts[0]) - parts[1], -0.4, 0.4)
    total = LONG(0)
    for c in reversed(series):
        total = total * t + c
    return total * t


def digamma(x):
    """By 24 steps up and the asymptotic series, and by reflection."""
    a = np.where(x < 0, 1 - x, x)
    total = np.zeros_like(a)
    for k in range(24):
        total -= 1 / (a + k)
    y = a + 24
    w = 1 / y**2
    series = LONG(0)
    for top, bottom in reversed(
        [(1, 12), (-1, 120), (1, 252), (-1, 240), (1, 132), (-691, 32760), (1, 12), (-3617, 8160)]
    ):
        series = (series + LONG(top) / bottom) * w
    value = np.log(y) - 1 / (2 * y) - series + total
    rest = x - np.rint(x)
    pi = LONG("3.14159265358979323846264338327950288")
    value = np.where(x < 0, value - pi * np.cos(pi * rest) / np.sin(pi * rest), value)
    value = np.where(np.abs(x - 1.5) < 0.3, _digamma_near_its_root(x), value)
    return np.where((x < 0) & (rest == 0), np.nan, np.where(x == np.inf, x, value))


def _ndtr(x):
    return from_libm("erfcl")(-x / np.sqrt(LONG(2))) / 2


def _improved(y, off):
    """Two steps of Newton from a quantile of double precision; `off(y)` over the density is how far it is away."""
    for _ in range(2):
        y = y - off(y)
    return y


def _erfinv(x):
    erf, erfc, slope = from_libm("erfl"), from_libm("erfcl"), np.sqrt(LONG("3.14159265358979323846264338327950288")) / 2
    size = np.abs(x)
    y = _improved(special.erfinv(size.astype(float)).astype(LONG), lambda y: np.where(
        size < 0.5, erf(y) - size, (1 - size) - erfc(y)) * slope * np.exp(y * y))
    return np.copysign(np.where(size == 1, np.inf, y), x)


def _ndtri(p):
    near, root = np.abs(p - 0.5) < 0.25, np.sqrt(LONG(2))
    y = np.where(near, root * _erfinv(np.where(near, 2 * p - 1, 0)), 0)
    rest = np.where(p < 0.5, p, 1 - p)
    erfc, slope = from_libm("erfcl"), root * np.sqrt(LONG("3.14159265358979323846264338327950288"))
    far = _improved(-special.ndtri(rest.astype(float)).astype(LONG), lambda y: (
        rest - erfc(y / root) / 2) * slope * np.exp(y * y / 2))
    far = np.where(rest == 0, np.inf, far)
    return np.where(near, y, np.copysign(far, p - 0.5))


def _bessel(order, scaled):
    """I of the order, times exp(-|x|) if it is scaled: by its series, or from 60 on by that of 1 / x."""
    def at(x):
        size = np.abs(x)
        near = np.minimum(size, 60)
        term = total = (near / 2) ** order
        for k in range(1, 200):
            term = term * (near * near / 4) / (k * (k + order))
            total = total + term
        large = np.where(size < 60, 60, size)
        part = rest = np.ones_like(large)
        for k in range(1, 60):
            part = part * ((2 * k - 1) ** 2 - 4 * order**2) / (8 * k * large)
            rest = rest + part
        rest = rest / np.sqrt(2 * LONG("3.14159265358979323846264338327950288") * large)
        near, far = (total * np.exp(-near), rest) if scaled else (total, rest * np.exp(large))
        return np.where(size < 60, near, far) * (np.sign(x) if order else 1)

    return at


_LIBM = {"erf": "erfl", "erfc": "erfcl", "gammaln": "lgammal"}
_OTHERS = {
    "sigmoid": sigmoid,
    "digamma": digamma,
    "silu": lambda x: x * sigmoid(x),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "log_expit": lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    "logit": lambda x: np.where(x > 0.25, 2 * np.arctanh(2 * x - 1), np.log(x) - np.log1p(-x)),
    "xlogy": lambda x, y: np.where((x == 0) & (y == y), 0, x * np.log(y)),
    "xlog1py": lambda x, y: np.where((x == 0) & (y == y), 0, x * np.log1p(y)),
    "entr": lambda x: np.where(x < 0, -np.inf, np.where(x == 0, 0, -x * np.log(x))),
    "ndtr": _ndtr,
    "ndtri": _ndtri,
    "erfinv": _erfinv,
    "gelu": lambda x: x * _ndtr(x),
    **{f"i{order}{'e' * scaled}": _bessel(order, scaled) for order in (0, 1) for scaled in (False, True)},
}


def long_double(name):
    """The function `name` of arrays of long doubles."""
    if name in _LIBM:
        return from_libm(_LIBM[name])
    return _OTHERS.get(name) or getattr(np, name)
