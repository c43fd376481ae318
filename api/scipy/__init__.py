"""SciPy's functions on arrays and traced arrays alike."""

from . import (
    fft as fft,
    interpolate as interpolate,
    linalg as linalg,
    signal as signal,
    special as special,
    stats as stats,
)
