"""The common part of matrix operations: LAPACK's layouts, checks, failures, triangles."""

import numpy as np

from ....._engine import words_of
from .....extend import REGISTRY
from ..dispatch.call import ROWS, operation, to
from ..dispatch.host_ops import primal_of
from ..dispatch.layouts import matrices
from ..dispatch.out_argument import BY_COLUMNS
from ..inplace.lower_errors import LinAlgError
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .operands import times, unread


def lapack(*columns, rows=()):
    """The facts of an operation whose outputs, those at these places, are LAPACK's matrices: their columns lie as one.
    """
    return {"layout": matrices(*columns, rows=rows), "out": BY_COLUMNS}


def _linalg(name, body, **facts):
    """`torch.linalg.name`; `facts` are those of its row."""
    def checked(*args, **named):
        try:
            return body(*args, **named)
        except np.linalg.LinAlgError as error:
            raise LinAlgError(failure(f"linalg.{name}", args[0], error, named.get("upper", False))) from error

    return operation(f"linalg.{name}", method=False, **facts)(checked)


def square(name, a):
    """A matrix that a decomposition takes, or torch's refusal."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} "
                           "matrices")
    if a.dtype.kind not in "fc":
        word = {"int64": "Long", "int32": "Int", "bool": "Bool"}.get(a.dtype.name, a.dtype.name)
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {word}")
    return a


# What iterates, and what it is made of.
ITERATED = {**{name: name for name in "svd eig eigh eigvals eigvalsh".split()},
            **dict.fromkeys(("norm", "matrix_norm", "pinv", "svdvals"), "svd")}


def failure(name, a, error, upper=False):
    """torch's message for a decomposition that failed; `upper` says which triangle of a Hermitian matrix was read."""
    plain = primal_of(a)
    info = 0
    iterated = ITERATED.get(name.rpartition(".")[2])
    if iterated is not None and type(plain) in ARRAYS and not np.isfinite(plain).all():
        return (f"linalg.{iterated}: The algorithm failed to converge because the input matrix contained non-finite "
                "values.")
    if type(plain) in ARRAYS and plain.ndim >= 2 and plain.shape[-1] == plain.shape[-2]:
        plain = np.conj(np.swapaxes(plain, -1, -2)) if upper else plain
        spots = np.atleast_1d(first_failure(plain, "cholesky" in name))
        where = np.flatnonzero(spots)
        batch = f"(Batch element {where[0]}): " if plain.ndim > 2 and where.size else ""
        info = int(spots.ravel()[where[0]]) if where.size else 0
        if "cholesky" in name:
            return (f"{name}: {batch}The factorization could not be completed because the input is not "
                    f"positive-definite (the leading minor of order {info or plain.shape[-1]} is not "
                    "positive-definite).")
        word = "inversion" if "inv" in name else "solve"
        if word == "solve":
            return f"torch.{name}: {batch}The solver failed because the input matrix is singular."
        return (f"{name}: {batch}The diagonal element {info} is zero, the inversion could not be completed because "
                "the input matrix is singular.")
    return f"{name}: {words_of(error)}"


def first_failure(a, positive):
    """For each matrix the order of the first leading minor that is not positive (or the first zero pivot), else 0."""
    lead = a.shape[:-2]
    if positive:
        try:
            whole = not np.isnan(np.linalg.cholesky(a)).any()
        except np.linalg.LinAlgError:
            whole = False
        if whole:
            return np.zeros(lead, np.int32)
    out = np.zeros(lead, np.int32)
    for i in np.ndindex(*lead):
        m = a[i].astype(np.result_type(a.dtype, np.float64))
        m = np.tril(m) + np.conj(np.tril(m, -1)).T if positive else m
        for k in range(len(m)):
            if not positive:
                p = k + int(np.argmax(np.abs(m[k:, k])))
                m[[k, p]] = m[[p, k]]
            pivot = m[k, k]
            if not pivot.real > 0 if positive else pivot == 0:
                out[i] = k + 1
                break
            m[k + 1 :, k:] -= np.outer(m[k + 1 :, k] / pivot, m[k, k:])
    return out


def cholesky_so_far(a):
    """The lower triangle that LAPACK's `potf2` leaves on failure: columns of the factor up to the first leading minor
    that is not positive, then its pivot, then the matrix as it was."""
    out = np.tril(a)
    for i in np.ndindex(*a.shape[:-2]):
        m = out[i]
        for k in range(len(m)):
            pivot = m[k, k].real - np.vdot(m[k, :k], m[k, :k]).real
            if not pivot > 0:
                m[k, k] = pivot
                break
            m[k, k] = np.sqrt(pivot)
            m[k + 1 :, k] = (m[k + 1 :, k] - m[k + 1 :, :k] @ m[k, :k].conj()) / m[k, k]
    return out


def adjoint(x):
    """The conjugate transpose of matrices."""
    x = cnp.swapaxes(x, -1, -2)
    return cnp.conj(x) if x.dtype.kind == "c" else x


def of_triangle(x, upper):
    """The Hermitian matrix of one triangle, as torch reads it; the derivative counts both, as torch's does."""
    plain = primal_of(x)
    if type(plain) in ARRAYS and np.array_equal(plain, np.conj(np.swapaxes(plain, -1, -2))):
        return x
    return REGISTRY["of_triangle"].fun(x, upper)


def blended(input, product, beta, alpha):
    """`beta * input + alpha * product`: integers take the whole part of the factors, and 0 leaves `input` unread."""
    if product.dtype.kind in "biu":
        kind = product.dtype.type if product.dtype.kind == "b" else int
        beta, alpha = kind(beta), kind(alpha)
    out = product if alpha == 1 else times(product, alpha)
    if beta == 0:
        return unread(out, input)
    return out + (input if beta == 1 else times(input, beta))


def expandable(x, lengths):
    """torch's refusals of what does not expand to a shape, whose lengths are those of axes of other operands."""
    shape = tuple([v.shape[wrap_dim(axis, v.ndim)] for v, axis in lengths])
    if x.ndim > len(shape) or any(n not in (1, m) for n, m in zip(x.shape[::-1], shape[::-1])):
        raise RuntimeError(f"a tensor of shape {list(x.shape)} does not expand to that of the product, {list(shape)}")


# Norms of matrices, with PyTorch's refusals: orders, then axes.

_ORDERS = frozenset({"fro", "nuc", 1, 2, -1, -2, float("inf"), -float("inf")})


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):  # noqa: A002
    """Compute a norm of matrices over two axes."""
    if ord not in _ORDERS:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if A.dtype.kind not in "fcV":
        raise RuntimeError("linalg.matrix_norm: Expected a floating point or complex tensor as input. Got "
                           f"{type_word(A.dtype)}")
    if ord in ("nuc", 2, -2) and (A.dtype.kind == "V" or A.dtype.itemsize == 2):
        raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {type_word(A.dtype)}")
    if A.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    axes = tuple(dim) if isinstance(dim, tuple | list) else (dim,)
    if len(axes) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, axes))}")
    axes = tuple([wrap_dim(d, A.ndim) for d in axes])
    if axes[0] == axes[1]:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got {axes}")
    return cnp.linalg.norm(A if dtype is None else to(A, dtype), ord, axis=axes, keepdims=keepdim)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """Compute a norm of vectors or of matrices, as the order and the number of axes say."""
    one = dim is not None and not isinstance(dim, tuple | list)
    if ord is not None and dim is not None and not one and len(dim) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if ord is not None and dim is None and A.ndim not in (1, 2):
        raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
                           f"{A.ndim}D.")
    if isinstance(ord, str) or ord is not None and not one and (A.ndim if dim is None else len(dim)) == 2:
        return matrix_norm(A, ord, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return ROWS["linalg.vector_norm"].body(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)
