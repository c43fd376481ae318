"""Elements written at index tensors or where masks are true."""

import numpy as np

from ....._engine import all_within
from ..dispatch.call import attach, moving, operation, promote
from ..dispatch.host_ops import filled, insist, is_plain, numbers, on_host, primal_of, stripped
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, LIKE_OPERANDS, check_broadcast
from ..dispatch.overriding import dispatching
from ..dispatch.signatures import takes
from ..inplace.expanded import Adding
from ..inplace.fast import put as put_at_once
from ..inplace.inplace import inplace
from ..types.dtypes import type_word
from ..types.tensor_type import Tensor, TensorBase
from .array_functions import cnp
from .axes import wrap_dim
from .index_arrays import AT, check_long, grid, in_flat, of_places, refused_write, within


def scattered(x, dim, index, src, add):
    """`x` with `src` put (or added) at one index per axis."""
    check_long("scatter", index)
    index = stripped(index)
    d = wrap_dim(dim, x.ndim)
    if hasattr(src, "dtype") and src.ndim:
        if src.dtype != x.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        if not index.size:  # whatever the shapes
            shape = (0,) * max(x.ndim, 1)
            index, src = np.zeros(shape, np.int64), cnp.reshape(cnp.reshape(src, (-1,))[:0], shape)
        if src.ndim != index.ndim:
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if any(n > m for n, m in zip(index.shape, src.shape)):
            raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than src {list(src.shape)}")
        src = src[tuple([slice(0, n) for n in index.shape])]
    elif not hasattr(src, "dtype"):
        src = np.asarray(src, x.dtype)
    if not index.ndim or not x.ndim:
        index, src = (cnp.reshape(v, (1,)) if not v.ndim else v for v in (index, src))
        out = scattered(x if x.ndim else cnp.reshape(x, (1,)), d, index, src, add)
        return out if x.ndim else cnp.reshape(out, ())
    check_scatter(x, index, src, d)
    if not index.size:
        at = AT(x)[grid(index, d)]
        return at.add(src) if add else at.set(src)
    at = AT(cnp.reshape(x, (-1,)))[in_flat(index, x.shape, d)]
    return cnp.reshape(at.add(src) if add else at.set(src), x.shape)


def check_scatter(x, index, src, d):
    """torch's refusals of an index whose shape does not fit the tensor."""
    if index.ndim != x.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if index.size and any(a != d and n > x.shape[a] for a, n in enumerate(index.shape)):
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from "
                           f"dimension {d}")
    within(index, d, x.shape[d])


@moving("scatter", inplace_form=True, blind=True)
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """Write elements at one index each along an axis; the output is a copy."""
    source = of_one(input, index, src) if value is None else value
    source = source if hasattr(source, "dtype") else filled(source, input.dtype)
    if reduce == "add":
        return scattered(input, dim, index, source, True)
    if reduce is not None:
        raise NotImplementedError(f"scatter(reduce={reduce!r}) is not supported; use scatter_add, or torch.where with "
                                  "gather")
    return scattered(input, dim, index, source, False)


@moving("scatter_add", inplace_form=True, blind=True)
def scatter_add(input, dim, index, src):
    """Add elements at one index each along an axis; the output is a copy."""
    return scattered(input, dim, index, of_one(input, index, src), True)


def of_one(x, index, src):
    """A source tensor without axes as one of one element, which an index of more does not fit."""
    if not hasattr(src, "dtype") or src.ndim:
        return src
    if src.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size and index.ndim > 1:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if index.size > 1:
        raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from "
                           "dimension 0 and to be no larger size than src []")
    return cnp.reshape(src, (1,)) if index.ndim else src


def at_axis(name, x, dim, index, write, source=None):
    """`x` with `write(x.at[…], part)` at the indices of an axis; a 0-d tensor counts as one of one element.

    `source` becomes the part, where it fits.
    """
    d = wrap_dim(dim, x.ndim)
    if name == "index_copy" and index.dtype.kind in "iu" and index.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {type_word(index.dtype)}")
    if name == "index_fill":
        if index.dtype != np.int64:
            raise IndexError("index_fill_(): Expected dtype int64 for index.")
        if index.ndim > 1:
            raise RuntimeError("Index has to be a vector/scalar")
    elif index.ndim > 1:
        raise IndexError(f"{name}_(): Index is supposed to be a vector, but got dim: {index.ndim}")
    check_long(name, index)
    whole = x if x.ndim else cnp.reshape(x, (1,))
    index = cnp.reshape(stripped(index), (-1,))
    n, shape = whole.shape[d], (*whole.shape[:d], index.shape[0], *whole.shape[d + 1 :])
    part = None if source is None else part_like(name, x, source, shape, dim,
                                                 IndexError if name == "index_copy" else RuntimeError)
    first, flat = -n if name == "index_fill" else 0, name == "index_add" and x.ndim < 2

    def check(places):
        if all_within(places, first, n):
            return
        if flat:
            raise IndexError("index out of range in self")
        bad = places[(places < first) | (places >= n)]
        kind, title = (RuntimeError, "") if name == "index_add" else (IndexError, "index_copy_(): " * (first == 0))
        raise kind(f"{title}index {int(bad[0])} is out of bounds for dimension {d} with size {n}")

    insist(check, index)
    out = write(AT(whole)[(slice(None),) * d + (index,)], part)
    return out if x.ndim else cnp.reshape(out, ())


def part_like(name, x, source, shape, dim, error=RuntimeError):
    """A source of another operation's shape and the tensor's dtype, or torch's refusal."""
    if source.dtype != x.dtype:
        raise RuntimeError(f"{name}_(): self ({type_word(x.dtype)}) and source ({type_word(source.dtype)}) must have "
                           "the same scalar type")
    if tuple(source.shape) == tuple(shape):
        return source
    if source.ndim == 0 and int(np.prod(shape)) == 1:
        return cnp.reshape(source, shape)
    d = wrap_dim(dim, x.ndim)
    if source.ndim > d and source.shape[d] != shape[d]:
        raise error(f"{name}_(): Number of indices ({shape[d]}) should be equal to source.size(dim)"
                    f"{':' if error is RuntimeError else ''} ({source.shape[d]})"
                    + (f", for dim: {d}" if error is RuntimeError else ""))
    raise error(f"{name}_(): the source of shape {list(source.shape)} does not match the indices, of shape "
                f"{list(shape)}")


@moving("index_add", inplace_form=True, blind=True)
def index_add(input, dim, index, source, *, alpha=1):
    """Add slices of `source` at indices of an axis; the output is a copy."""
    return at_axis("index_add", input, dim, index, lambda at, part: at.add(part),
                   source if alpha == 1 else scaled_source(source, alpha))


def scaled_source(source, alpha):
    """A source times a number, cut off to the dtype of a source of integers or booleans."""
    if source.dtype.kind in "biu":
        alpha = np.asarray(alpha).astype(source.dtype)[()]  # unsigned ones wrap, as in PyTorch
        return source & alpha if source.dtype.kind == "b" else source * alpha
    return source * promote(source, alpha)[1]


@moving("index_copy", inplace_form=True, blind=True)
def index_copy(input, dim, index, source):
    """Write slices of `source` at indices of an axis; the output is a copy."""
    return at_axis("index_copy", input, dim, index, lambda at, part: at.set(part), source)


@moving("index_fill", inplace_form=True, blind=True, layout=LIKE_OPERANDS)
def index_fill(input, dim, index, value):
    """Write a number at indices of an axis; the output is a copy."""
    if hasattr(value, "dtype") and value.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    value = filled(value, input.dtype)
    return at_axis("index_fill", input, dim, index, lambda at, _: at.set(value))


def check_indices(indices, argument=1):
    """torch's refusal of indices that are no tensors."""
    for i, v in enumerate(indices):
        if not hasattr(v, "dtype"):
            raise TypeError(f"expected Tensor as element {i} in argument {argument}, but got {type(v).__name__}")


@dispatching
@takes("any indices, Tensor values, bool accumulate=")
def index_put_(self, indices, values, accumulate=False):
    """`self[indices] = values`, or `+=` with duplicates adding up."""
    if not isinstance(indices, tuple | list):
        raise TypeError("index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not "
                        f"{type(indices).__name__}")
    check_indices(indices, 0)
    if isinstance(values, TensorBase) and values.dtype is not self.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{type_word(self.dtype.numpy)} for the destination and {type_word(values.dtype.numpy)} for "
                           "the source.")
    if accumulate is False and isinstance(values, TensorBase) and all(type(k) is Tensor for k in indices) and (
            put_at_once(self, tuple(indices), values)):
        return self

    def fn(x, v, *places):
        return put_at(x, tuple(map(primal_of, places)), v, accumulate)

    return inplace(self, "index_put_", Adding(fn) if accumulate else fn, (values, *indices),
                   node_name="IndexPutBackward0")


@operation("index_put", layout=LIKE_FIRST)
def index_put(input, indices, values, accumulate=False):
    """Return a copy with `values` written or added at `indices`."""
    check_indices(indices)
    return put_at(input, tuple(map(primal_of, indices)), values, accumulate)


def put_at(x, index, values, accumulate):
    """`x` with `values` written or added at index arrays."""
    index = tuple([of_places(k) for k in index])
    at = AT(x)[index]
    try:
        return at.add(values) if accumulate else at.set(values)
    except (IndexError, ValueError) as error:
        raise refused_write(index, tuple(x.shape), tuple(np.shape(values)), True) or error from error


attach("index_put_", index_put_)


@moving("masked_fill", inplace_form=True, blind=True, layout=IN_ORDER)
def masked_fill(input, mask, value):
    """Write a number where a mask is true; the output is a copy."""
    if mask.dtype != np.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {type_word(mask.dtype)}")
    if hasattr(value, "dtype"):
        if value.ndim:
            raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                               f"{value.ndim} "
                               "dimension(s).")
    value = filled(value, input.dtype)
    check_broadcast(input, mask)
    return cnp.where(mask, value, input)


@moving("masked_scatter", inplace_form=True, layout=IN_ORDER)
def masked_scatter(input, mask, source):
    """Write the elements of `source`, in order, where a mask is true; the output is a copy."""
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{type_word(mask.dtype)}")
    shape = np.broadcast_shapes(input.shape, np.shape(mask))
    input = cnp.broadcast_to(input, shape)
    if not is_plain(mask := primal_of(mask)):  # differs between examples
        every, size = numbers(mask), int(np.prod(mask.shape))
        counts = every.reshape(-1, max(size, 1)).sum(axis=1) * (int(np.prod(input.shape)) // max(size, 1))
        if int(counts.max(initial=0)) > source.size:
            raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes and at least "
                               f"{int(counts.max())} elements of source, one for each true mask, but got {source.size}")
        if not source.size:
            return input
        order = cnp.cumsum(cnp.reshape(cnp.broadcast_to(mask, input.shape), (-1,)).astype(int)) - 1
        values = cnp.take(cnp.reshape(source, (-1,)), cnp.maximum(order, 0))
        return cnp.where(mask, cnp.reshape(values, input.shape), input)
    mask = np.broadcast_to(on_host(mask), shape)
    count = int(mask.sum())
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return AT(input)[mask].set(cnp.reshape(source, (-1,))[:count])
