"""Values of a sampled array between its elements."""

import itertools
from typing import Any

import numpy as np

from ...core.checks import refuse_arguments, whole
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.ops.indexing.indexing import index
from ...core.ops.scipy.filters import spline_filter
from ...core.ops.selection import astype, where
from ...numpy import clip, floor
from ...numpy.surface import Array, array_of, floating
from .filters import extended

# What the coefficients of splines do beyond the ends, for each mode; SciPy, ni_splines.c.
_ENDS = {"mirror": "mirror", "constant": "mirror", "wrap": "mirror", "grid-constant": "mirror", "reflect": "reflect",
         "grid-mirror": "reflect", "nearest": "reflect", "grid-wrap": "grid-wrap"}
_PADDED = 12  # elements that SciPy adds at each end for modes whose splines it does not know


def map_coordinates(
    input: Array, coordinates: Array, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Array:
    """Interpolate an array at coordinates by splines.

    Args:
        input: an array of d axes, real or complex; integers are converted to float64, where SciPy returns integers.
        coordinates: `(d, …)`: for each axis where, counted in elements. Their derivative is that of the piece on the
            right of an element, and 0 for order 0; where "nearest" holds, beyond the ends, 0.
        output: not supported.
        order: the degree of the splines, 0 to 5.
        mode: "reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap" or "grid-wrap".
        cval: what stands beyond the ends with the modes "constant" and "grid-constant".
        prefilter: whether `input` are values; otherwise, coefficients of splines.
    Returns:
        an array of the shape `coordinates.shape[1:]` and the dtype of `input`. With "nearest", more than 12 elements
        beyond an end, the value is that of the end; SciPy's differs by up to 1e-4 there, from its padding.
    Raises:
        ShapeError: `coordinates` do not have one row for each axis.
        RuntimeError: `order` or `mode` is not supported.
        DtypeError: coordinates are complex.
        TypeError: `output` is given.

    >>> import numpy as np, covector
    >>> from covector.scipy import ndimage
    >>> x = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    >>> ndimage.map_coordinates(x, np.array([[0.5], [1.0]]), order=1)
    array([2.5])
    >>> covector.jacobian(lambda p: ndimage.map_coordinates(x, p, order=1))(np.array([[0.5], [1.0]]))
    array([[[3.],
            [1.]]])
    """
    refuse_arguments("map_coordinates", "use the value it returns", output=output)
    x, at = floating(input), array_of(coordinates)
    order = whole(order, "order")
    if not 0 <= order <= 5:
        raise RuntimeError(f"spline order not supported: {order}; give 0 to 5{at_user_line()}")
    if mode not in _ENDS:
        raise RuntimeError(f"boundary mode not supported: {mode!r}; choose one of {', '.join(_ENDS)}{at_user_line()}")
    if at.dtype.kind == "c":
        raise DtypeError(f"Complex type not supported: map_coordinates got coordinates of {at.dtype}; take their real "
                         f"part{at_user_line()}")
    if not x.ndim or at.ndim < 2 or at.shape[0] != x.ndim:
        raise ShapeError(f"invalid shape for coordinate array: {tuple(at.shape)} for input of shape {tuple(x.shape)}; "
                         f"it has one row for each axis, and at least one axis more{at_user_line()}")
    at = at if at.dtype == np.float64 else astype(at, np.float64)
    wide = np.result_type(x.dtype, np.float64)
    values = x if x.dtype == wide else astype(x, wide)
    ends, padded = _ENDS[mode], 0
    if prefilter and order > 1:
        if mode in ("nearest", "grid-constant"):
            padded = _PADDED
            for k in range(x.ndim):
                values = extended("map_coordinates", values, k, padded, padded, mode, cval)
        for k in range(x.ndim):
            values = spline_filter(values, k, order, ends)
    out = _at(values, at + float(padded), order, mode, cval, ends)
    return out if out.dtype == x.dtype else astype(out, x.dtype)


def _at(values: Array, at: Array, order: int, mode: str, cval: Any, ends: str) -> Array:
    """Sums over the order + 1 neighbours along each axis."""
    sides, beyond = [], None
    for k in range(values.ndim):
        n = values.shape[k]
        c = _brought_in(at[k], n, mode)
        if mode == "constant":
            out = (at[k] < 0) | (at[k] > n - 1)
            beyond = out if beyond is None else beyond | out
            c = where(out, 0.0, c)
        place = c if order % 2 else c + 0.5
        whole_part = floor(place)
        share = place - whole_part
        start = astype(whole_part, np.int64) - order // 2
        side = []
        for j, weight in enumerate(_weights(share, order)):
            i = start + j
            none = (i < 0) | (i >= n) if mode == "grid-constant" else None
            side.append((_element(i, n, mode, ends), weight, none))
        sides.append(side)
    total: Any = 0.0
    for corner in itertools.product(*sides):
        term = index(values, tuple(i for i, _, _ in corner))
        for _, _, none in corner:
            term = term if none is None else where(none, cval, term)
        for _, weight, _ in corner:
            term = term * weight
        total = total + term
    return total if beyond is None else where(beyond, cval, total)


def _weights(x: Array, order: int) -> list[Array]:
    """The order + 1 B-splines on the integers that are not 0 on [0, 1); de Boor (1978), X (8)."""
    values = [x * 0.0 + 1.0]
    for d in range(1, order + 1):
        out, saved = [], x * 0.0
        for r in range(d):
            part = values[r] * (1.0 / d)
            out.append(saved + (float(r + 1) - x) * part)
            saved = (x - float(r + 1 - d)) * part
        values = [*out, saved]
    return values


def _brought_in(c: Array, n: int, mode: str) -> Array:
    """A coordinate beyond the ends as one inside; SciPy, ni_interpolation.c, map_coordinate."""
    if mode in ("constant", "grid-constant"):
        return c
    if mode == "nearest":
        return clip(c, 0.0, float(n - 1))
    out = (c < 0) | (c > n - 1)
    if mode in ("reflect", "grid-mirror"):
        m = c % float(2 * n)
        return where(out, where(m > n - 0.5, 2.0 * n - 1.0 - m, m), c)
    if mode == "grid-wrap":
        return where(out, c % float(n), c)
    if n == 1:
        return c * 0.0
    if mode == "mirror":
        m = c % float(2 * n - 2)
        return where(out, where(m > n - 1, 2.0 * n - 2.0 - m, m), c)
    size = float(n - 1)
    low = c + size * (floor(-c / size) + 1.0)
    return where(c < 0, low, where(c > n - 1, c - size * floor(c / size), c))


def _element(i: Array, n: int, mode: str, ends: str) -> Array:
    """A neighbour beyond the ends as an element of the array."""
    if mode == "grid-constant":
        return clip(i, 0, n - 1)
    if ends == "grid-wrap":
        return i % n
    if ends == "reflect":
        m = i % (2 * n)
        return where(m >= n, 2 * n - 1 - m, m)
    if n == 1:
        return i * 0
    m = i % (2 * n - 2)
    return where(m >= n, 2 * n - 2 - m, m)
