"""Plain `scipy.sparse` matrices beside traced values: `A @ t`, `t @ A` and what is refused."""

from ..errors import RuleError, ShapeError, at_user_line
from ..lazy import LazyModule
from ..ops.shaping import reshape, transpose
from ..trace.tracer import Tracer

PATTERNS = LazyModule("covector.core.ops.sparse.patterns")
PRODUCTS = LazyModule("covector.core.ops.sparse.products")


def values_and_pattern(a):
    """The values of a `scipy.sparse` array or matrix row by row, and their pattern."""
    if len(a.shape) != 2:
        raise ShapeError(f"a sparse array of shape {a.shape} met traced values, and matrices alone are taken; reshape "
                         f"it to two axes{at_user_line()}")
    a = a.tocsr()
    return a.data, PATTERNS.SparsePattern(a.indptr, a.indices, a.shape)


def product(data, pattern, x, turned=False):
    """The matrix, or its transpose where `turned`, times a vector or a matrix."""
    n = pattern.shape[0 if turned else 1]
    if x.ndim not in (1, 2) or x.shape[0] != n:
        raise ShapeError(f"a product of a sparse matrix of shape {pattern.shape[::-1] if turned else pattern.shape} "
                         f"needs a vector ({n},) or a matrix ({n}, k), but got shape {tuple(x.shape)}; reshape it, or "
                         f"map over further axes with vmap{at_user_line()}")
    if x.ndim == 2:
        return PRODUCTS.sparse_matmul(data, x, pattern, turned)
    return reshape(PRODUCTS.sparse_matmul(data, reshape(x, (n, 1)), pattern, turned), (pattern.shape[int(turned)],))


def _operation(prim, operands):
    """The result of an operation between a `scipy.sparse` matrix and a traced value."""
    matrix_product = prim.name == "matmul" or prim.name == "multiply" and any(
        hasattr(x, "getH") for x in operands if not isinstance(x, Tracer))  # * of scipy.sparse matrices, not of arrays
    if matrix_product and len(operands) == 2:
        x, y = operands
        if isinstance(y, Tracer):
            return product(*values_and_pattern(x), y)
        if isinstance(x, Tracer):
            data, pattern = values_and_pattern(y)
            turned = x if x.ndim == 1 else transpose(x, (1, 0)) if x.ndim == 2 else x
            out = product(data, pattern, turned, True)
            return out if x.ndim == 1 else transpose(out, (1, 0))
    kind = next(type(x).__name__ for x in operands if hasattr(type(x), "tocsr"))
    raise RuleError(f"{prim.name} of a scipy.sparse {kind} and a traced value is not defined here: products A @ t and "
                    f"t @ A are; use A.toarray(), or a sparse array with traced values, "
                    f"covector.scipy.sparse.csr_array(A){at_user_line()}")


Tracer.beside_sparse = staticmethod(_operation)
