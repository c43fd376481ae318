"""Elements chosen by index tensors or masks."""

import numpy as np

from ....._engine import all_within
from .....extend import REGISTRY, Batched, Tracer
from ..dispatch.call import attach, moving
from ..dispatch.host_ops import DYNAMIC, assume, insist, on_host
from ..dispatch.layouts import IN_ORDER, by_axis
from ..dispatch.not_differentiable import refusing
from ..dispatch.out_argument import BY_COLUMNS, write_out
from ..dispatch.signatures import signatures, signed
from ..state.levels import concrete, mapped
from ..state.meta import library
from ..types.devices import moved
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase, wrap
from .array_functions import cnp
from .axes import check_unique, without_order, wrap_dim
from .index_arrays import along, check_long, in_flat, within


@moving("gather", blind=True, layout=IN_ORDER)
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
    return REGISTRY["take"].fun(cnp.reshape(input, (-1,)), in_flat(index, input.shape, d), 0)


@moving("index_select", blind=True)
def index_select(input, dim, index):
    """Select indices of an axis; the output is a copy."""
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    check_long("index_select", index)
    if not input.ndim:
        if index.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
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


@moving("take", blind=True)
def take(input, index):
    """Take elements of the flattened tensor by index."""
    if index.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {type_word(index.dtype)}")
    return cnp.take(cnp.reshape(input, (-1,)), index)


@moving("take_along_dim", blind=True, layout=IN_ORDER)
def take_along_dim(input, indices, dim=None):
    """Take elements by index along an axis; the other axes broadcast."""
    if dim is None:
        return gather.row.body(cnp.reshape(input, (-1,)), 0, cnp.reshape(indices, (-1,)))
    if input.ndim != indices.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions, but "
                           f"got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    if indices.dtype != np.int64:
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{type_word(indices.dtype)}")
    if not input.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    d = wrap_dim(dim, input.ndim)
    for a, (m, n) in enumerate(zip(input.shape, indices.shape)):
        if a != d and 1 != m != n != 1:
            raise RuntimeError(f"The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                               f"dimension {a}")
    size = input.shape[d]
    if not assume(lambda index: all_within(index, 0, size), indices):
        within(indices, d, size, negative=True)
        indices = cnp.where(indices < 0, indices + size, indices)
    return along(input, indices, d)


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
    x, mask = (v if tuple(v.shape) == shape else cnp.broadcast_to(v, shape) for v in (input, mask))
    return x[mask]


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
        found = concrete(input, "item")
        return tuple([index_tensor(i) for i in (found if found.ndim else found.reshape(1)).nonzero()])
    if not input.ndim:
        return index_tensor(library(input).zeros((int(bool(input.item())), 0), np.int64))
    found = concrete(input, "item")
    places = np.concatenate((found if found.dtype == np.bool_ else found != 0).nonzero())
    return wrap(places.reshape(input.ndim, -1).T)  # its columns are contiguous, as torch's are


def index_tensor(array):
    """A tensor of positions."""
    return wrap(array.astype(np.int64, order="C", copy=False))


attach("nonzero", nonzero)
attach("argwhere", lambda self: nonzero(self))


@signed("unique")
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):  # noqa: A002
    """Return the distinct values, sorted; not differentiable."""
    if mapped(input):
        raise RuntimeError(DYNAMIC.format("_unique2"))
    array, place = on_host(concrete(input, "item")), input.device
    without_order("unique" if dim is None else "unique_dim", array)
    if dim is not None:
        check_unique(array, dim)
    out = np.unique(array, return_inverse=True, return_counts=True, axis=dim, equal_nan=False)
    found = [refusing(wrap(moved(by_axis(out[0], dim), place)), input, "_unique2" if dim is None else "unique_dim",
                      "Unique2Backward0" if dim is None else "UniqueDimBackward0")]
    if return_inverse:
        found.append(index_tensor(moved(out[1].reshape(array.shape if dim is None else -1), place)))
    if return_counts:
        found.append(index_tensor(moved(out[2], place)))
    return found[0] if len(found) == 1 else tuple(found)


attach("unique", unique)
PLAIN = {"nonzero": nonzero, "argwhere": lambda input: nonzero(input), "unique": unique}
