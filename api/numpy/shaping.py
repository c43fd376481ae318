"""Moving, joining and splitting arrays."""

import builtins
import math
import operator
from typing import Any

import numpy as np

from ..core.arrays.axes import shape_tuple
from ..core.errors import at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import shaping
from ..core.trace.buffers import Buffer
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer
from .surface import Array, Axis, array_of, implements


@implements(np.reshape)
def reshape(a: Array, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Array:
    return methods.reshape(views.copied(a) if copy else a, newshape if shape is None else shape, order)


@implements(np.ravel)
def ravel(a: Array, order: str = "C") -> Array:
    return views.ravel(a, order)


@implements(np.transpose, np.permute_dims)
def transpose(a: Array, axes: Any = None) -> Array:
    return methods.transpose(a, axes)


permute_dims = transpose


@implements(np.matrix_transpose)
def matrix_transpose(x: Array, /) -> Array:
    return methods.swapaxes(x, -1, -2)


@implements(np.swapaxes)
def swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    return methods.swapaxes(a, axis1, axis2)


@implements(np.moveaxis)
def moveaxis(a: Array, source: Any, destination: Any) -> Array:
    sources = [methods.normal_axis(k, a.ndim) for k in _tuple(source)]
    targets = [methods.normal_axis(k, a.ndim) for k in _tuple(destination)]
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ValueError(f"moveaxis needs as many distinct sources as destinations, but got {source} and {destination}"
                         f"; name each axis and its destination once{at_user_line()}")
    order = [k for k in range(a.ndim) if k not in sources]
    for target, origin in sorted(zip(targets, sources)):
        order.insert(target, origin)
    return shaping.transpose(a, tuple(order))


def _tuple(axes: Any) -> tuple:
    return tuple(axes) if np.iterable(axes) else (operator.index(axes),)


@implements(np.rollaxis)
def rollaxis(a: Array, axis: int, start: int = 0) -> Array:
    axis = methods.normal_axis(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        raise np.exceptions.AxisError(f"rollaxis moves an axis before axis start, from {-a.ndim} to {a.ndim}, but got "
                                      f"{start}; use moveaxis{at_user_line()}")
    order = [k for k in range(a.ndim) if k != axis]
    order.insert(start - (axis < start), axis)
    return shaping.transpose(a, tuple(order))


@implements(np.squeeze)
def squeeze(a: Array, axis: Axis = None) -> Array:
    return methods.squeeze(a, axis)


@implements(np.expand_dims)
def expand_dims(a: Array, axis: Any) -> Array:
    axes = methods.normal_axes(axis, a.ndim + len(_tuple(axis)))
    sizes = iter(a.shape)
    return shaping.reshape(a, tuple(1 if k in axes else next(sizes) for k in range(a.ndim + len(axes))))


@implements(np.atleast_1d)
def atleast_1d(*arys: Array) -> Any:
    return _each(arys, lambda x: x if x.ndim else methods.reshape(x, (1,)))


@implements(np.atleast_2d)
def atleast_2d(*arys: Array) -> Any:
    return _each(arys, lambda x: x if x.ndim > 1 else methods.reshape(x, (1, -1)))


@implements(np.atleast_3d)
def atleast_3d(*arys: Array) -> Any:
    return _each(arys, lambda x: x if x.ndim > 2 else methods.reshape(x, (*x.shape, 1) if x.ndim == 2 else (1, -1, 1)))


def _each(arys: tuple, f: Any) -> Any:
    out = tuple([f(array_of(x)) for x in arys])
    return out[0] if len(out) == 1 else out


@implements(np.broadcast_to)
def broadcast_to(array: Array, shape: Any, subok: bool = False) -> Array:
    return shaping.broadcast_to(array, shape_tuple(shape))


@implements(np.broadcast_arrays)
def broadcast_arrays(*args: Array, subok: bool = False) -> tuple:
    arrays = [array_of(x) for x in args]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return tuple([shaping.broadcast_to(x, shape) for x in arrays])


broadcast_shapes = np.broadcast_shapes


@implements(np.tile)
def tile(A: Array, reps: Any) -> Array:
    reps = tuple(reps) if isinstance(reps, (tuple, list, np.ndarray)) else (operator.index(reps),)
    rank = builtins.max(A.ndim, len(reps))
    reps = (1,) * (rank - len(reps)) + tuple(map(operator.index, reps))
    if builtins.min(reps, default=0) < 0:
        raise ValueError(f"tile repeats an array so many times along each axis, but got reps={reps}; give "
                         f"nonnegative numbers{at_user_line()}")
    shape = (1,) * (rank - A.ndim) + tuple(A.shape)
    A = A.read() if type(A) is Buffer else A
    spread = shaping.reshape(A, tuple(n for size in shape for n in (1, size)))
    spread = shaping.broadcast_to(spread, tuple(n for pair in zip(reps, shape) for n in pair))
    ans = shaping.reshape(spread, tuple(r * n for r, n in zip(reps, shape)))
    return views.unshared(ans) if math.prod(reps) > 1 else views.copied(ans)


@implements(np.repeat)
def repeat(a: Array, repeats: Any, axis: Any = None) -> Array:
    return methods.repeat(array_of(a), repeats, axis)


@implements(np.resize)
def resize(a: Array, new_shape: Any) -> Array:
    a = methods.reshape(array_of(a), (-1,))
    shape = shape_tuple(new_shape)
    if builtins.min(shape, default=0) < 0:
        raise ValueError(f"resize needs nonnegative lengths, but got {shape}; "
                         f"count each axis from 0{at_user_line()}")
    size = math.prod(shape)
    if not a.shape[0] or not size:
        return constant(np.zeros(shape, a.dtype), a)
    return methods.reshape(methods.take(a, np.arange(size) % a.shape[0]), shape)


@implements(np.flip)
def flip(m: Array, axis: Axis = None) -> Array:
    return shaping.flip(m, methods.normal_axes(axis, m.ndim))


@implements(np.flipud)
def flipud(m: Array) -> Array:
    return shaping.flip(m, (0,))


@implements(np.fliplr)
def fliplr(m: Array) -> Array:
    return shaping.flip(m, (1,))


@implements(np.rot90)
def rot90(m: Array, k: int = 1, axes: Any = (0, 1)) -> Array:
    first, second = (methods.normal_axis(axis, m.ndim) for axis in axes)
    if first == second:
        raise ValueError(f"rot90 needs two different axes, but got {axes}; "
                         f"name the two axes of the plane{at_user_line()}")
    k = k % 4  # not in place: NumPy writes into an array that it is given for k
    if k == 0:
        return m
    if k == 2:
        return shaping.flip(m, tuple(sorted((first, second))))
    turned = methods.swapaxes(m, first, second)
    return shaping.flip(turned, (first,)) if k == 1 else shaping.flip(turned, (second,))


@implements(np.roll)
def roll(a: Array, shift: Any, axis: Axis = None) -> Array:
    if axis is None:
        return methods.reshape(roll(methods.reshape(a, (-1,)), shift, 0), a.shape)
    moved = a
    if isinstance(shift, Tracer) or isinstance(shift, list | tuple) and any(isinstance(n, Tracer) for n in shift):
        return _rolled(a, shift, axis)
    shifts, axes = np.broadcast_arrays(shift, axis)
    for amount, k in zip(shifts.ravel().tolist(), axes.ravel().tolist()):
        k = methods.normal_axis(k, a.ndim)
        size = a.shape[k]
        amount = int(amount) % size if size else 0
        if amount:
            upper = shaping.slice_axis(moved, k, size - amount, size)
            moved = shaping.concatenate(upper, shaping.slice_axis(moved, k, 0, size - amount), axis=k)
    return views.copied(a) if moved is a else moved


def _rolled(a: Array, shift: Any, axis: Any) -> Array:
    """`roll` by traced integers: reads at traced indices."""
    several = shift.ndim if isinstance(shift, Tracer) else 1
    amounts = [shift[k] for k in range(len(shift))] if several else [shift]
    axes = _tuple(axis)
    if len(amounts) != len(axes) and 1 not in (len(amounts), len(axes)):
        raise ValueError(f"roll needs a shift for each axis, but got {len(amounts)} shifts and {len(axes)} axes; give "
                         f"as many of both, or one{at_user_line()}")
    count = max(len(amounts), len(axes))
    for amount, k in zip(amounts * (count // len(amounts)), axes * (count // len(axes))):
        k = methods.normal_axis(k, a.ndim)
        a = methods.take(a, (np.arange(a.shape[k]) - amount) % a.shape[k], k) if a.shape[k] else a
    return a
