"""Sparse systems by SciPy's iterative methods, differentiated with the same method on the transpose."""

import math
from typing import Any

import numpy as np

from ...core.checks import refuse_arguments
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.lazy import LazyModule
from ...core.ops.sparse.patterns import SparsePattern
from ...core.trace.tracer import Tracer
from ...numpy.surface import Array
from .direct import solved, square
from .matrix_free import solve_function

LINALG = LazyModule("scipy.sparse.linalg")


class Iterative:
    """A method of `scipy.sparse.linalg` and its options, as a parameter of `sparse_solve`."""

    __slots__ = ("name", "start", "options", "preconditioner")

    def __init__(self, name: str, start: Any, options: tuple, preconditioner: Any) -> None:
        self.name = name
        self.start = start
        self.options = options
        self.preconditioner = preconditioner

    def __repr__(self) -> str:
        return self.name

    @property
    def again(self) -> "Iterative":
        """The method for derivatives, whose solutions lie elsewhere: without a starting point or a callback."""
        quiet = tuple([(k, v) for k, v in self.options if k not in ("callback", "callback_type")])
        return Iterative(self.name, None, quiet, self.preconditioner)

    def run(self, pattern: SparsePattern, values: np.ndarray, b: np.ndarray, turned: bool) -> tuple[np.ndarray, int]:
        """`(x, info)` for the columns of `b`; `info` of the first column that did not converge."""
        matrix = pattern.matrix(values, turned)
        preconditioner = self.preconditioner
        if turned and preconditioner is not None:
            preconditioner = LINALG.aslinearoperator(preconditioner).T
        out = np.empty(b.shape, np.result_type(values, b))
        found = 0
        for k in range(b.shape[1]):
            # In a batch the columns of the examples lie side by side.
            start = None if self.start is None else self.start[:, k % self.start.shape[1]]
            options = dict(self.options)
            scale = _scale(b[:, k]) if options.get("callback") is None else b.real.dtype.type(1.0)
            if options.get("atol"):
                options["atol"] = options["atol"] * float(scale)
            x, info = getattr(LINALG, self.name)(
                matrix, b[:, k] * scale, x0=None if start is None else start * scale, M=preconditioner, **options)
            out[:, k] = x / scale
            found = found or info
        return out, found

    def solve(self, pattern: SparsePattern, values: np.ndarray, b: np.ndarray, turned: bool) -> np.ndarray:
        """`x`; raises where the method does not converge: there is no derivative then."""
        out, info = self.run(pattern, values, b, turned)
        if info:
            words = (f"convergence to tolerance not achieved, number of iterations {info}" if info > 0 else
                     "illegal input or breakdown")
            raise np.linalg.LinAlgError(
                f"{self.name} did not solve a sparse system of shape {pattern.shape}: {words} (info={info}, as SciPy "
                f"has it); give a larger maxiter, another rtol or a preconditioner M, or use spsolve{at_user_line()}")
        return out


def _scale(b: np.ndarray) -> Any:
    """A power of two that brings a right side near 1: squares of 1e-25 vanish in float32, and so would its norm."""
    largest = float(np.abs(b).max(initial=0.0))
    exponent = math.frexp(largest)[1] if 0.0 < largest < math.inf else 0
    return b.real.dtype.type(2.0 ** -max(-120, min(120, exponent)))


def cg(
    A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0,  # noqa: N803 - SciPy's names
    maxiter: int | None = None, M: Any = None, callback: Any = None,  # noqa: N803
) -> tuple[Array, int]:
    """Solve a sparse Hermitian positive definite system by the conjugate gradient method.

    Args:
        A: a sparse matrix `(n, n)`: a `SparseArray`, whose values may be traced, one of SciPy, or a matrix; or a
            function, `A(x)`, that is linear in a pytree `x` like `b`: derivatives are taken with respect to what it
            closes over, too, and it is called on traced values where something is traced.
        b: `(n,)`, or `(n, k)`, which is solved column by column; may be traced. For a function any pytree of arrays.
        x0: the starting point; for a matrix not traced, and no derivative is taken with respect to it.
        rtol, atol: tolerances for the norm of the residual. Derivatives have the precision of the solver: 1e-5, unless
            a smaller one is given.
        maxiter: how many iterations at most.
        M: a preconditioner: a matrix, or an operator with a transpose; not traced. For a function another one.
        callback: called by SciPy after each iteration, not in solving for derivatives; not for functions.
    Returns:
        `(x, info)`: `info` is 0 on success, and how many iterations were taken if the tolerance was not reached.
    Raises:
        LinAlgError: the method does not converge while something is traced: there is no derivative then. (For a
            function there is no such check: look at `info`.)
        ShapeError, RuleError: as for `spsolve`.

    >>> import numpy as np, covector
    >>> from covector.scipy import sparse
    >>> A = sparse.csr_array(np.array([[2.0, 1.0], [1.0, 4.0]]))
    >>> x, info = sparse.linalg.cg(A, np.array([4.0, 9.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    >>> np.round(covector.grad(lambda b: sparse.linalg.cg(A, b)[0][0])(np.array([4.0, 9.0])), 6)
    array([ 0.571429, -0.142857])
    >>> def solution(shift):
    ...     return sparse.linalg.cg(lambda x: A @ x + shift * x, np.array([4.0, 9.0]), rtol=1e-9)[0]
    >>> np.round(covector.jacobian(solution)(0.0), 6)
    array([-0.285714, -0.428571])
    """
    return _solve("cg", A, b, x0, M, rtol=rtol, atol=atol, maxiter=maxiter, callback=callback)


def gmres(
    A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0,  # noqa: N803 - SciPy's names
    restart: int | None = None, maxiter: int | None = None, M: Any = None, callback: Any = None,  # noqa: N803
    callback_type: str | None = None,
) -> tuple[Array, int]:
    """Solve a sparse system by the generalized minimal residual method.

    Args:
        A, b, x0, rtol, atol, maxiter, M, callback: as in `cg`; `A` is any invertible matrix.
        restart: after how many iterations to restart.
        callback_type: as in SciPy.
    Returns:
        `(x, info)`, as `cg`.
    Raises:
        LinAlgError, ShapeError, RuleError: as for `cg`.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> x, info = sparse.linalg.gmres(sparse.csr_array(np.array([[2.0, 1.0], [0.0, 4.0]])), np.array([4.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    return _solve("gmres", A, b, x0, M, rtol=rtol, atol=atol, restart=restart, maxiter=maxiter, callback=callback,
                  callback_type=callback_type)


def bicgstab(
    A: Any, b: Array, x0: Array | None = None, *, rtol: float = 1e-5, atol: float = 0.0,  # noqa: N803 - SciPy's names
    maxiter: int | None = None, M: Any = None, callback: Any = None,  # noqa: N803
) -> tuple[Array, int]:
    """Solve a sparse system by the stabilized biconjugate gradient method.

    Args:
        A, b, x0, rtol, atol, maxiter, M, callback: as in `cg`; `A` is any invertible matrix.
    Returns:
        `(x, info)`, as `cg`.
    Raises:
        LinAlgError, ShapeError, RuleError: as for `cg`.

    >>> import numpy as np
    >>> from covector.scipy import sparse
    >>> x, info = sparse.linalg.bicgstab(sparse.csr_array(np.array([[2.0, 1.0], [0.0, 4.0]])), np.array([4.0, 8.0]))
    >>> np.round(x, 6), info
    (array([1., 2.]), 0)
    """
    return _solve("bicgstab", A, b, x0, M, rtol=rtol, atol=atol, maxiter=maxiter, callback=callback)


def _solve(name: str, a: Any, b: Any, x0: Any, preconditioner: Any, **options: Any) -> tuple[Any, Any]:
    if callable(getattr(a, "matvec", None)) or callable(a):
        refuse_arguments(name, callback=options.pop("callback"), callback_type=options.pop("callback_type", None))
        return solve_function(name, a, b, x0, preconditioner, **options)
    for what, x in (("x0", x0), ("M", preconditioner), ("M", getattr(preconditioner, "data", None))):
        if isinstance(x, Tracer):
            raise RuleError(f"{name} got a traced {what}, on which the solution does not depend; give a plain one, or "
                            f"leave it out{at_user_line()}")
    if hasattr(preconditioner, "to_scipy"):
        preconditioner = preconditioner.to_scipy()
    data, pattern = square(a, name)
    if x0 is not None:
        shape = tuple(b.shape) if isinstance(b, Tracer) else np.shape(b)
        if np.shape(x0) != shape:
            raise ShapeError(f"{name} needs a starting point of the shape of b, {shape}, but got {np.shape(x0)}; "
                             f"reshape it{at_user_line()}")
        x0 = np.reshape(x0, (shape[0], -1))
    given = tuple([(k, v) for k, v in options.items() if v is not None])
    method = Iterative(name, x0, given, preconditioner)
    if isinstance(data, Tracer) or isinstance(b, Tracer):
        return solved(data, pattern, b, False, method, name), 0
    reported = _Reported(method)
    x = solved(data, pattern, b, False, reported, name)
    return x, reported.info


class _Reported:
    """A method that tells whether it converged in place of raising: for values that nothing is differentiated by."""

    def __init__(self, method: Iterative) -> None:
        self.method = method
        self.again = method.again
        self.info = 0

    def __repr__(self) -> str:
        return self.method.name

    def solve(self, pattern: SparsePattern, values: np.ndarray, b: np.ndarray, turned: bool) -> np.ndarray:
        """`x`, converged or not."""
        out, self.info = self.method.run(pattern, values, b, turned)
        return out
