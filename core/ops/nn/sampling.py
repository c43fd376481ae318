"""Weighted gathers at positions given by data (grid sampling), and their transposes."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...arrays.mixed_precision import in_single
from ...errors import ShapeError, at_user_line
from ...primitive.families import ZERO, primitive
from ..samples import Sample
from ..shaping import broadcast_to
from .sampling_loops import CORNERS, SLOPES, SPREAD, SUMS, kept

# The shapes: x (n, channels, p), w and index (n, k, m), y (n, channels, m). The three operations are the trilinear form
# Σ y[n, c, m] w[n, k, m] x[n, c, index[n, k, m]] with one argument taken away, so they are each other's derivatives.
# An index of p stands for a place outside, where there is nothing: not even a NaN times 0.


def _read(xp, x, index):
    """x at the places of one example, (c, k, m)."""
    flat = index.reshape(-1)
    part = x.take(flat, 1, mode="clip") if xp is np else xp.take(x, flat, axis=1)  # without a look at the bounds
    return part.reshape((x.shape[0], *index.shape))


def with_nothing(xp, x):
    """x with a zero behind its places."""
    n, c, p = x.shape
    out = xp.zeros((n, c, p + 1), x.dtype)
    out[:, :, :p] = x
    return out


@in_single
def _sums(xp, x, w, index):
    out = xp.empty((*x.shape[:2], index.shape[2]), result_dtype(x, w))
    padded = with_nothing(xp, x)
    for i in range(x.shape[0]):  # what one example is about stays in the cache
        part = _read(xp, padded[i], index[i])
        part = xp.multiply(part, w[i], out=part) if part.dtype == out.dtype else part * w[i]
        out[i] = part.sum(axis=1)
    return out


@in_single
def _spread(xp, y, w, index, p):
    n, c, m = y.shape
    out = xp.zeros((n, c, p + 1), result_dtype(y, w))
    for i in range(n):
        places = index[i].reshape(-1)
        if xp is np and out.dtype.kind == "f" and places.size:
            for j in range(c):  # bincount adds up in a third of the time of add.at
                out[i, j] = np.bincount(places, (w[i] * y[i, j]).reshape(-1), p + 1)
        else:
            xp.add.at(out[i], (slice(None), places), (w[i] * y[i][:, None]).reshape((c, -1)))
    return xp.ascontiguousarray(out[:, :, :p])


@in_single
def _slopes(xp, x, y, index):
    out = xp.empty(index.shape, result_dtype(x, y))
    padded = with_nothing(xp, x)
    for i in range(x.shape[0]):
        part = _read(xp, padded[i], index[i])
        if xp is np:
            np.einsum("ckm,cm->km", part, y[i], out=out[i])
        else:
            out[i] = (part * y[i][:, None]).sum(axis=0)
    return out


def _fitted(name, index, shape, dtype, *wanted):
    """The aval of an output, after a look that operands have the shapes that the places ask for."""
    if index.ndim != 3 or any(a.shape != s for a, s in wanted):
        raise ShapeError(f"{name} got places of shape {index.shape} and operands of shapes "
                         f"{', '.join(str(a.shape) for a, _ in wanted)}, which do not belong together; give x of shape "
                         f"(n, channels, p), places and weights (n, k, m) and sums (n, channels, m){at_user_line()}")
    return make_aval(shape, dtype)


def _sums_shape(x, w, index):
    shape = (*x.shape[:2], index.shape[-1])
    return _fitted("sampled_sums", index, shape, result_dtype(x, w), (x, (*index.shape[:1], *x.shape[1:3])),
                   (w, index.shape))


def _spread_shape(y, w, index, p):
    return _fitted("sampled_spread", index, (*y.shape[:2], p), result_dtype(y, w),
                   (y, (index.shape[0], *y.shape[1:2], index.shape[-1])), (w, index.shape))


def _slopes_shape(x, y, index):
    return _fitted("sampled_slopes", index, index.shape, result_dtype(x, y), (x, (*index.shape[:1], *x.shape[1:3])),
                   (y, (*x.shape[:2], index.shape[-1])))


def _batch(fun):
    """The batch among the examples."""
    def batch(first, second, index, batched, size, *params):
        three = [v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip((first, second, index), batched)]
        ans = fun()(*[v.reshape((v.shape[0] * v.shape[1], *v.shape[2:])) for v in three], *params)
        return ans.reshape((size, three[0].shape[1], *ans.shape[1:]))

    return batch


def _operands(rng, dtype=np.float64, n=2, c=3, p=5, k=2, m=4):
    index = rng.integers(0, p + 1, (n, k, m))
    return [rng.normal(size=s).astype(dtype) for s in ((n, c, p), (n, k, m), (n, c, m))], index


def _samples(*picked, **params):
    def samples(rng):
        out = []
        for facts in ({}, {"dtype": np.float32}, {"n": 1, "c": 1, "p": 1, "k": 1, "m": 3}, {"n": 0}, {"m": 0}):
            three, index = _operands(rng, **facts)
            given = dict.fromkeys(params, three[0].shape[2])
            out.append(Sample(*[three[i] for i in picked], index, params=given))
        return out

    return samples


_ABSENT = {"complex": "weights of pixels are real", "()": "it needs axes", "broadcast": "one shape for each"}
sampled_sums = primitive(
    "sampled_sums",  # x, w -> y
    impl=lambda xp, x, w, index: _sums(xp, x, w, index),
    shape=_sums_shape,
    jvp={"x": lambda dx, w, index: sampled_sums(dx, w, index), "w": lambda dw, x, index: sampled_sums(x, dw, index)},
    vjp={"x": lambda ct, w, index, x_aval: sampled_spread(ct, w, index, x_aval.shape[2]),
         "w": lambda ct, x, index: sampled_slopes(x, ct, index)},
    linear=("x", "w"),
    nondiff="index",
    batch=lambda x, w, index, batched, size: _batch(lambda: sampled_sums)(x, w, index, batched, size),
    kernel=SUMS,
    absent=_ABSENT,
    samples=_samples(0, 1),
)
sampled_spread = primitive(
    "sampled_spread",  # y, w -> x
    impl=lambda xp, y, w, index, *, p: _spread(xp, y, w, index, p),
    shape=_spread_shape,
    jvp={"y": lambda dy, w, index, p: sampled_spread(dy, w, index, p),
         "w": lambda dw, y, index, p: sampled_spread(y, dw, index, p)},
    vjp={"y": lambda ct, w, index: sampled_sums(ct, w, index), "w": lambda ct, y, index: sampled_slopes(ct, y, index)},
    linear=("y", "w"),
    nondiff="index",
    batch=lambda y, w, index, p, batched, size: _batch(lambda: sampled_spread)(y, w, index, batched, size, p),
    kernel=SPREAD,
    absent=_ABSENT,
    samples=_samples(2, 1, p=None),
)
sampled_slopes = primitive(
    "sampled_slopes",  # x, y -> w
    impl=lambda xp, x, y, index: _slopes(xp, x, y, index),
    shape=_slopes_shape,
    jvp={"x": lambda dx, y, index: sampled_slopes(dx, y, index),
         "y": lambda dy, x, index: sampled_slopes(x, dy, index)},
    vjp={"x": lambda ct, y, index, x_aval: sampled_spread(y, ct, index, x_aval.shape[2]),
         "y": lambda ct, x, index: sampled_sums(x, ct, index)},
    linear=("x", "y"),
    nondiff="index",
    batch=lambda x, y, index, batched, size: _batch(lambda: sampled_slopes)(x, y, index, batched, size),
    kernel=SLOPES,
    absent=_ABSENT,
    samples=_samples(0, 2),
)


@np.errstate(invalid="ignore", divide="ignore")
def _corners(xp, low, sizes, first, count, padding, align):
    """Flat places of the points around others, the first axis slowest; outside is the count of places."""
    low = xp.asarray(low)
    n, m, d = low.shape
    flat, inside = xp.zeros((n, 1, m), np.dtype(np.int64)), None
    for axis, size in enumerate(sizes):
        spot = low[:, None, :, d - 1 - axis]  # the last coordinate is that of the first axis
        if padding:
            spot = xp.concatenate([spot + low.dtype.type(first + k) for k in range(count)], axis=1)
            facts = [low.dtype.type(v) for v in (size - align, -0.5 * (1 - align), size - 1)]
            spot = kept(xp.where, xp.floor, spot, *facts, xp.asarray(padding > 1)).astype(np.dtype(np.int64))
        else:
            spot = xp.fmin(xp.fmax(spot, float(-first - count)), float(size - first))  # NaN is outside, too
            spot = spot.astype(np.dtype(np.int64))
            spot = xp.concatenate([spot + (first + k) for k in range(count)], axis=1)
        here = (spot >= 0) & (spot < size)
        flat = (flat[:, :, None] * size + spot[:, None]).reshape((n, count ** (axis + 1), m))
        inside = here if inside is None else (inside[:, :, None] & here[:, None]).reshape((n, count ** (axis + 1), m))
    return xp.where(inside, flat, prod(sizes))


def _corners_batch(low, sizes, first, count, padding, align, size):
    n = low.shape[1]
    ans = corners(low.reshape((size * n, *low.shape[2:])), sizes, first, count, padding, align)
    return ans.reshape((size, n, *ans.shape[1:]))


def _positions(rng):
    return [Sample(np.floor(rng.uniform(-2, 4, (*lead, len(sizes)))).astype(dtype), smooth=False,
                   params={"sizes": sizes, "first": first, "count": count, "padding": padding, "align": align})
            for padding, align in ((0, False), (1, False), (2, False), (2, True))
            for lead, sizes, dtype, first, count in (
                ((2, 3), (2, 3), float, 0, 2), ((1, 2), (3, 1, 2), float, 0, 2), ((0, 2), (2, 2), float, 0, 2),
                ((2, 2), (2, 2), np.float32, 0, 2), ((2, 9), (2, 3), float, 0, 1), ((2, 3), (2, 3), np.float32, -1, 4))]


corners = primitive(
    # whole positions (n, m, d), the last axis first -> (n, count^d, m) places in images of these sizes: those outside
    # are the count of places, or where there is a padding kept inside (1) or reflected (2), as in grid_positions.py
    "corners",
    impl=lambda xp, low, *, sizes, first, count, padding, align: _corners(
        xp, low, sizes, first, count, padding, align),
    shape=lambda low, sizes, count: make_aval((low.shape[0], count ** len(sizes), low.shape[1]), np.dtype(np.int64)),
    jvp=ZERO,
    batch=_corners_batch,
    kernel=CORNERS,
    absent={"complex": "positions are real", "()": "it needs axes"},
    samples=_positions,
)
