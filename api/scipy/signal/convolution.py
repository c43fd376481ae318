"""Convolution and correlation over several axes, directly and by Fourier transforms."""

from typing import Any

import numpy as np

from ...core.arrays.dtypes import result_dtype
from ...core.checks import one_of
from ...core.errors import ShapeError, at_user_line
from ...core.numpy_api.methods import normal_axis
from ...core.ops.scipy import correlation, library
from ...core.ops.selection import astype
from ...core.ops.shaping import conjugate, flip, slice_axis
from ...numpy import fft, pad
from ...numpy.surface import Array, floating

_MODES = ("full", "valid", "same")


def convolve(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    """Convolve two arrays of the same number of axes.

    Args:
        in1, in2: arrays, real or complex; integers are converted to float64.
        mode: "full", "valid" or "same", as in SciPy.
        method: "direct", "fft", or "auto" for SciPy's choice by the shapes.
    Returns:
        an array; the dtypes are promoted.
    Raises:
        ShapeError: the numbers of axes differ, or, with "valid", neither array fits into the other.
        ValueError: `mode` or `method` is unknown.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]), "same")
    array([1. , 2.5, 4. ])
    """
    return _convolve("convolve", floating(in1), floating(in2), mode, method)


def correlate(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    """Correlate two arrays: convolve `in1` with `in2` reversed and conjugated.

    Args:
        in1, in2, mode, method: as in `convolve`.
    Returns:
        an array; the dtypes are promoted.
    Raises:
        ShapeError, ValueError: as `convolve`.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]))
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    y = floating(in2)
    y = flip(y, axes=tuple(range(y.ndim)))
    return _convolve("correlate", floating(in1), conjugate(y) if y.dtype.kind == "c" else y, mode, method)


def fftconvolve(in1: Array, in2: Array, mode: str = "full", axes: Any = None) -> Array:
    """Convolve two arrays of the same number of axes by Fourier transforms.

    Args:
        in1, in2: arrays, real or complex; integers are converted to float64. Along axes that are not transformed
            their shapes broadcast.
        mode: "full", "valid" or "same", as in SciPy.
        axes: along which axes; all by default.
    Returns:
        an array; the dtypes are promoted.
    Raises:
        ShapeError: the shapes do not fit.
        ValueError: `mode` is unknown.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.fftconvolve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0])).round(12)
    array([1., 3., 5., 3.])
    """
    x, y = floating(in1), floating(in2)
    _check("fftconvolve", x, y, mode)
    if not x.ndim:
        return x * y
    if axes is not None:
        axes = [normal_axis(k, x.ndim) for k in (axes if hasattr(axes, "__iter__") else (axes,))]
        if not axes or len(set(axes)) < len(axes):
            raise ValueError(f"axes of fftconvolve are different ones, at least one, but got {axes}; name each once"
                             f"{at_user_line()}")
    axes = [k for k in (range(x.ndim) if axes is None else axes) if x.shape[k] != 1 and y.shape[k] != 1]
    if any(x.shape[k] != y.shape[k] and 1 not in (x.shape[k], y.shape[k]) for k in range(x.ndim) if k not in axes):
        raise ShapeError(f"incompatible shapes for in1 and in2: {tuple(x.shape)} and {tuple(y.shape)}; they are equal, "
                         f"or 1, along axes that are not transformed{at_user_line()}")
    if _swapped("fftconvolve", x, y, mode, axes):
        x, y = y, x
    return _cut(_by_transforms(x, y, axes), x, y, mode, axes)


def convolve2d(
    in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0,
) -> Array:
    """Convolve two matrices.

    Args:
        in1, in2: matrices, real or complex; integers are converted to float64.
        mode: "full", "valid" or "same", as in SciPy.
        boundary: what lies around `in1`: "fill", "wrap" or "symm".
        fillvalue: with "fill", what lies there.
    Returns:
        a matrix; the dtypes are promoted.
    Raises:
        ShapeError: an argument is not a matrix, or, with "valid", neither fits into the other.
        ValueError: `mode` or `boundary` is unknown.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.convolve2d(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 1.0]]), "same", "wrap")
    array([[4., 3., 5.]])
    """
    return _two_axes("convolve2d", floating(in1), floating(in2), mode, boundary, fillvalue)


def correlate2d(
    in1: Array, in2: Array, mode: str = "full", boundary: str = "fill", fillvalue: float = 0,
) -> Array:
    """Correlate two matrices: convolve `in1` with `in2` reversed and conjugated.

    Args:
        in1, in2, mode, boundary, fillvalue: as in `convolve2d`.
    Returns:
        a matrix; the dtypes are promoted.
    Raises:
        ShapeError, ValueError: as `convolve2d`.

    >>> import numpy as np
    >>> from covector.scipy import signal
    >>> signal.correlate2d(np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 0.5]]), "valid")
    array([[2. , 3.5]])
    """
    y = floating(in2)
    y = flip(y, axes=tuple(range(y.ndim)))
    return _two_axes("correlate2d", floating(in1), conjugate(y) if y.dtype.kind == "c" else y, mode, boundary,
                     fillvalue)


def _two_axes(name: str, x: Array, y: Array, mode: str, boundary: str, fill: float) -> Array:
    if x.ndim != 2 or y.ndim != 2:
        raise ShapeError(f"{name} needs two matrices, but got shapes {tuple(x.shape)} and {tuple(y.shape)}; use "
                         f"{name[:-2]}{at_user_line()}")
    around = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}
    kind = around[one_of(boundary, f"boundary of {name}", tuple(around))]
    if one_of(mode, f"mode of {name}", _MODES) == "valid":
        return _convolve(name, x, y, mode, "direct")
    if boundary == "fill" and isinstance(fill, (int, float)) and not fill:
        full = _convolve(name, x, y, "full", "direct")
    else:
        values = {"constant_values": fill} if boundary == "fill" else {}
        full = _convolve(name, pad(x, [(n - 1, n - 1) for n in y.shape], kind, **values), y, "valid", "direct")
    if mode == "full" or name == "convolve2d":
        return _cut(full, x, y, mode, [0, 1])
    for k in range(2):  # SciPy's middle of an even length, which is not that of `correlate`
        full = slice_axis(full, k, y.shape[k] // 2, y.shape[k] // 2 + x.shape[k])
    return full


def _by_transforms(x: Array, y: Array, axes: list[int]) -> Array:
    if not axes:
        return x * y
    if not np.prod(x.shape) * np.prod(y.shape):
        return x.sum() * y.sum() * np.zeros((0,))
    real = x.dtype.kind != "c" and y.dtype.kind != "c"
    sizes = [x.shape[k] + y.shape[k] - 1 for k in axes]
    padded = [library.fft.next_fast_len(n, real) for n in sizes]
    there, back = (fft.rfftn, fft.irfftn) if real else (fft.fftn, fft.ifftn)
    out = back(there(x, s=padded, axes=axes) * there(y, s=padded, axes=axes), s=padded, axes=axes)
    for k, n in zip(axes, sizes):
        out = slice_axis(out, k, 0, n)
    return out


def _convolve(name: str, x: Array, y: Array, mode: str, method: str) -> Array:
    _check(name, x, y, mode)
    one_of(method, f"method of {name}", ("auto", "direct", "fft"))
    if not x.ndim:
        return x * y
    every = list(range(x.ndim))
    if _swapped(name, x, y, mode, every):
        x, y = y, x
    if method == "auto":
        shaped = [np.broadcast_to(np.zeros((), v.dtype), v.shape) for v in (x, y)]
        method = library.signal.choose_conv_method(*shaped, mode=mode)
    if method == "fft":
        axes = [k for k in every if x.shape[k] != 1 and y.shape[k] != 1]
        out = _cut(_by_transforms(x, y, axes), x, y, mode, every)
        dtype = result_dtype(x, y)
        out = out if out.dtype == dtype else astype(out, dtype)
    elif mode == "valid":
        out = correlation.convolve_nd(x, y, 0, False)
    else:
        out = _cut(correlation.convolve_nd(x, y, 0, True), x, y, mode, every)
    return out


def _check(name: str, x: Array, y: Array, mode: str) -> None:
    one_of(mode, f"mode of {name}", _MODES)
    if x.ndim != y.ndim:
        raise ShapeError(f"{name} needs arrays of the same number of axes, but got shapes {tuple(x.shape)} and "
                         f"{tuple(y.shape)}; add axes of length 1{at_user_line()}")


def _swapped(name: str, x: Array, y: Array, mode: str, axes: list[int]) -> bool:
    """Tell whether, with mode "valid", the second array is the larger one."""
    if mode != "valid" or all(x.shape[k] >= y.shape[k] for k in axes):
        return False
    if not all(y.shape[k] >= x.shape[k] for k in axes):
        raise ShapeError(f"{name}: for 'valid' mode, one must be at least as large as the other in every dimension, "
                         f"but got shapes {tuple(x.shape)} and {tuple(y.shape)}; use mode='full'{at_user_line()}")
    return True


def _cut(out: Array, x: Array, y: Array, mode: str, axes: list[int]) -> Array:
    """The part of the whole convolution that a mode means: the middle of that length, along `axes`."""
    if mode == "full":
        return out
    for k in range(out.ndim):
        n = out.shape[k] if k not in axes else x.shape[k] if mode == "same" else x.shape[k] - y.shape[k] + 1
        start = (out.shape[k] - n) // 2
        out = slice_axis(out, k, start, start + n)
    return out
