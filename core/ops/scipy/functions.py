"""Functions of matrices: the square root and the logarithm."""

import warnings

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import complex_dtype, float_dtype
from ...errors import at_user_line
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..linalg.decompositions import adjoint, check_square, make_matrices
from ..linalg.guards import regular
from ..samples import Sample
from ..shaping import concatenate
from .equations import sylvester
from .library import linalg, stacked


def _shape(name):
    def shape(a, wide):
        check_square(a, name)
        dtype = float_dtype(a.dtype)
        return make_aval(a.shape, complex_dtype(dtype) if wide else dtype)

    return shape


class ComplexValueError(np.linalg.LinAlgError):
    """A function of a real matrix has a complex value."""


def _chosen(name, a, found, wide):
    """The value of SciPy, which for a real matrix is complex where an eigenvalue is negative.

    The trace tells: roots and logarithms of other eigenvalues are real, or come in conjugate pairs; those of negative
    ones lie in the upper half plane.
    """
    if wide or found.dtype.kind != "c" or a.dtype.kind == "c":
        return found
    turned = float(np.trace(found).imag)
    if abs(turned) > 1e-3 * (np.pi if name == "logm" else float(np.abs(found).max())):
        raise ComplexValueError(
            f"{name} of this real matrix is complex, for it has an eigenvalue on the negative axis, and the dtype was "
            f"fixed before (by jit, vmap or a stack); give complex matrices: a.astype(complex){at_user_line()}")
    return found.real


def _run(xp, name, fun, a, wide):
    dtype = float_dtype(a.dtype)
    return stacked(xp, name, lambda a: _chosen(name, a, fun(a), wide), a.shape[-2:], a,
                   dtype=complex_dtype(dtype) if wide else dtype)


def _log(a, aside, wide):
    a = a.astype(np.result_type(a.dtype, np.float64))  # as SciPy, which warns of rounding in single precision
    if not aside:
        return linalg.logm(a)
    turn = _turn(a) if wide and a.dtype.kind != "c" else 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return linalg.logm(a) if not turn else linalg.logm(a * np.exp(-1j * turn)) + 1j * turn * np.eye(len(a))


def _turn(a):
    """An angle that takes negative eigenvalues off the cut, and no other across it.

    In [[A, E], [0, A]] they are repeated, and rounding would split them into pairs on both sides of it.
    """
    angles = np.pi - np.abs(np.angle(np.linalg.eigvals(a)))
    on_cut = angles < 1e-5
    return 0.5 * float(min(angles[~on_cut], default=np.pi)) if on_cut.any() else 0.0


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


def _negative(rng):
    """Real matrices with negative eigenvalues, of which real ones lie on the cut."""
    a = 0.1 * rng.normal(size=(3, 3)) + np.diag([2.0, -1.0, -3.0])
    return [Sample(a, params={"wide": True}, tol=1e-5), Sample(a.astype("f4"), params={"wide": True})]


def _samples(rng):
    found = make_matrices((3, 3), (2, 2, 2), (1, 1), (0, 2, 2))(rng)
    return [Sample(a, params={"wide": False}, tol=1e-5) for a in found] + _negative(rng)


sqrtm = primitive(
    "sqrtm",  # the principal square root; wide: complex for a real matrix, which is otherwise refused a complex root
    impl=lambda xp, a, *, wide: _run(xp, "sqrtm", linalg.sqrtm, a, wide),
    shape=_shape("sqrtm"),
    jvp={"a": _sqrtm_jvp},
    vjp={"a": _sqrtm_vjp},
    batch=lambda a, wide: sqrtm(a, wide),
    samples=_samples,
    absent={"()": "its operand is a matrix"},
)


def _along(a, da, wide):
    """The derivative of the logarithm at A along E: the corner of log [[A, E], [0, A]], Higham (2008), theorem 3.6."""
    n = a.shape[-1]
    upper = concatenate(a, da, axis=a.ndim - 1)
    lower = concatenate(a * 0.0, a, axis=a.ndim - 1)
    return logm(concatenate(upper, lower, axis=a.ndim - 2), wide, True)[..., :n, n:]


def _logm_vjp(ct, a, wide):
    """Higham (2008), section 3.2: the adjoint is the derivative at Aᴴ, of conj(log(conj(A))).

    That is the logarithm again, but for real matrices with eigenvalues on the cut.
    """
    if not wide or a.dtype.kind == "c":
        return _along(adjoint(a), ct, wide)
    up = adjoint(a)
    return conj(_along(up, ct.real, True)) + 1j * conj(_along(up, ct.imag, True))


logm = primitive(
    "logm",  # the principal logarithm; wide: as for sqrtm; aside: without SciPy's warning
    impl=lambda xp, a, *, wide, aside=False: _run(xp, "logm", lambda a: _log(a, aside, wide), a, wide),
    shape=_shape("logm"),
    jvp={"a": lambda da, a, wide: _along(a, da, wide)},
    vjp={"a": _logm_vjp},
    batch=lambda a, wide, aside: logm(a, wide, aside),
    samples=_samples,
    absent={"()": "its operand is a matrix"},
)
