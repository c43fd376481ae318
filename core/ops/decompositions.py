"""Matrix equations and decompositions, over any leading axes: solve, inv, cholesky."""

import numpy as np

from ..avals import make_aval
from ..device import constant
from ..dtypes import float_dtype, result_dtype
from ..errors import ShapeError, at_user_line
from ..families import broadcast_shape, primitive
from .linalg import lift, matmul
from .samples import Sample
from .shaping import conjugate, real


def adjoint(x):
    """The conjugate transpose of matrices."""
    x = x.swapaxes(-1, -2)
    return conjugate(x) if x.dtype.kind == "c" else x


def hermitian(x):
    """The Hermitian part of matrices."""
    return (x + adjoint(x)) * 0.5


def check_square(x, name):
    """Raise unless `x` holds square matrices."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name} needs square matrices (..., n, n), but got shape {x.shape}{at_user_line()}")


def square_aval(x, name):
    """The aval of square matrices, floating."""
    check_square(x, name)
    return make_aval(x.shape, float_dtype(x.dtype))


def matrix_diagonal(x):
    """The diagonals of square matrices."""
    rows = constant(np.arange(x.shape[-1]), x)
    return x[..., rows, rows]


def real_diagonal(x):
    """The real part of the diagonal of matrices."""
    d = matrix_diagonal(x)
    return real(d) if d.dtype.kind == "c" else d


def make_matrices(*shapes, spread=0.3, shift=2.0, positive=False):
    """Samples with well conditioned square matrices, real, float32 and complex."""

    def samples(rng):
        out = []
        for shape in shapes:
            for c, dtype in ((0.0, "f8"), (0.0, "f4"), (1j, "c16")):
                a = spread * (rng.normal(size=shape) + c * rng.normal(size=shape)) + shift * np.eye(shape[-1])
                if positive:
                    a = a @ a.conj().swapaxes(-1, -2) + np.diag(np.arange(shape[-1]))
                out.append((a * 1.0).astype(dtype))
        return out

    return samples


def _solve_shape(a, b):
    check_square(a, "solve")
    if b.ndim < 2 or b.shape[-2] != a.shape[-1]:
        raise ShapeError(f"solve needs b of shape (..., {a.shape[-1]}, k) for a of shape {a.shape}, "
                         f"but got {b.shape}{at_user_line()}")
    lead = broadcast_shape("solve", [a.shape[:-2], b.shape[:-2]])
    return make_aval((*lead, *b.shape[-2:]), float_dtype(result_dtype(a, b)))


def _solve_vjp(ct, a, ans):
    """Giles (2008), section 2.2.5: b̄ = a⁻ᴴ c̄, ā = -b̄ xᴴ."""
    b = solve(adjoint(a), ct)
    return -matmul(b, adjoint(ans)), b


def _solve_batch(a, b, batched):
    if not batched[0] and a.ndim == 2 and b.ndim == 3:  # one factorization for all examples
        size, n, k = b.shape
        return solve(a, b.transpose(1, 0, 2).reshape((n, size * k))).reshape((n, size, k)).transpose(1, 0, 2)
    if batched[0] and batched[1]:
        rank = max(a.ndim, b.ndim)
        return solve(lift(a, rank), lift(b, rank))
    if batched[0]:
        return solve(lift(a, b.ndim + 1), b)
    return solve(a, lift(b, a.ndim + 1))


solve = primitive(
    "solve",  # a: (..., n, n), b: (..., n, k)
    impl=lambda xp, a, b: xp.linalg.solve(a, b),
    shape=_solve_shape,
    jvp={"a": lambda da, a, ans: -solve(a, matmul(da, ans)), "b": lambda db, a: solve(a, db)},
    vjp={"a, b": _solve_vjp},
    batch=_solve_batch,
    linear=("b",),
    samples=lambda rng: [
        Sample(a, rng.normal(size=(*lead, a.shape[-1], 2)).astype(a.dtype), tol=1e-5)
        for a in make_matrices((3, 3), (2, 3, 3), (1, 1), (0, 2, 2))(rng) for lead in ((), a.shape[:-2])
    ],
)
inv = primitive(
    "inv",  # derivative: Giles (2008), section 2.2.3
    impl=lambda xp, a: xp.linalg.inv(a),
    shape=lambda a: square_aval(a, "inv"),
    jvp={"a": lambda da, ans: -matmul(ans, matmul(da, ans))},
    vjp={"a": lambda ct, ans: -matmul(adjoint(ans), matmul(ct, adjoint(ans)))},
    batch=lambda a: inv(a),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)


def _lower_half(x):
    """The lower triangle with half the diagonal: Φ of Murray (2016)."""
    n = x.shape[-1]
    return x * constant(np.tri(n, dtype=x.dtype) - 0.5 * np.eye(n, dtype=x.dtype), x)


def _cholesky_jvp(da, ans):
    """Murray (2016), equation 8: dL = L Φ(L⁻¹ dA L⁻ᴴ)."""
    inner = solve(ans, adjoint(solve(ans, hermitian(da))))
    return matmul(ans, _lower_half(inner))


def _cholesky_vjp(ct, ans):
    """Murray (2016), equation 10: the Hermitian part of L⁻ᴴ Φ(Lᴴ L̄) L⁻¹."""
    inner = _lower_half(matmul(adjoint(ans), ct))
    up = adjoint(ans)
    return hermitian(solve(up, adjoint(solve(up, adjoint(inner)))))


cholesky = primitive(
    "cholesky",  # of the Hermitian part of a; lower triangular
    impl=lambda xp, a: xp.linalg.cholesky((a + xp.conj(xp.swapaxes(a, -1, -2))) / 2),
    shape=lambda a: square_aval(a, "cholesky"),
    jvp={"a": _cholesky_jvp},
    vjp={"a": _cholesky_vjp},
    batch=lambda a: cholesky(a),
    samples=lambda rng: [
        Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2), positive=True)(rng)
    ],
)
