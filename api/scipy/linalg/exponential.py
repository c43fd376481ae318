"""Functions of matrices: exponentials, roots and logarithms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.arrays.dtypes import result_dtype
from ...core.checks import one_of, refuse_arguments
from ...core.errors import ShapeError, at_user_line
from ...core.ops.linalg.products import matmul
from ...core.ops.scipy import functions
from ...core.ops.selection import astype, where
from ...core.trace.device import constant
from ...core.trace.tracer import unwrap
from ...numpy import ceil, clip, linalg, log2
from ...numpy.surface import Array, floating
from ...transforms.interpreters.forward import jvp
from ...transforms.staging.effects import stop_gradient

# Higham (2005), The scaling and squaring method for the matrix exponential revisited, tables 2.3 and 10.4.
_PADE = (64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
         670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1)
_THETA = 5.371920351148152
_MOST = 16  # squarings where the size is not known: enough for norms up to 3e5


def expm(A: Array) -> Array:  # noqa: N803 - SciPy's name
    """Compute the matrix exponential, by scaling and squaring.

    Args:
        A: `(…, n, n)`.
    Returns:
        an array of the shape of `A`. In a graph, where norms are not known, NaN for matrices of norm above 3e5.
    Raises:
        ShapeError: the matrices are not square.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.expm(np.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    a = floating(A)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"expm needs square matrices (…, n, n), but got shape {tuple(a.shape)}; use np.exp for "
                         f"elements{at_user_line()}")
    known = unwrap(a)
    if known is None:
        return _of_unknown_size(a)
    size = float(abs(known).sum(axis=-2).max()) if math.prod(known.shape) else 0.0
    halvings = max(0, math.ceil(math.log2(size / _THETA))) if 0.0 < size < math.inf else 0
    out = _pade(a * 2.0**-halvings)
    for _ in range(halvings):
        out = matmul(out, out)
    return out


def expm_frechet(
    A: Array, E: Array, method: str | None = None, compute_expm: bool = True,  # noqa: N803 - SciPy's names
    check_finite: bool = True,
) -> Any:
    """Compute the matrix exponential and its Fréchet derivative: that of `expm` at `A` along `E`.

    Args:
        A, E: `(…, n, n)`.
        method: None, "SPS" or "blockEnlarge", as in SciPy; the value is the same.
        compute_expm: whether to return the exponential, too.
        check_finite: accepted for compatibility with SciPy.
    Returns:
        `(expm(A), derivative)`, or the derivative alone.
    Raises:
        ShapeError: the matrices are not square, or the shapes of `A` and `E` differ.
        ValueError: `method` is unknown.
    Derivative: scaling and squaring, differentiated; Al-Mohy and Higham (2009), SIAM Journal on Matrix Analysis and
    Applications 30(4), algorithm 6.4.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.expm_frechet(np.zeros((2, 2)), np.array([[0.0, 1.0], [2.0, 0.0]]), compute_expm=False)
    array([[0., 1.],
           [2., 0.]])
    """
    one_of(method, "method of expm_frechet", (None, "SPS", "blockEnlarge"))
    a, e = floating(A), floating(E)
    if a.shape != e.shape:
        raise ShapeError(f"expected A and E to be the same shape, but got {tuple(a.shape)} and {tuple(e.shape)}; give "
                         f"a direction of the shape of A{at_user_line()}")
    dtype = result_dtype(a, e)
    value, along = jvp(expm, (astype(a, dtype),), (astype(e, dtype),))
    return (value, along) if compute_expm else along


def _pade(x: Array) -> Array:
    """The Padé approximant of degree 13."""
    eye = constant(np.eye(x.shape[-1], dtype=x.dtype), x)
    x2 = matmul(x, x)
    x4 = matmul(x2, x2)
    x6 = matmul(x4, x2)
    b = [float(c) for c in _PADE]
    odd = matmul(x, matmul(x6, x6 * b[13] + x4 * b[11] + x2 * b[9]) + x6 * b[7] + x4 * b[5] + x2 * b[3] + eye * b[1])
    even = matmul(x6, x6 * b[12] + x4 * b[10] + x2 * b[8]) + x6 * b[6] + x4 * b[4] + x2 * b[2] + eye * b[0]
    return linalg.solve(even - odd, even + odd)


def _of_unknown_size(a: Array) -> Array:
    """Apply as many squarings as each matrix needs, out of a fixed number that is unrolled."""
    size = stop_gradient(abs(a).sum(axis=-2).max(axis=-1))[..., None, None]
    needed = ceil(log2(clip(size / _THETA, 1.0, None)))
    out = _pade(a * 2.0 ** -clip(needed, 0.0, float(_MOST)))
    for k in range(_MOST):
        more = needed > k
        out = where(more, matmul(out, out), out)
    return where(needed > _MOST, math.nan, out)


# Square roots and logarithms of matrices.


def sqrtm(A: Array, disp: Any = None, blocksize: Any = None) -> Array:  # noqa: N803 - SciPy's name
    """Compute the principal square root of a matrix.

    Args:
        A: `(…, n, n)`. The derivative exists where it is invertible, with no eigenvalue on the negative axis.
        disp, blocksize: not supported; SciPy removes them.
    Returns:
        an array of the shape of `A`; complex if a real matrix has a negative eigenvalue. Where the dtype must be known
        before the values, in graphs, that is refused: give complex matrices.
    Raises:
        SquareError: the matrices are not square.
        LinAlgError: the derivative at a singular matrix is requested; or, under `jit`, a complex root of a real matrix.
    Derivative: the solution of the Sylvester equation `X dX + dX X = dA`, Higham (2008), Functions of Matrices, 6.1.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.sqrtm(np.array([[4.0, 1.0], [0.0, 9.0]]))
    array([[2. , 0.2],
           [0. , 3. ]])
    """
    refuse_arguments("sqrtm", disp=disp, blocksize=blocksize)
    return _of_real_or_complex(functions.sqrtm, floating(A))


def logm(A: Array, disp: Any = None) -> Array:  # noqa: N803 - SciPy's name
    """Compute the principal logarithm of a matrix.

    Args:
        A: `(…, n, n)`, invertible. The derivative exists if no eigenvalue lies on the negative axis.
        disp: not supported; SciPy removes it.
    Returns:
        an array of the shape of `A`; complex if a real matrix has a negative eigenvalue. Where the dtype must be known
        before the values, in graphs, that is refused: give complex matrices. Single precision is kept, where SciPy
        returns float64.
    Raises:
        SquareError: the matrices are not square.
        LinAlgError: under `jit`, a complex logarithm of a real matrix.
    Derivative: the corner of the logarithm of `[[A, dA], [0, A]]`, Higham (2008), Functions of Matrices, theorem 3.6.

    >>> import numpy as np
    >>> from covector.scipy import linalg
    >>> linalg.logm(linalg.expm(np.array([[0.0, 1.0], [0.0, 0.5]]))).round(12) + 0.0
    array([[0. , 1. ],
           [0. , 0.5]])
    """
    refuse_arguments("logm", disp=disp)
    return _of_real_or_complex(functions.logm, floating(A))


def _of_real_or_complex(fun: Callable[..., Array], a: Array) -> Array:
    """`fun`, in complex numbers where the values of a real matrix show that it must be."""
    try:
        return fun(a, False)
    except functions.ComplexValueError:
        return fun(a, True)
