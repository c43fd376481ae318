"""LU factors of square matrices with exchanges of rows, packed as LAPACK has them."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype
from ...primitive.families import ZERO, primitive
from ...trace.device import constant
from ..indexing.sorting import along
from ..linalg.decompositions import adjoint, check_square, make_matrices
from ..linalg.guards import regular
from ..linalg.products import matmul
from ..linalg.triangular import solve_triangular
from ..samples import Sample
from ..selection import astype
from ..shaping import pad
from .library import linalg, on_host, stacked, without_warnings


def _run(xp, a, aside):
    def run(a):
        with without_warnings(aside):
            packed, pivots = linalg.lu_factor(a)
        return np.concatenate((packed, pivots[None].astype(packed.dtype)))

    n = a.shape[-1]
    return stacked(xp, "lu_factor", run, (n + 1, n), a)


def _shape(a):
    check_square(a, "lu_factor")
    n = a.shape[-1]
    return make_aval((*a.shape[:-2], n + 1, n), float_dtype(a.dtype))


def pivots_of(ans):
    """The exchanges of rows: row i with row pivots[i], one after another."""
    last = ans[..., -1, :]
    return astype(last.real if last.dtype.kind == "c" else last, np.dtype(np.int32))


def _moved(x, ans, back=False):
    """The rows of `x` in the order of the factors, or `back`."""
    order = row_order(pivots_of(ans), back)
    return along(x, order[..., None] + constant(np.zeros((1, x.shape[-1]), np.int64), x), x.ndim - 2)


def _halves(x):
    below = x * constant(np.tri(x.shape[-1], k=-1, dtype=x.dtype), x)
    return below, x - below


def _upper_factor(ans):
    return regular(ans[..., :-1, :], True, "LU factors have a derivative only where the matrix is invertible",
                   "add a multiple of the identity")


def _with_row(x):
    return pad(x, ((0, 0),) * (x.ndim - 2) + ((0, 1), (0, 0)))


def _jvp(da, ans):
    """With F = L⁻¹ P dA U⁻¹, dL = L tril(F, -1) and dU = triu(F) U; de Hoog, Anderssen and Lukas (2011), section 2."""
    packed = _upper_factor(ans)
    f = solve_triangular(packed, _moved(da, ans), True, 0, True)
    f = adjoint(solve_triangular(packed, adjoint(f), False, 2, False))
    low, up = _halves(f)
    below, above = _halves(packed)
    return _with_row(low + matmul(below, low) + matmul(up, above))


def _vjp(ct, ans):
    """The adjoint: Pᵀ L⁻ᴴ (tril(Lᴴ L̄, -1) + triu(Ū Uᴴ)) U⁻ᴴ."""
    packed = _upper_factor(ans)
    below, above = _halves(packed)
    ct_low, ct_up = _halves(ct[..., :-1, :])
    f = _halves(ct_low + matmul(adjoint(below), ct_low))[0] + _halves(matmul(ct_up, adjoint(above)))[1]
    f = solve_triangular(packed, f, True, 2, True)
    return _moved(adjoint(solve_triangular(packed, adjoint(f), False, 0, False)), ans, True)


lu_factor = primitive(
    # a: (…, n, n) -> (…, n + 1, n): the factors in one matrix, and a last row of pivots; aside: without warnings
    "lu_factor",
    host=True,
    impl=lambda xp, a, *, aside=False: _run(xp, a, aside),
    shape=_shape,
    jvp={"a": _jvp},
    vjp={"a": _vjp},
    batch=lambda a, aside: lu_factor(a, aside),
    blocks=2,
    samples=lambda rng: [Sample(a, params={"aside": True}, tol=1e-5)
                         for a in (*make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng), rng.normal(size=(4, 4)))],
    absent={"()": "its operand is a matrix"},
)


def _order(xp, pivots, back):
    on_host(xp, "lu_solve")
    n = pivots.shape[-1]
    out = np.broadcast_to(np.arange(n), pivots.shape).copy()
    for i in np.ndindex(*pivots.shape[:-1]):
        row = out[i]
        for k, p in enumerate(pivots[i]):
            row[k], row[p] = row[p], row[k]
    return np.argsort(out, axis=-1) if back else out


row_order = primitive(
    "row_order",  # the permutation that exchanges amount to: pivots: (…, n) of integers; or its inverse
    host=True,
    impl=lambda xp, pivots, *, back: _order(xp, pivots, back),
    shape=lambda pivots: make_aval(pivots.shape, np.dtype(np.intp)),
    jvp=ZERO,
    batch=lambda pivots, back: row_order(pivots, back),
    samples=lambda rng: [Sample(np.array(p, np.int32), params={"back": back}) for back in (False, True)
                         for p in ([1, 2, 2], [[1, 1], [0, 1]], np.zeros((0, 2)))],
    absent={"()": "it counts the rows of a matrix", "float32": "its operand is of integers",
            "complex": "its operand is of integers"},
)
