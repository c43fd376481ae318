"""The NumPy backend; its special functions are SciPy's, loaded when one is first needed."""

from functools import cache

import numpy as np

from ..core.arrays.backend import Backend, register_backend
from ..core.lazy import LazyModule, loaded

_FFT, _BLAS = LazyModule("scipy.fft"), LazyModule("scipy.linalg.blas")


def _special():
    """`scipy.special`, of the optional extra `scipy`. The statement waits for a thread that loads it."""
    import scipy.special

    return scipy.special


@cache
def _fourier():
    """`scipy.fft`, which transforms several rows at a time, in half of NumPy's time; without SciPy NumPy's."""
    try:
        return loaded(_FFT)
    except ImportError:
        return np.fft


@cache
def _blas():
    """`scipy.linalg.blas`, which solves triangular systems; None without SciPy."""
    try:
        return loaded(_BLAS)
    except ImportError:
        return None


NUMPY = register_backend(
    Backend(
        name="numpy",
        module="numpy",
        array_types=lambda module: (module.ndarray, module.generic),
        namespace=lambda module: module,
        to_numpy=np.asarray,
        special=_special,
        fourier=_fourier,
        blas=_blas,
    )
)
