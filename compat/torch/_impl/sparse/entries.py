"""Entries of sparse tensors as tensors and back, with their history; what operations on sparse tensors are made of."""

import numpy as np

from ..dispatch.call import ROWS
from ..function.function import Function
from ..graph import versions
from ..modes.modes import modes
from ..state.edges import edge, version_of
from ..state.meta import on_device
from ..types.size import Size
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
