"""Linear interpolation of images at positions given by data, and its derivatives."""

from itertools import product
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import in_single, result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ..samples import Sample
from ..selection import floor
from ..shaping import broadcast_to, stack
from .sampling import corners, sampled_slopes, sampled_spread, sampled_sums

# Linear interpolation between pixels, and its derivatives, as loops over positions and channels.

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


def _interpolated_loop(k, x, at, *size):
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


def _spread_loop(k, y, at, *size):
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


def _slopes_loop(k, x, at, y, *size):
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


INTERPOLATED = Loops(_interpolated_loop, lambda x, at: None if _none(x.shape[1], at) else (_flat(x), at, *x.shape[2:]))
SPREAD = Loops(_spread_loop, lambda y, at, extent: None if _none(y.shape[1], at) else (y, at, *extent))
SLOPES = Loops(_slopes_loop, lambda x, at, y: None if _none(x.shape[1], at) else (_flat(x), at, y, *x.shape[2:]))


# The shapes: x (n, channels, *size), at (n, m, d) with the coordinate of the last axis first, y (n, channels, m). The
# three operations are I(x, at), with y, and the derivatives of Σ y I(x, at) by x and by at. Beyond the image
# there are zeros: what is NaN there is a position that is not finite. At a whole position the derivative is that of
# the pixels above it.

# how it is done by NumPy, which is to warn of infinities no more than loops do

_QUIET = np.errstate(invalid="ignore", over="ignore")


def _gaps(xp, at):
    """The pixel below each position, and the way from there."""
    low = xp.floor(at)
    return low, at - low


def _padded(xp, x):
    """Each image with two rows of nothing on each side of each axis, in a row: (n, channels, places)."""
    size = x.shape[2:]
    out = xp.zeros((*x.shape[:2], *[k + 4 for k in size]), x.dtype)
    out[(slice(None), slice(None), *[slice(2, k + 2) for k in size])] = x
    return out.reshape((*x.shape[:2], prod([k + 4 for k in size])))


def _places(xp, low, size):
    """The places of the corners in padded images, (n, 2^d, m)."""
    d = len(size)
    steps = [prod([k + 4 for k in size[a + 1 :]]) for a in range(d)]
    total = None
    for a, k in enumerate(size):
        spot = xp.fmin(xp.fmax(low[:, :, d - 1 - a], -2.0), k + 0.0).astype(np.dtype(np.int64))
        spot = spot if steps[a] == 1 else spot * steps[a]
        total = spot if total is None else total + spot
    offsets = [sum([s * (bit + 2) for s, bit in zip(steps, bits)]) for bits in product((0, 1), repeat=d)]
    return total[:, None] + xp.asarray(np.array(offsets)[:, None])


def _weights(xp, gap, by=None):
    """The weights of the corners, (n, 2^d, m), or their derivatives by one coordinate."""
    n, m, d = gap.shape
    out = xp.empty((n, 2**d, m), gap.dtype)
    sides = []
    for a in range(d):
        upper = gap[:, :, d - 1 - a]
        sides.append((-1.0, 1.0) if by == d - 1 - a else (1.0 - upper, upper))
    for k, bits in enumerate(product((0, 1), repeat=d)):
        total = None
        for side, bit in zip(sides, bits):
            total = side[bit] if total is None else total * side[bit]
        out[:, k] = total
    return out


def _read(xp, image, index):
    """An image (c, p) at places (k, m)."""
    flat = index.reshape(-1)
    part = image.take(flat, 1, mode="clip") if xp is np else xp.take(image, flat, axis=1)
    return part.reshape((image.shape[0], *index.shape))


@in_single
@_QUIET
def _interpolated(xp, x, at):
    _look("interpolated", x.shape, at)
    low, gap = _gaps(xp, at)
    w, index, images = _weights(xp, gap), _places(xp, low, x.shape[2:]), _padded(xp, x)
    out = xp.empty((*x.shape[:2], at.shape[1]), result_dtype(x, at))
    for i in range(x.shape[0]):  # what one example is about stays in the cache
        part = _read(xp, images[i], index[i])
        if xp is np:  # 28 us for 50 at 8 channels of 1,024 positions
            np.einsum("ckm,km->cm", part, w[i], out=out[i])
        else:
            out[i] = (part * w[i]).sum(axis=1)
    return out


@in_single
@_QUIET
def _spread(xp, y, at, size):
    _look("interpolated_spread", (*y.shape[:2], *size), at, y)
    low, gap = _gaps(xp, at)
    w, index = _weights(xp, gap), _places(xp, low, size)
    n, c = y.shape[:2]
    count = prod([k + 4 for k in size])
    out = xp.zeros((n, c, count), result_dtype(y, at))
    for i in range(n):
        places = index[i].reshape(-1)
        if xp is np and places.size:
            for j in range(c):  # bincount adds up in a third of the time of add.at
                out[i, j] = np.bincount(places, (w[i] * y[i, j]).reshape(-1), count)
        else:
            xp.add.at(out[i], (slice(None), places), (w[i] * y[i][:, None]).reshape((c, -1)))
    out = out.reshape((n, c, *[k + 4 for k in size]))
    return xp.ascontiguousarray(out[(slice(None), slice(None), *[slice(2, k + 2) for k in size])])


@in_single
@_QUIET
def _slopes(xp, x, at, y):
    _look("interpolated_slopes", x.shape, at, y)
    low, gap = _gaps(xp, at)
    weights = [_weights(xp, gap, by=b) for b in range(at.shape[2])]
    index, images = _places(xp, low, x.shape[2:]), _padded(xp, x)
    out = xp.empty(at.shape, result_dtype(x, at, y))
    for i in range(x.shape[0]):
        part = _read(xp, images[i], index[i])
        total = np.einsum("ckm,cm->km", part, y[i]) if xp is np else (part * y[i][:, None]).sum(axis=0)
        for b, w in enumerate(weights):
            out[i, :, b] = (total * w[i]).sum(axis=0)
    return out


# rules


def _factors(gap, a):
    """The weights of the lower and the upper side of each axis of the image."""
    upper = gap[:, :, gap.shape[2] - 1 - a]
    return 1.0 - upper, upper


def _pushed_weights(at, v):
    """The derivative of the corners' weights along v: Σ_b v_b ∂_b W, (n, 2^d, m)."""
    gap = at - floor(at)
    d, found = gap.shape[2], []
    sides = [_factors(gap, a) for a in range(d)]
    for bits in product((0, 1), repeat=d):
        total = None
        for b in range(d):
            part = v[:, :, d - 1 - b] if bits[b] else -v[:, :, d - 1 - b]
            for a in range(d):
                part = part if a == b else part * sides[a][bits[a]]
            total = part if total is None else total + part
        found.append(total)
    return stack(*found, axis=1)


def _bent(at, v, q):
    """The derivative of the slopes along v: Σ_k Σ_b v_b ∂_b ∂_c W_k q_k, (n, m, d)."""
    gap = at - floor(at)
    d, found = gap.shape[2], [None] * gap.shape[2]
    sides = [_factors(gap, a) for a in range(d)]
    for k, bits in enumerate(product((0, 1), repeat=d)):
        for c in range(d):
            for b in range(d):
                if b != c:  # along one axis the weights are straight
                    part = v[:, :, d - 1 - b] * q[:, k]
                    part = part if bits[b] == bits[c] else -part
                    for a in range(d):
                        part = part if a in (b, c) else part * sides[a][bits[a]]
                    found[c] = part if found[c] is None else found[c] + part
    return stack(*[v[:, :, c] * 0.0 if f is None else f for c, f in enumerate(found[::-1])], axis=2)


def _at_corners(at, size):
    return corners(floor(at), tuple(size), 0, 2, 0, False)


def _in_rows(x):
    return x.reshape((*x.shape[:2], prod(x.shape[2:])))


def _moved(x, at, dat):
    """The tangent of interpolated values for moving positions."""
    return sampled_sums(_in_rows(x), _pushed_weights(at, dat), _at_corners(at, x.shape[2:]))


def _moved_spread(y, at, dat, extent):
    ans = sampled_spread(y, _pushed_weights(at, dat), _at_corners(at, extent), prod(extent))
    return ans.reshape((*y.shape[:2], *extent))


def _moved_slopes(x, at, y, dat):
    """The same of slopes; it is symmetric, so this is its transpose, too."""
    return _bent(at, dat, sampled_slopes(_in_rows(x), y, _at_corners(at, x.shape[2:])))


# shapes and samples


def _look(name, image, at, values=None):
    """Raise where an image does not have the axes that positions ask for, or values are not as many as these."""
    image = tuple(image)
    if at.ndim != 3 or len(image) != at.shape[2] + 2 or len(image) < 3 or image[0] != at.shape[0] or (
            values is not None and tuple(values.shape) != (*image[:2], at.shape[1])):
        other = "" if values is None else f", values of shape {values.shape}"
        raise ShapeError(f"{name} got an image of shape {image}, positions of shape {at.shape}{other}; give an image "
                         f"(n, channels, *size), positions (n, m, number of axes in size) and values (n, channels, m)"
                         f"{at_user_line()}")


def _interpolated_shape(x, at):
    _look("interpolated", x.shape, at)
    return make_aval((*x.shape[:2], at.shape[1]), result_dtype(x, at))


def _spread_shape(y, at, extent):
    _look("interpolated_spread", (*y.shape[:2], *extent), at, y)
    return make_aval((*y.shape[:2], *extent), result_dtype(y, at))


def _slopes_shape(x, at, y):
    _look("interpolated_slopes", x.shape, at, y)
    return make_aval(at.shape, result_dtype(x, at, y))


def _batch(fun):
    """The batch among the examples."""
    def batch(operands, batched, size, *params):
        whole = [v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip(operands, batched)]
        ans = fun()(*[v.reshape((v.shape[0] * v.shape[1], *v.shape[2:])) for v in whole], *params)
        return ans.reshape((size, whole[0].shape[1], *ans.shape[1:]))

    return batch


def _samples(operands, extent=False):
    """Positions inside, on the border and outside, none of them whole."""
    def samples(rng):
        found = []
        for n, c, size, m, dtype in ((2, 3, (3, 4), 5, np.float64), (1, 2, (2, 3, 2), 4, np.float64),
                                     (1, 1, (1, 2), 3, np.float32), (0, 1, (2, 2), 2, np.float64),
                                     (1, 2, (2, 2), 0, np.float64), (1, 2, (5,), 3, np.float64),
                                     (2, 4, (16, 16), 70, np.float64)):
            at = np.stack([rng.integers(-2, k + 1, (n, m)) + rng.uniform(0.1, 0.9, (n, m)) for k in size[::-1]], -1)
            known = {"x": rng.normal(size=(n, c, *size)), "at": at, "y": rng.normal(size=(n, c, m))}
            found.append(Sample(*[known[name].astype(dtype) for name in operands.split()],
                                params={"extent": size} if extent else {}))
        return found

    return samples


_ABSENT = {"complex": "positions are real", "()": "it needs axes", "(0,)": "one shape for each",
           "broadcast": "one shape for each"}
interpolated = primitive(
    "interpolated",  # x, at -> y
    impl=lambda xp, x, at: _interpolated(xp, x, at),
    shape=_interpolated_shape,
    jvp={"x": lambda dx, at: interpolated(dx, at), "at": lambda dat, x, at: _moved(x, at, dat)},
    vjp={"x": lambda ct, at, x_aval: interpolated_spread(ct, at, tuple(x_aval.shape[2:])),
         "at": lambda ct, x, at: interpolated_slopes(x, at, ct)},
    linear=("x",),
    blocks={"x": (0, None), "at": (0, 1), "ans": (0, 2)},
    batch=lambda x, at, batched, size: _batch(lambda: interpolated)((x, at), batched, size),
    kernel=INTERPOLATED,
    absent=_ABSENT,
    samples=_samples("x at"),
)
interpolated_spread = primitive(
    "interpolated_spread",  # y, at -> x
    impl=lambda xp, y, at, *, extent: _spread(xp, y, at, extent),
    shape=_spread_shape,
    jvp={"y": lambda dy, at, extent: interpolated_spread(dy, at, extent),
         "at": lambda dat, y, at, extent: _moved_spread(y, at, dat, extent)},
    vjp={"y": lambda ct, at: interpolated(ct, at), "at": lambda ct, y, at: interpolated_slopes(ct, at, y)},
    linear=("y",),
    blocks={"y": (0,), "at": (0,), "ans": (0,)},
    batch=lambda y, at, extent, batched, size: _batch(lambda: interpolated_spread)((y, at), batched, size, extent),
    kernel=SPREAD,
    absent=_ABSENT,
    samples=_samples("y at", extent=True),
)
interpolated_slopes = primitive(
    "interpolated_slopes",  # x, at, y -> the slopes of the sum of y interpolated(x, at) by at
    impl=lambda xp, x, at, y: _slopes(xp, x, at, y),
    shape=_slopes_shape,
    jvp={"x": lambda dx, at, y: interpolated_slopes(dx, at, y), "y": lambda dy, x, at: interpolated_slopes(x, at, dy),
         "at": lambda dat, x, at, y: _moved_slopes(x, at, y, dat)},
    vjp={"x": lambda ct, at, y, x_aval: _moved_spread(y, at, ct, tuple(x_aval.shape[2:])),
         "y": lambda ct, x, at: _moved(x, at, ct), "at": lambda ct, x, at, y: _moved_slopes(x, at, y, ct)},
    linear=("x", "y"),
    blocks={"x": (0, None), "at": (0, 1), "y": (0, 2), "ans": (0, 1)},
    batch=lambda x, at, y, batched, size: _batch(lambda: interpolated_slopes)((x, at, y), batched, size),
    kernel=SLOPES,
    absent=_ABSENT,
    samples=_samples("x at y"),
)
