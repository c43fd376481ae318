"""autograd.numpy.fft: Fourier transforms of traced values."""

import numpy.fft as _fft

from .... import numpy as _cnp
from .._impl.missing import refusing as _refusing
from .._impl.wrapping import wrap_namespace as _wrap_namespace

_wrap_namespace(_fft.__dict__, globals(), _cnp.fft)

_refusing("numpy.fft")
