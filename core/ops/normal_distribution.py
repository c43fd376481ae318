"""The normal distribution function, its logarithm and inverse, and the inverse error functions."""

import math

from .arithmetic import exp
from .scipy_kernels import scipy_unary

# The slopes of the inverses at the ends of their domains are infinite. DLMF: https://dlmf.nist.gov.
_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _normal_density(x):
    return exp(-0.5 * x * x) * (1.0 / _SQRT_2PI)


erfcx = scipy_unary("erfcx", lambda x, ans: 2.0 * x * ans - 2.0 / _SQRT_PI, -2.0, 3.0, complex_too=True)  # DLMF 7.10.2
erfinv = scipy_unary("erfinv", lambda ans: (0.5 * _SQRT_PI) * exp(ans * ans), -0.9, 0.9, singular=True)  # DLMF 7.2.1
erfcinv = scipy_unary("erfcinv", lambda ans: (-0.5 * _SQRT_PI) * exp(ans * ans), 0.1, 1.9, singular=True)  # DLMF 7.2.2
ndtr = scipy_unary("ndtr", lambda x: _normal_density(x), -3.0, 3.0, complex_too=True)  # DLMF 7.18(i)
ndtri = scipy_unary("ndtri", lambda ans: _SQRT_2PI * exp(0.5 * ans * ans), 0.05, 0.95, singular=True)
# φ(x) / Φ(x) by the scaled function, in which neither tail underflows: DLMF 7.2.2 and 7.2.3.
log_ndtr = scipy_unary("log_ndtr", lambda x: (2.0 / _SQRT_2PI) / erfcx(x * -math.sqrt(0.5)), -3.0, 3.0,
                       complex_too=True, extra=[-40.0, -8.0, 8.0])
