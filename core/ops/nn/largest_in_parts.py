"""Argmax over equal, non-overlapping parts of axes."""

from functools import lru_cache
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import PLAIN, shaped
from ...primitive.families import ZERO, primitive
from ...primitive.loop_kernels import Loops
from ...trace.device import constant
from ..samples import Sample
from .largest_places import largest_places

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


def _places(xp, x, counts):
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


def _batch(x, counts):
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
    impl=lambda xp, x, *, counts: _places(xp, x, counts),
    kernel=Loops(_largest, _given, lambda out, x, counts: shaped(
        out, (*x.shape[: x.ndim - len(counts)], *counts)), _FEW),
    shape=lambda x, counts: make_aval((*x.shape[: x.ndim - len(counts)], *counts), np.dtype(np.int64)),
    jvp=ZERO,
    batch=_batch,
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
    samples=_samples,
)
