"""Shapes: reshape, axes in another order, and joining, repeating and splitting arrays."""

import builtins
import math
import operator
from typing import Any

import numpy as np

from ..core.arrays.axes import shape_tuple
from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import shaping
from ..core.trace.buffers import Buffer
from ..core.trace.device import constant
from ..core.trace.tracer import Dual, Rev, Tracer
from .surface import Array, Axis, array_of, arrays_of, as_asked, implements, refuse_options


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


# Joining arrays and splitting them.

_slice = builtins.slice


@implements(np.concatenate)
def concatenate(arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Array:
    refuse_options("concatenate", out)
    parts = arrays_of(_rows(arrays))
    if dtype is not None:
        parts = [as_asked("concatenate", x, dtype, casting) for x in parts]
    if axis is None:
        parts, axis = [methods.reshape(x, (-1,)) for x in parts], 0
    if not parts:
        raise ValueError(f"concatenate needs at least one array; give a list that is not empty{at_user_line()}")
    if not parts[0].ndim:
        raise ShapeError(f"concatenate cannot join 0-d arrays; use np.stack{at_user_line()}")
    axis = methods.normal_axis(axis, parts[0].ndim)
    return views.copied(parts[0]) if len(parts) == 1 else shaping.concatenate(*parts, axis=axis)


concat = concatenate


def _rows(arrays: Any) -> Any:
    """A traced array in place of a sequence stands for its rows."""
    return arrays if isinstance(arrays, (list, tuple)) else list(arrays)


@implements(np.stack)
def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Array:
    if not axis and type(axis) is int and out is dtype is casting is None and type(arrays) in (list, tuple):
        for x in arrays:  # the common case, spared the questions below
            if type(x) is not Rev and type(x) is not Dual or x.aval is not arrays[0].aval:
                break
        else:
            if arrays:
                return shaping.stack(*arrays, axis=0)
    refuse_options("stack", out)
    parts = arrays_of(_rows(arrays))
    if not parts:
        raise ValueError(f"stack needs at least one array; give a list that is not empty{at_user_line()}")
    shape = parts[0].shape
    for x in parts:
        if x.shape != shape:
            raise ShapeError(f"stack needs arrays of one shape, but got {shape} and {x.shape}; "
                             f"reshape or pad them before{at_user_line()}")
    if dtype is not None:
        parts = [as_asked("stack", x, dtype, casting) for x in parts]
    if axis is None:
        raise TypeError(f"stack needs the position of the new axis, but got axis=None; use axis=0, or concatenate with "
                        f"axis=None{at_user_line()}")
    return shaping.stack(*parts, axis=methods.normal_axis(axis, len(shape) + 1))


@implements(np.vstack)
def vstack(tup: Any, *, dtype: Any = None, casting: Any = None) -> Array:
    return concatenate([atleast_2d(x) for x in _rows(tup)], 0, dtype=dtype, casting=casting)


row_stack = vstack


@implements(np.hstack)
def hstack(tup: Any, *, dtype: Any = None, casting: Any = None) -> Array:
    parts = [atleast_1d(x) for x in _rows(tup)]
    return concatenate(parts, 0 if parts and parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Any) -> Array:
    return concatenate([atleast_3d(x) for x in _rows(tup)], 2)


@implements(np.column_stack)
def column_stack(tup: Any) -> Array:
    return concatenate([methods.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in map(array_of, _rows(tup))], 1)


@implements(np.append)
def append(arr: Array, values: Array, axis: Any = None) -> Array:
    if axis is None:
        return concatenate([methods.reshape(x, (-1,)) for x in arrays_of((arr, values))])
    return concatenate([arr, values], axis)


@implements(np.block)
def block(arrays: Any) -> Array:
    depth = _depth(arrays)
    rank = builtins.max(depth, _rank(arrays))
    return _blocks(arrays, depth, rank) if depth else views.copied(array_of(arrays))


def _depth(arrays: Any) -> int:
    """The nesting depth of the lists, which must be equal everywhere."""
    if isinstance(arrays, tuple):
        raise TypeError(f"block takes nested lists, but got a tuple; use a list instead{at_user_line()}")
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(x) for x in arrays}
    if len(depths) != 1:
        raise ValueError(f"block needs lists that are not empty and nested equally deep, but got depths {depths}"
                         f"; nest each part as deep as the others{at_user_line()}")
    return 1 + depths.pop()


def _rank(arrays: Any) -> int:
    return builtins.max(map(_rank, arrays)) if isinstance(arrays, list) else array_of(arrays).ndim


def _blocks(arrays: Any, depth: int, rank: int) -> Array:
    if depth:
        return concatenate([_blocks(x, depth - 1, rank) for x in arrays], axis=-depth)
    x = array_of(arrays)
    return methods.reshape(x, (1,) * (rank - x.ndim) + tuple(x.shape)) if x.ndim < rank else x


@implements(np.split)
def split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list:
    size = ary.shape[methods.normal_axis(axis, ary.ndim)]
    if not hasattr(indices_or_sections, "__len__") and (
            _sections(indices_or_sections) != indices_or_sections or size % _sections(indices_or_sections)):
        raise ValueError(f"split cannot divide {size} elements into {indices_or_sections} equal parts; use array_split"
                         f"{at_user_line()}")
    return array_split(ary, indices_or_sections, axis)


def _sections(count: Any) -> int:
    count = int(count)
    if not 0 < count < 1 << 40:
        raise ValueError(f"an array is split into at least one section, not {count}; give a count, or a list of "
                         f"positions{at_user_line()}")
    return count


@implements(np.array_split)
def array_split(ary: Array, indices_or_sections: Any, axis: int = 0) -> list:
    axis = methods.normal_axis(axis, ary.ndim)
    size = ary.shape[axis]
    if hasattr(indices_or_sections, "__len__"):
        cuts = [operator.index(k) for k in indices_or_sections]
    else:
        count = _sections(indices_or_sections)
        each, extra = divmod(size, count)
        cuts = [k * each + builtins.min(k, extra) for k in range(1, count)]
    lead = (_slice(None),) * axis
    return [ary[(*lead, _slice(start, stop))] for start, stop in zip([0, *cuts], [*cuts, size])]


@implements(np.vsplit)
def vsplit(ary: Array, indices_or_sections: Any) -> list:
    return split(_of_rank("vsplit", ary, 2), indices_or_sections, 0)


@implements(np.hsplit)
def hsplit(ary: Array, indices_or_sections: Any) -> list:
    return split(_of_rank("hsplit", ary, 1), indices_or_sections, 1 if ary.ndim > 1 else 0)


@implements(np.dsplit)
def dsplit(ary: Array, indices_or_sections: Any) -> list:
    return split(_of_rank("dsplit", ary, 3), indices_or_sections, 2)


def _of_rank(name: str, ary: Array, rank: int) -> Array:
    if ary.ndim < rank:
        raise ValueError(f"{name} cuts arrays of at least {rank} axes, but got shape {ary.shape}; use split with axis="
                         f"{at_user_line()}")
    return ary


@implements(np.unstack)
def unstack(x: Array, /, *, axis: int = 0) -> tuple:
    return tuple(methods.transpose(x, (axis, *[k for k in range(x.ndim) if k != axis % x.ndim])))
