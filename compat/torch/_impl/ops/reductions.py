"""Reductions: sums, means, extrema, norms."""

import builtins

import numpy as np

from ....._interpreters import Ambient
from .....extend import REGISTRY
from ..dispatch.call import ROWS, attach, floating, operation, promote
from ..dispatch.layouts import IN_ORDER, REDUCED
from ..dispatch.not_differentiable import jointly
from ..dispatch.out_argument import Target
from ..dispatch.signatures import gathered
from ..fastpath.lanes import total
from ..inplace.inplace import inplace
from ..modes.warnings import tell
from ..types import dtypes, output_tuples
from ..types.dtypes import OF_NUMPY, c_type, promote_types, type_word
from ..types.tensor_type import Tensor
from .array_functions import cnp
from .axes import distinct, wrap_dim
from .index_arrays import along
from .matrices import matrix_norm
from .operands import of_kinds, zero_slope


def axes_of(dim, ndim):
    """The axes of `dim`: None or () for all."""
    if dim is None or dim == () or dim == []:
        return None
    dims = (dim,) if isinstance(dim, int | np.integer) else tuple(dim)
    axes = distinct(tuple([wrap_dim(d, ndim) for d in dims]))
    return tuple([a for a in axes if a < ndim]) if ndim else ()


@operation("sum", blind=True, layout=REDUCED, out=Target(dtype=True),
           lane=lambda row: total(row, REGISTRY["reduce_sum"], "SumBackward0"))
def sum(input, dim=None, keepdim=False, *, dtype=None):  # noqa: A001 (torch's name)
    """Sum over axes."""
    if dtype is None and input.dtype.kind in "biu":
        dtype = np.dtype(np.int64)
    x = in_dtype(input, dtype)
    return kept_dtype(added(x, axes_of(dim, x.ndim), keepdim), dtype)


def added(x, axes, keepdim):
    """The sum over some axes, None for all, in the order in which programs add up."""
    return REGISTRY["reduce_sum"].fun(x, tuple(range(x.ndim)) if axes is None else axes, bool(keepdim))


def kept_dtype(v, dtype):
    """An output in the dtype that was asked for: NumPy adds and multiplies small integers in wider ones."""
    return v if dtype is None or v.dtype == dtype else v.astype(dtype)


@operation("mean", blind=True, layout=IN_ORDER, out=Target(dtype=True),
           lane=lambda row: total(row, REGISTRY["reduce_mean"], "MeanBackward0"))
def mean(input, dim=None, keepdim=False, *, dtype=None):
    """Average over axes."""
    mean_dtype("mean", dtype)
    x = input if dtype is None else input.astype(dtype)
    if x.dtype.kind not in "fcV":
        name = dtypes.OF_NUMPY[x.dtype].name
        word = {"int64": "Long", "int32": "Int", "bool": "Bool"}.get(name, name)
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                           "complex "
                           f"dtype. Got: {word}")
    axes = axes_of(dim, x.ndim)
    return REGISTRY["reduce_mean"].fun(x, tuple(range(x.ndim)) if axes is None else axes, keepdim)


def floats_only(name, x):
    """torch's refusal of integers."""
    if x.dtype.kind not in "fcV":
        word = type_word(x.dtype)
        raise RuntimeError(f"{name}(): input dtype should be either floating point or complex dtypes. Got {word} "
                           "instead.")


@operation("prod", blind=True, layout=REDUCED, out=Target(dtype=True))
def prod(input, dim=None, keepdim=False, *, dtype=None):
    """Multiply the elements along an axis; the derivative is exact at zeros."""
    if dtype is None and input.dtype.kind in "biu":
        dtype = np.dtype(np.int64)
    x = in_dtype(input, dtype)
    return kept_dtype(cnp.prod(x, axis=axes_of(dim, x.ndim), keepdims=keepdim), dtype)


def spread(input, dim, unbiased, correction, keepdim, name):
    """The variance with a correction of the count; with a name of `std`, its root."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    floats_only(name, input)
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    axes = axes_of(dim, input.ndim)
    axes = tuple(range(input.ndim)) if axes is None else axes
    count = 1
    for a in axes:
        count *= input.shape[a]
    if count - correction <= 0:
        tell(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
             "(input numel divided by output numel).")
    gap = input - REGISTRY["reduce_mean"].fun(input, axes, True)
    left = max_(count - correction, 0)
    if name.startswith("std") and left:
        return REGISTRY["vector_norm"].fun(gap, axes, bool(keepdim), left)
    total = added(cnp.real(gap * cnp.conj(gap)) if input.dtype.kind == "c" else gap * gap, axes, keepdim)
    if left:
        return total / left
    total = total / np.zeros((), total.dtype)
    return cnp.sqrt(total) if name.startswith("std") else total


max_ = builtins.max


@operation("var", layout=IN_ORDER)
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Compute the variance over axes."""
    return spread(input, dim, unbiased, correction, keepdim, "var")


@operation("std", layout=IN_ORDER)
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Compute the standard deviation over axes."""
    return spread(input, dim, unbiased, correction, keepdim, "std")


def _with_mean(input, dim, unbiased, keepdim, correction, name):
    axes = axes_of(None if isinstance(dim, bool) else dim, input.ndim)
    return (spread(input, dim, unbiased, correction, keepdim, name),
            REGISTRY["reduce_mean"].fun(input, tuple(range(input.ndim)) if axes is None else axes, keepdim))


@jointly
@operation("var_mean", method=False)
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Compute the variance and the mean over axes."""
    return _with_mean(input, dim, unbiased, keepdim, correction, "var_mean")


@jointly
@operation("std_mean", method=False)
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Compute the standard deviation and the mean over axes."""
    return _with_mean(input, dim, unbiased, keepdim, correction, "std_mean")


def nonempty(name, input, axes):
    """torch's refusal of extremes of nothing."""
    for a in range(input.ndim) if axes is None else axes:
        if input.shape[a] == 0:
            raise (RuntimeError if axes is None and not name.startswith("arg") else IndexError)(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with "
                f"the 'dim' argument." if axes is None else
                f"{name}(): Expected reduction dim {a} to have non-zero size.")


def _extreme(name, fun):
    @operation(name, blind=True, layout=REDUCED, doc="Extreme over axes, ties sharing the gradient")
    def reduced(input, dim=(), keepdim=False):
        axes = axes_of(dim, input.ndim)
        nonempty(name, input, axes)
        return fun(input, axis=axes, keepdims=keepdim)

    return reduced


amax = _extreme("amax", cnp.max)
amin = _extreme("amin", cnp.min)


def _pick(name, fun, arg, kind):
    """`max` and `min`: all elements, one axis with indices, or two tensors."""

    def body(input, dim=None, keepdim=False, *, other=None):
        other = dim if hasattr(dim, "dtype") else other
        if other is not None:
            if "c" in input.dtype.kind + other.dtype.kind:
                raise RuntimeError(f"{name}imum not implemented for complex tensors.")
            return ROWS[f"{name}imum"].body(input, other)
        of_kinds(f"{name}_all", "biufV", input) if dim is None else real(name, input)
        if dim is None:
            nonempty(name, input, None)
            return fun(input)
        d = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return kind(input, np.zeros((), np.int64))
        nonempty(name, input, (d,))
        index = first_extreme(input, d, arg)
        value = along(input, index, d)
        if not keepdim:
            value, index = cnp.squeeze(value, d), cnp.squeeze(index, d)
        return kind(value, index)

    doc = f"The {name}imum of all elements, of an axis with its indices, or of two tensors"
    return operation(name, blind=True, doc=doc)(body)


def real(name, x):
    """torch's refusal of complex numbers along an axis."""
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")


def first_extreme(input, axis, arg):
    """The index of the first extreme, NaN counting as one; kept as an axis of 1."""
    return cnp.expand_dims(arg(input, axis), axis)


max = _pick("max", cnp.max, cnp.argmax, output_tuples.max)  # noqa: A001
min = _pick("min", cnp.min, cnp.argmin, output_tuples.min)  # noqa: A001


def _arg(name, arg):
    @operation(name, blind=True, doc="The index of the first extreme")
    def index(input, dim=None, keepdim=False):
        if dim is None:
            nonempty(name, input, None)
            out = arg(cnp.reshape(input, (-1,)), 0)
            return cnp.reshape(out, (1,) * input.ndim) if keepdim else out
        d = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return np.zeros((), np.int64)
        nonempty(name, input, (d,))
        out = arg(input, d)
        return cnp.expand_dims(out, d) if keepdim else out

    return index


argmax = _arg("argmax", cnp.argmax)
argmin = _arg("argmin", cnp.argmin)


def _truth(name, fun):
    @operation(name, blind=True, layout=REDUCED, out=Target(truth=True), doc=f"Whether {name} elements are true")
    def reduced(input, dim=None, keepdim=False):
        x = input if input.dtype == np.bool_ else input != 0
        whole = isinstance(dim, tuple | list) and not dim  # of these reductions alone: no axis, not all axes
        out = x if whole else fun(x, axis=axes_of(dim, x.ndim), keepdims=keepdim)
        return out.astype(np.uint8) if input.dtype == np.uint8 else out

    return reduced


all = _truth("all", cnp.all)  # noqa: A001
any = _truth("any", cnp.any)  # noqa: A001


@operation("cumsum", blind=True, inplace_form=True, layout=IN_ORDER, out=Target(dtype=True))
def cumsum(input, dim, *, dtype=None):
    """Compute the cumulative sum along an axis."""
    x, d, dtype = running("cumsum", input, dim, dtype)
    return kept_dtype(cnp.cumsum(x, axis=d), dtype) if x.ndim else x


def running(name, input, dim, dtype):
    """The operand, the axis and the dtype of a running sum or product, or PyTorch's refusal of bool."""
    if dtype is None and input.dtype.kind in "biu":
        dtype = np.dtype(np.int64)
    x = in_dtype(input, dtype)
    d = wrap_dim(dim, x.ndim)
    if x.ndim and x.dtype == np.bool_:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return x, d, dtype


@operation("logsumexp", layout=IN_ORDER)
def logsumexp(input, dim, keepdim=False):
    """Compute the logarithm of the sum of exponentials, without overflow."""
    x = floating(input)
    axes = axes_of(dim, x.ndim)
    axes = tuple(range(x.ndim)) if axes is None else axes
    out = REGISTRY["logsumexp"].fun(x, axes, keepdim)
    if x.dtype.kind != "c":
        return out
    turns = 2j * np.pi * cnp.round(cnp.imag(out) / (2 * np.pi))  # torch's is a principal value
    return out - cnp.where(cnp.isfinite(turns), turns, 0.0)


@operation("count_nonzero", blind=True, method=gathered)
def count_nonzero(input, dim=None):
    """Count the nonzero elements."""
    return cnp.sum((input != 0).astype(np.int64), axis=axes_of(dim, input.ndim))


@operation("norm", asked=False, layout=REDUCED)
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """Compute a vector norm, or a Frobenius or nuclear matrix norm."""
    if p in (None, "fro"):
        p = 2.0
    if isinstance(p, str) and p != "nuc":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p == "nuc":
        return matrix_norm(input, p, tuple(range(input.ndim)) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm.row.body(input, p, dim, keepdim, dtype=dtype)


@operation("linalg.vector_norm", method=False, layout=REDUCED)
def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):  # noqa: A002
    """Compute a vector norm over axes; its derivative at 0 is 0."""
    if x.dtype.kind not in "fcV":
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{type_word(x.dtype)}")
    if dtype is not None:
        norm_dtype(x.dtype, np.dtype(dtype))
        x = x.astype(dtype)
    axes = axes_of(dim, x.ndim)
    axes = tuple(range(x.ndim)) if axes is None else axes
    ord = float(ord)  # noqa: A001
    if x.dtype == np.float16 and np.isfinite(ord):  # powers overflow there
        return vector_norm.row.body(x.astype(np.float32), ord, dim, keepdim).astype(x.dtype)
    if ord == np.inf:
        return cnp.max(cnp.abs(x), axis=axes, keepdims=keepdim)
    if ord == -np.inf:
        return cnp.min(cnp.abs(x), axis=axes, keepdims=keepdim)
    if ord == 0:
        size = cnp.real(x) if x.dtype.kind == "c" else x
        return cnp.sum(zero_slope((x != 0).astype(size.dtype), size), axis=axes, keepdims=keepdim)
    if ord == 1:
        return added(cnp.abs(x), axes, keepdim)
    if ord == 2:
        return REGISTRY["vector_norm"].fun(x, axes, bool(keepdim), 1)
    size = cnp.abs(x)
    none = size == 0
    if ord < 1:  # slopes at 0 count as 0
        size = cnp.where(none, 1.0, size)
    total = cnp.power(size, ord)
    if ord < 1:
        total = cnp.where(none, 0.0 if ord > 0 else np.inf, total)
    total = added(total, axes, keepdim)
    edge = (total == 0) | (total == np.inf) if ord < 0 else total == 0
    limit = cnp.where(total == 0, np.inf, 0.0).astype(total.dtype) if ord < 0 else total
    return cnp.where(edge, limit, cnp.power(cnp.where(edge, 1.0, total), 1.0 / ord))


@operation("dist")
def dist(input, other, p=2):
    """Compute the norm of a difference."""
    if "b" in (input.dtype.kind, other.dtype.kind):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")
    input, other = promote(input, other)
    return vector_norm.row.body(input - other, p)


@operation("nansum", layout=REDUCED)
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """Sum over axes, treating NaN as 0."""
    if dtype is not None and np.dtype(dtype).kind == "c" and input.dtype.kind not in "biu":
        raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{type_word(dtype)}'")
    numbers = input if input.dtype.kind in "biu" else cnp.where(input != input, cnp.zeros_like(input), input)
    return ROWS["sum"].body(numbers, dim, keepdim, dtype=dtype)


@operation("nanmean")
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    """Average over axes, ignoring NaN."""
    mean_dtype("nanmean", dtype)
    known = (input == input).astype(input.dtype)
    return nansum.row.body(input, dim, keepdim, dtype=dtype) / ROWS["sum"].body(known, dim, keepdim)


@operation("cumprod", inplace_form=True, layout=IN_ORDER, out=Target(dtype=True))
def cumprod(input, dim, *, dtype=None):
    """Compute the cumulative product along an axis."""
    x, d, dtype = running("cumprod", input, dim, dtype)
    if not x.ndim:
        return x
    return kept_dtype(cnp.cumprod(x, axis=d), dtype)


def other_dtype(x, dtype):
    """PyTorch's refusal."""
    raise RuntimeError(f"Bad in-place call: input tensor dtype {c_type(x.dtype)} and output tensor dtype "
                       f"{c_type(dtype.numpy)} should match")


def _in_own_dtype(name):
    """`cumsum_` refuses another dtype than the tensor's."""
    write = getattr(Tensor, name)

    def method(self, dim, *, dtype=None):
        if dtype is not None and dtype is not self.dtype:
            inplace(self, name, lambda x: other_dtype(x, dtype))
        return write(self, dim)

    method.__name__ = method.__qualname__ = name
    method.__doc__, method.row = write.__doc__, write.row
    attach(name, method)


_in_own_dtype("cumsum_")
_in_own_dtype("cumprod_")


# Dtypes that reductions are asked for: PyTorch's refusals, and operands in them.


def mean_dtype(name, dtype):
    """Refuse integers for a mean."""
    if dtype is not None and np.dtype(dtype).kind in "biu":
        raise RuntimeError(f"{name}(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {type_word(np.dtype(dtype))}")


def norm_dtype(given, dtype):
    """Refuse integers for a norm, and a dtype of the other kind than that of its operand."""
    if dtype.kind in "biu":
        raise RuntimeError(f"linalg.vector_norm: dtype should be floating point or complex, but got {type_word(dtype)}")
    if (given.kind == "c") != (dtype.kind == "c"):
        kind = "complex" if given.kind == "c" else "real"
        raise RuntimeError(f"linalg.vector_norm: dtype should be {kind} for {kind} inputs, but got {type_word(dtype)}")
    if promote_types(*[OF_NUMPY[np.dtype(d)] for d in (given, dtype)]).numpy != dtype:
        raise RuntimeError(f"linalg.vector_norm: the dtype of the input ({type_word(given)}) should be convertible "
                           f"without narrowing to the specified dtype ({type_word(dtype)})")


def in_dtype(x, dtype):
    """An operand in the dtype of its sum or product; PyTorch refuses integers for one that is recorded."""
    if dtype is None or x.dtype == dtype:
        return x
    if np.dtype(dtype).kind in "biu" and isinstance(x, Ambient) and x.node is not None and x.owner.recording:
        raise RuntimeError(f"Autograd not support dtype: {type_word(np.dtype(dtype))}")
    return x.astype(dtype)


# Reduction of a loss over its elements: `reduction=` and the deprecated flags.


def legacy(size_average, reduce, reduction):
    """The reduction that the two deprecated flags mean, with torch's warning; as given without them."""
    if size_average is None and reduce is None:
        return reduction
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    found = ("mean" if size_average else "sum") if reduce else "none"
    tell(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def reduced(loss, reduction):
    """A loss under `reduction`: none, mean or sum."""
    if reduction == "none":
        return loss
    if reduction == "mean":
        return ROWS["mean"].body(loss)
    if reduction == "sum":
        return ROWS["sum"].body(loss)
    raise ValueError(f"{reduction} is not a valid value for reduction")
