"""The largest element of each window, and the sum of each: one operation for each place of the window, instead of a
copy of all windows."""

from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.blend import select
from ...primitive.families import linear, primitive
from ...trace.device import constant
from ..dependence import numbered
from ..reductions import argmax, reduce_sum
from ..samples import Sample, together
from ..selection import where
from .windows import geometry, overlap_add, window_counts, windows

ndarray = np.ndarray


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
    """Whether no element lies in two windows."""
    return all(s > d * (k - 1) for k, s, d in zip(kernel, stride, dilation))


def _largest(xp, x, kernel, stride, dilation):
    out = None
    for tap in _taps(x, kernel, stride, dilation):
        out = tap.copy() if out is None else xp.maximum(out, tap, out=out)
    return out


def _shape(x, kernel, stride, dilation):
    n = len(kernel)
    whole = windows.prim.shape((x,), (kernel, stride, dilation))
    return make_aval((*whole.shape[: x.ndim - n], *whole.shape[x.ndim :]), x.dtype)


def _hits(x, kernel, stride, dilation):
    """Which element of each window is its first largest, or its first NaN: ones and zeros (*lead, taps, *out)."""
    n = len(kernel)
    cols = _flat(windows(x, kernel, stride, dilation), n)
    axis = x.ndim - n
    places = constant(np.arange(cols.shape[axis]).reshape((-1,) + (1,) * n), x)
    return argmax(cols, axis, True) == places


def _flat(cols, n):
    """Windows (*lead, *kernel, *out) with the places of the window as one axis."""
    lead = cols.ndim - 2 * n
    return cols.reshape((*cols.shape[:lead], prod(cols.shape[lead : lead + n]), *cols.shape[lead + n :]))


def _jvp(dx, x, kernel, stride, dilation):
    n = len(kernel)
    cols = _flat(windows(dx, kernel, stride, dilation), n)
    return reduce_sum(where(_hits(x, kernel, stride, dilation), cols, 0.0), (x.ndim - n,), False)


def _vjp(ct, x, ans, kernel, stride, dilation):
    if type(ct) is ndarray and type(x) is ndarray:
        return _handed_back(ct, x, ans, kernel, stride, dilation)
    n = len(kernel)
    lead = x.shape[: x.ndim - n]
    spread = where(_hits(x, kernel, stride, dilation), ct.reshape((*lead, 1, *ct.shape[x.ndim - n :])), 0.0)
    spread = spread.reshape((*lead, *kernel, *ct.shape[x.ndim - n :]))
    return overlap_add(spread, x.shape[x.ndim - n :], kernel, stride, dilation)


def _handed_back(ct, x, ans, kernel, stride, dilation):
    """The same of plain arrays: each place of the window takes what no place before it took."""
    out = np.zeros(x.shape, ct.dtype)
    nans = ans.dtype.kind == "f" and bool(np.isnan(ans).any())
    apart, left = _are_apart(kernel, stride, dilation), None
    for tap, into in zip(_taps(x, kernel, stride, dilation), _taps(out, kernel, stride, dilation)):
        hit = tap == ans
        if nans:
            hit |= tap != tap
        if left is None:
            left = ~hit
        else:
            hit &= left
            left ^= hit
        if apart:
            into[...] = select(hit, ct, 0)
        else:
            into += select(hit, ct, 0)
    return out


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
    """Which elements of windows go into which sums: a join for each place of the window."""
    found = []
    for index in _places(tuple(shape[len(shape) - len(kernel) :]), kernel, stride, dilation):
        keys = np.full(shape, -1)
        keys[index] = numbered(out)
        found.append((keys, numbered(out)))
    return found


def _samples(rng):
    out = []
    for shape, kernel, stride, dilation in (((7,), (3,), (2,), (1,)), ((2, 5), (2,), (2,), (2,)),
                                            ((2, 1, 5, 4), (2, 3), (1, 1), (1, 1)), ((1, 4, 4), (2, 2), (2, 2), (1, 1)),
                                            ((0, 3), (2,), (1,), (1,)),
                                            ((2, 4, 3, 4), (1, 2, 2), (1, 1, 2), (1, 1, 1))):
        params = {"kernel": kernel, "stride": stride, "dilation": dilation}
        x = rng.permutation(prod(shape)).reshape(shape) / 2.0  # no two alike
        out += [Sample(x, params=params), Sample(x.astype(np.float32), params=params)]
    params = {"kernel": (2,), "stride": (1,), "dilation": (1,)}
    return [*out, Sample(np.array([1.0, 1.0, 0.0, 0.0]), params=params, smooth=False)]


max_windows = primitive(
    "max_windows",  # x: (*lead, *size) -> (*lead, *out); at ties the derivative goes to the first element
    impl=lambda xp, x, *, kernel, stride, dilation: _largest(xp, x, kernel, stride, dilation),
    shape=lambda x, kernel, stride, dilation: _shape(x, kernel, stride, dilation),
    jvp={"x": _jvp},
    vjp={"x": _vjp},
    exact=True,
    batch=lambda x, kernel, stride, dilation: max_windows(x, kernel, stride, dilation),
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
    samples=_samples,
)
window_sums = linear(
    "window_sums",  # x: (*lead, *size) -> (*lead, *out)
    impl=lambda xp, x, *, kernel, stride, dilation: _summed(xp, x, kernel, stride, dilation),
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
    transpose=lambda ct, kernel, stride, dilation: window_sums(ct, kernel, stride, dilation),
    shape=lambda y, extent, kernel: make_aval((*y.shape[: y.ndim - len(kernel)], *extent), y.dtype),
    batch=lambda y, extent, kernel, stride, dilation: spread_sums(y, extent, kernel, stride, dilation),
    absent={"()": "it needs an axis"},
    depends=lambda y, ans, kernel, stride, dilation: {0: [
        (key, found) for found, key in _joins(ans.shape, y.shape, kernel, stride, dilation)]},
    samples=together(geometry((4,), (2, 4), (0, 4), extent=(5,)),
                     geometry((2, 2, 3), kernel=(2, 3), extent=(4, 5), stride=(2, 1), dilation=(1, 1))),
)
