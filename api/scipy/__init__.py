"""SciPy's functions on arrays and traced arrays alike."""

from . import (
    fft as fft,
    interpolate as interpolate,
    linalg as linalg,
    ndimage as ndimage,
    signal as signal,
    special as special,
    stats as stats,
)
