"""LU factors and Schur forms."""

from typing import Any

from ...core.checks import one_of, refuse_arguments
from ...core.errors import ShapeError, at_user_line
from ...core.ops.indexing.sorting import along
from ...core.ops.linalg import triangular
from ...core.ops.scipy import lu, schur as forms
from ...core.ops.selection import astype
from ...core.ops.shaping import complex_of
from ...numpy import broadcast_to, expand_dims
from ...numpy.surface import Array, array_of, floating


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
