"""The QR decomposition."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, real_dtype
from ...primitive.families import primitive
from ...trace.device import constant
from ..samples import Sample
from ..shaping import concatenate
from .decompositions import adjoint, solve
from .guards import FINITE, RAISE, regular
from .products import matmul
from .quotients import ADDED, settled


def _qr_shape(a, complete):
    *lead, m, n = a.shape
    dtype = float_dtype(a.dtype)
    return make_aval((*lead, m, m if complete else n), dtype), make_aval((*lead, n, n), dtype)


def _qr(xp, a, complete):
    if not complete:
        return tuple(xp.linalg.qr(a))
    q, r = xp.linalg.qr(a, "complete")
    return q, r[..., : a.shape[-1], :]


def _full_rank(r):
    """R, whose diagonal tells by how much each column leaves the space of those before it."""
    return regular(r, True, "qr is differentiable only at matrices of full rank",
                   "its Q is not determined there; use svd")


def _qr_jvp(da, ans):
    """Walter and Lehmann (2010), section 4: with C = Qᴴ dA R⁻¹ and Ω skew, its strict lower triangle that of C,
    dQ = dA R⁻¹ - Q (C - Ω), dR = (C - Ω) R. Columns added to Q move so that they stay orthogonal, no further."""
    q, r = ans[0], _full_rank(ans[1])
    n = r.shape[-1]
    first, more = q[..., :n], q[..., n:]
    scaled = adjoint(solve(adjoint(r), adjoint(da)))
    c = matmul(adjoint(first), scaled)
    below = c * constant(np.tri(n, k=-1, dtype=c.dtype), c)
    skew = below - adjoint(below)
    if c.dtype.kind == "c":  # R has a real diagonal, so Q takes the imaginary part
        skew = skew + (c - adjoint(c)) * constant(0.5 * np.eye(n, dtype=c.dtype), c)
    up = c - skew
    dq, dr = scaled - matmul(first, up), matmul(up, r)
    if more.shape[-1]:
        dq = concatenate(dq, -matmul(first, matmul(adjoint(scaled), more)), axis=q.ndim - 1)
    return dq, dr


def _qr_vjp(ct, ans, repeated):
    """The adjoint of `_qr_jvp`: with M = triu(R̄ Rᴴ - Qᴴ Q̄) and S = M + Mᴴ, its diagonal halved, (Q̄ + Q S) R⁻ᴴ."""
    q, r = ans[0], _full_rank(ans[1])
    ct_q, ct_r = ct
    n = r.shape[-1]
    first, more = q[..., :n], q[..., n:]
    if ct_q is not None and more.shape[-1]:
        added = settled(ct_q[..., n:], more, ct_q, repeated, ADDED)
        ct_q = ct_q[..., :n] - matmul(more, matmul(adjoint(added), first))
    m = None
    if ct_r is not None:
        m = matmul(ct_r, adjoint(r))
    if ct_q is not None:
        part = matmul(adjoint(first), ct_q)
        m = -part if m is None else m - part
    m = m * constant(np.tri(n, dtype=m.dtype).T, m)
    s = (m + adjoint(m)) * constant(1.0 - 0.5 * np.eye(n, dtype=real_dtype(m.dtype)), m)
    total = matmul(first, s)
    if ct_q is not None:
        total = total + ct_q
    return adjoint(solve(r, adjoint(total)))


def _gauge(q, r):
    """The gauge-invariant part: it does not depend on the choice of the columns that were added."""
    n = r.shape[-1]
    more = q[..., n:]
    return q[..., :n], r, matmul(more, adjoint(more))


def _qr_samples(rng):
    out = []
    for shape, complete, policy in (((3, 3), False, RAISE), ((4, 2), False, RAISE), ((2, 3, 2), False, FINITE),
                                    ((1, 1), True, RAISE), ((3, 1), True, FINITE), ((4, 2), True, RAISE),
                                    ((0, 3, 2), True, FINITE), ((0, 3, 2), False, RAISE)):
        a = rng.normal(size=shape)
        facts = {"params": {"complete": complete, "repeated": policy}, "gauge": _gauge}
        out += [Sample(a, tol=1e-5, **facts), Sample(a.astype(np.float32), **facts),
                Sample(a + 1j * rng.normal(size=shape), tol=1e-5, **facts)]
    return out


qr = primitive(
    "qr",  # of a: (..., m, n) with m >= n and full column rank; wide matrices are composed from it; R is (n, n)
    effects="context",
    impl=lambda xp, a, *, complete, repeated: _qr(xp, a, complete),
    outputs=2,
    accepts_none=True,
    shape=_qr_shape,
    jvp={"a": _qr_jvp},
    vjp={"a": _qr_vjp},
    batch=lambda a, complete, repeated: qr(a, complete=complete, repeated=repeated),
    blocks=2,
    samples=_qr_samples,
    absent={"()": "its operand is a matrix"},
)
