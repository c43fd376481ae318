"""LU factors and Schur forms."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.checks import one_of, refuse_arguments
from ...core.errors import ShapeError, SquareError, at_user_line
from ...core.ops.indexing.sorting import along
from ...core.ops.linalg import triangular
from ...core.ops.linalg.decompositions import adjoint, hermitian
from ...core.ops.linalg.guards import of_triangle, regular
from ...core.ops.scipy import lu, schur as forms
from ...core.ops.selection import astype
from ...core.ops.shaping import complex_of
from ...core.trace.device import constant
from ...numpy import broadcast_to, conj, expand_dims, eye, linalg, swapaxes, tril, triu, where
from ...numpy.surface import Array, array_of, floating
from ...transforms.custom.two_way import Pushed
from .._solvers.library import scipy_module
from .equations import solve_sylvester


def lu_factor(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Array, Array]:
    """Compute the LU factors of a square matrix with exchanges of rows, for `lu_solve`.

    Args:
        a: `(…, n, n)`; the derivative exists where it is invertible.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        `(lu, piv)`: both factors in one array of the shape of `a`, without the ones of the lower factor; and integers
        `(…, n)`: row i was exchanged with row `piv[i]`.
    Raises:
        SquareError: the matrices are not square.
        LinAlgError: the derivative of the factors of a singular matrix is requested.
    Derivative: de Hoog, Anderssen and Lukas (2011), Mathematics of Computation 80, section 2.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]]))
    (array([[4.  , 4.  ],
           [0.25, 1.  ]]), array([1, 1], dtype=int32))
    """
    both = lu.lu_factor(floating(a))
    return both[..., :-1, :], lu.pivots_of(both)


def lu_solve(
    lu_and_piv: tuple[Array, Array], b: Array, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Array:
    """Solve `a @ x = b` given the LU factors of `a`.

    Args:
        lu_and_piv: the factors and the exchanges of rows, from `lu_factor`.
        b: `(n,)` or `(…, n, k)`.
        trans: 0 for `a`, 1 for its transpose, 2 for its conjugate transpose.
        overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ShapeError: the shapes do not match.
        ValueError: `trans` is invalid.
        LinAlgError: the factors are singular.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.lu_solve(linalg.lu_factor(np.array([[1.0, 2.0], [4.0, 4.0]])), np.array([5.0, 12.0]))
    array([1., 2.])
    """
    packed, pivots = floating(lu_and_piv[0]), array_of(lu_and_piv[1])
    b = floating(b)
    trans = one_of(trans, "trans of lu_solve", (0, 1, 2))
    n = packed.shape[-1] if packed.ndim else 0
    x = b[:, None] if b.ndim == 1 else b
    if packed.ndim < 2 or packed.shape[-2] != n or x.ndim < 2 or x.shape[-2] != n:
        raise ShapeError(f"lu_solve needs factors of shape (…, {n}, {n}) and b of shape ({n},) or (…, {n}, k), but got "
                         f"{tuple(packed.shape)} and {tuple(b.shape)}; reshape b{at_user_line()}")
    steps = [(True, True), (False, False)]  # (lower, unit diagonal)
    if not trans:
        x = _in_order(x, pivots, False)
    for lower, unit in steps[::-1] if trans else steps:
        x = triangular.solve_triangular(packed, x, lower, trans, unit)
    if trans:
        x = _in_order(x, pivots, True)
    return x[..., 0] if b.ndim == 1 else x


def _in_order(x: Array, pivots: Array, back: bool) -> Array:
    order = expand_dims(lu.row_order(pivots, back), -1)
    lead = x.shape[:-2] if len(x.shape[:-2]) > pivots.ndim - 1 else pivots.shape[:-1]
    x = broadcast_to(x, (*lead, *x.shape[-2:]))
    return along(x, broadcast_to(order, x.shape), x.ndim - 2)


def schur(
    a: Array, output: str = "real", lwork: Any = None, overwrite_a: bool = False, sort: Any = None,
    check_finite: bool = True,
) -> tuple[Array, Array]:
    """Compute the Schur form `a = z @ t @ zᴴ`, with `t` upper triangular and `z` unitary.

    Args:
        a: `(…, n, n)`. The derivative exists where its eigenvalues are distinct.
        output: "real" or "complex": whether the form of a real matrix is real. The real form of a matrix with
            complex eigenvalues is not triangular; its derivative is refused.
        lwork, sort: not supported.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        `(t, z)`, arrays of the shape of `a`. Phases of the columns of a complex `z` are not determined by `a`.
    Raises:
        SquareError: the matrices are not square.
        LinAlgError: in a derivative, a repeated eigenvalue, complex ones in a real form, or a function that depends on
            the phases of a complex form.
        TypeError: `lwork` or `sort` is given.
    Derivative: `zᴴ da z` is the commutator of `zᴴ dz` with `t`, and `dt`; its lower half determines `zᴴ dz`.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.schur(np.array([[1.0, 2.0], [0.0, 3.0]]))[0]
    array([[1., 2.],
           [0., 3.]])
    """
    refuse_arguments("schur", lwork=lwork, sort=sort)
    a = floating(a)
    if one_of(output, "output of schur", ("real", "complex", "r", "c"))[0] == "c":
        a = complex_of(a)
    return forms.schur(a if a.dtype.itemsize > 2 else astype(a, "f4"))


# The factors L D Lᴴ of Hermitian and symmetric matrices that are not definite.


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


# The polar decomposition.


def polar(a: Array, side: str = "right") -> tuple[Array, Array]:
    """Compute the polar decomposition `a = u @ p`, or `a = p @ u` for the left side.

    Args:
        a: `(…, m, n)`. The derivative exists where its rank is `min(m, n)`, whether or not singular values repeat.
        side: "right" or "left", where `p` stands.
    Returns:
        `(u, p)`: `u` of the shape of `a`, with orthonormal columns (rows, if it has more columns), and `p` Hermitian
        and positive semidefinite.
    Raises:
        ShapeError: `a` is no matrix.
        ValueError: `side` is none of these.
        LinAlgError: the derivative at a matrix of lower rank is requested.
    Derivative: with a = u p, uᴴ du solves a Sylvester equation with `p` on both sides.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.polar(np.array([[0.0, -2.0], [3.0, 0.0]]))
    (array([[ 0., -1.],
           [ 1.,  0.]]), array([[3., 0.],
           [0., 2.]]))
    """
    side = one_of(side, "side of polar", ("right", "left"))
    a = floating(a)
    if a.ndim < 2:
        raise ShapeError(f"polar needs matrices (…, m, n), but got shape {tuple(a.shape)}; reshape it{at_user_line()}")
    wide = a.shape[-2] < a.shape[-1]
    u = _UNITARY(adjoint(a) if wide else a)[0]
    u = adjoint(u) if wide else u
    return u, hermitian(adjoint(u) @ a if side == "right" else a @ adjoint(u))


class _Unitary(Pushed):
    """The factor with orthonormal columns of a matrix that has at least as many rows."""

    name = "polar"

    def avals(self, given: Any) -> Any:
        return [make_aval(given[0].shape, given[0].dtype)]

    def run(self, *values: Any) -> Any:
        w, _, vh = np.linalg.svd(np.asarray(values[0]), full_matrices=False)
        return [w @ vh]

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        u, da = outs[0], tangents[0]
        p = regular(hermitian(adjoint(u) @ values[0]), False, "the polar factors have a derivative only where the "
                    "matrix has full rank", "add a multiple of the identity")
        moved = adjoint(u) @ da
        turn = u @ solve_sylvester(p, p, moved - adjoint(moved))
        if da.shape[-2] == da.shape[-1]:
            return [turn]
        return [turn + adjoint(linalg.solve(p, adjoint(da - u @ moved)))]


_UNITARY = _Unitary()
