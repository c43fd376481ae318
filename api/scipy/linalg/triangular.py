"""Triangular systems, and Cholesky factors with SciPy's arguments."""

from typing import Any

from ...core.errors import ShapeError, at_user_line
from ...core.ops.linalg import triangular
from ...numpy import linalg
from ...numpy.surface import Array, floating


def cholesky(a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Compute the Cholesky factor of a Hermitian positive definite matrix.

    Args:
        a: `(…, n, n)`, of which the triangle of the factor is read, as in SciPy.
        lower: whether to return the lower factor L with `a = L @ Lᴴ`; by default the upper one, Lᴴ.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `a`, 0 in the other triangle.
    Raises:
        LinAlgError: `a` is not positive definite.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.cholesky(np.array([[4.0, 2.0], [2.0, 5.0]]))
    array([[2., 1.],
           [0., 2.]])
    """
    return linalg.cholesky(floating(a), upper=not lower)


def cho_factor(
    a: Array, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Array, bool]:
    """Compute the Cholesky factor for `cho_solve`.

    Args:
        a, lower, overwrite_a, check_finite: as in `cholesky`.
    Returns:
        `(factor, lower)`; unlike in SciPy's, the other triangle is 0.
    Raises:
        LinAlgError: `a` is not positive definite.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.cho_factor(np.array([[4.0]]))
    (array([[2.]]), False)
    """
    return cholesky(a, lower), bool(lower)


def cho_solve(c_and_lower: tuple[Array, bool], b: Array, overwrite_b: bool = False, check_finite: bool = True) -> Array:
    """Solve `a @ x = b` given the Cholesky factor of `a`.

    Args:
        c_and_lower: the factor, of which one triangle is read, and whether it is the lower one; see `cho_factor`.
        b: `(n,)` or `(…, n, k)`.
        overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ShapeError: the shapes do not match.
        LinAlgError: the factor is singular.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.cho_solve(linalg.cho_factor(np.array([[4.0, 2.0], [2.0, 5.0]])), np.array([2.0, 5.0]))
    array([0., 1.])
    """
    c, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    return solve_triangular(c, solve_triangular(c, b, first, lower), second, lower)


def solve_triangular(
    a: Array, b: Array, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solve `a @ x = b` for triangular `a`.

    Args:
        a: `(…, n, n)`; the other triangle is not read, and has derivative 0.
        b: `(n,)` or `(…, n, k)`.
        trans: 0 or "N" for `a`, 1 or "T" for its transpose, 2 or "C" for its conjugate transpose.
        lower: whether `a` is lower triangular.
        unit_diagonal: whether the diagonal of `a` is taken to be 1.
        overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ShapeError: the shapes do not match.
        ValueError: `trans` is invalid.
        LinAlgError: `a` is singular.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.solve_triangular(np.array([[2.0, 9.0], [1.0, 1.0]]), np.array([4.0, 3.0]), lower=True)
    array([2., 1.])
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ValueError(f'solve_triangular supports trans=0 or "N", 1 or "T", 2 or "C", but got {trans!r}; choose one'
                         f"{at_user_line()}")
    a, b = floating(a), floating(b)
    n = a.shape[-1] if a.ndim else 0
    rows = b.shape[-2:][0] if b.ndim else None
    if a.ndim < 2 or a.shape[-2] != n or rows != n:
        raise ShapeError(f"solve_triangular needs a of shape (…, n, n) and b of shape (n,) or (…, n, k), but got "
                         f"{tuple(a.shape)} and {tuple(b.shape)}; reshape b, for example with b[:, None]"
                         f"{at_user_line()}")
    turn = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    x = triangular.solve_triangular(a, b[:, None] if b.ndim == 1 else b, bool(lower), turn, bool(unit_diagonal))
    return x[..., 0] if b.ndim == 1 else x
