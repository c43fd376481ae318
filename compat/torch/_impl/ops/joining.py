"""Joining tensors, and the operations that copy parts of them about."""

import numpy as np

from .....extend import REGISTRY
from ..dispatch.call import ROWS, attach, moving, otherwise, promote
from ..dispatch.host_ops import known
from ..dispatch.layouts import IN_ORDER, LIKE_OPERANDS, check_broadcast, laid_out, layout
from ..dispatch.out_argument import Target
from ..dispatch.signatures import gathered
from ..modes.warnings import first, tell
from ..types.dtypes import type_word
from ..types.size import Size
from ..types.tensor_type import TensorBase, bottom
from .array_functions import cnp
from .axes import distinct, shape_argument, shape_of, wrap_dim
from .shaping import reshape
from .unit_axes import broadcast_to, unsqueeze


def same_kind(tensors, name):
    """A list of core values of one dtype, or torch's errors."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if not len(tensors):
        if name == "cat":
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if not hasattr(t, "dtype"):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    return list(promote(*tensors))


# PyTorch gives a TypeError where the dtype of `out=` does not fit these.
JOINED = Target(error=TypeError)


@moving("cat", blind=True, method=False, layout=IN_ORDER, out=JOINED)
def cat(tensors, dim=0):
    """Concatenate tensors along an existing axis."""
    values = same_kind(tensors, "cat")
    for i, v in enumerate(values):
        if not v.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    kept = [v for v in values if tuple(v.shape) != (0,)] or values[:1]
    d = wrap_dim(dim, kept[0].ndim)
    first = kept[0]
    for i, v in enumerate(kept[1:], 1):
        if v.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {v.ndim}")
        for a in range(v.ndim):
            if a != d and v.shape[a] != first.shape[a]:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {d}. Expected size "
                                   f"{first.shape[a]} but got size {v.shape[a]} for tensor number {i} in the list.")
    if len(kept) < len(values):  # empty vectors fit everything; they give nothing, but keep their history
        none = (*first.shape[:d], 0, *first.shape[d + 1 :])
        kept = [cnp.reshape(v, none) if tuple(v.shape) == (0,) else v for v in values]
    return cnp.concatenate(kept, axis=d)


@moving("stack", blind=True, method=False, layout=IN_ORDER, out=JOINED)
def stack(tensors, dim=0):
    """Stack tensors along a new axis."""
    values = same_kind(tensors, "stack")
    d = wrap_dim(dim, values[0].ndim, extra=1)
    for i, v in enumerate(values):
        if tuple(v.shape) != tuple(values[0].shape):
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(values[0].shape)} at "
                               "entry 0 and "
                               f"{list(v.shape)} at entry {i}")
    return cnp.stack(values, axis=d)


for _alias in ("concat", "concatenate"):
    ROWS[_alias] = ROWS["cat"]


def _least(values, n):
    return [cnp.reshape(v, (1,) * (n - v.ndim) + tuple(v.shape)) if v.ndim < n else v for v in values]


@moving("hstack", blind=True, method=False, layout=IN_ORDER, out=JOINED)
def hstack(tensors):
    """Concatenate tensors horizontally: along the second axis, or the first for vectors."""
    values = _least(same_kind(tensors, "hstack"), 1)
    return cat.row.body(values, 0 if values[0].ndim == 1 else 1)


@moving("vstack", blind=True, method=False, layout=IN_ORDER, out=JOINED)
def vstack(tensors):
    """Concatenate tensors vertically, along the first axis."""
    return cat.row.body(_least(same_kind(tensors, "vstack"), 2), 0)


ROWS["row_stack"] = ROWS["vstack"]


@moving("dstack", method=False, layout=IN_ORDER, out=JOINED)
def dstack(tensors):
    """Concatenate tensors along the third axis."""
    values = [cnp.reshape(v, (*v.shape, 1)) if v.ndim == 2 else v for v in _least(same_kind(tensors, "dstack"), 2)]
    values = [cnp.reshape(v, (*v.shape, 1)) if v.ndim == 2 else v for v in values]
    return cat.row.body(values, 2)


@moving("column_stack", method=False, out=JOINED)
def column_stack(tensors):
    """Stack vectors as the columns of a matrix."""
    values = [cnp.reshape(v, (-1, 1)) if v.ndim < 2 else v for v in same_kind(tensors, "column_stack")]
    return cat.row.body(values, 1)


@moving("flip", blind=True, layout=LIKE_OPERANDS, method=gathered)
def flip(input, dims):
    """Reverse axes; the output is a copy."""
    dims = distinct([wrap_dim(d, input.ndim) for d in dims])
    return cnp.flip(input, axis=tuple(dims)) if input.ndim else input


@moving("fliplr", layout=LIKE_OPERANDS, node="FlipBackward0")
def fliplr(input):
    """Reverse the second axis; the output is a copy."""
    if input.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return cnp.flip(input, axis=1)


@moving("flipud", layout=LIKE_OPERANDS, node="FlipBackward0")
def flipud(input):
    """Reverse the first axis; the output is a copy."""
    if input.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return cnp.flip(input, axis=0)


@moving("roll", blind=True, layout=IN_ORDER)
def roll(input, shifts, dims=None):
    """Shift elements cyclically along axes."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    dims = () if dims is None else (dims,) if isinstance(dims, int) else tuple(dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if dims and not input.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    axes = tuple([wrap_dim(d, input.ndim) for d in dims])
    return cnp.roll(input, shifts if axes else shifts[0], axis=axes or None)


def _quarters(array, tensors, args, named):
    """A rotated array, copied: odd quarter turns are transpositions of what lies as the operand does."""
    x = bottom(tensors[0])
    k = args[1] if len(args) > 1 else named.get("k", 1)
    first, second = args[2] if len(args) > 2 else named.get("dims", (0, 1))
    if k % 2 == 0:
        return laid_out(array, x) if k % 4 else np.ascontiguousarray(array)
    return laid_out(np.ascontiguousarray(array).swapaxes(first, second), x).swapaxes(first, second)


@moving("rot90", layout=layout(_quarters))
def rot90(input, k=1, dims=(0, 1)):
    """Rotate by multiples of 90 degrees in the plane of two axes."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    return cnp.rot90(input, k, axes=tuple(dims))


@moving("repeat", blind=True, method=False, register=False, node="RepeatBackward0")
def _repeat(input, sizes):
    return cnp.tile(input, sizes)


def repeat(self, *sizes, repeats=None):
    """Repeat the tensor along each axis."""
    sizes = shape_argument(sizes if repeats is None else (*sizes, repeats))
    if len(sizes) < self.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return _repeat(self, sizes)


attach("repeat", repeat)


@moving("tile", method=gathered)
def tile(input, dims):
    """Repeat the tensor along each axis."""
    return cnp.tile(input, tuple(dims))


@moving("repeat_interleave")
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Repeat each element."""
    counts = input if repeats is None else repeats
    if hasattr(counts, "dtype") and counts.dtype.kind + str(counts.dtype.itemsize) not in ("i4", "i8"):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{type_word(counts.dtype)}'")
    if repeats is None:
        return np.repeat(np.arange(len(input), dtype=input.dtype), known("repeat_interleave", input))
    if dim is None:
        input, dim = cnp.reshape(input, (-1,)), 0
    dim = wrap_dim(dim, input.ndim)
    if not isinstance(repeats, int) or repeats < 0 or not input.ndim:
        return cnp.repeat(input, repeats if isinstance(repeats, int) else known("repeat_interleave", repeats), axis=dim)
    before, rest = input.shape[:dim + 1], input.shape[dim + 1:]  # saves no index
    each = cnp.broadcast_to(cnp.expand_dims(input, dim + 1), (*before, repeats, *rest))
    return cnp.reshape(each, (*before[:-1], before[-1] * repeats, *rest))


def least_two(name, x):
    """torch's refusal of vectors."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@moving("tril", blind=True, inplace_form=True, layout=IN_ORDER)
def tril(input, diagonal=0):
    """Set the elements above a diagonal to 0."""
    least_two("tril", input)
    return REGISTRY["triangle"].fun(input, diagonal, False)


@moving("triu", blind=True, inplace_form=True, layout=IN_ORDER)
def triu(input, diagonal=0):
    """Set the elements below a diagonal to 0."""
    least_two("triu", input)
    return REGISTRY["triangle"].fun(input, diagonal, True)


@moving("diag", node={lambda given, named: given[0].ndim == 1: "DiagEmbedBackward0",
                         otherwise: "DiagonalBackward0"})
def diag(input, diagonal=0):
    """Extract the diagonal of a matrix, or build a matrix from a vector."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    if input.ndim == 1:
        return ROWS["diag_embed"].body(input, diagonal)
    return REGISTRY["duplicate"].fun(diagonal_of(input, diagonal))


@moving("trace")
def trace(input):
    """Sum the diagonal of a matrix."""
    if input.ndim != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(input.ndim))
    input = input.astype(np.int64) if input.dtype.kind in "biu" else input
    return cnp.sum(diagonal_of(input, 0))


def diagonal_of(x, offset):
    """A diagonal of a matrix, by a step through its rows: so that no indices are saved."""
    n, m = x.shape
    count = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    first = m * max(-offset, 0) + max(offset, 0)
    return cnp.reshape(x, (-1,))[first:first + (count - 1) * (m + 1) + 1:m + 1] if count else cnp.reshape(x, (-1,))[:0]


def meshgrid(*tensors, indexing=None):
    """Return coordinate grids, as views."""
    tensors = tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], TensorBase) else tensors
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in all_tensors(tensors):
        if t.dim() > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t.dim()}D")
    if indexing is not None and not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f"torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {indexing}")
    if len({t.dtype for t in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None and first("meshgrid"):
        tell("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    n = len(tensors)
    sizes = [t.numel() for t in tensors]
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    shape = tuple([sizes[i] for i in order])
    out = []
    for i, t in enumerate(tensors):
        spot = order.index(i)
        out.append(broadcast_to(reshape(t, (1,) * spot + (sizes[i],) + (1,) * (n - 1 - spot)), shape))
    return tuple(out)


def all_tensors(tensors):
    """Tensors given one by one or as a list, or torch's refusal of anything else."""
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    for place, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(t).__name__}")
    return tensors


def broadcast_tensors(*tensors):
    """Broadcast tensors to a common shape, as views."""
    tensors = all_tensors(tensors)
    for a, b in zip(tensors, tensors[1:]):
        check_broadcast(a, b)
    try:
        shape = np.broadcast_shapes(*[shape_of(t) for t in tensors])
    except ValueError as error:
        raise RuntimeError(f"broadcast_tensors(): {error}") from error
    if all(shape_of(t) == shape for t in tensors):
        return tuple(tensors)  # the objects themselves, as PyTorch's
    return tuple([broadcast_to(t, shape) for t in tensors])


def _least_dim(n):
    def at_least(*tensors):
        listed = len(tensors) == 1 and isinstance(tensors[0], tuple | list)
        tensors = all_tensors(tensors)
        if len(tensors) == 1 and not listed:
            t = tensors[0]
            while t.ndim < n:
                t = unsqueeze(t, 0 if t.ndim < 2 else -1)
            return t
        return tuple([at_least(t) for t in tensors])

    at_least.__name__ = f"atleast_{n}d"
    at_least.__doc__ = f"Return a view with at least {n} axes."
    return at_least


def broadcast_shapes(*shapes):
    """Return the shape to which the given shapes broadcast."""
    found = []
    for s in shapes:
        if not isinstance(s, int | tuple | list):
            raise (TypeError if isinstance(s, str) else RuntimeError)(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {s}")
        found.append((s,) if isinstance(s, int) else tuple(s))
    if any(isinstance(n, int) and n < 0 for s in found for n in s):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    try:
        return Size(np.broadcast_shapes(*found))
    except ValueError as error:
        raise RuntimeError(f"broadcast_shapes(): {error}") from error


PLAIN = {"meshgrid": meshgrid, "broadcast_tensors": broadcast_tensors, "broadcast_shapes": broadcast_shapes,
         "atleast_1d": _least_dim(1), "atleast_2d": _least_dim(2), "atleast_3d": _least_dim(3)}
