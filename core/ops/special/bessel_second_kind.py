"""Modified Bessel functions of the second kind, of order 0 and 1, and Airy's function, which is one of order 1/3."""

from ...arrays.backend import special_function
from ...arrays.dtypes import is_inexact
from ...primitive.families import elementwise
from ..samples import unary
from .scipy_kernels import SINGLE, WIDE, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. DLMF 10.29.2 and 10.29.3; all are
# infinite at 0 and NaN below, k0e and k1e are e^x times k0 and k1.
k0 = scipy_unary("k0", lambda x: -k1(x), 0.5, 4.0, singular=True)
k1 = scipy_unary("k1", lambda x, ans: -k0(x) - ans / x, 0.5, 4.0, singular=True)
k0e = scipy_unary("k0e", lambda x, ans: ans - k1e(x), 0.5, 4.0, singular=True)
k1e = scipy_unary("k1e", lambda x, ans: ans - k0e(x) - ans / x, 0.5, 4.0, singular=True)


def _airy(xp, x, which):
    """Ai (0) or its derivative (1), in the precision of `x`."""
    x = xp.asarray(x)
    wide = WIDE if not is_inexact(x.dtype) else SINGLE if x.dtype.itemsize == 2 else x.dtype
    out = special_function(xp, "airy")(x.astype(wide))[which]
    return out.astype(x.dtype) if x.dtype.itemsize == 2 and is_inexact(x.dtype) else out


def _airy_primitive(name, which, d):
    return elementwise(
        name,
        impl=lambda xp, x: _airy(xp, x, which),
        d={"x": d},
        quiet=True,
        samples=unary(-4.0, 3.0, complex_too=False),
        absent={"complex": "only the real function is built"},
    )


airy_ai = _airy_primitive("airy_ai", 0, lambda x: airy_ai_slope(x))
airy_ai_slope = _airy_primitive("airy_ai_slope", 1, lambda x: x * airy_ai(x))  # DLMF 9.2.1
