"""Discrete Fourier transforms along one axis."""

from typing import Any, Protocol

import numpy as np

from ...core.checks import refuse_arguments
from ...numpy import fft as transforms
from ...numpy.surface import Array, floating

# The docstrings of transforms, from what differs between them.

ANY = "an array, real or complex; integers are converted to float64."
REAL = "an array, real; integers are converted to float64."
HALF = "an array: half of a Hermitian spectrum."
COMPLEX, FLOATING = "an array of complex values.", "an array of real values."

_TEXT = """{does}

    Args:
        x: {takes}
        {lengths}; `x` is cut or filled up with zeros.
        {along}.
        norm: "backward", "ortho", "forward" or None: which direction is scaled.
        overwrite_x, workers: accepted for compatibility with SciPy; nothing is overwritten.
        {last}
    Returns:
        {gives}
    Raises:
        {raises}

    >>> import numpy as np
    >>> from covector.scipy import fft
    >>> {example}
    {shown}
    """


def named(fun: Any, name: str, **parts: str) -> Any:
    """`fun` as the public function of a name, with its docstring."""
    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = _TEXT.format(**parts)
    return fun


PLAN = {
    "last": "plan: not supported.",
    "raises": "ValueError: a length or `norm` is invalid.\n        TypeError: `plan` is given.",
}


def single(x: Array) -> Array:
    """`x` as floating values; half precision in single, as SciPy has it."""
    x = floating(x)
    return x.astype(np.dtype(np.float32)) if x.dtype.itemsize == 2 else x


class Transform(Protocol):
    """The call signature of a transform."""

    def __call__(
        self, x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, plan: Any = None,
    ) -> Array: ...


def _along(name: str, does: str, takes: str, gives: str, example: str, shown: str) -> Transform:
    """The transform of `covector.numpy.fft` with SciPy's arguments."""
    run = getattr(transforms, name)

    def transform(
        x: Array, n: int | None = None, axis: int = -1, norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, plan: Any = None,
    ) -> Array:
        refuse_arguments(name, plan=plan)
        return run(single(x), n, axis, norm)

    return named(transform, name, does=does, takes=takes, gives=gives, lengths="n: the length",
                 along="axis: along which axis", example=example, shown=shown, **PLAN)


fft = _along(
    "fft", "Compute the discrete Fourier transform.", ANY, COMPLEX, "fft.fft([1.0, 2.0])",
    "array([ 3.+0.j, -1.+0.j])",
)
ifft = _along(
    "ifft", "Compute the inverse discrete Fourier transform.", ANY, COMPLEX, "fft.ifft([3.0, -1.0])",
    "array([1.+0.j, 2.+0.j])",
)
rfft = _along(
    "rfft", "Compute the discrete Fourier transform of real values: half of the spectrum.", REAL, COMPLEX,
    "fft.rfft([1.0, 2.0])", "array([ 3.+0.j, -1.+0.j])",
)
irfft = _along(
    "irfft", "Compute real values from half of their spectrum.", HALF, FLOATING, "fft.irfft([3.0, -1.0])",
    "array([1., 2.])",
)
hfft = _along(
    "hfft", "Compute the real spectrum of a Hermitian signal from half of it.", HALF, FLOATING,
    "fft.hfft([3.0, -1.0])", "array([2., 4.])",
)
ihfft = _along(
    "ihfft", "Compute half of the Hermitian signal of a real spectrum.", REAL, COMPLEX, "fft.ihfft([2.0, 4.0])",
    "array([ 3.-0.j, -1.-0.j])",
)
