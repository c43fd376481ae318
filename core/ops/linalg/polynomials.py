"""Roots of polynomials, differentiated implicitly."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import complex_dtype
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..samples import Sample
from ..shaping import complex_of
from .products import matmul
from .spectral import sums_of_powers


def _moves(c, r):
    """The matrix of partial derivatives: from p(r) = 0 follows dr[i]/dc[k] = -r[i]^(n - 1 - k) / p'(r[i]).

    A multiple root moves infinitely fast, and the quotient says so.
    """
    n = c.shape[-1]
    powers = r[..., None] ** constant(np.arange(n - 1, -1, -1), r)
    factors = constant(np.arange(n - 1, 0, -1.0).astype(r.real.dtype), r)
    slopes = n * powers[..., :1] + matmul(powers[..., 1:], (complex_of(c)[..., :-1] * factors)[..., None])
    return -(powers / slopes)


def _roots(xp, c):
    dtype = complex_dtype(c.dtype)
    one = xp.ones(1, c.dtype)
    rows = [xp.roots(xp.concatenate((one, row))) for row in c.reshape(-1, c.shape[-1])]
    return xp.stack(rows).reshape(c.shape).astype(dtype) if rows else xp.zeros(c.shape, dtype)


monic_roots = primitive(
    "monic_roots",  # c: (*b, n), n > 0, of x^n + c[0] x^(n - 1) + … + c[n - 1] -> (*b, n) complex, in NumPy's order
    impl=lambda xp, c: _roots(xp, c),
    shape=lambda c: make_aval(c.shape, complex_dtype(c.dtype)),
    jvp={"c": lambda dc, c, ans: matmul(_moves(c, ans), complex_of(dc)[..., None])[..., 0]},
    vjp={"c": lambda ct, c, ans: matmul(ct[..., None, :], conj(_moves(c, ans)))[..., 0, :]},
    batch=lambda c: monic_roots(c),
    blocks=1,
    samples=lambda rng: [Sample(np.array(c), tol=1e-5, gauge=sums_of_powers) for c in (
        [-3.0, 2.0], [0.5], [0.3, 2.0, -1.0], [2.0j, 3.0 - 1j], [[-3.0, 2.0], [1.0, 1.0]])]
    + [Sample(np.zeros((0, 3))), Sample(np.array([-3.0, 2.0], np.float32), gauge=sums_of_powers)],
    absent={"()": "a polynomial is a vector of coefficients"},
)
