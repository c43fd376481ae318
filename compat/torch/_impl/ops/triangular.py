"""Triangular systems, Cholesky factors, and results with an error code instead of an error."""

import numpy as np

from ....._primitives import stop_gradient
from .....extend import REGISTRY
from .....scipy import linalg as scipy_linalg
from ..dispatch.call import ROWS, operation, to
from ..dispatch.host_ops import assume, hosted, primal_of
from ..dispatch.layouts import matrices
from ..dispatch.out_argument import BY_COLUMNS
from ..inplace.lower_errors import LinAlgError
from ..types import output_tuples
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .matrices import (
    adjoint,
    cholesky_so_far,
    failure,
    first_failure,
    lapack,
    square,
)


def _unknown(A, *args, **named):
    return np.asarray(np.nan, A.dtype)


def whole(info):
    """Tell whether no matrix failed."""
    return not info.any()


def _ex(name, compute, kind, positive=False, left_by=_unknown, **facts):
    """`cholesky_ex` and its kin: the answer, and whether it exists, instead of an error.

    `left_by` gives what stands in the place of an answer that does not exist.
    """

    def body(A, *args, check_errors=False, **named):
        square(f"linalg.{name}", A)
        read = adjoint(A) if positive and named.get("upper") else A
        info = hosted(lambda a: first_failure(a, positive), A.shape[:-2], np.int32, read)
        plain = None if assume(whole, info) else primal_of(info)
        if type(plain) in ARRAYS and plain.any():
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
    if B.dtype.kind == "c" != A.dtype.kind:  # PyTorch drops imaginary parts
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
    return triangular_solution(A, to(B, A.dtype), upper, left, unitriangular)


def triangular_solution(a, b, upper, left=True, unit=False):
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
    return output_tuples.triangular_solve(triangular_solution(m, input, upper != transpose, True, unitriangular), A)


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
    fixed = stop_gradient(L)
    read = cnp.triu(fixed) if upper else cnp.tril(fixed)
    # PyTorch's derivative is that of the product of both triangles, though its solution reads one: what is taken away
    # of the other is a constant.
    L = read if type(L) is np.ndarray else L - (fixed - read)
    return REGISTRY["factor_solve"].fun(cnp.conj(cnp.swapaxes(L, -1, -2)) if upper else L, input)


@operation("cholesky_inverse", **lapack(0))
def cholesky_inverse(L, upper=False):
    """Compute the inverse of a matrix given its Cholesky factor."""
    square("cholesky_inverse", L)
    return cholesky_solve.row.body(cnp.broadcast_to(np.eye(L.shape[-1], dtype=L.dtype), L.shape), L, upper)
