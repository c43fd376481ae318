"""Eigenvalues, singular values, and what is computed from them, as in `numpy.linalg`."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ..core.errors import ShapeError, at_user_line
from ..core.numpy_api import methods
from ..core.ops import reductions, selection, shaping
from ..core.ops.indexing.sorting import along
from ..core.ops.linalg import decompositions, products, spectral, svd as _svd
from ..core.ops.linalg.guards import FINITE, INVARIANT, RAISE, cuts, of_triangle
from ..core.trace.tracer import is_concrete, unwrap
from .surface import Array, array_beside, array_of, implements, known

_OF_ONE = np.linalg.eig(np.eye(1))
EigResult = type(_OF_ONE)
_COMPLEX = _OF_ONE[0].dtype.kind == "c"  # always, since NumPy 2.5
EighResult = type(np.linalg.eigh(np.eye(1)))
SVDResult = type(np.linalg.svd(np.eye(1)))

_REPEATED = ContextVar("covector_repeated_values", default=RAISE)


@contextmanager
def repeated_values(policy: str) -> Iterator[None]:
    """Choose how `eigh`, `eig`, `svd` and complete `qr` are differentiated where the vectors are not unique.

    Within the space of a repeated value, eigenvectors and singular vectors have no derivative; neither have the vectors
    that `full_matrices=True` adds, and a complex phase is arbitrary. Values alone are differentiable, and so are
    functions that do not depend on the choice.

    Args:
        policy: "raise", the default: a derivative that depends on the choice raises LinAlgError.
            "invariant-only": also returns gradients of functions that are independent of the choice, such as the
            projector onto all vectors of a repeated value, or symmetric functions of repeated values. It raises if a
            cotangent reveals a dependence: one that rotates vectors within a space, one of a repeated value together
            with vectors, or different cotangents of equal values. Forward mode has no cotangents to check and raises
            as before, as do second derivatives. A repeated value from another call is not detected:
            `v @ diag(f(eigvalsh(a))) @ v.T` depends on the choice, and does not raise.
            "finite": such terms count as 0. This is exact for functions of whole eigenspaces, such as the projector
            onto all vectors of a repeated value, and wrong if the value itself is combined with its vectors, as
            in `v @ diag(f(w)) @ v.T` at a repeated `w`.
    Returns:
        a context manager for the forward pass: operations recorded inside it keep the policy.
    Raises:
        ValueError: the policy is unknown.

    >>> import numpy as np, covector
    >>> def weight(a):
    ...     w, v = np.linalg.eigh(a)
    ...     return np.sum(v[0, 1:] ** 2)  # of the space of the value that is repeated
    >>> with covector.numpy.linalg.repeated_values("finite"):
    ...     covector.grad(weight)(np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.5]])).round(3)
    array([[ 0.5,  0. ,  0. ],
           [ 0. , -0.5,  0. ],
           [ 0. ,  0. ,  0. ]])
    """
    if policy not in (RAISE, INVARIANT, FINITE):
        raise ValueError(f"repeated_values takes the policy {RAISE!r}, {INVARIANT!r} or {FINITE!r}, but got {policy!r}"
                         f"; choose one of them{at_user_line()}")
    previous = _REPEATED.get()
    try:
        _REPEATED.set(policy)
        yield
    finally:
        _REPEATED.set(previous)


def policy_here() -> str:
    """The policy in force here for repeated values."""
    return _REPEATED.get()


def inexact(x: Any) -> Array:
    """`x` as a floating or complex array: integers become float64, as in NumPy."""
    x = array_of(x)
    return x if x.dtype.kind in "fcV" else selection.astype(x, np.float64)


def matrices(x: Any, name: str) -> Array:
    """`x` as floating or complex matrices."""
    x = inexact(x)
    if x.ndim < 2:
        raise ShapeError(f"{name} needs matrices (..., m, n), but got shape {x.shape}; "
                         f"reshape it, or add an axis with a[None]{at_user_line()}")
    return x


def square(x: Any, name: str) -> Array:
    """`x` as floating or complex square matrices."""
    x = inexact(x)
    decompositions.check_square(x, name)
    return x


def hermitian(x: Any, name: str, upper: bool = False) -> Array:
    """The floating or complex Hermitian matrices of one triangle of `x`, which NumPy reads alone."""
    return of_triangle(square(x, name), upper)


@implements(np.linalg.eigh)
def eigh(a: Array, UPLO: str = "L") -> Any:
    """Traced: of one triangle, as NumPy has it; the gradient is Hermitian."""
    upper = _is_upper(UPLO)
    return EighResult(*spectral.eigh(hermitian(a, "eigh", upper), _REPEATED.get(), upper))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: Array, UPLO: str = "L") -> Array:
    return spectral.eigvalsh(hermitian(a, "eigvalsh", _is_upper(UPLO)), _REPEATED.get())


def _is_upper(uplo: str) -> bool:
    if uplo not in ("L", "U", "l", "u"):
        raise ValueError(f"eigh takes UPLO 'L' or 'U', but got {uplo!r}; choose one of them{at_user_line()}")
    return uplo in "Uu"


@implements(np.linalg.eig)
def eig(a: Array) -> Any:
    """Traced: as NumPy's, complex since 2.5; before, under `vmap` and while staging, where it is not known whether all
    eigenvalues are real."""
    a = square(a, "eig")
    w, v = spectral.eig(a, _REPEATED.get())
    return EigResult(w.real, v.real) if _all_real(a, w) else EigResult(w, v)


@implements(np.linalg.eigvals)
def eigvals(a: Array) -> Array:
    a = square(a, "eigvals")
    w = spectral.eigvals(a, _REPEATED.get())
    return w.real if _all_real(a, w) else w


def _all_real(a: Array, w: Array) -> bool:
    """NumPy's rule for the dtype, up to 2.4: eigenvalues of a real matrix are real if all of them are."""
    return not _COMPLEX and a.dtype.kind != "c" and is_concrete(w) and bool((unwrap(w).imag == 0).all())


@implements(np.linalg.svd)
def svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    a = matrices(a, "svd")
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if not compute_uv:
        return _svd.svdvals(a, _REPEATED.get())
    return SVDResult(*_svd.svd(a, bool(full_matrices), _REPEATED.get()))


def _hermitian_svd(a: Array, compute_uv: bool) -> Any:
    """By eigenvalues: s = |w| in descending order, and the sign goes to vh."""
    a = hermitian(a, "svd with hermitian=True")
    if not compute_uv:
        return methods.sort(shaping.absolute(spectral.eigvalsh(a, _REPEATED.get())))[..., ::-1]
    w, u = spectral.eigh(a, _REPEATED.get(), False)
    sign, s = selection.astype(selection.where(w < 0, -1, 1), w.dtype), shaping.absolute(w)
    order = methods.argsort(s)[..., ::-1]
    s, sign, u = [along(x, at, x.ndim - 1) for x, at in ((s, order), (sign, order), (u, order[..., None, :]))]
    return SVDResult(u, s, decompositions.adjoint(u * sign[..., None, :]))


@implements(np.linalg.svdvals)
def svdvals(x: Array, /) -> Array:
    return _svd.svdvals(matrices(x, "svdvals"), _REPEATED.get())


@implements(np.linalg.pinv)
def pinv(a: Array, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Array:
    """Traced: the derivative is that along matrices of the rank found; see Golub and Pereyra (1973)."""
    a = matrices(a, "pinv")
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError(f"`rtol` and `rcond` can't be both set, but got {rtol!r} and {rcond!r}; omit one"
                         f"{at_user_line()}")
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else _precision(a) if rtol is None else rtol
    if hermitian:
        a = decompositions.hermitian(of_triangle(a, False))
    return _pseudo_inverse(a, array_of(rcond))


def _pseudo_inverse(a: Array, rcond: Array) -> Array:
    """By its own rule where only rounding is cut off; else by singular vectors, which tell how the cut turns."""
    if not is_concrete(a) or not is_concrete(rcond) or not cuts(np, known(a, "pinv"), known(rcond, "pinv")):
        return _svd.pinv(a, rcond)
    u, s, vh = _svd.svd(a, False, _REPEATED.get())
    kept = s > rcond[..., None] * s[..., :1]
    inverse = selection.where(kept, 1.0 / selection.where(kept, s, 1.0), 0.0)
    return products.matmul(decompositions.adjoint(vh) * inverse[..., None, :], decompositions.adjoint(u))


def _precision(a: Array) -> float:
    return max(a.shape[-2:]) * float(np.finfo(a.dtype).eps)


@implements(np.linalg.lstsq)
def lstsq(a: Array, b: Array, rcond: Any = None) -> Any:
    """Traced: the solution by the pseudo-inverse. Under `vmap` and while staging, where the rank is not known, the
    residuals that NumPy leaves out, those of rank-deficient matrices, are NaN."""
    a, b = inexact(a), inexact(b)
    a, b = (selection.astype(v, np.result_type(a.dtype, b.dtype)) for v in (a, b))
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError(f"lstsq needs a of shape (m, n) and b of shape (m,) or (m, k), but got {a.shape} "
                                    f"and {b.shape}; reshape b to as many rows{at_user_line()}")
    m, n = a.shape
    s = _svd.svdvals(a, _REPEATED.get())
    limit = _precision(a) if rcond is None else rcond
    if np.ndim(limit):
        raise TypeError(f"lstsq takes one number as rcond, but got {rcond!r}; give a float, or None{at_user_line()}")
    if is_concrete(limit) and not 0 < unwrap(limit) < 1:  # as LAPACK has it
        limit = float(np.finfo(a.dtype).eps)
    rank = selection.astype(reductions.reduce_sum(selection.astype(s > limit * s[:1], np.intp), (0,), False), np.int32)
    x = products.matmul(_pseudo_inverse(a, array_beside(limit, a)), b)
    rest = b - products.matmul(a, x)
    rest = methods.reshape(rest, (m, b.shape[1] if b.ndim == 2 else 1))
    squares = reductions.reduce_sum((rest * shaping.conjugate(rest)).real, (0,), False)
    if m <= n or is_concrete(rank) and unwrap(rank) != n:
        return x, np.zeros(0, squares.dtype), rank, s
    return x, squares if is_concrete(rank) else selection.where(rank == n, squares, np.nan), rank, s


@implements(np.linalg.matrix_rank)
def matrix_rank(A: Array, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """Traced: a constant to derivatives."""
    if rtol is not None and tol is not None:
        raise ValueError(f"`tol` and `rtol` can't be both set, but got {tol!r} and {rtol!r}; omit one"
                         f"{at_user_line()}")
    a = inexact(A)
    if a.ndim < 2:
        return selection.astype(reductions.reduce_any(a != 0, tuple(range(a.ndim)), False), np.intp)
    s = _hermitian_svd(a, False) if hermitian else _svd.svdvals(a, _REPEATED.get())
    if tol is None:
        tol = s[..., :1] * (_precision(a) if rtol is None else array_of(rtol)[..., None])
    else:
        tol = array_of(tol)[..., None]
    return reductions.reduce_sum(selection.astype(s > tol, np.intp), (s.ndim - 1,), False)
