"""Integrals of samples, composed of operations: trapezoid, simpson, romb, and the cumulative ones."""

from typing import Any

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.types import Array
from ...numpy import asarray, broadcast_to, concatenate, cumsum, diff, flip, moveaxis, stack, sum as total, where
from ...transforms.arguments.arguments import settle
from .._solvers.arguments import is_traced
from .._solvers.library import scipy_module


def trapezoid(y: Array, x: Array | None = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """Integrate samples by the trapezoidal rule.

    Args:
        y: samples.
        x: where they were taken, `(n,)` or of the shape of `y`; `dx` apart if None.
        dx: the distance of the samples.
        axis: of `y`.
    Returns:
        `y` without the axis.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> covector.grad(integrate.trapezoid)(np.array([1.0, 2.0, 4.0]))
    array([0.5, 1. , 0.5])
    """
    if not is_traced(y, x, dx):
        return scipy_module("integrate", "trapezoid").trapezoid(y, x, dx, axis)
    y, d = _samples(y, x, dx, axis, "trapezoid")
    return total(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def cumulative_trapezoid(
    y: Array, x: Array | None = None, dx: Any = 1.0, axis: int = -1, initial: Any = None,
) -> Array:
    """Integrate samples cumulatively by the trapezoidal rule.

    Args:
        y: samples.
        x: where they were taken, `(n,)` or of the shape of `y`; `dx` apart if None.
        dx: the distance of the samples.
        axis: of `y`.
        initial: 0 to begin the result with, or None.
    Returns:
        `y` with one element less on the axis, unless `initial` is given.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> covector.jacobian(integrate.cumulative_trapezoid)(np.array([1.0, 2.0, 4.0]))
    array([[0.5, 0.5, 0. ],
           [0.5, 1. , 0.5]])
    """
    if not is_traced(y, x, dx):
        return scipy_module("integrate", "cumulative_trapezoid").cumulative_trapezoid(y, x, dx, axis, initial)
    if initial is not None and not (np.isscalar(initial) and initial == 0):
        raise ValueError(f"cumulative_trapezoid needs initial to be None or 0, but got {initial!r}; add it to the "
                         f"result{at_user_line()}")
    place = axis
    y, d = _samples(y, x, dx, axis, "cumulative_trapezoid")
    found = cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        found = concatenate([np.zeros((*found.shape[:-1], 1)), found], axis=-1)
    return moveaxis(found, -1, place)


def simpson(y: Array, x: Array | None = None, *, dx: Any = 1.0, axis: int = -1) -> Array:
    """Integrate samples by Simpson's rule; of an even number of samples with Cartwright's correction.

    Args:
        y: samples.
        x: where they were taken, `(n,)` or of the shape of `y`; `dx` apart if None.
        dx: the distance of the samples.
        axis: of `y`.
    Returns:
        `y` without the axis.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> covector.grad(integrate.simpson)(np.array([1.0, 2.0, 4.0])).round(4)
    array([0.3333, 1.3333, 0.3333])
    """
    if not is_traced(y, x, dx):
        return scipy_module("integrate", "simpson").simpson(y, x, dx=dx, axis=axis)
    y, d = _samples(y, x, dx, axis, "simpson")
    n = y.shape[-1]
    d = broadcast_to(asarray(d), (*y.shape[:-1], n - 1))
    if n == 2:
        return 0.5 * d[..., -1] * (y[..., -1] + y[..., -2])
    most = n - 1 if n % 2 else n - 2
    h0, h1 = d[..., :most:2], d[..., 1:most:2]
    both = h0 + h1
    found = total(both / 6.0 * (
        y[..., :most:2] * (2.0 - _ratio(h1, h0)) + y[..., 1 : most : 2] * both * _ratio(both, h0 * h1)
        + y[..., 2 : most + 1 : 2] * (2.0 - _ratio(h0, h1))), axis=-1)
    if n % 2:
        return found
    h, k = d[..., -1], d[..., -2]
    alpha = _ratio(2.0 * h**2 + 3.0 * k * h, 6.0 * (h + k))
    beta = _ratio(h**2 + 3.0 * k * h, 6.0 * k)
    eta = _ratio(h**3, 6.0 * k * (k + h))
    return found + alpha * y[..., -1] + beta * y[..., -2] - eta * y[..., -3]


def cumulative_simpson(
    y: Array, *, x: Array | None = None, dx: Any = 1.0, axis: int = -1, initial: Any = None,
) -> Array:
    """Integrate samples cumulatively by Simpson's rule.

    Args:
        y: samples.
        x: where they were taken, `(n,)` or of the shape of `y`; `dx` apart if None.
        dx: the distance of the samples.
        axis: of `y`.
        initial: what the result begins with, and what is added to the rest; None for nothing.
    Returns:
        `y` with one element less on the axis, unless `initial` is given.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> covector.grad(lambda y: integrate.cumulative_simpson(y)[-1])(np.array([1.0, 2.0, 4.0])).round(4)
    array([0.3333, 1.3333, 0.3333])
    """
    if not is_traced(y, x, dx, initial):
        return scipy_module("integrate", "cumulative_simpson").cumulative_simpson(
            y, x=x, dx=dx, axis=axis, initial=initial)
    place = axis
    y, d = _samples(y, x, dx, axis, "cumulative_simpson")
    n = y.shape[-1]
    d = broadcast_to(asarray(d), (*y.shape[:-1], n - 1))
    if n < 3:
        found = cumsum(d * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    else:
        first = _first_part(y, d)
        last = flip(_first_part(flip(y, axis=-1), flip(d, axis=-1)), axis=-1)
        parts = [first[..., k] if not k % 2 else last[..., k - 1] for k in range(n - 2)]
        found = cumsum(stack([*parts, last[..., -1]], axis=-1), axis=-1)
    if initial is not None:
        initial = asarray(settle(initial))
        initial = moveaxis(initial, place, -1) if initial.ndim else initial
        initial = broadcast_to(initial, (*y.shape[:-1], 1))
        found = concatenate([initial, found + initial], axis=-1)
    return moveaxis(found, -1, place)


def romb(y: Array, dx: Any = 1.0, axis: int = -1, show: bool = False) -> Array:
    """Integrate 2**k + 1 samples by Romberg's rule.

    Args:
        y: samples.
        dx: the distance of the samples.
        axis: of `y`.
        show: print the table, of plain values.
    Returns:
        `y` without the axis.
    Raises:
        ShapeError: the number of samples is not one more than a power of 2.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> covector.grad(integrate.romb)(np.array([1.0, 2.0, 4.0])).round(4)
    array([0.3333, 1.3333, 0.3333])
    """
    if not is_traced(y, dx):
        return scipy_module("integrate", "romb").romb(y, dx, axis, show)
    y = moveaxis(asarray(settle(y)), axis, -1)
    size = y.shape[-1] - 1
    if size < 1 or size & (size - 1):
        raise ShapeError(f"romb needs 2**k + 1 samples, but got {size + 1} along axis {axis}; use simpson"
                         f"{at_user_line()}")
    rows = []
    for k in range(size.bit_length()):
        step = size >> k
        part = y[..., :: step]
        rows.append(step * dx * (total(part, axis=-1) - 0.5 * (part[..., 0] + part[..., -1])))
    power = 1.0
    while len(rows) > 1:
        power *= 4.0
        rows = [b + (b - a) / (power - 1.0) for a, b in zip(rows, rows[1:])]
    return rows[0]


def _samples(y: Any, x: Any, dx: Any, axis: int, name: str) -> tuple[Any, Any]:
    """Samples with their axis last, and the distances between them."""
    y = moveaxis(asarray(settle(y)), axis, -1) * 1.0
    if x is None:
        d = asarray(settle(dx))
        return y, moveaxis(d, axis, -1) if d.ndim == y.ndim else d
    x = asarray(settle(x))
    x = moveaxis(x, axis, -1) if x.ndim > 1 else x
    if x.ndim not in (1, y.ndim) or x.shape[-1] != y.shape[-1]:
        raise ShapeError(f"{name} needs x of one dimension, or of the shape of y, but got {tuple(x.shape)} for "
                         f"{tuple(y.shape)} (their axis last); give one place for each sample{at_user_line()}")
    return y, diff(x, axis=-1)


def _ratio(a: Any, b: Any) -> Any:
    """`a / b`, 0 where b is 0."""
    none = b == 0.0
    return where(none, 0.0, a / where(none, 1.0, b))


def _first_part(y: Any, d: Any) -> Any:
    """The integral over the first of each two neighbouring intervals, of the parabola through three samples."""
    a, b = d[..., :-1], d[..., 1:]
    whole, ratio = a / (a + b), a / b
    cross = whole * ratio
    return a / 6.0 * ((3.0 - whole) * y[..., :-2] + (3.0 + cross + whole) * y[..., 1:-1] - cross * y[..., 2:])
