"""Functions given by their samples: integrals, slopes, values between them, phases, convolutions."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.numpy_api import methods, views
from ..core.numpy_api.reducing import reduce
from ..core.ops import reductions, running, selection, shaping
from ..core.ops.indexing import pairs
from ..core.trace.tracer import Tracer, is_concrete, unwrap as unwrap_tracer
from .indexing import take
from .reductions import diff
from .sorting import searchsorted
from .surface import Array, Axis, array_of, as_asked, implements


@implements(np.trapezoid)
def trapezoid(y: Array, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    y = array_of(y)
    axis = methods.normal_axis(axis, y.ndim)
    if x is None:
        width = dx
    else:
        x = array_of(x)
        width = diff(x, axis=axis) if x.ndim > 1 else _on_axis(diff(x), axis, y.ndim)
    n = y.shape[axis]
    pairs = shaping.slice_axis(y, axis, 1, n) + shaping.slice_axis(y, axis, 0, max(n - 1, 0))
    return reduce(reductions.reduce_sum, width * pairs / 2.0, axis)


def _on_axis(x: Array, axis: int, rank: int) -> Array:
    """A vector laid along one of `rank` axes."""
    return methods.reshape(x, tuple(-1 if k == axis else 1 for k in range(rank)))


@implements(np.gradient)
def gradient(f: Array, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    f = array_of(f)
    axes = tuple(range(f.ndim)) if axis is None else tuple(
        methods.normal_axis(k, f.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if edge_order not in (1, 2):
        raise ValueError(f"gradient supports edge_order 1 and 2, but got {edge_order}; choose one of "
                         f"them{at_user_line()}")
    if f.dtype.kind in "iu":
        f = selection.astype(f, np.float64)
    ans = []
    for k, step in zip(axes, _steps(f, axes, varargs)):
        if f.shape[k] < edge_order + 1:
            raise ValueError(f"gradient needs {edge_order + 1} elements along axis {k}, but got shape {f.shape}"
                             f"; name another axis by axis={at_user_line()}")
        slope = _slopes(f, k, step, edge_order)
        ans.append(slope if slope.dtype == f.dtype else selection.astype(slope, f.dtype))
    return ans[0] if len(ans) == 1 else tuple(ans)


def _steps(f: Array, axes: tuple, spacings: tuple) -> list:
    """For each axis a number, or the distances between its coordinates."""
    if not spacings:
        return [1.0] * len(axes)
    if len(spacings) == 1 and not np.ndim(spacings[0]):
        return [spacings[0]] * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(f"gradient takes one spacing, or one for each of {len(axes)} axes, but got {len(spacings)}"
                        f"; give one number for all{at_user_line()}")
    out = []
    for k, spacing in zip(axes, spacings):
        if np.ndim(spacing):
            spacing = array_of(spacing)
            if spacing.ndim != 1 or spacing.shape[0] != f.shape[k]:
                raise ValueError(f"gradient needs {f.shape[k]} coordinates for axis {k}, but got shape {spacing.shape}"
                                 f"; give one coordinate per element{at_user_line()}")
            if spacing.dtype.kind in "iu":
                spacing = selection.astype(spacing, np.float64)
            spacing = diff(spacing)
            # Equal plain distances take the formula of one number, as in NumPy; its derivative by each would be wrong.
            if not isinstance(spacing, Tracer) and (spacing == spacing[0]).all():
                spacing = spacing[0]
        out.append(spacing)
    return out


def _slopes(f: Array, k: int, step: Any, edge_order: int) -> Array:
    def at(i: int) -> Array:
        return shaping.slice_axis(f, k, i, i + 1)

    n = f.shape[k]
    left, middle, right = (shaping.slice_axis(f, k, i, n - 2 + i) for i in range(3))
    if not np.ndim(step):
        inner = (right - left) / (2.0 * step)
        first = last = second = before = step
        weights = [(-1.5 / step, 2.0 / step, -0.5 / step), (0.5 / step, -2.0 / step, 1.5 / step)]
    else:
        one, two = (_on_axis(step[i : n - 2 + i], k, f.ndim) for i in range(2))
        inner = (-two / (one * (one + two)) * left + (two - one) / (one * two) * middle
                 + one / (two * (one + two)) * right)
        first, last = step[0], step[-1]
    if edge_order == 1:
        start, end = (at(1) - at(0)) / first, (at(n - 1) - at(n - 2)) / last
    else:
        if np.ndim(step):
            second, before = step[1], step[-2]
            weights = [(-(2.0 * first + second) / (first * (first + second)), (first + second) / (first * second),
                        -first / (second * (first + second))),
                       (last / (before * (before + last)), -(last + before) / (before * last),
                        (2.0 * last + before) / (last * (before + last)))]
        start = weights[0][0] * at(0) + weights[0][1] * at(1) + weights[0][2] * at(2)
        end = weights[1][0] * at(n - 3) + weights[1][1] * at(n - 2) + weights[1][2] * at(n - 1)
    return shaping.concatenate(start, inner, end, axis=k)


@implements(np.unwrap)
def unwrap(p: Array, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Array:
    p = array_of(p)
    axis = methods.normal_axis(axis, p.ndim)
    steps = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = np.result_type(steps.dtype, period)
    whole = dtype.kind in "iu"
    high, odd = divmod(period, 2) if whole else (period / 2, 0)
    turned = selection.remainder(steps + high, period) - high
    if not odd:  # a step of half a period keeps its direction
        turned = selection.where((turned == -high) & (steps > 0), turned + 2 * high, turned)
    jumps = selection.where(shaping.absolute(steps) < discont, 0 if whole else 0.0, turned - steps)
    n = p.shape[axis]
    rest = shaping.slice_axis(p, axis, 1, n) + reductions.cumsum(jumps, axis)
    ans = shaping.concatenate(shaping.slice_axis(p, axis, 0, 1), rest, axis=axis)
    return ans if ans.dtype == dtype else selection.astype(ans, dtype)


@implements(np.convolve)
def convolve(a: Array, v: Array, mode: str = "full") -> Array:
    a, v = _signals("convolve", a, v)
    return _cut(running.convolve(a, v), a.shape[0], v.shape[0], mode)


@implements(np.correlate)
def correlate(a: Array, v: Array, mode: str = "valid") -> Array:
    for x in (a, v):
        if not np.ndim(x):
            raise ValueError(f"correlate needs two vectors, but got {x!r}; write x * y for a number{at_user_line()}")
    a, v = _signals("correlate", a, v)
    v = shaping.conjugate(v) if v.dtype.kind == "c" else v
    n, m = a.shape[0], v.shape[0]
    if mode == "valid" and n >= m:
        return running.slide(a, v)
    ans = running.convolve(a, shaping.flip(v, axes=(0,)))
    if n < m and mode == "same":  # NumPy exchanges the operands and turns the output round
        return shaping.slice_axis(ans, 0, n // 2, n // 2 + m)
    return _cut(ans, n, m, mode)


def _signals(name: str, a: Array, v: Array) -> list:
    out = []
    for which, x in (("first", a), ("second", v)):
        x = array_of(x)
        x = x if x.ndim or name == "correlate" else methods.reshape(x, (1,))  # NumPy's convolve alone takes numbers
        if x.ndim != 1 or not x.shape[0]:
            raise ValueError(f"{name} needs two vectors that are not empty, but the {which} has shape {x.shape}"
                             f"; ravel it, or pad it{at_user_line()}")
        out.append(x)
    return out


def _cut(ans: Array, n: int, m: int, mode: str) -> Array:
    """The part of a full convolution that `mode` keeps."""
    long, short = max(n, m), min(n, m)
    if mode == "full":
        return ans
    if mode not in ("same", "valid"):
        raise ValueError(f"the modes are 'full', 'same' and 'valid', but got {mode!r}; "
                         f"choose one of them{at_user_line()}")
    start = (short - 1) // 2 if mode == "same" else short - 1
    return shaping.slice_axis(ans, 0, start, start + (long if mode == "same" else long - short + 1))


@implements(np.interp)
def interp(x: Array, xp: Array, fp: Array, left: Any = None, right: Any = None, period: Any = None) -> Array:
    dtype = np.complex128 if array_of(fp).dtype.kind == "c" else np.float64
    x, knots = (as_asked("interp", array_of(v), np.float64) for v in (x, xp))
    values = selection.astype(array_of(fp), dtype)
    for which, end in (("left", left), ("right", right)):
        if end is not None and np.ndim(end):
            raise TypeError(f"interp takes one number to the {which}, but got shape {np.shape(end)}; give a number"
                            f"{at_user_line()}")
        if end is not None and dtype is np.float64 and np.iscomplexobj(end):
            raise TypeError(f"interp has real values, but a complex {which}={end!r}; give a real one, or complex values"
                            f"{at_user_line()}")
    if knots.ndim != 1 or knots.shape != values.shape or not knots.shape[0]:
        raise ValueError(f"interp needs as many values as knots, but got shapes {knots.shape} and {values.shape}"
                         f"; give one value per knot{at_user_line()}")
    if period is not None:
        x, knots, values = _periodic(x, knots, values, period)
        left = right = None
    n = knots.shape[0]
    # At a knot the slope is that to its right, at the last one that to its left. Outside the line is not extended: that
    # of an infinite point would be NaN.
    outside = (x < knots[0]) | (x > knots[-1]) | (x != x)
    point = selection.where(outside, knots[0], x)
    place = searchsorted(knots, point, side="right")
    upper = selection.minimum(selection.maximum(place, 1), max(n - 1, 0))
    lower = selection.maximum(upper - 1, 0)
    x0, x1, y0, y1 = (take(v, k) for v in (knots, values) for k in (lower, upper))
    ans = (_between if _finite(knots) and _finite(values) else _between_any)(point, x0, x1, y0, y1)
    ans = selection.where(x < knots[0], values[0] if left is None else left, ans)
    ans = selection.where(x > knots[-1], values[-1] if right is None else right, ans)
    return selection.where(x != x, x, ans)


def _finite(x: Array) -> bool:
    """Tell whether all elements are known to be finite."""
    return is_concrete(x) and bool(selection.isfinite(unwrap_tracer(x)).all())


def _between(x: Array, x0: Array, x1: Array, y0: Array, y1: Array) -> Array:
    """The line through two finite points, at `x`; the second point where they coincide."""
    gap = x1 - x0
    same = gap == 0
    return selection.where(same, y1, (y1 - y0) / selection.where(same, 1.0, gap) * (x - x0) + y0)


def _between_any(x: Array, x0: Array, x1: Array, y0: Array, y1: Array) -> Array:
    """The same where coordinates may be infinite, as NumPy has it: from the second point where the first gives NaN."""
    if y0.dtype.kind == "c":
        parts = [_between_any(x, x0, x1, *ends) for ends in ((y0.real, y1.real), (y0.imag, y1.imag))]
        return pairs.as_complex(shaping.stack(*parts, axis=x.ndim))
    gap = x1 - x0
    same, level = gap == 0, y0 == y1
    flat = level & selection.isinf(y0)
    slope = (selection.where(flat, 0.0, y1) - selection.where(flat, 0.0, y0)) / selection.where(same, 1.0, gap)
    astray = selection.isnan(slope * (x - x0) + y0)
    lost = selection.isnan(slope * (x - x1) + y1)
    # Masked before the products, too: the derivative of what is not chosen would be 0 * infinity.
    ahead, behind = ~astray, astray & ~lost & (x != x0) & (x != x1)
    ans = selection.where(ahead, slope, 0.0) * selection.where(ahead, x - x0, 0.0) + y0
    back = selection.where(behind, slope, 0.0) * selection.where(behind, x - x1, 0.0) + y1
    back = selection.where((x == x0) | (x != x1) & lost & level, y0, selection.where(lost & (x != x1), np.nan, back))
    return selection.where(same, y1, selection.where(astray, back, ans))


def _periodic(x: Array, knots: Array, values: Array, period: Any) -> tuple:
    """The point and the knots in one period, with a knot of the neighboring period on either side."""
    if period == 0:
        raise ValueError(f"interp needs a period other than 0; omit it for data without a period{at_user_line()}")
    period = abs(period)
    x, knots = selection.remainder(x, period), selection.remainder(knots, period)
    order = methods.argsort(knots)
    knots, values = take(knots, order), take(values, order)
    knots = shaping.concatenate(knots[-1:] - period, knots, knots[:1] + period, axis=0)
    return x, knots, shaping.concatenate(values[-1:], values, values[:1], axis=0)


@implements(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x: Array, window_shape: Any, axis: Any = None, *, subok: bool = False,
                        writeable: bool = False) -> Array:
    x = array_of(x)
    sizes = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if axis is None:
        axes = list(range(x.ndim))
    else:
        axes = [methods.normal_axis(k, x.ndim) for k in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(axes) != len(sizes) or writeable:
        raise ValueError(f"sliding_window_view needs a window length for each of {len(axes)} axes, and windows of a "
                         f"traced value are read only, but got {sizes} and writeable={writeable}; "
                         f"give one length per axis, or name the axes{at_user_line()}")
    lengths = list(x.shape)
    for k, size in zip(axes, sizes):
        if size < 0 or size > lengths[k]:
            raise ValueError(f"sliding_window_view cannot cut windows of {size} from axis {k} of length {lengths[k]}"
                             f"; take windows of at most that length{at_user_line()}")
        lengths[k] -= size - 1
    return views.windows(x, sizes, tuple(axes))
