"""Rows of a table by their numbers, one by one and in bags."""

import warnings

import numpy as np

from ..... import numpy as cnp, stop_gradient
from ....._engine import all_within
from .....extend import REGISTRY, constant
from ..dispatch.call import ROWS
from ..dispatch.host_ops import insist, known, on_host, primal_of
from ..modes.grad_mode import no_grad
from ..modes.modes import modes
from ..types.dtypes import int32, int64, type_word
from ..types.tensor_type import TensorBase, needs_grad
from .publishing import functional


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Look up rows of `weight` by their indices."""
    shorten(weight, input, max_norm, norm_type)
    if sparse and records(weight):
        return weight._sparse_rows(input, padding_idx, scale_grad_by_freq)
    return _embedding(input, weight, padding_idx, scale_grad_by_freq)


def records(weight):
    """Whether a gradient of a table is going to be computed."""
    return isinstance(weight, TensorBase) and modes().grad and needs_grad(weight)


@functional("embedding", blind=True, front=embedding)
def _embedding(input, weight, padding_idx, scale_grad_by_freq):
    if padding_idx is not None:
        row = padding_idx % weight.shape[0]
        rows = np.arange(weight.shape[0])[:, None] == row
        weight = cnp.where(rows, stop_gradient(weight), weight)
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    count = weight.shape[0]

    def check(places):
        if not all_within(places, 0, count):
            raise IndexError("index out of range in self")

    insist(check, input)
    if scale_grad_by_freq and weight.dtype.kind not in "biu":
        weight = by_frequency("nn.functional.embedding with scale_grad_by_freq", weight, input)
    return cnp.take(weight, input, axis=0)


def by_frequency(name, weight, places):
    """The table itself, the derivative by each row divided by how often the row is asked for."""
    counts = np.bincount(known(name, places).reshape(-1), minlength=weight.shape[0])
    fixed = stop_gradient(weight)
    return fixed + (weight - fixed) / np.maximum(counts, 1)[:, None].astype(weight.dtype)


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean",
                  sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=None):
    """Look up rows of `weight` and reduce them bag by bag."""
    if input.dtype.is_floating_point and weight.dtype in (int64, int32):
        warnings.warn("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
                      "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.", stacklevel=2)
        input, weight = weight, input
    shorten(weight, input, max_norm, norm_type)
    if sparse and mode in ("sum", "mean") and weight.dim() == 2 and input.dim() in (1, 2) and records(weight) and (
            per_sample_weights is None or per_sample_weights.shape == input.shape):
        return weight._sparse_bags(input, offsets, scale_grad_by_freq, mode, per_sample_weights, include_last_offset,
                                   padding_idx, _embedding_bag)
    return _embedding_bag(input, weight, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                          include_last_offset, padding_idx)


@functional("embedding_bag", front=embedding_bag)
def _embedding_bag(input, weight, offsets, scale_grad_by_freq, mode, sparse, scale, include_last_offset, padding_idx):
    if scale is not None and tuple(scale.shape) != tuple(input.shape):
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(scale.shape)}) is not None, then it must have "
                         f"the same shape as the input ({list(input.shape)})")
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    flat, starts, end = _bags(input, offsets, include_last_offset)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError("max mode does not support scaling the gradient by the frequency" if scale_grad_by_freq else
                         "max mode does not support sparse weights")
    if weight.dtype.kind not in "fV":
        raise RuntimeError("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                           f"BFloat16, Float, Double; but got {type_word(weight.dtype)} instead (while checking "
                           "arguments for embedding_bag)")
    if scale is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}'). Please open a feature request on "
                                  "GitHub.")
    if isinstance(end, np.integer) and end < flat.shape[0]:
        flat, scale, end = flat[:end], None if scale is None else scale[:end], None
    if scale_grad_by_freq:
        weight = by_frequency("nn.functional.embedding_bag with scale_grad_by_freq", weight, flat)
    bags, count = starts.shape[0], flat.shape[0]
    added = REGISTRY["scatter_add"].fun
    begun = added(constant(np.ones(bags, np.int64), starts), starts, 0, count + 1)  # how many bags begin at each place
    bag = cnp.cumsum(begun)[:-1] - 1
    kept = None if padding_idx is None else flat != padding_idx % weight.shape[0]
    if end is not None and not isinstance(end, np.integer):
        inside = constant(np.arange(count), starts) < end
        kept = inside if kept is None else kept & inside
    values = cnp.take(weight, flat, axis=0)
    zero = constant(np.zeros((), weight.dtype), weight)
    if mode == "max":  # others are in a bag of their own, behind the last
        bag, rows = (bag, bags) if kept is None else (cnp.where(kept, bag, bags), bags + 1)
        best = REGISTRY["largest_rows"].fun(values, bag, rows)[:bags]
        return cnp.where(best < 0, zero, cnp.take_along_axis(values, cnp.maximum(best, 0), 0) if count else zero)
    if scale is not None:
        values = values * cnp.reshape(scale, (-1, 1))
    if kept is not None:
        values = cnp.where(cnp.expand_dims(kept, 1), values, zero)
    out = added(values, bag, 0, bags)
    if mode == "mean":
        ends = cnp.append(starts[1:], constant(np.full(min(bags, 1), count), starts))
        counts = ends - starts if kept is None else added(kept.astype(np.int64), bag, 0, bags)
        out = out / cnp.expand_dims(cnp.maximum(counts, 1).astype(weight.dtype), 1)
    return out


def _bags(input, offsets, include_last_offset):
    """The numbers of the rows one behind the other, where each bag starts, and where the last ends if that is given."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             "fixed length sequences. However, found offsets of type <class 'torch.Tensor'>")
        return cnp.reshape(input, (-1,)), constant(np.arange(input.shape[0]) * input.shape[1], input), None
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    starts = primal_of(offsets)
    seen = on_host(starts)
    if seen is not None and seen.size and seen[-1] > input.shape[0]:
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {input.shape[0]} but got offsets[-1] "
                           f"of {seen[-1]}")
    end = (starts if seen is None else seen)[-1] if include_last_offset else None
    starts = starts[:-1] if include_last_offset else starts
    if seen is not None and starts.size and seen[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                           f"position 0. However, got {seen[0]}")
    return input, starts, end


def shorten(weight, input, most, order):
    """Rows of a table shortened in place to `most` where that is given, as `torch.embedding_renorm_` does."""
    if most is None:
        return
    with no_grad():
        rows = input.unique()
        part = weight[rows]
        size = ROWS["linalg.vector_norm"].fun(part, order, 1, True)
        weight[rows] = ROWS["where"].fun(size > most, part * (most / (size + 1e-7)), part)
