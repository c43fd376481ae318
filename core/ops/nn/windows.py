"""Sliding windows: a strided view of all of them, copies of it, and overlap-add as the transpose."""

import math
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import PLAIN
from ...errors import ShapeError, at_user_line
from ...primitive.families import linear
from ..dependence import MOVED, numbered
from ..samples import arrays, together

ndarray = np.ndarray


def window_counts(size, kernel, stride, dilation):
    """The number of windows along each axis."""
    return tuple([(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(size, kernel, stride, dilation)])


class _Places(NamedTuple):
    """Placement of the windows of an array."""

    whole: tuple[int, ...]  # its shape with zeros around it
    inner: tuple[Any, ...] | None  # where in that it is; None: it is all
    shape: tuple[int, ...]  # of the view of all windows
    strides: tuple[int, ...]
    out: tuple[int, ...]  # windows along each axis
    run: int | None  # elements from the first window of stride 1 to the last; None: many more than windows


_WASTE = 1.25


@lru_cache(1024)
def placed(shape, itemsize, kernel, stride, padding, dilation):
    """The `_Places` of an array of a shape, in order."""
    n = len(shape) - len(kernel)
    whole = (*shape[:n], *[a + k + b for k, (a, b) in zip(shape[n:], padding)])
    inner = (Ellipsis, *[slice(a, a + k) for k, (a, _) in zip(shape[n:], padding)])
    out = window_counts(whole[n:], kernel, stride, dilation)
    steps = [itemsize * math.prod([max(k, 1) for k in whole[axis + 1 :]]) for axis in range(len(whole))]
    strides = (*steps[:n], *[a * d for a, d in zip(steps[n:], dilation)], *[a * s for a, s in zip(steps[n:], stride)])
    run, places = 1 + sum([(count - 1) * a // itemsize for count, a in zip(out, steps[n:])]), math.prod(out)
    fits = 0 not in whole and set(stride) == {1} and places < run <= _WASTE * places
    return _Places(whole, inner if any(map(any, padding)) else None, (*shape[:n], *kernel, *out), strides, out,
                   run if fits else None)


def _view(xp, x, kernel, stride, dilation):
    """All windows over the last axes, as a view: (*lead, *kernel, *out)."""
    x = xp.ascontiguousarray(x)
    at = placed(tuple(x.shape), x.dtype.itemsize, tuple(kernel), stride, ((0, 0),) * len(kernel), dilation)
    return strided(xp, x, at.shape, at.strides)


def strided(xp, x, shape, strides):
    """A view of an array in order; `as_strided` takes 5 us."""
    if type(x) is ndarray and x.dtype in PLAIN and x.size:
        return ndarray(shape, x.dtype, x, 0, strides)
    return xp.lib.stride_tricks.as_strided(x, shape, strides)


def added_windows(xp, y, size, kernel, stride, dilation):
    """Windows (*lead, *kernel, *out) added up where they came from: one addition for each place of the kernel."""
    n = len(kernel)
    lead = tuple(y.shape[: y.ndim - 2 * n])
    counts = tuple(y.shape[y.ndim - n :])
    out = xp.zeros((*lead, *size), y.dtype)
    for place in product(*map(range, kernel)):
        spots = [slice(k * d, k * d + (m - 1) * s + 1, s) for k, d, s, m in zip(place, dilation, stride, counts)]
        out[(Ellipsis, *spots)] += y[(*(slice(None),) * len(lead), *place)]
    return out


def _windows_shape(x, kernel, stride, dilation):
    n = len(kernel)
    size = x.shape[x.ndim - n :]
    counts = window_counts(size, kernel, stride, dilation)
    if x.ndim < n or any(m < 1 for m in counts):
        raise ShapeError(f"windows of shape {kernel} with dilation {dilation} do not fit into axes of shape {size}; "
                         f"pad the array, or take a smaller window{at_user_line()}")
    return make_aval((*x.shape[: x.ndim - n], *kernel, *counts), x.dtype)


def geometry(*shapes, **facts):
    return together(*[arrays(s, **{"kernel": (2,), "stride": (1,), "dilation": (1,), **facts}) for s in shapes])


windows = linear(
    "windows",  # x: (*lead, *size) -> (*lead, *kernel, *out), in memory of its own
    impl=lambda xp, x, *, kernel, stride, dilation: xp.ascontiguousarray(_view(xp, x, kernel, stride, dilation)),
    transpose=lambda ct, x_aval, kernel, stride, dilation: overlap_add(
        ct, x_aval.shape[x_aval.ndim - len(kernel) :], kernel, stride, dilation),
    shape=_windows_shape,
    batch=lambda x, kernel, stride, dilation: windows(x, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=MOVED,
    samples=together(geometry((5,), (2, 4), (0, 3)), geometry((2, 7), stride=(2,), dilation=(2,)),
                     geometry((2, 5, 6), kernel=(2, 3), stride=(2, 1), dilation=(1, 2))),
)
overlap_add = linear(
    "overlap_add",  # the transpose of windows
    impl=lambda xp, y, *, extent, kernel, stride, dilation: added_windows(xp, y, extent, kernel, stride, dilation),
    transpose=lambda ct, kernel, stride, dilation: windows(ct, kernel, stride, dilation),
    shape=lambda y, extent, kernel: make_aval((*y.shape[: y.ndim - 2 * len(kernel)], *extent), y.dtype),
    batch=lambda y, extent, kernel, stride, dilation: overlap_add(y, extent, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=lambda y, ans, extent, kernel, stride, dilation: {0: (_view(np, numbered(ans.shape), kernel, stride,
        dilation), numbered(ans.shape))},
    samples=together(geometry((2, 3), (2, 2, 3), (0, 2, 3), extent=(4,)),
                     geometry((2, 3, 2, 2), kernel=(2, 3), extent=(4, 6), stride=(2, 1), dilation=(1, 2))),
)
