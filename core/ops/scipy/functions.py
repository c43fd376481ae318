"""Functions of matrices: the square root and the logarithm."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import complex_dtype, float_dtype, result_dtype
from ...errors import at_user_line
from ...primitive.broadcasting import broadcast_shape
from ...primitive.families import primitive
from ...tape.unbroadcast import conj
from ..linalg.decompositions import adjoint, check_square, make_matrices
from ..linalg.guards import regular
from ..samples import Sample
from ..shaping import concatenate, pad
from .equations import sylvester
from .library import aligned, linalg, stacked, without_warnings


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


def _root_of(a, aside):
    with without_warnings(aside):
        return linalg.sqrtm(a)


def _log(a, aside):
    with without_warnings(aside):
        return linalg.logm(a.astype(np.result_type(a.dtype, np.float64)))  # as SciPy, which warns in single precision


_ABOUT = "the square root of a matrix has a derivative only where it is invertible"


def _root(x):
    return regular(x, False, _ABOUT, "add a multiple of the identity")


def _invertible(a):
    return regular(a, False, "the logarithm of a matrix exists only where it is invertible", "use another one")


def _sqrtm_jvp(da, ans):
    """Higham (2008), Functions of Matrices, section 6.1: from X² = A follows X dX + dX X = dA."""
    x = _root(ans)
    return sylvester(x, x, da)


def _sqrtm_vjp(ct, ans):
    x = adjoint(_root(ans))
    return sylvester(x, x, ct)


def _negative(rng, eigenvalues):
    """Real matrices with negative eigenvalues, of which real ones lie on the cut."""
    a = 0.1 * rng.normal(size=(len(eigenvalues),) * 2) + np.diag(eigenvalues)
    return [Sample(a, params={"wide": True, "aside": True}, tol=1e-5),
            Sample(a.astype("f4"), params={"wide": True, "aside": True})]


def _samples(rng, shapes=((3, 3), (2, 2, 2), (1, 1), (0, 2, 2)), eigenvalues=(2.0, -1.0, -3.0)):
    found = make_matrices(*shapes)(rng)
    return [Sample(a, params={"wide": False, "aside": True}, tol=1e-5) for a in found] + _negative(rng, eigenvalues)


sqrtm = primitive(
    # wide: complex for a real matrix, which is otherwise refused a complex root; aside: without SciPy's warnings
    "sqrtm",
    host=True,
    impl=lambda xp, a, *, wide, aside=False: _run(xp, "sqrtm", lambda a: _root_of(a, aside), a, wide),
    shape=_shape("sqrtm"),
    jvp={"a": _sqrtm_jvp},
    vjp={"a": _sqrtm_vjp},
    batch=lambda a, wide, aside: sqrtm(a, wide, aside),
    blocks=2,
    samples=_samples,
    absent={"()": "its operand is a matrix"},
)
logm = primitive(
    "logm",  # the principal logarithm; wide, aside: as for sqrtm
    host=True,
    impl=lambda xp, a, *, wide, aside=False: _run(xp, "logm", lambda a: _log(a, aside), a, wide),
    shape=_shape("logm"),
    jvp={"a": lambda da, a, wide: logm_along(_invertible(a), da, wide)},
    vjp={"a": lambda ct, a, wide: _adjoint_along(_invertible(a), ct, wide)},
    batch=lambda a, wide, aside: logm(a, wide, aside),
    blocks=2,
    samples=_samples,
    absent={"()": "its operand is a matrix"},
)


def _turn(a):
    """An angle that takes negative eigenvalues off the cut, and no other across it.

    In [[A, E], [0, A]] they are repeated, and rounding would split them into pairs on both sides of it; so those of A
    are asked, of the innermost one.
    """
    n = len(a) // 2
    while n and 2 * n == len(a) and np.array_equal(a[:n, :n], a[n:, n:]) and not (a[n:, :n].any() and a[:n, n:].any()):
        a, n = a[:n, :n], n // 2
    angles = np.pi - np.abs(np.angle(np.linalg.eigvals(a)))
    on_cut = angles < 1e-8
    return 0.5 * float(min(angles[~on_cut], default=np.pi)) if on_cut.any() else 0.0


def _corner(a, e, wide):
    n = len(a)
    dtype = np.result_type(a.dtype, np.float64)
    block = np.block([[a, e], [np.zeros_like(a), a]]).astype(dtype)
    if not np.isfinite(block).all():
        raise np.linalg.LinAlgError(f"the derivative of a matrix logarithm was requested at, or along, values that are "
                                    f"not finite; see where they come from{at_user_line()}")
    turn = _turn(a) if wide and dtype.kind != "c" else 0.0
    try:
        with without_warnings(True):
            found = linalg.logm(block * np.exp(-1j * turn) if turn else block)
    except ValueError as error:  # a singular matrix, of which SciPy makes values that are not finite
        raise np.linalg.LinAlgError(f"the derivative of a matrix logarithm was requested at a singular matrix ({error})"
                                    f"; use an invertible one{at_user_line()}") from error
    return _chosen("logm", a, found, wide)[:n, n:]


def _along_shape(a, e, wide):
    check_square(a, "logm")
    lead = broadcast_shape("logm", [a.shape[:-2], e.shape[:-2]])
    dtype = float_dtype(result_dtype(a, e))
    return make_aval((*lead, *a.shape[-2:]), complex_dtype(dtype) if wide else dtype)


def _run_along(xp, a, e, wide):
    dtype = float_dtype(result_dtype(a, e))
    return stacked(xp, "logm", lambda a, e: _corner(a, e, wide), a.shape[-2:], a, e,
                   dtype=complex_dtype(dtype) if wide else dtype)


def _block(a, e):
    """[[A, E], [0, A]]."""
    a, e = a + 0.0 * e, e + 0.0 * a
    return concatenate(concatenate(a, e, axis=a.ndim - 1), concatenate(0.0 * a, a, axis=a.ndim - 1), axis=a.ndim - 2)


def _twice(x):
    """[[X, 0], [0, X]]."""
    return _block(x, 0.0 * x)


def _adjoint_along(a, ct, wide):
    """Higham (2008), section 3.2: the adjoint is the derivative at Aᴴ, of conj(log(conj(A))).

    That is the logarithm again, but for real matrices with eigenvalues on the cut.
    """
    up = adjoint(a)
    if not wide or a.dtype.kind == "c":
        return logm_along(up, ct, wide)
    return conj(logm_along(up, ct.real, True)) + 1j * conj(logm_along(up, ct.imag, True))


def _jvp_a(da, a, e, wide):
    """The second derivative is symmetric: that of the derivative along E, along dA, is one at [[A, E], [0, A]]."""
    n = a.shape[-1]
    return logm_along(_block(a, e), _twice(da), wide)[..., :n, n:]


def _vjp_a(ct, a, e, wide):
    n = a.shape[-1]
    corner = pad(ct, ((0, 0),) * (ct.ndim - 2) + ((0, n), (n, 0)))
    w = _adjoint_along(_block(a, e), corner, wide)
    return w[..., :n, :n] + w[..., n:, n:]


def _along_samples(rng):
    out = []  # few: a second derivative takes logarithms of matrices four times as large
    for sample in _samples(rng, ((3, 3), (2, 1, 1), (0, 2, 2)), (2.0, -1.0)):
        a = sample.operands[0]
        e = rng.normal(size=a.shape) + (1j * rng.normal(size=a.shape) if a.dtype.kind == "c" else 0.0)
        out.append(Sample(a, e.astype(a.dtype), params={"wide": sample.params["wide"]}, tol=1e-5))
    return out


logm_along = primitive(
    # The derivative of the logarithm at a along e, linear in e: the corner of log [[A, E], [0, A]], Higham (2008), 3.6.
    "logm_along",
    host=True,
    impl=lambda xp, a, e, *, wide: _run_along(xp, a, e, wide),
    shape=_along_shape,
    jvp={"a": _jvp_a, "e": lambda de, a, wide: logm_along(a, de, wide)},
    vjp={"a": _vjp_a, "e": lambda ct, a, wide: _adjoint_along(a, ct, wide)},
    linear=("e",),
    batch=lambda a, e, wide, batched: logm_along(*aligned((a, e), batched), wide),
    blocks=2,
    samples=_along_samples,
    absent={"()": "its operands are matrices"},
)
