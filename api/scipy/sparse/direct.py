"""Sparse systems by a factorization."""

from typing import Any

import numpy as np

from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.ops.shaping import reshape
from ...core.ops.sparse.patterns import SparsePattern, factorization, need_scipy
from ...core.ops.sparse.solving import DIRECT, sparse_solve
from ...core.trace.tracer import Tracer
from ...numpy.surface import Array
from .construction import csr_array


def spsolve(A: Any, b: Array, permc_spec: str | None = None, use_umfpack: bool = True) -> Array:  # noqa: N803 - SciPy's name
    """Solve the sparse system `A @ x = b` by SuperLU.

    Derivatives with respect to the values of `A` have its pattern; the pullback uses the factorization again.

    Args:
        A: a sparse matrix `(n, n)`: a `SparseArray`, whose values may be traced, or one of SciPy.
        b: `(n,)` or `(n, k)`; may be traced.
        permc_spec: None or "COLAMD", the order that is used.
        use_umfpack: accepted for compatibility with SciPy; SuperLU is used.
    Returns:
        an array of the shape of `b`.
    Raises:
        LinAlgError: `A` is singular; the message has SuperLU's words.
        ShapeError: the shapes do not match.
        RuleError: `b` is sparse.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> A = sparse.csr_array(np.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> sparse.linalg.spsolve(A, np.array([2.0, 9.0]))
    array([1., 2.])
    >>> covector.grad(lambda A: sparse.linalg.spsolve(A, np.array([2.0, 9.0]))[1])(A).toarray()
    array([[ 0.125,  0.   ],
           [-0.25 , -0.5  ]])
    """
    if permc_spec not in (None, "COLAMD"):
        raise ValueError(f'spsolve supports permc_spec=None or "COLAMD", but got {permc_spec!r}; leave it out'
                         f"{at_user_line()}")
    data, pattern = square(A, "spsolve")
    return solved(data, pattern, b, False, DIRECT, "spsolve")


def splu(A: Any) -> "SuperLU":  # noqa: N803 - SciPy's name
    """Factorize a sparse matrix, to solve several systems with it.

    Args:
        A: as in `spsolve`.
    Returns:
        an object with `solve(b, trans="N")`, `shape` and `nnz`.
    Raises:
        LinAlgError, ShapeError: as for `spsolve`; one whose values are not known yet raises in `solve`.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> lu = sparse.linalg.splu(sparse.csr_array(np.array([[2.0, 0.0], [1.0, 4.0]])))
    >>> lu.solve(np.array([2.0, 9.0])), lu.solve(np.array([4.0, 8.0]), trans="T")
    (array([1., 2.]), array([1., 2.]))
    """
    return SuperLU(*square(A, "splu"))


class SuperLU:
    """A factorized sparse matrix; see `splu`."""

    __slots__ = ("data", "pattern")

    def __init__(self, data: Any, pattern: SparsePattern) -> None:
        self.data = data
        self.pattern = pattern
        if not isinstance(data, Tracer):
            factorization(pattern, data)

    @property
    def shape(self) -> tuple[int, int]:
        """Of the matrix."""
        m, n = self.pattern.shape
        return m, n

    @property
    def nnz(self) -> int:
        """The number of stored values of the two factors; of a traced matrix, that of the matrix."""
        return self.pattern.size if isinstance(self.data, Tracer) else factorization(self.pattern, self.data).nnz

    def solve(self, rhs: Array, trans: str = "N") -> Array:
        """Solve with the matrix ("N"), its transpose ("T") or its conjugate transpose ("H")."""
        if trans not in ("N", "T", "H"):
            raise ValueError(f'solve supports trans="N", "T" or "H", but got {trans!r}; choose one{at_user_line()}')
        data = self.data
        if trans == "H":
            rhs = rhs if isinstance(rhs, Tracer) else np.asarray(rhs)
            out = solved(data, self.pattern, rhs.conj(), True, DIRECT, "splu(A).solve")
            return out.conj()
        return solved(data, self.pattern, rhs, trans == "T", DIRECT, "splu(A).solve")


def square(a: Any, name: str) -> tuple[Any, SparsePattern]:
    """Values and pattern of a square sparse matrix."""
    need_scipy(name)
    if callable(getattr(a, "matvec", None)) or callable(a):
        raise RuleError(f"{name} got a {type(a).__name__}, and needs a matrix to factorize; give a sparse matrix, or "
                        f"use cg, gmres or bicgstab, which take functions{at_user_line()}")
    a = csr_array(a)
    if a.shape[0] != a.shape[1]:
        raise ShapeError(f"{name} needs a square matrix, but got shape {a.shape}; solve the normal equations A.T @ A "
                         f"for least squares{at_user_line()}")
    return a.data, a.pattern


def solved(data: Any, pattern: SparsePattern, b: Any, turned: bool, method: Any, name: str) -> Any:
    """The solution for a right-hand side that is a vector or a matrix."""
    if hasattr(type(b), "tocsr"):
        raise RuleError(f"{name} got a sparse right-hand side, whose solution is full; use b.toarray(){at_user_line()}")
    b = b if isinstance(b, Tracer) else np.asarray(b)
    n = pattern.shape[0]
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ShapeError(f"{name} needs a right-hand side of shape ({n},) or ({n}, k), but got {tuple(b.shape)}; "
                         f"reshape it, or map over further axes with vmap{at_user_line()}")
    if b.dtype.kind not in "fc":
        b = b.astype(np.float64)
    data = data if isinstance(data, Tracer) or data.dtype.kind in "fc" else data.astype(np.float64)
    if b.ndim == 1:
        return reshape(sparse_solve(data, reshape(b, (n, 1)), pattern, turned, method), (n,))
    return sparse_solve(data, b, pattern, turned, method)
