"""Combinations of tensors, block matrices, index grids, and parts of tensors replaced."""

import itertools

import numpy as np

from ..dispatch.call import ROWS, attach, method, operation, promote, to
from ..dispatch.host_ops import DYNAMIC, on_host
from ..dispatch.layouts import IN_ORDER, LIKE_FIRST, by_axis
from ..dispatch.not_differentiable import refusing
from ..dispatch.overriding import dispatching
from ..dispatch.signatures import integers, signed
from ..factories.creation import new_leaf, numpy_dtype
from ..modes.warnings import first, tell
from ..state.levels import concrete, mapped
from ..types import dtypes
from ..types.tensor_type import Tensor, TensorBase
from ..views.fast import by_axes, viewing
from .array_functions import cnp
from .axes import check_strides, check_unique, shape_of, without_order, wrap_dim
from .index_arrays import AT
from .shaping import permute, swapped, transpose
from .splitting import split

# Transposes by attribute, `T`, `mT`, `H` and `mH`, and `adjoint`.


def reversed_axes(t):
    """`Tensor.T`: the axes in the opposite order; a warning for what is no matrix."""
    n = len(shape_of(t))
    found = permute(t, tuple(range(n))[::-1])
    if n != 2 and first("T"):
        tell("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
             "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
             "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor." if n else
             "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    return found


def matrix_turned(t):
    """`Tensor.mT`: the last two axes exchanged."""
    n = len(shape_of(t))
    if n == 1:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0 and first("mT"):
        tell("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
    return transpose(t, -2, -1) if n else t


def conjugated(t):
    """`Tensor.H`: a matrix transposed and conjugated."""
    n = len(shape_of(t))
    if n not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {n}-D tensor."
                           + (" For batches of matrices, consider using tensor.mH" if n > 2 else ""))
    if n == 0 and first("H"):
        tell("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().")
    return conjugate(transpose(t, 0, 1) if n else t)


def adjoint(input):
    """Return the conjugate transpose of the last two axes."""
    return turned_and_conjugate(input, "adjoint()")


def turned_and_conjugate(t, word):
    """The implementation of `adjoint`; `word` is the attribute that the user wrote."""
    n = len(shape_of(t))
    if n == 1:
        raise RuntimeError(f"tensor.{word} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if n == 0 and first(word):
        tell(f"{'Tensor.' * (word == 'mH')}{word} is deprecated on 0-D tensors. Consider using x.conj().")
    return conjugate(transpose(t, -2, -1) if n else t)


def conjugate(t):
    """The conjugate of a complex tensor; any other as it is."""
    return ROWS["conj"].fun(t) if t.is_complex() else t


Tensor.T = property(viewing(
    lambda shape: by_axes((1, 0), "PermuteBackward0") if len(shape) == 2 else None, reversed_axes))
Tensor.mT = property(viewing(lambda shape: swapped(shape, -2, -1) if len(shape) > 1 else None, matrix_turned))
Tensor.H = property(conjugated)
Tensor.mH = property(lambda self: turned_and_conjugate(self, "mH"))
attach("adjoint", adjoint)


def check_tensors(values):
    """torch's refusal of what is no tensor, or no value of one."""
    for i, v in enumerate(values):
        if not hasattr(v, "dtype") or not hasattr(v, "ndim"):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(v).__name__}")


def cartesian_prod(*tensors):
    """Return the Cartesian product of vectors, one combination per row."""
    check_tensors(tensors)
    return _cartesian_prod(*tensors) if len(tensors) != 1 or tensors[0].ndim != 1 else tensors[0]


@operation("cartesian_prod", method=False, register=False, node="StackBackward0")
def _cartesian_prod(*tensors):
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError("Expect a 1D vector, but got shape " + str(list(t.shape)))
    if len({t.dtype for t in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    grid = tuple([t.shape[0] for t in tensors])  # without index arrays, which nodes would save
    turned = [cnp.reshape(t, (-1,) + (1,) * (len(grid) - 1 - k)) for k, t in enumerate(tensors)]
    return cnp.stack([cnp.reshape(cnp.broadcast_to(t, grid), (-1,)) for t in turned], axis=1)


@operation("combinations", method=False)
def combinations(input, r=2, with_replacement=False):
    """Return all combinations of `r` elements of a vector, one per row."""
    if input.ndim != 1:
        raise RuntimeError("Expect a 1D vector, but got shape " + str(list(input.shape)))
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if not r:
        return np.empty(0, input.dtype)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.shape[0]), r)), np.int64).reshape(-1, r)
    return input[rows]


@operation("block_diag", method=False, out=False, layout=IN_ORDER)
def block_diag(*tensors):
    """Build a block-diagonal matrix."""
    check_tensors(tensors)
    if not tensors:
        return np.empty((1, 0), dtypes.Default.float.numpy)
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                               f"{i} has {t.ndim} dimensions")
    blocks = [cnp.reshape(t, (1, -1)) if t.ndim < 2 else t for t in promote(*tensors)]
    width = sum(b.shape[1] for b in blocks)
    rows, start = [], 0
    for b in blocks:
        rows.append(cnp.pad(b, [(0, 0), (start, width - start - b.shape[1])]))
        start += b.shape[1]
    return cnp.concatenate(rows, axis=0)


@operation("diagflat")
def diagflat(input, offset=0):
    """Build a matrix with the flattened input on a diagonal."""
    return ROWS["diag_embed"].body(cnp.reshape(input, (-1,)), offset)


def triangle(name, lower_part):
    """`tril_indices` and `triu_indices`."""

    def indices(row, col, offset=0, *, dtype=dtypes.int64, device=None, layout=None):
        for word, n in (("row", row), ("col", col)):
            if n < 0:
                raise RuntimeError(f"{word} must be non-negative, got{n}")
        rows = np.arange(row)
        ends = np.minimum(np.maximum(rows + (offset + 1 if lower_part else offset), 0), col)
        starts, counts = (0, ends) if lower_part else (ends, col - ends)
        before = counts.cumsum()
        found = np.empty((2, int(before[-1]) if row else 0), numpy_dtype(dtype))
        found[0] = rows.repeat(counts)
        np.subtract(np.arange(found.shape[1]), (before - counts - starts).repeat(counts), out=found[1],
                    casting="unsafe")
        return new_leaf(found)

    indices.__name__ = indices.__qualname__ = name
    indices.__doc__ = f"Return row and column indices of the {'lower' if lower_part else 'upper'} triangle of a matrix."
    return indices


def unravel_index(indices, shape):
    """Convert flat indices to one index tensor per axis."""
    if indices.dtype.category != 1:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    shape = (int(shape),) if isinstance(shape, int) else tuple(shape)
    for n in shape:
        if not isinstance(n, int | np.integer):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    out, steps = [], np.cumprod([1, *shape[::-1]])[:-1][::-1]
    indices = indices.to(dtypes.int64)
    for n, step in zip(shape, steps.tolist()):
        out.append((indices // step) % n)
    return ROWS["stack"].fun(out, -1).unbind(-1) if out else ()  # views of one tensor, as torch's


def pieces(n, parts, name):
    """The starts and ends of `tensor_split`: equal parts, or the places where to cut."""
    if isinstance(parts, TensorBase):
        if parts.ndim > 1:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                               f"one-dimensional tensor, but got a tensor with {parts.ndim} dims")
        parts = parts.tolist()
    if isinstance(parts, int):
        if parts < 1:
            raise RuntimeError(f"number of sections must be larger than 0, got {parts}")
        size, more = divmod(n, parts)
        cuts = np.cumsum([0] + [size + (i < more) for i in range(parts)]).tolist()
        return list(zip(cuts, cuts[1:]))
    cuts = [0, *[int(c) for c in parts], n]
    bounds = [slice(a, b).indices(n) for a, b in zip(cuts, cuts[1:])]
    return [(a, max(a, b)) for a, b, _ in bounds]


@method("tensor_split")
@signed("tensor_split")
@dispatching
def tensor_split(input, indices_or_sections=None, dim=0, *, sections=None, indices=None, axis=None):
    """Split an axis into views, by a number of sections or by indices."""
    dim = dim if axis is None else axis
    parts = next(p for p in (indices_or_sections, sections, indices) if p is not None)
    if isinstance(parts, TensorBase) and parts.dtype is not dtypes.int64:
        raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                           f"{dtypes.type_word(parts.dtype.numpy)}")
    parts = parts if isinstance(parts, TensorBase) else integers(parts)
    shape = shape_of(input)
    if not shape:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, len(shape))
    return tuple([ROWS["narrow"].fun(input, d, a, b - a) for a, b in pieces(shape[d], parts, "tensor_split")])


def split_along(name, least, axis_of):
    """`hsplit` and related functions."""

    def parts(input, indices_or_sections=None, *, sections=None, indices=None):
        n = len(shape_of(input))
        if n < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, "
                               f"but got a tensor with {n} dimensions!")
        chosen = next(p for p in (indices_or_sections, sections, indices) if p is not None)
        d = axis_of(n)
        if isinstance(chosen, int) and (chosen == 0 or shape_of(input)[d] % chosen):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size of the dimension "
                               f"{shape_of(input)[d]} is not divisible by the split_size {chosen}!")
        return tensor_split(input, chosen, d)

    method(name, doc="Parts of an axis as views")(signed(name, loose=True)(parts))


split_along("hsplit", 1, lambda n: 0 if n == 1 else 1)
split_along("vsplit", 2, lambda n: 0)
split_along("dsplit", 3, lambda n: 2)


@method("split_with_sizes")
def split_with_sizes(input, split_sizes, dim=0):
    """Split an axis into views of the given lengths."""
    return split(input, list(split_sizes), dim)


@method("unsafe_split")
def unsafe_split(input, split_size, dim=0, *, axis=None):
    """Split an axis into consecutive ranges, as `split`."""
    return split(input, split_size, dim if axis is None else axis)


@method("unsafe_chunk")
def unsafe_chunk(input, chunks, dim=0, *, axis=None):
    """Split an axis into at most `chunks` consecutive ranges, as `chunk`."""
    return ROWS["chunk"].fun(input, chunks, dim if axis is None else axis)


_UNEQUAL = "expected src to have a size equal to the slice of self. src size = {}, slice size = {}"


def scattered(name, index_of, **facts):
    """A copy with a view of it replaced: `select_scatter` and similar ones."""

    def body(input, src, *args, **named):
        where, shape = index_of(input, *args, **named)
        if tuple(src.shape) != tuple(shape):
            raise RuntimeError(_UNEQUAL.format(list(src.shape), list(shape)))
        return AT(input)[where].set(src if src.dtype == input.dtype else src.astype(input.dtype))

    operation(name, doc="A copy with a part replaced", **facts)(body)


def _selected(input, dim, index):
    d = wrap_dim(dim, input.ndim)
    if not -input.shape[d] <= index < input.shape[d]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension "
                         f"{d}")
    return (slice(None),) * d + (int(index),), (*input.shape[:d], *input.shape[d + 1 :])


def _sliced(input, dim=0, start=None, end=None, step=1):
    d = wrap_dim(dim, input.ndim)
    cut = slice(start, end, step)
    n = len(range(*cut.indices(input.shape[d])))
    return (slice(None),) * d + (cut,), (*input.shape[:d], n, *input.shape[d + 1 :])


scattered("select_scatter", _selected)
scattered("slice_scatter", _sliced)


@operation("diagonal_scatter", layout=LIKE_FIRST)
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """Return a copy in which a diagonal is replaced by `src`."""
    a, b = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    order = [*[k for k in range(input.ndim) if k not in (a, b)], a, b]
    *rest, rows, columns = [input.shape[k] for k in order]
    n = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    if tuple(src.shape) != (*rest, n):
        raise RuntimeError(_UNEQUAL.format(list(src.shape), [*rest, n]))
    first = max(-offset, 0) * columns + max(offset, 0)  # a basic index of matrices laid flat, which no node saves
    flat = AT(cnp.reshape(cnp.transpose(input, order), (*rest, rows * columns)))[
        ..., first : first + (n > 0) * ((n - 1) * (columns + 1) + 1) : columns + 1]
    out = cnp.reshape(flat.set(to(src, input.dtype)), (*rest, rows, columns))
    return cnp.transpose(out, [order.index(k) for k in range(input.ndim)])



@operation("as_strided_scatter")
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """Return a copy in which a strided view is replaced by `src`."""
    check_strides(size, stride, storage_offset)
    offset = storage_offset or 0
    index = np.full(tuple(size), offset)
    for a, s in enumerate(stride):
        index = index + (np.arange(size[a]) * s).reshape((-1,) + (1,) * (len(size) - 1 - a))
    if index.size and index.max() >= input.size:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
                           f"itemsize {input.dtype.itemsize} requiring a storage size of "
                           f"{(int(index.max()) + 1) * input.dtype.itemsize} are out of bounds for storage of size "
                           f"{input.size * input.dtype.itemsize}")
    flat = AT(cnp.reshape(input, (-1,)))[index.reshape(-1)].set(cnp.reshape(to(src, input.dtype), (-1,)))
    return cnp.reshape(flat, input.shape)


@operation("_sum_to_size", method=False, register=False, node="SumBackward1")
def _sum_to_size(input, size):
    lead = input.ndim - len(size)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(size) if n == 1 and input.shape[i + lead] != 1)
    return cnp.reshape(ROWS["sum"].body(input, axes or None), size)


def sum_to_size(self, *sizes, size=None):
    """Sum over the axes along which `size` would be broadcast."""
    size = sizes if size is None else (*sizes, size)
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    shape = shape_of(self)
    try:
        fits = np.broadcast_shapes(size, shape) == shape and len(size) <= len(shape)
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    return self if tuple(size) == shape and size else _sum_to_size(self, tuple(size))


attach("sum_to_size", sum_to_size)


def copies(name, of):
    """`view_copy` of a view operation."""

    def fun(input, *args, **named):
        found = of(input, *args, **named)
        return tuple([t.clone() for t in found]) if isinstance(found, tuple) else found.clone()

    fun.__name__ = fun.__qualname__ = f"{name}_copy"
    fun.__doc__ = f"A copy of what `{name}` gives."
    return fun


@signed("unique_consecutive")
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Remove consecutive duplicates; not differentiable."""
    if mapped(input):
        raise RuntimeError(DYNAMIC.format("unique_consecutive"))
    array = on_host(concrete(input, "item"))
    without_order("unique" if dim is None else "unique_dim", array)
    if dim is not None:
        check_unique(array, dim)
    rows = array.reshape(-1) if dim is None else np.moveaxis(array, dim, 0)
    n = rows.shape[0]
    fresh = np.ones(n, bool)
    if n:
        fresh[1:] = (rows[1:] != rows[:-1]).reshape(n - 1, rows[0].size).any(1)
    places = np.nonzero(fresh)[0]
    out = rows[places]
    out = by_axis(out if dim is None else np.moveaxis(out, 0, dim), dim)
    found = [refusing(new_leaf(out, device=input.device), input, "unique_consecutive", "UniqueConsecutiveBackward0")]
    if return_inverse:
        inverse = np.cumsum(fresh) - 1
        found.append(new_leaf(inverse.reshape(array.shape) if dim is None else inverse, device=input.device))
    if return_counts:
        found.append(new_leaf(np.diff(np.append(places, n)).astype(np.int64), device=input.device))
    return found[0] if len(found) == 1 else tuple(found)


attach("unique_consecutive", unique_consecutive)
attach("narrow_copy", copies("narrow", ROWS["narrow"].fun))
PLAIN = {"cartesian_prod": cartesian_prod,
         "tril_indices": triangle("tril_indices", True), "triu_indices": triangle("triu_indices", False),
         "unravel_index": unravel_index, "unique_consecutive": unique_consecutive, "adjoint": adjoint,
         **{f"{n}_copy": copies(n, ROWS[n].fun) for n in (
             "select", "unbind", "split", "split_with_sizes", "permute", "transpose", "t", "unsqueeze", "squeeze",
             "expand", "diagonal", "narrow", "unfold", "view_as_real", "view_as_complex", "as_strided")},
         "view_copy": copies("view", lambda t, *size: t.view(*size)), "alias_copy": lambda input: input.clone(),
         "detach_copy": lambda input: input.detach().clone()}
