"""Positions in images that coordinates from -1 to 1 stand for, where those outside are kept inside."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import in_single
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ..samples import Sample
from ..shaping import broadcast_to

# The coordinates of a point are in the last axis, that of the image's last axis first. -1 and 1 are the middles of the
# first and the last pixel if they are aligned, else the edges of the image. What lies outside is moved to the closest
# middle of a pixel, after it was reflected at -1 and 1 where that is asked for. The map is linear in pieces: the slope
# is 0 where it was moved and, as PyTorch's, at the border; what arrives there is 0 even if it is not finite.


def moved(where, floor, x, span, offset, most, reflects):
    """`(position, slope, whether it moves with the coordinate)`, where an image is `span` wide from -1 to 1."""
    p = ((x + 1.0) * span - offset) * 0.5
    gap = p + 0.5 * offset
    back = gap < 0.0
    gap = where(back, -gap, gap)
    turns = floor(gap / span)
    rest = gap - turns * span
    odd = turns - 2.0 * floor(turns * 0.5) > 0.5
    side = where(back, -1.0 + 0.0 * span, 1.0 + 0.0 * span)
    p = where(reflects, where(odd, span - rest, rest) - 0.5 * offset, p)
    p = where(reflects & (span <= 0.0), 0.0 * span, p)  # of one pixel there is nothing between -1 and 1
    side = where(reflects & odd, -side, where(reflects, side, 1.0 + 0.0 * span))
    inside = (p > 0.0) & (p < most)
    return where(p > most, most, where(p < 0.0, 0.0 * span, p)), side * (0.5 * span), inside


def _by_axis(xp, x, sizes, reflects, align):
    """`moved` of each coordinate, with its number."""
    for a, size in enumerate(sizes[::-1]):
        span, offset, most = (x.dtype.type(v) for v in (size - align, 1 - align, size - 1))
        yield a, moved(xp.where, xp.floor, x[..., a], span, offset, most, xp.asarray(bool(reflects)))


@in_single
@np.errstate(invalid="ignore", divide="ignore")
def _placed(xp, x, sizes, reflects, align):
    out = xp.empty(x.shape, x.dtype)
    for a, (position, _, _) in _by_axis(xp, x, sizes, reflects, align):
        out[..., a] = position
    return out


@in_single
@np.errstate(invalid="ignore", divide="ignore")
def _slopes(xp, c, x, sizes, reflects, align):
    out = xp.empty(x.shape, x.dtype)
    for a, (_, slope, inside) in _by_axis(xp, x, sizes, reflects, align):
        out[..., a] = xp.where(inside, c[..., a] * slope, x.dtype.type(0))
    return out


def _loops(k, x, reflects, align, sizes):
    """`for out, i, a, (position, slope, inside) in …`: all coordinates, and an array for what they give."""
    k.require(x.shape[1].equals(len(sizes)))
    out = k.output(x.kind, x.shape)
    reflects = k.scalar(reflects, "i64") > 0
    offset = 1.0 - k.cast(align, x.kind)
    facts = [(k.cast(s, x.kind) - 1.0 + offset, k.cast(s, x.kind) - 1.0) for s in sizes]
    for i in k.range(x.shape[0], vectors=True):
        for a, (span, most) in enumerate(facts[::-1]):
            yield out, i, a, moved(k.where, k.floor, x[i, a], span, offset, most, reflects)


def _placed_loops(k, x, reflects, align, *sizes):
    for out, i, a, (position, _, _) in _loops(k, x, reflects, align, sizes):
        out[i, a] = position


def _slopes_loops(k, c, x, reflects, align, *sizes):
    k.require(c.shape[0].equals(x.shape[0]), c.shape[1].equals(x.shape[1]))
    c = c.shaped(x.shape[0], len(sizes))
    for out, i, a, (_, slope, inside) in _loops(k, x, reflects, align, sizes):
        out[i, a] = k.where(inside, c[i, a] * slope, 0.0)


def _given(x, sizes, reflects, align):
    return (x.reshape((-1, x.shape[-1])), int(reflects), int(align), *sizes) if x.size else None


def _given_slopes(c, x, sizes, reflects, align):
    return (c.reshape((-1, x.shape[-1])), *_given(x, sizes, reflects, align)) if x.size else None


def _shaped(out, x, *_):
    return out.reshape(x.shape)


def _aval(x, sizes):
    if x.shape[-1:] != (len(sizes),):
        raise ShapeError(f"placed got coordinates of shape {x.shape} in an image of {sizes}; give one coordinate an "
                         f"axis of the image, in the last axis{at_user_line()}")
    return make_aval(x.shape, x.dtype)


def _samples(rng):
    return [Sample(rng.uniform(-3.1, 3.1, (*lead, len(sizes))).astype(dtype),
                   params={"sizes": sizes, "reflects": reflects, "align": align})
            for reflects in (False, True) for align in (False, True)
            for lead, sizes, dtype in (((5,), (3, 4), np.float64), ((2, 3), (2, 5, 4), np.float64),
                                       ((9,), (3, 4), np.float32), ((0,), (3, 4), np.float64), ((), (7,), np.float64))]


def _with_cotangents(rng):
    return [Sample(rng.normal(size=s.operands[0].shape).astype(s.operands[0].dtype), *s.operands, params=s.params)
            for s in _samples(rng)]


def _slopes_batch(c, x, sizes, reflects, align, batched, size):
    c, x = [v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip((c, x), batched)]
    return placed_slopes(c, x, sizes, reflects, align)


_ABSENT = {"complex": "positions are real", "()": "it needs axes", "(0,)": "one coordinate an axis of the image",
           "broadcast": "one shape for each"}
placed = primitive(
    "placed",  # coordinates (…, d) -> positions
    impl=lambda xp, x, *, sizes, reflects, align: _placed(xp, x, sizes, reflects, align),
    shape=lambda x, sizes, reflects, align: _aval(x, sizes),
    jvp={"x": lambda dx, x, sizes, reflects, align: placed_slopes(dx, x, sizes, reflects, align)},
    vjp={"x": lambda ct, x, sizes, reflects, align: placed_slopes(ct, x, sizes, reflects, align)},
    batch=lambda x, sizes, reflects, align: placed(x, sizes, reflects, align),
    kernel=Loops(_placed_loops, _given, _shaped),
    absent=_ABSENT,
    samples=_samples,
)
placed_slopes = primitive(
    "placed_slopes",  # c, coordinates (…, d) -> c times the slopes of their positions, 0 where they were moved
    impl=lambda xp, c, x, *, sizes, reflects, align: _slopes(xp, c, x, sizes, reflects, align),
    shape=lambda c, x, sizes, reflects, align: _aval(x, sizes),
    jvp={"c": lambda dc, x, sizes, reflects, align: placed_slopes(dc, x, sizes, reflects, align)},
    vjp={"c": lambda ct, x, sizes, reflects, align: placed_slopes(ct, x, sizes, reflects, align)},
    linear=("c",),
    nondiff="x",
    batch=_slopes_batch,
    kernel=Loops(_slopes_loops, _given_slopes, _shaped),
    absent=_ABSENT,
    samples=_with_cotangents,
)
