"""Algebraic Riccati equations, of continuous and of discrete time."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ..linalg.decompositions import adjoint, check_square, hermitian, solve
from ..linalg.products import matmul
from ..samples import Sample
from .equations import continuous_lyapunov, discrete_lyapunov
from .library import aligned, linalg, stacked


def _shape(a, b, q, r):
    for x in (a, q, r):
        check_square(x, "a Riccati equation")
    n, m = a.shape[-1], r.shape[-1]
    if b.ndim < 2 or b.shape[-2:] != (n, m) or q.shape[-1] != n:
        raise ShapeError(f"a Riccati equation needs a, q of shape (n, n), b of shape (n, m) and r of shape (m, m), but "
                         f"got {a.shape}, {q.shape}, {b.shape} and {r.shape}; reshape them{at_user_line()}")
    lead = broadcast_shape("a Riccati equation", [x.shape[:-2] for x in (a, b, q, r)])
    return make_aval((*lead, n, n), float_dtype(result_dtype(a, b, q, r)))


def _are(xp, a, b, q, r, balanced, discrete):
    name = "solve_discrete_are" if discrete else "solve_continuous_are"

    def run(a, b, q, r):
        q, r = (0.5 * (x + x.conj().T) for x in (q, r))
        return getattr(linalg, name)(a, b, q, r, balanced=balanced)

    return stacked(xp, name, run, q.shape[-2:], a, b, q, r)


def _gain(a, b, r, x, discrete):
    """The feedback K, and the matrix A - B K of the closed loop."""
    up, r = matmul(adjoint(b), x), hermitian(r)
    k = solve(r + matmul(up, b), matmul(up, a)) if discrete else solve(r, up)
    return k, a - matmul(b, k)


def _moved(df, loop, discrete):
    """The change of the solution by that of the equation, a Lyapunov equation of the closed loop."""
    return discrete_lyapunov(adjoint(loop), df, None) if discrete else continuous_lyapunov(adjoint(loop), -df)


def _by_matrix(dm, loop, x, discrete):
    """Change of the equation by one of A or of -B K: dMᴴ X (A - B K) and its adjoint; dMᴴ X in continuous time."""
    part = matmul(adjoint(dm), x)
    part = matmul(part, loop) if discrete else part
    return part + adjoint(part)


def _jvp_a(da, a, b, r, ans, discrete):
    """Kenney and Hewer (1990), SIAM J. Control Optim. 28(1), section 2: the equation, differentiated at fixed K."""
    _, loop = _gain(a, b, r, ans, discrete)
    return _moved(_by_matrix(da, loop, ans, discrete), loop, discrete)


def _jvp_b(db, a, b, r, ans, discrete):
    k, loop = _gain(a, b, r, ans, discrete)
    return _moved(_by_matrix(-matmul(db, k), loop, ans, discrete), loop, discrete)


def _jvp_q(dq, a, b, r, ans, discrete):
    _, loop = _gain(a, b, r, ans, discrete)
    return _moved(hermitian(dq), loop, discrete)


def _jvp_r(dr, a, b, r, ans, discrete):
    k, loop = _gain(a, b, r, ans, discrete)
    return _moved(matmul(adjoint(k), matmul(hermitian(dr), k)), loop, discrete)


def _vjp(ct, a, b, r, ans, discrete):
    """The adjoint: S = L S Lᴴ + x̄ of the closed loop L, or L S + S Lᴴ = -x̄, and M̄ = X L (S + Sᴴ), or X (S + Sᴴ)."""
    k, loop = _gain(a, b, r, ans, discrete)
    s = discrete_lyapunov(loop, ct, None) if discrete else continuous_lyapunov(loop, -ct)
    s = hermitian(s)
    m = 2.0 * matmul(matmul(ans, loop) if discrete else ans, s)
    return m, -matmul(m, adjoint(k)), s, matmul(k, matmul(s, adjoint(k)))


def _samples(discrete):
    def samples(rng):
        out = []
        for lead, n, m, c, dtype in (((), 3, 2, 0, "f8"), ((), 2, 1, 1j, "c16"), ((2,), 2, 2, 0, "f8"),
                                     ((), 2, 2, 0, "f4"), ((0,), 2, 1, 0, "f8")):
            def draw(*shape, lead=lead, c=c):
                return 0.4 * (rng.normal(size=lead + shape) + c * rng.normal(size=lead + shape))

            def positive(k):
                x = draw(k, k)
                return x @ x.conj().swapaxes(-1, -2) + np.eye(k)

            xs = draw(n, n), draw(n, m) + np.eye(n, m), positive(n), positive(m)
            out.append(Sample(*[(1.0 * x).astype(dtype) for x in xs], tol=1e-5,
                              params={"balanced": True, "discrete": discrete}))
        return out

    return samples


riccati = primitive(
    "solve_riccati",  # the stabilising solution x: (…, n, n), of the Hermitian parts of q and r; see api/scipy/linalg
    host=True,
    impl=lambda xp, a, b, q, r, *, balanced, discrete: _are(xp, a, b, q, r, balanced, discrete),
    shape=_shape,
    jvp={"a": _jvp_a, "b": _jvp_b, "q": _jvp_q, "r": _jvp_r},
    vjp={"a, b, q, r": _vjp},
    batch=lambda a, b, q, r, batched, balanced, discrete: riccati(*aligned((a, b, q, r), batched), balanced, discrete),
    blocks=2,
    samples=lambda rng: _samples(True)(rng) + _samples(False)(rng),
    absent={"()": "its operands are matrices"},
)
