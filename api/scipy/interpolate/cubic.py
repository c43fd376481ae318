"""Cubic splines, monotone cubic interpolation, and Akima's."""

from typing import Any

import numpy as np

from ...core.checks import one_of
from ...core.errors import ShapeError, at_user_line
from ...core.ops.scipy.banded import solve_banded
from ...core.ops.selection import where
from ...core.ops.shaping import broadcast_to, concatenate, pad, stack
from ...core.trace.tracer import is_concrete, unwrap
from ...numpy import linalg, reshape, sign
from ...numpy.surface import Array, ordered
from .piecewise import PPoly
from .places import beside, double, knots_and_values


def _hermite(x: Array, y: Array, slopes: Array) -> Array:
    """Coefficients of the cubics through values and slopes at the knots."""
    h = beside(x[1:] - x[:-1], y, 1)
    secant = (y[1:] - y[:-1]) / h
    t = (slopes[:-1] + slopes[1:] - 2.0 * secant) / h
    return stack(t / h, (secant - slopes[:-1]) / h - t, slopes[:-1], y[:-1], axis=0)


class CubicSpline(PPoly):
    """A cubic spline through values, twice continuously differentiable, as SciPy's.

    Differentiable with respect to places, values, knots, and derivatives given at the ends. Single precision is
    computed in double, as SciPy does.

    Args:
        x: `n` knots, increasing.
        y: values, `n` along `axis`.
        axis: the axis of the knots.
        bc_type: "not-a-knot", "natural", "clamped", "periodic", or a pair, for both ends, of these (but "periodic") or
            `(order, value)` of a first or second derivative.
        extrapolate: as in `PPoly`; "periodic" by default for periodic ends.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import CubicSpline
    >>> x = np.arange(5.0)
    >>> round(float(CubicSpline(x, x**3)(2.5)), 12)
    15.625
    >>> covector.grad(lambda y: CubicSpline(x, y)(2.5))(x**3).round(4)
    array([ 0.0156, -0.125 ,  0.6562,  0.5   , -0.0469])
    """

    def __init__(self, x: Array, y: Array, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> None:
        x, y, axis = knots_and_values("CubicSpline", x, y, axis)
        periodic = isinstance(bc_type, str) and bc_type == "periodic"
        if extrapolate is None:
            extrapolate = "periodic" if periodic else True
        ends = _ends(bc_type, y)
        slopes = _periodic_slopes(x, y) if periodic else _slopes(x, y, *ends)
        super().__init__(_hermite(x, y, slopes), x, extrapolate, axis)


def _ends(bc_type: Any, y: Array) -> tuple[Any, Any]:
    """The boundary condition at each end: "not-a-knot", or the order and value of a derivative."""
    both = (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type)
    if len(both) != 2:
        raise ValueError(f"`bc_type` must contain 2 elements to specify start and end conditions, but got {bc_type!r}; "
                         f"give a pair{at_user_line()}")
    if any(isinstance(end, str) and end == "periodic" for end in both):
        if not isinstance(bc_type, str):
            raise ValueError(f"'periodic' `bc_type` is defined for both curve ends and cannot be used with other "
                             f"boundary conditions, but got {bc_type!r}; give bc_type='periodic'{at_user_line()}")
        known = unwrap(y) if is_concrete(y) else None
        if known is not None and not np.allclose(known[0], known[-1], rtol=1e-15, atol=1e-15):
            raise ValueError(f"The first and last `y` point along axis 0 must be identical (within machine precision) "
                             f"when bc_type='periodic', but got {known[0]!r} and {known[-1]!r}; repeat the first"
                             f"{at_user_line()}")
    out = []
    for end in both:
        if isinstance(end, str):
            named = {"natural": (2, 0.0), "clamped": (1, 0.0), "not-a-knot": end, "periodic": end}
            if end not in named:
                raise ValueError(f"bc_type={end!r} is not allowed; choose one of {', '.join(named)}{at_user_line()}")
            end = named[end]
        elif end[0] not in (1, 2):
            raise ValueError(f"the specified derivative order must be 1 or 2, but got {end[0]!r}; choose one"
                             f"{at_user_line()}")
        if end == "not-a-knot" or end == "periodic":
            out.append(end)
            continue
        value = double(end[1])
        if value.ndim and tuple(value.shape) != tuple(y.shape[1:]):
            raise ShapeError(f"`deriv_value` shape {tuple(value.shape)} is not the expected one {tuple(y.shape[1:])}; "
                             f"give one for each value of y along its other axes{at_user_line()}")
        out.append((end[0], broadcast_to(value, tuple(y.shape[1:]))))
    return out[0], out[1]


def _slopes(x: Array, y: Array, first: Any, last: Any) -> Array:
    """The slopes at the knots: the tridiagonal system of SciPy, de Boor (1978), A Practical Guide to Splines, IV."""
    n = x.shape[0]
    h = x[1:] - x[:-1]
    dx = beside(h, y, 1)
    secant = (y[1:] - y[:-1]) / dx
    if n == 2:
        first, last = ((1, secant[0]) if end == "not-a-knot" else end for end in (first, last))
    if n == 3 and first == "not-a-knot" and last == "not-a-knot":
        one = h[0] * 0.0 + 1.0
        matrix = stack(stack(one, one, 0.0 * one, axis=0), stack(h[1], 2.0 * (h[0] + h[1]), h[0], axis=0),
                       stack(0.0 * one, one, one, axis=0), axis=0)
        right = stack(2.0 * secant[0], 3.0 * (dx[0] * secant[1] + dx[1] * secant[0]), 2.0 * secant[1], axis=0)
        return reshape(linalg.solve(matrix, reshape(right, (3, -1))), right.shape)
    middle, above, below, right = [], [], [], []
    if n > 2:
        middle, above, below = [2.0 * (h[:-1] + h[1:])], [h[:-1]], [h[1:]]
        right = [3.0 * (dx[1:] * secant[:-1] + dx[:-1] * secant[1:])]
    for k, end in ((0, first), (-1, last)):
        m, a, r = _end(x, y, h, dx, secant, k, end)
        (middle, above, below, right) = (
            ([m, *middle], [a, *above], below, [r, *right]) if not k else (
                [*middle, m], above, [*below, a], [*right, r]))
    none = h[:1] * 0.0
    rows = [none, *above], middle, [*below, none]
    ab = stack(*[concatenate(*row, axis=0) for row in rows], axis=0)
    b = concatenate(*right, axis=0)
    return reshape(solve_banded(ab, reshape(b, (n, -1)), 1, 1), b.shape)


def _end(x: Array, y: Array, h: Array, dx: Array, secant: Array, k: int, end: Any) -> tuple[Array, Array, Array]:
    """The first (k = 0) or last (k = -1) row: its diagonal element, the one beside it, and the right-hand side."""
    near, far = (0, 1) if not k else (-1, -2)
    if isinstance(end, str):
        d = abs(x[2] - x[0]) if not k else x[-1] - x[-3]
        value = ((dx[near] + 2.0 * d) * dx[far] * secant[near] + dx[near] * dx[near] * secant[far]) / d
        return h[far][None], d[None], value[None]
    order, value = end
    if order == 1:
        return (h[near] * 0.0 + 1.0)[None], (h[near] * 0.0)[None], (value + 0.0 * y[0])[None]
    rise = y[1] - y[0] if not k else y[-1] - y[-2]
    bend = (-0.5 if not k else 0.5) * value * dx[near] * dx[near]
    return (2.0 * h[near])[None], h[near][None], (bend + 3.0 * rise)[None]


def _periodic_slopes(x: Array, y: Array) -> Array:
    """The same for periodic ends: a cyclic system, reduced to tridiagonal ones as in SciPy."""
    n = x.shape[0]
    h = x[1:] - x[:-1]
    dx = beside(h, y, 1)
    secant = (y[1:] - y[:-1]) / dx
    if n == 2:
        return y * 0.0
    if n == 3:
        slope = (secant / dx).sum(axis=0) / (1.0 / dx).sum(axis=0)
        return broadcast_to(slope, y.shape)
    # Unknown slopes 0 … n - 2; row i: h[i] s[i - 1] + 2 (h[i - 1] + h[i]) s[i] + h[i - 1] s[i + 1], cyclic.
    before = concatenate(h[-1:], h[:-1], axis=0)
    right = 3.0 * (dx * concatenate(secant[-1:], secant[:-1], axis=0)
                   + concatenate(dx[-1:], dx[:-1], axis=0) * secant)
    none = h[:1] * 0.0
    middle = 2.0 * (before + h)
    m = n - 2  # the last unknown is taken out
    ab = stack(concatenate(none, before[: m - 1], axis=0), middle[:m], concatenate(h[1:m], none, axis=0), axis=0)
    column = pad(-h[:1], ((0, m - 1),)) + pad(-before[m - 1 : m], ((m - 1, 0),))
    flat = reshape(right, (n - 1, -1))
    s1 = solve_banded(ab, flat[:m], 1, 1)
    s2 = solve_banded(ab, column[:, None], 1, 1)
    top = flat[m] - before[m] * s1[0] - h[m] * s1[m - 1]
    last = top / (middle[m] + before[m] * s2[0] + h[m] * s2[m - 1])
    s = s1 + s2 * last
    return reshape(concatenate(s, last[None], s[:1], axis=0), y.shape)


class PchipInterpolator(PPoly):
    """Cubic interpolation that keeps monotone data monotone, as SciPy's.

    Differentiable with respect to places, values and knots. Where neighbouring slopes differ in sign or one is 0, the
    slope of the curve is 0, and so is its derivative, the one on the side where they differ.

    Args:
        x: `n` knots, increasing.
        y: values, `n` along `axis`, real.
        axis: the axis of the knots.
        extrapolate: as in `PPoly`.

    >>> import numpy as np
    >>> from covector.scipy.interpolate import PchipInterpolator
    >>> float(PchipInterpolator(np.arange(3.0), np.array([0.0, 1.0, 1.0]))(0.5))
    0.6875
    """

    def __init__(self, x: Array, y: Array, axis: int = 0, extrapolate: Any = None) -> None:
        x, y, axis = knots_and_values("PchipInterpolator", x, y, axis)
        ordered(y, "PchipInterpolator")
        super().__init__(_hermite(x, y, pchip_slopes(x, y)), x, extrapolate, axis)


def pchip_slopes(x: Array, y: Array) -> Array:
    """Fritsch and Butland (1984), SIAM J. Sci. Stat. Comput. 5(2): the weighted harmonic mean of the secants."""
    h = beside(x[1:] - x[:-1], y, 1)
    m = (y[1:] - y[:-1]) / h
    if y.shape[0] == 2:
        return concatenate(m, m, axis=0)
    left, right = m[:-1], m[1:]
    flat = (sign(left) != sign(right)) | (left == 0) | (right == 0)
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    safe_left, safe_right = where(flat, 1.0, left), where(flat, 1.0, right)
    inner = where(flat, 0.0, (w1 + w2) / (w1 / safe_left + w2 / safe_right))
    return concatenate(_edge(h[0], h[1], m[0], m[1])[None], inner, _edge(h[-1], h[-2], m[-1], m[-2])[None], axis=0)


def _edge(h0: Array, h1: Array, m0: Array, m1: Array) -> Array:
    """The slope at an end: of three points, cut so that the curve stays monotone; Moler (2004), section 3.4."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    turned = sign(d) != sign(m0)
    steep = (sign(m0) != sign(m1)) & (abs(d) > 3.0 * abs(m0))
    return where(turned, 0.0, where(steep, 3.0 * m0, d))


class Akima1DInterpolator(PPoly):
    """Cubic interpolation whose slope at a knot is a mean of the secants beside it, as SciPy's.

    The weights are the sizes of the changes of slope on the other side (Akima, 1970). Where these vanish, the slope is
    the mean of the outer two, and so is its derivative.

    Args:
        x: `n` knots, increasing.
        y: values, `n` along `axis`, real.
        axis: the axis of the knots.
        method: "akima", or "makima" for weights that shoot over less.
        extrapolate: as in `PPoly`; False by default, which gives NaN beyond the ends.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import Akima1DInterpolator
    >>> x, y = np.arange(5.0), np.array([0.0, 1.0, 1.5, 3.0, 2.0])
    >>> round(float(Akima1DInterpolator(x, y)(2.5)), 6)
    2.235119
    >>> covector.grad(lambda y: Akima1DInterpolator(x, y)(2.5))(y).round(4)
    array([-0.0347,  0.0291,  0.5428,  0.4661, -0.0033])
    """

    def __init__(
        self, x: Array, y: Array, axis: int = 0, *, method: str = "akima", extrapolate: Any = None
    ) -> None:
        method = one_of(method, "method of Akima1DInterpolator", ("akima", "makima"))
        x, y, axis = knots_and_values("Akima1DInterpolator", x, y, axis)
        ordered(y, "Akima1DInterpolator")
        slopes = _akima_slopes(x, y, method == "makima")
        super().__init__(_hermite(x, y, slopes), x, extrapolate is not None and extrapolate, axis)


def _akima_slopes(x: Array, y: Array, modified: bool) -> Array:
    """Akima (1970), J. ACM 17(4); the cut below which weights count as 0 is SciPy's."""
    m = (y[1:] - y[:-1]) / beside(x[1:] - x[:-1], y, 1)
    if y.shape[0] == 2:
        return concatenate(m, m, axis=0)
    for _ in range(2):
        m = concatenate(2.0 * m[:1] - m[1:2], m, 2.0 * m[-1:] - m[-2:-1], axis=0)
    turn = abs(m[1:] - m[:-1])
    if modified:
        turn = turn + 0.5 * abs(m[1:] + m[:-1])
    after, before = turn[2:], turn[:-2]
    both = after + before
    known = both > 1e-9 * both.max()
    mean = m[1:-2] + before / where(known, both, 1.0) * (m[2:-1] - m[1:-2])
    return where(known, mean, 0.5 * (m[3:] + m[:-3]))
