"""`scipy.signal` on arrays and traced arrays: convolution, and filters differentiable in signals and coefficients."""

from .convolution import (
    convolve as convolve,
    convolve2d as convolve2d,
    correlate as correlate,
    correlate2d as correlate2d,
    fftconvolve as fftconvolve,
)
from .filtering import (
    filtfilt as filtfilt,
    hilbert as hilbert,
    lfilter as lfilter,
    lfilter_zi as lfilter_zi,
    sosfilt as sosfilt,
)
