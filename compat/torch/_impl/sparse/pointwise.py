"""Elementwise operations on sparse tensors: those that keep zeros, and sums and products."""

import numpy as np

from ..dispatch.call import ROWS
from ..graph import versions
from ..types.tensor_type import TensorBase, wrap
from .construction import to_dense
from .entries import SparseFunction, at_places, coalesced, entrywise, laid, plain_memory, recorded, shown, values
from .sparse_tensor import TABLE, SparseTensor, sparse_operation, unsupported

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


