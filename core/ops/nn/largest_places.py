"""Argmax over sliding windows."""

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import PLAIN, shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import ZERO, primitive
from ...primitive.kernels import Loops
from ...primitive.primitive import NotLowered
from ...trace.device import constant
from ..indexing.indexing import take
from ..reductions import reduce_max, reduce_min
from ..samples import Sample
from ..selection import isnan, where
from ..shaping import pad, reshape
from .pooling_loops import LARGEST_PLACES
from .windows import window_counts, windows


class _Tap(NamedTuple):
    """One place of the window."""

    source: tuple[Any, ...]  # the elements that lie there
    target: tuple[Any, ...]  # the windows that have it
    whole: bool  # whether these are all
    offset: int  # from the first place of a window, in the array without its padding in a row


class PaddedTaps(NamedTuple):
    """The places of windows that may reach over the ends of an array."""

    counts: tuple[int, ...]  # windows along each axis
    taps: list[_Tap]  # without those that no window has
    starts: Any  # (*counts): the first place of each window, as `offset` counts
    first: Any  # (*counts): for each window, the first of `taps` that it has
    offsets: Any  # those of `taps`


@lru_cache(256)
def padded_taps(size, kernel, stride, padding, dilation):
    """The `PaddedTaps` of arrays whose last axes are of a size."""
    counts = window_counts([n + a + b for n, (a, b) in zip(size, padding)], kernel, stride, dilation)
    steps = [prod(size[axis + 1 :]) for axis in range(len(size))]
    taps, first = [], np.full(counts, -1)
    for place in product(*map(range, kernel)):
        source, target, whole, offset = [Ellipsis], [Ellipsis], True, 0
        for k, n, s, (before, _), d, m, step in zip(place, size, stride, padding, dilation, counts, steps):
            at = k * d - before
            low, high = max(0, -(at // s)), min(m, (n - 1 - at) // s + 1)
            if low >= high:
                break
            source.append(slice(low * s + at, (high - 1) * s + at + 1, s))
            target.append(slice(low, high))
            whole = whole and high - low == m
            offset += k * d * step
        else:
            here = first[tuple(target)]
            here[here < 0] = len(taps)
            taps.append(_Tap(tuple(source), tuple(target), whole, offset))
    starts = np.zeros((1,) * len(size), np.int64)
    for axis, (m, s, (before, _), step) in enumerate(zip(counts, stride, padding, steps)):
        starts = starts + ((np.arange(m) * s - before) * step).reshape((m,) + (1,) * (len(size) - axis - 1))
    offsets = np.array([tap.offset for tap in taps], np.int64)
    for a in (starts, first, offsets):
        a.flags.writeable = False
    return PaddedTaps(counts, taps, starts, first, offsets)


def pooled_shape(x, kernel, stride, padding, dilation):
    """The shape of one value a window: each is to have an element of the array."""
    n = len(kernel)
    size = tuple(x.shape[x.ndim - n :])
    counts = window_counts([m + a + b for m, (a, b) in zip(size, padding)], kernel, stride, dilation)
    if x.ndim < n or any(m < 1 for m in counts):
        raise ShapeError(f"windows of shape {kernel} with dilation {dilation} and padding {padding} do not fit into "
                         f"axes of shape {size}; pad the array, or take a smaller window{at_user_line()}")
    if not all_hold(size, kernel, stride, padding, dilation):
        raise ShapeError(f"windows of shape {kernel} with dilation {dilation} have no element of axes of shape {size} "
                         f"with padding {padding}; pad less{at_user_line()}")
    return (*x.shape[: x.ndim - n], *counts)


@lru_cache(256)
def all_hold(size, kernel, stride, padding, dilation):
    """Tell whether each window has an element of the array."""
    for n, k, s, (a, b), d in zip(size, kernel, stride, padding, dilation):
        count = (n + a + b - d * (k - 1) - 1) // s + 1
        spots = np.arange(count)[:, None] * s + np.arange(k) * d - a
        if not ((spots >= 0) & (spots < n)).any(1).all():
            return False
    return True


def lowest(dtype):
    """A lower bound of all elements of a dtype."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def _places(xp, x, kernel, stride, padding, dilation):
    n = len(kernel)
    size, lead = tuple(x.shape[x.ndim - n :]), tuple(x.shape[: x.ndim - n])
    found = padded_taps(size, kernel, stride, padding, dilation)
    best = xp.full((*lead, *found.counts), lowest(x.dtype), x.dtype)
    where = xp.zeros(best.shape, np.int64) + constant(found.first, x)
    nans = x.dtype.kind not in "iub"
    for t, tap in enumerate(found.taps):
        value, old = x[tap.source], best[tap.target]
        hit = value > old
        if nans:
            hit |= value != value
        best[tap.target] = xp.where(hit, value, old)
        where[tap.target] = xp.where(hit, t, where[tap.target])
    places = constant(found.offsets, x)[where] + constant(found.starts, x)
    rows = np.arange(prod(lead), dtype=np.int64) * prod(size)
    return places + constant(rows.reshape((*lead, *(1,) * n)), x)


def kernel_axes(x, kernel):
    """The axes of the kernel among those of the windows of an array."""
    lead = x.ndim - len(kernel)
    return tuple(range(lead, lead + len(kernel)))


def beside_lowest(x, padding):
    """An array with the lowest number around its last axes; for compilers, of floats."""
    if x.dtype.kind != "f":
        raise NotLowered
    if not any(map(any, padding)):
        return x
    lead = x.ndim - len(padding)
    inside = np.pad(np.ones(x.shape[lead:], bool), padding)
    return where(inside, pad(x, ((0, 0),) * lead + padding), -np.inf)


def _places_of_windows(x, kernel, stride, padding, dilation):
    """Of all places of the window in one axis, the first that has the largest element, or the last that has NaN."""
    n, lead = len(kernel), x.ndim - len(kernel)
    size, front, taps = x.shape[lead:], x.shape[:lead], prod(kernel)
    found = windows(beside_lowest(x, padding), kernel, stride, dilation)
    counts = found.shape[lead + n :]
    found = reshape(found, (*front, taps, *counts))
    order, starts, offsets = _order(size, counts, kernel, stride, padding, dilation)
    best = reduce_max(found, (lead,), True)
    place = reduce_min(where(found == best, order, taps), (lead,), False)
    each = np.arange(taps).reshape((taps,) + (1,) * n)
    nan = reduce_max(where(isnan(found), each, -1), (lead,), False)
    place = where(nan < 0, place, nan)
    rows = np.arange(prod(front)).reshape((*front, *(1,) * n)) * prod(size)
    return take(offsets, place, 0) + (rows + starts)


def _order(size, counts, kernel, stride, padding, dilation):
    """Places of windows, as arrays.

    Returns:
        order: `(places, *counts)`: the number of each place; where it lies outside, how many there are.
        starts: `(*counts)`: the first place of each window, in the array without its padding in a row.
        offsets: of each place, how far it lies behind the first.
    """
    taps, n = prod(kernel), len(kernel)
    inside = np.ones((1,) * (2 * n), bool)
    starts = offsets = np.zeros((), np.int64)
    for axis, (m, c, k, w, (before, _), d) in enumerate(zip(size, counts, kernel, stride, padding, dilation)):
        corner, far, step = np.arange(c) * w - before, np.arange(k) * d, prod(size[axis + 1 :])
        spots = far[:, None] + corner
        shape = [1] * (2 * n)
        shape[axis], shape[n + axis] = k, c
        inside = inside & ((spots >= 0) & (spots < m)).reshape(shape)
        starts = starts + (corner * step).reshape((c,) + (1,) * (n - axis - 1))
        offsets = offsets + (far * step).reshape((k,) + (1,) * (n - axis - 1))
    order = np.arange(taps).reshape((taps,) + (1,) * n)
    return np.where(inside.reshape((taps, *counts)), order, taps), starts, offsets.reshape(-1)


def _batch(x, kernel, stride, padding, dilation):
    """Each example counts its own elements."""
    shape = x.shape
    starts = np.arange(shape[0], dtype=np.int64) * prod(shape[1:])
    return largest_places(x, kernel, stride, padding, dilation) - constant(
        starts.reshape((shape[0],) + (1,) * (len(shape) - 1)), x)


def samples(rng):
    """Arrays without equal elements, with windows of them."""
    out = []
    for shape, kernel, stride, padding, dilation in (
            ((7,), (3,), (2,), ((0, 0),), (1,)), ((2, 5), (2,), (2,), ((0, 0),), (2,)),
            ((2, 1, 5, 4), (2, 3), (1, 1), ((0, 0), (0, 0)), (1, 1)),
            ((1, 4, 4), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1)), ((0, 3), (2,), (1,), ((0, 0),), (1,)),
            ((2, 4, 3, 4), (1, 2, 2), (1, 1, 2), ((0, 0), (0, 0), (0, 0)), (1, 1, 1)),
            ((2, 5, 6), (3, 3), (2, 2), ((1, 1), (1, 2)), (1, 1)), ((2, 6), (3,), (1,), ((2, 1),), (2,))):
        params = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
        x = rng.permutation(prod(shape)).reshape(shape) / 2.0  # no two alike
        out += [Sample(x, params=params), Sample(x.astype(np.float32), params=params)]
    return out


largest_places = primitive(
    "largest_places",  # x: (*lead, *size) -> (*lead, *out), in all of x in a row; of equal elements the first, or the
    # last NaN, as PyTorch has it
    impl=lambda xp, x, *, kernel, stride, padding, dilation: _places(xp, x, kernel, stride, padding, dilation),
    lower=_places_of_windows,
    shape=lambda x, kernel, stride, padding, dilation: make_aval(
        pooled_shape(x, kernel, stride, padding, dilation), np.dtype(np.int64)),
    jvp=ZERO,
    batch=_batch,
    kernel=LARGEST_PLACES,
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
    samples=samples,
)


# Argmax over equal, non-overlapping parts of axes.

_PLANS = 128
_FEW = 1 << 7  # elements, below which NumPy's steps cost less than a compilation


@lru_cache(_PLANS)
def ends_of_parts(n, m):
    """The first elements of `m` parts of an axis of `n`, and their ends; neighbours may share one element."""
    ends = np.arange(m) * n // m, -(-(np.arange(m) + 1) * n // m)
    for v in ends:
        v.flags.writeable = False
    return ends


def _largest(k, x, *ends):
    planes, depth, rows, columns = x.shape
    counts = [starts.shape[0] for starts in ends[::2]]
    out = k.output("i64", (planes, *counts))
    one, lost = k.scalar(1, "i64"), k.cell(0, "i64")
    for p in k.range(planes):
        for a in k.range(counts[0]):
            for b in k.range(counts[1]):
                for c in k.range(counts[2]):
                    (first_z, stop_z), (first_y, stop_y), (first, stop) = [
                        (ends[2 * axis][at], ends[2 * axis + 1][at]) for axis, at in enumerate((a, b, c))]
                    best = k.cell(x[p, first_z, first_y, first], x.kind)
                    place = k.cell((first_z * rows + first_y) * columns + first, "i64")
                    for z in k.range(stop_z, first_z):
                        for y in k.range(stop_y, first_y):
                            row = (z * rows + y) * columns
                            for i in k.range(stop, first):
                                value = x[p, z, y, i]
                                lost.add(k.where(value.differs(value), one, 0))
                                for _ in k.when(value > best.get()):  # seldom, so that nothing waits for it
                                    best.set(value)
                                    place.set(row + i)
                    out[p, a, b, c] = place.get() + p * (depth * rows * columns)
    k.refuse(lost.get().differs(0))  # NaN, in NumPy's steps


def _given(x, counts):
    """An array with three axes behind its lead, and the ends of the parts; None for what NumPy does."""
    n = len(counts)
    size = x.shape[x.ndim - n :]
    if n > 3 or x.dtype not in PLAIN or not x.size:
        return None
    ones = (1,) * (3 - n)
    ends = [v for m, count in zip((*ones, *size), (*ones, *counts)) for v in ends_of_parts(m, count)]
    return x.reshape(-1, *ones, *size), *ends


@lru_cache(_PLANS)
def _stretched(size, counts):
    """The parts as windows of one length that do not overlap.

    Returns:
        spots: of each axis, the positions of its windows one after the other; short windows repeat their last position.
        kernel: the lengths of the windows.
        places: for each position in the stretched array, the one that was there.
    """
    spots, kernel, places = [], [], np.zeros((1, 1), np.int64)
    for n, m in zip(size, counts):
        starts, ends = ends_of_parts(n, m)
        width = int((ends - starts).max())
        spots.append(np.minimum(starts[:, None] + np.arange(width), ends[:, None] - 1).reshape(-1))
        kernel.append(width)
        places = (places.reshape(-1, 1) * n + spots[-1]).reshape(1, -1)
    return spots, tuple(kernel), places.reshape(-1)


def _rows(x, lead, size):
    """The first position of each array of a size, of all in a row."""
    return constant((np.arange(prod(lead)) * prod(size)).reshape((*lead, *(1,) * len(size))), x)


def _places_in_parts(xp, x, counts):
    n = len(counts)
    lead, size = tuple(x.shape[: x.ndim - n]), tuple(x.shape[x.ndim - n :])
    if 0 in lead or 0 in counts:
        return xp.zeros((*lead, *counts), np.int64)
    spots, kernel, places = _stretched(size, counts)
    wide = x
    for axis, at in enumerate(spots, len(lead)):
        wide = xp.take(wide, constant(at, x), axis=axis)
    found = largest_places(wide, kernel, kernel, ((0, 0),) * n, (1,) * n) - _rows(x, lead, wide.shape[len(lead) :])
    return constant(places, x)[found] + _rows(x, lead, size)


def _batch_of_parts(x, counts):
    """Each example counts its own elements."""
    return largest_in_parts(x, counts) - _rows(x, x.shape[:1], x.shape[1:])


def _samples(rng):
    return [Sample(rng.permutation(prod(s)).reshape(s).astype(t), params={"counts": counts})
            for s, counts in (((7,), (3,)), ((2, 6), (3,)), ((2, 1, 5, 4), (2, 4)), ((2, 4, 3, 5), (3, 1, 2)),
                              ((0, 4), (2,)), ((2, 3), (5,)))
            for t in ("f8", "f4")]


largest_in_parts = primitive(
    "largest_in_parts",  # x: (*lead, *size) -> (*lead, *counts), places in all of x in a row; of equal elements the
    # first, or the last NaN, as PyTorch has it
    impl=lambda xp, x, *, counts: _places_in_parts(xp, x, counts),
    kernel=Loops(_largest, _given, lambda out, x, counts: shaped(
        out, (*x.shape[: x.ndim - len(counts)], *counts)), _FEW),
    shape=lambda x, counts: make_aval((*x.shape[: x.ndim - len(counts)], *counts), np.dtype(np.int64)),
    jvp=ZERO,
    batch=_batch_of_parts,
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
    samples=_samples,
)
