"""Discrete Fourier transforms along several axes."""

from typing import Any, Protocol

from ...core.checks import refuse_arguments
from ...core.ops.fourier import SWAPPED
from ...core.ops.shaping import conjugate
from ...core.types import Callable
from ...numpy import fft as transforms
from ...numpy.surface import Array
from .one_axis import ANY, COMPLEX, FLOATING, HALF, PLAN, REAL, named, single


def _turned(norm: str | None) -> str:
    """The scaling of the other direction."""
    return SWAPPED.get(norm or "backward", norm or "backward")


def _hermitian(x: Array, s: Any, axes: Any, norm: str | None) -> Array:
    return transforms.irfftn(conjugate(x) if x.dtype.kind == "c" else x, s, axes, _turned(norm))


def _of_hermitian(x: Array, s: Any, axes: Any, norm: str | None) -> Array:
    return conjugate(transforms.rfftn(x, s, axes, _turned(norm)))


class Transform(Protocol):
    """The call signature of a transform."""

    def __call__(
        self, x: Array, s: Any = None, axes: Any = ..., norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, plan: Any = None,
    ) -> Array: ...


def _over(
    name: str, run: Callable[..., Any], does: str, takes: str, gives: str, example: str, shown: str,
) -> Transform:
    """A transform with SciPy's arguments, by one of floating values: along two axes or, by default, along all."""
    usual = (-2, -1) if name.endswith("2") else None

    def transform(
        x: Array, s: Any = None, axes: Any = usual, norm: str | None = None, overwrite_x: bool = False,
        workers: int | None = None, *, plan: Any = None,
    ) -> Array:
        refuse_arguments(name, plan=plan)
        return run(single(x), s, axes, norm)

    return named(transform, name, does=does, takes=takes, gives=gives, lengths="s: the lengths",
                 along="axes: along which axes", example=example, shown=shown, **PLAN)


fft2 = _over(
    "fft2", transforms.fft2, "Compute the discrete Fourier transform along two axes.", ANY, COMPLEX,
    "fft.fft2(np.ones((1, 2)))", "array([[2.+0.j, 0.+0.j]])",
)
ifft2 = _over(
    "ifft2", transforms.ifft2, "Compute the inverse discrete Fourier transform along two axes.", ANY, COMPLEX,
    "fft.ifft2(np.ones((1, 2)))", "array([[1.+0.j, 0.+0.j]])",
)
rfft2 = _over(
    "rfft2", transforms.rfft2,
    "Compute the discrete Fourier transform of real values along two axes: half of the spectrum, by the last.", REAL,
    COMPLEX, "fft.rfft2(np.ones((1, 2)))", "array([[2.+0.j, 0.+0.j]])",
)
irfft2 = _over(
    "irfft2", transforms.irfft2, "Compute real values from half of their spectrum along two axes.", HALF, FLOATING,
    "fft.irfft2(np.ones((1, 2)))", "array([[1., 0.]])",
)
hfft2 = _over(
    "hfft2", _hermitian, "Compute the real spectrum of a Hermitian signal along two axes from half of it.", HALF,
    FLOATING, "fft.hfft2(np.ones((1, 2)))", "array([[2., 0.]])",
)
ihfft2 = _over(
    "ihfft2", _of_hermitian, "Compute half of the Hermitian signal of a real spectrum along two axes.", REAL,
    COMPLEX, "fft.ihfft2(np.ones((1, 2)))", "array([[1.-0.j, 0.-0.j]])",
)
fftn = _over(
    "fftn", transforms.fftn, "Compute the discrete Fourier transform along several axes.", ANY, COMPLEX,
    "fft.fftn(np.ones((1, 2)))", "array([[2.+0.j, 0.+0.j]])",
)
ifftn = _over(
    "ifftn", transforms.ifftn, "Compute the inverse discrete Fourier transform along several axes.", ANY, COMPLEX,
    "fft.ifftn(np.ones((1, 2)))", "array([[1.+0.j, 0.+0.j]])",
)
rfftn = _over(
    "rfftn", transforms.rfftn,
    "Compute the discrete Fourier transform of real values along several axes: half of the spectrum, by the last.",
    REAL, COMPLEX, "fft.rfftn(np.ones((1, 2)))", "array([[2.+0.j, 0.+0.j]])",
)
irfftn = _over(
    "irfftn", transforms.irfftn, "Compute real values from half of their spectrum along several axes.", HALF,
    FLOATING, "fft.irfftn(np.ones((1, 2)))", "array([[1., 0.]])",
)
hfftn = _over(
    "hfftn", _hermitian, "Compute the real spectrum of a Hermitian signal along several axes from half of it.", HALF,
    FLOATING, "fft.hfftn(np.ones((1, 2)))", "array([[2., 0.]])",
)
ihfftn = _over(
    "ihfftn", _of_hermitian, "Compute half of the Hermitian signal of a real spectrum along several axes.", REAL,
    COMPLEX, "fft.ihfftn(np.ones((1, 2)))", "array([[1.-0.j, 0.-0.j]])",
)
