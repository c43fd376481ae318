"""Functions of matrices: the square root and the logarithm."""

import warnings

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype
from ...errors import at_user_line
from ...primitive.families import primitive
from ..linalg.decompositions import adjoint, check_square, make_matrices
from ..linalg.guards import regular
from ..samples import Sample
from ..shaping import concatenate
from .equations import sylvester
from .library import linalg, stacked


def _shape(name):
    def shape(a):
        check_square(a, name)
        return make_aval(a.shape, float_dtype(a.dtype))

    return shape


def _real(name, a, found):
    """The value of SciPy, which for a real matrix is complex where an eigenvalue is negative.

    The trace tells: roots and logarithms of other eigenvalues are real, or come in conjugate pairs; those of negative
    ones lie in the upper half plane.
    """
    if found.dtype.kind != "c" or a.dtype.kind == "c":
        return found
    turned = float(np.trace(found).imag)
    if abs(turned) > 1e-3 * (np.pi if name == "logm" else float(np.abs(found).max())):
        raise np.linalg.LinAlgError(
            f"{name} of this real matrix is complex, for it has an eigenvalue on the negative axis, and the dtype was "
            f"fixed before (by jit, vmap or a stack); give complex matrices: a.astype(complex){at_user_line()}")
    return found.real


def _run_sqrtm(xp, a):
    return stacked(xp, "sqrtm", lambda a: _real("sqrtm", a, linalg.sqrtm(a)), a.shape[-2:], a)


def _run_logm(xp, a, aside):
    def run(a):
        wide = a.astype(np.result_type(a.dtype, np.float64))  # as SciPy, which warns of rounding in single precision
        if not aside:
            return _real("logm", a, linalg.logm(wide))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            return _real("logm", a, linalg.logm(wide))

    return stacked(xp, "logm", run, a.shape[-2:], a)


_ABOUT = "the square root of a matrix has a derivative only where it is invertible"


def _root(x):
    return regular(x, False, _ABOUT, "add a multiple of the identity")


def _sqrtm_jvp(da, ans):
    """Higham (2008), Functions of Matrices, section 6.1: from X² = A follows X dX + dX X = dA."""
    x = _root(ans)
    return sylvester(x, x, da)


def _sqrtm_vjp(ct, ans):
    x = adjoint(_root(ans))
    return sylvester(x, x, ct)


sqrtm = primitive(
    "sqrtm",  # the principal square root; a real matrix has a real one, or is refused
    impl=lambda xp, a: _run_sqrtm(xp, a),
    shape=_shape("sqrtm"),
    jvp={"a": _sqrtm_jvp},
    vjp={"a": _sqrtm_vjp},
    batch=lambda a: sqrtm(a),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
    absent={"()": "its operand is a matrix"},
)


def _along(a, da):
    """The derivative of the logarithm at A along E: the corner of log [[A, E], [0, A]], Higham (2008), theorem 3.6."""
    n = a.shape[-1]
    upper = concatenate(a, da, axis=a.ndim - 1)
    lower = concatenate(a * 0.0, a, axis=a.ndim - 1)
    return logm(concatenate(upper, lower, axis=a.ndim - 2), True)[..., :n, n:]


logm = primitive(
    "logm",  # the principal logarithm; a real matrix has a real one, or is refused; aside: without SciPy's warning
    impl=lambda xp, a, *, aside=False: _run_logm(xp, a, aside),
    shape=_shape("logm"),
    jvp={"a": lambda da, a: _along(a, da)},
    vjp={"a": lambda ct, a: _along(adjoint(a), ct)},  # Higham (2008), section 3.2: the adjoint is that at Aᴴ
    batch=lambda a, aside: logm(a, aside),
    samples=lambda rng: [Sample(a, tol=1e-5) for a in make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)],
    absent={"()": "its operand is a matrix"},
)
