"""Banded systems, and structured matrices: block-diagonal and Toeplitz."""

import numpy as np

from ...core.checks import whole
from ...core.errors import ShapeError, at_user_line
from ...core.ops.linalg.decompositions import cholesky
from ...core.ops.scipy import banded
from ...core.ops.shaping import concatenate as joined, pad
from ...core.trace.device import constant
from ...numpy import concatenate, conjugate, moveaxis, stack, where
from ...numpy.surface import Array, arrays_of, floating
from ...transforms.control.scan import scan


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


def cholesky_banded(ab: Array, overwrite_ab: bool = False, lower: bool = False, check_finite: bool = True) -> Array:
    """Compute the Cholesky factor of a Hermitian positive definite banded matrix, given by diagonals of one triangle.

    Args:
        ab: `(…, u + 1, n)`: element (i, j) is `ab[u + i - j, j]`, or `ab[i - j, j]` if `lower`. What lies in the
            corner, beyond the matrix, is not read, and has derivative 0.
        lower: whether the lower triangle is given, and the lower factor returned.
        overwrite_ab, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        the diagonals of the factor, an array of the shape of `ab`, 0 in the corner.
    Raises:
        ShapeError: `ab` is no matrix.
        LinAlgError: the matrix is not positive definite.
    Derivative: a column follows from the `u` columns before it; the loop over columns, differentiated.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.cholesky_banded(np.array([[0.0, 2.0, 2.0], [4.0, 5.0, 5.0]]))
    array([[0., 1., 1.],
           [2., 2., 2.]])
    """
    ab = floating(ab)
    if ab.ndim < 2 or not ab.shape[-2]:
        raise ShapeError(f"cholesky_banded needs one row for each diagonal, (…, u + 1, n), but got shape "
                         f"{tuple(ab.shape)}; stack the diagonals{at_user_line()}")
    u, n = ab.shape[-2] - 1, ab.shape[-1]
    inside = np.add.outer(np.arange(u + 1), np.arange(n)) < n
    if not lower:  # its conjugate, whose rows begin where the diagonals do
        ab = stack([_moved(ab[..., u - k, :].conj(), -k) for k in range(u + 1)], axis=-2)
    columns = moveaxis(where(constant(inside, ab), ab, 0.0), -1, 0)

    def step(before: Array, column: Array) -> tuple[Array, Array]:
        """`before`: of each of the last `u` columns of the factor, the latest first, what begins at this row."""
        known = (before * before[..., :1].conj()).sum(axis=-2)
        left = column - pad(known, (*none, (0, 1)))
        pivot = cholesky(left[..., :1, None])[..., 0]
        found = concatenate([pivot, left[..., 1:] / pivot], axis=-1)
        return concatenate([found[..., None, 1:], pad(before[..., :-1, 1:], (*none, (0, 0), (0, 1)))], axis=-2), found

    none = ((0, 0),) * (ab.ndim - 2)
    start = constant(np.zeros((*ab.shape[:-2], u, u), ab.dtype), ab)
    factor = moveaxis(scan(step if u else lambda c, x: (c, cholesky(x[..., None])[..., 0]), start, columns)[1], 0, -1)
    if lower:
        return factor
    return stack([_moved(factor[..., k, :].conj(), k) for k in range(u, -1, -1)], axis=-2)


def _moved(x: Array, k: int) -> Array:
    """`x`, its elements moved to the right by `k` along the last axis, and zeros in their place."""
    n, k = x.shape[-1], max(-x.shape[-1], min(k, x.shape[-1]))
    kept = x[..., : n - k] if k > 0 else x[..., -k:]
    return pad(kept, (*((0, 0),) * (x.ndim - 1), (max(k, 0), max(-k, 0))))


def _of_columns(solve, b):  # type: ignore[no-untyped-def] # of the two above
    return solve(b[:, None])[..., 0] if b.ndim == 1 else solve(b)


# Structured matrices: block-diagonal and Toeplitz.


def block_diag(*arrs: Array) -> Array:
    """Build a block-diagonal matrix.

    Args:
        arrs: matrices; vectors are treated as rows, numbers as 1 x 1 matrices.
    Returns:
        a matrix that is 0 outside the blocks.
    Raises:
        ShapeError: an argument has more than two axes.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.block_diag(np.array([[1.0, 2.0]]), 3.0)
    array([[1., 2., 0.],
           [0., 0., 3.]])
    """
    blocks = arrays_of(arrs or (np.zeros((1, 0)),))
    for x in blocks:
        if x.ndim > 2:
            raise ShapeError(f"block_diag needs matrices, but got shape {tuple(x.shape)}; use vmap for stacks of them"
                             f"{at_user_line()}")
    blocks = [x.reshape((1,) * (2 - x.ndim) + tuple(x.shape)) for x in blocks]
    width = sum(x.shape[1] for x in blocks)
    rows, before = [], 0
    for x in blocks:
        rows.append(pad(x, widths=((0, 0), (before, width - before - x.shape[1]))))
        before += x.shape[1]
    return joined(*rows, axis=0)


def toeplitz(c: Array, r: Array | None = None) -> Array:
    """Build a Toeplitz matrix, whose diagonals are constant.

    Args:
        c: the first column.
        r: the first row, whose first element is ignored; by default the conjugate of `c`.
    Returns:
        a matrix of shape `(len(c), len(r))`.
    Raises:
        ShapeError: `c` or `r` is not a vector.

    >>> from covector.scipy import linalg
    >>> linalg.toeplitz([1.0, 2.0, 3.0], [1.0, 4.0])
    array([[1., 4.],
           [2., 1.],
           [3., 2.]])
    """
    c = floating(c)
    r = conjugate(c) if r is None else floating(r)
    if c.ndim != 1 or r.ndim != 1:
        raise ShapeError(f"toeplitz needs vectors, but got shapes {tuple(c.shape)} and {tuple(r.shape)}; use vmap for "
                         f"stacks of them{at_user_line()}")
    n, m = c.shape[0], r.shape[0]
    places = constant(np.arange(n)[:, None] - np.arange(m)[None, :] + max(m - 1, 0), c)
    return joined(r[1:][::-1], c, axis=0)[places]
