"""Factorizations and matrix equations beyond the everyday ones: LU, Householder, triangular systems, exponentials."""

import functools
import math

import numpy as np

from ..... import numpy as cnp, stop_gradient
from .....extend import REGISTRY, unwrap
from .....scipy import linalg as scipy_linalg
from ..dispatch.call import ROWS, attach, operation, promote, to
from ..dispatch.host_ops import hosted, primal_of
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, by_columns, by_columns_of, matrices
from ..dispatch.out_argument import BY_COLUMNS, resize
from ..inplace.lower_errors import LinAlgError
from ..types import dtypes, output_tuples
from ..types.dtypes import type_word
from .axes import wrap_dim
from .matrices import (
    _linalg,
    adjoint,
    blended,
    cholesky_so_far,
    expandable,
    failure,
    first_failure,
    lapack,
    of_triangle,
    product_without,
    solved_by_factor,
    square,
)
from .publishing import method
from .strided import diagonal

matmul = REGISTRY["matmul"].fun
eliminate = REGISTRY["eliminate"].fun


@operation("addbmm", inplace_form=True)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * sum(batch1 @ batch2)`, the sum over the batch."""
    expandable(input, ((batch1, 1), (batch2, 2)))
    return blended(input, cnp.sum(ROWS["bmm"].body(batch1, batch2), axis=0).astype(batch1.dtype), beta, alpha)


@operation("addr", inplace_form=True, layout=LIKE_FIRST)
def addr(input, vec1, vec2, *, beta=1, alpha=1):
    """Compute `beta * input + alpha * outer(vec1, vec2)`."""
    for i, v in enumerate((vec1, vec2), 1):
        if v.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{i}, but got {v.ndim}-D")
    expandable(input, ((vec1, 0), (vec2, 0)))
    kinds = [dtypes.of_numpy(v.dtype) for v in (input, vec1, vec2)]  # that of a 0-d tensor counts here
    input, vec1, vec2 = (to(v, functools.reduce(dtypes.promote_types, kinds).numpy) for v in (input, vec1, vec2))
    return blended(input, cnp.outer(vec1, vec2), beta, alpha)


_linalg("vecdot", lambda x, y, *, dim=-1: cnp.sum((cnp.conj(x) if x.dtype.kind == "c" else x) * y, axis=dim))


@operation("linalg.cross", method=False, layout=IN_ORDER)
def linalg_cross(input, other, *, dim=-1):
    """Compute the cross product of vectors of length 3 along an axis."""
    if input.ndim != other.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    d = wrap_dim(dim, input.ndim)
    if input.shape[d] != 3 or other.shape[d] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[d]} and "
                           f"{other.shape[d]}")
    x, y = cnp.broadcast_arrays(*promote(input, other))
    return cnp.cross(x, y, axis=d)


@method("linalg.diagonal", attached=False)
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """Return the diagonal of the last two axes, or of two given ones, as a view."""
    return diagonal(A, offset, dim1, dim2)


def _unknown(A, *args, **named):
    return np.asarray(np.nan, A.dtype)


def _ex(name, compute, kind, positive=False, left_by=_unknown, **facts):
    """`cholesky_ex` and its kin: the answer, and whether it exists, instead of an error.

    `left_by` gives what stands in the place of an answer that does not exist.
    """

    def body(A, *args, check_errors=False, **named):
        square(f"linalg.{name}", A)
        read = adjoint(A) if positive and named.get("upper") else A
        info = hosted(lambda a: first_failure(a, positive), A.shape[:-2], np.int32, read)
        plain = primal_of(info)
        if isinstance(plain, np.ndarray) and plain.any():
            if check_errors:
                raise LinAlgError(failure(f"linalg.{name}", A, None))
            broken = cnp.expand_dims(info != 0, (-2, -1))
            safe = cnp.where(broken, np.eye(A.shape[-1], dtype=A.dtype), A)
            out = compute(safe, *args, **named)
            broken = broken if out.ndim == A.ndim else cnp.squeeze(broken, -1)
            return kind(cnp.where(broken, left_by(A, *args, **named), out), info)
        return kind(compute(A, *args, **named), info)

    operation(f"linalg.{name}", method=False, **facts)(body)


def _left_by_cholesky(A, upper=False):
    """The leading block that LAPACK leaves, of which programs read how far the factorization came."""
    A = adjoint(A) if upper else A
    partial = hosted(cholesky_so_far, A.shape, A.dtype, A)
    return adjoint(partial) if upper else partial


_ex("cholesky_ex", lambda A, upper=False: ROWS["linalg.cholesky"].body(A, upper=upper),
    output_tuples.cholesky_ex, positive=True, left_by=_left_by_cholesky, **lapack(0))
_ex("inv_ex", lambda A: cnp.linalg.inv(A), output_tuples.inv_ex, **lapack(0))
_ex("solve_ex", lambda A, B, left=True: ROWS["linalg.solve"].body(A, B, left=left),
    output_tuples.solve_ex, layout=ROWS["linalg.solve"].layout, out=BY_COLUMNS)


@operation("cholesky", layout=matrices(0))
def cholesky(input, upper=False):
    """Compute the Cholesky factor of Hermitian positive definite matrices; only one triangle is read."""
    return ROWS["linalg.cholesky"].body(input, upper=upper)


@operation("linalg.solve_triangular", method=False, **lapack(0))
def solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """Solve `A X = B`, or `X A = B` with `left=False`, for a triangular matrix A."""
    if A.dtype != B.dtype:
        raise RuntimeError("linalg.solve_triangular: Expected A and B to have the same dtype but found A of type "
                           f"{type_word(A.dtype)} and B of type {type_word(B.dtype)} instead")
    square("linalg.solve_triangular", A)
    if B.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    k = B.shape[-2] if left else B.shape[-1]
    if k != A.shape[-1]:
        raise RuntimeError("linalg.solve_triangular: Incompatible shapes of A and B for the equation "
                           f"{'AX = B' if left else 'XA = B'} ({A.shape[-2]}x{A.shape[-1]} and "
                           f"{B.shape[-2]}x{B.shape[-1]})")
    return _triangular(A, B, upper, left, unitriangular)


def _triangular(a, b, upper, left=True, unit=False):
    """The output of a triangular system: the other triangle is not looked at."""
    if left:
        return scipy_linalg.solve_triangular(a, b, 0, not upper, unit)
    return cnp.swapaxes(scipy_linalg.solve_triangular(a, cnp.swapaxes(b, -1, -2), 1, not upper, unit), -1, -2)


@operation("triangular_solve", **lapack(0, 1))
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False):
    """Solve `A X = B` for a triangular matrix A; returns X and a copy of A."""
    if input.ndim < 2 or A.ndim < 2:
        name, v = ("b", input) if input.ndim < 2 else ("A", A)
        raise RuntimeError(f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {v.ndim}"
                           " dimensions instead")
    square("triangular_solve", A)
    if A.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by "
                           f"{A.shape[-1]} but each b matrix is {input.shape[-2]} by {input.shape[-1]}")
    lead = np.broadcast_shapes(tuple(A.shape[:-2]), tuple(input.shape[:-2]))
    A = A if tuple(A.shape[:-2]) == lead else cnp.broadcast_to(A, (*lead, *A.shape[-2:]))
    m = cnp.swapaxes(A, -1, -2) if transpose else A
    return output_tuples.triangular_solve(_triangular(m, input, upper != transpose, True, unitriangular), A)


@operation("cholesky_solve", layout=matrices(0))
def cholesky_solve(input, L, upper=False):
    """Solve `A X = B` given the Cholesky factor of A."""
    if input.ndim < 2 or L.ndim < 2:
        which = "b" if input.ndim < 2 else "u"
        found = input if input.ndim < 2 else L
        raise RuntimeError(f"{which} should have at least 2 dimensions, but has {found.ndim} dimensions instead")
    square("cholesky_solve", L)
    if L.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for cholesky_solve: each A matrix is {L.shape[-1]} by "
                           f"{L.shape[-1]} but each b matrix is {input.shape[-2]} by {input.shape[-1]}")
    read = cnp.triu(L) if upper else cnp.tril(L)
    found = solved_by_factor(read, input, upper)
    if type(L) is np.ndarray:
        return found
    # PyTorch's derivative is that of the product of both triangles, though its solution reads one: `rest` is zero, but
    # its derivative is that of the other one. Each step takes in one order of it.
    other = L - read
    rest = other - stop_gradient(other)
    for _ in range(2):
        found = solved_by_factor(read, input - product_without(read, rest, found, upper), upper)
    return found


@operation("cholesky_inverse", **lapack(0))
def cholesky_inverse(L, upper=False):
    """Compute the inverse of a matrix given its Cholesky factor."""
    square("cholesky_inverse", L)
    return cholesky_solve.row.body(cnp.broadcast_to(np.eye(L.shape[-1], dtype=L.dtype), L.shape), L, upper)


def _pivots(a):
    """The row exchanges of partial pivoting, counted from 1 as LAPACK does."""
    m, n = a.shape[-2:]
    out = np.zeros((*a.shape[:-2], min(m, n)), np.int32)
    for i in np.ndindex(*a.shape[:-2]):
        x = a[i].copy()
        for k in range(min(m, n)):
            column = x[k:, k]
            size = np.abs(column.real) + np.abs(column.imag) if x.dtype.kind == "c" else np.abs(column)
            p = k + int(np.argmax(size))
            out[i][k] = p + 1
            if x[p, k] != 0:
                x[[k, p]] = x[[p, k]]
                x[k + 1 :, k:] -= np.outer(x[k + 1 :, k] / x[k, k], x[k, k:])
    return out


def _order(pivots, m):
    """The rows of the permuted matrix, from its exchanges."""
    out = np.broadcast_to(np.arange(m), (*pivots.shape[:-1], m)).copy()
    for i in np.ndindex(*pivots.shape[:-1]):
        for k, p in enumerate(pivots[i] - 1):
            out[i][k], out[i][p] = out[i][p], out[i][k]
    return out


def _factors(a, pivot=True):
    """`(L, U, exchanges, order of rows)` of matrices of any shape."""
    m, n = a.shape[-2:]
    k = min(m, n)
    lead = tuple(a.shape[:-2])
    if pivot:
        pivots = hosted(_pivots, (*lead, k), np.int32, a)
        order = hosted(lambda p: _order(p, m), (*lead, m), np.int64, pivots)
        a = cnp.take_along_axis(a, cnp.expand_dims(order, -1), -2)
    else:
        pivots = np.broadcast_to(np.arange(1, k + 1, dtype=np.int32), (*lead, k))
        order = np.broadcast_to(np.arange(m), (*lead, m))
    low, up = eliminate(a[..., :k, :k])
    if m > k:
        rest = cnp.swapaxes(cnp.linalg.solve(cnp.swapaxes(up, -1, -2), cnp.swapaxes(a[..., k:, :], -1, -2)), -1, -2)
        low = cnp.concatenate([low, rest], axis=-2)
    if n > k:
        up = cnp.concatenate([up, cnp.linalg.solve(low, a[..., :, k:])], axis=-1)
    return low, up, pivots, order


def _packed(low, up):
    """Both factors in one matrix, the ones of L left out."""
    m, n = low.shape[-2], up.shape[-1]
    k = min(m, n)
    below = cnp.tril(low, -1)
    above = cnp.triu(up)
    if n > k:
        below = cnp.concatenate([below, np.zeros((*low.shape[:-1], n - k), low.dtype)], axis=-1)
    if m > k:
        above = cnp.concatenate([above, np.zeros((*up.shape[:-2], m - k, n), up.dtype)], axis=-2)
    return below + above


def _permutation(order, dtype):
    """P with `A = P L U`."""
    m = order.shape[-1]
    return (np.arange(m)[:, None] == cnp.expand_dims(order, -2)).astype(dtype)


def lu_input(name, a):
    """A matrix to factor, or torch's refusal."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(a.shape)} instead")
    return a


@operation("linalg.lu", method=False)
def linalg_lu(A, *, pivot=True):
    """Compute the factorization `A = P L U`; returns P, L and U."""
    low, up, _, order = _factors(lu_input("linalg.lu", A), pivot)
    return output_tuples.lu(_permutation(order, A.dtype) if pivot else np.empty(0, A.dtype), low, up)


@operation("linalg.lu_factor_ex", method=False, **lapack(0))
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """Compute packed LU factors, pivots and an error code per matrix."""
    low, up, pivots, _ = _factors(lu_input("linalg.lu_factor_ex", A), pivot)
    packed = _packed(low, up)
    info = hosted(_zero_pivot, A.shape[:-2], np.int32, packed)
    found = primal_of(info)
    if check_errors and isinstance(found, np.ndarray) and found.any():
        raise RuntimeError(singular("torch.linalg.lu_factor_ex", found))
    return output_tuples.lu_factor_ex(packed, pivots, info)


def _zero_pivot(packed):
    zero = np.diagonal(packed, axis1=-2, axis2=-1) == 0
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0) if zero.shape[-1] else np.zeros(zero.shape[:-1])


def singular(name, info):
    """torch's message for a factor that cannot be divided by."""
    i = int(info.ravel()[np.flatnonzero(info)[0]])
    return (f"{name}: U[{i},{i}] is zero and using it on lu_solve would result in a division by zero. If you still "
            "want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")


@operation("linalg.lu_factor", method=False, **lapack(0))
def lu_factor(A, *, pivot=True):
    """Compute packed LU factors and pivots."""
    packed, pivots, info = lu_factor_ex.row.body(A, pivot=pivot)
    found = primal_of(info)
    if isinstance(found, np.ndarray) and found.any():
        raise RuntimeError(singular("torch.linalg.lu_factor", found))
    return output_tuples.lu_factor(packed, pivots)


def lu(A, pivot=True, get_infos=False, out=None):
    """Compute packed LU factors and pivots, and with `get_infos=True` error codes."""
    packed, pivots, info = lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    found = (packed, pivots, info) if get_infos else (packed, pivots)
    if out is None:
        return found
    if not isinstance(out, tuple | list):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    for target, t in zip(out, found):
        if target.shape != t.shape:
            resize(target, tuple(t.shape))
        target.copy_(t)
    return out


attach("lu", lu)


def whole_pivots(words, pivots):
    """torch's refusal of exchanges of another dtype."""
    if pivots.dtype != np.int32:
        raise RuntimeError(f"{words}. Note: this function is intended to be used with the output produced by "
                           "torch.linalg.lu_factor")


@operation("lu_unpack", method=False)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """Unpack LU factors and pivots into P, L and U."""
    lu_input("torch.lu_unpack", LU_data)
    m, n = LU_data.shape[-2:]
    k = min(m, n)
    if unpack_pivots:
        whole_pivots("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype", LU_pivots)
        LU_pivots = cnp.broadcast_to(LU_pivots, (*LU_data.shape[:-2], LU_pivots.shape[-1]))
    none = np.empty(0, LU_data.dtype)
    p, low, up = none, none, none
    if unpack_pivots:
        order = hosted(lambda x: _order(x, m), (*LU_pivots.shape[:-1], m), np.int64, LU_pivots)
        p = _permutation(order, LU_data.dtype)
    if unpack_data:
        low = cnp.tril(LU_data[..., :, :k], -1) + np.eye(m, k, dtype=LU_data.dtype)
        up = cnp.triu(LU_data[..., :k, :])
    return output_tuples.lu_unpack(p, low, up)


@operation("linalg.lu_solve", method=False, **lapack(0))
def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False):
    """Solve `A X = B` given packed LU factors and pivots of A."""
    square("torch.linalg.lu_solve", LU)
    whole_pivots("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32", pivots)
    p, low, up = lu_unpack.row.body(LU, pivots)
    if not left:
        turned = linalg_lu_solve.row.body(LU, pivots, _adjoint(B), adjoint=not adjoint)
        return _adjoint(turned)
    if adjoint:
        inner = _triangular(_adjoint(low), _triangular(_adjoint(up), B, False), True, True, True)
        return matmul(p, inner)
    return _triangular(up, _triangular(low, matmul(cnp.swapaxes(p, -1, -2), B), False, True, True), True)


_adjoint = adjoint


@operation("lu_solve", **lapack(0))
def lu_solve(input, LU_data, LU_pivots):
    """Solve `A X = B` given packed LU factors and pivots of A."""
    return linalg_lu_solve.row.body(LU_data, LU_pivots, input)


@operation("qr", **lapack(0, 1))
def qr(input, some=True):
    """Compute the QR factorization, reduced if `some`; returns Q and R."""
    return output_tuples.legacy_qr(*ROWS["linalg.qr"].body(input, "reduced" if some else "complete"))


def _tensorinv(A, ind=2):
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    first, last = tuple(A.shape[:ind]), tuple(A.shape[ind:])
    if math.prod(first) != math.prod(last):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), "
                           f"but got {math.prod(last)} != {math.prod(first)}")
    return cnp.reshape(by_columns(cnp.linalg.inv(cnp.reshape(A, (math.prod(first), -1)))), (*last, *first))


def _tensorsolve(A, B, dims=None):
    if dims is not None:
        moved = tuple(d % A.ndim for d in dims)
        A = cnp.transpose(A, [d for d in range(A.ndim) if d not in moved] + list(moved))
    rest = tuple(A.shape[B.ndim :])
    size = math.prod(rest)
    if size != math.prod(B.shape):
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {size} != {math.prod(B.shape)}")
    out = cnp.linalg.solve(cnp.reshape(A, (-1, size)), cnp.reshape(B, (-1, 1)))
    return cnp.reshape(out, rest)


_linalg("tensorinv", _tensorinv)
_linalg("tensorsolve", _tensorsolve)

# Higham (2005), The scaling and squaring method for the matrix exponential revisited, tables 2.3 and 10.4.
_PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
         670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)
_THETA = 5.371920351148152


@operation("linalg.matrix_exp", method=False)
def matrix_exp(A):
    """Compute the matrix exponential."""
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise RuntimeError("linalg.matrix_exp: A must be batches of square matrices, but they are "
                           f"{A.shape[-2]} by {A.shape[-1]} matrices" if A.ndim > 1 else
                           "linalg.matrix_exp: The input tensor A must have at least 2 dimensions.")
    if A.dtype.kind not in "fc":
        raise RuntimeError("linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
                           f"{type_word(A.dtype)}")
    n = A.shape[-1]
    plain = np.asarray(unwrap(A))  # with vmap's axes in front: one scale serves all
    size = float(np.max(np.sum(np.abs(plain), axis=-2), initial=0.0)) if plain.size else 0.0
    halvings = max(0, math.ceil(math.log2(size / _THETA))) if size > 0 and math.isfinite(size) else 0
    x = A * 2.0**-halvings
    eye = np.eye(n, dtype=A.dtype)
    x2 = matmul(x, x)
    x4 = matmul(x2, x2)
    x6 = matmul(x4, x2)
    b = _PADE
    odd = matmul(x, matmul(x6, x6 * b[13] + x4 * b[11] + x2 * b[9]) + x6 * b[7] + x4 * b[5] + x2 * b[3] + eye * b[1])
    even = matmul(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] + x2 * b[2] + eye * b[0]
    out = cnp.linalg.solve(even - odd, 2 * odd) + eye  # a sum saves nothing: the output may be written to
    for _ in range(halvings):
        out = matmul(out, out)
    return out


ROWS["matrix_exp"] = ROWS["linalg.matrix_exp"]
attach("matrix_exp", matrix_exp)


@operation("linalg.cond", method=False)
def cond(A, p=None):
    """Compute the condition number with respect to a matrix norm."""
    if A.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if not A.size:
        return np.zeros(A.shape[:-2], A.real.dtype)
    if p is None or p in (2, -2):
        s = cnp.linalg.svdvals(A)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return cnp.linalg.norm(A, p, axis=(-2, -1)) * cnp.linalg.norm(cnp.linalg.inv(square("linalg.cond", A)), p,
                                                                  axis=(-2, -1))


def two_axes(name, a):
    """torch's refusal of vectors and integers."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.dtype.kind not in "fc":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {type_word(a.dtype)}")
    return a


def complexed(a):
    """A matrix in complex numbers, in which torch's eigenvalues always are."""
    return a if a.dtype.kind == "c" else a.astype(np.result_type(a.dtype, np.complex64))


_linalg("svd", lambda A, full_matrices=True, *, driver=None: output_tuples.svd(
    *cnp.linalg.svd(two_axes("linalg.svd", A), full_matrices)), **lapack(0, 2))
_linalg("svdvals", lambda A, *, driver=None: cnp.linalg.svdvals(two_axes("linalg.svdvals", A)))
_linalg("eig", lambda A: output_tuples.eig(*map(complexed, cnp.linalg.eig(square("linalg.eig", A)))), **lapack(1))
_linalg("eigvals", lambda A: complexed(cnp.linalg.eigvals(square("linalg.eigvals", A))))


@operation("linalg.pinv", method=False)
def pinv(A, *, atol=None, rtol=None, hermitian=False):
    """Compute the pseudo-inverse; singular values below the tolerance count as 0."""
    return _pinv("linalg.pinv", A, atol, rtol, hermitian)


def _tolerance(a, largest, atol, rtol):
    """The size below which a singular value counts as zero."""
    if rtol is None:
        rtol = 0.0 if atol is not None else max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)
    least = 0.0 if atol is None else atol
    return cnp.maximum(_each(least, largest.dtype), largest * _each(rtol, largest.dtype))


def _each(tolerance, dtype):
    """A number for each matrix, with an axis for its singular values."""
    tolerance = cnp.asarray(primal_of(tolerance), dtype)
    return cnp.expand_dims(tolerance, -1) if tolerance.ndim else tolerance


def _pinv(name, a, atol, rtol, hermitian):
    two_axes(name, a)
    if not a.size:
        return cnp.conj(cnp.swapaxes(a, -1, -2))
    if hermitian:
        a = of_triangle(square(name, a), False)
    if atol is None:
        return cnp.linalg.pinv(a, rcond=max(a.shape[-2:]) * float(np.finfo(a.dtype).eps) if rtol is None else rtol)
    s = primal_of(cnp.linalg.svdvals(a))
    cut = _tolerance(a, s[..., :1], atol, rtol)[..., 0]
    return cnp.linalg.pinv(a, rcond=cut / cnp.where(s[..., 0] == 0, 1, s[..., 0]))


@operation("pinverse")
def pinverse(input, rcond=1e-15):
    """Compute the pseudo-inverse; singular values below `rcond` times the largest count as 0."""
    return _pinv("linalg.pinv", input, None, rcond, False)


@operation("svd", **lapack(0, rows=(2,)))
def svd(input, some=True, compute_uv=True):
    """Compute U, S and V with `A = U diag(S) Vᴴ`, reduced if `some`."""
    two_axes("linalg.svd", input)
    if not compute_uv:
        m, n = input.shape[-2:]
        lead = tuple(input.shape[:-2])
        return output_tuples.legacy_svd(np.zeros((*lead, m, m), input.dtype), cnp.linalg.svdvals(input),
                                       np.zeros((*lead, n, n), input.dtype))
    u, s, vh = cnp.linalg.svd(input, not some)
    return output_tuples.legacy_svd(u, s, adjoint(vh))


@operation("linalg.matrix_rank", method=False)
def matrix_rank(A, tol=None, *, atol=None, rtol=None, hermitian=False):
    """Count the singular values above the tolerance; not differentiable."""
    two_axes("linalg.matrix_rank", A)
    if tol is not None:
        atol, rtol = tol, 0.0
    if rtol is None:
        rtol = max(A.shape[-2:]) * float(np.finfo(A.dtype).eps) if atol is None else 0.0
    atol, rtol = (np.asarray(0.0 if v is None else v) if not hasattr(v, "shape") else v for v in (atol, rtol))

    def rank(a, atol, rtol):
        s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
        largest = s.max(-1, keepdims=True, initial=0)
        return (s > np.maximum(atol[..., None], rtol[..., None] * largest)).sum(-1)

    shape = np.broadcast_shapes(A.shape[:-2], atol.shape, rtol.shape)
    return hosted(rank, shape, np.int64, A, atol, rtol)


@operation("linalg.lstsq", method=False)
def lstsq(input, B, rcond=None, *, driver=None):
    """Compute a least-squares solution, the residuals, the rank and the singular values."""
    two_axes("torch.linalg.lstsq", input)
    vector = B.ndim == 1 or B.ndim == input.ndim - 1 and tuple(B.shape) == tuple(input.shape[:-1])
    b = cnp.expand_dims(B, -1) if vector else B
    m, n = input.shape[-2:]
    if b.shape[-2] != m:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)" if not vector else
                           "torch.linalg.lstsq: input.size(-2) should match other.size(-1)")
    driver = driver or "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    x = matmul(_pinv("torch.linalg.lstsq", input, None, rcond, False), b)
    residuals = cnp.real(cnp.reshape(x, (-1,))[:0])
    ranks = matrix_rank.row.body(input, rtol=rcond) if driver != "gels" else np.empty(0, np.int64)
    plain = primal_of(ranks)
    unknown = not isinstance(plain, np.ndarray)
    if m > n and driver != "gelsy" and (driver == "gels" or unknown or (plain == n).all()):
        gap = matmul(input, x) - b
        residuals = cnp.sum(cnp.real(gap * cnp.conj(gap)) if gap.dtype.kind == "c" else gap * gap, axis=-2)
        if unknown and driver != "gels":  # which of the examples have full rank is not known: NaN for others
            residuals = cnp.where(cnp.expand_dims(ranks == n, -1), residuals, np.nan)
    values = (primal_of(cnp.linalg.svdvals(input)) if driver in ("gelsd", "gelss") else np.empty(0, input.real.dtype))
    x = by_columns_of(x, max(m, n))
    return output_tuples.lstsq(cnp.squeeze(x, -1) if vector else x, residuals, ranks, values)


PLAIN = {"lu": lu}
