"""Systems of banded matrices."""

from ...core.checks import whole
from ...core.errors import ShapeError, at_user_line
from ...core.ops.scipy import banded
from ...numpy.surface import Array, floating


def solve_banded(
    l_and_u: tuple[int, int], ab: Array, b: Array, overwrite_ab: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solve `a @ x = b` for a banded matrix, given by its diagonals.

    Args:
        l_and_u: how many diagonals lie below and above the main one.
        ab: `(…, l + u + 1, n)`: element (i, j) of the matrix is `ab[u + i - j, j]`. What lies in the corners, beyond
            the matrix, is not read, and has derivative 0.
        b: `(n,)` or `(…, n, k)`.
        overwrite_ab, overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ShapeError: the shapes do not match.
        LinAlgError: the matrix is singular.
    Derivative: `a @ x = b`, differentiated; Giles (2008), Collected matrix derivative results, section 2.2.5.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> ab = np.array([[0.0, 1.0, 1.0], [2.0, 2.0, 2.0], [1.0, 1.0, 0.0]])
    >>> linalg.solve_banded((1, 1), ab, np.array([3.0, 4.0, 3.0]))
    array([1., 1., 1.])
    """
    lower, upper = (whole(n, "l_and_u of solve_banded", 0) for n in l_and_u)
    ab, b = floating(ab), floating(b)
    if ab.ndim < 2 or ab.shape[-2] != lower + upper + 1:
        raise ShapeError(f"invalid values for the number of lower and upper diagonals: l+u+1 ({lower + upper + 1}) "
                         f"does not equal ab.shape[0] ({ab.shape[-2] if ab.ndim > 1 else 'none'}); give one row a "
                         f"diagonal{at_user_line()}")
    return _of_columns(lambda b: banded.solve_banded(ab, b, lower, upper), b)


def solveh_banded(
    ab: Array, b: Array, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solve `a @ x = b` for a Hermitian positive definite banded matrix, given by the diagonals of one triangle.

    Args:
        ab: `(…, u + 1, n)`: element (i, j) is `ab[u + i - j, j]`, or `ab[i - j, j]` if `lower`.
        b: `(n,)` or `(…, n, k)`.
        lower: whether the lower triangle is given.
        overwrite_ab, overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ShapeError: the shapes do not match.
        LinAlgError: the matrix is not positive definite.
    Derivative: as that of `solve_banded`, with respect to the triangle that is given.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.solveh_banded(np.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0]]), np.array([5.0, 6.0, 5.0]))
    array([1., 1., 1.])
    """
    ab, b = floating(ab), floating(b)
    return _of_columns(lambda b: banded.solveh_banded(ab, b, bool(lower)), b)


def _of_columns(solve, b):  # type: ignore[no-untyped-def] # of the two above
    return solve(b[:, None])[..., 0] if b.ndim == 1 else solve(b)
