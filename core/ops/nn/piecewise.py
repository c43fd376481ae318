"""Activations made of pieces, as primitives: one pass or two by elements, and their slopes as masks."""

import numpy as np

from ...primitive.families import elementwise
from ..arithmetic import exp
from ..samples import Sample
from ..selection import where

_REAL = {"complex": "the order it needs is that of real numbers"}


def _samples(points, *params):
    def draw(rng):
        out = [Sample(rng.normal(size=s) * 2.0, params=p) for s in ((), (3,), (2, 3), (0,)) for p in params]
        out += [Sample(np.array(points), params=p, smooth=False, orders=1) for p in params]
        return [*out, Sample(rng.normal(size=3).astype(np.float32), params=params[0])]

    return draw


def _inside(x, low, high):
    return (x > low) & (x < high)


def _between(xp, x, low, high):
    if type(x) is np.ndarray and x.size >= _LARGE and low <= high:
        return np.clip(x, low, high)  # one pass for two; 3 us more on small arrays
    return xp.minimum(xp.maximum(x, low), high)


_LARGE = 1 << 12  # elements

# The slope at both ends is 0, as PyTorch's.
hard_tanh = elementwise(
    "hard_tanh",  # x between two limits
    impl=lambda xp, x, *, low, high: _between(xp, x, low, high),
    d={"x": lambda x, low, high: _inside(x, low, high)},
    absent=_REAL,
    samples=_samples([-1.0, 1.0], {"low": -1.0, "high": 1.0}, {"low": 0.0, "high": 6.0}),
)


def _leaky(xp, x, slope):
    return xp.maximum(x, x * slope) if 0.0 < slope <= 1.0 else xp.where(x > 0, x, x * slope)


# The slope at 0 is that of the negative side, as PyTorch's.
leaky_relu = elementwise(
    "leaky_relu",
    impl=lambda xp, x, *, slope: _leaky(xp, x, slope),
    d={"x": lambda x, slope: where(x > 0, x.dtype.type(1.0), x.dtype.type(slope))},
    absent=_REAL,
    samples=_samples([0.0], {"slope": 0.01}, {"slope": 2.0}, {"slope": -0.5}),
)

# The slopes at -3 and 3 are those of the parabola, as PyTorch's.
hard_swish = elementwise(
    "hard_swish",  # x min(max(x + 3, 0), 6) / 6
    impl=lambda xp, x: x * (_between(xp, x + 3.0, 0.0, 6.0) / 6.0),
    d={"x": lambda x: where(x < -3.0, x.dtype.type(0.0), where(x <= 3.0, x / 3.0 + 0.5, x.dtype.type(1.0)))},
    absent=_REAL,
    samples=_samples([-3.0, 3.0], {}),
)

# The slope at both ends is 0, as PyTorch's.
soft_shrink = elementwise(
    "soft_shrink",  # x brought nearer to 0 by a distance
    impl=lambda xp, x, *, distance: x - _between(xp, x, -distance, distance),
    d={"x": lambda x, distance: (x > distance) | (x < -distance)},
    absent=_REAL,
    samples=_samples([-0.5, 0.5], {"distance": 0.5}),
)


# The slope at 0 is that of the negative side.
elu = elementwise(
    "elu",  # x where it is positive, alpha (exp(x) - 1) elsewhere
    impl=lambda xp, x, *, alpha: xp.maximum(x, 0.0) + alpha * xp.expm1(xp.minimum(x, 0.0)),
    d={"x": lambda x, alpha: where(x > 0, x.dtype.type(1.0), alpha * exp(where(x > 0, 0.0, x)))},
    absent=_REAL,
    samples=_samples([0.0], {"alpha": 1.0}, {"alpha": 1.7}, {"alpha": -0.5}),
)
