"""Joining arrays and splitting them."""

import builtins
import operator
from typing import Any

import numpy as np

from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api import methods, views
from ..core.ops import shaping
from ..core.trace.tracer import Dual, Rev
from .shaping import atleast_1d, atleast_2d, atleast_3d
from .surface import Array, array_of, arrays_of, as_asked, implements, refuse_options

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
