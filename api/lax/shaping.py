"""Shapes, with the arguments of `jax.lax`: each axis by its number, none implied."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import numpy as cnp
from ..core.checks import sequence, whole
from ..core.errors import ShapeError, at_user_line
from ..core.types import Array
from ..numpy.surface import array_beside, array_of


def reshape(operand: Array, new_sizes: Sequence[int], dimensions: Sequence[int] | None = None) -> Array:
    """Change the shape of an array.

    Args:
        operand: an array.
        new_sizes: the new shape, of as many elements.
        dimensions: the order in which to read the axes; theirs if None.
    Returns:
        the array of that shape.

    >>> import numpy as np, covector
    >>> covector.lax.reshape(np.arange(4), (2, 2), (0,))
    array([[0, 1],
           [2, 3]])
    """
    operand = array_of(operand)
    return cnp.reshape(operand if dimensions is None else cnp.transpose(operand, dimensions), new_sizes)


def transpose(operand: Array, permutation: Sequence[int]) -> Array:
    """Permute the axes of an array.

    Args:
        operand: an array.
        permutation: for each axis of the result the one of `operand`.
    Returns:
        the array with its axes permuted.

    >>> import numpy as np, covector
    >>> covector.lax.transpose(np.ones((2, 3)), (1, 0)).shape
    (3, 2)
    """
    return cnp.transpose(array_of(operand), tuple(permutation))


def expand_dims(array: Array, dimensions: int | Sequence[int]) -> Array:
    """Insert axes of size 1.

    Args:
        array: an array.
        dimensions: their positions in the result.
    Returns:
        the array with these axes.

    >>> import numpy as np, covector
    >>> covector.lax.expand_dims(np.ones(3), (0, 2)).shape
    (1, 3, 1)
    """
    return cnp.expand_dims(array_of(array), dimensions)


def squeeze(array: Array, dimensions: int | Sequence[int]) -> Array:
    """Remove axes of size 1.

    Args:
        array: an array.
        dimensions: their positions.
    Returns:
        the array without these axes.
    Raises:
        ValueError: an axis has another size.

    >>> import numpy as np, covector
    >>> covector.lax.squeeze(np.ones((1, 3, 1)), (0,)).shape
    (3, 1)
    """
    return cnp.squeeze(array_of(array), dimensions if isinstance(dimensions, int) else tuple(dimensions))


def broadcast(operand: Array, sizes: Sequence[int]) -> Array:
    """Repeat an array along new leading axes.

    Args:
        operand: an array.
        sizes: the sizes of the new axes.
    Returns:
        an array of shape `(*sizes, *operand.shape)`.

    >>> import numpy as np, covector
    >>> covector.lax.broadcast(np.arange(2), (2,))
    array([[0, 1],
           [0, 1]])
    """
    operand = array_of(operand)
    return cnp.broadcast_to(operand, (*sizes, *operand.shape))


def broadcast_in_dim(operand: Array, shape: Sequence[int], broadcast_dimensions: Sequence[int]) -> Array:
    """Repeat an array along new axes, anywhere.

    Args:
        operand: an array.
        shape: the shape of the result.
        broadcast_dimensions: for each axis of `operand` its position in the result, ascending.
    Returns:
        an array of that shape.
    Raises:
        ShapeError: a position per axis is missing.

    >>> import numpy as np, covector
    >>> covector.lax.broadcast_in_dim(np.arange(2), (2, 3), (0,))
    array([[0, 0, 0],
           [1, 1, 1]])
    """
    operand = array_of(operand)
    where = sequence(broadcast_dimensions, "broadcast_dimensions of broadcast_in_dim")
    if len(where) != operand.ndim or list(where) != sorted(set(where)):
        raise ShapeError(f"broadcast_in_dim needs ascending broadcast_dimensions, one per axis, but got {where} for "
                         f"shape {operand.shape}; transpose the operand first if need be{at_user_line()}")
    spread = [1] * len(shape)
    for k, n in zip(where, operand.shape):
        spread[k] = n
    return cnp.broadcast_to(cnp.reshape(operand, tuple(spread)), tuple(shape))


def concatenate(operands: Sequence[Array], dimension: int) -> Array:
    """Join arrays along an axis.

    Args:
        operands: arrays of equal shapes but on that axis.
        dimension: the axis.
    Returns:
        the joined array.

    >>> import numpy as np, covector
    >>> covector.lax.concatenate([np.zeros(1), np.ones(2)], 0)
    array([0., 1., 1.])
    """
    return cnp.concatenate(operands, axis=dimension)


def rev(operand: Array, dimensions: Sequence[int]) -> Array:
    """Reverse an array along axes.

    Args:
        operand: an array.
        dimensions: the axes.
    Returns:
        the reversed array.

    >>> import numpy as np, covector
    >>> covector.lax.rev(np.arange(3), (0,))
    array([2, 1, 0])
    """
    return cnp.flip(array_of(operand), tuple(dimensions))


def pad(operand: Array, padding_value: Array, padding_config: Sequence[tuple[int, int, int]]) -> Array:
    """Pad an array around and between its elements.

    Args:
        operand: an array.
        padding_value: a scalar.
        padding_config: for each axis `(low, high, interior)`: how much to add before and after (negative numbers cut
            off), and between neighboring elements.
    Returns:
        the padded array.
    Raises:
        ShapeError: a triple per axis is missing, or `interior` is negative.

    >>> import numpy as np, covector
    >>> covector.lax.pad(np.array([1.0, 2.0]), 0.0, [(1, 0, 2)])
    array([0., 1., 0., 0., 2.])
    """
    out = array_of(operand)
    config = [tuple([whole(n, "padding_config of pad") for n in triple]) for triple in padding_config]
    if len(config) != out.ndim or any(len(triple) != 3 or triple[2] < 0 for triple in config):
        raise ShapeError(f"pad needs (low, high, interior) for each axis, interior not negative, but got {config} for "
                         f"shape {out.shape}; give {out.ndim} of them{at_user_line()}")
    value = array_beside(padding_value, out)
    for axis, (low, high, interior) in enumerate(config):
        n = out.shape[axis]
        if interior and n > 1:
            out = _between(out, value, axis, interior)
            n = out.shape[axis]
        out = _joined([_filled(out, value, axis, max(low, 0)), out, _filled(out, value, axis, max(high, 0))], axis)
        start, stop = max(-low, 0), out.shape[axis] - max(-high, 0)
        if start or stop != out.shape[axis]:
            out = out[(*(slice(None),) * axis, slice(start, max(stop, start)))]
    return out


def _between(x: Any, value: Any, axis: int, interior: int) -> Any:
    """`x` with `interior` copies of `value` between neighbors along an axis."""
    apart = cnp.expand_dims(x, axis + 1)
    wide = _joined([apart, _filled(apart, value, axis + 1, interior)], axis + 1)
    n = x.shape[axis]
    wide = cnp.reshape(wide, (*x.shape[:axis], n * (1 + interior), *x.shape[axis + 1 :]))
    return wide[(*(slice(None),) * axis, slice(0, n * (1 + interior) - interior))]


def _filled(like: Any, value: Any, axis: int, size: int) -> Any:
    return cnp.broadcast_to(value.astype(like.dtype), (*like.shape[:axis], size, *like.shape[axis + 1 :]))


def _joined(parts: list[Any], axis: int) -> Any:
    parts = [p for p in parts if p.shape[axis]] or parts[1:2]
    return parts[0] if len(parts) == 1 else cnp.concatenate(parts, axis=axis)


def iota(dtype: Any, size: int) -> Array:
    """Count from 0.

    Args:
        dtype: the dtype of the result.
        size: the number of elements.
    Returns:
        the integers below `size`.

    >>> import numpy as np, covector
    >>> covector.lax.iota(np.float32, 3)
    array([0., 1., 2.], dtype=float32)
    """
    return np.arange(size, dtype=dtype)


def broadcasted_iota(dtype: Any, shape: Sequence[int], dimension: int) -> Array:
    """Count from 0 along an axis.

    Args:
        dtype: the dtype of the result.
        shape: its shape.
        dimension: the axis to count along.
    Returns:
        an array whose elements are their indices on that axis.

    >>> import covector
    >>> covector.lax.broadcasted_iota(int, (2, 3), 1)
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    return broadcast_in_dim(np.arange(shape[dimension], dtype=dtype), shape, (dimension % len(shape),)).copy()
