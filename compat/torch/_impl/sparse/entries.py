"""Entries of sparse tensors as tensors and back, with their history; what operations on sparse tensors are made of."""

import numpy as np

from ..dispatch.call import ROWS
from ..factories.creation import on_meta
from ..factories.from_data import tensor
from ..function.function import Function
from ..graph import versions
from ..modes.modes import modes
from ..state.edges import edge, version_of
from ..state.meta import on_device
from ..types import dtypes
from ..types.devices import checked
from ..types.size import Size, layout as Layout, sparse_coo, strided
from ..types.tensor_type import GENERAL, TensorBase, more, ndarray, needs_grad, wrap
from .coo import found_at, keys
from .sparse_tensor import Coo, SparseTensor, sparse_operation


class SparseFunction(Function):
    """A Function of which a sparse tensor is an operand, an output or a gradient."""

    @staticmethod
    def vmap(info, in_dims, *args):
        raise NotImplementedError(INSIDE)


INSIDE = ("sparse tensors of values of a running transform (vmap, func.grad, jvp) are not supported; use dense tensors "
          "inside, or loss.backward()")


def check_on_cpu(t):
    """Refuse tensors on a GPU: what a sparse tensor is made of lies on the CPU."""
    if type(t.value) is not ndarray and on_device(t):
        raise NotImplementedError(ON_GPU)


ON_GPU = "sparse tensors on a GPU are not supported: move their parts to the CPU with .cpu(), or use dense tensors"


class Values(SparseFunction):
    """The values of the entries of a tensor whose places are distinct."""

    @staticmethod
    def forward(t):
        return wrap(t.value.values.view())

    @staticmethod
    def setup_context(ctx, inputs, output):
        c = inputs[0].value
        ctx.places = c.indices, c.shape, c.coalesced

    @staticmethod
    def backward(ctx, grad):
        return laid(grad, *ctx.places)


class Laid(SparseFunction):
    """A tensor of values at some places."""

    @staticmethod
    def forward(entries, indices, shape, coalesced):
        return Coo(indices, entries_of(entries), shape, coalesced).tensor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.places = inputs[1:3]

    @staticmethod
    def backward(ctx, grad):
        return at_places(grad, *ctx.places), None, None, None


class Coalesced(SparseFunction):
    """The same tensor with distinct places in order."""

    @staticmethod
    def forward(t):
        return t.value.coalesce().tensor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad


class Gathered(SparseFunction):
    """Rows of a dense tensor by their numbers, some of them several times: the transpose of `Summed`."""

    @staticmethod
    def forward(t, places, count):
        return wrap(t.value[places])

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.places = inputs[1:]

    @staticmethod
    def backward(ctx, grad):
        return summed(grad, *ctx.places), None, None


class Summed(SparseFunction):
    """The sums of the rows that have one number: the transpose of `Gathered`."""

    @staticmethod
    def forward(t, places, count):
        parts = t.value
        if np.any(places[1:] < places[:-1]):
            order = np.argsort(places, kind="stable")
            parts, places = parts[order], places[order]
        out = np.zeros((count, *parts.shape[1:]), parts.dtype)
        if len(places):
            starts = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
            out[places[starts]] = np.add.reduceat(parts, starts, axis=0, dtype=parts.dtype)
        return wrap(out)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.places = inputs[1:]

    @staticmethod
    def backward(ctx, grad):
        return gathered(grad, *ctx.places), None, None


def plain(t):
    """Tell whether a dense tensor is one of memory, outside of transforms and without a tangent."""
    meta = t.autograd_meta
    return t.level_trace is None and type(t.value) is ndarray and (meta is None or meta.tangent is None)


def gathered(t, places, count):
    """Rows of a dense tensor of `count` rows."""
    return Gathered.apply(t, places, count) if plain(t) else ROWS["index_select"].fun(t, 0, wrap(places))


def summed(t, places, count):
    """`count` rows, each the sum of those rows of a dense tensor that have its number."""
    if plain(t):
        return Summed.apply(t, places, count)
    out = wrap(np.zeros((count, *t.shape[1:]), t.dtype.numpy))
    return ROWS["index_add"].fun(out, 0, wrap(places), t)


def recorded(*tensors):
    """Tell whether an operation on tensors is recorded."""
    return modes().grad and any(needs_grad(t) for t in tensors)


def entries_of(t):
    """The array of a tensor of values."""
    if type(t.value) is not ndarray:
        check_on_cpu(t)
        raise NotImplementedError(INSIDE)
    return t.value


def laid(entries, indices, shape, coalesced=False):
    """A sparse tensor of a tensor of values, with its history."""
    if recorded(entries):
        return Laid.apply(entries, indices, tuple(shape), coalesced)
    return Coo(indices, entries_of(entries), shape, coalesced).tensor()


def values(t):
    """The values of a sparse tensor of distinct places, with its history."""
    return Values.apply(t) if recorded(t) else wrap(t.value.values)


@sparse_operation("values")
def values_shown(t):
    """The values of a coalesced tensor, as a user gets them: with a history they are not to be written to."""
    if not recorded(t):
        return wrap(t.value.values)
    out = shown(Values.apply(t), "ValuesBackward0", [t])
    meta = more(out)
    meta.base, meta.creation, meta.attr_version = wrap(t.value.values), "custom", version_of(out)
    out.dispatch_key = GENERAL
    return out


def coalesced(t):
    """A sparse tensor with distinct places in order."""
    if t.value.coalesced:
        return t
    return Coalesced.apply(t) if recorded(t) else t.value.coalesce().tensor()


def distinct(t):
    """A sparse tensor whose values may be computed with one by one: as it is if no two entries share a place."""
    return t if t.value.distinct else coalesced(t)


def at_places(t, indices, shape):
    """The elements of a tensor, dense or sparse, at some places: `(nnz, *dense)`."""
    places = keys(indices, shape)
    if isinstance(t, SparseTensor):
        t = coalesced(t)
        at, hit = found_at(t.value, places)
        found = values(t)
        if not t.value.nnz:
            return wrap(np.zeros((len(places), *found.shape[1:]), found.value.dtype))
        mask = wrap(hit.reshape(-1, *[1] * (found.ndim - 1)))
        return ROWS["where"].fun(mask, ROWS["index_select"].fun(found, 0, wrap(at)), 0)
    k = len(indices)
    flat = ROWS["reshape"].fun(t, (Size(t.shape[:k]).numel(), *t.shape[k:]))
    return ROWS["index_select"].fun(flat, 0, wrap(places))


def entrywise(t, fun, indices=None, shape=None, ordered=None):
    """A sparse tensor of `fun` of the values; with other places if they are given.

    Args:
        ordered: whether the new places are distinct and in order if the old ones are.
    """
    if recorded(t):
        t = distinct(t)
    c = t.value
    entries = fun(values(t))
    if indices is None:
        return laid(entries, c.indices, c.shape if shape is None else shape, c.coalesced)
    return laid(entries, indices(c.indices), shape, c.coalesced and bool(ordered))


def shown(t, name, operands):
    """An output whose node has PyTorch's name and the operands of the whole operation as its edges."""
    node = t.node
    if node is not None and all(x is None or node is not x.node for x in operands):
        extra = node.more()
        extra.name = name
        extra.edges = tuple([edge(x) if x is not None and needs_grad(x) else None for x in operands])
    return t


def plain_memory(t):
    """The array of a dense tensor that may be written to directly: nothing is recorded of it; None otherwise."""
    if not isinstance(t, TensorBase) or type(t.value) is not ndarray or t.level_trace is not None or recorded(t):
        return None
    meta = t.autograd_meta
    if not t.value.flags.writeable or meta is not None and (meta.tangent is not None or meta.inference):
        return None
    return t.value


def write_entries(t, coo):
    """Replace what a sparse tensor holds, in place."""
    if recorded(t):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation." if not t.node
                           else "in-place operations on sparse tensors with a history are not supported; use the "
                           "operation that returns a new tensor")
    versions.bump(t.value.values)
    versions.bump(coo.values)
    t.value = coo
    return t


# Sparse tensors from places and values, from dense tensors, and dense ones from them.


def sparse_coo_tensor(indices=None, values=None, size=None, *, dtype=None, device=None, pin_memory=False,
                      requires_grad=False, check_invariants=None, is_coalesced=None):
    """A sparse tensor of values at places; values of one place add up.

    Args:
        indices: `(sparse_dim, nnz)`, integers: a tensor, an array or lists. Alone it is the size of an empty tensor.
        values: `(nnz, *dense)`; it keeps its history.
        size: of the tensor, `sparse_dim + dense_dim` numbers; by default the smallest that holds all places.
        dtype: of the values, by default their own.
        requires_grad: make it a leaf that asks for gradients.
        check_invariants: accepted; places are always looked at.
        is_coalesced: whether the places are known to be distinct and in order.
    Raises:
        RuntimeError: places outside of `size`, or numbers of axes or of entries that do not fit.

    >>> import covector.compat.torch as torch
    >>> torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3)).to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 5.]])
    """
    if pin_memory:
        raise RuntimeError("sparse_coo_tensor(pin_memory=True): no memory here is shared with a device; leave it out")
    if on_meta(device):
        raise NotImplementedError("sparse_coo_tensor(device='meta'): sparse tensors here have entries; use dense ones")
    if device is not None and checked(device).type == "cuda":
        raise NotImplementedError(ON_GPU)
    if values is None:
        if indices is None:
            indices = size
        if indices is None:
            raise TypeError("sparse_coo_tensor() received an invalid combination of arguments: give indices and "
                            "values, or size")
        if isinstance(indices, TensorBase):
            raise TypeError("sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not Tensor")
        size = Size(indices)
        t = empty_sparse(size, len(size), dtypes.Default.float if dtype is None else dtype)
        return t.requires_grad_() if requires_grad else t
    if not isinstance(values, TensorBase):
        values = tensor(values, dtype=dtype, device=device)
    check_on_cpu(values)
    places = place_array(indices)
    if isinstance(values, SparseTensor):
        raise RuntimeError("expected values to be a dense tensor, but got values of layout torch.sparse_coo; "
                           "call .to_dense()")
    if dtype is not None and values.dtype is not dtype:
        values = values.to(dtype)
    if not values.dim():
        values = values.expand(1)
    if places.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    if places.shape[1] != values.shape[0]:
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {places.shape[1]}, nnz "
                           f"from values: {values.shape[0]}")
    size = fitting(places, values) if size is None else sized(size)
    check(places, values, size)
    if is_coalesced:
        if not Coo(places, values.value, size).distinct or np.any(np.diff(Coo(places, values.value, size).keys()) < 0):
            raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")
    t = laid(values.detach() if requires_grad else values, places, size, bool(is_coalesced))
    shown(t, "SparseCooTensorWithDimsAndTensorsBackward0", [values])
    return t.requires_grad_() if requires_grad else t


def place_array(indices):
    """Places as an array of int64; those of a tensor share its memory where they can."""
    if isinstance(indices, TensorBase):
        check_on_cpu(indices)
        array = indices.detach().value
        if type(array) is not ndarray:
            raise NotImplementedError("sparse_coo_tensor of indices that a transform runs over is not supported; make "
                                      "the tensor outside")
    else:
        given = not isinstance(indices, list | tuple) or len(indices)
        array = tensor(indices, device="cpu").value if given else np.zeros((0, 0))
    if array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return array.astype(np.int64, copy=False)


def sized(size):
    """The argument `size`."""
    if isinstance(size, int):
        raise TypeError("sparse_coo_tensor() received an invalid combination of arguments: size must be a tuple of "
                        f"ints, not int; write ({size},)")
    return Size(size)


def fitting(places, values):
    """The smallest size that holds all places."""
    if places.size and places.min() < 0:
        raise RuntimeError(f"found negative index {places.min()} for dim {int(places.min(1).argmin())}")
    if not places.shape[1]:
        return Size([*[0] * len(places), *values.shape[1:]])
    return Size([*(places.max(1) + 1).tolist(), *values.shape[1:]])


def check(places, values, size):
    """PyTorch's refusals of places and values that do not fit a size."""
    k, d = len(places), values.dim() - 1
    if len(size) != k + d:
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, "
                           f"sparse_dim = {k}, dense_dim = {d}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"sparse_coo_tensor: negative size in {list(size)}; sizes count elements")
    if tuple(values.shape[1:]) != tuple(size[k:]):
        raise RuntimeError(f"values has incorrect size, expected {[values.shape[0], *size[k:]]}, got "
                           f"{list(values.shape)}")
    for i, (row, n) in enumerate(zip(places, size)):
        if row.size and row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {i}")
        if row.size and row.max() >= n:
            raise RuntimeError(f"size is inconsistent with indices: for dim {i}, size is {n} but found index "
                               f"{row.max()}")


def empty_sparse(size, sparse_dim, dtype):
    """A sparse tensor without entries."""
    entries = np.zeros((0, *size[sparse_dim:]), dtype.numpy)
    return Coo(np.zeros((sparse_dim, 0), np.int64), entries, size, True).tensor()


@sparse_operation("zeros_like", "empty_like")
def _empty_like(t, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False, memory_format=None):
    if layout is strided:
        return wrap(np.zeros(t.shape, (t.dtype if dtype is None else dtype).numpy))
    out = empty_sparse(t.shape, t.sparse_dim(), t.dtype if dtype is None else dtype)
    return out.requires_grad_() if requires_grad else out


def to_sparse(t, *args, layout=None, blocksize=None, dense_dim=None):
    """The elements of a dense tensor that are not zero, as a sparse tensor.

    Args:
        sparse_dim: how many of the axes have indices, by default all; or `layout=torch.sparse_coo`.

    >>> import covector.compat.torch as torch
    >>> torch.tensor([[0.0, 2.0]]).to_sparse()
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([2.]),
           size=(1, 2), nnz=1, layout=torch.sparse_coo)
    """
    sparse_dim = None
    if args:
        if isinstance(args[0], Layout):
            layout = args[0]
        else:
            sparse_dim = args[0]
    if layout not in (None, sparse_coo) or blocksize is not None:
        raise NotImplementedError(f"to_sparse(layout={layout}, blocksize={blocksize}) is not supported: sparse tensors "
                                  "of covector.compat.torch are in coordinate format; leave layout out")
    if isinstance(t, SparseTensor):
        if sparse_dim not in (None, t.sparse_dim()):
            raise RuntimeError("to_sparse(sparse_dim) of a sparse tensor: conversion to another number of sparse axes "
                               "is not supported; call .to_dense() first")
        return t
    check_on_cpu(t)
    if sparse_dim is None:
        sparse_dim = t.dim()
    if not 0 <= sparse_dim <= t.dim() or sparse_dim == 0 and t.dim():
        raise RuntimeError(f"sparse_dim argument for strided to sparse conversion must be >0 and <={t.dim()}, but got "
                           f"{sparse_dim}")
    array = t.detach().value
    if type(array) is not ndarray:
        raise NotImplementedError("to_sparse of values of a running transform is not supported: where they are zero "
                                  "differs between examples; call it outside")
    filled = (array != 0)
    if array.ndim > sparse_dim:
        filled = filled.any(tuple(range(sparse_dim, array.ndim)))
    places = np.stack(np.nonzero(filled)) if sparse_dim else np.zeros((0, int(filled)), np.int64)
    entries = at_places(t, places.astype(np.int64, copy=False), t.shape)
    return shown(laid(entries, places, t.shape, True), "ToSparseBackward1", [t])


@sparse_operation("to_sparse", "to_sparse_coo")
def _to_sparse(t, *args, **kwargs):
    return to_sparse(t, *args, **kwargs)


def refused_layout(name):
    """The conversion to a layout that there is not."""

    def fun(*args, **kwargs):
        raise NotImplementedError(f"{name} is not supported: sparse tensors of covector.compat.torch are in coordinate "
                                  "format; use sparse_coo_tensor, or scipy.sparse matrices with covector.numpy")

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = "Refused: sparse tensors here are in coordinate format."
    return fun


for _name in ("to_sparse_csr", "to_sparse_csc", "to_sparse_bsr", "to_sparse_bsc"):
    sparse_operation(_name)(refused_layout(_name))


@sparse_operation("to_dense")
def to_dense(t, dtype=None, *, masked_grad=None):
    """All elements; the gradient of a sparse leaf is sparse, at its own places."""
    if masked_grad is False:
        raise NotImplementedError("to_dense(masked_grad=False) is not supported: the gradient of a sparse tensor is at "
                                  "its own places; leave masked_grad out")
    if not recorded(t):
        out = wrap(t.value.dense())
    else:
        c = coalesced(t)
        k, size = t.sparse_dim(), t.shape
        flat = wrap(np.zeros((Size(size[:k]).numel(), *size[k:]), t.value.dtype))
        out = ROWS["reshape"].fun(ROWS["index_add"].fun(flat, 0, wrap(c.value.keys()), values(c)), tuple(size))
        shown(out, "ToDenseBackward0", [t])
    return out if dtype is None else out.to(dtype)


@sparse_operation("sparse_mask")
def sparse_mask(t, mask):
    """The elements of a tensor at the places of a sparse one."""
    if not isinstance(mask, SparseTensor):
        raise NotImplementedError("Could not run 'aten::_nnz' with arguments from the 'CPU' backend: the mask of "
                                  "sparse_mask must be a sparse tensor; call mask.to_sparse()")
    if t.shape != mask.shape:
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(t.shape)} but mask "
                           f"has size {list(mask.shape)}")
    c = mask.value
    return shown(laid(at_places(t, c.indices, c.shape), c.indices, c.shape, c.coalesced), "SparseMaskBackward0", [t])


@sparse_operation("coalesce")
def coalesce(t):
    """The same tensor with distinct places in order; itself if it is known to be so."""
    return t if t.value.coalesced else shown(coalesced(t), "CoalesceBackward0", [t])


@sparse_operation("as_tensor", "asarray")
def _as_tensor(t, dtype=None, device=None, **kwargs):
    return t if dtype is None else t.to(dtype)
