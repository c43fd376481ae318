"""Weighted gathers at given places, their transposes, and the places around points, as loops over points."""

from math import prod

from ...primitive.loop_kernels import Loops


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


def _corners(k, low, first, count, *size):
    n, m = low.shape[:2]
    k.require(low.shape[2].equals(len(size)))
    first, count = k.scalar(first, "i64"), k.scalar(count, "i64")
    counts = [k.cast(s, "i64") for s in size]
    out = k.output("i64", (n, prod([count] * len(size)), m))
    least = k.cast(0 - first - count, low.kind)
    most = [k.cast(s - first, low.kind) for s in counts]
    for i in k.range(n):
        for t, steps in _around(k, count, len(size)):
            for j in k.range(m, vectors=True):
                flat = good = None
                for a, (step, length) in enumerate(zip(steps, counts)):
                    spot = low[i, j, len(size) - 1 - a]  # the last coordinate is that of the first axis
                    spot = k.where(spot >= least, k.where(spot <= most[a], spot, most[a]), least)  # NaN is outside, too
                    spot = k.cast(spot, "i64") + (first + step)
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
CORNERS = Loops(_corners, lambda low, sizes, first, count: (low, first, count, *sizes) if low.size else None)
