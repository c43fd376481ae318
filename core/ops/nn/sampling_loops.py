"""Weighted gathers at given places, their transposes, and the places around points, as loops over points."""

from math import prod

from ...primitive.kernels import Loops


def _begun(k, shape, index):
    """Look at the shapes of x and of the places: `(n, channels, p, sums, m)`."""
    n, c, p = shape
    k.require(index.shape[0].equals(n))
    return n, c, p, *index.shape[1:]


def _place(k, found, p):
    """`(a place, whether it is inside)`; the place is 0 outside."""
    inside = (found >= 0) & (found < p)
    return k.where(inside, found, 0), inside


def _sums(k, x, w, index):
    n, c, p, count, m = _begun(k, x.shape, index)
    k.require(w.shape[0].equals(n), w.shape[1].equals(count), w.shape[2].equals(m), count >= 1)
    out = k.output(x.kind, (n, c, m))
    for i in k.range(n):
        for f in k.range(c):
            for j in k.range(m, vectors=True):
                place, inside = _place(k, index[i, 0, j], p)
                out[i, f, j] = k.where(inside, x[i, f, place], 0.0) * w[i, 0, j]
            for t in k.range(count, 1):
                for j in k.range(m, vectors=True):
                    place, inside = _place(k, index[i, t, j], p)
                    out[i, f, j] = out[i, f, j] + k.where(inside, x[i, f, place], 0.0) * w[i, t, j]


def _spread(k, y, w, index, p):
    n, c, m = y.shape
    count = index.shape[1]
    k.require(index.shape[0].equals(n), index.shape[2].equals(m), w.shape[0].equals(n), w.shape[1].equals(count),
              w.shape[2].equals(m))
    out = k.output(y.kind, (n, c, p))
    out.fill(0.0)
    for i in k.range(n):
        for f in k.range(c):
            for t in k.range(count):
                for j in k.range(m):
                    place, inside = _place(k, index[i, t, j], p)
                    for _ in k.when(inside):
                        out[i, f, place] = out[i, f, place] + y[i, f, j] * w[i, t, j]


def _slopes(k, x, y, index):
    n, c, p, count, m = _begun(k, x.shape, index)
    k.require(y.shape[0].equals(n), y.shape[1].equals(c), y.shape[2].equals(m))
    out = k.output(x.kind, (n, count, m))
    for i in k.range(n):
        for t in k.range(count):
            for j in k.range(m, vectors=True):
                place, inside = _place(k, index[i, t, j], p)
                out[i, t, j] = k.where(inside, x[i, 0, place], 0.0) * y[i, 0, j]
            for f in k.range(c, 1):
                for j in k.range(m, vectors=True):
                    place, inside = _place(k, index[i, t, j], p)
                    out[i, t, j] = out[i, t, j] + k.where(inside, x[i, f, place], 0.0) * y[i, f, j]


def kept(where, floor, spot, span, least, most, reflects):
    """A whole position between 0 and `most`, after it was reflected at `least` and the `span` behind it if asked."""
    gap = spot - least
    gap = where(gap < 0.0, -gap, gap)
    turns = floor(gap / span)
    rest = gap - turns * span
    odd = turns - 2.0 * floor(turns * 0.5) > 0.5
    spot = where(reflects & (span > 0.0), where(odd, span - rest, rest) + least, spot)
    spot = where(spot >= 0.0, spot, 0.0 * span)  # NaN as well
    return where(spot <= most, spot, most)


def _corners(k, low, first, count, padding, align, *size):
    n, m = low.shape[:2]
    k.require(low.shape[2].equals(len(size)))
    first, count, padding = [k.scalar(v, "i64") for v in (first, count, padding)]
    edge = 1.0 - k.cast(align, low.kind)
    counts = [k.cast(s, "i64") for s in size]
    out = k.output("i64", (n, prod([count] * len(size)), m))
    least = k.cast(0 - first - count, low.kind)
    most = [k.cast(s - first, low.kind) for s in counts]
    for i in k.range(n):
        for t, steps in _around(k, count, len(size)):
            for j in k.range(m, vectors=True):
                flat = good = None
                for a, (step, length) in enumerate(zip(steps, counts)):
                    found = low[i, j, len(size) - 1 - a]  # the last coordinate is that of the first axis
                    last = k.cast(length, low.kind) - 1.0
                    inside = kept(k.where, k.floor, found + k.cast(first + step, low.kind), last + edge, -0.5 * edge,
                                  last, padding > 1)
                    spot = k.where(found >= least, k.where(found <= most[a], found, most[a]), least)  # NaN is outside
                    spot = k.where(padding > 0, k.cast(inside, "i64"), k.cast(spot, "i64") + (first + step))
                    ok = (spot >= 0) & (spot < length)
                    good = ok if good is None else good & ok
                    flat = spot if flat is None else flat * length + spot
                out[i, t, j] = k.where(good, flat, prod(counts))


def _around(k, count, d):
    """`for t, steps in …`: all combinations of `d` numbers below a count, with their own number."""
    if not d:
        yield k.scalar(0, "i64"), []
        return
    for t, steps in _around(k, count, d - 1):
        for step in k.range(count):
            yield t * count + step, [*steps, step]


def _some(first, second, index):
    return (first, second, index) if first.size and second.size and index.size else None


SUMS = Loops(_sums, _some)
SPREAD = Loops(_spread, lambda y, w, index, p: (y, w, index, p) if y.size and index.size and p else None)
SLOPES = Loops(_slopes, _some)
CORNERS = Loops(_corners, lambda low, sizes, first, count, padding, align: (
    (low, first, count, padding, int(align), *sizes) if low.size else None))
