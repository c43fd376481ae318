"""Operators, methods and attributes of tracers: what `numpy.ndarray` has, in primitives."""

import math
import operator

import numpy as np

from .buffers import Buffer, become_buffer, make_buffer
from .errors import DtypeError, ShapeError, at_user_line
from .ops import arithmetic as a
from .ops import indexing, linalg, reductions, selection, shaping
from .primitive import RAW
from .tracer import Tracer

ndarray = np.ndarray


def normal_axes(axis, ndim):
    """`axis` (None, an int or a tuple) as a tuple of non-negative ints."""
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int:
        if -ndim <= axis < ndim:
            return (axis % ndim,)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    out = []
    for k in axes:
        k = operator.index(k)
        if not -ndim <= k < ndim:
            raise np.exceptions.AxisError(k, ndim)
        out.append(k % ndim)
    if len(set(out)) != len(out):
        raise ValueError(f"axis {axis} names one axis twice")
    return tuple(sorted(out)) if len(out) > 1 else tuple(out)


def normal_axis(axis, ndim):
    """One axis as a non-negative int."""
    k = operator.index(axis)
    if not -ndim <= k < ndim:
        raise np.exceptions.AxisError(k, ndim)
    return k % ndim


def power(x, y):
    """`x ** y`; whole Python exponents and halves take their own, faster primitives."""
    if type(y) is int or type(y) is float and y.is_integer() and abs(y) < 64:
        if isinstance(x, Tracer) and x.dtype.kind in "fc":
            if y == 2:
                return a.square(x)
            if y == 1:
                return a.add(x, 0.0)
            return a.integer_power(x, int(y))
    elif type(y) is float and y == 0.5 and isinstance(x, Tracer) and x.dtype.kind in "fc":
        return a.sqrt(x)
    return a.power(x, y)


def full_shape(shape, size):
    """`shape` as a tuple with its -1 filled in."""
    shape = (operator.index(shape),) if not isinstance(shape, (tuple, list)) else tuple(map(operator.index, shape))
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        if shape.count(-1) > 1 or (size % rest if rest else True) and size != 0 or not rest:
            raise ShapeError(f"reshape cannot fill the -1 in {shape} from {size} elements{at_user_line()}")
        shape = tuple(size // rest if n == -1 else n for n in shape)
    return shape


def reshape(x, shape):
    """`x.reshape(shape)`, with -1 for the axis that follows from the others."""
    return shaping.reshape(x, full_shape(shape, x.size))


def transpose(x, axes=None):
    """`x.transpose(axes)`; all axes reversed by default."""
    n = x.ndim
    axes = tuple(range(n - 1, -1, -1)) if axes is None else tuple(normal_axis(k, n) for k in axes)
    if len(axes) != n or len(set(axes)) != n:
        raise ValueError(f"transpose needs each of the {n} axes once, but got {axes}")
    return shaping.transpose(x, axes)


def reduce(prim, x, axis=None, keepdims=False, dtype=None):
    """A reduction primitive with NumPy's axis argument."""
    if dtype is not None and np.dtype(dtype) != x.dtype:
        x = selection.astype(x, dtype)
    return prim(x, normal_axes(axis, x.ndim), bool(keepdims))


def mean(x, axis=None, dtype=None, keepdims=False):
    """The mean over `axis`."""
    axes = normal_axes(axis, x.ndim)
    count = math.prod(x.shape[k] for k in axes)
    if dtype is None and x.dtype.kind in "biu":
        dtype = np.float64
    if dtype is not None:
        x = selection.astype(x, dtype)
    return reductions.reduce_sum(x, axes, bool(keepdims)) / count


def var(x, axis=None, ddof=0, keepdims=False):
    """The variance over `axis`: mean of |x - mean|²."""
    axes = normal_axes(axis, x.ndim)
    count = math.prod(x.shape[k] for k in axes)
    centred = x - mean(x, axes, None, True)
    squares = a.square(centred) if x.dtype.kind != "c" else a.square(centred.real) + a.square(centred.imag)
    return reductions.reduce_sum(squares, axes, bool(keepdims)) / max(count - ddof, 0)


def std(x, axis=None, ddof=0, keepdims=False):
    """The standard deviation over `axis`; its derivative at a constant is 0."""
    v = var(x, axis, ddof, keepdims)
    zero = v == 0
    return selection.where(zero, 0.0, a.sqrt(selection.where(zero, 1.0, v)))


def swapaxes(x, axis1, axis2):
    """`x` with two axes exchanged."""
    axes = list(range(x.ndim))
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    axes[i], axes[j] = axes[j], axes[i]
    return shaping.transpose(x, tuple(axes))


def squeeze(x, axis=None):
    """`x` without the axes of length 1 (all of them, or those named)."""
    axes = [i for i, n in enumerate(x.shape) if n == 1] if axis is None else normal_axes(axis, x.ndim)
    wrong = [i for i in axes if x.shape[i] != 1]
    if wrong:
        raise ShapeError(f"squeeze cannot drop axis {wrong[0]} of shape {x.shape}: its length is not 1{at_user_line()}")
    return shaping.reshape(x, tuple(n for i, n in enumerate(x.shape) if i not in axes))


def clip(x, min=None, max=None):
    """`x` limited to [min, max]; at the limits the derivative is 1 inside, half at a tie."""
    if min is not None:
        x = selection.maximum(x, min)
    return x if max is None else selection.minimum(x, max)


def round_(x, decimals=0):
    """`x` rounded; flat, so its derivative is 0."""
    scale = 10.0**decimals
    return selection.rint(x) if not decimals else selection.rint(x * scale) / scale


def take(x, index, axis=None):
    """`np.take`: rows at integer positions; flattened where `axis` is None."""
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return indexing.index(x, (slice(None),) * normal_axis(axis, x.ndim) + (index,))


def repeat(x, repeats, axis=None):
    """`np.repeat` for concrete `repeats`."""
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    axis = normal_axis(axis, x.ndim)
    return take(x, np.repeat(np.arange(x.shape[axis]), repeats), axis)


def diagonal(x, offset=0, axis1=0, axis2=1):
    """The diagonal of two axes, as the last axis."""
    i, j = normal_axis(axis1, x.ndim), normal_axis(axis2, x.ndim)
    rest = tuple(k for k in range(x.ndim) if k not in (i, j))
    moved = shaping.transpose(x, (*rest, i, j))
    n, m = moved.shape[-2:]
    count = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    rows = np.arange(count) + max(-offset, 0)
    return indexing.index(moved, (Ellipsis, rows, rows + offset))


def trace(x, offset=0, axis1=0, axis2=1):
    """The sum of the diagonal."""
    return diagonal(x, offset, axis1, axis2).sum(axis=-1)


def _setitem(x, key, value):
    buffer = become_buffer(x)
    value = _fitting(buffer, value)
    if indexing.is_basic(key):
        buffer.write(key, value)
    else:
        buffer.assign(lambda contents, donate: indexing.update(contents, key, value), value)


def _fitting(buffer, value):
    """`value` in the dtype of the buffer, as NumPy casts on assignment; a derivative is never cast away."""
    if not isinstance(value, Tracer):
        return value if isinstance(value, ndarray) or type(value) in RAW else np.asarray(value)
    have, want = value.dtype, buffer.dtype
    if have == want:
        return value
    if have.kind in "fc" and (want.kind in "biu" or have.kind == "c" and want.kind == "f"):
        raise DtypeError(f"a traced value of dtype {have} was written into an array of dtype {want}, which would drop "
                         f"its derivative; make the buffer with dtype={have}{at_user_line()}")
    return selection.astype(value, want)


def _augmented(op):
    def method(x, y):
        if not x.ndim and type(x) is not Buffer:
            return op(x, y)  # NumPy scalars are immutable: the name is bound anew
        buffer = become_buffer(x)
        if type(y) is Buffer:
            y = y.read()

        def update(contents, donate):
            new = op(contents, y)
            if new.shape != contents.shape:
                raise ShapeError(f"an in-place operation cannot broadcast shape {contents.shape} to {new.shape}; "
                                 f"write x = x + y{at_user_line()}")
            return _fitting(buffer, new) if isinstance(new, Tracer) else new.astype(contents.dtype, copy=False)

        buffer.assign(update, y)
        return buffer

    return method


class At:
    """`x.at[index].set(v)` and friends: indexed updates that give a new array.

    `.get()` reads; `.set(v)`, `.add(v)`, `.multiply(v)`, `.divide(v)`, `.power(v)`, `.min(v)`, `.max(v)` write;
    `.apply(f)` writes `f` of what is there. Duplicate indices accumulate in `.add`; elsewhere the last one wins.
    """

    __slots__ = ("x", "key")

    def __init__(self, x, key=None):
        self.x = x
        self.key = key

    def __getitem__(self, key):
        return At(self.x, key)

    def get(self):
        return indexing.index(self.x, self.key)

    def set(self, value):
        return indexing.update(self.x, self.key, value)

    def add(self, value):
        return indexing.update(self.x, self.key, value, add=True)

    def multiply(self, value):
        return self.set(self.get() * value)

    def divide(self, value):
        return self.set(self.get() / value)

    def power(self, value):
        return self.set(self.get() ** value)

    def min(self, value):
        return self.set(selection.minimum(self.get(), value))

    def max(self, value):
        return self.set(selection.maximum(self.get(), value))

    def apply(self, f):
        return self.set(f(self.get()))


def copy(x):
    """A boxed copy that may be written to."""
    return make_buffer(x)


def _reflected(op):
    return lambda x, y: op(y, x)


def _shape_arguments(args):
    return args[0] if len(args) == 1 else args


_OPERATORS = {
    "add": a.add, "sub": a.subtract, "mul": a.multiply, "truediv": a.divide, "floordiv": selection.floor_divide,
    "mod": selection.remainder, "pow": power, "matmul": linalg.matmul, "and": selection.bitwise_and,
    "or": selection.bitwise_or, "xor": selection.bitwise_xor,
}  # fmt: skip
_COMPARISONS = {
    "eq": selection.equal, "ne": selection.not_equal, "lt": selection.less, "le": selection.less_equal,
    "gt": selection.greater, "ge": selection.greater_equal,
}  # fmt: skip
_UNARY = {"neg": a.negative, "abs": shaping.absolute, "invert": selection.bitwise_invert}
_METHODS = {
    "__getitem__": indexing.index,
    "__setitem__": _setitem,
    "__pos__": lambda x: a.add(x, 0.0) if x.dtype.kind in "fc" else x,
    "__iter__": lambda x: iter([indexing.getitem(x, i) for i in range(len(x))]),
    "__divmod__": lambda x, y: (selection.floor_divide(x, y), selection.remainder(x, y)),
    "__round__": lambda x, n=0: round_(x, n),
    "__copy__": copy,
    "sum": lambda x, axis=None, dtype=None, out=None, keepdims=False: reduce(
        reductions.reduce_sum, x, axis, keepdims, dtype),
    "prod": lambda x, axis=None, dtype=None, out=None, keepdims=False: reduce(
        reductions.reduce_prod, x, axis, keepdims, dtype),
    "max": lambda x, axis=None, out=None, keepdims=False: reduce(reductions.reduce_max, x, axis, keepdims),
    "min": lambda x, axis=None, out=None, keepdims=False: reduce(reductions.reduce_min, x, axis, keepdims),
    "all": lambda x, axis=None, out=None, keepdims=False: reduce(reductions.reduce_all, x, axis, keepdims),
    "any": lambda x, axis=None, out=None, keepdims=False: reduce(reductions.reduce_any, x, axis, keepdims),
    "mean": lambda x, axis=None, dtype=None, out=None, keepdims=False: mean(x, axis, dtype, keepdims),
    "var": lambda x, axis=None, dtype=None, out=None, ddof=0, keepdims=False: var(x, axis, ddof, keepdims),
    "std": lambda x, axis=None, dtype=None, out=None, ddof=0, keepdims=False: std(x, axis, ddof, keepdims),
    "argmax": lambda x, axis=None, out=None, keepdims=False: _argument(reductions.argmax, x, axis, keepdims),
    "argmin": lambda x, axis=None, out=None, keepdims=False: _argument(reductions.argmin, x, axis, keepdims),
    "cumsum": lambda x, axis=None, dtype=None, out=None: reductions.cumsum(reshape(x, (-1,)), 0) if axis is None
    else reductions.cumsum(x, normal_axis(axis, x.ndim)),
    "reshape": lambda x, *shape, order="C", copy=None: reshape(x, _shape_arguments(shape)),
    "ravel": lambda x, order="C": reshape(x, (-1,)),
    "flatten": lambda x, order="C": reshape(x, (-1,)) + 0,
    "transpose": lambda x, *axes: transpose(x, _shape_arguments(axes) if axes else None),
    "swapaxes": swapaxes,
    "squeeze": squeeze,
    "astype": lambda x, dtype, order="K", casting="unsafe", subok=True, copy=True: selection.astype(x, dtype),
    "copy": lambda x, order="C": copy(x),
    "clip": lambda x, min=None, max=None, out=None: clip(x, min, max),
    "round": lambda x, decimals=0, out=None: round_(x, decimals),
    "take": lambda x, indices, axis=None, out=None, mode="raise": take(x, indices, axis),
    "repeat": repeat,
    "diagonal": diagonal,
    "trace": lambda x, offset=0, axis1=0, axis2=1, dtype=None, out=None: trace(x, offset, axis1, axis2),
    "dot": lambda x, y, out=None: linalg.dot(x, y),
    "conj": shaping.conjugate,
    "conjugate": shaping.conjugate,
}
_PROPERTIES = {
    "T": transpose,
    "mT": lambda x: swapaxes(x, -1, -2),
    "real": lambda x: shaping.real(x) if x.dtype.kind == "c" else x,
    "imag": shaping.imag,
    "at": At,
    "flat": lambda x: reshape(x, (-1,)),
}


def _argument(prim, x, axis, keepdims):
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    return prim(x, normal_axis(axis, x.ndim), bool(keepdims))


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
        setattr(Tracer, name, method)
    for name, method in _PROPERTIES.items():
        setattr(Tracer, name, property(method, doc=f"As `numpy.ndarray.{name}`, traced."))


_install()
