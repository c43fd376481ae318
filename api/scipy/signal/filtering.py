"""Recursive filters."""

from typing import Any

import numpy as np

from ...core.arrays.dtypes import result_dtype
from ...core.checks import one_of, refuse_arguments, whole
from ...core.errors import DtypeError, ShapeError, at_user_line
from ...core.numpy_api.methods import normal_axis
from ...core.ops.scipy import filters
from ...core.ops.shaping import broadcast_to, concatenate, pad, stack
from ...core.trace.device import constant
from ...core.trace.tracer import is_concrete, unwrap
from ...numpy import asarray, cumsum, fft, moveaxis
from ...numpy.surface import Array, floating


def lfilter(b: Array, a: Array, x: Array, axis: int = -1, zi: Array | None = None) -> Any:
    """Filter a signal along one axis by a rational transfer function.

    `a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + … - a[1] y[n - 1] - …`, in the transposed direct form II.

    Args:
        b, a: vectors of coefficients; `a[0]` is not 0.
        x: the signal.
        axis: along which axis.
        zi: the state at the start, of the shape of `x` but for `max(len(a), len(b)) - 1` along `axis`, or broadcast to
            it; 0 by default.
    Returns:
        an array of the shape of `x`; with `zi`, the pair of it and the state at the end.
    Raises:
        ShapeError: the shapes do not fit.
        ValueError: `a[0]` is 0.
    Derivative: the recursion, differentiated: the same filter without zeros, of `db * x - da * y`; backward in time
    for the adjoint.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.lfilter([1.0], [1.0, -0.5], np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    b, a, x = floating(b), floating(a), floating(x)
    if b.ndim != 1 or a.ndim != 1 or not b.shape[0] or not a.shape[0] or not x.ndim:
        raise ShapeError(f"lfilter needs vectors b and a and a signal along an axis, but got shapes {tuple(b.shape)}, "
                         f"{tuple(a.shape)} and {tuple(x.shape)}; use vmap for stacks of filters{at_user_line()}")
    known = unwrap(a) if is_concrete(a) else None
    if known is not None and known[0] == 0:
        raise ValueError(f"lfilter needs a[0] that is not 0, but got {known!r}; leave out leading zeros"
                         f"{at_user_line()}")
    axis = normal_axis(axis, x.ndim)
    x = moveaxis(x, axis, -1)
    length = max(a.shape[0], b.shape[0])
    b, a = _padded(b, a)
    shape = (*x.shape[:-1], length - 1)
    state = constant(np.zeros(shape, result_dtype(b, a, x)), x)
    if zi is not None:
        state = floating(zi)
        state = moveaxis(state, axis, -1) if state.ndim == x.ndim else state
        if state.ndim != len(shape) or any(n not in (1, m) for n, m in zip(state.shape[:-1], shape)) or (
                state.shape[-1] != length - 1):
            raise ShapeError(f"Unexpected shape for zi: expected {shape} with the last axis at {axis}, found "
                             f"{tuple(state.shape)}; see lfilter_zi{at_user_line()}")
        state = broadcast_to(state, shape)
    y = filters.lfilter(b, a, x, state)
    if zi is None:
        return moveaxis(y, -1, axis)
    return moveaxis(y, -1, axis), moveaxis(_last_state(b, a, x, y, state), -1, axis)


def _last_state(b: Array, a: Array, x: Array, y: Array, zi: Array) -> Array:
    """z[k] = Σ_j b[k + 1 + j] x[n - 1 - j] - a[k + 1 + j] y[n - 1 - j], and what is left of the first state."""
    n, count = x.shape[-1], zi.shape[-1]
    none = ((0, 0),) * (x.ndim - 1)
    out = pad(zi[..., n:], (*none, (0, min(n, count))))
    for j in range(min(n, count)):
        part = b[1 + j :] * x[..., n - 1 - j, None] - a[1 + j :] * y[..., n - 1 - j, None]
        out = out + pad(part, (*none, (0, j)))
    return out


def lfilter_zi(b: Array, a: Array) -> Array:
    """Compute the state of a filter in which the response to a constant signal of 1 is at rest.

    Args:
        b, a: as in `lfilter`.
    Returns:
        a vector of `max(len(a), len(b)) - 1` elements, for `zi` of `lfilter`.

    >>> from covector.scipy import signal
    >>> signal.lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    b, a = _padded(floating(b), floating(a))
    rest = b - a * b[0]
    first = rest[1:].sum() / a.sum()
    return cumsum(a)[:-1] * first - cumsum(rest)[:-1]


def _padded(b: Array, a: Array) -> tuple[Array, Array]:
    """The coefficients, of one length, with `a[0] = 1`."""
    length = max(a.shape[0], b.shape[0])
    return pad(b / a[0], ((0, length - b.shape[0]),)), pad(a / a[0], ((0, length - a.shape[0]),))


def filtfilt(
    b: Array, a: Array, x: Array, axis: int = -1, padtype: str | None = "odd", padlen: int | None = None,
    method: str = "pad", irlen: int | None = None,
) -> Array:
    """Filter a signal forward and backward, which moves no phase.

    Args:
        b, a: as in `lfilter`.
        x: the signal.
        axis: along which axis.
        padtype: how the signal is extended at its ends: "odd", "even", "constant" or None.
        padlen: by how many elements; three times as many as coefficients by default.
        method: "pad"; the method "gust" of SciPy is not supported, nor is its `irlen`.
    Returns:
        an array of the shape of `x`.
    Raises:
        ValueError: `padtype` is none of these, or the signal is not longer than `padlen`.
        TypeError: `irlen` is given.
    Derivative: that of `lfilter`, twice.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.filtfilt([1.0], [1.0, -0.5], np.ones(8)).round(6)
    array([4., 4., 4., 4., 4., 4., 4., 4.])
    """
    refuse_arguments("filtfilt", "extend the signal by padlen=", irlen=irlen)
    one_of(method, "method of filtfilt", ("pad",))
    padtype = one_of(padtype, "padtype of filtfilt", ("odd", "even", "constant", None))
    b, a, x = floating(b), floating(a), floating(x)
    axis = normal_axis(axis, x.ndim)
    x = moveaxis(x, axis, -1)
    edge = 0 if padtype is None else 3 * max(b.shape[0], a.shape[0]) if padlen is None else whole(
        padlen, "padlen of filtfilt", 0)
    if x.shape[-1] <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}, but it is "
                         f"{x.shape[-1]}; give padlen={at_user_line()}")
    if edge:
        ends = x[..., :1], x[..., -1:]
        if padtype == "constant":
            left, right = (broadcast_to(v, (*x.shape[:-1], edge)) for v in ends)
        else:
            left, right = x[..., edge:0:-1], x[..., -2 : -edge - 2 : -1]
            if padtype == "odd":
                left, right = 2.0 * ends[0] - left, 2.0 * ends[1] - right
        x = concatenate(left, x, right, axis=x.ndim - 1)
    rest = lfilter_zi(b, a)
    for _ in range(2):
        x = lfilter(b, a, x, zi=rest * x[..., :1])[0][..., ::-1]
    return moveaxis(x[..., edge : x.shape[-1] - edge], -1, axis)


def sosfilt(sos: Array, x: Array, axis: int = -1, zi: Array | None = None) -> Any:
    """Filter a signal along one axis by a cascade of second-order sections.

    Args:
        sos: `(sections, 6)`: of each section `b`, and `a` with `a[0] = 1`.
        x: the signal.
        axis: along which axis.
        zi: the states at the start, `(sections, …)` with the shape of `x` but for 2 along `axis`; 0 by default.
    Returns:
        an array of the shape of `x`; with `zi`, the pair of it and the states at the end.
    Raises:
        ShapeError: the shapes do not fit.
        ValueError: a section has `a[0]` other than 1.
    Derivative: that of `lfilter`, section by section.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.sosfilt(np.array([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    sos, x = floating(sos), floating(x)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ShapeError(f"sos array must be shape (n_sections, 6), but got {tuple(sos.shape)}; give one row a section"
                         f"{at_user_line()}")
    known = unwrap(sos) if is_concrete(sos) else None
    if known is not None and (known[:, 3] != 1).any():
        raise ValueError(f"sos[:, 3] should be all ones, but got {known[:, 3]!r}; divide each row by that element"
                         f"{at_user_line()}")
    axis = normal_axis(axis, x.ndim)
    y = moveaxis(x, axis, -1)
    shape = (sos.shape[0], *y.shape[:-1], 2)
    states = constant(np.zeros(shape, result_dtype(sos, x)), x)
    if zi is not None:
        states = floating(zi)
        states = moveaxis(states, axis + 1, -1) if states.ndim == len(shape) else states
        if tuple(states.shape) != shape:
            raise ShapeError(f"Invalid zi shape. With axis={axis}, an input with shape {tuple(x.shape)} and "
                             f"{shape[0]} sections needs states {shape} with the last axis at {axis + 1}, but got "
                             f"{tuple(states.shape)}; reshape them{at_user_line()}")
    last = []
    one = constant(np.ones(1, sos.dtype), sos)
    for k in range(sos.shape[0]):
        b, a = sos[k, :3], concatenate(one, sos[k, 4:], axis=0)
        out = filters.lfilter(b, a, y, states[k])
        if zi is not None:
            last.append(_last_state(b, a, y, out, states[k]))
        y = out
    y = moveaxis(y, -1, axis)
    return y if zi is None else (y, moveaxis(stack(*last, axis=0), -1, axis + 1))


# The analytic signal: hilbert.


def hilbert(x: Array, N: int | None = None, axis: int = -1) -> Any:  # noqa: N803 - SciPy's name
    """Compute the analytic signal, whose imaginary part is the Hilbert transform.

    Args:
        x: real.
        N: the length of the transform; by default that of the axis.
        axis: along which.
    Returns:
        complex, of the shape of `x` with `N` places along the axis.
    Raises:
        DtypeError: `x` is complex.

    >>> import numpy as np, covector
    >>> from covector.scipy import signal
    >>> x = np.cos(2 * np.pi * np.arange(8) / 8)
    >>> covector.grad(lambda x: (abs(signal.hilbert(x)) ** 2).sum())(x).round(6)[:3]
    array([4.      , 2.828427, 0.      ])
    """
    x = asarray(x)
    if x.dtype.kind == "c":
        raise DtypeError(f"hilbert needs a real signal, but got {x.dtype}; give its real and imaginary part one by one"
                         f"{at_user_line()}")
    if N is not None and N <= 0:
        raise ValueError(f"hilbert needs a positive length N, but got {N}; omit it for that of the signal"
                         f"{at_user_line()}")
    n = x.shape[axis] if N is None else N
    steps = np.zeros(n, x.dtype if x.dtype.kind == "f" else float)
    steps[0] = 1.0
    steps[1 : (n + 1) // 2] = 2.0
    if n % 2 == 0:
        steps[n // 2] = 1.0
    return moveaxis(fft.ifft(moveaxis(fft.fft(x, n, axis), axis, -1) * steps), -1, axis)
