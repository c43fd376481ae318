"""Window functions, and the Bessel function of one of them."""

from typing import Any

import numpy as np

from ..core.errors import at_user_line
from ..core.lazy import LazyModule
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer
from .surface import Array, array_of, as_numpy, implements

bessel_integer: Any = LazyModule("covector.core.ops.special.bessel")
bartlett, blackman, hamming, hanning = np.bartlett, np.blackman, np.hamming, np.hanning


@implements(np.i0)
def i0(x: Array) -> Array:
    x = array_of(x)
    if x.dtype.kind == "c":
        raise TypeError(f"i0 takes real values, but got complex ones; take x.real or np.abs(x){at_user_line()}")
    return bessel_integer.bessel_i(x, order=0)


def kaiser(M: Any, beta: Any) -> Array:
    if not isinstance(beta, Tracer):
        return np.kaiser(M, beta)
    size = np.kaiser(M, 0.0).shape[0]  # NumPy says what it takes
    if size < 2:
        return np.ones(size)
    places = np.arange(size) / (M - 1) * 2.0 - 1.0
    return i0(beta * constant(np.sqrt(1.0 - places**2), beta)) / i0(beta)


as_numpy(kaiser, np.kaiser)
