"""The largest element of each window, and the sum of each: one operation for each place of the window, instead of a
copy of all windows."""

from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...primitive.families import linear, primitive
from ..dependence import numbered
from ..indexing.indexing import scatter_add, take
from ..reductions import reduce_max, reduce_sum
from ..samples import Sample, together
from ..shaping import broadcast_to, reshape
from .largest_places import (
    beside_lowest,
    kernel_axes,
    largest_places,
    lowest,
    padded_taps,
    pooled_shape,
    samples,
)
from .pooling_loops import LARGEST
from .windows import geometry, overlap_add, window_counts, windows


def _taps(x, kernel, stride, dilation):
    """For each place of the window the elements that lie there, as views of x."""
    return [x[index] for index in _places(tuple(x.shape[x.ndim - len(kernel) :]), kernel, stride, dilation)]


@lru_cache(256)
def _places(size, kernel, stride, dilation):
    """For each place of the window the index of the elements that lie there."""
    counts = window_counts(size, kernel, stride, dilation)
    return [(Ellipsis, *[slice(k * d, k * d + (m - 1) * s + 1, s)
                         for k, d, s, m in zip(place, dilation, stride, counts)])
            for place in product(*map(range, kernel))]


def _are_apart(kernel, stride, dilation):
    """Tell whether no element lies in two windows."""
    return all(s > d * (k - 1) for k, s, d in zip(kernel, stride, dilation))


def _largest(xp, x, kernel, stride, padding, dilation):
    n = len(kernel)
    found = padded_taps(tuple(x.shape[x.ndim - n :]), kernel, stride, padding, dilation)
    first, *rest = sorted(found.taps, key=lambda tap: not tap.whole)  # all windows have one that all have, as a rule
    if first.whole:
        out = x[first.source].copy()
    else:
        out = xp.full((*x.shape[: x.ndim - n], *found.counts), lowest(x.dtype), x.dtype)
        rest = found.taps
    for tap in rest:
        part = out if tap.whole else out[tap.target]
        xp.maximum(part, x[tap.source], out=part)
    return out


def _shape(x, kernel, stride, dilation):
    n = len(kernel)
    whole = windows.prim.shape((x,), (kernel, stride, dilation))
    return make_aval((*whole.shape[: x.ndim - n], *whole.shape[x.ndim :]), x.dtype)


def _jvp(dx, x, kernel, stride, padding, dilation):
    return take(dx.reshape(-1), largest_places(x, kernel, stride, padding, dilation), 0)


def _vjp(ct, x, kernel, stride, padding, dilation):
    places = largest_places(x, kernel, stride, padding, dilation)
    return scatter_add(ct.reshape(-1), places.reshape(-1), 0, prod(x.shape)).reshape(x.shape)


def _summed(xp, x, kernel, stride, dilation):
    out = None
    for tap in _taps(x, kernel, stride, dilation):
        if out is None:
            out = tap.copy()
        else:
            out += tap
    return out


def _spread(xp, y, extent, kernel, stride, dilation):
    out = xp.zeros((*y.shape[: y.ndim - len(kernel)], *extent), y.dtype)
    apart = _are_apart(kernel, stride, dilation)
    for into in _taps(out, kernel, stride, dilation):
        if apart:
            into[...] = y
        else:
            into += y
    return out


def _joins(shape, out, kernel, stride, dilation):
    """The elements of windows that go into each sum: a join for each place of the window."""
    found = []
    for index in _places(tuple(shape[len(shape) - len(kernel) :]), kernel, stride, dilation):
        keys = np.full(shape, -1)
        keys[index] = numbered(out)
        found.append((keys, numbered(out)))
    return found


def _samples(rng):
    params = {"kernel": (2,), "stride": (1,), "padding": ((0, 0),), "dilation": (1,)}
    return [*samples(rng), Sample(np.array([1.0, 1.0, 0.0, 0.0]), params=params, smooth=False)]


def _largest_of_windows(x, kernel, stride, padding, dilation):
    return reduce_max(windows(beside_lowest(x, padding), kernel, stride, dilation), kernel_axes(x, kernel), False)


def _spread_windows(y, extent, kernel, stride, dilation):
    lead = y.ndim - len(kernel)
    front, out = y.shape[:lead], y.shape[lead:]
    wide = broadcast_to(reshape(y, (*front, *(1,) * len(kernel), *out)), (*front, *kernel, *out))
    return overlap_add(wide, extent, kernel, stride, dilation)


max_windows = primitive(
    "max_windows",  # x: (*lead, *size) -> (*lead, *out); at ties the derivative goes to the first element
    impl=lambda xp, x, *, kernel, stride, padding, dilation: _largest(xp, x, kernel, stride, padding, dilation),
    lower=_largest_of_windows,
    shape=lambda x, kernel, stride, padding, dilation: make_aval(
        pooled_shape(x, kernel, stride, padding, dilation), x.dtype),
    jvp={"x": _jvp},
    vjp={"x": _vjp},
    exact=True,
    batch=lambda x, kernel, stride, padding, dilation: max_windows(x, kernel, stride, padding, dilation),
    kernel=LARGEST,
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
    samples=_samples,
)
window_sums = linear(
    "window_sums",  # x: (*lead, *size) -> (*lead, *out)
    impl=lambda xp, x, *, kernel, stride, dilation: _summed(xp, x, kernel, stride, dilation),
    lower=lambda x, kernel, stride, dilation: reduce_sum(
        windows(x, kernel, stride, dilation), kernel_axes(x, kernel), False),
    transpose=lambda ct, x_aval, kernel, stride, dilation: spread_sums(
        ct, x_aval.shape[x_aval.ndim - len(kernel) :], kernel, stride, dilation),
    shape=lambda x, kernel, stride, dilation: _shape(x, kernel, stride, dilation),
    batch=lambda x, kernel, stride, dilation: window_sums(x, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=lambda x, ans, kernel, stride, dilation: {0: _joins(x.shape, ans.shape, kernel, stride, dilation)},
    samples=together(geometry((5,), (2, 4), (0, 3)), geometry((2, 7), stride=(2,), dilation=(2,)),
                     geometry((2, 5, 6), kernel=(2, 3), stride=(2, 1), dilation=(1, 2)),
                     geometry((2, 4, 5), kernel=(2, 2), stride=(2, 2), dilation=(1, 1))),
)
spread_sums = linear(
    "spread_sums",  # the transpose of window_sums
    impl=lambda xp, y, *, extent, kernel, stride, dilation: _spread(xp, y, extent, kernel, stride, dilation),
    lower=_spread_windows,
    transpose=lambda ct, kernel, stride, dilation: window_sums(ct, kernel, stride, dilation),
    shape=lambda y, extent, kernel: make_aval((*y.shape[: y.ndim - len(kernel)], *extent), y.dtype),
    batch=lambda y, extent, kernel, stride, dilation: spread_sums(y, extent, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=lambda y, ans, kernel, stride, dilation: {0: [
        (key, found) for found, key in _joins(ans.shape, y.shape, kernel, stride, dilation)]},
    samples=together(geometry((4,), (2, 4), (0, 4), extent=(5,)),
                     geometry((2, 2, 3), kernel=(2, 3), extent=(4, 5), stride=(2, 1), dilation=(1, 1))),
)
