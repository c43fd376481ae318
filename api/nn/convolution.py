"""Convolutions over any number of axes, and transposed convolutions."""

from operator import index
from typing import Any

import numpy as np

from ..core.arrays.avals import aval_of
from ..core.arrays.dtypes import is_half
from ..core.errors import DtypeError, ShapeError, at_user_line
from ..core.ops.nn import convolution
from ..core.ops.selection import astype
from ..core.ops.shaping import pad
from ..numpy.surface import Array, array_of


def conv(
    x: Array, w: Array, b: Array | None = None, *, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Array:
    """Convolve `x` with the kernels `w` (without flipping them), over the axes after the second.

    Args:
        x: `(n, channels, *size)`, or `(channels, *size)` for one example.
        w: `(features, channels / groups, *kernel)`.
        b: `(features,)`, added at each position, or None.
        stride: the step between windows: a number, or one per axis.
        padding: zeros around each axis: a number, one per axis, pairs (before, after), "valid" (none) or "same"
            (such that the output has size / stride elements, rounded up).
        dilation: the step between the elements of a window: a number, or one per axis.
        groups: the number of groups of channels and features; each group of features depends on its own channels.
    Returns:
        `(n, features, *out)`, or `(features, *out)`.
    Raises:
        ShapeError: the shapes do not match, or a number is too small.
        DtypeError: `stride` or another of these arguments is not an integer.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.conv(np.arange(5.0).reshape(1, 1, 5), np.array([[[1.0, -1.0]]]))
    array([[[-1., -1., -1., -1.]]])
    >>> nn.conv(np.ones((2, 3, 8, 8)), np.ones((4, 3, 3, 3)), np.zeros(4), stride=2, padding="same").shape
    (2, 4, 4, 4)
    """
    x, w = array_of(x), array_of(w)
    n = _axes(x, w, "conv")
    stride, dilation = each(stride, n, "stride", 1), each(dilation, n, "dilation", 1)
    (groups,) = each(groups, 1, "groups", 1)
    single = x.ndim == n + 1
    kernel = tuple(w.shape[2:])
    pairs = padding_pairs(padding, tuple(x.shape[x.ndim - n :]), kernel, stride, dilation)
    x = x[None] if single else x
    convolution.conv.prim.shape([aval_of(x), aval_of(w)], (stride, pairs, dilation, groups))  # says what is wrong
    y = convolution.conv(x, w, stride, pairs, dilation, groups)
    return _finished(y, b, n, single)


def conv_transpose(
    x: Array, w: Array, b: Array | None = None, *, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Array:
    """Apply the transpose of `conv`: each element of `x` adds its kernel to the output.

    Args:
        x: `(n, channels, *size)`, or `(channels, *size)` for one example.
        w: `(channels, features / groups, *kernel)`: the kernels of the convolution that is transposed.
        b: `(features,)`, added at each position, or None.
        stride: the step between the kernels in the output: a number, or one per axis.
        padding: how much is cropped on both sides: a number, one per axis, or pairs (before, after).
        output_padding: how much less is cropped after each axis: a number, or one per axis.
        dilation: the step between the elements of a kernel: a number, or one per axis.
        groups: the number of groups of channels and features.
    Returns:
        `(n, features, *out)`, or `(features, *out)`; `out` is (size - 1) stride + dilation (kernel - 1) + 1, minus
        twice `padding`, plus `output_padding`.
    Raises:
        ShapeError: the shapes do not match, or a number is too small.
        DtypeError: `stride` or another of these arguments is not an integer.

    >>> import numpy as np
    >>> from covector import nn
    >>> nn.conv_transpose(np.array([[[1.0, 2.0]]]), np.array([[[1.0, 1.0, 1.0]]]), stride=2)
    array([[[1., 1., 3., 2., 2.]]])
    """
    x, w = array_of(x), array_of(w)
    n = _axes(x, w, "conv_transpose")
    stride, dilation = each(stride, n, "stride", 1), each(dilation, n, "dilation", 1)
    (groups,) = each(groups, 1, "groups", 1)
    single = x.ndim == n + 1
    y = x[None] if single else x
    if y.shape[1] != w.shape[0] or w.shape[0] % groups:
        raise ShapeError(f"conv_transpose with {groups} groups needs w of shape (channels, features / groups, …), "
                         f"whose channels the groups divide, but got x of shape {x.shape} and w of shape {w.shape}"
                         f"; give groups that divide the channels{at_user_line()}")
    kernel = tuple(w.shape[2:])
    full = [(m - 1) * s + d * (k - 1) + 1 for m, s, d, k in zip(y.shape[2:], stride, dilation, kernel)]
    pairs = padding_pairs(padding, tuple(full), kernel, stride, dilation)
    more = each(output_padding, n, "output_padding", 0)
    # What the output padding takes back from the cut first, and what then remains of it: zeros beyond the last kernel.
    cut = tuple([(before, max(after - m, 0)) for (before, after), m in zip(pairs, more)])
    beyond = [max(m - after, 0) for (_, after), m in zip(pairs, more)]
    size = tuple([k - before - after for k, (before, after) in zip(full, cut)])
    if any(k + m < 1 for k, m in zip(size, beyond)):
        raise ShapeError(f"conv_transpose crops {padding} from an output of size {tuple(full)}, which leaves nothing; "
                         f"pad less{at_user_line()}")
    out = convolution.conv_input(y, w, size, stride, cut, dilation, groups)
    if any(beyond):
        out = pad(out, widths=((0, 0), (0, 0), *[(0, m) for m in beyond]))
    return _finished(out, b, n, single)


def _axes(x: Array, w: Array, name: str) -> int:
    """Return the number of spatial axes."""
    n = w.ndim - 2
    if n < 1 or x.ndim not in (n + 1, n + 2):
        raise ShapeError(f"{name} needs x of shape (n, channels, *size) or (channels, *size) and w with one axis for "
                         f"each of size after its first two, but got {x.shape} and {w.shape}; "
                         f"reshape them, batch and channels first{at_user_line()}")
    return n


def _finished(y: Array, b: Array | None, n: int, single: bool) -> Array:
    if b is not None:
        b = array_of(b)
        if b.shape != (y.shape[1],):
            raise ShapeError(f"a bias needs one number per feature, shape {(y.shape[1],)}, but has shape {b.shape}"
                             f"; reshape it{at_user_line()}")
        shift = b.reshape((-1,) + (1,) * n)
        if y.dtype == b.dtype and is_half(y.dtype):  # NumPy adds halves one by one
            y = astype(astype(y, np.float32) + astype(shift, np.float32), y.dtype)
        elif type(y) is np.ndarray and type(b) is np.ndarray and y.dtype == b.dtype:
            y += shift  # nobody else holds it
        else:
            y = y + shift
    return y[0] if single else y


def each(value: Any, n: int, name: str, least: int) -> tuple[int, ...]:
    """Return an integer or a sequence as `n` integers, none below `least`."""
    try:
        values = tuple(map(index, value)) if isinstance(value, (tuple, list)) else (index(value),)
    except TypeError as error:
        raise DtypeError(f"{name} needs integers, but got {value!r}; round them first{at_user_line()}") from error
    values = values * n if len(values) == 1 else values
    if len(values) != n:
        raise ShapeError(f"{name} needs one number, or one for each of {n} axes, but got {value!r}; "
                         f"give a number, or a tuple of that length{at_user_line()}")
    if any(v < least for v in values):
        raise ShapeError(f"{name} needs integers of at least {least}, but got {value!r}; raise it{at_user_line()}")
    return values


def padding_pairs(
    padding: Any, size: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """Return the user's padding as (before, after) for each axis."""
    if isinstance(padding, str) and padding == "valid":
        return ((0, 0),) * len(size)
    if isinstance(padding, str) and padding == "same":
        total = [max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
                 for n, k, s, d in zip(size, kernel, stride, dilation)]
        return tuple([(t // 2, t - t // 2) for t in total])
    if isinstance(padding, str):
        raise ValueError(f'padding needs numbers, pairs, "valid" or "same", but got {padding!r}; choose one of them'
                         f"{at_user_line()}")
    if isinstance(padding, (tuple, list)) and any(isinstance(p, (tuple, list)) for p in padding):
        sides = [each(p, 2, "padding before and after", 0) for p in padding]
        pairs = tuple([(before, after) for before, after in sides])
        pairs = pairs * len(size) if len(pairs) == 1 else pairs
    else:
        pairs = tuple([(p, p) for p in each(padding, len(size), "padding", 0)])
    if len(pairs) != len(size):
        raise ShapeError(f"padding needs one pair, or one for each of {len(size)} axes, but got {padding!r}"
                         f"; give a pair, or a tuple of that many{at_user_line()}")
    return pairs
