"""Linear interpolation between pixels, and its derivatives, as loops over positions and channels."""

from itertools import product

from ...primitive.loop_kernels import Loops

_BLOCK = 256  # positions, whose corners stay in the cache


class _Corners:
    """The corners of a block of positions: the places of pixels, -1 outside, and the ways from the lower ones."""

    def __init__(self, k, at, size):
        self.k, self.at, self.size = k, at, size
        self.d = len(size)
        self.bits = list(product((0, 1), repeat=self.d))
        self.most = [k.cast(n, at.kind) for n in size]
        self.counts = [k.cast(n, "i32") for n in size]
        self.places = k.scratch("i32", (2**self.d, _BLOCK))
        self.gaps = k.scratch(at.kind, (self.d, _BLOCK))

    def blocks(self, n, m):
        """`for i, start, stop in …`: the blocks of each example, with their corners."""
        k, at, d = self.k, self.at, self.d
        for i in k.range(n):
            for start in k.range(m, step=_BLOCK):
                stop = k.minimum(start + _BLOCK, m)
                for j in k.range(stop, start, vectors=True):
                    spots = []
                    for a in range(d):
                        position = at[i, j, d - 1 - a]
                        low = k.floor(position)
                        self.gaps[a, j - start] = position - low
                        low = k.where(low >= -1.0, k.where(low <= self.most[a], low, self.most[a]), -2.0)
                        spots.append(k.cast(low, "i32"))
                    for t, bits in enumerate(self.bits):
                        flat, good = None, None
                        for spot, bit, n in zip(spots, bits, self.counts):
                            spot = spot + bit
                            ok = (spot >= 0) & (spot < n)
                            good = ok if good is None else good & ok
                            flat = spot if flat is None else flat * n + spot
                        self.places[t, j - start] = k.where(good, flat, k.scalar(-1, "i32"))
                yield i, start, stop

    def weight(self, t, r, by=None):
        """The weight of a corner, or its slope along the coordinate of an axis."""
        total = None
        for a, bit in enumerate(self.bits[t]):
            gap = self.gaps[a, r]
            side = self.k.scalar(2.0 * bit - 1.0, gap.kind) if a == by else gap if bit else 1.0 - gap
            total = side if total is None else total * side
        return total

    def place(self, t, r):
        """`(the place of a corner, whether it is inside)`; the place is 0 outside."""
        found = self.places[t, r]
        inside = found >= 0
        return self.k.cast(self.k.where(inside, found, 0), "i64"), inside


def _begun(k, image, at, size):
    """Look at shapes: `(at, n, c, m)`."""
    n, c, p = image
    total = 1
    for s in size:
        k.require(k.scalar(s, "i64") >= 1)
        total = total * s
    k.require(at.shape[0].equals(n), at.shape[2].equals(len(size)), k.scalar(total, "i64").equals(p), p < 2**31 - 1)
    return at.shaped(n, at.shape[1], len(size)), n, c, at.shape[1]


def _interpolated(k, x, at, *size):
    at, n, c, m = _begun(k, x.shape, at, size)
    out, corners = k.output(x.kind, (n, c, m)), _Corners(k, at, size)
    weights = k.scratch(x.kind, (len(corners.bits), _BLOCK))
    for i, start, stop in corners.blocks(n, m):
        for r in k.range(stop - start, vectors=True):
            for t in range(len(corners.bits)):
                weights[t, r] = corners.weight(t, r)
        for f in k.range(c):
            for j in k.range(stop, start, vectors=True):
                total = None
                for t in range(len(corners.bits)):
                    place, inside = corners.place(t, j - start)
                    part = k.where(inside, x[i, f, place], 0.0) * weights[t, j - start]
                    total = part if total is None else total + part
                out[i, f, j] = total


def _spread(k, y, at, *size):
    n, c = y.shape[:2]
    p = 1
    for s in size:
        p = s * p
    at, n, c, m = _begun(k, (n, c, k.scalar(p, "i64")), at, size)
    k.require(y.shape[2].equals(m))
    out, corners = k.output(y.kind, (n, c, *size)).shaped(n, c, p), _Corners(k, at, size)
    weights = k.scratch(y.kind, (len(corners.bits), _BLOCK))
    out.fill(0.0)
    for i, start, stop in corners.blocks(n, m):
        for r in k.range(stop - start, vectors=True):
            for t in range(len(corners.bits)):
                weights[t, r] = corners.weight(t, r)
        for f in k.range(c):
            for j in k.range(stop, start):
                value = y[i, f, j]
                for t in range(len(corners.bits)):
                    place, inside = corners.place(t, j - start)
                    for _ in k.when(inside):
                        out[i, f, place] = out[i, f, place] + value * weights[t, j - start]


def _slopes(k, x, at, y, *size):
    at, n, c, m = _begun(k, x.shape, at, size)
    k.require(y.shape[0].equals(n), y.shape[1].equals(c), y.shape[2].equals(m))
    out, corners = k.output(x.kind, (n, m, len(size))), _Corners(k, at, size)
    sums = k.scratch(x.kind, (len(corners.bits), _BLOCK))
    for i, start, stop in corners.blocks(n, m):
        sums.fill(0.0)
        for f in k.range(c):
            for j in k.range(stop, start, vectors=True):
                value = y[i, f, j]
                for t in range(len(corners.bits)):
                    place, inside = corners.place(t, j - start)
                    sums[t, j - start] = sums[t, j - start] + k.where(inside, x[i, f, place], 0.0) * value
        for j in k.range(stop, start, vectors=True):
            for b in range(len(size)):
                total = None
                for t in range(len(corners.bits)):
                    part = sums[t, j - start] * corners.weight(t, j - start, by=b)
                    total = part if total is None else total + part
                out[i, j, len(size) - 1 - b] = total


def _flat(x):
    """Images with their places in a row."""
    return x.reshape((*x.shape[:2], -1))


def _none(channels, at):
    return not at.size or not channels


INTERPOLATED = Loops(_interpolated, lambda x, at: None if _none(x.shape[1], at) else (_flat(x), at, *x.shape[2:]))
SPREAD = Loops(_spread, lambda y, at, extent: None if _none(y.shape[1], at) else (y, at, *extent))
SLOPES = Loops(_slopes, lambda x, at, y: None if _none(x.shape[1], at) else (_flat(x), at, y, *x.shape[2:]))
