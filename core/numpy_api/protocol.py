"""NumPy dispatch of ufuncs: `__array_ufunc__` (NEP 13) of tracers; `__array_function__` is in api/numpy/surface.py."""

from functools import partial

import numpy as np

from ..arrays.avals import WEAK
from ..arrays.backend import special_function
from ..errors import ConversionError, RuleError, at_user_line
from ..lazy import LazyModule
from ..ops import arithmetic, elementary, selection, shaping
from ..ops.linalg import products
from ..primitive.primitive import REGISTRY
from ..trace.shared_memory import become_buffer
from ..trace.tracer import Tracer
from . import roots, sparse_operands as sparse_operands
from .methods import _augmented, power
from .refusal import refused
from .ufunc_methods import call_method, check_cast, full_name

EVERY = LazyModule("covector.core.ops.special.every")
# Of primitives of one ufunc the first declared; and what others come to.
UFUNCS = {prim.lower: prim.fun for prim in reversed(REGISTRY.values()) if type(prim.lower) is np.ufunc}
OF_UFUNCS = frozenset(UFUNCS.values())  # functions that are one ufunc of plain arrays
UFUNCS |= {
    np.positive: lambda x: +x if x.dtype.kind != "b" else np.positive(True), np.conjugate: shaping.conjugate,
    np.sign: shaping.signum, np.modf: elementary.modf, np.matmul: products.matmul, np.vecdot: products.vecdot,
    np.matvec: products.matvec, np.vecmat: products.vecmat, np.logical_not: lambda x: x == 0,
    np.logical_and: lambda x, y: selection.bitwise_and(*_truths(x, y)),
    np.logical_or: lambda x, y: selection.bitwise_or(*_truths(x, y)),
    np.logical_xor: lambda x, y: selection.not_equal(*_truths(x, y)),
    np.divmod: lambda x, y: (selection.floor_divide(x, y), selection.remainder(x, y)),
}  # fmt: skip
UFUNCS[np.radians], UFUNCS[np.degrees] = elementary.deg2rad, elementary.rad2deg
UFUNCS |= {np.absolute: roots.absolute, np.hypot: roots.hypot, np.square: roots.square}
UFUNCS[np.float_power] = lambda x, y: power(_double(x), _double(y))


def _power(x, y):
    """As the operator, but for the dtype of truth values with integer exponents: there 2 is no square."""
    if type(y) is int and isinstance(x, Tracer) and x.dtype == np.bool_:
        x = selection.astype(x, np.intp)
    return power(x, y)


UFUNCS[np.power] = _power


def _truths(x, y):
    return selection.not_equal(x, 0), selection.not_equal(y, 0)


def _fabs(x):
    """|x| in a floating dtype; complex values are refused as NumPy does."""
    dtype = np.fabs(np.ones((), x.dtype)).dtype
    return roots.absolute(x if x.dtype == dtype else selection.astype(x, dtype))


UFUNCS[np.fabs] = _fabs


def _frexp(x):
    """Mantissa and exponent; the exponent is flat, so the mantissa moves as x does, scaled."""
    n = arithmetic.exponent(x)
    return arithmetic.ldexp(x, -n), n


UFUNCS[np.frexp] = _frexp


def _double(x):
    """`x` in float64 or complex128, the types `float_power` computes in."""
    return selection.astype(x, np.result_type(x.dtype, np.float64)) if isinstance(x, Tracer) else x


OPERATORS = {prim.lower for prim in REGISTRY.values() if type(prim.lower) is np.ufunc and prim.weak}
OPERATORS |= {np.power, np.positive, np.divmod}


def arrays_of_numbers(*operands):
    """Operands of a ufunc that are all Python numbers as arrays: NumPy's functions, unlike operators, compute so."""
    if all(x.aval.weak if isinstance(x, Tracer) else type(x) in WEAK for x in operands):
        return [selection.astype(x, x.dtype) if isinstance(x, Tracer) else x for x in operands]
    return operands


_get = UFUNCS.get


def array_ufunc(self, ufunc, method, x, *others, **kwargs):
    """NEP 13: the primitive of a ufunc, its methods, and writes with `out=`."""
    fun = _get(ufunc) or _special(ufunc)
    try:
        if method != "__call__":
            return call_method(ufunc, fun, method, (x, *others), kwargs)
        if fun is not None and not kwargs:
            if self.aval.weak and ufunc in OPERATORS:
                x, *others = arrays_of_numbers(x, *others)
            return fun(x, *others) if others else fun(x)
        if fun is None:
            raise RuleError(f"{full_name(ufunc)} has no derivative rules in covector; use a function listed in the "
                            f"docs, declare a primitive (covector.extend.primitive), or stop_gradient{at_user_line()}")
        return _with_options(ufunc, fun, (x, *others), **kwargs)
    except Exception:
        dot = "" if method == "__call__" else f".{method}"
        return refused(full_name(ufunc) + dot, getattr(ufunc, method), (x, *others), kwargs)


def _special(ufunc):
    """The primitive of a ufunc of `scipy.special`; its name decides only if it is that very ufunc."""
    fun = EVERY.SPECIAL.get(ufunc.__name__)
    if fun is not None and special_function(np, ufunc.__name__, np) is ufunc:
        UFUNCS[ufunc] = fun
        return fun
    return None


def _with_options(ufunc, fun, inputs, out=None, dtype=None, where=True, casting="same_kind", **kwargs):
    options = {"order": kwargs.pop("order", "K"), "subok": kwargs.pop("subok", True), "casting": casting}
    target = out[0] if isinstance(out, tuple) else out
    if out is not None and not isinstance(target, Tracer):
        raise ConversionError(
            f"{full_name(ufunc)} was asked to write a traced value into a plain array (array += t, or out=array), "
            "which would drop its derivative; write array = array + t, or start from a traced buffer: "
            f"covector.numpy.zeros(shape), numpy.zeros_like(t){at_user_line()}"
        )
    if where is not True and not isinstance(target, Tracer):
        raise RuleError(f"where= of {full_name(ufunc)} on traced values needs a traced out=, else the others are "
                        f"undefined; use np.where(mask, {full_name(ufunc)}(x), other){at_user_line()}")
    if ufunc is np.vecdot and "axis" in kwargs:
        fun = partial(fun, axis=kwargs.pop("axis"))
    if kwargs:
        raise RuleError(f"{full_name(ufunc)} on traced values does not take {', '.join(kwargs)}; omit it, or "
                        f"write it with functions of covector.numpy{at_user_line()}")
    if dtype is not None:
        inputs = [x if hasattr(x, "dtype") else np.asarray(x) for x in inputs]
        for x in inputs:
            check_cast(ufunc, x.dtype, np.dtype(dtype), casting)
        inputs = [selection.astype(x, dtype) for x in inputs]
    with np.errstate(all="ignore"):  # NumPy says what it takes
        ufunc(*[np.ones((1,) * x.ndim, x.dtype) if hasattr(x, "dtype") else x for x in inputs], dtype=dtype, **options)
    if out is None:
        return fun(*inputs)

    def write(x, _):
        new = fun(*[x if v is target else v for v in inputs])
        if where is not True:
            return selection.where(where, new, x)
        smaller = new.ndim <= x.ndim and all(n in (1, m) for n, m in zip(new.shape[::-1], x.shape[::-1]))
        return shaping.broadcast_to(new, x.shape) if smaller and new.shape != x.shape else new

    return _augmented(write, casting)(become_buffer(target), 0.0)


Tracer.__array_ufunc__ = array_ufunc
Tracer.__array_priority__ = 1000  # CuPy's operators defer to it
