"""Operators, methods and attributes of tracers: what `numpy.ndarray` has, in primitives."""

import operator
from functools import partial
from numbers import Number

import numpy as np

from ..arrays.avals import WEAK
from ..arrays.axes import full_shape, normal_axes, normal_axis
from ..arrays.backend import special_function
from ..checks import check_options, flag
from ..errors import BackendError, ConversionError, DtypeError, RuleError, ShapeError, at_user_line
from ..lazy import LazyModule
from ..ops import arithmetic, arithmetic as a, elementary, reductions, running, selection, shaping
from ..ops.indexing import indexing, pairs, sorting
from ..ops.linalg import products
from ..primitive.primitive import REGISTRY
from ..trace.buffers import Buffer
from ..trace.device import constant
from ..trace.shared_memory import become_buffer, is_copy, is_part
from ..trace.tracer import Rev, Tracer, concrete
from . import roots, sparse_operands as sparse_operands
from .at import At
from .reducing import in_dtype, mean, no_out, reduce, std, var
from .refusal import refused
from .roots import absolute, integer_power, sqrt, square
from .ufunc_methods import call_method, check_cast, full_name
from .views import astype, cast_for_write, cast_in_place, copied, copy, diagonal, ravel, trace

# `==` and `!=` of traced values, including operands that are not numbers.


def equality(prim, other):
    """`==` or `!=`: of what is no number, as None and texts, it is `other` for every element, as in NumPy."""
    def method(x, y):
        try:
            return prim(x, y)
        except (BackendError, DtypeError):
            if hasattr(y, "dtype") or hasattr(y, "__array__") or isinstance(y, Number | list | tuple):
                raise
            return constant(np.full(x.shape, other)[()], x)

    return method


ndarray = np.ndarray


_VALUES = (Tracer, np.ndarray, np.generic)


def power(x, y):
    """`x ** y`; integer Python exponents and halves take their own, faster primitives."""
    if type(y) is int or type(y) is float and y.is_integer() and abs(y) < 64:
        if y == 2 and type(x) is Rev:  # the commonest power
            return square(x)
        if isinstance(x, _VALUES) and x.dtype.kind in "fcb":
            if y == 2:
                return square(x)
            if x.dtype.kind == "b":
                return a.power(x, y)
            if y == 1:
                return a.add(x, -0.0)  # which keeps the sign of a zero
            return integer_power(x, int(y))
    elif type(y) is float and y == 0.5 and isinstance(x, _VALUES) and x.dtype.kind in "fc" and not (
            isinstance(x, Tracer) and x.aval.weak):  # the root of a number is NumPy's, but its power Python's
        return sqrt(x)
    return a.power(x, y)


def reshape(x, shape, order="C"):
    """`x.reshape(shape)`, with -1 for the axis that follows from the others; order "C" or "F"."""
    shape = full_shape(shape, x.size)
    if order == "C":
        return shaping.reshape(x, shape)
    if order != "F":
        raise ValueError(f"a traced value has no memory layout to keep: order must be 'C' or 'F', but is {order!r}"
                         f"; omit order, or ask for 'C'{at_user_line()}")
    # Fortran order is C order of the reversed axes.
    return transpose(shaping.reshape(transpose(x), shape[::-1]))


def transpose(x, axes=None):
    """`x.transpose(axes)`; all axes reversed by default."""
    n = x.ndim
    if axes is None:
        return shaping.transpose(x, (1, 0) if n == 2 else tuple(range(n - 1, -1, -1)))
    axes = tuple(normal_axis(k, n) for k in (axes if hasattr(axes, "__iter__") else (axes,)))
    if len(axes) != n or len(set(axes)) != n:
        raise ValueError(f"transpose needs each of the {n} axes once, but got {axes}; name all of them{at_user_line()}")
    return shaping.transpose(x, axes)


def swapaxes(x, axis1, axis2):
    """`x` with two axes exchanged."""
    axes = list(range(x.ndim))
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    axes[i], axes[j] = axes[j], axes[i]
    return shaping.transpose(x, tuple(axes))


def squeeze(x, axis=None):
    """`x` without the axes of length 1 (all of them, or those named)."""
    # NumPy allows both of an array without axes.
    if not x.ndim and axis in (0, -1):
        return x
    axes = [i for i, n in enumerate(x.shape) if n == 1] if axis is None else normal_axes(axis, x.ndim)
    wrong = [i for i in axes if x.shape[i] != 1]
    if wrong:
        raise ShapeError(f"squeeze cannot drop axis {wrong[0]} of shape {x.shape}: its length is not 1; "
                         f"name axes of length 1, or none{at_user_line()}")
    return shaping.reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def clip(x, min=None, max=None):
    """`x` limited to [min, max]; at the limits the derivative is 1 inside, half at a tie."""
    if x.dtype.kind in "iu":  # a limit that no element of the dtype passes is none, as NumPy has it
        # A Python limit outside of the dtype would overflow in NumPy's comparison; as a limit it changes nothing.
        ends = np.iinfo(x.dtype)
        min = None if type(min) is int and min <= ends.min else min
        max = None if type(max) is int and max >= ends.max else max
    if min is None and max is None:
        return copied(x)
    if min is not None:
        x = selection.maximum(x, min)
    return x if max is None else selection.minimum(x, max)


def round_(x, decimals=0):
    """`x` rounded; flat, so its derivative is 0."""
    whole = x.dtype.kind in "iu"
    decimals = operator.index(decimals)
    if not decimals:
        return x if whole else selection.rint(x)
    # Multiplied or divided by a power of ten that is exact, as 10.0 ** -2 would not be.
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return x if whole else selection.rint(x * scale) / scale
    ans = selection.rint(x / scale) * scale
    return selection.astype(ans, x.dtype) if whole else ans


def take(x, index, axis=None, mode="raise"):
    """`np.take`: rows at integer positions; flattened where `axis` is None."""
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    # NumPy takes from an array without axes as from one of a single element.
    if not x.ndim:
        x = reshape(x, (1,))
    axis = normal_axis(axis, x.ndim)
    size = x.shape[axis]
    index = places_of(index)
    if mode == "clip":
        index = selection.minimum(selection.maximum(index, 0), size - 1)
    elif mode == "wrap":
        index = index % size
    elif mode != "raise":
        raise ValueError(f"take supports the modes 'raise', 'wrap' and 'clip', but got {mode!r}; choose one of them"
                         f"{at_user_line()}")
    return indexing.index(x, (slice(None),) * axis + (index,))


def places_of(index):
    """`index` as integers: truth values count as 0 and 1, and numbers in lists are cut, as NumPy takes them."""
    if not hasattr(index, "dtype"):
        return np.asarray(index, np.intp)
    if index.dtype.kind == "b":
        return index.astype(np.intp)
    if index.dtype.kind not in "iu":
        raise DtypeError(f"indices to take are integers, but got dtype {index.dtype}; cast them with .astype(int)"
                         f"{at_user_line()}")
    return index


def accumulate(prim, x, axis=None, dtype=None):
    """A running sum or product along `axis`, of the flattened array by default."""
    x = _as(x, dtype)
    x = x if x.ndim and axis is not None else reshape(x, (-1,))
    return in_dtype(prim(x, normal_axis(0 if axis is None else axis, x.ndim)), dtype)


def sort_kind(name, kind, order, stable):
    """The kind of sorting that `kind=` or `stable=` asks for."""
    if order is not None:
        raise ValueError(f"{name} of a traced value has no fields to order by, but got order={order!r}; omit it"
                         f"{at_user_line()}")
    if kind is not None and stable is not None:
        raise ValueError(f"{name} takes kind= or stable=, but got both: {kind!r} and {stable!r}; omit one"
                         f"{at_user_line()}")
    if kind is not None and str(kind)[:1].lower() not in ("q", "m", "h", "s"):
        raise ValueError(f"{name} supports the kinds 'quicksort', 'mergesort', 'heapsort' and 'stable', but got "
                         f"{kind!r}; choose one of them{at_user_line()}")
    return "stable" if stable else kind


def sort(x, axis=-1, kind=None):
    """`x` sorted along `axis`; flattened where it is None. All kinds give the same."""
    return sorting.sort(reshape(x, (-1,)), 0) if axis is None else sorting.sort(x, normal_axis(axis, x.ndim))


def argsort(x, axis=-1, kind=None):
    """The indices that sort `x` along `axis`; of the flattened array where it is None."""
    if axis is None or not x.ndim and axis in (0, -1):
        return sorting.argsort(reshape(x, (-1,)), 0, kind)
    return sorting.argsort(x, normal_axis(axis, x.ndim), kind)


def _conjugate(x):
    """As the method of arrays, which unlike the function gives what is real itself, truth values too."""
    return shaping.conjugate(x) if x.dtype.kind == "c" else x


def _as(x, dtype):
    return x if dtype is None else selection.astype(x, dtype)


def repeat(x, repeats, axis=None):
    """`np.repeat` for concrete `repeats`."""
    if axis is None or not x.ndim:
        x, axis = reshape(x, (-1,)), axis or 0
    axis = normal_axis(axis, x.ndim)
    return take(x, constant(np.repeat(np.arange(x.shape[axis]), repeats), x), axis)


def _setitem(x, key, value):
    buffer = x if type(x) is Buffer else become_buffer(x)
    if type(value) is not Rev or value.aval.dtype is not buffer.dtype:
        if type(value) is Buffer and is_part(value, buffer, key):
            return  # `x[key] += y` has written it
        value = cast_for_write(buffer, value)
    if type(key) is int or indexing.is_basic(key):
        buffer.write(key, value)
    else:
        buffer.assign(lambda contents: indexing.update(contents, key, value), value)


def _augmented(op, casting="same_kind"):
    def method(x, y):
        if not x.ndim and type(x) is not Buffer and getattr(x, "state", None) is None:
            return op(x, y)  # NumPy scalars are immutable: the name is bound anew
        buffer = become_buffer(x)
        if type(y) is Buffer:
            y = y.read()

        def update(contents):
            new = op(contents, y)
            if new.shape != contents.shape:
                raise ShapeError(f"an in-place operation cannot broadcast shape {contents.shape} to {new.shape}; "
                                 f"write x = x + y{at_user_line()}")
            return new if new.dtype == contents.dtype else cast_in_place(contents, new, casting)

        buffer.assign(update, y)
        return buffer

    return method


def _reflected(op):
    return lambda x, y: op(y, x)


def _shape_arguments(args):
    return args[0] if len(args) == 1 else args


def _flat(x):
    """All elements in a row, in which every write is one to `x`, as in NumPy's `flat`."""
    if type(x) is not Buffer:
        if not is_copy(out := reshape(x, (-1,))):
            return out
        del out
        become_buffer(x)
    return x.view_through(shaping.reshape.prim, ((x.size,),), always=True)


_OPERATORS = {
    "add": a.add, "sub": a.subtract, "mul": a.multiply, "truediv": a.divide, "floordiv": selection.floor_divide,
    "mod": selection.remainder, "pow": power, "matmul": products.matmul, "and": selection.bitwise_and,
    "or": selection.bitwise_or, "xor": selection.bitwise_xor, "lshift": elementary.left_shift,
    "rshift": elementary.right_shift,
}  # fmt: skip
_COMPARISONS = {
    "eq": equality(selection.equal, False), "ne": equality(selection.not_equal, True),
    "lt": selection.less, "le": selection.less_equal, "gt": selection.greater, "ge": selection.greater_equal,
}  # fmt: skip
_UNARY = {"neg": a.negative, "abs": absolute, "invert": selection.bitwise_invert}
_METHODS = {
    "__getitem__": indexing.index,
    "__setitem__": _setitem,
    "__pos__": lambda x: a.add(x, -0.0) if x.dtype.kind in "fc" else x,
    "__iter__": lambda x: iter([indexing.getitem(x, i) for i in range(len(x))]),
    "__divmod__": lambda x, y: (selection.floor_divide(x, y), selection.remainder(x, y)),
    "__rdivmod__": lambda x, y: (selection.floor_divide(y, x), selection.remainder(y, x)),
    "__round__": lambda x, n=0: round_(x, n),
    "__copy__": copy,
    "sum": lambda x, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True: reduce(
        reductions.reduce_sum, x, axis, keepdims, dtype, out, initial, where),
    "prod": lambda x, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True: reduce(
        reductions.reduce_prod, x, axis, keepdims, dtype, out, initial, where),
    "max": lambda x, axis=None, out=None, keepdims=False, initial=None, where=True: reduce(
        reductions.reduce_max, x, axis, keepdims, None, out, initial, where),
    "min": lambda x, axis=None, out=None, keepdims=False, initial=None, where=True: reduce(
        reductions.reduce_min, x, axis, keepdims, None, out, initial, where),
    "all": lambda x, axis=None, out=None, keepdims=False, *, where=True: reduce(
        reductions.reduce_all, x, axis, keepdims, None, out, None, where),
    "any": lambda x, axis=None, out=None, keepdims=False, *, where=True: reduce(
        reductions.reduce_any, x, axis, keepdims, None, out, None, where),
    "mean": lambda x, axis=None, dtype=None, out=None, keepdims=False, *, where=True: no_out(out, "mean") or mean(
        x, axis, dtype, keepdims, where),
    "var": lambda x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None: no_out(
        out, "var") or var(x, axis, ddof, keepdims, dtype, where, mean),
    "std": lambda x, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None: no_out(
        out, "std") or std(x, axis, ddof, keepdims, dtype, where, mean),
    "argmax": lambda x, axis=None, out=None, keepdims=False: no_out(out, "argmax") or _argument(
        reductions.argmax, x, axis, keepdims),
    "argmin": lambda x, axis=None, out=None, keepdims=False: no_out(out, "argmin") or _argument(
        reductions.argmin, x, axis, keepdims),
    "cumsum": lambda x, axis=None, dtype=None, out=None: no_out(out, "cumsum") or accumulate(
        reductions.cumsum, x, axis, dtype),
    "cumprod": lambda x, axis=None, dtype=None, out=None: no_out(out, "cumprod") or accumulate(
        running.cumprod, x, axis, dtype),
    "reshape": lambda x, *shape, order="C", copy=None: copy is not None and check_options(
        {"copy": copy}) or reshape(copied(x) if copy else x, _shape_arguments(shape), order),
    "ravel": ravel,
    "flatten": lambda x, order="C": copied(reshape(x, (-1,), order)),
    "argsort": lambda x, axis=-1, kind=None, order=None, *, stable=None: argsort(
        x, axis, sort_kind("argsort", kind, order, stable)),
    "sort": lambda x, axis=-1, kind=None, order=None, *, stable=None: _setitem(
        x, ..., sort(x, axis, sort_kind("sort", kind, order, stable))),
    "nonzero": lambda x: np.nonzero(concrete(x, "nonzero")),
    "fill": lambda x, value: _setitem(x, ..., value),
    "transpose": lambda x, *axes: transpose(x, _shape_arguments(axes) if axes else None),
    "swapaxes": swapaxes,
    "squeeze": squeeze,
    "astype": astype,
    "copy": lambda x, order="C": check_options({"order": order}) or copy(x),
    "clip": lambda x, min=None, max=None, out=None: no_out(out, "clip") or clip(x, min, max),
    "round": lambda x, decimals=0, out=None: no_out(out, "round") or round_(x, decimals),
    "take": lambda x, indices, axis=None, out=None, mode="raise": no_out(out, "take") or take(
        x, indices, axis, mode),
    "repeat": repeat,
    "diagonal": diagonal,
    "trace": lambda x, offset=0, axis1=0, axis2=1, dtype=None, out=None: no_out(out, "trace") or trace(
        x, offset, axis1, axis2, dtype),
    "dot": lambda x, y, out=None: no_out(out, "dot") or products.dot(x, y),
    "conj": lambda x, out=None: no_out(out, "conj") or _conjugate(x),
    "conjugate": lambda x, out=None: no_out(out, "conjugate") or _conjugate(x),
}
_PROPERTIES = {
    "T": transpose,
    "mT": lambda x: swapaxes(x, -1, -2),
    "real": lambda x: pairs.real(x) if x.dtype.kind == "c" else x,
    "imag": pairs.imag,
    "at": At,
    "flat": _flat,
}


def _argument(prim, x, axis, keepdims):
    if not x.ndim and axis in (0, -1):
        return prim(reshape(x, (1,)), 0, False)
    if axis is None:
        ans = prim(reshape(x, (-1,)), 0, False)
        return reshape(ans, (1,) * x.ndim) if keepdims and x.ndim else ans
    return prim(x, normal_axis(axis, x.ndim), flag(keepdims))


def _assigned(part):
    def assign(x, value):
        view = part(x if type(x) is Buffer else become_buffer(x))
        if view is not value:
            _setitem(view, ..., value)

    return assign


def _install():
    for name, op in _OPERATORS.items():
        setattr(Tracer, f"__{name}__", op)
        setattr(Tracer, f"__r{name}__", _reflected(op))
        setattr(Tracer, f"__i{name}__", _augmented(op))
    for name, op in _COMPARISONS.items():
        setattr(Tracer, f"__{name}__", op)
    for name, op in _UNARY.items():
        setattr(Tracer, f"__{name}__", op)
    for name, method in _METHODS.items():
        if not getattr(method, "__doc__", None):
            method.__doc__ = f"As `numpy.ndarray.{name}`, traced."
        named(name, method)
        setattr(Tracer, name, method)
    for name, method in _PROPERTIES.items():
        put = _assigned(method) if name in ("real", "imag", "flat") else None
        setattr(Tracer, name, property(method, put, doc=f"As `numpy.ndarray.{name}`, traced."))
    for name in dir(ndarray):
        if not name.startswith("_") and not hasattr(Tracer, name):
            setattr(Tracer, name, _absent(name))


def named(name, method):
    """`method`, called `name` where Python says how it was called."""
    if method.__name__ == "<lambda>" or method.__name__.startswith("_"):
        method.__name__ = method.__qualname__ = name
    return method


def _absent(name):
    """A property for an attribute of arrays that traced values lack; `hasattr` is False."""

    def attribute(x):
        raise AttributeError(f"a traced value ({x.aval!r}) has no attribute {name!r}, since it has no memory of its "
                             f"own; read it from the array outside the transformed function{at_user_line()}")

    return property(attribute)


_install()


# NumPy dispatch of ufuncs: `__array_ufunc__` (NEP 13) of tracers; `__array_function__` is in api/numpy/surface.py.

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
UFUNCS |= {np.absolute: roots.absolute, np.hypot: roots.hypot, np.square: roots.square, np.sqrt: roots.sqrt}
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
