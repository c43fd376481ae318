"""Square roots and logarithms of matrices."""

from collections.abc import Callable
from typing import Any

from ...core.checks import refuse_arguments
from ...core.ops.scipy import functions
from ...numpy.surface import Array, floating


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
