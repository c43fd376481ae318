"""Discrete Fourier transforms: `numpy.fft` on arrays and traced arrays."""

import operator
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.errors import DtypeError, at_user_line
from ..core.numpy_api import methods
from ..core.ops import fourier, selection, shaping
from .shaping import roll
from .surface import Array, array_of, implements, refuse_options

fftfreq, rfftfreq = np.fft.fftfreq, np.fft.rfftfreq


def _prepared(a: Any, name: str, out: Any) -> Array:
    refuse_options(name, out)
    a = array_of(a)
    return a if a.dtype.kind in "fc" else selection.astype(a, np.float64)


def _scaling(norm: Any) -> str:
    if norm not in (None, *fourier.SWAPPED):
        raise ValueError(f"norm must be 'backward', 'ortho', 'forward' or None, but is {norm!r}; "
                         f"choose one of them{at_user_line()}")
    return "backward" if norm is None else norm


def _length(n: Any, default: int) -> int:
    n = default if n is None else operator.index(n)
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified; give at least one{at_user_line()}")
    return n


def _fit(a: Array, n: int, axis: int) -> Array:
    """`a` cut or filled up with zeros to length `n`."""
    size = a.shape[axis]
    if n < size:
        return shaping.slice_axis(a, axis, 0, n)
    if n > size:
        return shaping.pad(a, tuple((0, n - size) if k == axis else (0, 0) for k in range(a.ndim)))
    return a


def _along(a: Array, n: Any, axis: Any, norm: Any, inverse: bool) -> Array:
    axis = methods.normal_axis(axis, a.ndim)
    return fourier.dft(_fit(a, _length(n, a.shape[axis]), axis), (axis,), inverse, _scaling(norm))


def _real(a: Array, n: Any, axis: Any, norm: Any) -> Array:
    if a.dtype.kind == "c":
        raise DtypeError(f"rfft takes real values, but got {a.dtype}; use fft, or take a.real{at_user_line()}")
    axis = methods.normal_axis(axis, a.ndim)
    return fourier.rdft(_fit(a, _length(n, a.shape[axis]), axis), axis, _scaling(norm))


def _back(a: Array, n: Any, axis: Any, norm: Any) -> Array:
    axis = methods.normal_axis(axis, a.ndim)
    n = _length(n, (a.shape[axis] - 1) * 2)
    ans = fourier.irdft(_fit(shaping.complex_of(a), n // 2 + 1, axis), axis, n, _scaling(norm))
    return selection.astype(ans, a.dtype) if a.dtype == np.float16 else ans


@implements(np.fft.fft)
def fft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    return _along(_prepared(a, "fft.fft", out), n, axis, norm, False)


@implements(np.fft.ifft)
def ifft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    return _along(_prepared(a, "fft.ifft", out), n, axis, norm, True)


@implements(np.fft.rfft)
def rfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    return _real(_prepared(a, "fft.rfft", out), n, axis, norm)


@implements(np.fft.irfft)
def irfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    return _back(_prepared(a, "fft.irfft", out), n, axis, norm)


@implements(np.fft.hfft)
def hfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    a = _prepared(a, "fft.hfft", out)
    return _back(shaping.conjugate(a), n, axis, fourier.SWAPPED[_scaling(norm)])


@implements(np.fft.ihfft)
def ihfft(a: Array, n: Any = None, axis: Any = -1, norm: Any = None, out: Any = None) -> Array:
    return shaping.conjugate(_real(_prepared(a, "fft.ihfft", out), n, axis, fourier.SWAPPED[_scaling(norm)]))


def _lengths(a: Array, s: Any, axes: Any, halved: bool = False) -> tuple[list[int], list[int]]:
    """The lengths and the axes that `s` and `axes` stand for; the last length is that of real values if `halved`."""
    if axes is None:
        if s is not None:
            warnings.warn("`axes` should not be `None` if `s` is not `None` (deprecated in NumPy 2.0)",
                          DeprecationWarning, stacklevel=4)
        axes = range(-(a.ndim if s is None else len(s)), 0)
    if isinstance(axes, set | dict) or not hasattr(axes, "__iter__"):
        raise TypeError(f"axes is a sequence of integers, but got {axes!r}; give a tuple, in order{at_user_line()}")
    axes = [methods.normal_axis(k, a.ndim) for k in axes]
    if s is not None and len(s) != len(axes):
        raise ValueError(f"s and axes have different lengths: {len(s)} and {len(axes)}; "
                         f"give one length per axis{at_user_line()}")
    lengths = [a.shape[k] for k in axes]
    if halved and lengths:
        lengths[-1] = (lengths[-1] - 1) * 2
    for i, n in enumerate(() if s is None else s):
        if n is None:
            warnings.warn("None in `s` is deprecated in NumPy 2.0; name the length", DeprecationWarning, stacklevel=4)
        elif n != -1:
            lengths[i] = n
        elif halved and i == len(lengths) - 1:
            lengths[i] = a.shape[axes[i]]
    return [_length(n, 0) for n in lengths], axes


def _over(a: Array, lengths: Sequence[int], axes: Sequence[int], norm: Any, inverse: bool) -> Array:
    if len(set(axes)) != len(axes):  # an axis that is named twice is transformed twice
        for n, axis in zip(reversed(lengths), reversed(axes)):
            a = _along(a, n, axis, norm, inverse)
        return a
    for n, axis in zip(lengths, axes):
        a = _fit(a, n, axis)
    if not axes:
        return a
    return fourier.dft(a, tuple(axes), inverse, _scaling(norm))


def _many(name: str, inverse: bool, default: Any) -> Callable[..., Array]:
    def several(a: Array, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Array:
        a = _prepared(a, f"fft.{name}", out)
        return _over(a, *_lengths(a, s, axes), norm, inverse)

    return implements(getattr(np.fft, name))(several)


fftn, ifftn = _many("fftn", False, None), _many("ifftn", True, None)
fft2, ifft2 = _many("fft2", False, (-2, -1)), _many("ifft2", True, (-2, -1))


def _many_real(name: str, default: Any) -> Callable[..., Array]:
    def several(a: Array, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Array:
        a = _prepared(a, f"fft.{name}", out)
        lengths, axes = _lengths(a, s, axes)
        a = _real(a, lengths[-1], axes[-1], norm)
        return _over(a, lengths[:-1], axes[:-1], norm, False)

    return implements(getattr(np.fft, name))(several)


rfftn, rfft2 = _many_real("rfftn", None), _many_real("rfft2", (-2, -1))


def _many_back(name: str, default: Any) -> Callable[..., Array]:
    def several(a: Array, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Array:
        a = _prepared(a, f"fft.{name}", out)
        lengths, axes = _lengths(a, s, axes, halved=True)
        first = zip(lengths[:-1], axes[:-1])
        for n, axis in first if len(set(axes)) != len(axes) else ():
            a = _along(a, n, axis, norm, True)
        if len(set(axes)) == len(axes):
            a = _over(a, lengths[:-1], axes[:-1], norm, True)
        return _back(a, lengths[-1], axes[-1], norm)

    return implements(getattr(np.fft, name))(several)


irfftn, irfft2 = _many_back("irfftn", None), _many_back("irfft2", (-2, -1))


def _shifted(x: Array, axes: Any, sign: int) -> Array:
    x = array_of(x)
    axes = range(x.ndim) if axes is None else axes if isinstance(axes, (tuple, list)) else (axes,)
    return roll(x, tuple(sign * (x.shape[k] // 2) for k in axes), tuple(axes))


@implements(np.fft.fftshift)
def fftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, 1)


@implements(np.fft.ifftshift)
def ifftshift(x: Array, axes: Any = None) -> Array:
    return _shifted(x, axes, -1)
