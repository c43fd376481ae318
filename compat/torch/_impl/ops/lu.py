"""LU factors, pivots, and systems solved by them."""

import numpy as np

from .....extend import REGISTRY, constant
from ..dispatch.call import attach, operation
from ..dispatch.host_ops import assume, hosted, primal_of
from ..dispatch.out_argument import resize
from ..types import output_tuples
from ..types.arrays import ARRAYS
from .array_functions import cnp
from .matrices import adjoint, lapack, square
from .triangular import triangular_solution, whole

matmul = REGISTRY["matmul"].fun
eliminate = REGISTRY["eliminate"].fun


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
        below = cnp.concatenate([below, constant(np.zeros((*low.shape[:-1], n - k), low.dtype), low)], axis=-1)
    if m > k:
        above = cnp.concatenate([above, constant(np.zeros((*up.shape[:-2], m - k, n), up.dtype), up)], axis=-2)
    return below + above


def _permutation(order, dtype):
    """P with `A = P L U`."""
    m = order.shape[-1]
    return (constant(np.arange(m)[:, None], order) == cnp.expand_dims(order, -2)).astype(dtype)


def lu_input(name, a):
    """A matrix to factor, or torch's refusal."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(a.shape)} instead")
    return a


@operation("linalg.lu", method=False)
def linalg_lu(A, *, pivot=True):
    """Compute the factorization `A = P L U`; returns P, L and U."""
    low, up, _, order = _factors(lu_input("linalg.lu", A), pivot)
    return output_tuples.lu(_permutation(order, A.dtype) if pivot else constant(np.empty(0, A.dtype), A), low, up)


@operation("linalg.lu_factor_ex", method=False, **lapack(0))
def lu_factor_ex(A, *, pivot=True, check_errors=False):
    """Compute packed LU factors, pivots and an error code per matrix."""
    low, up, pivots, _ = _factors(lu_input("linalg.lu_factor_ex", A), pivot)
    packed = _packed(low, up)
    info = hosted(_zero_pivot, A.shape[:-2], np.int32, packed)
    found = None if assume(whole, info) else primal_of(info)
    if check_errors and type(found) in ARRAYS and found.any():
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
    found = None if assume(whole, info) else primal_of(info)
    if type(found) in ARRAYS and found.any():
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
        low = _triangle(LU_data[..., :, :k], -1, False) + np.eye(m, k, dtype=LU_data.dtype)
        up = _triangle(LU_data[..., :k, :], 0, True)
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
        inner = triangular_solution(_adjoint(low), triangular_solution(_adjoint(up), B, False), True, True, True)
        return matmul(p, inner)
    inner = triangular_solution(low, matmul(cnp.swapaxes(p, -1, -2), B), False, True, True)
    return triangular_solution(up, inner, True)


_adjoint = adjoint
_triangle = REGISTRY["triangle"].fun


@operation("lu_solve", **lapack(0))
def lu_solve(input, LU_data, LU_pivots):
    """Solve `A X = B` given packed LU factors and pivots of A."""
    return linalg_lu_solve.row.body(LU_data, LU_pivots, input)


PLAIN = {"lu": lu}
