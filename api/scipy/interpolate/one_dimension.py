"""Interpolation along one axis in SciPy's older interface."""

import math
from typing import Any

from ...core.checks import whole
from ...core.errors import at_user_line
from ...core.ops.indexing.indexing import index
from ...core.ops.selection import where
from ...numpy import argsort, clip, searchsorted, take
from ...numpy.surface import Array, array_of
from .bsplines import make_interp_spline
from .places import beside, double, increasing, knots_and_values, known_outside, put_back

_DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_KINDS = ("linear", "nearest", "nearest-up", "previous", "next", *_DEGREES)


class interp1d:  # noqa: N801 - SciPy's name
    """Interpolate values along one axis, as SciPy's `interp1d`.

    Differentiable with respect to places, values and, but for kinds that step, knots. At a knot of "linear" the
    derivative is that of the piece on its left, as in SciPy's formula; kinds that step have derivative 0 by the place.

    Args:
        x: `n` knots.
        y: values, `n` along `axis`.
        kind: "linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", or the
            degree of a spline.
        axis: the axis of the knots; the last by default.
        copy: accepted for compatibility with SciPy.
        bounds_error: whether places beyond the ends raise; by default, unless there is a `fill_value`. In graphs, where
            they are not known, they give NaN instead.
        fill_value: what stands beyond the ends: a value, a pair for below and above, or "extrapolate".
        assume_sorted: whether `x` is sorted already.

    >>> import numpy as np, covector
    >>> from covector.scipy.interpolate import interp1d
    >>> f = interp1d(np.array([0.0, 1.0, 2.0]), np.array([0.0, 10.0, 40.0]))
    >>> float(f(1.5))
    25.0
    >>> covector.grad(f)(1.5)
    array(30.)
    """

    def __init__(self, x: Array, y: Array, kind: Any = "linear", axis: int = -1, copy: bool = True,
                 bounds_error: bool | None = None, fill_value: Any = math.nan, assume_sorted: bool = False) -> None:
        if isinstance(kind, str) and kind not in _KINDS:
            raise NotImplementedError(f"{kind} is unsupported; use fitpack routines for other types, or one of "
                                      f"{', '.join(_KINDS)}{at_user_line()}")
        self._degree = _DEGREES.get(kind) if isinstance(kind, str) else whole(kind, "kind", 0)
        self._kind = kind
        x = double(x)
        if not assume_sorted and x.ndim == 1:
            order = argsort(x, kind="stable")
            y = take(array_of(y), order, axis=axis)
            x = x[order]
        self.x, self._y, self.axis = knots_and_values("interp1d", x, y, axis, least=1)
        increasing("interp1d", self.x)
        self._extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        plain = not self._extrapolates and not isinstance(fill_value, tuple) and fill_value is math.nan
        if self._extrapolates and bounds_error:
            raise ValueError(f"Cannot extrapolate and raise at the same time; omit bounds_error{at_user_line()}")
        self.bounds_error = bool(bounds_error) if bounds_error is not None else plain and not self._extrapolates
        self.fill_value = fill_value
        if self._degree is not None:
            self._spline = make_interp_spline(self.x, self._y, self._degree)

    @property
    def y(self) -> Array:
        """The values, with the knots on `axis`."""
        return put_back(self._y, 1, self.axis)

    def __call__(self, x: Array) -> Array:
        """Return the values at places of any shape."""
        at = double(x)
        low, high = self.x[0], self.x[-1]
        if self.bounds_error:
            known_outside("interp1d", at, low, high)
        values = self._at(at)
        if not self._extrapolates:
            below, above = self.fill_value if isinstance(self.fill_value, tuple) else (self.fill_value,) * 2
            values = where(beside(at < low, values, at.ndim), double(below), values)
            values = where(beside(at > high, values, at.ndim), double(above), values)
        return put_back(values, at.ndim, self.axis)

    def _at(self, at: Array) -> Array:
        n = self.x.shape[0]
        if self._degree is not None:
            return self._spline(at)
        if self._kind == "linear":
            i = clip(searchsorted(self.x, at), 1, n - 1)
            low, high = index(self.x, i - 1), index(self.x, i)
            y_low, y_high = index(self._y, i - 1), index(self._y, i)
            slope = (y_high - y_low) / beside(high - low, y_low, at.ndim)
            return slope * beside(at - low, y_low, at.ndim) + y_low
        if self._kind in ("nearest", "nearest-up"):
            middles = 0.5 * self.x[1:] + 0.5 * self.x[:-1]
            i = searchsorted(middles, at, side="left" if self._kind == "nearest" else "right")
        elif self._kind == "previous":
            i = searchsorted(self.x, at, side="right") - 1
            early = i < 0
            values = index(self._y, clip(i, 0, n - 1))
            return where(beside(early, values, at.ndim), math.nan, values)
        else:
            i = searchsorted(self.x, at, side="left")
            late = i > n - 1
            values = index(self._y, clip(i, 0, n - 1))
            return where(beside(late, values, at.ndim), math.nan, values)
        return index(self._y, clip(i, 0, n - 1))

