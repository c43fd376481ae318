"""Rows of a table by their numbers, the gradient of the table a sparse tensor of these rows."""

import numpy as np

from ..dispatch.call import ROWS
from ..types.tensor_type import TensorBase, ndarray, wrap
from . import room
from .entries import SparseFunction, check_on_cpu, laid, shown

_LOADED = room  # a gradient has all operations


class Rows(SparseFunction):
    """`weight[places]`, with a sparse gradient of the table."""

    @staticmethod
    def forward(weight, places, padding_idx, by_frequency):
        return ROWS["reshape"].fun(ROWS["index_select"].fun(weight, 0, wrap(places.reshape(-1))),
                                   (*places.shape, weight.shape[1]))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.facts = inputs[0].shape, *inputs[1:]

    @staticmethod
    def backward(ctx, grad):
        shape, places, padding_idx, by_frequency = ctx.facts
        if by_frequency:
            raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
        rows = places.reshape(-1)
        entries = ROWS["reshape"].fun(grad, (len(rows), shape[1]))
        if padding_idx is not None:
            kept = np.flatnonzero(rows != padding_idx % shape[0])
            rows, entries = rows[kept], ROWS["index_select"].fun(entries, 0, wrap(kept))
        return laid(entries, rows[None].copy(), shape), None, None, None


def numbers(input, count):
    """The numbers of rows as an array, or the refusal of those that there are not."""
    if isinstance(input, TensorBase):
        check_on_cpu(input)
    places = input.detach().value if isinstance(input, TensorBase) else None
    if type(places) is not ndarray:
        raise NotImplementedError("embedding with sparse=True under a transform is not supported: its gradient is a "
                                  "sparse tensor; leave sparse out")
    if places.size and not 0 <= places.min() <= places.max() < count:
        raise IndexError("index out of range in self")
    return places.astype(np.int64)


def embedding(input, weight, padding_idx, by_frequency):
    """The rows of a table that asks for gradients."""
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_on_cpu(weight)
    out = Rows.apply(weight, numbers(input, weight.shape[0]), padding_idx, bool(by_frequency))
    return shown(out, "EmbeddingBackward0", [weight])


def embedding_bag(input, weight, offsets, by_frequency, mode, scale, include_last_offset, padding_idx, reduce):
    """Sums and means of the rows of bags: those of a table of the rows alone, one after the other, by `reduce`."""
    check_on_cpu(weight)
    places = numbers(input, weight.shape[0])
    ends = include_last_offset
    if places.ndim == 2 and offsets is None:
        starts, ends = np.arange(places.shape[0]) * places.shape[1], False
        scale = None if scale is None else ROWS["reshape"].fun(scale, (-1,))
        places = places.reshape(-1)
    elif isinstance(offsets, TensorBase):
        starts = offsets.detach().value.astype(np.int64)
    else:
        starts = None
    if padding_idx is not None and starts is not None:
        kept = places != padding_idx % weight.shape[0]
        before = np.concatenate(([0], np.cumsum(kept)))
        starts, found = before[starts], np.flatnonzero(kept)
        places = places[found]
        scale = None if scale is None else ROWS["index_select"].fun(scale, 0, wrap(found))
    rows = Rows.apply(weight, places, None, by_frequency)
    order = wrap(np.arange(places.size).reshape(places.shape))
    out = reduce(order, rows, None if starts is None else wrap(starts), False, mode, False, scale, ends, None)
    return shown(out, "EmbeddingBagBackward0", [weight] if scale is None else [weight, scale])
