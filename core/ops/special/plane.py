"""Functions of the complex plane: Lambert's W, Wright's ω, Faddeeva's w, and functions derived from them."""

import math

import numpy as np

from ...arrays.dtypes import real_dtype, result_dtype
from ...primitive.families import elementwise
from ...tape.unbroadcast import conj
from ..arithmetic import exp, sqrt
from ..samples import Sample, unary
from ..selection import astype, where
from .scipy_kernels import calling, real_like, scipy_call, scipy_kernel, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.


def _branches(rng):
    return [Sample(np.array(k), rng.uniform(low, high, s)) for k, low, high, s in (
        (0, -0.2, 3.0, ()), (0, -0.2, 3.0, (2, 3)), (-1, -0.3, -0.1, (3,)), (1, 0.5, 2.0, (0,)))] + [
        Sample(np.array([[0], [1]]), rng.uniform(0.2, 2.0, 3) + 1j), Sample(np.array(0), np.array([0.0, 0.5], "f4"))]


_lambertw = scipy_call("lambertw", complex_too=True, turned=True)
lambertw = calling(
    "lambertw",  # w with w exp(w) = x, branch n; complex. Corless et al. (1996), Adv. Comput. Math. 5, equation 3.2
    _lambertw,
    {"x": lambda ans: exp(-ans) / (1.0 + ans)},
    vjp={"x": lambda ct, x, ans: real_like(ct * conj(exp(-ans) / (1.0 + ans)), x)},
    samples=_branches,
    names="n, x",
    nondiff="n",
    singular=True,
    same=False,
)
wrightomega = scipy_unary("wrightomega", lambda ans: ans / (1.0 + ans), -3.0, 3.0, complex_too=True)  # ω exp ω = exp x
wofz = calling("wofz", scipy_call("wofz", complex_too=True),
               {"x": lambda x, ans: (2j / math.sqrt(math.pi)) - 2.0 * x * ans}, unary(), same=False)  # DLMF 7.10.2
erfi = scipy_unary("erfi", lambda x: (2.0 / math.sqrt(math.pi)) * exp(x * x), -2.0, 2.0, complex_too=True)

_voigt = scipy_kernel("voigt_profile")
_ROOT_2, _ROOT_2PI = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


def _parts(x, sigma, gamma):
    """w((x + iγ) / (σ √2)), the real part of which is the profile times σ √2π."""
    return wofz((x + 1j * gamma) / (sigma * _ROOT_2))


def _by_x(x, sigma, gamma):
    """From w′(z) = 2i/√π - 2 z w(z), DLMF 7.10.2."""
    w = _parts(x, sigma, gamma)
    return (gamma * w.imag - x * w.real) / (sigma * sigma * sigma * _ROOT_2PI)


def _by_gamma(x, sigma, gamma):
    w = _parts(x, sigma, gamma)
    return (gamma * w.real + x * w.imag - sigma * (_ROOT_2 / math.sqrt(math.pi))) / (
        sigma * sigma * sigma * _ROOT_2PI)


def _by_sigma(x, sigma, gamma, ans):
    """The profile is homogeneous of degree -1 in its three arguments: Euler's relation."""
    return -(ans + x * _by_x(x, sigma, gamma) + gamma * _by_gamma(x, sigma, gamma)) / sigma


def _lines(rng):
    def draw(*shapes):
        return Sample(rng.uniform(-2, 2, shapes[0]), *[rng.uniform(0.5, 2.0, s) for s in shapes[1:]])

    one = draw((3,), (3,), (3,))
    return [draw((), (), ()), one, draw((2, 1), (3,), ()), draw((0,), (0,), ()),
            Sample(*[x.astype("f4") for x in one.operands])]


voigt_profile = elementwise(
    "voigt_profile",  # of σ, γ > 0
    impl=lambda xp, x, sigma, gamma: _voigt(xp, x, sigma, gamma),
    d={"x": _by_x, "sigma": _by_sigma, "gamma": _by_gamma},
    absent={"complex": "the profile is real"},
    samples=_lines,
)


def _harmonic_slope(n, m, x, y):
    """By θ, without the cotangent, which is infinite at the poles: DLMF 14.30.1 and 14.10.1, 14.10.2.

    (√((n - m) (n + m + 1)) exp(-iφ) Y(n, m + 1) - √((n + m) (n - m + 1)) exp(iφ) Y(n, m - 1)) / 2.
    """
    real = result_dtype(x, y)
    up, down = (sqrt(astype(where(v > 0, v, 0), real)) for v in ((n - m) * (n + m + 1), (n + m) * (n - m + 1)))
    turn = exp(1j * y)
    return 0.5 * (up * sph_harm_y(n, m + 1, x, y) / turn - down * sph_harm_y(n, m - 1, x, y) * turn)


def _turning(m, ans):
    return 1j * astype(m, real_dtype(ans.dtype)) * ans


def _harmonics(rng):
    def angles(*s):
        return rng.uniform(0.2, 2.9, s), rng.uniform(-3.0, 3.0, s)

    one = angles(3)
    return [Sample(np.array(2), np.array(1), *angles()), Sample(np.array(3), np.array(-2), *one),
            Sample(np.array([[1], [2]]), np.array([[0], [2]]), *angles(3)),
            Sample(np.array(1), np.array(1), *angles(0)),
            Sample(np.array(2), np.array(0), *[x.astype("f4") for x in one]),
            Sample(np.array(2), np.array(1), np.array([0.0]), np.array([0.3]), smooth=False)]


_harmonic = scipy_call("sph_harm_y", complex_too=True)
sph_harm_y = calling(
    # At the poles the derivative is that toward the inside: SciPy's values there are those of |sin θ|.
    "sph_harm_y",  # Y(n, m; θ = x, φ = y), complex; DLMF 14.30.1
    _harmonic,
    {"x": _harmonic_slope, "y": _turning},
    vjp={"x": lambda ct, n, m, x, y: real_like(ct * conj(_harmonic_slope(n, m, x, y)), x),
         "y": lambda ct, m, y, ans: real_like(ct * conj(_turning(m, ans)), y)},
    samples=_harmonics,
    names="n, m, x, y",
    nondiff="n, m",
    same=False,
    absent={"complex": "the angles are real"},
)
