"""Products of sparse tensors with dense and sparse ones."""

import numpy as np

from ..dispatch.call import ROWS
from ..types.tensor_type import TensorBase, wrap
from .coo import groups, keys
from .entries import coalesced, distinct, gathered, laid, shown, summed, values
from .pointwise import refuse_out
from .shaping import transpose
from .sparse_tensor import SparseTensor, sparse_operation, unsupported


def operand(t, name):
    """Refuse an operand that is no matrix of sparse axes."""
    if isinstance(t, SparseTensor) and t.dense_dim():
        raise RuntimeError(f"{name}: expected sparse operands without dense axes, but got {t.sparse_dim()} sparse and "
                           f"{t.dense_dim()} dense axes; call .to_dense() first")


def by_rows(a, b):
    """`a @ b` of a sparse matrix and a dense one."""
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {a.shape[1]}, got {b.shape[0]}")
    c = distinct(a)
    if c.dtype is not b.dtype:
        raise RuntimeError(f"addmm: expected both operands to have one dtype, but got {c.dtype} and {b.dtype}; cast "
                           "one with .to(dtype)")
    rows, columns = c.value.indices
    if not c.value.coalesced and np.any(rows[1:] < rows[:-1]):
        c = coalesced(a)
        rows, columns = c.value.indices
    parts = ROWS["unsqueeze"].fun(values(c), 1) * gathered(b, columns, b.shape[0])
    return summed(parts, rows, a.shape[0])


def sparse_product(a, b):
    """`a @ b` of two sparse matrices, a coalesced one."""
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})")
    x, y = coalesced(a), coalesced(b)
    (rows, middle), (inner, columns) = x.value.indices, y.value.indices
    starts = np.searchsorted(inner, middle, "left")
    counts = np.searchsorted(inner, middle, "right") - starts
    left = np.repeat(np.arange(len(rows)), counts)  # for each product its two factors
    right = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)
    pick = ROWS["index_select"].fun
    entries = pick(values(x), 0, wrap(left)) * pick(values(y), 0, wrap(right))
    places = np.stack((rows[left], columns[right]))
    shape = a.shape[0], b.shape[1]
    order, first, numbers = groups(keys(places, shape))
    out = wrap(np.zeros(len(first), entries.value.dtype))
    total = ROWS["index_add"].fun(out, 0, wrap(numbers), entries)
    return laid(total, places[:, order[first]], shape, True)


@sparse_operation("mm", "sparse.mm", "spmm", "dsmm")
def mm(a, b, *, out=None, name="MmBackward0"):
    """The product of two matrices, one of them sparse, or both."""
    refuse_out("mm", out)
    if a.dim() != 2 or b.dim() != 2:
        raise RuntimeError(f"mm: expected two matrices, but got {a.dim()} and {b.dim()} axes")
    operand(a, "mm")
    operand(b, "mm")
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        return shown(sparse_product(a, b), "SparseSparseMatmulBackward0", [a, b])
    if isinstance(a, SparseTensor):
        product = by_rows(a, b)
    else:
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                               f"{b.shape[0]}x{b.shape[1]})")
        product = ROWS["t"].fun(by_rows(transpose(b, 0, 1), ROWS["t"].fun(a)))
    return shown(product, name, [a, b] if name == "MmBackward0" else [None, a, b])


@sparse_operation("mv")
def mv(a, v, *, out=None):
    """The product of a sparse matrix and a vector."""
    refuse_out("mv", out)
    if not isinstance(a, SparseTensor) or isinstance(v, SparseTensor):
        raise unsupported("mv")
    return shown(ROWS["squeeze"].fun(mm(a, ROWS["unsqueeze"].fun(v, 1)), 1), "MvBackward0", [a, v])


@sparse_operation("matmul", "__matmul__")
def matmul(a, b, *, out=None):
    """The product of matrices and vectors, of which one is sparse, or both."""
    refuse_out("matmul", out)
    if not isinstance(a, TensorBase) or not isinstance(b, TensorBase):
        raise unsupported("matmul")
    if a.dim() == b.dim() == 2:
        return mm(a, b)
    if a.dim() == 2 and b.dim() == 1:
        return mv(a, b)
    if a.dim() == b.dim() == 3:
        return bmm(a, b)
    raise RuntimeError("reshape is not implemented for sparse tensors; matmul takes matrices and vectors where one is "
                       f"sparse, but got {a.dim()} and {b.dim()} axes: call .to_dense() first")


@sparse_operation("bmm")
def bmm(a, b, *, out=None):
    """The products of sparse matrices with dense ones."""
    refuse_out("bmm", out)
    if not isinstance(a, SparseTensor) or isinstance(b, SparseTensor) or a.dim() != 3 or b.dim() != 3:
        raise unsupported("bmm")
    operand(a, "bmm")
    n, m, k = a.shape
    if (b.shape[0], b.shape[1]) != (n, k):
        raise RuntimeError(f"bmm: Argument #2 (mat2): Expected size [{n}, {k}, …], got {list(b.shape)}")
    c = coalesced(a)
    batch, rows, columns = c.value.indices
    flat = laid(values(c), np.stack((batch * m + rows, batch * k + columns)), (n * m, n * k), True)
    out = by_rows(flat, ROWS["reshape"].fun(b, (n * k, b.shape[2])))
    return shown(ROWS["reshape"].fun(out, (n, m, b.shape[2])), "BmmBackward0", [a, b])


@sparse_operation("addmm", "sparse.addmm")
def addmm(t, a, b, *, beta=1, alpha=1, out=None, name="AddmmBackward0"):
    """`beta t + alpha a @ b` of a sparse matrix `a`."""
    refuse_out("addmm", out)
    if isinstance(t, SparseTensor):
        raise unsupported("addmm")
    product = mm(a, b)
    if isinstance(product, SparseTensor):
        raise unsupported("addmm")
    total = product if alpha == 1 else product * alpha
    return shown(total + t * beta if beta else total, name, [t, a, b])


@sparse_operation("nn.functional.linear", "linear")
def linear(x, weight, bias=None):
    """`x @ weight.T + bias`."""
    if isinstance(x, SparseTensor):
        out = mm(x, ROWS["t"].fun(weight) if not isinstance(weight, SparseTensor) else transpose(weight, 0, 1))
    elif x.dim() == 2:
        out = mm(x, transpose(weight, 0, 1))
    else:
        flat = mm(ROWS["reshape"].fun(x, (-1, x.shape[-1])), transpose(weight, 0, 1))
        out = ROWS["reshape"].fun(flat, (*x.shape[:-1], weight.shape[0]))
    return out if bias is None else out + bias
