"""A few eigenvalues and eigenvectors of a sparse symmetric matrix."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.arrays.dtypes import float_dtype, real_dtype
from ...core.checks import refuse_arguments
from ...core.errors import SingularError, at_user_line
from ...core.ops.shaping import concatenate, stack
from ...core.ops.sparse.patterns import LINALG, SparsePattern
from ...core.ops.sparse.products import sparse_matmul, sparse_sampled
from ...core.ops.sparse.solving import DIRECT
from ...core.trace.device import constant
from ...numpy.surface import Array
from ...transforms.custom.two_way import Operation
from ...transforms.staging.effects import acting
from .direct import solved, square
from .sparse_array import _merged

_NEAR = 1000  # roundings of the largest value within which two values are the same: those of an iteration


def eigsh(
    A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: str = "LM", v0: Any = None,  # noqa: N803
    ncv: Any = None, maxiter: Any = None, tol: float = 0, return_eigenvectors: bool = True, Minv: Any = None,  # noqa: N803
    OPinv: Any = None, mode: str = "normal", rng: Any = None,  # noqa: N803 - SciPy's names
) -> Any:
    """Find `k` eigenvalues of a sparse symmetric or Hermitian matrix, and their vectors, by ARPACK.

    Args:
        A: a sparse matrix `(n, n)`: a `SparseArray`, whose values may be traced, or one of SciPy.
        k: how many, fewer than `n`.
        sigma: near which number; they are found by shift and inversion.
        which, ncv, maxiter, tol: as in `scipy.sparse.linalg.eigsh`.
        v0: where the iteration starts, a plain vector; by default one that is the same in every call.
        return_eigenvectors: whether to return the vectors, too.
        M, Minv, OPinv: not supported.
        mode, rng: accepted for compatibility with SciPy.
    Returns:
        `(w, v)`, or `w`. Signs of the columns of `v` are not determined by `A`; phases of complex ones are not, and
        their derivative is that in which `vᴴ dv` is 0.
    Raises:
        TypeError: `M`, `Minv` or `OPinv` is given.
        SingularError: the derivative of a vector is requested whose value is repeated.
        ShapeError, RuleError: as for `spsolve`.
    Derivative: dw = vᴴ dA v, and dv solves (A - w) dv = v dw - dA v beside vᴴ dv = 0, by SuperLU.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> A = sparse.csr_array(np.array([[2.0, 0.0, 0.0], [0.0, 3.0, 4.0], [0.0, 4.0, 9.0]]))
    >>> sparse.linalg.eigsh(A, 1)[0].round(6)
    array([11.])
    >>> covector.grad(lambda A: sparse.linalg.eigsh(A, 1)[0][0])(A).toarray().round(6)
    array([[0. , 0. , 0. ],
           [0. , 0.2, 0.4],
           [0. , 0.4, 0.8]])
    """
    refuse_arguments("eigsh", "give the matrix of an ordinary problem", M=M, Minv=Minv, OPinv=OPinv)
    data, pattern = square(A, "eigsh")
    start = np.random.default_rng(0).normal(size=pattern.shape[0]) if v0 is None else np.asarray(v0)
    options = {"k": int(k), "sigma": sigma, "which": which, "v0": start, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    if not return_eigenvectors:
        return _Values(pattern, options)(data)[0]
    w, v = _Pairs(pattern, options)(data)
    return w, v


class _Pairs(Operation):
    """Eigenvalues, and eigenvectors in columns, of the values of a matrix."""

    name = "eigsh"

    def __init__(self, pattern: SparsePattern, options: dict[str, Any]) -> None:
        self.pattern = pattern
        self.options = options
        self.line = at_user_line()

    def avals(self, given: Any) -> Any:
        dtype, k = float_dtype(given[0].dtype), self.options["k"]
        return [make_aval((k,), real_dtype(dtype)), make_aval((self.pattern.shape[0], k), dtype)]

    def run(self, *values: Any) -> Any:
        data = np.asarray(values[0])
        data = data.astype(float_dtype(data.dtype), copy=False)
        start = self.options["v0"].astype(data.dtype)
        return list(LINALG.eigsh(self.pattern.matrix(data), **{**self.options, "v0": start}))

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        w, v = outs
        moved = sparse_matmul(tangents[0], v, self.pattern, False)
        dw = (v.conj() * moved).sum(axis=0)
        return [dw.real, -self._beside(values[0], w, v, moved)]

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        w, v = outs
        left = v.conj() * cts[0] - self._beside(values[0], w, v, cts[1].conj()).conj()
        return [sparse_sampled(left, v, self.pattern)]

    def _beside(self, data: Array, w: Array, v: Array, right: Array) -> Array:
        """For each column the solution of (A - w) x = right without the part along v, itself orthogonal to v."""
        n, count = v.shape
        own, rim = np.arange(n), np.full(n, n)
        rows = np.concatenate([self.pattern.rows, own, own, rim])
        columns = np.concatenate([self.pattern.columns, own, rim, own])
        found = []
        for i in range(count):
            column = v[:, i]
            rim_data = concatenate(data, constant(np.full(n, -1.0), data) * w[i], column, column.conj(), axis=0)
            system = _merged(rim_data, rows * (n + 1) + columns, (n + 1, n + 1))
            given = concatenate(right[:, i], constant(np.zeros(1, v.dtype), v), axis=0)
            found.append(solved(system.data, system.pattern, given, False, DIRECT, "eigsh")[:n])
        out = stack(*found, axis=1)
        acting(self._check, [w, right, out])
        return out

    def _check(self, w: Any, right: Any, found: Any) -> None:
        """Raise where a value is repeated: among those found, or as far as the size of the solution tells."""
        limit = _NEAR * np.finfo(w.dtype).eps * np.abs(w).max(axis=-1, initial=0.0)[..., None]
        close = np.abs(w[..., None] - w[..., None, :]) + np.where(np.eye(w.shape[-1]), np.inf, 0.0) <= limit[..., None]
        size, solved = (np.abs(x).max(axis=-2, initial=0.0) for x in (right, found))
        if np.any(close.any(axis=-1) & (size > 0.0)) or not np.all(solved * limit <= size):
            raise SingularError("eigsh has no derivative of eigenvectors whose eigenvalue is repeated, of which the "
                                f"matrix does not determine them; use the eigenvalues alone{self.line}")


class _Values(_Pairs):
    """The eigenvalues alone: their derivative asks for no derivative of vectors, so that they may be repeated."""

    def avals(self, given: Any) -> Any:
        return _Pairs.avals(self, given)[:1]

    def run(self, *values: Any) -> Any:
        return _Pairs.run(self, *values)[:1]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        v = _Pairs(self.pattern, self.options)(values[0])[1]
        return [(v.conj() * sparse_matmul(tangents[0], v, self.pattern, False)).sum(axis=0).real]

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        v = _Pairs(self.pattern, self.options)(values[0])[1]
        return [sparse_sampled(v.conj() * cts[0], v, self.pattern)]
