"""The incomplete gamma and beta functions; derivatives in their parameters are moments of logarithms."""

from functools import cache

import numpy as np

from ...arrays.dtypes import is_inexact, result_dtype
from ...primitive.families import elementwise
from ...trace.tracer import Tracer
from ..arithmetic import exp, log, log1p
from ..samples import Sample, together
from ..selection import where
from .entropies import xlog1py, xlogy
from .gamma_functions import betaln, digamma, gammaln, polygamma
from .scipy_kernels import WIDE, array, scalar, scipy_kernel, weakly

# P(a, x) is the probability that T <= x for T of density t^(a-1) e^-t / Γ(a). Differentiating that density by a gives
# it the factor ln t - ψ(a), so with M(n) = E[(ln T - ψ(a))^n; T <= x]:  ∂M(n)/∂a = M(n+1) - n ψ'(a) M(n-1).  The beta
# function is alike, with moments of ln T and ln(1-T). SciPy has no M(n) for n >= 1: they are integrated here.
_BLOCK = 1 << 14
_DROP = 45.0  # what lies below e^-45 of the largest value is left out
_psi, _kernel_gammaln, _kernel_betaln = scipy_kernel("psi"), scipy_kernel("gammaln"), scipy_kernel("betaln")


@cache
def _rule():
    """The nodes and weights of Gauss and Legendre, 100 of them."""
    return np.polynomial.legendre.leggauss(100)


def _panel(xp, integrand, low, high, graded):
    """∫ integrand(u) du by 100 Gauss-Legendre nodes; 0 where high <= low. `graded`: in v, where u = sinh v."""
    if graded:
        low, high = xp.arcsinh(low), xp.arcsinh(high)
    half = 0.5 * xp.maximum(high - low, 0.0)
    nodes, weights = _rule()

    def weighted(node, weight):
        v = low + half * (1.0 + node)
        return (integrand(xp.sinh(v)) * xp.cosh(v) if graded else integrand(v)) * weight

    if isinstance(half, Tracer):
        return sum(map(weighted, nodes.tolist(), weights.tolist())) * half
    block = max(1, _BLOCK // max(half.size, 1))  # few calls for small arrays, little memory for large ones
    total = 0.0
    for k in range(0, len(nodes), block):
        part = (xp.asarray(v[k : k + block]).reshape((-1,) + (1,) * half.ndim) for v in (nodes, weights))
        total = total + xp.sum(weighted(*part), axis=0)
    return total * half


def _reach(xp, drop, slope, target, start):
    """The root of the convex `drop` = `target`, by Newton's method from `start` above it."""
    s = start
    for _ in range(10):
        s = xp.minimum(s, s - (drop(s) - target) / slope(s))
    return s


def _integral(xp, integrand, u, rest, mode, reaches, graded):
    """∫ up to `u`, or minus that from `u` on where `rest`, as far as the integrand counts: a panel on either side."""
    low = xp.where(rest, xp.maximum(u, mode - reaches[0]), mode - reaches[0])
    high = xp.where(rest, mode + reaches[1], xp.minimum(u, mode + reaches[1]))
    total = (_panel(xp, integrand, low, xp.minimum(high, mode), graded)
             + _panel(xp, integrand, xp.maximum(low, mode), high, graded))
    return xp.where(rest, -total, total)


def _gamma_moment(xp, a, x, n):
    """E[(ln T - ψ(a))^n; T <= x], n >= 1, in u = ln t about the mode ln a of the density there."""
    a, x, dtype = _wide(xp, a, x)
    u = xp.log(xp.where(x > 0, xp.minimum(x, 1e300), 1.0))
    mode, center = xp.log(a), _psi(xp, a)
    gap = xp.minimum(u - mode, 600.0)

    def down(s):
        return a * (s + xp.expm1(-s))

    def up(s):
        return a * (xp.expm1(s) - s)

    below, above = _DROP + down(xp.maximum(-gap, 0.0)), _DROP + up(xp.maximum(gap, 0.0))
    start = xp.minimum(xp.sqrt(2.0 * above / a), xp.maximum(1.2, xp.log(4.0 * above / a)))
    reaches = (_reach(xp, down, lambda s: -a * xp.expm1(-s), below, below / a + 1.0),
               _reach(xp, up, lambda s: a * xp.expm1(s), above, start))
    # The density at its mode, a^a e^-a / Γ(a); from 20 on by Stirling's series, DLMF 5.11.1.
    far = xp.maximum(a, 20.0)
    square = far * far
    tail = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / far
    height = xp.where(a < 20.0, a * mode - a - _kernel_gammaln(xp, a), 0.5 * xp.log(far / (2.0 * np.pi)) - tail)

    def integrand(v):
        shift = v - mode
        return (v - center) ** n * xp.exp(a * (shift - xp.expm1(shift)) + height)

    # The first moment over everything is 0: of both parts the one without cancellation is taken.
    rest = (u > center) & (n == 1)
    return _finish(xp, _integral(xp, integrand, u, rest, mode, reaches, graded=False), x, dtype)


def _beta_moment(xp, a, b, x, n, k):
    """E[(ln T - α)^n (ln(1-T) - β)^k; T <= x], n + k >= 1, in u = ln(t / (1-t)) about the mode ln(a / b) there."""
    a, b, x, dtype = _wide(xp, a, b, x)
    inside = xp.where((x > 0) & (x < 1), x, 0.5)
    u = xp.where(x == 1, 1e300, xp.log(inside) - xp.log1p(-inside))
    mode = xp.log(a) - xp.log(b)
    both = _psi(xp, a + b)
    alpha, beta = _psi(xp, a) - both, _psi(xp, b) - both
    p, q = a / (a + b), b / (a + b)

    def side(rate, share):
        """The fall of the log density at distance s from the mode, where it falls by `rate`."""
        return lambda s: rate * s + (a + b) * xp.log1p(share * xp.expm1(-s))

    def slope(rate, share):
        return lambda s: rate - (a + b) * share * xp.exp(-s) / (1.0 + share * xp.expm1(-s))

    down, up = side(a, p), side(b, q)
    gap = u - mode
    below, above = _DROP + down(xp.maximum(-gap, 0.0)), _DROP + up(xp.clip(gap, 0.0, 1e12))
    reaches = (_reach(xp, down, slope(a, p), below, (below - (a + b) * xp.log(q)) / a),
               _reach(xp, up, slope(b, q), above, (above - (a + b) * xp.log(p)) / b))
    height = a * xp.log(p) + b * xp.log(q) - _kernel_betaln(xp, a, b)

    def integrand(v):
        shift = v - mode
        fall = xp.where(shift < 0, down(xp.maximum(-shift, 0.0)), up(xp.maximum(shift, 0.0)))
        over = xp.log1p(xp.exp(-xp.abs(v)))
        first, second = xp.minimum(v, 0.0) - over - alpha, -xp.maximum(v, 0.0) - over - beta
        return first**n * second**k * xp.exp(height - fall)

    # As above: ln t rises with t, and ln(1-t) falls.
    rest = ((xp.log(inside) > alpha) & (n == 1) & (k == 0)) | ((xp.log1p(-inside) < beta) & (n == 0) & (k == 1))
    out = _finish(xp, _integral(xp, integrand, u, rest, mode, reaches, graded=True), x, dtype)
    return scalar(xp.where(x <= 1, out, np.nan).astype(dtype))


def _wide(xp, *xs):
    """The operands in double precision, and the dtype of the output."""
    dtype = result_dtype(*xs)
    return *[array(xp, x).astype(WIDE) for x in xs], dtype if is_inexact(dtype) else WIDE


def _finish(xp, out, x, dtype):
    return scalar(xp.where(x == 0, 0.0, xp.where(x > 0, out, np.nan)).astype(dtype))


def _gamma_density(a, x):
    """x^(a-1) e^-x / Γ(a) = ∂P(a, x) / ∂x, DLMF 8.8.13."""
    return exp(xlogy(a - 1.0, x) - x - weakly(gammaln, a))


def _beta_density(a, b, x):
    """x^(a-1) (1-x)^(b-1) / B(a, b) = ∂I_x(a, b) / ∂x, from DLMF 8.17.1."""
    return exp(xlogy(a - 1.0, x) + xlog1py(b - 1.0, -x) - weakly(betaln, a, b))


def _weighted(density, *factors):
    """`density` times powers `(value, n)`; 0 where it is 0, whatever the logarithms are there."""
    out = density
    for value, n in factors:
        for _ in range(n):
            out = out * value
    return where(density == 0, 0.0, out)


def _gamma_samples(rng):
    def draw(*shape):
        return rng.uniform(0.5, 4.0, shape)

    shapes = (((), ()), ((2, 1), (3,)), ((), (0,)))
    return [Sample(draw(*s), draw(*t)) for s, t in shapes] + [
        Sample(draw(3).astype(np.float32), draw(3).astype(np.float32)),
        Sample(np.array([0.3, 30.0, 30.0]), np.array([0.2, 25.0, 36.0])),
    ]


def _with(samples, number, orders, **params):
    """Some of the samples, with parameters, and derivatives of second order for the last alone: moments take time."""
    def chosen(rng):
        found = samples(rng)[-number:]
        return [Sample(*s.operands, params=params, orders=orders if s is found[-1] else 1) for s in found]

    return chosen


_REAL = {"complex": "SciPy has the incomplete functions for real values"}
gamma_moment = elementwise(
    "gamma_moment",  # n >= 1; the moment 0 is gammainc
    impl=lambda xp, a, x, *, n: _gamma_moment(xp, a, x, n),
    d={"a": lambda a, x, n: gamma_moment(a, x, n + 1) - n * _lower(a, x, n - 1) * polygamma(1, a),
       "x": lambda a, x, n: _weighted(_gamma_density(a, x), (log(x) - weakly(digamma, a), n))},
    singular=True,
    absent=_REAL,
    samples=together(_with(_gamma_samples, 5, 2, n=1), _with(_gamma_samples, 1, 1, n=2)),
)


def _lower(a, x, n):
    return gamma_moment(a, x, n) if n else gammainc(a, x)


_kernel_lower, _kernel_upper = scipy_kernel("gammainc"), scipy_kernel("gammaincc")
gammainc = elementwise(
    "gammainc",  # P(a, x)
    impl=lambda xp, a, x: _kernel_lower(xp, a, x),
    d={"a": lambda a, x: gamma_moment(a, x, 1), "x": lambda a, x: _gamma_density(a, x)},
    singular=True,
    samples=_gamma_samples,
)
gammaincc = elementwise(
    "gammaincc",  # Q(a, x) = 1 - P(a, x)
    impl=lambda xp, a, x: _kernel_upper(xp, a, x),
    d={"a": lambda a, x: -gamma_moment(a, x, 1), "x": lambda a, x: -_gamma_density(a, x)},
    singular=True,
    samples=_gamma_samples,
)


def _beta_samples(rng):
    def draw(*shapes):
        return [rng.uniform(0.5, 4.0, s) for s in shapes[:2]] + [rng.uniform(0.1, 0.9, shapes[2])]

    return [Sample(*draw(*s), orders=1) for s in (((2, 1), (), (3,)), ((), (), ()), ((), (1,), (0,)))] + [
        Sample(*[v.astype(np.float32) for v in draw(3, 3, 3)], orders=1),
        Sample(np.array([0.3, 30.0, 2.0]), np.array([0.4, 20.0, 40.0]), np.array([0.2, 0.7, 0.05])),
    ]


def _beta_partials(a, b, x, n, k):
    """The moment (n, k), that of one ln T less, and that of one ln(1-T) less, times their powers; 0 for none."""
    return (n * _beta(a, b, x, n - 1, k) if n else 0.0), (k * _beta(a, b, x, n, k - 1) if k else 0.0)


def _beta_by_a(a, b, x, n, k):
    first, second = _beta_partials(a, b, x, n, k)
    both = polygamma(1, a + b)
    return beta_moment(a, b, x, n + 1, k) - first * (polygamma(1, a) - both) + second * both


def _beta_by_b(a, b, x, n, k):
    first, second = _beta_partials(a, b, x, n, k)
    both = polygamma(1, a + b)
    return beta_moment(a, b, x, n, k + 1) + first * both - second * (polygamma(1, b) - both)


def _beta_by_x(a, b, x, n, k):
    both = weakly(digamma, a + b)
    return _weighted(_beta_density(a, b, x), (log(x) - (weakly(digamma, a) - both), n),
                     (log1p(-x) - (weakly(digamma, b) - both), k))


beta_moment = elementwise(
    "beta_moment",  # n + k >= 1; the moment 0, 0 is betainc
    impl=lambda xp, a, b, x, *, n, k: _beta_moment(xp, a, b, x, n, k),
    d={"a": _beta_by_a, "b": _beta_by_b, "x": _beta_by_x},
    singular=True,
    absent=_REAL,
    samples=together(_with(_beta_samples, 4, 2, n=1, k=0), _with(_beta_samples, 1, 1, n=1, k=1)),
)


def _beta(a, b, x, n, k):
    return beta_moment(a, b, x, n, k) if n or k else betainc(a, b, x)


_kernel_betainc = scipy_kernel("betainc")
betainc = elementwise(
    "betainc",  # I_x(a, b)
    impl=lambda xp, a, b, x: _kernel_betainc(xp, a, b, x),
    d={"a": lambda a, b, x: beta_moment(a, b, x, 1, 0), "b": lambda a, b, x: beta_moment(a, b, x, 0, 1),
       "x": lambda a, b, x: _beta_density(a, b, x)},
    singular=True,
    samples=_beta_samples,
)
