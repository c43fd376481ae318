"""Source points and weights of each point of a resampled axis."""

import functools

import numpy as np


def _sources(m, scale, align):
    """The position of each of m points on the old axis."""
    i = np.arange(m)
    return i * scale if align else (i + 0.5) * scale - 0.5


def step(n, m, factor, align):
    if align:
        return (n - 1) / (m - 1) if m > 1 else 0.0
    return 1.0 / factor if factor else n / m


def linear(n, m, factor, align):
    """Linear interpolation from n points to m: places and weights of the two neighbors."""
    x = np.maximum(_sources(m, step(n, m, factor, align), align), 0.0)
    low = np.minimum(np.floor(x).astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    return (low, 1 - (x - low)), (high, x - low)


def cubic_weights(t):
    """Keys (1981), Cubic convolution interpolation: the weights of four neighbors at the fraction t."""
    a = -0.75  # as PyTorch has it; Keys has -0.5

    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    return far(t + 1), near(t), near(1 - t), far(2 - t)


def cubic(n, m, factor, align):
    """Cubic interpolation from n points to m: places and weights of the four neighbors."""
    x = _sources(m, step(n, m, factor, align), align)
    low = np.floor(x).astype(np.int64)
    return [(np.clip(low + k, 0, n - 1), weight) for k, weight in enumerate(cubic_weights(x - low), -1)]


def _smoothed(taps, kernel, n, m, factor, align):
    """Interpolation from n points to m by a kernel as wide as the step: places and weights of all that it covers.

    Args:
        taps: how many points the kernel covers where nothing is lost.
        kernel: its value at distances.
    """
    scale = step(n, m, factor, align)
    wide = max(scale, 1.0)
    centre, reach = (np.arange(m) + 0.5) * scale, taps / 2 * wide
    low = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    count = np.minimum((centre + reach + 0.5).astype(np.int64), n) - low
    k = np.arange(count.max())[:, None]
    weights = np.where(k < count, kernel(np.abs(k + low - centre + 0.5) / wide), 0.0)
    return zip(np.minimum(low + k, n - 1), weights / weights.sum(0))


def _tent(d):
    return np.maximum(1 - d, 0.0)


def _keys(d):
    """Keys's cubic kernel, with his constant."""
    return np.where(d < 1, (1.5 * d - 2.5) * d * d + 1, np.where(d < 2, ((-0.5 * d + 2.5) * d - 4) * d + 2, 0.0))


def _lanczos(d):
    return np.where(d < 3, np.sinc(d) * np.sinc(d / 3), 0.0)


BROAD = {"bilinear": functools.partial(_smoothed, 2, _tent), "bicubic": functools.partial(_smoothed, 4, _keys),
          "lanczos": functools.partial(_smoothed, 6, _lanczos)}
