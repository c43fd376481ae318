"""The line search of LBFGS: a point on a line that satisfies the strong Wolfe conditions, by cubic interpolation."""

import math
from typing import NamedTuple

import numpy as np

from ..types.tensor_type import TensorBase


class Point(NamedTuple):
    """A point on a line: where it is, the loss, its gradient, and its slope along the line."""

    t: float
    f: float
    g: np.ndarray
    slope: float


def between(p, q, low=None, high=None):
    """The minimum of the cubic through two points with their slopes, within bounds (else between them)."""
    if low is None:
        low, high = min(p.t, q.t), max(p.t, q.t)
    a, b = (p, q) if p.t <= q.t else (q, p)
    d1 = p.slope + q.slope - 3 * (p.f - q.f) / (p.t - q.t)
    square = d1 * d1 - p.slope * q.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    bottom = b.slope - a.slope + 2 * d2
    if bottom == 0:
        return high if b.slope + d2 - d1 < 0 else low
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / bottom), low), high)


def strong_wolfe(along, start, t, size, c1=1e-4, c2=0.9, tolerance=1e-9, most=25):
    """A point that satisfies the strong Wolfe conditions, and how many points were tried.

    Nocedal and Wright (2006), algorithms 3.5 and 3.6, with cubic interpolation.

    Args:
        along: the `Point` at a distance.
        start: the point at distance 0.
        t: the first distance to try.
        size: the largest entry of the direction.
    """
    def rises(point):
        return point.f > start.f + c1 * point.t * start.slope

    def flat(point):
        return abs(point.slope) <= -c2 * start.slope

    before, point, tries = start, along(t), 1
    for n in range(most):
        if rises(point) or n > 1 and point.f >= before.f:
            break
        if flat(point):
            return point, tries
        if point.slope >= 0:
            break
        t = between(before, point, point.t + 0.01 * (point.t - before.t), point.t * 10)
        before, point, tries = point, along(t), tries + 1
    else:
        before, n = start, most
    low, high = (before, point) if before.f <= point.f else (point, before)
    stuck = False
    while n < most and abs(high.t - low.t) * size >= tolerance:
        left, right = min(low.t, high.t), max(low.t, high.t)
        t = between(low, high)
        margin = 0.1 * (right - left)
        close = min(right - t, t - left) < margin
        if close and (stuck or t >= right or t <= left):
            t, stuck = right - margin if abs(t - right) < abs(t - left) else left + margin, False
        else:
            stuck = close
        point, tries, n = along(t), tries + 1, n + 1
        if rises(point) or point.f >= low.f:
            low, high = (low, point) if low.f <= point.f else (point, low)
            continue
        if flat(point):
            return point, tries
        if point.slope * (high.t - low.t) >= 0:
            high = low
        low = point
    return low, tries


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """`strong_wolfe` as programs call it: the loss, its gradient and the distance found, and how many were tried.

    Args:
        obj_func: `(loss, gradient)` of `x + t * d`, from x, t, d.
        f, g, gtd: the loss at x, its gradient, and the slope along d.
    """
    def along(t):
        loss, gradient = obj_func(x, t, d)
        return Point(t, float(loss), (loss, gradient.clone()), float(gradient.dot(d)))

    start = Point(0, float(f), (f, g.clone()), float(gtd))
    best, tries = strong_wolfe(along, start, plain(t), float(d.abs().max()), c1, c2, tolerance_change, max_ls)
    return *best.g, best.t, tries


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """The minimum of a cubic through two points with their values and slopes, within bounds (else between them)."""
    p, q = [Point(plain(x), plain(f), None, plain(g)) for x, f, g in ((x1, f1, g1), (x2, f2, g2))]
    return between(p, q, *(() if bounds is None else map(plain, bounds)))


def plain(x):
    """A number, also one in a tensor, as Python's."""
    return float(x) if isinstance(x, TensorBase) else x
