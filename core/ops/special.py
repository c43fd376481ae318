"""SciPy's special functions: gamma, beta, error functions, entropies, Bessel functions; SPECIAL has them by name."""

import math

import numpy as np

from ..avals import make_aval
from ..dtypes import is_inexact, result_dtype
from ..errors import DtypeError, RuleError, ShapeError
from ..families import elementwise, primitive
from ..fix import conj
from . import elementary
from .arithmetic import exp, log, log1p
from .error_function import erf, erfc, scipy_kernel
from .reductions import keep_axes, reduce_sum, reduced_shape
from .samples import Sample, arrays, binary, together, unary
from .selection import sign, where
from .shaping import broadcast_to

# DLMF is the NIST Digital Library of Mathematical Functions, https://dlmf.nist.gov. At poles derivatives are what the
# formulas give: infinite, or NaN where the function itself has no value.
_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2.0 * math.pi)


def _unary(name, d, low, high, complex_too=False, extra=None, **facts):
    """SciPy's ufunc `name` of one array, with samples on `[low, high]` and at the points `extra`."""
    kernel = scipy_kernel(name)
    points = () if extra is None else (np.array(extra),)
    return elementwise(
        name,
        impl=lambda xp, x: kernel(xp, x),
        d={"x": d},
        samples=together(unary(low, high, complex_too=complex_too), lambda rng: [Sample(p) for p in points]),
        **facts,
    )


def _real(name):
    """A kernel that SciPy has for complex values too, whose derivatives it lacks there."""
    kernel = scipy_kernel(name)

    def run(xp, x):
        if getattr(x, "dtype", np.dtype(float)).kind == "c" or type(x) is complex:
            raise DtypeError(f"{name} takes real values, but got {np.asarray(x).dtype}: its derivative, polygamma, is "
                             "known for real arguments only; call scipy.special outside of the derivative")
        return kernel(xp, x)

    return run


def _weakly(fun, *xs):
    """`fun` of operands; of Python numbers alone a Python number, which leaves the precision of others as it is."""
    ans = fun(*xs)
    return ans.item() if all(type(x) in (int, float, bool, complex) for x in xs) else ans


def _refuse(name, operand, why):
    """A partial derivative that has no implementation."""

    def partial(x):
        raise RuleError(f"{name} has no derivative by its argument {operand!r}: {why}; wrap it in stop_gradient if it "
                        "is a constant")

    return partial


# Gamma and beta functions.

_gamma, _digamma = _real("gamma"), _real("psi")
gamma = elementwise(
    "gamma",
    impl=lambda xp, x: _gamma(xp, x),
    d={"x": lambda x, ans: ans * digamma(x)},  # DLMF 5.2.2
    singular=True,
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, -2.3]))]),
)
gammaln = _unary("gammaln", lambda x: digamma(x), 0.5, 3.0, extra=[-0.5, -1.5, 20.0], singular=True)  # log|Γ|, 5.2.2
digamma = elementwise(
    "digamma",
    impl=lambda xp, x: _digamma(xp, x),
    d={"x": lambda x: polygamma(1, x)},  # DLMF 5.15
    singular=True,
    samples=together(unary(0.5, 3.0, complex_too=False), lambda rng: [Sample(np.array([-0.5, -1.5, 20.0]))]),
)


_factorial, _zeta = scipy_kernel("gamma"), scipy_kernel("zeta")


def _polygamma(xp, n, x):
    """(-1)^(n+1) n! ζ(n+1, x), DLMF 25.11.12; digamma for n = 0. In the precision of `x`, whatever that of `n`."""
    n, x = xp.asarray(n), xp.asarray(x)
    order = n.astype(x.dtype if is_inexact(x.dtype) else np.float64) + 1
    size = _factorial(xp, order) * _zeta(xp, order, x)
    return xp.where(n == 0, _digamma(xp, x), xp.where(n % 2 == 1, size, -size))


polygamma = elementwise(
    "polygamma",
    impl=lambda xp, n, x: _polygamma(xp, n, x),
    d={"x": lambda n, x: polygamma(n + 1, x)},  # DLMF 5.15
    nondiff="n",
    singular=True,
    absent={"complex": "SciPy has no Hurwitz zeta function of complex values"},
    samples=lambda rng: [
        Sample(np.array(k), rng.uniform(0.5, 3.0, s)) for k, s in ((0, ()), (1, (3,)), (2, (2, 3)), (3, (0,)))
    ] + [Sample(np.arange(3), rng.uniform(0.5, 3.0, (2, 3))), Sample(np.array(1), rng.uniform(0.5, 3, 3).astype("f4")),
         Sample(np.array([[1], [2]]), np.array([-0.5, -1.5, 20.0]))],
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


def _gamma_density(a, x):
    """x^(a-1) e^-x / Γ(a) = ∂P(a, x) / ∂x, DLMF 8.8.13."""
    return exp(xlogy(a - 1.0, x) - x - _weakly(gammaln, a))


def _beta_density(a, b, x):
    """x^(a-1) (1-x)^(b-1) / B(a, b) = ∂I_x(a, b) / ∂x, from DLMF 8.17.1."""
    return exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - _weakly(betaln, a, b))


def _orders(rng, *shape):
    """Whole numbers in a narrow type: parameters without a derivative, which leave float32 as it is."""
    return rng.integers(1, 5, shape).astype(np.int8)


def _incomplete_samples(rng):
    return [Sample(_orders(rng, *s), rng.uniform(0.5, 4.0, t)) for s, t in (((), ()), (3, 3), ((2, 1), 3), ((), 0))
            for s in [s if isinstance(s, tuple) else (s,)]] + [
        Sample(_orders(rng, 3), rng.uniform(0.5, 4.0, 3).astype(np.float32)),
        Sample(np.int8(1), np.array([0.0, 1e-3]), smooth=False),
    ]


_WHY_GAMMA = "it is no elementary function of P and Q"
_kernel_lower, _kernel_upper = scipy_kernel("gammainc"), scipy_kernel("gammaincc")
_kernel_betainc = scipy_kernel("betainc")
gammainc = elementwise(
    "gammainc",  # P(a, x), the lower one
    impl=lambda xp, a, x: _kernel_lower(xp, a, x),
    d={"a": _refuse("gammainc", "a", _WHY_GAMMA), "x": lambda a, x: _gamma_density(a, x)},
    singular=True,
    samples=_incomplete_samples,
)
gammaincc = elementwise(
    "gammaincc",  # Q(a, x) = 1 - P(a, x)
    impl=lambda xp, a, x: _kernel_upper(xp, a, x),
    d={"a": _refuse("gammaincc", "a", _WHY_GAMMA), "x": lambda a, x: -_gamma_density(a, x)},
    singular=True,
    samples=_incomplete_samples,
)
_WHY_BETA = "it takes hypergeometric functions that SciPy does not have"
betainc = elementwise(
    "betainc",  # I_x(a, b)
    impl=lambda xp, a, b, x: _kernel_betainc(xp, a, b, x),
    d={"a": _refuse("betainc", "a", _WHY_BETA), "b": _refuse("betainc", "b", _WHY_BETA),
       "x": lambda a, b, x: _beta_density(a, b, x)},
    singular=True,
    samples=lambda rng: [
        Sample(_orders(rng, *s), _orders(rng), rng.uniform(0.1, 0.9, t)) for s, t in (((), ()), ((2, 1), 3), ((), 0))
    ] + [Sample(_orders(rng, 3), _orders(rng, 3), rng.uniform(0.1, 0.9, 3).astype(np.float32)),
         Sample(np.int8(1), np.int8(1), np.array([0.0, 1.0]), smooth=False)],
)

# Error functions and the normal distribution. The slopes of erfinv, erfcinv and ndtri at the ends are infinite.


def _normal_density(x):
    return exp(-0.5 * x * x) * (1.0 / _SQRT_2PI)


erfcx = _unary("erfcx", lambda x, ans: 2.0 * x * ans - 2.0 / _SQRT_PI, -2.0, 3.0, complex_too=True)  # DLMF 7.10.2
erfinv = _unary("erfinv", lambda ans: (0.5 * _SQRT_PI) * exp(ans * ans), -0.9, 0.9, singular=True)  # DLMF 7.2.1
erfcinv = _unary("erfcinv", lambda ans: (-0.5 * _SQRT_PI) * exp(ans * ans), 0.1, 1.9, singular=True)  # DLMF 7.2.2
ndtr = _unary("ndtr", lambda x: _normal_density(x), -3.0, 3.0, complex_too=True)  # DLMF 7.18(i)
ndtri = _unary("ndtri", lambda ans: _SQRT_2PI * exp(0.5 * ans * ans), 0.05, 0.95, singular=True)
# φ(x) / Φ(x) by the scaled function, in which neither tail underflows: DLMF 7.2.2 and 7.2.3.
log_ndtr = _unary("log_ndtr", lambda x: (2.0 / _SQRT_2PI) / erfcx(x * -math.sqrt(0.5)), -3.0, 3.0, complex_too=True,
                  extra=[-40.0, -8.0, 8.0])

# Logarithms of odds, and entropies.

logit = _unary("logit", lambda x: 1.0 / (x * (1.0 - x)), 0.1, 0.9, singular=True)
log_expit = _unary("log_expit", lambda x: elementary.sigmoid(-x), -3.0, 3.0, extra=[-40.0, 40.0])
expit = elementary.sigmoid


def _by_factor(c, x, slope):
    """`c` times the slope log y of x log y; 0 is chosen where x = 0 meets log 0, as it is for the product there."""
    return where((x == 0) & (slope == -np.inf), 0.0, c * slope)


def _by_argument(c, x, total):
    """`c` times x / total; 0 where x = 0 meets total = 0, since 0 log y is 0 for all y."""
    corner = (x == 0) & (total == 0)
    return where(corner, 0.0, c * (x / where(corner, 1.0, total)))


def _corner(y):
    return lambda rng: [Sample(np.array([0.0, 0.0, 2.0]), np.array([y, y + 1.5, y + 0.5]), smooth=False, orders=1),
                        Sample(np.array([0.0, 1.0]), np.array([y + 2.0, y + 3.0]))]


_kernel_xlogy, _kernel_xlog1py = scipy_kernel("xlogy"), scipy_kernel("xlog1py")
xlogy = elementwise(
    "xlogy",  # x log y, 0 where x = 0
    impl=lambda xp, x, y: _kernel_xlogy(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, _weakly(log, y)), "y": lambda dy, x, y: _by_argument(dy, x, y)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, conj(_weakly(log, y))),
         "y": lambda ct, x, y: _by_argument(ct, conj(x), conj(y))},
    singular=True,
    masks=True,
    samples=together(binary(low_y=0.5, high_y=3.0), _corner(0.0)),
)
xlog1py = elementwise(
    "xlog1py",  # x log(1 + y), 0 where x = 0
    impl=lambda xp, x, y: _kernel_xlog1py(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, _weakly(log1p, y)),
         "y": lambda dy, x, y: _by_argument(dy, x, y + 1.0)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, conj(_weakly(log1p, y))),
         "y": lambda ct, x, y: _by_argument(ct, conj(x), conj(y) + 1.0)},
    singular=True,
    masks=True,
    samples=together(binary(low_y=-0.5, high_y=2.0), _corner(-1.0)),
)
# -x log x, 0 at 0 (where the slope is infinite), -inf below 0 (where it is NaN).
entr = _unary("entr", lambda x: -log(x) - 1.0, 0.2, 3.0, singular=True)



def _signed_logsumexp(xp, a, b, axes, keepdims):
    """log|Σ b exp(a)| and the sign of that sum; terms of weight 0 do not decide the shift."""
    masked = xp.where(b == 0, -np.inf, a)
    top = xp.max(masked, axis=axes, keepdims=True) if a.size else xp.zeros((1,) * a.ndim, a.dtype)
    top = xp.where(xp.isfinite(top), top, 0.0).astype(a.dtype)
    total = xp.sum(b * xp.exp(masked - top), axis=axes, keepdims=True)
    with np.errstate(divide="ignore"):
        out, signs = xp.log(xp.abs(total)) + top, xp.sign(total)
    return (out, signs) if keepdims else (xp.squeeze(out, axis=axes)[()], xp.squeeze(signs, axis=axes)[()])


def _shares(a, b, ans, axes, keepdims):
    """exp(a) / Σ b exp(a), and b times that: the derivatives by b and by a. A share that overflows has weight 0."""
    out, signs = (keep_axes(value, a, axes, keepdims) for value in ans)
    gap = a - where(out == -np.inf, 0.0, out)
    share = exp(gap) * signs
    return share, where((b == 0) & (gap > 700.0), 0.0, b * share)


def _signed_jvp(tangents, a, b, ans, axes, keepdims):
    share, weighted = _shares(a, b, ans, axes, keepdims)
    da, db = tangents
    push = weighted * da if db is None else share * db if da is None else weighted * da + share * db
    return reduce_sum(push, axes, keepdims), 0.0 * ans[1]


def _signed_vjp(cts, a, b, ans, axes, keepdims):
    ct = keep_axes(cts[0], a, axes, keepdims)
    share, weighted = _shares(a, b, ans, axes, keepdims)
    return weighted * ct, share * ct


def _signed_shape(a, b, axes, keepdims):
    if a.shape != b.shape:
        raise ShapeError(f"signed_logsumexp needs values and weights of one shape, but got {a.shape} and {b.shape}; "
                         "broadcast them first")
    aval = reduced_shape(make_aval(a.shape, result_dtype(a, b)), axes, keepdims)
    return aval, aval


signed_logsumexp = primitive(
    "signed_logsumexp",  # a, b of one real shape -> (log|Σ b exp(a)|, sign of Σ b exp(a)); the sign is flat
    impl=lambda xp, a, b, *, axes, keepdims: _signed_logsumexp(xp, a, b, axes, keepdims),
    outputs=2,
    shape=_signed_shape,
    jvp={"a, b": _signed_jvp},
    vjp={"a, b": _signed_vjp},
    batch=lambda a, b, axes, keepdims, batched, size: signed_logsumexp(
        *[v if hit else broadcast_to(v, (size, *v.shape)) for v, hit in zip((a, b), batched)],
        tuple([k + 1 for k in axes]), keepdims),
    singular=True,
    absent={"complex": "weights have signs", "broadcast": "one shape for both"},
    samples=together(
        *[arrays(s, s, complex_too=False, axes=axes, keepdims=keep)
          for s, axes, keep in (((3,), (0,), False), ((2, 3), (1,), True), ((2, 3), (0, 1), False), ((), (), False),
                                ((0, 3), (1,), False))],
        lambda rng: [Sample(np.array([0.5, 1.0, 2.0]), np.array([1.0, 0.0, -3.0]), params={"axes": (0,), "keepdims":
                                                                                           False})],
    ),
)

# Bessel functions. Orders above 1 serve the second derivatives: a recurrence of two orders is smooth at 0.


def _order(v, low):
    """The function of order `v`: `low[0]`, `low[1]`, or the one of general order."""
    return low[v] if v < 2 else lambda x: low[2](x, v=v)


def _bessel(name, general, d, low, high, **facts):
    """The function of whole order `v` >= 2, which has SciPy's name `general` on other arrays."""
    kernel = scipy_kernel(general)
    return elementwise(
        name,
        impl=lambda xp, x, *, v: kernel(xp, v, x),
        d={"x": d},
        samples=lambda rng: [Sample(rng.uniform(low, high, s), params={"v": 2}) for s in ((), (2, 3), (0,))]
        + [Sample(rng.uniform(low, high, 3), params={"v": 3}),
           Sample(rng.uniform(low, high, 3).astype(np.float32), params={"v": 2})],
        absent={"complex": "the functions of order 0 and 1 are real"},
        **facts,
    )


# DLMF 10.6.1 and 10.6.3; y0 and y1 are -inf at 0 and NaN below.
j0 = _unary("j0", lambda x: -j1(x), -4.0, 4.0, extra=[0.0])
j1 = _unary("j1", lambda x: 0.5 * (j0(x) - jv(x, v=2)), -4.0, 4.0, extra=[0.0])
jv = _bessel("jv", "jv", lambda x, v: 0.5 * (_order(v - 1, (j0, j1, jv))(x) - jv(x, v=v + 1)), 0.5, 4.0)
y0 = _unary("y0", lambda x: -y1(x), 0.5, 4.0, singular=True)
y1 = _unary("y1", lambda x: 0.5 * (y0(x) - yv(x, v=2)), 0.5, 4.0, singular=True)
yv = _bessel("yv", "yn", lambda x, v: 0.5 * (_order(v - 1, (y0, y1, yv))(x) - yv(x, v=v + 1)), 0.5, 4.0, singular=True)
# DLMF 10.29.1 and 10.29.3.
i0 = _unary("i0", lambda x: i1(x), -3.0, 3.0, extra=[0.0])
i1 = _unary("i1", lambda x: 0.5 * (i0(x) + iv(x, v=2)), -3.0, 3.0, extra=[0.0])
iv = _bessel("iv", "iv", lambda x, v: 0.5 * (_order(v - 1, (i0, i1, iv))(x) + iv(x, v=v + 1)), -3.0, 3.0)


def _scaled(x, ans, slope):
    """The derivative of e^-|x| f(x) from e^-|x| f'(x); at 0, a kink if f(0) is not 0, the mean of both sides."""
    return slope - sign(x) * ans


def _kink(name, d):
    """A scaled function with a kink at 0."""
    kernel = scipy_kernel(name)
    return elementwise(name, impl=lambda xp, x: kernel(xp, x), d={"x": d}, samples=together(
        unary(-3.0, 3.0, complex_too=False), lambda rng: [Sample(np.zeros(2), smooth=False, orders=1)]))


i0e = _kink("i0e", lambda x, ans: _scaled(x, ans, i1e(x)))
i1e = _kink("i1e", lambda x, ans: _scaled(x, ans, 0.5 * (i0e(x) + ive(x, v=2))))
ive = _bessel("ive", "ive", lambda x, v, ans: _scaled(x, ans, 0.5 * (_order(v - 1, (i0e, i1e, ive))(x)
                                                                    + ive(x, v=v + 1))), 0.5, 3.0)

# SciPy's names of its ufuncs, and of those that are NumPy's under another address.
SPECIAL = {
    "gamma": gamma, "gammaln": gammaln, "psi": digamma, "beta": beta, "betaln": betaln, "gammainc": gammainc,
    "gammaincc": gammaincc, "betainc": betainc, "erf": erf, "erfc": erfc, "erfcx": erfcx, "erfinv": erfinv,
    "erfcinv": erfcinv, "ndtr": ndtr, "ndtri": ndtri, "log_ndtr": log_ndtr, "logit": logit, "expit": expit,
    "log_expit": log_expit, "xlogy": xlogy, "xlog1py": xlog1py, "entr": entr, "j0": j0, "j1": j1, "y0": y0, "y1": y1,
    "i0": i0, "i1": i1, "i0e": i0e, "i1e": i1e,
}  # fmt: skip
