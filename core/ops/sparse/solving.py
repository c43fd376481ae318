"""Sparse linear solves, by a factorization or iteratively; their derivatives are solves, too."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import result_dtype
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..dependence import shared
from ..samples import Sample
from .patterns import SparsePattern, factorization
from .products import ABSENT, alike, in_batches, only_numpy, side_by_side, sparse_matmul, sparse_sampled


class Direct:
    """By SuperLU: the factorization is kept for the pullback, which solves with the transpose."""

    @property
    def again(self):
        """The method for derivatives."""
        return self

    def __repr__(self):
        return "lu"

    def solve(self, pattern, values, b, turned):
        """`x` with `matrix @ x = b`, `b` of shape (n, k); of the transpose where `turned`."""
        factor = factorization(pattern, values)  # of the transpose
        trans = "N" if turned else "T"
        if b.dtype.kind == "c" and values.dtype.kind != "c":
            return factor.solve(_in(b.real, values), trans) + 1j * factor.solve(_in(b.imag, values), trans)
        return factor.solve(_in(b, values), trans)


def _in(b, values):
    """A right-hand side in the dtype and the order that SuperLU takes."""
    return np.asarray(b, np.result_type(values.dtype, np.float32), order="F")


DIRECT = Direct()


def _solve(xp, data, b, pattern, turned, method):
    only_numpy(xp, "sparse_solve")
    lead, dtype = np.shape(data)[:-1], result_dtype(data, b)
    out = in_batches(lambda d, v: method.solve(pattern, d, v, turned), lead, np.asarray(data), np.asarray(b))
    return np.zeros(b.shape, dtype) if out is None else out.astype(dtype, copy=False)


def _vjp(ct, data, ans, pattern, turned, method):
    # A^H y = ct by the transpose of the same values: the conjugate of A^T conj(y) = conj(ct).
    y = conj(sparse_solve(data, conj(ct), pattern, not turned, method.again))
    of_data = sparse_sampled(conj(ans), y, pattern) if turned else sparse_sampled(y, conj(ans), pattern)
    return -of_data, y


def _batch(data, b, pattern, turned, method, batched, size):
    if not batched[0] and data.ndim == 1 and size:
        return side_by_side(lambda v: sparse_solve(data, v, pattern, turned, method), b, size)
    return sparse_solve(*alike((data, b), batched, size), pattern, turned, method)


def _samples(rng):
    pattern = SparsePattern(np.array([0, 2, 3, 5]), np.array([0, 2, 1, 0, 2]), (3, 3))
    strong = np.array([4.0, 0, 4.0, 0, 4.0])
    out = []
    for turned in (False, True):
        for c in (0.0, 1j):
            params = {"pattern": pattern, "turned": turned, "method": DIRECT}
            out.append(Sample(rng.normal(size=5) + strong + c, rng.normal(size=(3, 2)) + c, params=params, tol=1e-5))
    params = {"pattern": pattern, "turned": False, "method": DIRECT}
    out.append(Sample(rng.normal(size=(2, 5)) + strong, rng.normal(size=(2, 3, 1)), params=params, tol=1e-5))
    out.append(Sample((rng.normal(size=5) + strong).astype(np.float32), rng.normal(size=(3, 2)).astype(np.float32),
                      params=params, tol=1e-2))
    out.append(Sample(rng.normal(size=5) + strong, rng.normal(size=(3, 0)), params=params))
    return out


sparse_solve = primitive(
    "sparse_solve",  # data: (*b, values) of a matrix (n, n), b: (*b, n, k) -> (*b, n, k)
    host=True,
    impl=lambda xp, data, b, *, pattern, turned, method: _solve(xp, data, b, pattern, turned, method),
    shape=lambda data, b: make_aval(b.shape, result_dtype(data, b)),
    jvp={"data": lambda dx, data, ans, pattern, turned, method: -sparse_solve(
        data, sparse_matmul(dx, ans, pattern, turned), pattern, turned, method.again),
        "b": lambda db, data, pattern, turned, method: sparse_solve(data, db, pattern, turned, method.again)},
    vjp={"data, b": _vjp},
    batch=_batch,
    linear=("b",),
    depends=lambda data, b, ans: {
        0: shared(data.shape, ans.shape, range(data.ndim - 1), range(data.ndim - 1)),
        1: shared(b.shape, ans.shape, [*range(b.ndim - 2), b.ndim - 1], [*range(b.ndim - 2), b.ndim - 1])},
    absent=ABSENT,
    samples=_samples,
)
