"""Matrix equations and decompositions, over any leading axes: solve, inv, cholesky."""

from functools import lru_cache

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...arrays.fp_warnings import enter_error_state, error_state, leave_error_state, make_error_state
from ...errors import ShapeError, SquareError, at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..dependence import columns, cores, lines
from ..indexing.pairs import real
from ..samples import Sample
from ..shaping import conjugate
from .products import lift, matmul, outer, times
from .small_solves import inverted, solved, solved_vector

# Inverses and Cholesky factors of one matrix, by NumPy's routines without the checks that take half of their time.
#
# `np.linalg.inv` of 10 x 10 takes 8.1 us, the routine behind it 4.2; `np.linalg.cholesky` 5.0 and 2.1. The routines are
# those of NumPy, found by name; where a NumPy has them no longer, its public functions do the same.

_DOUBLE = np.dtype(np.float64)
_ROUTINES = getattr(np.linalg, "_umath_linalg", None)


def _of_one_matrix(name, message, public):
    """`f(xp, a)`: the routine of that name on one float64 matrix, raising `message`; `public(xp)` on anything else."""
    routine = getattr(_ROUTINES, name, None)
    if routine is None:
        return lambda xp, a: public(xp)(a)

    def refuse(error, flag):
        raise np.linalg.LinAlgError(message)

    # The state in which a routine that finds no result raises; as NumPy's functions set it.
    state = make_error_state(call=refuse, invalid="call", over="ignore", divide="ignore", under="ignore")

    def run(xp, a):
        if not (xp is np and a.dtype is _DOUBLE and a.ndim == 2 and a.shape[0] == a.shape[1] > 0):
            return public(xp)(a)
        token = error_state()
        try:
            enter_error_state(state)
            return routine(a)
        finally:
            leave_error_state(token)

    return run


inverse = _of_one_matrix("inv", "Singular matrix", lambda xp: xp.linalg.inv)
lower_factor = _of_one_matrix("cholesky_lo", "Matrix is not positive definite", lambda xp: xp.linalg.cholesky)
_BLOCK = 32  # rows of a triangle that are inverted at once


def inverse_of_lower(a):
    """The inverse of a plain lower triangular matrix, in a sixth of the products that `np.linalg.inv` takes."""
    n = a.shape[-1]
    if n <= _BLOCK:
        return inverse(np, a[::-1, ::-1])[::-1, ::-1]
    middle = n // 2
    out = np.zeros_like(a)
    out[:middle, :middle] = x = inverse_of_lower(a[:middle, :middle])
    out[middle:, middle:] = y = inverse_of_lower(a[middle:, middle:])
    np.negative(y.dot(a[middle:, :middle].dot(x)), out=out[middle:, :middle])
    return out


ndarray = np.ndarray


def adjoint(x):
    """The conjugate transpose of matrices."""
    x = x.swapaxes(-1, -2)
    return conjugate(x) if x.dtype.kind == "c" else x


def hermitian(x):
    """The Hermitian part of matrices."""
    return (x + adjoint(x)) * 0.5


_NOT_SQUARE = {
    "solve": "use np.linalg.lstsq(a, b)[0], or np.linalg.pinv(a) @ b, for the least squares solution",
    "inv": "use np.linalg.pinv(a)",
}


def check_square(x, name):
    """Raise unless `x` holds square matrices."""
    shape = x.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        remedy = _NOT_SQUARE.get(name, "the last two axes are those of the matrices")
        raise SquareError(f"{name} needs square matrices (..., n, n), but got shape {shape}; {remedy}{at_user_line()}")


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
                         f"but got {b.shape}; reshape b, or transpose it{at_user_line()}")
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
    lower=solved,
    lapack=lambda: ("solve", False),
    shape=_solve_shape,
    jvp={"a": lambda da, a, ans: -solve(a, matmul(da, ans)), "b": lambda db, a: solve(a, db)},
    vjp={"a, b": _solve_vjp},
    batch=_solve_batch,
    linear=("b",),
    depends=lambda a, b, ans: columns(ans.shape, a.shape, b.shape),
    blocks=2,
    samples=lambda rng: [
        Sample(a, rng.normal(size=(*lead, a.shape[-1], 2)).astype(a.dtype), tol=1e-5)
        for a in make_matrices((3, 3), (2, 3, 3), (1, 1), (0, 2, 2))(rng) for lead in ((), a.shape[:-2])
    ],
)


def _solve_vector(xp, a, b):
    return xp.linalg.solve(a, b) if b.ndim == 1 else xp.linalg.solve(a, b[..., None])[..., 0]


def _solve_vector_shape(a, b):
    check_square(a, "solve")
    if not b.ndim or b.shape[-1] != a.shape[-1]:
        raise ShapeError(f"solve needs a vector b of length {a.shape[-1]} for a of shape {a.shape}, "
                         f"but got shape {b.shape}; "
                         f"give b of that length, or b[..., None] for a matrix{at_user_line()}")
    lead = broadcast_shape("solve", [a.shape[:-2], b.shape[:-1]])
    return make_aval((*lead, b.shape[-1]), float_dtype(result_dtype(a, b)))


def _solve_vector_vjp(ct, a, ans):
    """As that of `solve`, with the outer product of vectors, summed over those of one matrix."""
    b = solve_vector(adjoint(a), ct)
    if a.ndim == 2 and ans.ndim == 2:
        return -matmul(b.swapaxes(0, 1), conj(ans)), b
    return -outer(b, conj(ans)), b


def _solve_vector_batch(a, b, batched):
    if not batched[0] and a.ndim == 2 and b.ndim == 2:  # one factorization for all examples
        return solve(a, b.swapaxes(0, 1)).swapaxes(0, 1)
    lead = 1 + max(a.ndim - 2 - batched[0], b.ndim - 1 - batched[1])
    return solve_vector(lift(a, lead + 2) if batched[0] else a, lift(b, lead + 1) if batched[1] else b)


solve_vector = primitive(
    "solve_vector",  # a: (..., n, n), b: (..., n)
    impl=_solve_vector,
    lower=solved_vector,
    lapack=lambda: ("solve1", False),
    shape=_solve_vector_shape,
    jvp={"a": lambda da, a, ans: -solve_vector(a, times(da, ans)), "b": lambda db, a: solve_vector(a, db)},
    vjp={"a, b": _solve_vector_vjp},
    batch=_solve_vector_batch,
    linear=("b",),
    depends=lambda a, b, ans: cores(ans.shape, 1, (a.shape, 2), (b.shape, 1)),
    blocks=(2, 1),
    samples=lambda rng: [
        Sample(a, rng.normal(size=(*lead, a.shape[-1])).astype(a.dtype), tol=1e-5)
        for a in make_matrices((3, 3), (2, 3, 3), (1, 1), (0, 2, 2))(rng) for lead in ((), a.shape[:-2])
    ] + [Sample(rng.normal(size=(3, 3)) + 3.0 * np.eye(3), rng.normal(size=(2, 3)), tol=1e-5)],
)
inv = primitive(
    "inv",  # derivative: Giles (2008), section 2.2.3
    impl=lambda xp, a: inverse(xp, a),
    lower=inverted,
    lapack=lambda: ("inv", False),
    shape=lambda a: square_aval(a, "inv"),
    jvp={"a": lambda da, ans: -matmul(ans, matmul(da, ans))},
    vjp={"a": lambda ct, ans: -matmul(adjoint(ans), matmul(ct, adjoint(ans)))},
    batch=lambda a: inv(a),
    depends=lambda a: lines(a, (a.ndim - 2, a.ndim - 1)),
    blocks=2,
    samples=lambda rng: [Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
)


@lru_cache(maxsize=64)
def _halves(n, dtype):
    """1 below the diagonal, 1/2 on it."""
    mask = np.tri(n, dtype=dtype) - 0.5 * np.eye(n, dtype=dtype)
    mask.flags.writeable = False
    return mask


def _lower_half(x):
    """The lower triangle with half the diagonal: Φ of Murray (2016)."""
    n = x.shape[-1]
    return x * constant((_halves if n <= 64 else _halves.__wrapped__)(n, x.dtype), x)


def _cholesky_jvp(da, ans):
    """Murray (2016), equation 8: dL = L Φ(L⁻¹ dA L⁻ᴴ)."""
    back = inv(ans)
    return matmul(ans, _lower_half(matmul(matmul(back, hermitian(da)), adjoint(back))))


def _cholesky_vjp(ct, ans):
    """Murray (2016), equation 10: the Hermitian part of L⁻ᴴ Φ(Lᴴ L̄) L⁻¹.

    By the inverse: one factorization and products, where two solves take 1.5 times as long, and as exact as they are
    (within 10 roundings of them, relative to the largest element, for conditions up to 10¹⁴).
    """
    back = inv(ans)
    return hermitian(matmul(adjoint(back), matmul(_lower_half(matmul(adjoint(ans), ct)), back)))


def _cholesky_real_vjp(ct, ans):
    """The same of one real matrix; plain ones by NumPy's products, 8 us for 18 at 10 x 10."""
    n = ans.shape[-1]
    if ans.ndim != 2 or type(ct) is not ndarray or type(ans) is not ndarray:
        return _cholesky_vjp(ct, ans)
    if n > 64:
        return _cholesky_blocks_vjp(ct, ans)
    back = inverse_of_lower(ans) if n > 32 else inverse(np, ans)
    x = back.T.dot(ans.T.dot(ct) * _quarters(n, ans.dtype)).dot(back)
    return x + x.T.copy()  # of small matrices in 0.7 us; walking one of them across takes 0.9


def _cholesky_blocks_vjp(ct, ans):
    """The same of a large matrix, without products with what lies above the diagonals: 23 ms for 54 at 600 x 600."""
    n = ans.shape[-1]
    back = inverse_of_lower(ans)
    half = np.zeros_like(ans)
    right = np.zeros_like(ans)
    out = np.empty_like(ans)
    blocks = [(i, min(i + _ROWS, n)) for i in range(0, n, _ROWS)]
    for i, end in blocks:
        half[i:end, :end] = ans[i:, i:end].T.dot(ct[i:, :end])
    half *= 0.5 * _halves.__wrapped__(n, ans.dtype)
    for i, end in blocks:
        for j, stop in blocks:
            if j <= i:
                right[i:end, j:stop] = half[i:end, j:end].dot(back[j:end, j:stop])
    for i, end in blocks:
        for j, stop in blocks:
            k = max(i, j)
            out[i:end, j:stop] = back[k:, i:end].T.dot(right[k:, j:stop])
    return out + out.T


_ROWS = 128  # of a block


@lru_cache(maxsize=64)
def _quarters(n, dtype):
    """Half of `_halves`: times the 1/2 of a Hermitian part."""
    mask = 0.5 * _halves(n, dtype)
    mask.flags.writeable = False
    return mask


def _cholesky(xp, a, triangle):
    if not triangle:
        turned = a.swapaxes(-1, -2)
        a = (a + (xp.conj(turned) if a.dtype.kind == "c" else turned)) * 0.5
    return lower_factor(xp, a)


cholesky = primitive(
    "cholesky",  # of the Hermitian part of a, or, with `triangle`, of its lower triangle; lower triangular
    impl=lambda xp, a, *, triangle=False: _cholesky(xp, a, triangle),
    lapack=lambda triangle: ("cholesky_lo", not triangle),
    shape=lambda a: square_aval(a, "cholesky"),
    jvp={"a": _cholesky_jvp},
    vjp={"a": _cholesky_vjp},
    real_vjp={"a": _cholesky_real_vjp},
    exact=True,
    batch=lambda a, triangle: cholesky(a, triangle=triangle),
    depends=lambda a: lines(a, (a.ndim - 2, a.ndim - 1)),
    blocks=2,
    samples=lambda rng: [
        Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2), positive=True)(rng)
    ] + [Sample(a + adjoint(a), params={"triangle": True}, smooth=False)
         for a in make_matrices((3, 3), (2, 2, 2), positive=True)(rng)],
)


# Gaussian elimination: the triangular factors of a matrix whose rows are in their final order.


def _eliminate(xp, a):
    """L and U of square matrices, a column at a time; a pivot of zero leaves its column as it is."""
    a = xp.array(a, dtype=float_dtype(a.dtype))
    n = a.shape[-1]
    for k in range(n - 1):
        pivot = a[..., k, k, None]
        column = xp.where(pivot == 0, 0, a[..., k + 1 :, k] / xp.where(pivot == 0, 1, pivot))
        a[..., k + 1 :, k] = column
        a[..., k + 1 :, k + 1 :] -= column[..., :, None] * a[..., k, None, k + 1 :]
    below = xp.tril(a, -1)
    return below + xp.eye(n, dtype=a.dtype), a - below


def _shape(a):
    check_square(a, "eliminate")
    aval = make_aval(a.shape, float_dtype(a.dtype))
    return aval, aval


def _lower(x):
    return x * constant(np.tri(x.shape[-1], k=-1, dtype=x.dtype), x)


def _upper(x):
    return x * constant(np.tri(x.shape[-1], dtype=x.dtype).T, x)


def _jvp(da, ans):
    """From dA = dL U + L dU: with F = L⁻¹ dA U⁻¹, dL = L tril(F, -1) and dU = triu(F) U."""
    low, up = ans
    inner = adjoint(solve(adjoint(up), adjoint(solve(low, da))))
    return matmul(low, _lower(inner)), matmul(_upper(inner), up)


def _vjp(ct, ans):
    """The adjoint: L⁻ᴴ (tril(Lᴴ L̄, -1) + triu(Ū Uᴴ)) U⁻ᴴ."""
    low, up = ans
    ct_low, ct_up = ct
    inner = None if ct_low is None else _lower(matmul(adjoint(low), ct_low))
    if ct_up is not None:
        part = _upper(matmul(ct_up, adjoint(up)))
        inner = part if inner is None else inner + part
    return adjoint(solve(up, adjoint(solve(adjoint(low), inner))))


def _samples(rng):
    out = []
    for shape in ((3, 3), (2, 3, 3), (1, 1), (0, 2, 2)):
        a = rng.normal(size=shape) * 0.3 + 2 * np.eye(shape[-1])
        out += [Sample(a, tol=1e-5), Sample(a.astype(np.float32)),
                Sample(a + 0.3j * rng.normal(size=shape), tol=1e-5)]
    return out


eliminate = primitive(
    "eliminate",  # a: (..., n, n) = L U, with ones on the diagonal of L; rows are not exchanged
    impl=_eliminate,
    outputs=2,
    accepts_none=True,
    shape=_shape,
    jvp={"a": _jvp},
    vjp={"a": _vjp},
    batch=lambda a: eliminate(a),
    blocks=2,
    samples=_samples,
)
