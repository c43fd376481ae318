"""Modified Bessel functions of the second kind, of order 0 and 1, and Airy's function, which is one of order 1/3."""

from ...primitive.families import elementwise
from ..samples import unary
from .bessel_integer import away_from_0
from .scipy_kernels import scipy_kernel, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. DLMF 10.29.2 and 10.29.3; all are
# infinite at 0 and NaN below, k0e and k1e are e^x times k0 and k1.
k0 = scipy_unary("k0", lambda x: -k1(x), 0.5, 4.0, singular=True)
k1 = scipy_unary("k1", lambda x, ans: -k0(x) - ans / x, 0.5, 4.0, singular=True)
k0e = scipy_unary("k0e", lambda x, ans: away_from_0(x, 0, 1.0, ans - k1e(x)), 0.5, 4.0, singular=True)
k1e = scipy_unary("k1e", lambda x, ans: away_from_0(x, 1, 1.0, ans - k0e(x) - ans / x), 0.5, 4.0, singular=True)


def _airy(name, which, d):
    """Ai (0) or its derivative (1)."""
    kernel = scipy_kernel("airy", part=which)
    return elementwise(
        name,
        impl=lambda xp, x: kernel(xp, x),
        d={"x": d},
        quiet=True,
        samples=unary(-4.0, 3.0, complex_too=False),
        absent={"complex": "only the real function is built"},
    )


airy_ai = _airy("airy_ai", 0, lambda x: airy_ai_slope(x))
airy_ai_slope = _airy("airy_ai_slope", 1, lambda x: x * airy_ai(x))  # DLMF 9.2.1
