"""Linear matrix equations: those of Sylvester and Lyapunov."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ..linalg.decompositions import adjoint, check_square
from ..linalg.products import matmul
from ..samples import Sample
from .library import aligned, linalg, stacked


def _no_solution(name, info):
    if info:
        raise np.linalg.LinAlgError(
            f"{name} found coefficients with (nearly) common eigenvalues, for which the equation has no unique "
            f"solution (SciPy would perturb them); change the matrices{at_user_line()}")


def _sylvester(a, b, q):
    """As SciPy's: Bartels and Stewart (1972), by Schur forms."""
    r, u = linalg.schur(a, output="real")
    s, v = linalg.schur(b.conj().T, output="real")
    f = u.conj().T.dot(q).dot(v)
    (trsyl,) = linalg.get_lapack_funcs(("trsyl",), (r, s, f))
    y, scale, info = trsyl(r, s, f, tranb="C")
    _no_solution("solve_sylvester", info)
    return u.dot(scale * y).dot(v.conj().T)


def _sylvester_shape(a, b, q):
    check_square(a, "solve_sylvester")
    check_square(b, "solve_sylvester")
    if q.ndim < 2 or q.shape[-2:] != (a.shape[-1], b.shape[-1]):
        raise ShapeError(f"solve_sylvester needs q of shape (…, {a.shape[-1]}, {b.shape[-1]}) for a and b of shapes "
                         f"{a.shape} and {b.shape}, but got {q.shape}; reshape q{at_user_line()}")
    lead = broadcast_shape("solve_sylvester", [x.shape[:-2] for x in (a, b, q)])
    return make_aval((*lead, *q.shape[-2:]), float_dtype(result_dtype(a, b, q)))


def _sylvester_vjp(ct, a, b, ans):
    """The adjoint equation Aᴴ S + S Bᴴ = c̄; then q̄ = S, ā = -S Xᴴ, b̄ = -Xᴴ S."""
    s = sylvester(adjoint(a), adjoint(b), ct)
    across = adjoint(ans)
    return -matmul(s, across), -matmul(across, s), s


def _systems(rng, count, shapes):
    """Matrices with eigenvalues about 2 and about -1/2, real, float32 and complex, the last `q` of any kind."""
    out = []
    for shape in shapes:
        for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
            def draw(shape=shape, c=c):
                return 0.2 * (rng.normal(size=shape) + c * rng.normal(size=shape))

            first = [draw() + (2.0 + 0.3 * k) * np.eye(shape[-1]) for k in range(count)]
            out.append([(x * 1.0).astype(dtype) for x in (*first, draw())])
    return out


_SHAPES = ((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))
sylvester = primitive(
    "solve_sylvester",  # a: (…, n, n), b: (…, m, m), q: (…, n, m): x with a x + x b = q
    host=True,
    impl=lambda xp, a, b, q: stacked(xp, "solve_sylvester", _sylvester, q.shape[-2:], a, b, q),
    shape=_sylvester_shape,
    jvp={"a": lambda da, a, b, ans: -sylvester(a, b, matmul(da, ans)),
         "b": lambda db, a, b, ans: -sylvester(a, b, matmul(ans, db)),
         "q": lambda dq, a, b: sylvester(a, b, dq)},
    vjp={"a, b, q": _sylvester_vjp},
    linear=("q",),
    batch=lambda a, b, q, batched: sylvester(*aligned((a, b, q), batched)),
    blocks=2,
    samples=lambda rng: [Sample(*xs, tol=1e-5) for xs in _systems(rng, 2, _SHAPES)]
    + [Sample(2.0 * np.eye(2) + 0.1, np.eye(3) - 0.1, rng.normal(size=(2, 2, 3)), tol=1e-5)],
    absent={"()": "its operands are matrices"},
)


def _continuous(a, q):
    """As SciPy's, by one Schur form."""
    r, u = linalg.schur(a, output="real")
    f = u.conj().T.dot(q.dot(u))
    (trsyl,) = linalg.get_lapack_funcs(("trsyl",), (r, f))
    y, scale, info = trsyl(r, r, f, tranb="T" if a.dtype.kind == "f" else "C")
    _no_solution("solve_continuous_lyapunov", info)
    return u.dot(y * scale).dot(u.conj().T)


def _lyapunov_shape(a, q):
    check_square(a, "solve_lyapunov")
    if q.shape[-2:] != a.shape[-2:]:
        raise ShapeError(f"a Lyapunov equation needs a and q of the same shape, but got {a.shape} and {q.shape}; "
                         f"reshape q{at_user_line()}")
    lead = broadcast_shape("solve_lyapunov", [a.shape[:-2], q.shape[:-2]])
    return make_aval((*lead, *q.shape[-2:]), float_dtype(result_dtype(a, q)))


def _continuous_vjp(ct, a, ans):
    """The adjoint equation Aᴴ S + S A = c̄; then q̄ = S, ā = -S Xᴴ - Sᴴ X."""
    s = continuous_lyapunov(adjoint(a), ct)
    return -matmul(s, adjoint(ans)) - matmul(adjoint(s), ans), s


continuous_lyapunov = primitive(
    "solve_continuous_lyapunov",  # a, q: (…, n, n): x with a x + x aᴴ = q
    host=True,
    impl=lambda xp, a, q: stacked(xp, "solve_continuous_lyapunov", _continuous, q.shape[-2:], a, q),
    shape=_lyapunov_shape,
    jvp={"a": lambda da, a, ans: -continuous_lyapunov(a, matmul(da, ans) + matmul(ans, adjoint(da))),
         "q": lambda dq, a: continuous_lyapunov(a, dq)},
    vjp={"a, q": _continuous_vjp},
    linear=("q",),
    batch=lambda a, q, batched: continuous_lyapunov(*aligned((a, q), batched)),
    blocks=2,
    samples=lambda rng: [Sample(*xs, tol=1e-5) for xs in _systems(rng, 1, _SHAPES)],
    absent={"()": "its operands are matrices"},
)


def _discrete_vjp(ct, a, ans, method):
    """The adjoint equation Aᴴ S A - S + c̄ = 0; then q̄ = S, ā = S A Xᴴ + Sᴴ A X."""
    s = discrete_lyapunov(adjoint(a), ct, method)
    return matmul(s, matmul(a, adjoint(ans))) + matmul(adjoint(s), matmul(a, ans)), s


def _discrete_jvp(da, a, ans, method):
    moved = matmul(matmul(da, ans), adjoint(a)) + matmul(matmul(a, ans), adjoint(da))
    return discrete_lyapunov(a, moved, method)


def _discrete(xp, a, q, method):
    return stacked(xp, "solve_discrete_lyapunov", lambda a, q: linalg.solve_discrete_lyapunov(a, q, method),
                   q.shape[-2:], a, q)


discrete_lyapunov = primitive(
    "solve_discrete_lyapunov",  # a, q: (…, n, n): x with a x aᴴ - x + q = 0; method: SciPy's
    host=True,
    impl=lambda xp, a, q, *, method: _discrete(xp, a, q, method),
    shape=lambda a, q: _lyapunov_shape(a, q),
    jvp={"a": _discrete_jvp, "q": lambda dq, a, method: discrete_lyapunov(a, dq, method)},
    vjp={"a, q": _discrete_vjp},
    linear=("q",),
    batch=lambda a, q, batched, method: discrete_lyapunov(*aligned((a, q), batched), method),
    blocks=2,
    samples=lambda rng: [Sample(a * 0.25, q, params={"method": (None, "bilinear")[k % 2]}, tol=1e-5)
                         for k, (a, q) in enumerate(_systems(rng, 1, _SHAPES))],
    absent={"()": "its operands are matrices"},
)
