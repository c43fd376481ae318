"""Slices of an array, at static and at traced places, with the arguments of `jax.lax`."""

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrays.axes import normal_axis
from ..core.checks import sequence, whole
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops.indexing.indexing import update as put
from ..core.trace.tracer import Tracer
from ..core.types import Array
from ..numpy import clip, take
from ..numpy.surface import array_beside, array_of


def slice(  # noqa: A001 - JAX's name
    operand: Array, start_indices: Sequence[int], limit_indices: Sequence[int], strides: Sequence[int] | None = None
) -> Array:
    """Cut a slice out of an array, at static indices.

    Args:
        operand: an array.
        start_indices, limit_indices: for each axis the first index and the one behind the last.
        strides: the step on each axis; 1 if None.
    Returns:
        `operand[start:limit:stride, …]`.
    Raises:
        ShapeError: a number per axis is missing, or the slice leaves the array.

    >>> import numpy as np, covector
    >>> covector.lax.slice(np.arange(12).reshape(3, 4), (1, 0), (3, 4), (1, 2))
    array([[ 4,  6],
           [ 8, 10]])
    """
    operand = array_of(operand)
    steps = (1,) * operand.ndim if strides is None else strides
    starts, limits, steps = (_each(operand, v, name, "slice") for v, name in (
        (start_indices, "start_indices"), (limit_indices, "limit_indices"), (steps, "strides")))
    for start, limit, step, size in zip(starts, limits, steps, operand.shape):
        if not 0 <= start <= limit <= size or step < 1:
            raise ShapeError(f"slice needs 0 <= start <= limit <= size and a positive stride on each axis, but got "
                             f"start_indices={starts}, limit_indices={limits}, strides={steps} for shape "
                             f"{operand.shape}; cut them to the shape, or use dynamic_slice, which clamps"
                             f"{at_user_line()}")
    return operand[tuple(map(builtins.slice, starts, limits, steps))]


def slice_in_dim(operand: Array, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
                 ) -> Array:
    """Cut a slice out of one axis of an array, at static indices.

    Args:
        operand: an array.
        start_index, limit_index, stride: as in a slice of Python, `None` and negative numbers included.
        axis: the axis.
    Returns:
        the slice; other axes as they are.

    >>> import numpy as np, covector
    >>> covector.lax.slice_in_dim(np.arange(6.0), 1, -1, 2)
    array([1., 3.])
    """
    operand = array_of(operand)
    k = normal_axis(axis, operand.ndim)
    return operand[(*(builtins.slice(None),) * k, builtins.slice(start_index, limit_index, stride))]


def index_in_dim(operand: Array, index: int, axis: int = 0, keepdims: bool = True) -> Array:
    """Take one index of an axis, at a static index.

    Args:
        operand: an array.
        index: an integer; negative ones count from the end.
        axis: the axis.
        keepdims: keep the axis, with size 1.
    Returns:
        the elements at that index.
    Raises:
        IndexError: the index is outside of the axis.

    >>> import numpy as np, covector
    >>> covector.lax.index_in_dim(np.arange(6.0).reshape(2, 3), 1, keepdims=False)
    array([3., 4., 5.])
    """
    operand = array_of(operand)
    k, index = normal_axis(axis, operand.ndim), whole(index, "index of index_in_dim")
    found = operand[(*(builtins.slice(None),) * k, index)]
    return found.reshape((*operand.shape[:k], 1, *operand.shape[k + 1 :])) if keepdims else found


def dynamic_slice(operand: Array, start_indices: Any, slice_sizes: Sequence[int]) -> Array:
    """Cut a slice of static size out of an array, at an index that may be traced.

    Args:
        operand: an array.
        start_indices: an integer scalar per axis, or an integer array of them. Negative ones count from the end; then
            they are clamped, as in JAX, such that the slice lies inside the array.
        slice_sizes: the size on each axis.
    Returns:
        an array of shape `slice_sizes`.
    Raises:
        ShapeError: a number per axis is missing, or a size is larger than the array.
        DtypeError: a start index is not an integer.

    >>> import numpy as np, covector
    >>> covector.lax.dynamic_slice(np.arange(5.0), (4,), (2,))  # clamped to 3
    array([3., 4.])
    """
    operand = array_of(operand)
    sizes = _sizes(operand, slice_sizes, "dynamic_slice")
    out = operand
    for k, (start, size) in enumerate(zip(_starts(operand, start_indices, "dynamic_slice"), sizes)):
        if size != operand.shape[k]:
            place = _clamped(start, operand.shape[k], size)
            if isinstance(place, int):
                out = out[(*(builtins.slice(None),) * k, builtins.slice(place, place + size))]
            else:
                out = take(out, place + np.arange(size), axis=k)
    return out


def dynamic_slice_in_dim(operand: Array, start_index: Any, slice_size: int, axis: int = 0) -> Array:
    """Cut a slice of static size out of one axis, at an index that may be traced.

    Args:
        operand: an array.
        start_index: an integer scalar, clamped as in `dynamic_slice`.
        slice_size: the size of the slice.
        axis: the axis.
    Returns:
        an array with `slice_size` elements on the axis.
    Raises:
        ShapeError: the size is larger than the axis.

    >>> import numpy as np, covector
    >>> windows = covector.vmap(lambda i: covector.lax.dynamic_slice_in_dim(np.arange(5.0), i, 2))
    >>> windows(np.array([0, 2, 9]))
    array([[0., 1.],
           [2., 3.],
           [3., 4.]])
    """
    operand = array_of(operand)
    k = normal_axis(axis, operand.ndim)
    starts, sizes = [0] * operand.ndim, list(operand.shape)
    starts[k], sizes[k] = start_index, whole(slice_size, "slice_size of dynamic_slice_in_dim", 0)
    return dynamic_slice(operand, starts, sizes)


def dynamic_index_in_dim(operand: Array, index: Any, axis: int = 0, keepdims: bool = True) -> Array:
    """Take one index of an axis, at an index that may be traced.

    Args:
        operand: an array.
        index: an integer scalar, clamped as in `dynamic_slice`.
        axis: the axis.
        keepdims: keep the axis, with size 1.
    Returns:
        the elements at that index.

    >>> import numpy as np, covector
    >>> covector.lax.dynamic_index_in_dim(np.arange(6.0).reshape(2, 3), 1, keepdims=False)
    array([3., 4., 5.])
    """
    found = dynamic_slice_in_dim(operand, index, 1, axis)
    k = normal_axis(axis, found.ndim)
    return found if keepdims else found.reshape((*found.shape[:k], *found.shape[k + 1 :]))


def dynamic_update_slice(operand: Array, update: Array, start_indices: Any) -> Array:
    """Replace a slice of an array, at an index that may be traced.

    Args:
        operand: an array; it is not modified.
        update: an array of as many axes, none larger, of the dtype of `operand`.
        start_indices: an integer scalar per axis, clamped as in `dynamic_slice`.
    Returns:
        a copy of `operand` in which `update` stands there.
    Raises:
        ShapeError: `update` does not fit.
        DtypeError: the dtypes differ, or a start index is not an integer.

    >>> import numpy as np, covector
    >>> covector.lax.dynamic_update_slice(np.zeros(5), np.array([1.0, 2.0]), (9,))  # clamped to 3
    array([0., 0., 0., 1., 2.])
    """
    operand = array_of(operand)
    update = array_beside(update, operand)
    if update.dtype != operand.dtype:
        raise DtypeError(f"dynamic_update_slice needs an update of the dtype of the operand, but got {update.dtype} "
                         f"for {operand.dtype}; cast it with .astype({operand.dtype}){at_user_line()}")
    sizes = _sizes(operand, update.shape, "dynamic_update_slice")
    starts = _starts(operand, start_indices, "dynamic_update_slice")
    places = [_clamped(start, n, size) for start, n, size in zip(starts, operand.shape, sizes)]
    return _written(operand, update, places, sizes)


def dynamic_update_slice_in_dim(operand: Array, update: Array, start_index: Any, axis: int) -> Array:
    """Replace a slice of one axis, at an index that may be traced.

    Args:
        operand: an array; it is not modified.
        update: an array of the shape of `operand` but on that axis, or without it for a single index.
        start_index: an integer scalar, clamped as in `dynamic_slice`.
        axis: the axis.
    Returns:
        a copy of `operand` in which `update` stands there.

    >>> import numpy as np, covector
    >>> covector.lax.dynamic_update_slice_in_dim(np.zeros(4), np.ones(2), 1, 0)
    array([0., 1., 1., 0.])
    """
    operand = array_of(operand)
    starts: list[Any] = [0] * operand.ndim
    starts[normal_axis(axis, operand.ndim)] = start_index
    return dynamic_update_slice(operand, update, starts)


def dynamic_update_index_in_dim(operand: Array, update: Array, index: Any, axis: int) -> Array:
    """Replace one index of an axis, at an index that may be traced.

    Args:
        operand: an array; it is not modified.
        update: an array of the shape of `operand` without that axis, or with size 1 there.
        index: an integer scalar, clamped as in `dynamic_slice`.
        axis: the axis.
    Returns:
        a copy of `operand` in which `update` stands at that index.

    >>> import numpy as np, covector
    >>> covector.lax.dynamic_update_index_in_dim(np.zeros(3), 7.0, 1, 0)
    array([0., 7., 0.])
    """
    operand = array_of(operand)
    update = array_beside(update, operand)
    k = normal_axis(axis, operand.ndim)
    if update.ndim != operand.ndim:
        update = update.reshape((*update.shape[:k], 1, *update.shape[k:]))
    return dynamic_update_slice_in_dim(operand, update, index, k)


def _each(operand: Any, values: Any, name: str, function: str) -> tuple[int, ...]:
    """`values` as integers, one an axis."""
    found = tuple([whole(v, f"{name} of {function}") for v in sequence(values, f"{name} of {function}")])
    if len(found) != operand.ndim:
        raise ShapeError(f"{function} needs {name} with one number per axis, but got {found} for shape "
                         f"{operand.shape}; give {operand.ndim} of them{at_user_line()}")
    return found


def _sizes(operand: Any, values: Any, function: str) -> tuple[int, ...]:
    sizes = _each(operand, values, "slice sizes", function)
    if any(not 0 <= size <= n for size, n in zip(sizes, operand.shape)):
        raise ShapeError(f"{function} needs a slice that fits into the operand, but got sizes {sizes} for shape "
                         f"{operand.shape}; make it smaller{at_user_line()}")
    return sizes


def _starts(operand: Any, values: Any, function: str) -> list[Any]:
    """The start indices, integer scalars, one an axis."""
    if not isinstance(values, tuple | list):
        values = array_of(values)
        values = list(values) if values.ndim == 1 else [values]
    starts = list(values)
    if len(starts) != operand.ndim:
        raise ShapeError(f"{function} needs one start index per axis, but got {len(starts)} for shape {operand.shape}"
                         f"; give a tuple of {operand.ndim} integers{at_user_line()}")
    for start in starts:
        start = array_of(start)
        if start.shape or start.dtype.kind not in "iu":
            raise DtypeError(f"{function} needs start indices that are integer scalars, but got one of shape "
                             f"{start.shape} and dtype {start.dtype}; cast it with .astype(int){at_user_line()}")
    return starts


def _clamped(start: Any, n: int, size: int) -> Any:
    """The place at which a slice of `size` lies inside an axis of `n`: an int, if it is known."""
    if isinstance(start, Tracer):
        start = start.astype(np.int64)
        return clip(start + n * (start < 0), 0, n - size)
    start = int(start)
    return min(max(start + n if start < 0 else start, 0), n - size)


def _written(operand: Any, value: Any, places: list[Any], sizes: tuple[int, ...]) -> Any:
    key = [builtins.slice(p, p + n) if isinstance(p, int) else p + np.arange(n) for p, n in zip(places, sizes)]
    if sum(not isinstance(p, int) for p in places) > 1:  # several arrays: they index together, so all axes do
        key = [(p + np.arange(n)).reshape((1,) * k + (n,) + (1,) * (len(sizes) - k - 1))
               for k, (p, n) in enumerate(zip(places, sizes))]
    return put(operand, tuple(key), value)
