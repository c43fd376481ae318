"""Checks and lookups shared by interpolators: knots, values along an axis, the piece that contains a point."""

import math
from typing import Any

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.numpy_api.methods import normal_axis
from ...core.ops.selection import astype
from ...core.trace.tracer import unwrap
from ...numpy.elementwise import clip
from ...numpy.shaping import moveaxis, reshape
from ...numpy.sorting import searchsorted
from ...numpy.surface import Array, floating


def double(x: Any) -> Array:
    """`x` in double precision, as SciPy's interpolators compute."""
    x = floating(x)
    wide = np.result_type(x.dtype, np.float64)
    return x if x.dtype == wide else astype(x, wide)


def knots_and_values(name: str, x: Array, y: Array, axis: int, least: int = 2) -> tuple[Array, Array, int]:
    """Knots, and values with the axis of the knots in front; raises unless the knots increase, where they are known."""
    x, y = double(x), double(y)
    if x.dtype.kind == "c":
        raise ValueError(f"{name}: `x` must contain real values, but got {x.dtype}; interpolate along a real variable"
                         f"{at_user_line()}")
    if x.ndim != 1 or x.shape[0] < least:
        raise ShapeError(f"{name}: `x` must be a vector of at least {least} elements, but got shape {tuple(x.shape)}; "
                         f"give more of them{at_user_line()}")
    axis = normal_axis(axis, y.ndim)
    if y.shape[axis] != x.shape[0]:
        raise ShapeError(f"{name}: the length of `y` along `axis`={axis} doesn't match the length of `x`: "
                         f"{y.shape[axis]} and {x.shape[0]}; name the axis of the values{at_user_line()}")
    increasing(name, x)
    return x, moveaxis(y, axis, 0), axis


def increasing(name: str, x: Array) -> None:
    """Raise unless knots increase, where they are known."""
    known = unwrap(x)
    if known is not None and (np.diff(known, axis=-1) <= 0).any():
        raise ValueError(f"{name}: `x` must be strictly increasing sequence, but got {known!r}; sort the knots, and "
                         f"average values at repeated ones{at_user_line()}")


def piece(knots: Array, at: Array, first: int, last: int, side: str = "right") -> Array:
    """For each place the knot before it, from `first` to `last`; a place beyond the ends lies in the piece there."""
    return clip(searchsorted(knots, at, side=side) - 1, first, last)


def beside(factor: Array, values: Array, rank: int) -> Array:
    """`factor`, whose axes are the first `rank` of those of `values`, with an axis of 1 for each other."""
    return reshape(factor, (*factor.shape, *(1,) * (values.ndim - rank)))


def put_back(out: Array, rank: int, axis: int) -> Array:
    """Values whose first `rank` axes are those of the places, with these at `axis`, as SciPy has them."""
    if not axis:
        return out
    order = [*range(rank, rank + axis), *range(rank), *range(rank + axis, out.ndim)]
    return out.transpose(order)


def outside(at: Array, low: Array, high: Array) -> Array:
    """A mask of the points beyond either end."""
    return (at < low) | (at > high)


def known_outside(name: str, at: Array, low: Array, high: Array) -> None:
    """Raise for places beyond the ends, where they are known; in graphs, where they are not, NaN stands for them."""
    values = [unwrap(v) for v in (at, low, high)]
    if any(v is None for v in values):
        return
    spot, below, above = values
    for beyond, which, bound in ((np.less, "below", below), (np.greater, "above", above)):
        if np.ndim(bound) == 0 and bool(beyond(spot, bound).any()):
            raise ValueError(f"{name}: a value ({spot[beyond(spot, bound)].flat[0]}) in x_new is {which} the "
                             f"interpolation range's {'minimum' if which == 'below' else 'maximum'} value ({bound}); "
                             f"give bounds_error=False, or fill_value='extrapolate'{at_user_line()}")


def falling(degree: int, nu: int) -> float:
    """degree (degree - 1) … : the factor of the derivative of order `nu` of a power."""
    return float(math.perm(degree, nu))
