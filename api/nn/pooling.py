"""Maximum and mean over windows."""

import math
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.arrays.dtypes import is_half
from ..core.errors import ShapeError, at_user_line
from ..core.ops import selection
from ..core.ops.nn import pooling
from ..core.ops.nn.largest_places import all_hold
from ..core.ops.shaping import pad
from ..core.trace.device import constant
from ..numpy.surface import Array, floating, ordered
from .convolution import each, padding_pairs


def max_pool(x: Array, window: Any, *, stride: Any = None, padding: Any = 0, dilation: Any = 1) -> Array:
    """Take the maximum of each window over the last axes; at ties the derivative goes to the first element.

    Args:
        x: `(…, *size)`, real.
        window: the length of a window for each pooled axis; a number for the last axis alone.
        stride: the step between windows: a number, or one per axis; by default the length of the window.
        padding: -inf around each axis: a number, one per axis, pairs (before, after), "valid" or "same".
        dilation: the step between the elements of a window.
    Returns:
        `(…, *out)`. A window with a NaN gives NaN.
    Raises:
        ShapeError: the windows do not fit the array.
        DtypeError: `x` is complex, or `stride` or another of these arguments is not an integer.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.max_pool(np.array([3.0, 1.0, 2.0, 5.0]), 2)
    array([3., 5.])
    """
    x, kernel, stride, dilation, pairs = _geometry(x, window, stride, padding, dilation)
    x = ordered(x, "max_pool")
    if any(map(any, pairs)) and not all_hold(tuple(x.shape[x.ndim - len(kernel) :]), kernel, stride, pairs, dilation):
        x, pairs = _padded(x, kernel, pairs, -math.inf), ((0, 0),) * len(kernel)  # some windows have nothing else
    pooling.max_windows.prim.shape([aval_of(x)], (kernel, stride, pairs, dilation))  # says what is wrong
    return pooling.max_windows(x, kernel, stride, pairs, dilation)


def avg_pool(
    x: Array, window: Any, *, stride: Any = None, padding: Any = 0, count_include_pad: bool = True
) -> Array:
    """Take the mean of each window over the last axes.

    Args:
        x: `(…, *size)`.
        window: the length of a window for each pooled axis; a number for the last axis alone.
        stride: the step between windows: a number, or one per axis; by default the length of the window.
        padding: zeros around each axis: a number, one per axis, pairs (before, after), "valid" or "same".
        count_include_pad: whether padded zeros count as elements.
    Returns:
        `(…, *out)`.
    Raises:
        ShapeError: the windows do not fit the array.
        DtypeError: `stride` or another of these arguments is not an integer.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.avg_pool(np.array([3.0, 1.0, 2.0, 5.0]), 2)
    array([2. , 3.5])
    """
    x, kernel, stride, dilation, pairs = _geometry(x, window, stride, padding, 1)
    if is_half(x.dtype):
        return selection.astype(avg_pool(selection.astype(x, np.float32), kernel, stride=stride, padding=pairs,
                                         count_include_pad=count_include_pad), x.dtype)
    padded = _padded(x, kernel, pairs, 0.0)
    pooling.window_sums.prim.shape([aval_of(padded)], (kernel, stride, dilation))  # says what is wrong
    total = pooling.window_sums(padded, kernel, stride, dilation)
    if count_include_pad or not any(p for pair in pairs for p in pair):
        return total / math.prod(kernel)
    ones = np.ones(x.shape[x.ndim - len(kernel) :], x.dtype)
    counts = pooling.window_sums(_padded(ones, kernel, pairs, 0.0), kernel, stride, dilation)
    return total / constant(counts, x)


def _geometry(x: Array, window: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, ...]:
    x = floating(x)
    kernel = each(window, len(window) if isinstance(window, (tuple, list)) else 1, "window", 1)
    n = len(kernel)
    if x.ndim < n:
        raise ShapeError(f"windows of shape {kernel} need as many axes, but x has shape {x.shape}; "
                         f"give a shorter window{at_user_line()}")
    stride = kernel if stride is None else each(stride, n, "stride", 1)
    dilation = each(dilation, n, "dilation", 1)
    return x, kernel, stride, dilation, padding_pairs(padding, tuple(x.shape[x.ndim - n :]), kernel, stride, dilation)


def _padded(x: Array, kernel: tuple[int, ...], pairs: tuple[tuple[int, int], ...], fill: float) -> Array:
    """Return the array with its last axes padded."""
    if not any(p for pair in pairs for p in pair):
        return x
    lead = x.ndim - len(kernel)
    size = x.shape[lead:]
    x = pad(x, ((0, 0),) * lead + pairs)
    return selection.where(constant(np.pad(np.ones(size, bool), pairs), x), x, fill) if fill else x
