"""PReLU: a learnable slope below 0, shared or one a channel; native loops where arrays are large."""

from math import prod

import numpy as np

from ...arrays.sums import PLAIN, shaped
from ...primitive.families import elementwise
from ...primitive.kernels import LEAST
from ...primitive.loop_kernels import Loops
from ..samples import Sample
from ..selection import where

ndarray = np.ndarray


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


def _samples(rng):
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
    samples=_samples,
)
