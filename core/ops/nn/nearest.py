"""The pixels of images that lie closest to coordinates from -1 to 1, and their transpose."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import in_single
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ..reductions import reduce_sum
from ..samples import Sample
from ..shaping import broadcast_to
from .grid_positions import moved
from .sampling import with_nothing

# The shapes: x (n, channels, *size), at (n, m, d) with the coordinate of the last axis first, y (n, channels, m). The
# coordinates are those of grid_positions.py. Outside is 0 where the padding is 0, the closest pixel where it is 1, and
# what is reflected there where it is 2. Halfway it is the even pixel. The derivative by the coordinates is 0.

_BLOCK = 256  # points, whose places stay in the cache


def _spot(where, floor, x, span, offset, most, padding):
    """The position of a coordinate."""
    return where(padding > 0, moved(where, floor, x, span, offset, most, padding > 1)[0],
                 ((x + 1.0) * span - offset) * 0.5)


@np.errstate(invalid="ignore", divide="ignore", over="ignore")
def _places(xp, at, size, padding, align):
    """The flat places of the pixels, (n, m); outside is the count of places."""
    flat, good = 0, True
    for a, count in enumerate(size):
        x = at[..., len(size) - 1 - a]
        span, offset, most = (at.dtype.type(v) for v in (count - align, 1 - align, count - 1))
        spot = xp.rint(_spot(xp.where, xp.floor, x, span, offset, most, xp.asarray(padding)))
        inside = (spot >= 0) & (spot <= most)
        flat = flat * count + xp.where(inside, spot, at.dtype.type(0)).astype(np.dtype(np.int64))
        good = inside & good
    return xp.where(good, flat, prod(size))


@in_single
def _nearest(xp, x, at, padding, align):
    places = _places(xp, at, x.shape[2:], padding, align)
    rows = with_nothing(xp, x.reshape((*x.shape[:2], prod(x.shape[2:]))))
    out = xp.empty((*x.shape[:2], at.shape[1]), x.dtype)
    for i in range(x.shape[0]):
        out[i] = xp.take(rows[i], places[i], axis=1)
    return out


@in_single
def _spread(xp, y, at, extent, padding, align):
    places, p = _places(xp, at, extent, padding, align), prod(extent)
    out = xp.zeros((*y.shape[:2], p + 1), y.dtype)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            if xp is np:
                out[i, j] = np.bincount(places[i], y[i, j], p + 1)
            else:
                xp.add.at(out[i, j], places[i], y[i, j])
    return xp.ascontiguousarray(out[:, :, :p]).reshape((*y.shape[:2], *extent))


def _blocks(k, at, padding, align, size, n, places):
    """`for i, start, stop in …`: blocks of points, whose places are written; they are -1 outside."""
    d, m = len(size), at.shape[1]
    at = at.shaped(n, m, d)
    padding, offset = k.scalar(padding, "i64"), 1.0 - k.cast(align, at.kind)
    facts = [(k.cast(s, at.kind) - 1.0 + offset, k.cast(s, at.kind) - 1.0, k.scalar(s, "i64")) for s in size]
    for i in k.range(n):
        for start in k.range(m, step=_BLOCK):
            stop = k.minimum(start + _BLOCK, m)
            for j in k.range(stop, start, vectors=True):
                flat = good = None
                for a, (span, most, count) in enumerate(facts):
                    spot = k.run("rint", _spot(k.where, k.floor, at[i, j, d - 1 - a], span, offset, most, padding))
                    inside = (spot >= 0.0) & (spot <= most)
                    place = k.cast(k.where(inside, spot, 0.0), "i64")
                    good = inside if good is None else good & inside
                    flat = place if flat is None else flat * count + place
                places[j - start] = k.where(good, flat, -1)
            yield i, start, stop


def _fits(k, at, n, d):
    k.require(at.shape[0].equals(n), at.shape[2].equals(d))


def _nearest_loops(k, x, at, padding, align, *size):
    n, c, p = x.shape
    _fits(k, at, n, len(size))
    out, places = k.output(x.kind, (n, c, at.shape[1])), k.scratch("i64", (_BLOCK,))
    for i, start, stop in _blocks(k, at, padding, align, size, n, places):
        for f in k.range(c):
            for j in k.range(stop, start, vectors=True):
                place = places[j - start]
                inside = place >= 0
                out[i, f, j] = k.where(inside, x[i, f, k.where(inside, place, 0)], 0.0)


def _spread_loops(k, y, at, padding, align, *size):
    n, c, m = y.shape
    _fits(k, at, n, len(size))
    k.require(at.shape[1].equals(m))
    p = prod([k.scalar(s, "i64") for s in size])
    out, places = k.output(y.kind, (n, c, *size)).shaped(n, c, p), k.scratch("i64", (_BLOCK,))
    out.fill(0.0)
    for i, start, stop in _blocks(k, at, padding, align, size, n, places):
        for f in k.range(c):
            for j in k.range(stop, start):
                place = places[j - start]
                for _ in k.when(place >= 0):
                    out[i, f, place] = out[i, f, place] + y[i, f, j]


def _given(x, at, padding, align):
    return (x.reshape((*x.shape[:2], -1)), at, padding, int(align), *x.shape[2:]) if x.size and at.size else None


def _given_spread(y, at, extent, padding, align):
    return (y, at, padding, int(align), *extent) if y.size and prod(extent) else None


def _look(name, image, at, values=None):
    """Raise where an image does not have the axes that coordinates ask for, or values are not as many as these."""
    if at.ndim != 3 or len(image) != at.shape[2] + 2 or len(image) < 3 or image[0] != at.shape[0] or (
            values is not None and tuple(values.shape) != (*image[:2], at.shape[1])):
        other = "" if values is None else f", values of shape {values.shape}"
        raise ShapeError(f"{name} got an image of shape {tuple(image)}, coordinates of shape {at.shape}{other}; give "
                         "an image (n, channels, *size), coordinates (n, m, number of axes in size) and values (n, "
                         f"channels, m){at_user_line()}")


def _shape(x, at):
    _look("nearest", x.shape, at)
    return make_aval((*x.shape[:2], at.shape[1]), x.dtype)


def _spread_shape(y, at, extent):
    _look("nearest_spread", (*y.shape[:2], *extent), at, y)
    return make_aval((*y.shape[:2], *extent), y.dtype)


def _nothing(c, shape):
    """Zeros, of the kind of a tangent or cotangent and where that is."""
    return broadcast_to(reduce_sum(c[:0], tuple(range(c.ndim)), False), shape)


def _batch(fun):
    """The batch among the examples."""
    def batch(first, at, batched, size, *params):
        two = [v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip((first, at), batched)]
        ans = fun()(*[v.reshape((v.shape[0] * v.shape[1], *v.shape[2:])) for v in two], *params)
        return ans.reshape((size, two[0].shape[1], *ans.shape[1:]))

    return batch


def _samples(spread):
    def samples(rng):
        found = []
        for n, c, size, m, dtype in ((2, 3, (3, 4), 5, np.float64), (1, 2, (2, 3, 2), 4, np.float64),
                                     (1, 1, (1, 2), 3, np.float32), (0, 1, (2, 2), 2, np.float64),
                                     (1, 2, (2, 2), 0, np.float64), (2, 2, (3, 2), 300, np.float64)):
            for padding in range(3):
                pixels = [rng.integers(-2, k + 2, (n, m)) + rng.uniform(-0.2, 0.2, (n, m)) for k in size[::-1]]
                at = (2 * np.stack(pixels, -1) + 1) / np.array(size[::-1]) - 1
                first = rng.normal(size=(n, c, m) if spread else (n, c, *size))
                params = {"padding": padding, "align": False} | ({"extent": size} if spread else {})
                found.append(Sample(first.astype(dtype), at.astype(dtype), params=params))
        return found

    return samples


_ABSENT = {"complex": "coordinates are real", "()": "it needs axes", "(0,)": "one shape for each",
           "broadcast": "one shape for each"}
nearest = primitive(
    "nearest",  # x, at -> y
    impl=lambda xp, x, at, *, padding, align: _nearest(xp, x, at, padding, align),
    shape=lambda x, at, padding, align: _shape(x, at),
    jvp={"x": lambda dx, at, padding, align: nearest(dx, at, padding, align),
         "at": lambda dat, ans: _nothing(dat, ans.shape)},
    vjp={"x": lambda ct, at, x_aval, padding, align: nearest_spread(ct, at, tuple(x_aval.shape[2:]), padding, align),
         "at": lambda ct, at_aval: _nothing(ct, at_aval.shape)},
    linear=("x",),
    batch=lambda x, at, padding, align, batched, size: _batch(lambda: nearest)(x, at, batched, size, padding, align),
    kernel=Loops(_nearest_loops, _given),
    absent=_ABSENT,
    samples=_samples(spread=False),
)
nearest_spread = primitive(
    "nearest_spread",  # y, at -> x
    impl=lambda xp, y, at, *, extent, padding, align: _spread(xp, y, at, extent, padding, align),
    shape=lambda y, at, extent, padding, align: _spread_shape(y, at, extent),
    jvp={"y": lambda dy, at, extent, padding, align: nearest_spread(dy, at, extent, padding, align),
         "at": lambda dat, ans: _nothing(dat, ans.shape)},
    vjp={"y": lambda ct, at, padding, align: nearest(ct, at, padding, align),
         "at": lambda ct, at_aval: _nothing(ct, at_aval.shape)},
    linear=("y",),
    batch=lambda y, at, extent, padding, align, batched, size: _batch(lambda: nearest_spread)(
        y, at, batched, size, extent, padding, align),
    kernel=Loops(_spread_loops, _given_spread),
    absent=_ABSENT,
    samples=_samples(spread=True),
)
