"""Factors of symmetric and Hermitian matrices that need not be definite: `A = L D Lᵀ`, by Bunch and Kaufman (1977)."""

import numpy as np

from .....extend import REGISTRY, constant
from ..dispatch.call import operation
from ..dispatch.host_ops import hosted, primal_of, recorded
from ..inplace.lower_errors import LinAlgError
from ..types import output_tuples
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .matrices import adjoint, lapack, square
from .triangular import triangular_solution

matmul, eliminate = REGISTRY["matmul"].fun, REGISTRY["eliminate"].fun
ALPHA = (1 + 17**0.5) / 8  # below which a pivot of two rows grows the rest less than one of one


@operation("linalg.ldl_factor_ex", method=False, **lapack(0))
def ldl_factor_ex(A, *, hermitian=False, check_errors=False):
    """Compute packed LDL factors, pivots and an error code per matrix."""
    return _checked("torch.linalg.ldl_factor_ex", square("torch.linalg.ldl_factor_ex", A), hermitian, check_errors)


@operation("linalg.ldl_factor", method=False, **lapack(0))
def ldl_factor(A, *, hermitian=False):
    """Compute packed LDL factors and pivots."""
    found = _checked("torch.linalg.ldl_factor", square("torch.linalg.ldl_factor_ex", A), hermitian, True)
    return output_tuples.ldl_factor(*found[:2])


def _checked(name, a, hermitian, check):
    lead, n = tuple(a.shape[:-2]), a.shape[-1]
    if type(a) is np.ndarray:
        packed, pivots, info = _factored(a, hermitian)
    else:
        pivots = hosted(lambda x: _factored(x, hermitian)[1], (*lead, n), np.int32, a)
        info = hosted(lambda x: _factored(x, hermitian)[2], lead, np.int32, a)
    plain = primal_of(info)
    broken = type(plain) in ARRAYS and plain.any()
    if broken and (check or recorded(a)):
        raise LinAlgError(f"{name}: the factor D of a matrix is singular: its pivot {int(plain.max())} is 0")
    if type(a) is not np.ndarray:
        packed = _repeated(a, pivots, hermitian)
    return output_tuples.ldl_factor_ex(packed, pivots, info)


@operation("linalg.ldl_solve", method=False, **lapack(0))
def ldl_solve(LD, pivots, B, *, hermitian=False):
    """Solve `A X = B` given packed LDL factors and pivots of A."""
    name = "torch.linalg.ldl_solve"
    square(name, LD)
    if B.ndim < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-B.ndim}, {B.ndim - 1}], but got -2)")
    if B.shape[-2] != LD.shape[-1]:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {LD.shape[-1]} by {LD.shape[-1]} "
                           f"but each b matrix is {B.shape[-2]} by {B.shape[-1]}")
    if pivots.dtype.kind not in "iu":
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {type_word(pivots.dtype).title()}")
    if tuple(pivots.shape) != tuple(LD.shape[:-1]):
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    if B.dtype != LD.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {type_word(B.dtype)} and A "
                           f"of type {type_word(LD.dtype)} instead.")
    turned = adjoint if hermitian else _turned
    order, rows, blocks = _plan(pivots)
    low = cnp.where(_strict(blocks), cnp.take_along_axis(cnp.tril(LD, -1), rows, -2), np.zeros((), LD.dtype))
    below = cnp.where(blocks, cnp.tril(LD, -1), np.zeros((), LD.dtype))
    diagonal = cnp.where(np.eye(LD.shape[-1], dtype=bool), LD, np.zeros((), LD.dtype))
    diagonal = diagonal if not hermitian or LD.dtype.kind != "c" else cnp.real(diagonal).astype(LD.dtype)
    lead = np.broadcast_shapes(tuple(LD.shape[:-2]), tuple(B.shape[:-2]))
    order = cnp.broadcast_to(cnp.expand_dims(order, -1), (*lead, *B.shape[-2:]))
    x = cnp.take_along_axis(cnp.broadcast_to(B, (*lead, *B.shape[-2:])), order, -2)
    x = triangular_solution(low, x, False, True, True)
    x = cnp.linalg.solve(below + turned(below) + diagonal, x)
    x = triangular_solution(turned(low), x, True, True, True)
    return cnp.take_along_axis(x, cnp.argsort(order, -2), -2)


def _turned(x):
    """The transpose of matrices."""
    return cnp.swapaxes(x, -1, -2)


def _strict(blocks):
    """A mask of the strict part of L: below the diagonal, outside the blocks of D."""
    n = blocks.shape[-1]
    return constant(np.tril(np.ones((n, n), bool), -1), blocks) & ~blocks


def _plan(pivots):
    """`(order of the rows, row of the packed matrix that each element of L lies in, blocks of D)`."""
    shape = tuple(pivots.shape)
    return (hosted(lambda p: _exchanged(p)[0], shape, np.int64, pivots),
            hosted(lambda p: _exchanged(p)[1], (*shape, shape[-1]), np.int64, pivots),
            hosted(_blocks, (*shape, shape[-1]), np.bool_, pivots))


def _exchanged(pivots):
    """The exchanges of rows, made one by one: of all rows, and of those of L's columns before each."""
    n = pivots.shape[-1]
    order = np.broadcast_to(np.arange(n), pivots.shape).copy()
    rows = np.broadcast_to(np.arange(n)[:, None], (*pivots.shape, n)).copy()
    for i in np.ndindex(*pivots.shape[:-1]):
        k = 0
        while k < n:
            p = int(pivots[i][k])
            one, other = (k, p - 1) if p > 0 else (k + 1, -p - 1)
            order[i][[one, other]] = order[i][[other, one]]
            rows[i][[one, other], :k] = rows[i][[other, one], :k]
            k += 1 if p > 0 else 2
    return order, rows


def _blocks(pivots):
    """A mask of the blocks of D: its diagonal, and beside it where two rows are one pivot."""
    n = pivots.shape[-1]
    out = np.broadcast_to(np.eye(n, dtype=bool), (*pivots.shape, n)).copy()
    for i in np.ndindex(*pivots.shape[:-1]):
        k = 0
        while k < n:
            if pivots[i][k] < 0:
                out[i][k + 1, k] = out[i][k, k + 1] = True
                k += 1
            k += 1
    return out


def _repeated(a, pivots, hermitian):
    """The factors of the exchanges found, in operations that have derivatives.

    A block of two rows is turned by a fixed rotation to where elimination without exchanges finds no zero: with
    `Qᴴ A' Q = T U` and `M = Q T`, whose blocks on the diagonal are B, L is `M B⁻¹` and D is `B diag(U) Bᴴ`.
    """
    turned, n = adjoint if hermitian else _turned, a.shape[-1]
    order, rows, blocks = _plan(pivots)
    whole = cnp.tril(a) + turned(cnp.tril(a, -1))
    if hermitian and a.dtype.kind == "c":
        eye = np.eye(n, dtype=bool)
        whole = cnp.where(eye, cnp.real(whole).astype(a.dtype), whole)
    there = cnp.broadcast_to(cnp.expand_dims(order, -1), tuple(a.shape))
    whole = cnp.take_along_axis(cnp.take_along_axis(whole, there, -2), _turned(there), -1)
    q = hosted(lambda x: _rotations(x, hermitian), tuple(a.shape), a.dtype, a)
    low, up = eliminate(matmul(turned(q), matmul(whole, q)))
    m = matmul(q, low)
    zero = np.zeros((), a.dtype)
    block = cnp.where(blocks, m, zero)
    low = _turned(cnp.linalg.solve(_turned(block), _turned(m)))
    pivot = cnp.where(np.eye(n, dtype=bool), up, zero)
    middle = cnp.tril(cnp.where(blocks, matmul(block, matmul(pivot, turned(block))), zero))
    return cnp.take_along_axis(cnp.where(_strict(blocks), low, zero), cnp.argsort(rows, -2), -2) + middle


def _rotations(a, hermitian):
    """For each pivot of two rows the rotation that gives its block the larger element on the diagonal."""
    packed, pivots, _ = _factored(a, hermitian)
    q = np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape).copy()
    for i in np.ndindex(*a.shape[:-2]):
        for k in np.flatnonzero(np.diagonal(_blocks(pivots[i]), -1)):
            x, y, b = packed[i][k, k], packed[i][k + 1, k + 1], packed[i][k + 1, k]
            w = b / abs(b) if hermitian else 1.0
            w = w if abs(x + y + 2 * (abs(b) if hermitian else b)) >= abs(x + y - 2 * (
                abs(b) if hermitian else b)) else -w
            q[i][k : k + 2, k : k + 2] = np.array([[1.0, -np.conj(w)], [w, 1.0]]) / 2**0.5
    return q


def _factored(a, hermitian):
    """`(packed, pivots, info)` as LAPACK's `sytf2` and `hetf2` have them, of lower triangles."""
    packed = np.tril(a)
    pivots = np.zeros(a.shape[:-1], np.int32)
    info = np.zeros(a.shape[:-2], np.int32)
    for i in np.ndindex(*a.shape[:-2]):
        info[i] = _factor(packed[i], pivots[i], hermitian and a.dtype.kind == "c")
    return np.tril(packed), pivots, info


def _size(x):
    """LAPACK's size of a number."""
    return np.abs(x.real) + np.abs(x.imag) if x.dtype.kind == "c" else np.abs(x)


def _factor(a, pivots, hermitian):
    """One matrix, in place; the first pivot that is 0, counted from 1."""
    n, k, info = len(a), 0, 0
    conj = np.conj if hermitian else lambda x: x
    while k < n:
        if hermitian:
            a[k, k] = a[k, k].real
        two, p = False, k
        own, column = _size(a[k, k]), _size(a[k + 1 :, k])
        largest = column.max(initial=0)
        if not max(own, largest) > 0:  # NaN, too
            info = info or k + 1
        elif own < ALPHA * largest:
            p = k + 1 + int(column.argmax())
            row = max(_size(a[p, k:p]).max(initial=0), _size(a[p + 1 :, p]).max(initial=0))
            if own >= ALPHA * largest * (largest / row):
                p = k
            else:
                two = _size(a[p, p]) < ALPHA * row
        last = k + two
        if p != last:
            a[p + 1 :, [last, p]] = a[p + 1 :, [p, last]]
            a[last + 1 : p, last], a[p, last + 1 : p] = conj(a[p, last + 1 : p].copy()), conj(
                a[last + 1 : p, last].copy())
            a[p, last] = conj(a[p, last])
            a[last, last], a[p, p] = a[p, p], a[last, last]
            if two:
                a[[k + 1, p], k] = a[[p, k + 1], k]
        rest = slice(last + 1, n)
        block = a[k : last + 1, k : last + 1].copy()
        if two:
            block[0, 1] = conj(block[1, 0])
            pivots[k] = pivots[k + 1] = -(p + 1)
        else:
            pivots[k] = p + 1
        if hermitian:
            np.fill_diagonal(block, block.diagonal().real)
            np.fill_diagonal(a[k : last + 1, k : last + 1], block.diagonal())
        if two or max(own, largest) > 0:
            below = a[rest, k : last + 1].copy()
            part = np.linalg.solve(block.T, below.T).T if two else below / block[0, 0]
            a[rest, rest] -= np.tril(part @ conj(below).T)
            a[rest, k : last + 1] = part
        k = last + 1
    return info
