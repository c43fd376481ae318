"""Max pooling and its indices as loops over lines.

Each line of an image is taken apart by the stride, with -inf around it, so that a vector of neighbouring elements
belongs to as many windows. First come the largest elements of each line, then the largest of these among lines.
"""

from functools import lru_cache, partial, reduce
from math import prod

import numpy as np

from ...arrays.sums import PLAIN, shaped
from ...primitive.kernels import Loops
from .windows import window_counts

_PLANS = 256
_PLACES = {"f32": "i32", "f64": "i64"}  # as wide as the elements beside which they are chosen
_MOST = (1 << 31) - 1
_MANY = 6  # places of a window from which NumPy's calls, one for each, cost more; of strided elements, 3
_UNROLLED = (1, 2, 3)  # elements of windows along a line that are taken in one go
_TOGETHER = 8  # windows; lines are as long as a whole number of these
_FEW = 1 << 7  # elements, below which NumPy's steps cost less than a compilation


class _Best:
    """The largest elements of some lines of windows so far, and where they lie."""

    def __init__(self, k, x, lines, long, with_places):
        self.k, self.long = k, long
        self.kind = _PLACES[x.kind]
        self.values = k.scratch(x.kind, (lines, long))
        self.places = k.scratch(self.kind, (lines, long)) if with_places else None

    def begin(self, line, first):
        """Write `first(c)`, the value and its place, for each window."""
        for c in self.windows():
            value, place = first(c)
            self.values[line, c] = value
            if self.places is not None:
                self.places[line, c] = place

    def windows(self):
        """`for c in …`: as loops of known length."""
        for start in self.k.range(self.long, step=_TOGETHER):
            for j in self.k.range(_TOGETHER, vectors=True):
                yield start + j

    def take(self, line, c, value, place):
        """One more element of a window."""
        value, place = self.better((self.values[line, c], self.places and self.places[line, c]), (value, place))
        self.values[line, c] = value
        if self.places is not None:
            self.places[line, c] = place

    def better(self, old, new):
        """The new value and its place where that is larger, or NaN, else the old one."""
        k, value = self.k, new[0]
        hit = (value > old[0]) | value.differs(value)
        return k.where(hit, value, old[0]), self.places and k.where(hit, new[1], old[1])


def _largest(k, x, starts, taps, first, stop, first_row, stop_row, long_out, down, across, step, spread, before, pitch,
             with_places):
    """Values, or places in a row.

    Args:
        starts: of each window of a line, the first element in it.
        taps: of each element of a window along a line, where it is in a line that is taken apart.
        first, stop, first_row, stop_row: of windows along the two axes before, their first element and their end.
        down, across, spread: steps from one element of a window to the next.
        step, before: from one window of a line to the next, and elements of the first one before the line.
        pitch: room for each part of a line.
    """
    planes, depth, rows, columns = x.shape
    high_out, wide_out, long = first.shape[0], first_row.shape[0], starts.shape[0]
    out = k.output("i64" if with_places else x.kind, (planes, high_out, wide_out, long_out))
    line = k.scratch(x.kind, (step * pitch,))
    inner = _Best(k, x, depth * rows, long, with_places)
    outer = _Best(k, x, 1, long, with_places)
    kind = inner.kind
    starts = starts.shaped(long)

    def fill(p, z, y, step, vectors=False):
        for u in k.range(step):
            begin = k.run("floor_divide", before - u + step - 1, step)
            end = k.run("floor_divide", columns + before - u + step - 1, step)
            for q in k.range(end, begin, vectors=vectors):
                line[u * pitch + q] = x[p, z, y, q * step + u - before]

    def lowest(base, c):
        """-inf, at the first element of a window."""
        return k.scalar(float("-inf"), x.kind), starts[c] + k.cast(base, kind)

    def element(here, t, c):
        """An element of a window, and its place."""
        return line[taps[t] + c], k.cast(here * columns + t * spread - before, kind) + k.cast(c * step, kind)

    def of_few(count, here, begun, c):
        return reduce(inner.better, [element(here, t, c) for t in range(count)], begun(c))

    line.fill(float("-inf"))
    for p in k.range(planes):
        for z in k.range(depth):
            for y in k.range(rows):
                for _ in k.when(step.equals(1)):
                    fill(p, z, y, 1, vectors=True)
                for _ in k.when(step.equals(2)):  # its divisions are shifts; vectors of every other element are slow
                    fill(p, z, y, 2)
                for _ in k.when(step > 2):
                    fill(p, z, y, step)
                here = z * rows + y
                begun = partial(lowest, here * columns)
                for count in _UNROLLED:
                    for _ in k.when(taps.shape[0].equals(count)):
                        inner.begin(here, partial(of_few, count, here, begun))
                for _ in k.when(taps.shape[0] > max(_UNROLLED)):
                    inner.begin(here, begun)
                    for t in k.range(taps.shape[0]):
                        for c in inner.windows():
                            inner.take(here, c, *element(here, t, c))
        for a in k.range(high_out):
            for b in k.range(wide_out):
                corner = (first[a] * rows + first_row[b]) * columns
                outer.begin(0, partial(lowest, corner))
                for z in k.range(stop[a], first[a], step=down):
                    for y in k.range(stop_row[b], first_row[b], step=across):
                        here = z * rows + y
                        for c in outer.windows():
                            outer.take(0, c, inner.values[here, c], inner.places and inner.places[here, c])
                for c in k.range(long_out, vectors=True):
                    if with_places:
                        out[p, a, b, c] = k.cast(outer.places[0, c], "i64") + p * (depth * rows * columns)
                    else:
                        out[p, a, b, c] = outer.values[0, c]


@lru_cache(_PLANS)
def _plan(size, kernel, stride, padding, dilation, kind):
    """The plan of the loops, beside the array."""
    counts = window_counts([n + a + b for n, (a, b) in zip(size, padding)], kernel, stride, dilation)
    ends = []
    for n, k, s, (before, _), d, m in zip(size, kernel, stride, padding, dilation, counts):
        corner = np.arange(m) * s - before
        ends.append((corner + np.maximum(-(corner // d), 0) * d, np.minimum(corner + d * (k - 1) + 1, n)))
    ends = [(np.zeros(1, np.int64), np.ones(1, np.int64))] * (3 - len(size)) + ends
    down, across, spread = (1,) * (3 - len(size)) + dilation
    long = -(-counts[-1] // _TOGETHER) * _TOGETHER
    starts = np.zeros(long, kind)
    starts[: counts[-1]] = ends[2][0]
    step, far = stride[-1], np.arange(kernel[-1]) * spread
    pitch = max(long + int(far[-1]) // step, -(-(size[-1] + padding[-1][0]) // step)) + 1
    taps = far % step * pitch + far // step
    return (starts, taps, *ends[0], *ends[1], counts[-1], down, across, step, spread, padding[-1][0], pitch)


def _given(x, kernel, stride, padding, dilation):
    """An array with three axes behind its lead, and its plan; None for what NumPy does."""
    n = len(kernel)
    size = x.shape[x.ndim - n :]
    if n > 3 or x.dtype not in PLAIN or prod(size) > _MOST:
        return None
    kind = np.int32 if x.itemsize == 4 else np.int64
    return x.reshape(-1, *(1,) * (3 - n), *size), *_plan(size, kernel, stride, padding, dilation, kind)


def _shaped(out, x, kernel, stride, padding, dilation):
    n = len(kernel)
    return shaped(out, (*x.shape[: x.ndim - n], *out.shape[4 - n :]))


def _given_many(x, kernel, stride, padding, dilation):
    """The same, for values."""
    many = prod(kernel)
    return _given(x, kernel, stride, padding, dilation) if many >= _MANY or many > 2 and stride[-1] > 1 else None


LARGEST = Loops(partial(_largest, with_places=False), _given_many, _shaped, _FEW)
LARGEST_PLACES = Loops(partial(_largest, with_places=True), _given, _shaped, _FEW)
