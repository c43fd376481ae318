"""NumPy's linear algebra under the names and arguments of `scipy.linalg`."""

from typing import Any

import numpy as np

from ...core.checks import one_of, refuse_arguments
from ...core.errors import SquareError, at_user_line
from ...core.ops.linalg.guards import of_triangle
from ...core.ops.scipy import lu as rows
from ...core.trace.device import constant
from ...numpy import astype, expand_dims, linalg, matmul, swapaxes, tril, triu
from ...numpy.surface import Array, floating
from .triangular import cho_solve, cholesky, solve_triangular

_GENERAL = (None, "gen", "general")
_HERMITIAN = ("sym", "symmetric", "her", "hermitian")
_POSITIVE = ("pos", "positive definite")
_TRIANGULAR = ("lower triangular", "upper triangular")
_DIAGONALS = {"diagonal": 0, "tridiagonal": 1}  # how many beside the main one are read


def solve(
    a: Array, b: Array, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: str | None = None, transposed: bool = False,
) -> Array:
    """Solve `a @ x = b`.

    Args:
        a: `(…, n, n)`.
        b: `(n,)` or `(…, n, k)`.
        lower: which triangle is read of a matrix that is assumed to be symmetric, Hermitian or positive definite.
        assume_a: "gen", the default; "sym", "her" or "pos" for a symmetric, Hermitian or positive definite matrix, of
            which one triangle is read; "lower triangular" or "upper triangular"; "diagonal" or "tridiagonal", of which
            no other diagonals are read; "banded". Or SciPy's longer names of these.
        transposed: whether to solve with the transpose of `a`.
        overwrite_a, overwrite_b, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `b`.
    Raises:
        ValueError: `assume_a` is none of these.
        LinAlgError: `a` is singular, or not positive definite.

    >>> import numpy as np, covector
    >>> from covector.scipy import linalg
    >>> a = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> linalg.solve(a, np.array([2.0, 5.0]), assume_a="pos")
    array([0., 1.])
    >>> covector.grad(lambda b: linalg.solve(a, b).sum())(np.ones(2))
    array([0.1875, 0.125 ])
    """
    a, b = floating(a), floating(b)
    kind = one_of(assume_a, "assume_a of solve", (
        *_GENERAL, *_HERMITIAN, *_POSITIVE, *_TRIANGULAR, *_DIAGONALS, "banded"))
    if kind in _TRIANGULAR:
        return solve_triangular(a, b, 1 if transposed else 0, kind == "lower triangular")
    if kind in _DIAGONALS:
        a = triu(tril(a, _DIAGONALS[kind]), -_DIAGONALS[kind])
    if kind in _POSITIVE:
        factor = cholesky(a, lower)
        return cho_solve((factor.conj() if transposed else factor, lower), b)
    if kind in _HERMITIAN[:2] and a.dtype.kind == "c":
        half = tril(a) if lower else triu(a)
        a = half + swapaxes(tril(half, -1) + triu(half, 1), -1, -2)
    elif kind in _HERMITIAN:
        a = of_triangle(a, not lower)
    return linalg.solve(swapaxes(a, -1, -2) if transposed else a, b)


def inv(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Compute the inverse of a matrix.

    Args:
        a: `(…, n, n)`.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of the shape of `a`.
    Raises:
        LinAlgError: `a` is singular.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.inv(np.array([[1.0, 2.0], [0.0, 4.0]]))
    array([[ 1.  , -0.5 ],
           [ 0.  ,  0.25]])
    """
    return linalg.inv(floating(a))


def det(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Compute the determinant of a matrix.

    Args:
        a: `(…, n, n)`.
        overwrite_a, check_finite: accepted for compatibility with SciPy; nothing is overwritten.
    Returns:
        an array of shape `(…)`.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> float(linalg.det(np.array([[1.0, 2.0], [0.0, 4.0]])))
    4.0
    """
    return linalg.det(floating(a))


def norm(a: Array, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Array:
    """Compute a norm of vectors or matrices.

    Args:
        a, ord, axis, keepdims: as in `numpy.linalg.norm`.
        check_finite: accepted for compatibility with SciPy.
    Returns:
        the norms.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> float(linalg.norm(np.array([3.0, 4.0])))
    5.0
    """
    return linalg.norm(floating(a), ord, axis, keepdims)


def eigh(
    a: Array, b: Array | None = None, *, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, type: int = 1, check_finite: bool = True, subset_by_index: Any = None,
    subset_by_value: Any = None, driver: Any = None,
) -> Any:
    """Compute eigenvalues and eigenvectors of a Hermitian matrix, `a @ v = w * b @ v`.

    Args:
        a: `(…, n, n)`, of which one triangle is read.
        b: a Hermitian positive definite matrix like `a`; the identity by default.
        lower: which triangle is read.
        eigvals_only: whether to return the eigenvalues alone.
        type: 1; the other types of SciPy are not supported, nor are `subset_by_index` and `subset_by_value`.
        overwrite_a, overwrite_b, check_finite, driver: accepted for compatibility with SciPy.
    Returns:
        `(w, v)`: eigenvalues `(…, n)` in ascending order, and eigenvectors in columns, with `vᴴ @ b @ v = 1`.
    Raises:
        LinAlgError: `b` is not positive definite, or the derivative of vectors of a repeated value is requested.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> a, b = np.array([[3.0, 0.0], [0.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 4.0]])
    >>> linalg.eigh(a, b, eigvals_only=True)
    array([0.5, 3. ])
    """
    refuse_arguments("eigh", subset_by_index=subset_by_index, subset_by_value=subset_by_value)
    one_of(type, "type of eigh", (1,))
    a, side = floating(a), "L" if lower else "U"
    if b is None:
        return linalg.eigvalsh(a, side) if eigvals_only else linalg.eigh(a, side)
    factor = cholesky(b, lower=True) if lower else swapaxes(cholesky(b), -1, -2).conj()
    left = solve_triangular(factor, of_triangle(a, not lower), lower=True)
    reduced = swapaxes(solve_triangular(factor, swapaxes(left, -1, -2).conj(), lower=True), -1, -2).conj()
    if eigvals_only:
        return linalg.eigvalsh(reduced)
    w, v = linalg.eigh(reduced)
    return w, solve_triangular(factor, v, 2, lower=True)


def eigvalsh(a: Array, b: Array | None = None, *, lower: bool = True, check_finite: bool = True) -> Array:
    """Compute the eigenvalues of a Hermitian matrix.

    Args:
        a, b, lower: as in `eigh`.
        check_finite: accepted for compatibility with SciPy.
    Returns:
        an array `(…, n)`, in ascending order.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.eigvalsh(np.array([[2.0, 1.0], [1.0, 2.0]]))
    array([1., 3.])
    """
    return eigh(a, b, lower=lower, eigvals_only=True)


def svd(
    a: Array, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False,
    check_finite: bool = True, lapack_driver: str = "gesdd",
) -> Any:
    """Compute the singular value decomposition `a = (u * s) @ vh`.

    Args:
        a, full_matrices, compute_uv: as in `numpy.linalg.svd`.
        overwrite_a, check_finite, lapack_driver: accepted for compatibility with SciPy.
    Returns:
        `(u, s, vh)`, or `s` alone.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.svd(np.array([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False)
    array([3., 2.])
    """
    out = linalg.svd(floating(a), full_matrices, compute_uv)
    return tuple(out) if compute_uv else out


def svdvals(a: Array, overwrite_a: bool = False, check_finite: bool = True) -> Array:
    """Compute the singular values of a matrix.

    Args:
        a: `(…, m, n)`.
        overwrite_a, check_finite: accepted for compatibility with SciPy.
    Returns:
        an array `(…, min(m, n))`, in descending order.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.svdvals(np.array([[3.0, 0.0], [0.0, 2.0]]))
    array([3., 2.])
    """
    return linalg.svdvals(floating(a))


def qr(
    a: Array, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Array, ...]:
    """Compute the QR decomposition `a = q @ r`.

    Args:
        a: `(…, m, n)`.
        mode: "full" for `q` of shape `(…, m, m)`, "economic" for `(…, m, min(m, n))`, or "r" for `r` alone.
        pivoting: not supported.
        overwrite_a, lwork, check_finite: accepted for compatibility with SciPy.
    Returns:
        `(q, r)`, or `(r,)`.
    Raises:
        TypeError: `pivoting` is asked for.
        ValueError: `mode` is none of these.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> q, r = linalg.qr(np.array([[3.0], [4.0]]), mode="economic")
    >>> np.allclose(q @ r, [[3.0], [4.0]]), q.shape
    (True, (2, 1))
    """
    refuse_arguments("qr", pivoting=pivoting or None)
    mode = one_of(mode, "mode of qr", ("full", "economic", "r"))
    q, r = linalg.qr(floating(a), "reduced" if mode == "economic" else "complete")
    return (r,) if mode == "r" else (q, r)


def lu(
    a: Array, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False,
) -> tuple[Array, ...]:
    """Compute the LU decomposition `a = p @ l @ u` of a square matrix, with exchanges of rows.

    Args:
        a: `(…, n, n)`; the derivative exists where it is invertible.
        permute_l: whether to return `(p @ l, u)`.
        p_indices: whether to return, in place of `p`, integers with `a = l[p] @ u`.
        overwrite_a, check_finite: accepted for compatibility with SciPy.
    Returns:
        `(p, l, u)`, where `l` has ones on the diagonal.
    Raises:
        SquareError: the matrices are not square; SciPy's are.
        LinAlgError: the derivative of the factors of a singular matrix is requested.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.lu(np.array([[1.0, 2.0], [4.0, 4.0]]), permute_l=True)
    (array([[0.25, 1.  ],
           [1.  , 0.  ]]), array([[4., 4.],
           [0., 1.]]))
    """
    a = floating(a)
    n = a.shape[-1] if a.ndim else 0
    if a.ndim < 2 or a.shape[-2] != n:
        raise SquareError(f"lu needs square matrices, but got shape {tuple(a.shape)}; use qr for others"
                          f"{at_user_line()}")
    both = rows.lu_factor(a)
    packed, pivots = both[..., :-1, :], rows.pivots_of(both)
    one = constant(np.eye(n, dtype=packed.dtype), packed)
    lower, upper = tril(packed, -1) + one, triu(packed)
    order = rows.row_order(pivots, True)
    if p_indices and not permute_l:
        return astype(order, "i4"), lower, upper
    exchanges = astype(expand_dims(order, -1) == constant(np.arange(n), packed), packed.real.dtype)
    return (matmul(exchanges, lower), upper) if permute_l else (exchanges, lower, upper)


def pinv(
    a: Array, *, atol: float | None = None, rtol: float | None = None, return_rank: bool = False,
    check_finite: bool = True,
) -> Any:
    """Compute the pseudo-inverse of a matrix.

    Args:
        a: `(…, m, n)`.
        rtol: relative to the largest one, the singular values that count as 0; `max(m, n)` units of rounding by
            default.
        return_rank: whether to return the rank, too.
        atol: not supported.
        check_finite: accepted for compatibility with SciPy.
    Returns:
        an array `(…, n, m)`, or `(array, rank)`.
    Raises:
        TypeError: `atol` is given.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.pinv(np.array([[2.0, 0.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    refuse_arguments("pinv", "give rtol=", atol=atol)
    a = floating(a)
    out = linalg.pinv(a) if rtol is None else linalg.pinv(a, rtol)
    return (out, linalg.matrix_rank(a, rtol=rtol)) if return_rank else out


def lstsq(
    a: Array, b: Array, cond: float | None = None, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, lapack_driver: str | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Find the `x` for which `a @ x` is closest to `b`.

    Args:
        a: `(m, n)`.
        b: `(m,)` or `(m, k)`.
        cond: relative to the largest one, the singular values that count as 0; one unit of rounding by default.
        overwrite_a, overwrite_b, check_finite, lapack_driver: accepted for compatibility with SciPy.
    Returns:
        `(x, residues, rank, s)`: squared distances, empty where `a` has not full rank or `m <= n`; the rank; and the
        singular values.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.lstsq(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]))[:2]
    (array([2.]), array(2.))
    """
    a, b = floating(a), floating(b)
    x, rest, rank, s = linalg.lstsq(a, b, float(np.finfo(a.dtype).eps) if cond is None else cond)
    return x, rest.reshape(()) if b.ndim == 1 and rest.shape == (1,) else rest, rank, s
