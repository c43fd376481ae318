"""Interpolation on a regular grid of any number of axes."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.checks import refuse_arguments
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.ops.indexing.indexing import index
from ...core.ops.selection import where
from ...core.trace.tracer import unwrap
from ...numpy import clip, flip, moveaxis, searchsorted, stack
from ...numpy.surface import Array, floating
from .bsplines import BSpline, basis, make_interp_spline
from .places import beside, double, piece

_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}
_METHODS = ("linear", "nearest", *_DEGREES)


class RegularGridInterpolator:
    """Interpolate values on a grid, as SciPy's `RegularGridInterpolator`.

    Differentiable with respect to places, values and the points of the grid; at these, the derivative of "linear" by
    the place is that of the cell before. Splines are tensor products, solved axis by axis, where SciPy iterates.

    Args:
        points: for each axis its points, increasing or decreasing.
        values: `(n_1, …, n_d, …)`.
        method: "linear", "nearest", "slinear", "cubic" or "quintic"; "pchip" is not supported.
        bounds_error: whether places beyond the grid raise. In graphs, where they are not known, they give NaN instead.
        fill_value: what stands beyond the grid otherwise; None extrapolates.
        solver, solver_args: not supported.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import RegularGridInterpolator
    >>> f = RegularGridInterpolator((np.arange(2.0), np.arange(3.0)), np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]))
    >>> f(np.array([0.5, 1.5]))
    array([3.])
    >>> covector.grad(lambda p: f(p)[0])(np.array([0.5, 1.5]))
    array([3., 1.])
    """

    def __init__(self, points: Sequence[Array], values: Array, method: str = "linear", bounds_error: bool = True,
                 fill_value: Any = math.nan, *, solver: Any = None, solver_args: Any = None) -> None:
        refuse_arguments("RegularGridInterpolator", solver=solver, solver_args=solver_args)
        self.method = _method(method)
        self.bounds_error = bounds_error
        self.fill_value = fill_value
        values = floating(values)
        grid = [double(p) for p in points]
        if values.ndim < len(grid):
            raise ShapeError(f"There are {len(grid)} point arrays, but values has {values.ndim} dimensions; give one "
                             f"axis of points for each of values{at_user_line()}")
        for k, p in enumerate(grid):
            if p.ndim != 1 or p.shape[0] != values.shape[k]:
                raise ShapeError(f"There are {p.shape} points and {values.shape[k]} values on dimension {k}; they are "
                                 f"vectors of the length of that axis{at_user_line()}")
            known = unwrap(p)
            steps = None if known is None else np.diff(known, axis=-1)
            if steps is not None and steps.size and (steps < 0).all():
                grid[k] = p = flip(p)
                values = flip(values, axis=k)
            elif steps is not None and (steps <= 0).any():
                raise ValueError(f"The points in dimension {k} must be strictly ascending or descending, but got "
                                 f"{known!r}; sort them, with the values{at_user_line()}")
        self.grid, self.values = tuple(grid), values

    def __call__(self, xi: Array, method: str | None = None, *, nu: Any = None) -> Array:
        """Return the values at places `(…, d)`, or at a tuple of d arrays that broadcast."""
        refuse_arguments("RegularGridInterpolator", "differentiate it", nu=nu)
        method = self.method if method is None else _method(method)
        rank = len(self.grid)
        at = stack(np.broadcast_arrays(*xi), axis=-1) if isinstance(xi, tuple) else xi
        at = double(at)
        if rank == 1 and (not at.ndim or at.shape[-1] != 1):
            at = at[..., None]
        if not at.ndim or at.shape[-1] != rank:
            raise ShapeError(f"The requested sample points xi have dimension {at.shape[-1] if at.ndim else 0} but this "
                             f"RegularGridInterpolator has dimension {rank}; put coordinates on the last axis"
                             f"{at_user_line()}")
        lead = at.shape[:-1] or (1,)
        at = at.reshape((-1, rank))
        beyond: Any = False
        for k, p in enumerate(self.grid):
            if self.bounds_error:
                _check(k, at[:, k], p)
            beyond = beyond | (at[:, k] < p[0]) | (at[:, k] > p[-1])
        out = self._at(at, method)
        if self.bounds_error or self.fill_value is not None:
            fill = math.nan if self.bounds_error else self.fill_value
            out = where(beside(beyond, out, 1), fill, out)
        out = where(beside((at != at).any(axis=-1), out, 1), math.nan, out)
        return out.reshape((*lead, *self.values.shape[rank:]))

    def _at(self, at: Array, method: str) -> Array:
        """Sums over neighbours, whose places and weights are those of each axis."""
        values, sides = self.values, []
        for k, p in enumerate(self.grid):
            x = at[:, k]
            if method in _DEGREES:
                spline = _along(p, values, k, _DEGREES[method])
                values = moveaxis(spline.c, 0, k)
                n = spline.t.shape[0] - spline.k - 1
                mu = piece(spline.t, x, spline.k, n - 1)
                weights = basis(spline.t, spline.k, x, mu)
                sides.append([(mu - spline.k + j, w) for j, w in enumerate(weights)])
                continue
            i = clip(searchsorted(p, x) - 1, 0, max(p.shape[0] - 2, 0))
            if p.shape[0] == 1:
                sides.append([(i, x * 0.0 + 1.0)])
                continue
            share = (x - index(p, i)) / (index(p, i + 1) - index(p, i))
            if method == "nearest":
                sides.append([(where(share <= 0.5, i, i + 1), None)])
            else:
                sides.append([(i, 1.0 - share), (i + 1, share)])
        total: Any = 0.0
        for corner in itertools.product(*sides):
            term = index(values, tuple(i for i, _ in corner))
            for _, weight in corner:
                term = term if weight is None else term * beside(weight, term, 1)
            total = total + term
        return total


def _along(p: Array, values: Array, axis: int, degree: int) -> BSpline:
    if p.shape[0] <= degree:
        raise ValueError(f"There are {p.shape[0]} points in dimension {axis}, but a method of degree {degree} requires "
                         f"at least {degree + 1} points per dimension; use 'linear'{at_user_line()}")
    return make_interp_spline(p, moveaxis(values, axis, 0), degree)


def _method(method: str) -> str:
    if method == "pchip":
        raise RuleError(f"RegularGridInterpolator does not support method='pchip'; use 'cubic', or nest "
                        f"PchipInterpolator axis by axis{at_user_line()}")
    if method not in _METHODS:
        raise ValueError(f"Method {method!r} is not defined; choose one of {', '.join(_METHODS)}{at_user_line()}")
    return method


def _check(k: int, x: Array, p: Array) -> None:
    known = [unwrap(v) for v in (x, p)]
    if any(v is None for v in known) or known[1].ndim != 1:
        return
    if not bool(((known[0] >= known[1][0]) | np.isnan(known[0])).all() and (
            (known[0] <= known[1][-1]) | np.isnan(known[0])).all()):
        raise ValueError(f"One of the requested xi is out of bounds in dimension {k}; give bounds_error=False"
                         f"{at_user_line()}")
