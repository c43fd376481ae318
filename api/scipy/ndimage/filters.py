"""Filters: convolution and correlation with weights, and Gaussian smoothing."""

import numbers
from typing import Any

import numpy as np

from ...core.checks import refuse_arguments, whole
from ...core.errors import ConversionError, ShapeError, at_user_line
from ...core.numpy_api.methods import normal_axis
from ...core.ops.indexing.indexing import index
from ...core.ops.scipy.correlation import convolve_nd
from ...core.ops.selection import astype
from ...core.ops.shaping import conjugate, flip, pad
from ...core.trace.device import constant
from ...core.trace.tracer import is_concrete, unwrap
from ...numpy import exp
from ...numpy.surface import Array, floating

# SciPy's modes, and NumPy's names for them; "constant" fills with cval.
_PADS = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
         "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}


def extended(name: str, x: Array, axis: int, before: int, after: int, mode: str, cval: Any) -> Array:
    """`x` continued beyond its ends along one axis, as a mode says."""
    if mode not in _PADS:
        raise RuntimeError(f"boundary mode not supported: {name} got mode={mode!r}; choose one of {', '.join(_PADS)}"
                           f"{at_user_line()}")
    if not before and not after or not x.shape[axis]:
        return x
    if _PADS[mode] == "constant":
        widths = tuple((before, after) if k == axis else (0, 0) for k in range(x.ndim))
        out = pad(x, widths)
        if type(cval) in (int, float) and cval == 0:
            return out
        return out + constant(np.pad(np.zeros(x.shape), widths, constant_values=1.0), x) * cval
    places = np.pad(np.arange(x.shape[axis]), (before, after), mode=_PADS[mode])  # type: ignore[call-overload]
    return index(x, (slice(None),) * axis + (constant(places, x),))


def convolve(input: Array, weights: Array, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
             origin: Any = 0, *, axes: Any = None) -> Array:
    """Convolve an array with weights, continued beyond its ends.

    Args:
        input: an array, real or complex; integers are converted to float64, where SciPy returns integers.
        weights: of the same number of axes, or of that of `axes`.
        output: not supported.
        mode: "reflect", "constant", "nearest", "mirror", "wrap", or the "grid-" names of these.
        cval: what stands beyond the ends with mode "constant".
        origin: where the middle of the weights lies, from theirs; one integer, or one for each axis.
        axes: along which axes; all by default.
    Returns:
        an array of the shape and dtype of `input`.
    Raises:
        ShapeError: the numbers of axes differ.
        ValueError: `origin` lies outside of the weights.
        RuntimeError: `mode` is unknown.
        TypeError: `output` is given.

    >>> import numpy as np
    >>> from covector.scipy import ndimage
    >>> ndimage.convolve(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0]))
    array([3., 6., 8.])
    """
    refuse_arguments("convolve", "use the value it returns", output=output)
    return _weighted("convolve", floating(input), floating(weights), mode, cval, origin, axes, True)


def correlate(input: Array, weights: Array, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
              origin: Any = 0, *, axes: Any = None) -> Array:
    """Correlate an array with weights, continued beyond its ends; complex weights are conjugated.

    Args:
        input, weights, output, mode, cval, origin, axes: as in `convolve`.
    Returns:
        an array of the shape and dtype of `input`.
    Raises:
        ShapeError, ValueError, RuntimeError, TypeError: as `convolve`.

    >>> import numpy as np
    >>> from covector.scipy import ndimage
    >>> ndimage.correlate(np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 0.0]))
    array([2., 3., 6.])
    """
    refuse_arguments("correlate", "use the value it returns", output=output)
    return _weighted("correlate", floating(input), floating(weights), mode, cval, origin, axes, False)


def _weighted(name: str, x: Array, w: Array, mode: str, cval: Any, origin: Any, axes: Any, turned: bool) -> Array:
    along = _axes(axes, x.ndim)
    if w.ndim != len(along):
        raise ShapeError(f"weights.ndim ({w.ndim}) must match len(axes) ({len(along)}); add axes of length 1"
                         f"{at_user_line()}")
    origins = [whole(v, f"origin of {name}") for v in _each(origin, len(along))]
    shifts = dict(zip(along, origins))
    along = sorted(along)  # as SciPy: weights are in the order of the array's axes
    out, lengths = x, [1] * x.ndim
    for axis, n in zip(along, w.shape):
        shift = shifts[axis]
        if turned:
            shift = -shift - (n % 2 == 0)
        if not -(n // 2) <= shift <= (n - 1) // 2:
            raise ValueError(f"Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= "
                             f"(weights.shape[k]-1) // 2, but got {origin!r}; move it inside{at_user_line()}")
        before = n // 2 + shift
        out = extended(name, out, axis, before, n - 1 - before, mode, cval)
        lengths[axis] = n
    if not turned:
        w = flip(w, axes=tuple(range(w.ndim)))
        w = conjugate(w) if w.dtype.kind == "c" else w
    return _narrow(convolve_nd(out, w.reshape(tuple(lengths)), 0, False), x)


def _narrow(out: Array, x: Array) -> Array:
    """In the precision of the input, as SciPy; complex where the weights are."""
    dtype = np.result_type(x.dtype, np.complex64) if out.dtype.kind == "c" and x.dtype.kind != "c" else x.dtype
    return out if out.dtype == dtype else astype(out, dtype)


def gaussian_filter(
    input: Array, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: float = 4.0, *, radius: Any = None, axes: Any = None,
) -> Array:
    """Smooth an array by Gaussian weights, or their derivatives.

    Args:
        input: an array, real or complex; integers are converted to float64, where SciPy returns integers.
        sigma: the standard deviation, one or one for each axis; differentiable.
        order: the order of the derivative, one or one for each axis.
        output: not supported.
        mode: as in `convolve`, one or one for each axis.
        cval: as in `convolve`.
        truncate: where weights end, in standard deviations.
        radius: where weights end, in elements; needed where `sigma` is not known, in graphs and under `vmap`.
        axes: along which axes; all by default.
    Returns:
        an array of the shape and dtype of `input`.
    Raises:
        ValueError: `order` or `radius` is negative.
        RuntimeError: `mode` is unknown, or a sequence has another length.
        ConversionError: `sigma` is not known, and no `radius` is given.
        TypeError: `output` is given.
    Derivative: that of the weights by `sigma`; the ends of the weights are constant.

    >>> import numpy as np
    >>> from covector.scipy import ndimage
    >>> ndimage.gaussian_filter(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 0.5).round(3)
    array([0.   , 0.106, 0.787, 0.106, 0.   ])
    """
    refuse_arguments("gaussian_filter", "use the value it returns", output=output)
    x = floating(input)
    along = _axes(axes, x.ndim)
    count = len(along)
    out = x
    for axis, s, k, how, r in zip(along, *(_each(v, count) for v in (sigma, order, mode, radius))):
        known = unwrap(s) if is_concrete(s) else None
        if known is not None and known <= 1e-15:
            continue
        if r is None:
            if known is None:
                raise ConversionError(f"gaussian_filter needs sigma to know where the weights end, but it is not known "
                                      f"here; give radius={at_user_line()}")
            r = int(truncate * float(known) + 0.5)
        if not isinstance(r, numbers.Integral) or r < 0:
            raise ValueError(f"Radius must be a nonnegative integer, but got {r!r}; give one{at_user_line()}")
        weights = _gaussian(s, whole(k, "order", 0), int(r))
        shape = tuple(2 * int(r) + 1 if i == axis else 1 for i in range(x.ndim))
        # The correlation with the reversed weights is the convolution with them.
        padded = extended("gaussian_filter", out, axis, int(r), int(r), how, cval)
        out = _narrow(convolve_nd(padded, weights.reshape(shape), 0, False), x)
    return out


def _gaussian(sigma: Any, order: int, radius: int) -> Array:
    """The weights, or those of a derivative: q(x) φ(x), where q′ - q x / σ² is the next q; as SciPy's."""
    square = floating(sigma) * sigma
    x = constant(np.arange(-radius, radius + 1.0), square)
    phi = exp(-0.5 / square * (x * x))
    phi = phi / phi.sum()
    if not order:
        return phi
    q: list[Any] = [1.0] + [0.0] * order
    for _ in range(order):
        q = [(j + 1) * (q[j + 1] if j < order else 0.0) - (q[j - 1] / square if j else 0.0) for j in range(order + 1)]
    total: Any = 0.0
    for c in reversed(q):
        total = total * x + c
    return total * phi


def _axes(axes: Any, rank: int) -> list[int]:
    found = [normal_axis(k, rank) for k in (
        range(rank) if axes is None else axes if hasattr(axes, "__iter__") else (axes,))]
    if len(set(found)) < len(found):
        raise ValueError(f"axes must be unique, but got {axes!r}; name each once{at_user_line()}")
    return found


def _each(value: Any, count: int) -> list:
    """One value for each axis."""
    if isinstance(value, list | tuple) or getattr(value, "ndim", False):
        if len(value) != count:
            raise RuntimeError(f"sequence argument must have length equal to input rank ({count}), but got {value!r}; "
                               f"give one, or one for each axis{at_user_line()}")
        return [value[k] for k in range(count)]
    return [value] * count
