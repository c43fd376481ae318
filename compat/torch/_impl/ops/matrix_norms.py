"""Norms of matrices, with PyTorch's refusals: orders, then axes."""

from ..dispatch.call import ROWS, to
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim

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
