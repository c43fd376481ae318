"""Frequencies, shifts, and lengths for which transforms are fast."""

from typing import Any

from ...core.checks import refuse_arguments, whole
from ...core.ops.scipy import library
from ...numpy import fft as transforms
from ...numpy.surface import Array


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Compute the frequencies of the discrete Fourier transform.

    Args:
        n: the length.
        d: the distance of samples.
        xp, device: not supported.
    Returns:
        a float64 array of length `n`.
    Raises:
        TypeError: `xp` or `device` is given.

    >>> from covector.scipy import fft
    >>> fft.fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    refuse_arguments("fftfreq", xp=xp, device=device)
    return transforms.fftfreq(n, d)


def rfftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None) -> Any:
    """Compute the frequencies of the discrete Fourier transform of real values.

    Args:
        n: the length.
        d: the distance of samples.
        xp, device: not supported.
    Returns:
        a float64 array of length `n // 2 + 1`.
    Raises:
        TypeError: `xp` or `device` is given.

    >>> from covector.scipy import fft
    >>> fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    refuse_arguments("rfftfreq", xp=xp, device=device)
    return transforms.rfftfreq(n, d)


def fftshift(x: Array, axes: Any = None) -> Array:
    """Move the frequency 0 to the middle.

    Args:
        x: an array.
        axes: along which axes; all by default.
    Returns:
        an array of the shape and dtype of `x`.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.fftshift(np.arange(4.0))
    array([2., 3., 0., 1.])
    """
    return transforms.fftshift(x, axes)


def ifftshift(x: Array, axes: Any = None) -> Array:
    """Move the frequency 0 from the middle to the front.

    Args:
        x: an array.
        axes: along which axes; all by default.
    Returns:
        an array of the shape and dtype of `x`.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.ifftshift(np.arange(3.0))
    array([1., 2., 0.])
    """
    return transforms.ifftshift(x, axes)


def next_fast_len(target: int, real: bool = False) -> int:
    """Find the next length for which transforms are fast.

    Args:
        target: the least length, an integer.
        real: whether values are real.
    Returns:
        an integer, at least `target`.

    >>> from covector.scipy import fft
    >>> fft.next_fast_len(31)
    32
    """
    return library.fft.next_fast_len(whole(target, "target", 0), real)


def prev_fast_len(target: int, real: bool = False) -> int:
    """Find the last length for which transforms are fast.

    Args:
        target: the largest length, an integer.
        real: whether values are real.
    Returns:
        an integer, at most `target`.

    >>> from covector.scipy import fft
    >>> fft.prev_fast_len(34)
    33
    """
    return library.fft.prev_fast_len(whole(target, "target", 1), real)
