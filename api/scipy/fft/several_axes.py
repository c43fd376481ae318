"""Discrete Fourier transforms along several axes."""

from typing import Any

from ...core.checks import refuse_arguments
from ...core.ops.fourier import SWAPPED
from ...core.ops.shaping import conjugate
from ...numpy import fft as transforms
from ...numpy.surface import Array
from .one_axis import single


def _turned(norm: str | None) -> str:
    """The scaling of the other direction."""
    return SWAPPED.get(norm or "backward", norm or "backward")


def fft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform along two axes.

    Args:
        x: an array, real or complex; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.fft2(np.ones((1, 2)))
    array([[2.+0.j, 0.+0.j]])
    """
    refuse_arguments("fft2", plan=plan)
    return transforms.fft2(single(x), s, axes, norm)


def ifft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the inverse discrete Fourier transform along two axes.

    Args:
        x: an array, real or complex; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.ifft2(np.ones((1, 2)))
    array([[1.+0.j, 0.+0.j]])
    """
    refuse_arguments("ifft2", plan=plan)
    return transforms.ifft2(single(x), s, axes, norm)


def rfft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform of real values along two axes: half of the spectrum, by the last.

    Args:
        x: an array, real; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.rfft2(np.ones((1, 2)))
    array([[2.+0.j, 0.+0.j]])
    """
    refuse_arguments("rfft2", plan=plan)
    return transforms.rfft2(single(x), s, axes, norm)


def irfft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute real values from half of their spectrum along two axes.

    Args:
        x: an array: half of a Hermitian spectrum.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.irfft2(np.ones((1, 2)))
    array([[1., 0.]])
    """
    refuse_arguments("irfft2", plan=plan)
    return transforms.irfft2(single(x), s, axes, norm)


def hfft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the real spectrum of a Hermitian signal along two axes from half of it.

    Args:
        x: an array: half of a Hermitian spectrum.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.hfft2(np.ones((1, 2)))
    array([[2., 0.]])
    """
    refuse_arguments("hfft2", plan=plan)
    return hfftn(x, s, axes, norm)


def ihfft2(
    x: Array, s: Any = None, axes: Any = (-2, -1), norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute half of the Hermitian signal of a real spectrum along two axes.

    Args:
        x: an array, real; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.ihfft2(np.ones((1, 2)))
    array([[1.-0.j, 0.-0.j]])
    """
    refuse_arguments("ihfft2", plan=plan)
    return ihfftn(x, s, axes, norm)


def fftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform along several axes.

    Args:
        x: an array, real or complex; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.fftn(np.ones((1, 2)))
    array([[2.+0.j, 0.+0.j]])
    """
    refuse_arguments("fftn", plan=plan)
    return transforms.fftn(single(x), s, axes, norm)


def ifftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the inverse discrete Fourier transform along several axes.

    Args:
        x: an array, real or complex; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.ifftn(np.ones((1, 2)))
    array([[1.+0.j, 0.+0.j]])
    """
    refuse_arguments("ifftn", plan=plan)
    return transforms.ifftn(single(x), s, axes, norm)


def rfftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the discrete Fourier transform of real values along several axes: half of the spectrum, by the last.

    Args:
        x: an array, real; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.rfftn(np.ones((1, 2)))
    array([[2.+0.j, 0.+0.j]])
    """
    refuse_arguments("rfftn", plan=plan)
    return transforms.rfftn(single(x), s, axes, norm)


def irfftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute real values from half of their spectrum along several axes.

    Args:
        x: an array: half of a Hermitian spectrum.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.irfftn(np.ones((1, 2)))
    array([[1., 0.]])
    """
    refuse_arguments("irfftn", plan=plan)
    return transforms.irfftn(single(x), s, axes, norm)


def hfftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute the real spectrum of a Hermitian signal along several axes from half of it.

    Args:
        x: an array: half of a Hermitian spectrum.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.hfftn(np.ones((1, 2)))
    array([[2., 0.]])
    """
    refuse_arguments("hfftn", plan=plan)
    x = single(x)
    return transforms.irfftn(conjugate(x) if x.dtype.kind == "c" else x, s, axes, _turned(norm))


def ihfftn(
    x: Array, s: Any = None, axes: Any = None, norm: str | None = None, overwrite_x: bool = False,
    workers: int | None = None, *, plan: Any = None,
) -> Array:
    """Compute half of the Hermitian signal of a real spectrum along several axes.

    Args:
        x: an array, real; integers are converted to float64.
        s: the lengths; `x` is cut or filled up with zeros.
        axes: along which axes.
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
    >>> fft.ihfftn(np.ones((1, 2)))
    array([[1.-0.j, 0.-0.j]])
    """
    refuse_arguments("ihfftn", plan=plan)
    return conjugate(transforms.rfftn(single(x), s, axes, _turned(norm)))
