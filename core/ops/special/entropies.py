"""Logit and expit, entropies (x log y), and weighted log-sum-exp."""

import math

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.families import elementwise, primitive
from ...tape.strong_zeros import strong_zero
from ...tape.unbroadcast import conj
from ..arithmetic import exp, log, log1p
from ..elementary import sigmoid
from ..reductions import keep_axes, reduce_sum, reduced_shape
from ..samples import Sample, arrays, binary, together, unary
from ..selection import maximum, where
from ..shaping import broadcast_to
from .scipy_kernels import WIDE, scipy_kernel, scipy_unary, weakly

# Without SciPy the functions of this file are computed by NumPy.
logit = scipy_unary("logit", lambda x: odds_slope(x), 0.1, 0.9, singular=True,
                    own=lambda xp, x: xp.log(x / (1.0 - x)))
log_expit = scipy_unary("log_expit", lambda x: sigmoid(-x), -3.0, 3.0, extra=[-40.0, 40.0], quiet=True,
                        own=lambda xp, x: -xp.logaddexp(-x, 0.0))


odds_slope = elementwise(
    "odds_slope",  # 1 / (x (1 - x)) within [0, 1], where logit has values; infinite at both ends
    impl=lambda xp, x: xp.where((x >= 0) & (x <= 1), 1.0 / ((x + 0.0) * (1.0 - x)), math.nan).astype(x.dtype),
    d={"x": lambda x, ans: (2.0 * x - 1.0) * ans * ans},
    singular=True,
    absent={"complex": "logit is real"},
    samples=unary(0.1, 0.9, complex_too=False),
)


def _by_factor(c, x, total, slope):
    """`c` times the slope log(total) of x log(total); 0 where x = 0 or c = 0 meets a total without a logarithm."""
    real = type(total) is not complex and getattr(total, "dtype", WIDE).kind != "c"
    return where(((x == 0) | (c == 0)) & (total <= 0 if real else total == 0), 0.0, c * slope)


def _by_argument(c, x, total):
    """`c` times x / total; 0 where x = 0 meets total = 0, since 0 log y is 0 for all y."""
    corner = (x == 0) & (total == 0)
    return where(corner, 0.0, c * (x / where(corner, 1.0, total)))


def _corner(y):
    return lambda rng: [Sample(np.array([0.0, 0.0, 2.0]), np.array([y, y + 1.5, y + 0.5]), smooth=False, orders=1),
                        Sample(np.array([0.0, 1.0]), np.array([y + 2.0, y + 3.0]))]


def _product(log_of):
    """x times a logarithm of y, 0 where x = 0 and y is no NaN."""
    def run(xp, x, y):
        zero = (x == 0) & (y == y)
        return xp.where(zero, 0.0, x * getattr(xp, log_of)(xp.where(zero, 1.0, y)))

    return run


_kernel_xlogy = scipy_kernel("xlogy", _product("log"))
_kernel_xlog1py = scipy_kernel("xlog1py", _product("log1p"))
xlogy = elementwise(
    "xlogy",  # x log y, 0 where x = 0
    impl=lambda xp, x, y: _kernel_xlogy(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, y, weakly(log, y)), "y": lambda dy, x, y: _by_argument(dy, x, y)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, y, conj(weakly(log, y))),
         "y": lambda ct, x, y: _by_argument(ct, conj(x), conj(y))},
    singular=True,
    zeros=True,
    samples=together(binary(low_y=0.5, high_y=3.0), _corner(0.0)),
)
xlog1py = elementwise(
    "xlog1py",  # x log(1 + y), 0 where x = 0
    impl=lambda xp, x, y: _kernel_xlog1py(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, y + 1.0, weakly(log1p, y)),
         "y": lambda dy, x, y: _by_argument(dy, x, y + 1.0)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, y + 1.0, conj(weakly(log1p, y))),
         "y": lambda ct, x, y: _by_argument(ct, conj(x), conj(y) + 1.0)},
    singular=True,
    zeros=True,
    samples=together(binary(low_y=-0.5, high_y=2.0), _corner(-1.0)),
)
# -x log x, 0 at 0 (where the slope is infinite), -inf below 0 (where it is NaN).
entr = scipy_unary("entr", lambda x: -log(x) - 1.0, 0.2, 3.0, singular=True,
                   own=lambda xp, x: xp.where(x < 0, -np.inf, -x * xp.log(xp.where(x == 0, 1.0, x))))



def _relative(xp, x, y):
    """x log(x / y): 0 where x = 0 <= y, inf beyond the domain."""
    inside = (x > 0) & (y > 0)
    quotient = xp.where(inside, x, 1.0) / xp.where(inside, y, 1.0)
    out = xp.where(inside, x * xp.log(quotient), xp.where((x == 0) & (y >= 0), 0.0, np.inf))
    return xp.where((x != x) | (y != y), np.nan, out)


def _edge(rng):
    return [Sample(np.array([0.0, 0.0]), np.array([0.0, 2.0]), smooth=False, orders=1)]


_kernel_rel_entr, _kernel_kl_div = scipy_kernel("rel_entr", _relative), scipy_kernel(
    "kl_div", lambda xp, x, y: _relative(xp, x, y) - x + y)
# At x = 0 <= y the slope by x is -inf; 0 is chosen, as for xlogy.
rel_entr = elementwise(
    "rel_entr",
    impl=lambda xp, x, y: _kernel_rel_entr(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, x, log(x / y) + 1.0), "y": lambda dy, x, y: -_by_argument(dy, x, y)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, x, log(x / y) + 1.0), "y": lambda ct, x, y: -_by_argument(ct, x, y)},
    singular=True,
    zeros=True,
    samples=together(binary(0.5, 3.0, complex_too=False), _edge),
)
kl_div = elementwise(
    "kl_div",  # x log(x / y) - x + y
    impl=lambda xp, x, y: _kernel_kl_div(xp, x, y),
    jvp={"x": lambda dx, x, y: _by_factor(dx, x, x, log(x / y)), "y": lambda dy, x, y: dy - _by_argument(dy, x, y)},
    vjp={"x": lambda ct, x, y: _by_factor(ct, x, x, log(x / y)), "y": lambda ct, x, y: ct - _by_argument(ct, x, y)},
    singular=True,
    zeros=True,
    samples=together(binary(0.5, 3.0, complex_too=False), _edge),
)


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
    """exp(a) / Σ b exp(a), and b times that: the derivatives by b and by a. b = 0 wins over all."""
    out, signs = (keep_axes(value, a, axes, keepdims) for value in ans)
    gap = a - where(out == -np.inf, 0.0, out)
    share = exp(gap) * signs
    return share, where((b == 0) & ((gap > 700.0) | (gap != gap)), 0.0, b * share)


def _signed_jvp(tangents, a, b, ans, axes, keepdims):
    share, weighted = _shares(a, b, ans, axes, keepdims)
    da, db = tangents
    parts = [strong_zero(t, f * t) for f, t in ((weighted, da), (share, db)) if t is not None]
    if da is not None:
        parts[0] = strong_zero(weighted, parts[0])
    push = parts[0] if len(parts) == 1 else parts[0] + parts[1]
    return reduce_sum(push, axes, keepdims), 0.0 * ans[1]


def _signed_vjp(cts, a, b, ans, axes, keepdims):
    ct = keep_axes(cts[0], a, axes, keepdims)
    share, weighted = _shares(a, b, ans, axes, keepdims)
    return strong_zero(ct, weighted * ct), strong_zero(ct, share * ct)


def _signed_shape(a, b, axes, keepdims):
    if a.shape != b.shape:
        raise ShapeError(f"signed_logsumexp needs values and weights of one shape, but got {a.shape} and {b.shape}; "
                         f"broadcast them first{at_user_line()}")
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
    quiet=True,
    absent={"complex": "weights have signs", "broadcast": "one shape for both"},
    samples=together(
        *[arrays(s, s, complex_too=False, axes=axes, keepdims=keep)
          for s, axes, keep in (((3,), (0,), False), ((2, 3), (1,), True), ((2, 3), (0, 1), False), ((), (), False),
                                ((0, 3), (1,), False))],
        lambda rng: [Sample(np.array([0.5, 1.0, 2.0]), np.array([1.0, 0.0, -3.0]), params={"axes": (0,), "keepdims":
                                                                                           False})],
    ),
)


def _clamped(of, x):
    """A logarithm, at least -100: a probability of 0 costs 100, not infinity."""
    return maximum(of(x), -100.0)


# Losses of probabilities x for labels y. The derivative at x = 0 and 1 is that of the chosen bound: (x - y) 1e12.
binary_cross_entropy = elementwise(
    "binary_cross_entropy",
    impl=lambda xp, x, y: -(y * xp.maximum(xp.log(x), -100.0) + (1.0 - y) * xp.maximum(xp.log1p(-x), -100.0)),
    d={"x": lambda x, y: (x - y) / maximum((1.0 - x) * x, 1e-12),
       "y": lambda x: _clamped(log1p, -x) - _clamped(log, x)},
    absent={"complex": "a loss is real: take abs first"},
    samples=lambda rng: [Sample(rng.uniform(0.1, 0.9, s), rng.uniform(0.1, 0.9, s)) for s in ((), (3,), (2, 3), (0,))]
    + [Sample(rng.uniform(0.1, 0.9, (2, 1)), rng.uniform(0.1, 0.9, 3)),
       Sample(rng.uniform(0.1, 0.9, 3).astype("f4"), rng.uniform(0.1, 0.9, 3).astype("f4"))],
)
