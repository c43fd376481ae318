"""autograd.numpy.linalg: linear algebra of traced values."""

import numpy as _np
import numpy.linalg as _linalg

from .... import numpy as _cnp
from ....extend import Tracer as _Tracer
from .._impl.missing import refusing as _refusing
from .._impl.wrapping import adapted as _adapted, wrap_namespace as _wrap_namespace

_wrap_namespace(_linalg.__dict__, globals(), _cnp.linalg)


def _of_triangle(decomposition):
    """As autograd has it: a function of the triangle that is read, in which the gradient lies."""

    def fun(a, UPLO="L"):  # noqa: N803 - NumPy's name
        if not isinstance(a, _Tracer):
            a = _cnp.asarray(a)
        if UPLO == "L":
            half = _cnp.tril(a, -1)
        else:
            half = _cnp.triu(a, 1)
        main = _cnp.real(_cnp.diagonal(a, 0, -2, -1))
        turned = _cnp.conj(_cnp.swapaxes(half, -1, -2))
        return decomposition(half + turned + _cnp.expand_dims(main, -1) * _np.eye(_np.shape(a)[-1]), UPLO)

    return fun


eigh = _adapted(_linalg.eigh, _of_triangle(_cnp.linalg.eigh))
eigvalsh = _adapted(_linalg.eigvalsh, _of_triangle(_cnp.linalg.eigvalsh))


def T(x):
    """The transpose of matrices, along the last two axes."""
    return _cnp.swapaxes(x, -1, -2)


def add2d(x):
    """`x` with two axes of length 1 at the end."""
    return _cnp.reshape(x, (*_np.shape(x), 1, 1))


def _dot(a, b):
    return _cnp.matmul(a, b)

_refusing("numpy.linalg")
