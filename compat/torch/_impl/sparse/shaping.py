"""Axes and parts of sparse tensors: transposing, selecting, joining."""

import numpy as np

from ..dispatch.call import ROWS
from ..types.tensor_type import TensorBase, ndarray, wrap
from .entries import coalesced, distinct, entrywise, laid, recorded, shown, values
from .sparse_tensor import SparseTensor, sparse_operation, unsupported


def axis(t, dim, extra=0):
    """A non-negative axis, or PyTorch's error."""
    n = t.dim() + extra
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return dim % n


def exchanged(t, a, b, name):
    """The tensor with two sparse axes exchanged, or two dense ones."""
    a, b = axis(t, a), axis(t, b)
    k = t.sparse_dim()
    if a == b:
        return t
    if a >= k or b >= k:
        raise RuntimeError(f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {k}, d0: {a}, d1: "
                           f"{b}")
    order = list(range(t.dim()))
    order[a], order[b] = b, a
    return shown(turned(t, order), name, [t])


def turned(t, order):
    """The tensor with its axes in another order, sparse ones in front."""
    k = t.sparse_dim()
    shape = tuple([t.shape[i] for i in order])
    dense = order[k:]

    def fun(v):
        return v if dense == sorted(dense) else ROWS["permute"].fun(v, (0, *[i - k + 1 for i in dense]))

    kept = order[:k] == sorted(order[:k]) or t.value.nnz < 2
    return entrywise(t, fun, lambda indices: indices[order[:k]], shape, kept)


@sparse_operation("transpose", "swapaxes", "swapdims")
def transpose(t, dim0, dim1):
    """Exchange two sparse axes."""
    return exchanged(t, dim0, dim1, "TransposeBackward0")


@sparse_operation("t")
def transpose_matrix(t):
    """Exchange the axes of a matrix."""
    if t.sparse_dim() > 2 or t.dense_dim():
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {t.sparse_dim()} "
                           f"sparse and {t.dense_dim()} dense dimensions")
    return exchanged(t, 0, 1, "TBackward0") if t.dim() == 2 else t


@sparse_operation("T", "mT", "H", "mH", "adjoint")
def attribute_transposed(t):
    """Exchange the axes of a matrix."""
    if t.dim() != 2:
        raise unsupported("permute")
    if t.value.dtype.kind == "c":
        raise unsupported("adjoint")
    return transpose_matrix(t)


@sparse_operation("permute")
def permute(t, *dims):
    """Put the axes in another order, sparse and dense ones apart."""
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], list | tuple) else dims
    if len(dims) != t.dim():
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of "
                           f"the desired ordering of dimensions i.e. input.dim() = {t.dim()} is not equal to len(dims) "
                           f"= {len(dims)}")
    order = [axis(t, d) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(dims): duplicate dims are not allowed.")
    if any(i >= t.sparse_dim() for i in order[: t.sparse_dim()]):
        raise RuntimeError("permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed."
                           "Only transpositions within sparse and dense dimensions are supported.")
    return shown(turned(t, order), "PermuteBackward0", [t])


@sparse_operation("unsqueeze")
def unsqueeze(t, dim):
    """Insert an axis of length 1."""
    at, k = axis(t, dim, 1), t.sparse_dim()
    shape = (*t.shape[:at], 1, *t.shape[at:])
    if at > k:
        return shown(entrywise(t, lambda v: ROWS["unsqueeze"].fun(v, at - k + 1), shape=shape), "UnsqueezeBackward0",
                     [t])
    zeros = np.zeros((1, t.value.nnz), np.int64)
    return shown(entrywise(t, lambda v: v, lambda i: np.concatenate((i[:at], zeros[:, : i.shape[1]], i[at:])), shape,
                           True), "UnsqueezeBackward0", [t])


@sparse_operation("select")
def select(t, dim, index):
    """The part at one index of an axis; dense where no sparse axis is left."""
    at, k = axis(t, dim), t.sparse_dim()
    n = t.shape[at]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(t.shape)} at dimension {dim}")
    index %= n
    shape = (*t.shape[:at], *t.shape[at + 1 :])
    if at >= k:
        return shown(entrywise(t, lambda v: ROWS["select"].fun(v, at - k + 1, index), shape=shape), "SelectBackward0",
                     [t])
    c = distinct(t) if recorded(t) and k > 1 else t if k > 1 else coalesced(t)
    here = np.flatnonzero(c.value.indices[at] == index)
    entries = ROWS["index_select"].fun(values(c), 0, wrap(here))
    if k == 1:
        return shown(ROWS["sum"].fun(entries, 0), "SelectBackward0", [t])
    places = np.delete(c.value.indices[:, here], at, 0)
    return shown(laid(entries, places, shape, c.value.coalesced), "SelectBackward0", [t])


@sparse_operation("__getitem__", "getitem")
def getitem(t, key):
    """Integers, None and whole slices as indices."""
    at = 0
    key = key if isinstance(key, tuple) else (key,)
    if sum(k is Ellipsis for k in key) == 1:
        i = key.index(Ellipsis)
        used = sum(k is not None for k in key) - 1
        key = (*key[:i], *[slice(None)] * (t.dim() - used), *key[i + 1 :])
    for k in key:
        if k is None:
            t = unsqueeze(t, at) if isinstance(t, SparseTensor) else ROWS["unsqueeze"].fun(t, at)
            at += 1
        elif isinstance(k, slice) and k in (slice(None), slice(0, t.shape[at], None)):
            at += 1
        elif isinstance(k, int | np.integer) and not isinstance(k, bool):
            t = select(t, at, int(k)) if isinstance(t, SparseTensor) else ROWS["select"].fun(t, at, int(k))
        elif isinstance(k, TensorBase | list | ndarray) and not isinstance(k, SparseTensor):
            raise NotImplementedError("Could not run 'aten::index.Tensor' with arguments from the 'SparseCPU' backend: "
                                      "use index_select, or call .to_dense() first")
        else:
            raise unsupported("as_strided")
    return t


@sparse_operation("index_select")
def index_select(t, dim, index, *, out=None):
    """The parts at some indices of an axis."""
    at, k = axis(t, dim), t.sparse_dim()
    if out is not None:
        raise unsupported("index_select.out")
    if at >= k:
        shape = (*t.shape[:at], index.numel(), *t.shape[at + 1 :])
        return shown(entrywise(t, lambda v: ROWS["index_select"].fun(v, at - k + 1, index), shape=shape),
                     "IndexSelectBackward0", [t])
    wanted = index.detach().value.reshape(-1).astype(np.int64)
    n = t.shape[at]
    if wanted.size and not (-n <= wanted.min() and wanted.max() < n):
        raise IndexError(f"index_select(): index contains {wanted.min() if wanted.min() < -n else wanted.max()} that "
                         f"is out of range for tensor of size {list(t.shape)} at dimension {dim}")
    c = coalesced(t)
    wanted %= max(n, 1)
    row = c.value.indices[at]
    order = np.argsort(row, kind="stable")
    starts = np.searchsorted(row[order], wanted, "left")
    counts = np.searchsorted(row[order], wanted, "right") - starts
    number = np.repeat(np.arange(len(wanted)), counts)
    picked = order[np.arange(len(number)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)]
    places = c.value.indices[:, picked].copy()
    places[at] = number
    shape = (*t.shape[:at], len(wanted), *t.shape[at + 1 :])
    entries = ROWS["index_select"].fun(values(c), 0, wrap(picked))
    return shown(laid(entries, places, shape, at == 0), "IndexSelectBackward0", [t])


@sparse_operation("unbind")
def unbind(t, dim=0):
    """The parts along an axis."""
    return tuple([select(t, dim, i) for i in range(t.shape[axis(t, dim)])])


@sparse_operation("cat", "concat", "concatenate")
def cat(tensors, dim=0, *, out=None):
    """Sparse tensors one behind the other."""
    if out is not None:
        raise unsupported("cat.out")
    tensors = list(tensors)
    for i, t in enumerate(tensors):
        if not isinstance(t, SparseTensor):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
    first = tensors[0]
    at, k = axis(first, dim), first.sparse_dim()
    for i, t in enumerate(tensors[1:], 1):
        if t.sparse_dim() != k or t.dense_dim() != first.dense_dim():
            raise RuntimeError(f"All tensors must have the same sparse_dim and dense_dim: {k}, {first.dense_dim()}, "
                               f"but tensor at position {i} has {t.sparse_dim()}, {t.dense_dim()}.")
        if any(m != n for a, (m, n) in enumerate(zip(t.shape, first.shape)) if a != at):
            raise RuntimeError(f"All tensors must have the same shape: {list(first.shape)} (except in the "
                               f"concatenating dimension), but found shape: {list(t.shape)} at position {i}.")
    if at >= k:
        raise NotImplementedError("cat of sparse tensors along a dense axis is not supported; call .to_dense() first")
    parts = [distinct(t) if recorded(*tensors) else t for t in tensors]
    ends = np.cumsum([0, *[t.shape[at] for t in parts]])
    places = []
    for t, start in zip(parts, ends):
        moved = t.value.indices.copy()
        moved[at] += start
        places.append(moved)
    shape = (*first.shape[:at], int(ends[-1]), *first.shape[at + 1 :])
    entries = ROWS["cat"].fun([values(t) for t in parts])
    ordered = at == 0 and all(t.value.coalesced for t in parts)
    return shown(laid(entries, np.concatenate(places, 1), shape, ordered), "CatBackward0", tensors)


@sparse_operation("stack")
def stack(tensors, dim=0, *, out=None):
    """Sparse tensors along a new axis."""
    if any(not isinstance(t, SparseTensor) for t in tensors):
        raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found; call .to_sparse() on it")
    return cat([unsqueeze(t, dim) for t in tensors], dim, out=out)


@sparse_operation("contiguous")
def contiguous(t, memory_format=None):
    """Refused, as by PyTorch."""
    raise RuntimeError("unsupported memory format option Contiguous")


def no_reshape(*args, **kwargs):
    """Refused, as by PyTorch."""
    raise RuntimeError("reshape is not implemented for sparse tensors; call .to_dense() first")


def no_expand(*args, **kwargs):
    """Refused, as by PyTorch."""
    raise RuntimeError("expand is unsupported for Sparse tensors; call .to_dense() first")


sparse_operation("reshape", "flatten", "reshape_as")(no_reshape)
sparse_operation("expand", "expand_as", "broadcast_to", "repeat")(no_expand)
