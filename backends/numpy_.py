"""The NumPy backend; its special functions are SciPy's, loaded when one is first needed."""

import os
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


# The C library's allocator keeps the pages of freed arrays; `COVECTOR_KEEP_FREED_PAGES=0` leaves it as it is.


def keep_freed_pages():
    """Let the C library keep the pages of freed arrays for the next ones.

    A gradient frees all it saved at once. glibc returns free memory above twice the largest block it ever unmapped, so
    the next call faults every page in again: 3.7 ms in place of 0.7 for a chain on 10⁵ elements. Unmapping a block of
    just under 32 MiB, never touched, puts that limit where the first array of this size would put it: at its maximum,
    64 MiB. Limits set by the user (MALLOC_TRIM_THRESHOLD_ and others) stay; other C libraries notice nothing.
    """
    np.empty((32 << 20) - (64 << 10), np.uint8)


if os.environ.get("COVECTOR_KEEP_FREED_PAGES", "1") != "0":
    keep_freed_pages()
