"""Piecewise activations as primitives: one or two elementwise passes, their slopes as masks."""

from math import prod

import numpy as np

from ...arrays.sums import PLAIN, shaped, small
from ...primitive.families import elementwise
from ...primitive.kernels import LEAST, Loops
from ..arithmetic import exp
from ..samples import Sample
from ..selection import BITS, keep_where, passed, select, sign, where
from ..shaping import absolute

ndarray = np.ndarray
_maximum, _minimum = small(np.maximum), small(np.minimum)

_REAL = {"complex": "the order it needs is that of real numbers"}


def _samples(points, *params):
    def draw(rng):
        out = [Sample(rng.normal(size=s) * 2.0, params=p) for s in ((), (3,), (2, 3), (0,)) for p in params]
        out += [Sample(np.array(points), params=p, smooth=False, orders=1) for p in params]
        return [*out, Sample(rng.normal(size=3).astype(np.float32), params=params[0])]

    return draw


def _inside(x, low, high):
    return (x > low) & (x < high)


def _large(*arrays):
    """Tell whether all are plain arrays of one shape and native floats, large enough that passes in place pay."""
    x = arrays[0]
    return all(type(a) is ndarray and a.shape == x.shape and a.dtype == x.dtype for a in arrays) and (
        x.size >= _LARGE and x.dtype in BITS and all(a.flags.c_contiguous for a in arrays))


def _between(xp, x, low, high):
    if type(x) is ndarray and x.size >= _LARGE and low <= high:
        return np.clip(x, low, high)  # one pass for two; 3 us more on small arrays
    if xp is np:
        return _minimum(high, _maximum(low, x))
    return xp.minimum(high, xp.maximum(low, x))  # of equal operands the second: a zero keeps its sign, as in clip


def _clipped(x, high):
    return where(x > high, high, x)


_LARGE = 1 << 12  # elements

# The slope at both ends is 0, as PyTorch's.
hard_tanh = elementwise(
    "hard_tanh",  # x between two limits
    impl=lambda xp, x, *, low, high: _between(xp, x, low, high),
    jvp={"x": lambda dx, x, low, high: passed(dx, _inside(x, low, high))},
    vjp={"x": lambda ct, x, low, high: passed(ct, _inside(x, low, high))},
    exact=True,
    kernel={"impl": lambda x, low, high: _clipped(where(x < low, low, x), high)},
    absent=_REAL,
    samples=_samples([-1.0, 1.0], {"low": -1.0, "high": 1.0}, {"low": 0.0, "high": 6.0}),
)


def _within(x, low, high):
    return (x >= low) & (x <= high)


# The slope at both ends is 1 and at NaN 0, as PyTorch's; limits may be infinite.
clamp = elementwise(
    "clamp",  # x between two limits, which are no operands
    impl=lambda xp, x, *, low, high: _between(xp, x, low, high),
    jvp={"x": lambda dx, x, low, high: passed(dx, _within(x, low, high))},
    vjp={"x": lambda ct, x, low, high: passed(ct, _within(x, low, high))},
    exact=True,
    kernel={"impl": lambda x, low, high: _clipped(where(x < low, low, x), high)},
    absent=_REAL,
    samples=_samples([-1.0, 1.0], {"low": -1.0, "high": 1.0}, {"low": 0.5, "high": np.inf}, {"low": 1.0, "high": -1.0}),
)


def _leaky(xp, x, *, slope):
    if type(x) is ndarray and x.ndim and 0.0 < slope <= 1.0:
        out = x * slope
        return np.maximum(x, out, out=out)
    return xp.maximum(x, x * slope) if 0.0 < slope <= 1.0 else xp.where(x > 0, x, x * slope)


def _leaky_slope(x, slope):
    return where(x > 0, x.dtype.type(1.0), x.dtype.type(slope))


def _leaky_vjp(ct, x, slope):
    """By 0 and 1 as floats, raised to the slope: 45 us for 190 at 131,072 elements of float32."""
    if not _large(x, ct) or not 0.0 < slope <= 1.0:
        return ct * _leaky_slope(x, slope)
    out = (x > 0).astype(x.dtype)
    np.clip(out, slope, 1.0, out=out)
    out *= ct
    return out


# The slope at 0 is that of the negative side, as PyTorch's.
leaky_relu = elementwise(
    "leaky_relu",
    impl=_leaky,
    d={"x": _leaky_slope},
    real_vjp={"x": _leaky_vjp},
    exact=True,
    kernel={"impl": lambda x, slope: where(x > 0, x, x * slope),
            **dict.fromkeys(("vjp", "jvp"), lambda c, x, slope: where(x > 0, c, c * slope))},
    absent=_REAL,
    samples=_samples([0.0], {"slope": 0.01}, {"slope": 2.0}, {"slope": -0.5}),
)


def _hard_swish(xp, x):
    out = _between(xp, x + 3.0, 0.0, 6.0)
    if type(x) is ndarray and x.ndim:
        out *= x
        out *= 1.0 / 6.0
        return out
    return out * x * (1.0 / 6.0)


def _hard_swish_rule(ct, x):
    if _large(x, ct):
        out = x * (1.0 / 3.0)
        out += 0.5
        out *= ct
        high = x >= 3.0
        out = keep_where(out, ~(high | (x <= -3.0)))
        out += keep_where(ct, high)
        return out
    return where(x <= -3.0, 0.0, where(x >= 3.0, ct, ct * (x / 3.0 + 0.5)))


# The slopes at -3 and 3 are 0 and 1, those of the lines, as PyTorch's.
hard_swish = elementwise(
    "hard_swish",  # x min(max(x + 3, 0), 6) / 6
    impl=_hard_swish,
    jvp={"x": _hard_swish_rule},
    vjp={"x": _hard_swish_rule},
    exact=True,
    kernel={},
    absent=_REAL,
    samples=_samples([-3.0, 3.0], {}),
)


def _hard_sigmoid(xp, x):
    out = _between(xp, x + 3.0, 0.0, 6.0)
    if type(x) is ndarray and x.ndim:
        out *= 1.0 / 6.0
        return out
    return out * (1.0 / 6.0)


# The slope at both ends is 0, as PyTorch's.
hard_sigmoid = elementwise(
    "hard_sigmoid",  # min(max(x + 3, 0), 6) / 6
    impl=_hard_sigmoid,
    jvp={"x": lambda dx, x: passed(dx * (1.0 / 6.0), _inside(x, -3.0, 3.0))},
    vjp={"x": lambda ct, x: passed(ct * (1.0 / 6.0), _inside(x, -3.0, 3.0))},
    exact=True,
    kernel={},
    absent=_REAL,
    samples=_samples([-3.0, 3.0], {}),
)


def _bowl(xp, x, *, bend, curve, slope):
    size = xp.abs(x)
    return xp.where(size <= bend, x * x * (0.5 * curve), (size - 0.5 * bend) * slope)


def _bowl_rule(ct, x, bend, curve, slope):
    return ct * where(absolute(x) <= bend, x * curve, sign(x) * slope)


bowl = elementwise(
    "bowl",  # curve x² / 2 up to |x| = bend, a line of slope `slope` = curve bend beyond
    impl=_bowl,
    lower=lambda x, bend, curve, slope: where(absolute(x) <= bend, x * x * (0.5 * curve),
                                              (absolute(x) - 0.5 * bend) * slope),
    jvp={"x": _bowl_rule},
    vjp={"x": _bowl_rule},
    kernel={},
    absent=_REAL,
    samples=_samples([-1.0, 1.0, 0.5], {"bend": 1.0, "curve": 1.0, "slope": 1.0},
                     {"bend": 0.5, "curve": 4.0, "slope": 2.0}),
)


def _soft_shrink(xp, x, *, distance):
    out = _between(xp, x, -distance, distance)
    if type(x) is ndarray and x.ndim:
        return np.subtract(x, out, out=out)
    return x - out


def _beyond(x, distance):
    """Tell whether x is farther from 0, or NaN."""
    return ~((x >= -distance) & (x <= distance))


# The slope at both ends is 0, as PyTorch's.
soft_shrink = elementwise(
    "soft_shrink",  # x brought nearer to 0 by a distance
    impl=_soft_shrink,
    jvp={"x": lambda dx, x, distance: passed(dx, (x > distance) | (x < -distance))},
    vjp={"x": lambda ct, x, distance: passed(ct, (x > distance) | (x < -distance))},
    exact=True,
    kernel={"impl": lambda x, distance: where(
        x > distance, x - distance, where(x < -distance, x + distance, x - x))},
    absent=_REAL,
    samples=_samples([-0.5, 0.5], {"distance": 0.5}),
)


def _kept(xp, x, kept):
    """x where it is kept, 0 elsewhere."""
    if xp is np and type(x) is ndarray and x.ndim and x.dtype in BITS:
        return keep_where(x, kept)
    return xp.where(kept, x, x.dtype.type(0))


# The slope at both ends is 0, as PyTorch's.
hard_shrink = elementwise(
    "hard_shrink",  # x, and 0 where it is no farther from 0 than a distance
    impl=lambda xp, x, *, distance: _kept(xp, x, _beyond(x, distance)),
    lower=lambda x, distance: where(_beyond(x, distance), x, 0.0),
    jvp={"x": lambda dx, x, distance: passed(dx, (x > distance) | (x < -distance))},
    vjp={"x": lambda ct, x, distance: passed(ct, (x > distance) | (x < -distance))},
    exact=True,
    kernel={"impl": lambda x, distance: where(absolute(x) <= distance, x.dtype.type(0), x),
            **dict.fromkeys(("vjp", "jvp"), lambda c, x, distance: where(absolute(x) > distance, c, c.dtype.type(0)))},
    absent=_REAL,
    samples=_samples([-0.5, 0.5], {"distance": 0.5}),
)


def _above(x, limit):
    """Tell whether x is above a limit, or NaN."""
    return ~(x <= limit)


def _threshold(xp, x, *, limit, value):
    kept = _above(x, limit)
    if value == 0:
        return _kept(xp, x, kept)
    value = x.dtype.type(value) if hasattr(x, "dtype") else value
    return select(kept, x, value) if xp is np and type(x) is ndarray else xp.where(kept, x, value)


# The slope at the limit is 0, as PyTorch's.
threshold = elementwise(
    "threshold",  # x where it is above a limit or NaN, elsewhere a value
    impl=_threshold,
    lower=lambda x, limit, value: where(_above(x, limit), x, value),
    jvp={"x": lambda dx, x, limit: passed(dx, _above(x, limit))},
    vjp={"x": lambda ct, x, limit: passed(ct, _above(x, limit))},
    exact=True,
    kernel={},
    absent=_REAL,
    samples=_samples([0.1], {"limit": 0.1, "value": 0.0}, {"limit": -0.3, "value": 2.0}),
)


def _elu(xp, x, *, alpha):
    if type(x) is not ndarray or not x.ndim or x.size < _LARGE:
        return xp.maximum(0.0, x) + alpha * xp.expm1(xp.minimum(0.0, x))  # as clip, which keeps the sign of a zero
    out = np.clip(x, -np.inf, 0.0)
    np.expm1(out, out=out)
    out *= alpha
    out += np.clip(x, 0.0, np.inf)
    return out


def _elu_slope(x, alpha):
    return where(x > 0, x.dtype.type(1.0), alpha * exp(where(x > 0, 0.0, x)))


def _elu_vjp(ct, x, alpha):
    """By exp(min(x, 0)), which is 1 where x is positive: 130 us for 250 at 131,072 elements of float32."""
    if not _large(x, ct):
        return ct * _elu_slope(x, alpha)
    out = np.clip(x, -np.inf, 0.0)
    np.exp(out, out=out)
    if alpha != 1.0:
        out *= alpha
        high = (x > 0).astype(x.dtype)
        high *= 1.0 - alpha
        out += high
    out *= ct
    return out


# The slope at 0 is that of the negative side.
elu = elementwise(
    "elu",  # x where it is positive, alpha (exp(x) - 1) elsewhere
    impl=_elu,
    d={"x": _elu_slope},
    real_vjp={"x": _elu_vjp},
    exact=True,
    kernel={},
    absent=_REAL,
    samples=_samples([0.0], {"alpha": 1.0}, {"alpha": 1.7}, {"alpha": -0.5}),
)


# PReLU: a learnable slope below 0, shared or one a channel; native loops where arrays are large.


def _channels(w, shape):
    """Sizes before, along and behind the one axis of a shape that the slopes belong to; else None."""
    if w.size == 1:
        return 1, 1, prod(shape)
    lead = len(shape) - w.ndim
    long = [axis for axis, n in enumerate(w.shape, lead) if n != 1]
    if lead < 0 or len(long) != 1 or shape[long[0]] != w.size:
        return None
    axis = long[0]
    return prod(shape[:axis]), w.size, prod(shape[axis + 1 :])


def _bent(k, g, x, w):
    """`g` where `x` is above 0, and `g w` elsewhere."""
    before, channels, behind = x.shape
    out = k.output(x.kind, (before, channels, behind))
    lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of

    def at(i, c, b):
        value = g[i, c, b]
        value = k.where(x[i, c, b] > 0, value, value * w[c])
        out[i, c, b] = value
        lost.add(value - value)

    for i in k.range(before):
        for _ in k.when(behind.equals(1)):
            for c in k.range(channels, vectors=True):
                at(i, c, 0)
        for _ in k.when(behind > 1):
            for c in k.range(channels):
                for b in k.range(behind, vectors=True):
                    at(i, c, b)
    k.refuse(lost.get().differs(0))


def _summed(k, g, x, w):
    """The sums of `g x` where `x` is not above 0, of each channel."""
    before, channels, behind = x.shape
    out = k.output(x.kind, (channels,))
    out.fill(0)
    lost = k.cell(0, x.kind)

    def part(i, c, b):
        return k.where(x[i, c, b] > 0, k.scalar(0.0, x.kind), g[i, c, b] * x[i, c, b])

    for i in k.range(before):
        for _ in k.when(behind.equals(1)):
            for c in k.range(channels, vectors=True):
                out[c] = out[c] + part(i, c, 0)
        for _ in k.when(behind > 1):
            for c in k.range(channels):
                for start in k.range(behind, step=_RUN):  # not one long sum, whose rounding would show
                    total = k.cell(0, x.kind)
                    for b in k.range(k.minimum(start + _RUN, behind), start, vectors=True):
                        total.add(part(i, c, b))
                    out[c] = out[c] + total.get()
    for c in k.range(channels):
        lost.add(out[c] - out[c])
    k.refuse(lost.get().differs(0))


_RUN = 1 << 10


def _given(g, x, w):
    if not (type(g) is type(x) is type(w) is ndarray) or x.size < LEAST or x.dtype not in PLAIN or (
            g.shape != x.shape or not g.dtype == x.dtype == w.dtype):
        return None
    lengths = _channels(w, x.shape)
    return None if lengths is None else (g.reshape(lengths), x.reshape(lengths), w.reshape(-1))


_BENT = Loops(_bent, _given, lambda out, g, x, w: shaped(out, x.shape)).runner("prelu")
_SUMMED = Loops(_summed, _given, lambda out, g, x, w: shaped(out, w.shape)).runner("prelu slopes")


def _prelu(xp, x, w):
    out = _BENT(x, x, w) if xp is np else None
    return xp.where(x > 0, x, x * w) if out is None else out


def _by_x(ct, x, w):
    out = _BENT(ct, x, w) if type(ct) is ndarray else None
    return where(x > 0, ct, ct * w) if out is None else out


def _by_w(ct, x, w):
    out = _SUMMED(ct, x, w) if type(ct) is ndarray else None
    return where(x > 0, 0.0, ct * x) if out is None else out


def _prelu_samples(rng):
    out = []
    for x, w in (((3, 4), ()), ((2, 3, 4), (3, 1)), ((5,), (1,)), ((2, 3), (3,)), ((0, 2), (2,)), ((), ()),
                 ((3,), (2, 1))):
        x, w = rng.normal(size=x), rng.normal(size=w)
        out += [Sample(x, w), Sample(x.astype(np.float32), w.astype(np.float32))]
    return out


# The slope at 0 is that below it, as PyTorch's.
prelu = elementwise(
    "prelu",  # x where it is above 0, w x elsewhere
    impl=_prelu,
    lower=lambda x, w: where(x > 0, x, x * w),
    jvp={"x": _by_x, "w": lambda dw, x: where(x > 0, 0.0, dw * x)},
    vjp={"x": _by_x, "w": _by_w},
    absent={"complex": "the order it needs is that of real numbers"},
    samples=_prelu_samples,
)
