"""The gamma and beta functions, their logarithms, and the polygamma functions."""

import math

import numpy as np

from ...arrays.dtypes import is_inexact, result_dtype
from ...errors import DtypeError, at_user_line
from ...primitive.families import ZERO, elementwise
from ...trace.tracer import Tracer
from ..arithmetic import cos, exp, log1p, sin
from ..samples import Sample, binary, together, unary
from ..selection import astype, ceil, floor, rint, where
from .scipy_kernels import WIDE, array, scipy_kernel, scipy_unary

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. At poles derivatives are what the
# formulas give: infinite, or NaN where the function itself has no value.


def _real(name):
    """A kernel that SciPy has for complex values too, whose derivatives it lacks there."""
    kernel = scipy_kernel(name)

    def run(xp, x):
        if getattr(x, "dtype", np.dtype(float)).kind == "c" or type(x) is complex:
            raise DtypeError(f"{name} takes real values, but got {np.asarray(x).dtype}: its derivative, polygamma, is "
                             "known for real arguments only; call scipy.special outside the differentiated function"
                             f"{at_user_line()}")
        return kernel(xp, x)

    return run


_gamma, _digamma, _gammasgn = _real("gamma"), _real("psi"), _real("gammasgn")
gamma = elementwise(
    "gamma",
    impl=lambda xp, x: _gamma(xp, x),
    d={"x": lambda x, ans: ans * digamma(x)},  # DLMF 5.2.2
    singular=True,
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, -2.3]))]),
)
# log|Γ|, DLMF 5.2.2.
gammaln = scipy_unary("gammaln", lambda x: digamma(x), 0.5, 3.0, extra=[-0.5, -1.5, 20.0], singular=True,
                      kernel={})
_rgamma = _real("rgamma")


def _rgamma_slope(x, ans):
    """-ψ(x) / Γ(x); below one half by DLMF 5.5.3, Γ(x) Γ(1 - x) = π / sin(πx), for ψ has poles where this has none."""
    low = x < 0.5
    turned, kept = where(low, 1.0 - x, 1.0), where(low, 1.0, x)
    angle = math.pi * where(low, x, 0.0)
    return where(low, gamma(turned) * (cos(angle) - sin(angle) * digamma(turned) / math.pi), -ans * digamma(kept))


rgamma = elementwise(
    "rgamma",  # 1 / Γ, which has no poles
    impl=lambda xp, x: _rgamma(xp, x),
    d={"x": _rgamma_slope},
    quiet=True,
    samples=together(unary(0.6, 3.0, complex_too=False),
                     lambda rng: [Sample(np.array([-2.0, -1.5, -1.0, 0.0, 0.3])), Sample(np.array(0.0))]),
)
gammasgn = elementwise("gammasgn", impl=lambda xp, x: _gammasgn(xp, x), d=ZERO, samples=together(
    unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, -2.3]))]))
digamma = elementwise(
    "digamma",
    impl=lambda xp, x: _digamma(xp, x),
    d={"x": lambda x: polygamma(1, x)},  # DLMF 5.15
    singular=True,
    kernel={"vjp": None, "jvp": None},
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, 20.0]))]),
)


_factorial, _zeta = scipy_kernel("gamma"), scipy_kernel("zeta")


def _polygamma(xp, n, x):
    """(-1)^(n+1) n! ζ(n+1, x), DLMF 25.11.12; digamma for n = 0. In the precision of `x`, whatever that of `n`."""
    n, x = array(xp, n), array(xp, x)
    order = n.astype(x.dtype if is_inexact(x.dtype) else WIDE) + 1
    size = _factorial(xp, order) * _zeta(xp, order, x)
    return xp.where(n == 0, _digamma(xp, x), xp.where(n % 2 == 1, size, -size))


# The same in operations, for compilers: ζ(s, q) by the sum of Euler and Maclaurin, DLMF 25.11.5 and 2.10.1. Its terms
# are one power times others of numbers up to 1, which lose nothing where s is large.
_AHEAD = 9  # terms before the series
_EVEN = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
         -3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000,
         77683 / 14101100039391805440000, -236364091 / 1693824136731743669452800000)  # B(2k) / (2k)!
_FEW = 8  # orders of polygamma whose powers are products


def _zeta_of(s, q, power, shrunk):
    """ζ(s, q) for q > 0: `power(few)` is q^-s, or q^(1-s) unless q is below 1, and `shrunk(k)` is (q / (q + k))^s."""
    few = q < 1.0
    unit = where(few, 1.0, 1.0 / where(few, 1.0, q))  # q^-s is 0 where q^(1-s) is not yet
    w, total, series = q + float(_AHEAD), 1.0, 0.0
    for k in range(1, _AHEAD):
        total = total + shrunk(float(k))
    for k in range(len(_EVEN) - 1, 0, -1):  # each term is the one before times this and the quotient of coefficients
        series = (series + _EVEN[k]) * ((s + (2.0 * k - 1.0)) * (s + 2.0 * k) / (w * w))
    last = shrunk(float(_AHEAD))
    # w / (s - 1) of a large w, beside which a large series of a large s is nothing
    rest = where(last > 0, last * (w * unit / (s - 1.0) + unit * (0.5 + s / w * (series + _EVEN[0]))), 0.0)
    return where(q < math.inf, power(few) * (total * unit + rest), 0.0 * s)


def _zeta_at(s, q):
    return _zeta_of(s, q, lambda few: where(few, q, 1.0 / where(few, 1.0, q)) ** where(few, -s, s - 1.0),
                    lambda k: exp(-s * log1p(k / q)))


def _lower_zeta(x, q):
    """For q < 0 and a whole x by ζ(x, r), r the distance to the whole number below: the terms between are those of
    two others from the other side."""
    x, q, dtype = _wide(x, q)
    if not isinstance(q, Tracer) and np.all(q > 0):
        found = _zeta_at(x, q)
    else:
        below = q < 0
        left, right = where(below, q - floor(q), q), where(below, ceil(q) - q, 1.0)
        turned = _zeta_at(x, right) - _zeta_at(x, where(below, 1.0 - q, 1.0))
        found = _zeta_at(x, left) + where(below, where(x % 2.0 == 0, turned, -turned), 0.0)
        pole = (q <= 0) & (q == floor(q))
        found = where(pole, math.inf, where(below & (x != floor(x)), math.nan, found))
    found = where(x > 1.0, found, where(x == 1.0, math.inf, math.nan))
    return astype(where((x != x) | (q != q), math.nan, found), dtype)


def _wide(*xs):
    """Operands in float64, and the dtype of what is computed of them."""
    dtype = result_dtype(*xs)
    return *[astype(x, WIDE) if isinstance(x, Tracer) else np.asarray(x, WIDE) for x in xs], (
        dtype if is_inexact(dtype) else WIDE)


def _lower_polygamma(n, x):
    dtype = x.dtype if is_inexact(x.dtype) else WIDE
    if isinstance(n, Tracer) or np.ndim(n) or not 0 < n <= _FEW:
        if not isinstance(n, Tracer) and np.all(n == 0):
            return digamma(x)
        order, x, _ = _wide(n, x)
        order = where(order == 0, 1.0, order)
        found = gamma(order + 1.0) * _lower_zeta(order + 1.0, x)
        return astype(where(n == 0, digamma(x), where(n % 2 == 1, found, -found)), dtype)
    n, sign = int(n), 1.0 if n % 2 else -1.0
    x, _ = _wide(x)
    below = x < 0
    q = where(below, 1.0 - x, x)
    back = 1.0 / q
    found = sign * math.factorial(n) * _zeta_of(
        n + 1.0, q, lambda few: where(few, _times(back, n + 1), _times(back, n)), lambda k: _times(q / (q + k), n + 1))
    # DLMF 5.15.6: less a derivative of the cotangent, a polynomial in it
    angle = math.pi * (x - rint(x))
    sine = sin(angle)
    tangent, slopes = cos(angle) / where(sine == 0, 1.0, sine), np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        slopes = -slopes.deriv() * np.polynomial.Polynomial([1.0, 0.0, 1.0])
    turned = 0.0
    for c in reversed(slopes.coef.tolist()):
        turned = turned * tangent + c
    found = where(below, -sign * found - math.pi ** (n + 1) * turned, found)
    return astype(where((x <= 0) & (x == floor(x)), sign * math.inf, found), dtype)


def _times(x, n):
    """x to the power of n > 0."""
    total = x
    for _ in range(n - 1):
        total = total * x
    return total


polygamma = elementwise(
    "polygamma",
    impl=lambda xp, n, x: _polygamma(xp, n, x),
    lower=_lower_polygamma,
    d={"x": lambda n, x: polygamma(n + 1, x)},  # DLMF 5.15
    nondiff="n",
    refused={"n": "the order is an integer"},
    singular=True,
    absent={"complex": "SciPy has no Hurwitz zeta function of complex values"},
    samples=lambda rng: [
        Sample(np.array(k), rng.uniform(0.5, 3.0, s)) for k, s in ((0, ()), (1, (3,)), (2, (2, 3)), (3, (0,)))
    ] + [Sample(np.arange(3), rng.uniform(0.5, 3.0, (2, 3))), Sample(np.array(1), rng.uniform(0.5, 3, 3).astype("f4")),
         Sample(np.array([[1], [2]]), np.array([-0.5, -1.5, 20.0]))],
)

# The Hurwitz zeta function. DLMF 25.11.17.
zeta = elementwise(
    "zeta",
    impl=lambda xp, x, q: _zeta(xp, x, q),
    lower=_lower_zeta,
    d={"q": lambda x, q: -x * zeta(x + 1, q)},
    nondiff="x",
    refused={"x": "the derivative with respect to the exponent has no closed form"},
    singular=True,
    absent={"complex": "SciPy has no Hurwitz zeta function of complex values"},
    samples=lambda rng: [
        Sample(rng.uniform(1.5, 4.0, s), rng.uniform(0.5, 3.0, s)) for s in ((), (3,), (2, 3), (0,))
    ] + [Sample(rng.uniform(1.5, 4.0, (2, 1)), rng.uniform(0.5, 3.0, 3)),
         Sample(np.array(2.0), rng.uniform(0.5, 3.0, 3)),
         Sample(rng.uniform(1.5, 4.0, 3).astype("f4"), rng.uniform(0.5, 3.0, 3).astype("f4"))],
)

_kernel_beta, _kernel_betaln = scipy_kernel("beta"), scipy_kernel("betaln")
beta = elementwise(
    "beta",
    impl=lambda xp, a, b: _kernel_beta(xp, a, b),
    d={"a": lambda a, b, ans: ans * _beta_slope(a, b), "b": lambda a, b, ans: ans * _beta_slope(b, a)},
    singular=True,
    samples=binary(0.5, 3.0, complex_too=False),
)
betaln = elementwise(
    "betaln",
    impl=lambda xp, a, b: _kernel_betaln(xp, a, b),
    d={"a": lambda a, b: _beta_slope(a, b), "b": lambda a, b: _beta_slope(b, a)},
    singular=True,
    samples=binary(0.5, 3.0, complex_too=False),
)


def _beta_slope(a, b):
    """∂ log B(a, b) / ∂a, from DLMF 5.12.1 and 5.2.2."""
    return digamma(a) - digamma(a + b)


# The logarithm of the gamma function in the complex plane, and quotients of gamma functions.

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov.
_TERMS = 14
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def _trigamma(z):
    """ψ′ of complex values: DLMF 5.15.5 up to Re z > 14, 5.15.8 there, and 5.15.6 in the left half plane."""
    left = z.real < 0.5
    w = where(left, 1.0 - z, z)
    total = 0.0
    for k in range(_TERMS):
        total = total + 1.0 / ((w + k) * (w + k))
    w = w + float(_TERMS)
    back = 1.0 / w
    square = back * back
    series = 0.0
    for b in reversed(_BERNOULLI):
        series = (series + b) * square
    total = total + back + 0.5 * square + series * back
    turned = sin(math.pi * where(left, z, 0.5))
    return where(left, (math.pi / turned) * (math.pi / turned) - total, total)


def _digamma_slope(x):
    return _trigamma(x) if x.dtype.kind == "c" else polygamma(1, x)


def _plane(low, high):
    return lambda rng: [Sample(rng.uniform(low, high, s) + 1j * rng.uniform(-2, 2, s)) for s in ((), (3,), (2, 3))]


_psi = scipy_kernel("psi")
complex_digamma = elementwise(
    "complex_digamma",  # DLMF 5.15
    impl=lambda xp, x: _psi(xp, x),
    d={"x": lambda x: _digamma_slope(x)},
    singular=True,
    samples=together(_plane(0.5, 3.0), _plane(-3.0, 0.4), lambda rng: [
        Sample(rng.uniform(0.5, 2.0, 3).astype("f4")), Sample(np.zeros((0,))), Sample(rng.uniform(0.5, 2.0, 3))]),
)
loggamma = scipy_unary("loggamma", lambda x: complex_digamma(x), 0.5, 3.0, complex_too=True,
                       singular=True)  # DLMF 5.2.2

def _poch_slope(z, m, ans, by_z):
    """ans (ψ(z + m) - ψ(z)), or ans ψ(z + m); by 1 / Γ where Γ(z) has a pole; 0 where both Γ have one."""
    top = z + m
    none, both = _pole(z + 0.0 * m), _pole(z + 0.0 * m) & _pole(top)
    slope = digamma(where(none, 2.0, top))
    usual = ans * (slope - digamma(where(none, 2.0, z + 0.0 * m)) if by_z else slope)
    at, low = where(both, 2.0, where(none, top, 2.0)), where(none, z + 0.0 * m, 0.0)
    rare = gamma(at) * _rgamma_slope(low, rgamma(low)) if by_z else 0.0 * at
    return where(both, 0.0, where(none, rare, usual))


_poch, _binom = scipy_kernel("poch"), scipy_kernel("binom")
poch = elementwise(
    "poch",  # Γ(z + m) / Γ(z), DLMF 5.2.4 and 5.2.2
    impl=lambda xp, z, m: _poch(xp, z, m),
    d={"z": lambda z, m, ans: _poch_slope(z, m, ans, True), "m": lambda z, m, ans: _poch_slope(z, m, ans, False)},
    singular=True,
    absent={"complex": "SciPy has it for real values"},
    samples=binary(0.5, 3.0, complex_too=False),
)


def _pole(x):
    """Tell whether 1 / Γ is 0 at x."""
    return (x < 0.5) & (x % 1.0 == 0)


def _binom_slope(n, k, ans, by_n):
    """ans (ψ(n + 1) - ψ(n - k + 1)), or ans (ψ(n - k + 1) - ψ(k + 1)); by 1 / Γ where it is 0, DLMF 1.2.6 and 5.2.2."""
    u, v = n - k + 1.0, k + 1.0
    none = _pole(u) | _pole(v)
    n1, u1, v1 = (where(none, 2.0, x + 0.0 * (n + k)) for x in (n + 1.0, u, v))
    usual = digamma(n1) - digamma(u1) if by_n else digamma(u1) - digamma(v1)
    n2, u2, v2 = (where(none, x + 0.0 * (n + k), 2.0) for x in (n + 1.0, u, v))
    move_u, move_v = (_rgamma_slope(x, rgamma(x)) for x in (u2, v2))
    size = gamma(n2)
    if by_n:
        rare = size * rgamma(v2) * (digamma(n2) * rgamma(u2) + move_u)
    else:
        rare = size * (rgamma(u2) * move_v - move_u * rgamma(v2))
    return where(none, rare, ans * usual)


binom = elementwise(
    "binom",  # the binomial coefficient of real n and k
    impl=lambda xp, n, k: _binom(xp, n, k),
    d={"n": lambda n, k, ans: _binom_slope(n, k, ans, True), "k": lambda n, k, ans: _binom_slope(n, k, ans, False)},
    singular=True,
    absent={"complex": "SciPy has it for real values"},
    samples=together(binary(2.2, 4.0, complex_too=False, low_y=0.3, high_y=1.7), lambda rng: [
        Sample(np.array([3.0, 4.0, 5.0]), np.array([1.0, 4.0, 0.0])),
        Sample(np.array([3.0, 2.0]), np.array([4.0, 3.0]))]),
)
