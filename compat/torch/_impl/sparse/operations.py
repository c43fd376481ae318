"""Operations of sparse tensors: by elements, sums along axes, and products."""

import math

import numpy as np

from ..dispatch.call import ROWS
from ..graph import versions
from ..types import dtypes
from ..types.tensor_type import TensorBase, wrap
from .coo import groups, keys
from .entries import (
    SparseFunction,
    at_places,
    coalesced,
    distinct,
    entrywise,
    gathered,
    laid,
    plain_memory,
    recorded,
    shown,
    summed,
    to_dense,
    values,
)
from .shaping import axis, transpose
from .sparse_tensor import TABLE, SparseTensor, sparse_operation, unsupported

# Elementwise operations on sparse tensors: those that keep zeros, and sums and products.

# Functions of the values that are 0 at 0. PyTorch adds entries of one place up first, but for linear ones.
KEEPS_ZERO = """abs absolute sin tan asin arcsin atan arctan sinh tanh asinh arcsinh atanh arctanh sqrt log1p expm1 erf
erfinv ceil floor round trunc fix frac sign sgn deg2rad rad2deg square relu isnan isinf isposinf isneginf signbit
nan_to_num""".split()
LINEAR = "neg negative conj conj_physical resolve_conj resolve_neg real imag positive".split()


def unary(name):
    """An operation of the values, one by one."""
    row = ROWS.get(name)
    word = name.rpartition(".")[2]
    title = "".join(part.capitalize() for part in word.split("_")) + "Backward0"

    def fun(t, *args, **kwargs):
        if kwargs.pop("out", None) is not None:
            raise RuntimeError(f"{word}(out=) of a sparse tensor is not supported; use the output")
        if name in KEEPS_ZERO:
            t_ = coalesced(t)
        else:
            t_ = t
        out = entrywise(t_, lambda v: row.fun(v, *args, **kwargs))
        return shown(out, title, [t])

    return fun


for _name in (*KEEPS_ZERO, *LINEAR):
    if _name in ROWS:
        sparse_operation(_name)(unary(_name))
sparse_operation("__neg__")(unary("neg"))
sparse_operation("__abs__")(unary("abs"))
sparse_operation("nn.functional.relu")(lambda t, inplace=False: TABLE["relu_" if inplace else "relu"](t))
sparse_operation("__pos__")(lambda t: t)
sparse_operation("real", "conj", "resolve_conj", "resolve_neg")(
    lambda t: t if t.value.dtype.kind != "c" else _complex(t, "real"))


def _complex(t, name):
    raise NotImplementedError(f"{name} of complex sparse tensors is not supported; apply it to .values(), or call "
                              ".to_dense() first")


def is_number(x):
    """Tell whether an operand is one number: of Python, or a dense tensor without axes."""
    return isinstance(x, int | float | complex | np.generic) or isinstance(x, TensorBase) and not isinstance(
        x, SparseTensor) and not x.dim()


@sparse_operation("mul", "multiply", "__mul__")
def mul(a, b, *, out=None):
    """The product: of entries with a number, with a dense tensor, or at the places of both."""
    refuse_out("mul", out)
    if isinstance(b, SparseTensor):
        a, b = b, a
    if is_number(b):
        return shown(entrywise(a, lambda v: v * b), "MulBackward0", [a, b if isinstance(b, TensorBase) else None])
    if isinstance(b, SparseTensor):
        return both(a, b)
    if not isinstance(b, TensorBase):
        raise unsupported("mul")
    shape = np.broadcast_shapes(tuple(a.shape), tuple(b.shape)) if fits(b, a) else None
    if shape != tuple(a.shape):
        raise NotImplementedError(f"mul: a sparse tensor of shape {list(a.shape)} is not broadcast to the shape of a "
                                  f"dense one, {list(b.shape)}; call .to_dense() first")
    c = a if not recorded(a) else coalesced(a)
    dense = b.expand(shape) if tuple(b.shape) != shape else b
    entries = values(c) * at_places(dense, c.value.indices, shape)
    return shown(laid(entries, c.value.indices, shape, c.value.coalesced), "MulBackward0", [a, b])


def fits(a, b):
    """Tell whether two shapes fit, or PyTorch's error."""
    for i, (m, n) in enumerate(zip(reversed(a.shape), reversed(b.shape))):
        if m != n and 1 not in (m, n):
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {max(a.dim(), b.dim()) - 1 - i}")
    return True


def both(a, b):
    """The product of two sparse tensors: entries at places of both."""
    if a.shape != b.shape:
        raise RuntimeError("mul operands have incompatible sizes" if a.dim() == b.dim() else
                           f"mul: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != "
                           f"{list(b.shape)}")
    if a.sparse_dim() != b.sparse_dim():
        raise RuntimeError("mul: expected 'self' and 'other' to have same sparse_dim; call .to_dense() on one")
    x, y = coalesced(a), coalesced(b)
    _, i, j = np.intersect1d(x.value.keys(), y.value.keys(), assume_unique=True, return_indices=True)
    pick = ROWS["index_select"].fun
    entries = pick(values(x), 0, wrap(i)) * pick(values(y), 0, wrap(j))
    return shown(laid(entries, x.value.indices[:, i], a.shape, True), "MulBackward0", [a, b])


@sparse_operation("div", "divide", "true_divide", "__truediv__")
def div(a, b, *, rounding_mode=None, out=None):
    """The entries divided by a number."""
    refuse_out("div", out)
    if not isinstance(a, SparseTensor):
        raise unsupported("div")
    if not is_number(b):
        if isinstance(b, TensorBase):
            raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
                               f"{list(b.shape)} for divisor)")
        raise unsupported("div")
    t = a if rounding_mode is None else coalesced(a)
    out = entrywise(t, lambda v: ROWS["div"].fun(v, b, rounding_mode=rounding_mode))
    return shown(out, "DivBackward0", [a, b if isinstance(b, TensorBase) else None])


@sparse_operation("floor_divide", "__floordiv__")
def floor_divide(a, b, *, out=None):
    """The entries divided by a number, rounded down."""
    return div(a, b, rounding_mode="floor", out=out)


@sparse_operation("pow", "__pow__")
def power(a, exponent, *, out=None):
    """The entries to a positive power."""
    refuse_out("pow", out)
    if not isinstance(a, SparseTensor) or not isinstance(exponent, int | float):
        raise unsupported("pow")
    if exponent == 0:
        raise RuntimeError("pow: sparse tensors have no power 0, which is 1 where there is no entry; call .to_dense() "
                           "first")
    if exponent < 0:
        raise RuntimeError(f"pow: sparse tensors have no power {exponent}, which is infinite where there is no entry; "
                           "call .to_dense() first")
    return shown(entrywise(coalesced(a), lambda v: v**exponent), "PowBackward0", [a])


class Sum(SparseFunction):
    """`a + alpha b` of two sparse tensors."""

    @staticmethod
    def forward(a, b, alpha):
        return a.value.plus(b.value, alpha).tensor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.alpha = inputs[2]
        ctx.dtypes = inputs[0].dtype, inputs[1].dtype

    @staticmethod
    def backward(ctx, grad):
        return grad.to(ctx.dtypes[0]), (grad if ctx.alpha == 1 else grad * ctx.alpha).to(ctx.dtypes[1]), None


@sparse_operation("add", "__add__")
def add(a, b, *, alpha=1, out=None):
    """The sum of two sparse tensors, or of a dense and a sparse one."""
    refuse_out("add", out)
    alpha = alpha.item() if isinstance(alpha, TensorBase) else alpha
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        check_sizes(a, b)
        if recorded(a, b):
            return shown(Sum.apply(a, b, alpha), "AddBackward0", [a, b])
        return a.value.plus(b.value, alpha).tensor()
    if not isinstance(a, TensorBase):
        raise RuntimeError(f"add: expected 'self' and 'other' to have same size, but a number has none while other has "
                           f"size {list(b.shape)}; call .to_dense() first")
    if isinstance(a, SparseTensor):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    check_sizes(a, b)
    return shown(a + to_dense(b) * alpha if alpha != 1 else a + to_dense(b), "AddBackward0", [a, b])


def check_sizes(a, b):
    """PyTorch's refusal of two shapes that are not the same."""
    if a.shape != b.shape:
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != "
                           f"{list(b.shape)}")


@sparse_operation("sub", "subtract", "__sub__")
def sub(a, b, *, alpha=1, out=None):
    """The difference of two sparse tensors, or of a dense and a sparse one."""
    return add(a, b, alpha=-alpha, out=out)


@sparse_operation("rsub")
def rsub(a, b, *, alpha=1):
    """`b - a`."""
    return add(b, a, alpha=-alpha)


def refuse_out(name, out):
    """The refusal of `out=`."""
    if out is not None:
        raise NotImplementedError(f"{name}(out=) of a sparse tensor is not supported; use the output")


def add_to(dense, sparse, alpha=1):
    """`dense += alpha * sparse`, in place."""
    check_sizes(dense, sparse)
    array = plain_memory(dense)
    if array is None or recorded(sparse) or not np.can_cast(sparse.value.dtype, array.dtype, "same_kind"):
        extra = to_dense(sparse)
        return dense.add_(extra, alpha=alpha)
    sparse.value.added_to(array, alpha)
    versions.bump(array)
    return dense


# Sums, norms and softmax of sparse tensors.


@sparse_operation("sum")
def total(t, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of all elements, or along axes."""
    if out is not None or keepdim:
        raise NotImplementedError("sum of a sparse tensor with keepdim=True or out= is not supported; use the output, "
                                  "or call .to_dense() first")
    dtype = dtypes.torch_dtype(dtype)
    if t.dtype.category < 2 and dtype is None:
        dtype = dtypes.int64
    return sparse_sum(t, dim, dtype, "SumBackward0" if dim is None else "SumBackward1")


@sparse_operation("sparse.sum")
def sparse_sum(t, dim=None, dtype=None, name="SparseSumBackward0"):
    """The sum of the elements along axes; sparse while a sparse axis is left."""
    c = distinct(t) if recorded(t) else t
    entries = values(c)
    if dtype is not None and dtype is not t.dtype:
        entries = entries.to(dtype)
    add = ROWS["sum"].fun
    if dim is None or not isinstance(dim, int) and not len(dim):
        return shown(add(entries), "SumBackward0", [t])
    dims = sorted({axis(t, d) for d in ((dim,) if isinstance(dim, int) else dim)})
    if not isinstance(dim, int) and len(dims) != len(dim):
        raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    k, n = t.sparse_dim(), t.dim()
    dense = [d - k + 1 for d in dims if d >= k]
    if dense:
        entries = add(entries, dense)
    left = [d for d in range(k) if d not in dims]
    shape = [t.shape[d] for d in range(n) if d not in dims]
    if not left:
        return shown(add(entries, 0), name, [t])
    if len(left) == k:
        return shown(laid(entries, c.value.indices, shape, c.value.coalesced), name, [t])
    places = c.value.indices[left]
    order, first, numbers = groups(keys(places, shape))
    out = wrap(np.zeros((len(first), *entries.shape[1:]), entries.value.dtype))
    sums = ROWS["index_add"].fun(out, 0, wrap(numbers), entries)
    return shown(laid(sums, places[:, order[first]], shape, True), name, [t])


@sparse_operation("norm")
def norm(t, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of all elements as of one vector."""
    if dim is not None and len((dim,) if isinstance(dim, int) else tuple(dim)) < t.dim() or keepdim or out is not None:
        raise NotImplementedError("norm of a sparse tensor along some of its axes is not supported: norm_sparse "
                                  "currently only supports full reductions; call .to_dense() first")
    found = values(coalesced(t))
    p = 2 if p in ("fro", None) else p
    if p == -math.inf and found.numel() < t.numel():
        raise unsupported("norm")
    if isinstance(p, int | float) and p < 0:
        raise unsupported("norm")
    flat = ROWS["reshape"].fun(found, (-1,))
    return shown(ROWS["linalg.vector_norm"].fun(flat, p, dtype=dtype), "NormBackward1", [t])


@sparse_operation("dist")
def dist(a, b, p=2):
    """The norm of a difference."""
    return norm(a - b, p)


@sparse_operation("any")
def any_(t, dim=None, keepdim=False):
    """Tell whether an element is not zero."""
    if dim is not None:
        raise unsupported("any.dim")
    return wrap(np.asarray(bool(t.value.coalesce().values.any())))


@sparse_operation("sparse.softmax")
def softmax(t, dim, *, dtype=None):
    """Softmax of the entries along an axis; where there is none it is -inf, so that the output is 0."""
    return normalized(t, dim, dtype, False)


@sparse_operation("sparse.log_softmax")
def log_softmax(t, dim, *, dtype=None):
    """Its logarithm, at the entries."""
    return normalized(t, dim, dtype, True)


def normalized(t, dim, dtype, log):
    """Softmax of the entries along an axis, or its logarithm."""
    if dtype is not None:
        t = t.to(dtype)
    at, k = axis(t, dim), t.sparse_dim()
    c = coalesced(t)
    word = "SparseLogSoftmaxBackward0" if log else "SparseSoftmaxBackward0"
    if at >= k:
        fun = ROWS["log_softmax" if log else "softmax"].fun
        return shown(entrywise(c, lambda v: fun(v, at - k + 1)), word, [t])
    entries = values(c)
    rest = [d for d in range(k) if d != at]
    order, first, numbers = groups(keys(c.value.indices[rest], [t.shape[d] for d in rest]))
    array = c.value.values
    highest = np.maximum.reduceat(array[order], first, axis=0) if len(order) else array
    number = wrap(numbers)
    pick = ROWS["index_select"].fun
    shifted = entries - wrap(highest[numbers])
    powers = ROWS["exp"].fun(shifted)
    sums = ROWS["index_add"].fun(wrap(np.zeros((len(first), *array.shape[1:]), array.dtype)), 0, number, powers)
    out = shifted - pick(ROWS["log"].fun(sums), 0, number) if log else powers / pick(sums, 0, number)
    return shown(laid(out, c.value.indices, c.value.shape, True), word, [t])


# Products of sparse tensors with dense and sparse ones.


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
