"""`scipy.signal` on arrays and traced arrays: convolution, and filters differentiable in signals and coefficients."""

from .convolution import convolve as convolve, correlate as correlate, fftconvolve as fftconvolve
from .filtering import lfilter as lfilter, sosfilt as sosfilt
