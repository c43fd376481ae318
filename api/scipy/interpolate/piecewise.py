"""Piecewise polynomials in powers of the distance to the knot before."""

import math
from typing import Any

import numpy as np

from ...core.checks import whole
from ...core.errors import RuleError, at_user_line
from ...core.ops.indexing.indexing import index
from ...core.ops.selection import where
from ...core.ops.shaping import concatenate, stack
from ...core.trace.device import constant
from ...numpy import cumsum
from ...numpy.surface import Array
from .places import beside, double, falling, outside, piece, put_back


class PPoly:
    """A piecewise polynomial: on `[x[i], x[i + 1])` the sum of `c[k - j, i] (t - x[i])^j`.

    Differentiable with respect to places, coefficients and knots; at a knot the derivative is that of the piece on its
    right, as SciPy has it.

    Args:
        c: coefficients `(k + 1, m, …)`, the highest power first.
        x: `m + 1` knots, increasing.
        extrapolate: whether places beyond the ends are taken in the pieces there; NaN otherwise; "periodic" goes round.
            True by default.
        axis: where in the answer the axes of places stand.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import PPoly
    >>> p = PPoly(np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([0.0, 1.0, 2.0]))
    >>> p(np.array([0.5, 1.5]))
    array([0.5, 2. ])
    >>> covector.grad(p)(1.5)
    array(2.)
    """

    def __init__(self, c: Array, x: Array, extrapolate: Any = None, axis: int = 0) -> None:
        self.c = double(c)
        self.x = double(x)
        self.axis = axis
        self.extrapolate = True if extrapolate is None else extrapolate

    def __call__(self, x: Array, nu: int = 0, extrapolate: Any = None) -> Array:
        """Return the values, or derivatives of order `nu`, at places of any shape."""
        nu = whole(nu, "nu", 0)
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        at = double(x)
        low, high = self.x[0], self.x[-1]
        inside = at
        if extrapolate == "periodic":
            inside = low + (at - low) % (high - low)
        i = piece(self.x, inside, 0, self.x.shape[0] - 2)
        powers = self.c.shape[0]
        taken = index(self.c, (slice(None), i))
        h = beside(inside - index(self.x, i), taken[0], at.ndim)
        total = taken[0] * 0.0 + 0.0 * h
        for j in range(powers - nu):
            total = total * h + taken[j] * falling(powers - 1 - j, nu)
        if not extrapolate:
            total = where(beside(outside(at, low, high), total, at.ndim), math.nan, total)
        return put_back(total, at.ndim, self.axis)

    def _like(self, c: Array) -> "PPoly":
        return PPoly(c, self.x, self.extrapolate, self.axis)

    def derivative(self, nu: int = 1) -> "PPoly":
        """Return the derivative of order `nu` as a piecewise polynomial."""
        nu = whole(nu, "nu", 0)
        powers = self.c.shape[0]
        if nu >= powers:
            return self._like(self.c[:1] * 0.0)
        rows = [self.c[j] * falling(powers - 1 - j, nu) for j in range(powers - nu)]
        return self._like(stack(*rows, axis=0))

    def antiderivative(self, nu: int = 1) -> "PPoly":
        """Return the antiderivative of order `nu`, continuous, 0 at the first knot."""
        out = self
        for _ in range(whole(nu, "nu", 0)):
            powers = out.c.shape[0]
            scale = constant(1.0 / np.arange(powers, 0, -1.0), out.c)
            c = out.c * beside(scale, out.c, 1)
            h = beside(out.x[1:] - out.x[:-1], c[0], 1)
            whole_piece = c[0] * 0.0
            for j in range(powers):
                whole_piece = (whole_piece + c[j]) * h
            start = concatenate(whole_piece[:1] * 0.0, cumsum(whole_piece[:-1], axis=0), axis=0)
            out = out._like(concatenate(c, start[None], axis=0))
        return out

    def integrate(self, a: Array, b: Array, extrapolate: Any = None) -> Array:
        """Return the integral from `a` to `b`; NaN beyond the ends where it is not extrapolated."""
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if extrapolate == "periodic":
            raise RuleError(f"integrate does not go round a period; integrate pieces of it{at_user_line()}")
        total = self.antiderivative()
        return total(b, 0, extrapolate) - total(a, 0, extrapolate)

    def solve(self, *args: Any, **named: Any) -> Any:
        """Refuse: the number of solutions depends on values."""
        raise RuleError(f"solve and roots are not differentiable here, for their number depends on values; find one "
                        f"with covector.custom_root, or call SciPy's on plain arrays{at_user_line()}")

    roots = solve
