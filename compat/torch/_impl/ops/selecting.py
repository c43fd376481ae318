"""Choosing elements by index tensors and masks, sorting, and writing at index tensors."""

import numpy as np

from ..... import numpy as cnp
from .....extend import REGISTRY, Batched, Tracer
from ..dispatch.broadcasting import check_broadcast
from ..dispatch.call import attach, moving, operation, promote
from ..dispatch.host_ops import DYNAMIC, filled, insist, numbers, primal_of, stripped
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, LIKE_OPERANDS
from ..dispatch.not_differentiable import refusing
from ..dispatch.out_argument import BY_COLUMNS, write_out
from ..dispatch.overriding import dispatching
from ..dispatch.signatures import signatures, signed
from ..inplace.inplace import inplace
from ..state.concrete import concrete, mapped
from ..types import output_tuples
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase, wrap
from .axes import check_unique, wrap_dim
from .index_arrays import AT, along, check_long, grid, ordered
from .indexing import fetched


@moving("gather", blind=True)
def gather(input, dim, index, *, sparse_grad=False):
    """Take the elements at one index per output element along an axis."""
    if index.size:
        check_long("gather", index)
    d = wrap_dim(dim, input.ndim)
    if not index.size and index.ndim != input.ndim:
        return cnp.reshape(cnp.reshape(input, (-1,))[:0], index.shape)
    if not input.ndim or not index.ndim:  # a number counts as a tensor of one element
        out = gather.row.body(*[cnp.reshape(x, (1,)) if not x.ndim else x for x in (input,)], d,
                              index if index.ndim else cnp.reshape(index, (1,)))
        return cnp.reshape(out, index.shape)
    if input.ndim != index.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    within(index, d, input.shape[d])
    for a in range(input.ndim):
        if a != d and index.shape[a] > input.shape[a]:
            raise RuntimeError(f"Size does not match at dimension {a} expected index {list(index.shape)} to be no "
                               "larger "
                               f"than self {list(input.shape)} apart from dimension {d}")
    return fetched(part_of(input, index.shape, d), grid(index, d))


def within(index, d, size):
    """torch's refusal of an index that an axis has not."""

    def check(index):
        bad = index[(index < 0) | (index >= size)]
        if bad.size:
            raise RuntimeError(f"index {int(bad[0])} is out of bounds for dimension {d} with size {size}")

    insist(check, index)


def part_of(x, shape, d):
    """`x` cut to the lengths of `shape` on all axes but one."""
    index = tuple([slice(None) if a == d else slice(0, n) for a, n in enumerate(shape)])
    return x[index]


def scattered(x, dim, index, src, add):
    """`x` with `src` put (or added) at one index per axis."""
    check_long("scatter", index)
    index = stripped(index)
    d = wrap_dim(dim, x.ndim)
    if hasattr(src, "dtype") and src.ndim:
        if src.dtype != x.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
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
    at = AT(x)[grid(index, d)]
    return at.add(src) if add else at.set(src)


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
    source = src if value is None else value
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
    return scattered(input, dim, index, src, True)


@moving("index_select", blind=True)
def index_select(input, dim, index):
    """Select indices of an axis; the output is a copy."""
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    check_long("index_select", index)
    if not input.ndim:
        return REGISTRY["duplicate"].fun(input)
    d = wrap_dim(dim, input.ndim)
    flat = cnp.reshape(index, (-1,))
    size = input.shape[d]
    if not size and flat.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")

    def check(flat):
        bad = flat[(flat < 0) | (flat >= size)]
        if bad.size and d == 1:  # torch has a kernel of its own for the second axis
            raise RuntimeError(f"INDICES element is out of DATA bounds, id={bad[0]} axis_dim={size}")
        if bad.size:
            raise IndexError("index out of range in self")

    insist(check, flat)
    return cnp.take(input, flat, axis=d)


def at_axis(name, x, dim, index, write, source=None):
    """`x` with `write(x.at[…], part)` at the indices of an axis; a 0-d tensor counts as one of one element.

    `source` becomes the part, where it fits.
    """
    d = wrap_dim(dim, x.ndim)
    if name == "index_fill":
        if index.dtype != np.int64:
            raise IndexError("index_fill_(): Expected dtype int64 for index.")
        if index.ndim > 1:
            raise RuntimeError("Index has to be a vector/scalar")
    elif index.ndim > 1:
        raise IndexError(f"{name}_(): Index is supposed to be a vector, but got dim: {index.ndim}")
    check_long(name, index)
    index = primal_of(index)
    whole = x if x.ndim else cnp.reshape(x, (1,))
    index = cnp.reshape(index, (-1,))
    n, shape = whole.shape[d], (*whole.shape[:d], index.shape[0], *whole.shape[d + 1 :])
    part = None if source is None else part_like(name, x, source, shape, dim,
                                                 IndexError if name == "index_copy" else RuntimeError)
    places = numbers(index)
    bad = None if places is None else (places < (0 if name == "index_add" else -n)) | (places >= n)
    if bad is not None and bad.any():
        if name == "index_add" and x.ndim > 1:
            raise RuntimeError(f"index {int(places[bad][0])} is out of bounds for dimension {d} with size {n}")
        raise IndexError("index out of range in self")
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


@moving("index_add", inplace_form=True)
def index_add(input, dim, index, source, *, alpha=1):
    """Add slices of `source` at indices of an axis; the output is a copy."""
    return at_axis("index_add", input, dim, index, lambda at, part: at.add(part),
                   source if alpha == 1 else source * promote(source, alpha)[1])


@moving("index_copy", inplace_form=True)
def index_copy(input, dim, index, source):
    """Write slices of `source` at indices of an axis; the output is a copy."""
    return at_axis("index_copy", input, dim, index, lambda at, part: at.set(part), source)


@moving("index_fill", inplace_form=True, layout=LIKE_OPERANDS)
def index_fill(input, dim, index, value):
    """Write a number at indices of an axis; the output is a copy."""
    if hasattr(value, "dtype") and value.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    value = filled(value, input.dtype)
    return at_axis("index_fill", input, dim, index, lambda at, _: at.set(value))


def check_indices(indices):
    """torch's refusal of indices that are no tensors."""
    for i, v in enumerate(indices):
        if v is not None and not hasattr(v, "dtype"):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(v).__name__}")


@dispatching
def index_put_(self, indices, values, accumulate=False):
    """`self[indices] = values`, or `+=` with duplicates adding up."""
    if isinstance(values, TensorBase) and values.dtype is not self.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{type_word(self.dtype.numpy)} for the destination and {type_word(values.dtype.numpy)} for "
                           "the source.")

    check_indices(indices)

    def fn(x, v, *places):
        at = AT(x)[tuple([i if i is None else primal_of(i) for i in places])]
        return at.add(v) if accumulate else at.set(v)

    return inplace(self, "index_put_", fn, (values, *indices), node_name="IndexPutBackward0")


@operation("index_put", layout=LIKE_FIRST)
def index_put(input, indices, values, accumulate=False):
    """Return a copy with `values` written or added at `indices`."""
    check_indices(indices)
    at = AT(input)[tuple([i if i is None else primal_of(i) for i in indices])]
    return at.add(values) if accumulate else at.set(values)


attach("index_put_", index_put_)


@moving("take")
def take(input, index):
    """Take elements of the flattened tensor by index."""
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {type_word(index.dtype)}")
    return cnp.take(cnp.reshape(input, (-1,)), index)


@moving("take_along_dim")
def take_along_dim(input, indices, dim=None):
    """Take elements by index along an axis; the other axes broadcast."""
    if dim is None:
        check_long("gather", indices)
        return cnp.take_along_axis(cnp.reshape(input, (-1,)), cnp.reshape(indices, (-1,)), 0)
    if input.ndim != indices.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions, but "
                           f"got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    if indices.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{type_word(indices.dtype)}")
    d = wrap_dim(dim, input.ndim)
    for a, (m, n) in enumerate(zip(input.shape, indices.shape)):
        if a != d and 1 != m != n != 1:
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {a}")
    return cnp.take_along_axis(input, indices, d)


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


@moving("masked_select")
def masked_select(input, mask):
    """Return the elements where a mask is true, as a vector."""
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    known = mask
    while isinstance(known, Tracer):
        if isinstance(known, Batched):
            raise RuntimeError("vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot "
                               "support this because for each batch this would return a differently shaped Tensor. Use "
                               "torch.where(mask, x, 0).")
        known = known.value
    shape = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    return cnp.broadcast_to(input, shape)[cnp.broadcast_to(mask, shape)]


@moving("masked_scatter", inplace_form=True, layout=IN_ORDER)
def masked_scatter(input, mask, source):
    """Write the elements of `source`, in order, where a mask is true; the output is a copy."""
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{type_word(mask.dtype)}")
    shape = np.broadcast_shapes(input.shape, np.shape(mask))
    input = cnp.broadcast_to(input, shape)
    if not isinstance(mask := primal_of(mask), np.ndarray | np.generic):  # differs between examples
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
    mask = np.broadcast_to(np.asarray(mask), shape)
    count = int(mask.sum())
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return AT(input)[mask].set(cnp.reshape(source, (-1,))[:count])


@moving("sort", layout=LIKE_OPERANDS)
def sort(input, dim=-1, descending=False, stable=False):
    """Sort along an axis; returns the values and their indices."""
    if not input.ndim:
        return output_tuples.sort(REGISTRY["duplicate"].fun(input), np.zeros((), np.int64))
    d = wrap_dim(dim, input.ndim)
    order = ordered(input, d, descending)
    return output_tuples.sort(along(input, order, d), order)


@moving("argsort", layout=LIKE_OPERANDS)
def argsort(input, dim=-1, descending=False, stable=False):
    """Return the indices that sort along an axis."""
    return ordered(input, wrap_dim(dim, input.ndim), descending) if input.ndim else np.zeros((), np.int64)


@moving("msort", layout=LIKE_FIRST)
def msort(input):
    """Sort along the first axis."""
    return along(input, ordered(input, 0, False), 0) if input.ndim else input


@moving("topk")
def topk(input, k, dim=-1, largest=True, sorted=True):  # noqa: A002
    """Return the `k` largest or smallest elements along an axis, and their indices."""
    d = wrap_dim(dim, input.ndim)
    if not 0 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if not input.ndim:
        return output_tuples.topk(input, np.zeros((), np.int64))
    order = ordered(input, d, largest)
    order = order[(slice(None),) * d + (slice(0, k),)]
    order = np.ascontiguousarray(order) if isinstance(order, np.ndarray) else order
    return output_tuples.topk(along(input, order, d), order)


@moving("kthvalue")
def kthvalue(input, k, dim=-1, keepdim=False):
    """Return the k-th smallest element along an axis, and its index."""
    d = wrap_dim(dim, input.ndim)
    if input.ndim and not input.shape[d]:
        raise IndexError(f"kthvalue(): Expected reduction dim {d} to have non-zero size.")
    if not 1 <= k <= (input.shape[d] if input.ndim else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(d))
    if not input.ndim:
        return output_tuples.kthvalue(input, np.zeros((), np.int64))
    place = ordered(input, d, False)[(slice(None),) * d + (slice(k - 1, k),)]
    place = np.ascontiguousarray(place) if isinstance(place, np.ndarray) else place
    value = along(input, place, d)
    return output_tuples.kthvalue(value, place) if keepdim else output_tuples.kthvalue(
        cnp.squeeze(value, d), cnp.squeeze(place, d))


def _middle(input, dim, keepdim, kind, skip):
    """The lower middle value of an axis and its place; NaN is the output, or skipped."""
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return kind(input, np.zeros((), np.int64))
    n = input.shape[d]
    if not n:
        raise IndexError(f"median(): Expected reduction dim {d} to have non-zero size.")
    order = ordered(input, d, False)  # NaN last
    if input.dtype.kind in "fV":
        count = cnp.sum((input == input).astype(np.int64), axis=d, keepdims=True)
        spot = cnp.maximum(count - 1, 0) // 2 if skip else cnp.where(count < n, cnp.minimum(count, n - 1), (n - 1) // 2)
        place = along(order, spot, d)
    else:
        place = order[(slice(None),) * d + (slice((n - 1) // 2, (n - 1) // 2 + 1),)]
    value = along(input, place, d)
    return kind(value, place) if keepdim else kind(cnp.squeeze(value, d), cnp.squeeze(place, d))


def _median(name, kind, skip):
    @moving(name, doc="The lower of the middle values")
    def median(input, dim=None, keepdim=False):
        if input.dtype.kind in "cb":
            raise NotImplementedError(f"\"median_cpu\" not implemented for '{type_word(input.dtype)}'")
        if dim is not None:
            return _middle(input, dim, keepdim, kind, skip)
        flat = cnp.reshape(input, (-1,))
        if not flat.shape[0]:
            if input.dtype.kind in "fV":
                return cnp.sum(flat) + np.asarray(np.nan, input.dtype)
            return np.asarray(np.iinfo(input.dtype).min, input.dtype)
        return shared(flat, _middle(primal_of(flat), 0, False, kind, skip)[0])


def shared(flat, value):
    """A value among those of a vector, its gradient shared evenly by all that have it."""
    if isinstance(flat, np.ndarray) or flat.dtype.kind not in "fcV":
        return value
    mine = (primal_of(flat) == value) | (primal_of(flat) != primal_of(flat)) & (value != value)
    zero = np.zeros((), flat.dtype)
    mean = cnp.sum(cnp.where(mine, flat, zero)) / cnp.sum(mine.astype(flat.dtype))
    return mean + (value - primal_of(mean))


_median("median", output_tuples.median, False)
_median("nanmedian", output_tuples.nanmedian, True)


@signed("nonzero")
def nonzero(input, *, out=None, as_tuple=False):
    """Return the indices of nonzero elements."""
    if mapped(input):
        raise RuntimeError(DYNAMIC.format("nonzero"))
    if out is not None:
        if as_tuple and isinstance(out, TensorBase):
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        return write_out("nonzero", out, nonzero(input).value, [], BY_COLUMNS, signatures("nonzero")[0])
    if as_tuple:
        return tuple([index_tensor(i) for i in np.nonzero(np.atleast_1d(concrete(input, "item")) != 0)])
    if not input.ndim:
        return index_tensor(np.zeros((int(bool(input.item())), 0), np.int64))
    return wrap(np.stack(np.nonzero(concrete(input, "item") != 0)).T)  # its columns are contiguous, as torch's are


def index_tensor(array):
    """A tensor of positions."""
    return wrap(np.asarray(array, np.int64, order="C"))


attach("nonzero", nonzero)
attach("argwhere", lambda self: nonzero(self))


@signed("unique")
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):  # noqa: A002
    """Return the distinct values, sorted; not differentiable."""
    if mapped(input):
        raise RuntimeError(DYNAMIC.format("_unique2"))
    array = concrete(input, "item")
    if dim is not None:
        check_unique(array, dim)
    out = np.unique(array, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    found = [refusing(wrap(np.ascontiguousarray(out[0])), input, "_unique2" if dim is None else "unique_dim",
                      "Unique2Backward0" if dim is None else "UniqueDimBackward0")]
    if return_inverse:
        found.append(index_tensor(out[1].reshape(array.shape if dim is None else -1)))
    if return_counts:
        found.append(index_tensor(out[2]))
    return found[0] if len(found) == 1 else tuple(found)


attach("unique", unique)
PLAIN = {"nonzero": nonzero, "argwhere": lambda input: nonzero(input), "unique": unique}
