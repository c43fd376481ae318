"""Axis and shape arguments: non-negative axes, shapes without -1, even steps as slices, places on an axis."""

import math
import operator

import numpy as np

from ..errors import ShapeError, at_user_line

ALL_AXES = tuple(tuple(range(n)) for n in range(65))  # all axes, by rank


def normal_axes(axis, ndim):
    """`axis` (None, an int or a tuple) as a tuple of non-negative ints."""
    if axis is None:
        return ALL_AXES[ndim]
    if type(axis) is int:
        if -ndim <= axis < ndim:
            return (axis % ndim,)
    axes = tuple(axis) if isinstance(axis, (tuple, list)) or np.ndim(axis) else (axis,)
    out = []
    for k in axes:
        out.append(normal_axis(k, ndim))
    if len(set(out)) != len(out):
        raise ValueError(f"axis {axis} names one axis twice; name each axis once{at_user_line()}")
    return tuple(sorted(out)) if len(out) > 1 else tuple(out)


def normal_axis(axis, ndim):
    """One axis as a non-negative int."""
    k = axis if type(axis) is int else _index(axis)
    if not -ndim <= k < ndim:
        some = f"its axes are {-ndim} to {ndim - 1}" if ndim else "it has none"
        raise np.exceptions.AxisError(f"axis {k} is out of bounds for array of dimension {ndim}; {some}"
                                      f"{at_user_line()}")
    return k % ndim


def _index(axis):
    if type(axis) is not bool and not getattr(axis, "shape", ()) and not isinstance(axis, type):
        try:
            return operator.index(axis)
        except TypeError:
            pass
    raise TypeError(f"an axis is an integer, but got {axis!r} of type {type(axis).__name__}; count axes from 0, or "
                    f"from -1 at the end{at_user_line()}")


def shape_tuple(shape):
    """A shape, given as one length, a sequence or an array of lengths, as a tuple."""
    shape = shape.tolist() if isinstance(shape, np.ndarray) else shape
    return tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)


def full_shape(shape, size):
    """`shape` as a tuple with its -1 filled in."""
    try:
        shape = shape_tuple(shape)
    except TypeError:
        raise TypeError(f"a shape is an integer or a tuple of integers, but got {shape!r}; round its lengths, take "
                        "them from x.shape, or mark the argument static in jit (static_argnums)"
                        f"{at_user_line()}") from None
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        if shape.count(-1) > 1 or (size % rest if rest else True) and size != 0 or not rest:
            raise ShapeError(f"reshape cannot fill the -1 in {shape} from {size} elements; "
                             f"name the other lengths so that they divide the size{at_user_line()}")
        shape = tuple(size // rest if n == -1 else n for n in shape)
    return shape


def even_steps(places):
    """An array of increasing numbers in even steps as a slice; None for others."""
    if len(places) < 2:
        return slice(int(places[0]), int(places[0]) + 1, 1) if len(places) else slice(0, 0, 1)
    step = int(places[1]) - int(places[0])
    if step < 1 or int(places[-1]) - int(places[0]) != step * (len(places) - 1) or not (np.diff(places) == step).all():
        return None
    return slice(int(places[0]), int(places[-1]) + 1, step)


# Tell whether places lie on an axis: one look at the elements, which on a device waits for all that was launched
# before.

_MANY = 1 << 14
_SIGNED, _UNSIGNED = np.dtype(np.int64), np.dtype(np.uint64)


def all_within(places, low, high):
    """Tell whether `low <= place < high` for all of an array of integers.

    As an unsigned number a place below is beyond all sizes: one maximum stands for two reductions.

    >>> import numpy as np
    >>> from covector._engine import all_within
    >>> all_within(np.array([-3, 2]), -3, 3), all_within(np.array([-4, 2]), -3, 3)
    (True, False)
    """
    if not places.size:
        return True
    if places.dtype != _SIGNED or not hasattr(places, "view"):
        return bool(low <= places.min() and places.max() < high)
    places = (places - low if low else places).view(_UNSIGNED)
    if type(places) is np.ndarray and places.size < _MANY:
        return places.item(places.argmax()) < high - low  # 0.4 us; the reduction has 0.9 around its loop
    top = np.maximum.reduce(places, None) if type(places) is np.ndarray else places.max()
    return int(top) < high - low
