"""The names of `jax.ops`: sums, products and extremes of segments, which integers name."""

from typing import Any

import numpy as np

from .core.arrays.avals import aval_of
from .core.errors import ConversionError, ShapeError, at_user_line
from .core.trace.device import constant
from .core.trace.tracer import Tracer
from .core.types import Array
from .numpy import at, where
from .numpy.surface import array_of
from .transforms.control.scan import scan


def segment_sum(data: Array, segment_ids: Array, num_segments: int | None = None) -> Array:
    """Sum the rows of each segment.

    Args:
        data: `(n, *b)`, of numbers.
        segment_ids: `(n,)`, integers in any order: for each row, its segment. Rows whose segment is negative, or
            `num_segments` or more, are left out.
        num_segments: how many segments there are; by default one more than the largest of `segment_ids`, which must
            be known then.
    Returns:
        an array `(num_segments, *b)` of the dtype of `data`; 0 for a segment without rows.
    Raises:
        ShapeError: `segment_ids` has not one integer for each row.
        ConversionError: `segment_ids` is traced, and `num_segments` is None.

    >>> import numpy as np, covector
    >>> covector.ops.segment_sum(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 0]), 4)
    array([5., 0., 2., 0.])
    """
    data, ids, start = _start("segment_sum", data, segment_ids, num_segments, 0)
    return at(start)[ids].add(data, mode="drop")


def segment_prod(data: Array, segment_ids: Array, num_segments: int | None = None) -> Array:
    """Multiply the rows of each segment.

    Args:
        data, segment_ids, num_segments: as in `segment_sum`.
    Returns:
        an array `(num_segments, *b)` of the dtype of `data`; 1 for a segment without rows.
    Raises:
        ShapeError, ConversionError: as `segment_sum`.

    >>> import numpy as np, covector
    >>> covector.ops.segment_prod(np.array([2.0, 3.0, 4.0]), np.array([0, 2, 0]))
    array([8., 1., 3.])
    """
    data, ids, start = _start("segment_prod", data, segment_ids, num_segments, 1)
    if not isinstance(ids, Tracer):
        return at(start)[ids].multiply(data, mode="drop")

    def step(out: Array, row: Any) -> tuple[Array, None]:  # in turn, since a segment may be named twice
        return at(out)[row[0]].multiply(row[1], mode="drop", unique_indices=True), None

    return scan(step, start, (ids, data))[0]


def segment_max(data: Array, segment_ids: Array, num_segments: int | None = None) -> Array:
    """Find the largest element of each segment.

    Args:
        data, segment_ids, num_segments: as in `segment_sum`; real.
    Returns:
        an array `(num_segments, *b)` of the dtype of `data`; the lowest value of the dtype for a segment without rows.
    Raises:
        ShapeError, ConversionError: as `segment_sum`.

    >>> import numpy as np, covector
    >>> covector.ops.segment_max(np.array([2.0, 3.0, 4.0]), np.array([0, 1, 0]))
    array([4., 3.])
    """
    data, ids, start = _start("segment_max", data, segment_ids, num_segments, _lowest)
    return at(start)[ids].max(data, mode="drop")


def segment_min(data: Array, segment_ids: Array, num_segments: int | None = None) -> Array:
    """Find the smallest element of each segment.

    Args:
        data, segment_ids, num_segments: as in `segment_sum`; real.
    Returns:
        an array `(num_segments, *b)` of the dtype of `data`; the highest value of the dtype for a segment without rows.
    Raises:
        ShapeError, ConversionError: as `segment_sum`.

    >>> import numpy as np, covector
    >>> covector.ops.segment_min(np.array([2.0, 3.0, 4.0]), np.array([0, 1, 0]))
    array([2., 3.])
    """
    data, ids, start = _start("segment_min", data, segment_ids, num_segments, _highest)
    return at(start)[ids].min(data, mode="drop")


def _start(name: str, data: Any, ids: Any, count: int | None, value: Any) -> tuple[Array, Array, Array]:
    """Rows, segments, of which none is negative, and what segments without rows hold."""
    data, ids = array_of(data), array_of(ids)
    if ids.dtype.kind not in "iu" or ids.ndim != 1 or not data.ndim or data.shape[0] != ids.shape[0]:
        raise ShapeError(f"{name} needs one integer for each row, but got segment_ids of shape {tuple(ids.shape)} and "
                         f"dtype {ids.dtype} for data of shape {tuple(data.shape)}; give the segment of each row"
                         f"{at_user_line()}")
    if count is None:
        if isinstance(ids, Tracer):
            raise ConversionError(f"{name} counts its segments by segment_ids, which are traced; give num_segments"
                                  f"{at_user_line()}")
        count = int(ids.max()) + 1 if ids.size else 0
    dtype = aval_of(data).dtype
    value = value(dtype) if callable(value) else value
    return data, where(ids < 0, count, ids), constant(np.full((count, *data.shape[1:]), value, dtype), data)


def _lowest(dtype: np.dtype) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: np.dtype) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max
