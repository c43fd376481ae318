"""Discrete Fourier transforms along one axis."""

from typing import Any

import numpy as np

from ...core.checks import refuse_arguments
from ...numpy import fft as transforms
from ...numpy.surface import Array, floating


def single(x: Array) -> Array:
    """`x` as floating values; half precision in single, as SciPy has it."""
    x = floating(x)
    return x.astype(np.dtype(np.float32)) if x.dtype.itemsize == 2 else x


def fft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform.

    Args:
        x: an array, real or complex; integers are converted to float64.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of complex values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.fft([1.0, 2.0])
    array([ 3.+0.j, -1.+0.j])
    """
    refuse_arguments("fft", plan=plan)
    return transforms.fft(single(x), n, axis, norm)


def ifft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the inverse discrete Fourier transform.

    Args:
        x: an array, real or complex; integers are converted to float64.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of complex values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.ifft([3.0, -1.0])
    array([1.+0.j, 2.+0.j])
    """
    refuse_arguments("ifft", plan=plan)
    return transforms.ifft(single(x), n, axis, norm)


def rfft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform of real values: half of the spectrum.

    Args:
        x: an array, real; integers are converted to float64.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of complex values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.rfft([1.0, 2.0])
    array([ 3.+0.j, -1.+0.j])
    """
    refuse_arguments("rfft", plan=plan)
    return transforms.rfft(single(x), n, axis, norm)


def irfft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute real values from half of their spectrum.

    Args:
        x: an array: half of a Hermitian spectrum.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of real values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.irfft([3.0, -1.0])
    array([1., 2.])
    """
    refuse_arguments("irfft", plan=plan)
    return transforms.irfft(single(x), n, axis, norm)


def hfft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the real spectrum of a Hermitian signal from half of it.

    Args:
        x: an array: half of a Hermitian spectrum.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of real values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.hfft([3.0, -1.0])
    array([2., 4.])
    """
    refuse_arguments("hfft", plan=plan)
    return transforms.hfft(single(x), n, axis, norm)


def ihfft(
    x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute half of the Hermitian signal of a real spectrum.

    Args:
        x: an array, real; integers are converted to float64.
        n: the length; `x` is cut or filled up with zeros.
        axis: along which axis.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        plan: not supported.
    Returns:
        an array of complex values.
    Raises:
        ValueError: a length or `norm` is invalid.
        TypeError: `plan` is given.

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> fft.ihfft([2.0, 4.0])
    array([ 3.-0.j, -1.-0.j])
    """
    refuse_arguments("ihfft", plan=plan)
    return transforms.ihfft(single(x), n, axis, norm)
