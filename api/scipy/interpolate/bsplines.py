"""Splines in B-splines: evaluation, and interpolation of any degree."""

import math
from typing import Any

import numpy as np

from ...core.checks import whole
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.ops.indexing.indexing import index, update
from ...core.ops.scipy.banded import solve_banded
from ...core.ops.selection import where
from ...core.ops.shaping import broadcast_to, concatenate, stack
from ...core.trace.device import constant
from ...core.trace.tracer import unwrap
from ...numpy import arange, cumsum, reshape
from ...numpy.surface import Array
from .places import beside, double, knots_and_values, outside, piece, put_back


def basis(t: Array, k: int, at: Array, mu: Array, nu: int = 0) -> list[Array]:
    """The k + 1 B-splines that are not 0 in piece `mu`, or their derivatives, at places there.

    Cox and de Boor; de Boor (1978), A Practical Guide to Splines, X (8) and (15).
    """
    values = [at * 0.0 + 1.0]
    for d in range(1, k + 1 - nu):
        out, saved = [], at * 0.0
        for r in range(d):
            low, high = index(t, mu - d + 1 + r), index(t, mu + r + 1)
            part = _over(values[r], high - low)
            out.append(saved + (high - at) * part)
            saved = (at - low) * part
        values = [*out, saved]
    for d in range(k + 1 - nu, k + 1):
        out, saved = [], at * 0.0
        for r in range(d):
            part = _over(float(d) * values[r], index(t, mu + r + 1) - index(t, mu - d + 1 + r))
            out.append(saved - part)
            saved = part
        values = [*out, saved]
    return values


def _over(x: Array, gap: Array) -> Array:
    """x / gap, and 0 where knots are repeated, as in SciPy: the B-spline on no interval is 0."""
    none = gap == 0
    return where(none, 0.0, x / where(none, 1.0, gap))


class BSpline:
    """A spline: the sum of `c[j]` times the B-spline of degree `k` on the knots `t[j] … t[j + k + 1]`.

    Differentiable with respect to places, coefficients and knots; at a knot the derivative is that of the piece on its
    right.

    Args:
        t: knots, not decreasing.
        c: coefficients, at least `len(t) - k - 1` along `axis`.
        k: the degree.
        extrapolate: whether places beyond the ends are taken in the pieces there; NaN otherwise; "periodic" goes round.
        axis: the axis of coefficients, and of places in the answer.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import BSpline
    >>> hat = BSpline(np.array([0.0, 0.0, 1.0, 2.0, 2.0]), np.array([0.0, 1.0, 0.0]), 1)
    >>> hat(np.array([0.5, 1.0, 1.75]))
    array([0.5 , 1.  , 0.25])
    >>> covector.grad(hat)(1.75)
    array(-1.)
    """

    def __init__(self, t: Array, c: Array, k: int, extrapolate: Any = True, axis: int = 0) -> None:
        self.t, self.c = double(t), double(c)
        self.k = whole(k, "k", 0)
        self.axis = axis % max(self.c.ndim, 1)
        self.extrapolate = extrapolate
        if axis:
            self.c = _first(self.c, self.axis)
        n = self.t.shape[0] - self.k - 1
        if self.t.ndim != 1 or n < self.k + 1:
            raise ShapeError(f"Need at least {2 * self.k + 2} knots for degree {self.k}, but got "
                             f"{tuple(self.t.shape)}; repeat those at the ends{at_user_line()}")
        if self.c.shape[0] < n:
            raise ShapeError(f"Knots, coefficients and degree are inconsistent: {n} coefficients are needed, but got "
                             f"{self.c.shape[0]}; give that many along the axis{at_user_line()}")

    def __call__(self, x: Array, nu: int = 0, extrapolate: Any = None) -> Array:
        """Return the values, or derivatives of order `nu`, at places of any shape."""
        nu = whole(nu, "nu", 0)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        at = double(x)
        n = self.t.shape[0] - self.k - 1
        low, high = self.t[self.k], self.t[n]
        inside = low + (at - low) % (high - low) if extrapolate == "periodic" else at
        mu = piece(self.t, inside, self.k, n - 1)
        if nu > self.k:
            total = index(self.c, mu) * 0.0
        else:
            weights = basis(self.t, self.k, inside, mu, nu)
            total = 0.0
            for j, weight in enumerate(weights):
                taken = index(self.c, mu - self.k + j)
                total = total + beside(weight, taken, at.ndim) * taken
        if not extrapolate:
            total = where(beside(outside(at, low, high), total, at.ndim), math.nan, total)
        return put_back(total, at.ndim, self.axis)

    def _like(self, t: Array, c: Array, k: int) -> "BSpline":
        out = BSpline(t, c, k, self.extrapolate)
        out.axis = self.axis
        return out

    def derivative(self, nu: int = 1) -> "BSpline":
        """Return the derivative of order `nu` as a spline; de Boor (1978), X (15)."""
        out = self
        for _ in range(whole(nu, "nu", 0)):
            k, t, n = out.k, out.t, out.t.shape[0] - out.k - 1
            if not k:
                raise ValueError(f"a spline of degree {self.k} has no derivative of order {nu}; evaluate it with nu="
                                 f"{nu}, which gives 0{at_user_line()}")
            gap = t[k + 1 : n + k] - t[1:n]
            none = gap == 0
            factor = where(none, 0.0, float(k) / where(none, 1.0, gap))
            c = (out.c[1:n] - out.c[: n - 1]) * beside(factor, out.c, 1)
            out = out._like(t[1:-1], c, k - 1)
        return out

    def antiderivative(self, nu: int = 1) -> "BSpline":
        """Return the antiderivative of order `nu` as a spline, 0 at the first knot; de Boor (1978), X (16)."""
        out = self
        for _ in range(whole(nu, "nu", 0)):
            k, t, n = out.k, out.t, out.t.shape[0] - out.k - 1
            gap = (t[k + 1 : n + k + 1] - t[:n]) * (1.0 / (k + 1))
            c = cumsum(out.c[:n] * beside(gap, out.c, 1), axis=0)
            c = concatenate(c[:1] * 0.0, c, axis=0)
            out = out._like(concatenate(t[:1], t, t[-1:], axis=0), c, k + 1)
        return out

    def integrate(self, a: Array, b: Array, extrapolate: Any = None) -> Array:
        """Return the integral from `a` to `b`; beyond the ends the spline is 0 where it is not extrapolated."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            raise RuleError(f"integrate does not go round a period; integrate pieces of it{at_user_line()}")
        a, b = double(a), double(b)
        if not extrapolate:
            low, high = self.t[self.k], self.t[self.t.shape[0] - self.k - 1]
            a, b = (where(v < low, low, where(v > high, high, v)) for v in (a, b))
        total = self.antiderivative()
        return total(b, 0, True) - total(a, 0, True)


def _first(c: Array, axis: int) -> Array:
    return c.transpose((axis, *[i for i in range(c.ndim) if i != axis]))


def make_interp_spline(
    x: Array, y: Array, k: int = 3, t: Array | None = None, bc_type: Any = None, axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """Compute the spline of degree `k` through values.

    Args:
        x: `n` places, increasing.
        y: values, `n` along `axis`.
        k: the degree.
        t: knots; by default chosen from `x`, as in SciPy, and then their derivative is that of `x`.
        bc_type: None or "not-a-knot"; "natural" or "clamped"; or a pair, for both ends, of these, None, or a list of
            `(order, value)` of derivatives. "periodic" is not supported: see `CubicSpline`.
        axis: the axis of the places.
        check_finite: accepted for compatibility with SciPy.
    Returns:
        a `BSpline`, differentiable with respect to `x`, `y`, `t` and the values of derivatives.
    Raises:
        ShapeError: the shapes do not fit.
        ValueError: places do not increase, or the conditions at the ends do not fit.
        LinAlgError: knots and places do not determine a spline.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import make_interp_spline
    >>> x = np.arange(6.0)
    >>> round(float(make_interp_spline(x, x**2, k=2)(2.5)), 12)
    6.25
    """
    name = "make_interp_spline"
    if isinstance(bc_type, str) and bc_type == "periodic":
        raise RuleError(f"{name} does not support bc_type='periodic'; use CubicSpline(x, y, bc_type='periodic') for "
                        f"degree 3{at_user_line()}")
    k = whole(k, "k", 0)
    x, y, axis = knots_and_values(name, x, y, axis, least=1)
    left, right = _conditions(bc_type)
    if k < 2 and t is None:
        if left is not None or right is not None:
            raise ValueError(f"Too much info for k={k}: t and bc_type can only be None, but got bc_type={bc_type!r}; "
                             f"omit it{at_user_line()}")
        knots = concatenate(*([] if not k else [x[:1]]), x, x[-1:], axis=0)
        return _made(knots, y, k, axis)
    if t is None:
        t = _not_a_knot(x, k) if left is None and right is None else concatenate(
            *[x[:1]] * k, x, *[x[-1:]] * k, axis=0)
    t = double(t)
    left, right = (_orders(end, y, k) for end in (left, right))
    n, nt = x.shape[0], t.shape[0] - k - 1
    if t.ndim != 1 or nt - n != len(left) + len(right):
        raise ValueError(f"The number of derivatives at boundaries does not match: expected {nt - n}, got "
                         f"{len(left)}+{len(right)}; give one for each knot too many{at_user_line()}")
    known = [unwrap(v) for v in (x, t)]
    if all(v is not None and v.ndim == 1 for v in known):
        if (np.diff(known[1]) < 0).any():
            raise ValueError(f"Expect t to be a 1-D sorted array_like, but got {known[1]!r}; sort it{at_user_line()}")
        if known[0][0] < known[1][k] or known[0][-1] > known[1][nt]:
            raise ValueError(f"Out of bounds w/ x = {known[0]!r}; the knots t[k] … t[-k - 1] enclose it"
                             f"{at_user_line()}")
    ab = _collocation(x, t, k, [o for o, _ in left], [o for o, _ in right])
    rows = [v[None] for _, v in left] + [y] + [v[None] for _, v in right]
    b = concatenate(*rows, axis=0)
    c = solve_banded(ab, reshape(b, (nt, -1)), k, k)
    return _made(t, reshape(c, (nt, *y.shape[1:])), k, axis)


def _made(t: Array, c: Array, k: int, axis: int) -> BSpline:
    out = BSpline(t, c, k)
    out.axis = axis
    return out


def _not_a_knot(x: Array, k: int) -> Array:
    """Knots at places, or middles for even degrees, but for those next to the ends; de Boor (1978), XIII (12)."""
    middle = x if k % 2 else 0.5 * (x[1:] + x[:-1])
    skip = (k + 1) // 2
    if x.shape[0] <= k:
        raise ValueError(f"a spline of degree {k} needs at least {k + 1} places, but got {x.shape[0]}; lower k"
                         f"{at_user_line()}")
    return concatenate(*[x[:1]] * (k + 1), middle[skip : middle.shape[0] - skip], *[x[-1:]] * (k + 1), axis=0)


def _conditions(bc_type: Any) -> tuple[Any, Any]:
    if bc_type is None or isinstance(bc_type, str) and bc_type == "not-a-knot":
        return None, None
    if isinstance(bc_type, str):
        return bc_type, bc_type
    left, right = bc_type
    return left, right


def _orders(end: Any, y: Array, k: int) -> list[tuple[int, Array]]:
    """Pairs of the order and the values of a derivative."""
    if end is None:
        return []
    if isinstance(end, str):
        if end not in ("natural", "clamped"):
            raise ValueError(f"Unknown boundary condition : {end}; choose natural or clamped{at_user_line()}")
        end = [(2 if end == "natural" else 1, 0.0)]
    if not all(isinstance(pair, tuple | list) and 0 <= pair[0] <= k for pair in end):
        raise ValueError(f"Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, "
                         f"value), with orders up to {k}, but got {end!r}; see the example in SciPy{at_user_line()}")
    return [(order, broadcast_to(double(value), tuple(y.shape[1:])) + 0.0 * y[0]) for order, value in end]


def _collocation(x: Array, t: Array, k: int, left: list[int], right: list[int]) -> Array:
    """The diagonals of the matrix of all B-splines at the places, with rows of derivatives at the ends."""
    nt = t.shape[0] - k - 1
    ab = constant(np.zeros((2 * k + 1, nt)), x)
    blocks = [(x[:1], order, row) for row, order in enumerate(left)] + [(x, 0, len(left))] + [
        (x[-1:], order, nt - len(right) + row) for row, order in enumerate(right)]
    for at, order, row in blocks:
        mu = piece(t, at, k, nt - 1)
        values = stack(*basis(t, k, at, mu, order), axis=1)
        columns = mu[:, None] - k + arange(k + 1)
        rows = row + arange(at.shape[0])[:, None]
        ab = update(ab, (k + rows - columns, columns), values)
    return ab
