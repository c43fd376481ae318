"""The factors L D Lᴴ of Hermitian and symmetric matrices that are not definite."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.errors import SquareError, at_user_line
from ...core.ops.linalg.guards import of_triangle, regular
from ...core.trace.device import constant
from ...numpy import conj, eye, linalg, swapaxes, tril, triu, where
from ...numpy.surface import Array, floating
from ...transforms.custom.two_way import Pushed
from .._solvers.library import scipy_module


def ldl(
    A: Array, lower: bool = True, hermitian: bool = True, overwrite_a: bool = False,  # noqa: N803 - SciPy's name
    check_finite: bool = True,
) -> tuple[Array, Array, Array]:
    """Compute the factors `A = lu @ d @ luᴴ` of a Hermitian matrix, with the exchanges of Bunch and Kaufman (1977).

    Args:
        A: `(n, n)`, of which one triangle is read. The derivative exists where it is invertible.
        lower: which triangle is read, and of which the rows of `lu` are in the order `perm`.
        hermitian: whether a complex matrix is Hermitian; else it is symmetric, `A = lu @ d @ luᵀ`.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        `(lu, d, perm)`: `d` has blocks of one or two rows on its diagonal, and `lu[perm]` is triangular, with ones on
        the diagonal.
    Raises:
        SquareError: the matrix is not square, or is one of a stack.
        LinAlgError: the derivative of the factors of a singular matrix is requested.
    Derivative: of lu⁻¹ dA lu⁻ᴴ, the blocks are dd, and what lies below them gives dlu.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.ldl(np.array([[2.0, 1.0], [1.0, 3.0]]))[1]
    array([[2. , 0. ],
           [0. , 2.5]])
    """
    a = floating(A)
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        raise SquareError(f"ldl needs a square matrix, but got shape {tuple(a.shape)}; use vmap for a stack"
                          f"{at_user_line()}")
    if hermitian or a.dtype.kind != "c":
        a = of_triangle(a, not lower)
    else:
        a = tril(a) + tril(a, -1).T if lower else triu(a) + triu(a, 1).T
    lu, d, perm = _Factors(bool(lower), bool(hermitian))(a)
    return lu, d, perm


class _Factors(Pushed):
    """The factors of a whole matrix."""

    name = "ldl"

    def __init__(self, lower: bool, hermitian: bool) -> None:
        self.lower = lower
        self.hermitian = hermitian

    def avals(self, given: Any) -> Any:
        return [given[0], given[0], make_aval(given[0].shape[:1], np.dtype(np.int64))]

    def run(self, *values: Any) -> Any:
        a = np.asarray(values[0])
        lu, d, perm = scipy_module("linalg", "ldl").ldl(a, self.lower, self.hermitian)
        return [lu.astype(a.dtype, copy=False), d.astype(a.dtype, copy=False), perm.astype(np.int64)]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        lu, d, _ = outs
        d = regular(d, False, "ldl has a derivative only where the matrix is invertible",
                    "add a multiple of the identity")
        turned = (lambda x: conj(swapaxes(x, -1, -2))) if self.hermitian else lambda x: swapaxes(x, -1, -2)
        inner = linalg.solve(lu, turned(linalg.solve(lu, turned(tangents[0]))))
        blocks = (d != 0) | constant(eye(d.shape[-1], dtype=bool), d)
        beside = where(blocks, 0.0, tril(inner) if self.lower else triu(inner))
        return [lu @ swapaxes(linalg.solve(swapaxes(d, -1, -2), swapaxes(beside, -1, -2)), -1, -2),
                where(blocks, inner, 0.0), None]
