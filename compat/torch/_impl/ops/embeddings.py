"""Rows of a table by their numbers, one by one and in bags."""

import warnings

import numpy as np

from ....._engine import all_within
from ....._primitives import stop_gradient
from .....extend import REGISTRY, constant
from ..dispatch.call import ROWS, functional
from ..dispatch.host_ops import insist, known, stripped
from ..modes.grad_mode import no_grad
from ..modes.modes import modes, restoring
from ..types.dtypes import int32, int64, type_word
from ..types.tensor_type import TensorBase, needs_grad
from .array_functions import cnp
from .index_arrays import along


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """Look up rows of `weight` by their indices."""
    shorten(weight, input, max_norm, norm_type)
    if sparse and records(weight):
        return weight._sparse_rows(input, padding_idx, scale_grad_by_freq)
    return _embedding(input, weight, padding_idx, scale_grad_by_freq)


def records(weight):
    """Tell whether a gradient of a table is going to be computed."""
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


@functional("embedding_bag", blind=True, front=embedding_bag)
def _embedding_bag(input, weight, offsets, scale_grad_by_freq, mode, sparse, scale, include_last_offset, padding_idx):
    if scale is not None and tuple(scale.shape) != tuple(input.shape):
        raise ValueError(f"embedding_bag: If per_sample_weights ({list(scale.shape)}) is not None, then it must have "
                         f"the same shape as the input ({list(input.shape)})")
    if weight.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    flat, starts, bags = _bags(input, offsets, include_last_offset)
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ValueError("max mode does not support scaling the gradient by the frequency" if scale_grad_by_freq else
                         "max mode does not support sparse weights")
    if weight.dtype.kind not in "fV":
        raise RuntimeError("Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
                           f"BFloat16, Float, Double; but got {type_word(weight.dtype)} instead (while checking "
                           "arguments for embedding_bag)")
    for v in (flat, starts):
        if v.dtype.kind not in "biu":
            raise RuntimeError("Expected tensor for argument #1 'indices' to have one of the following scalar types: "
                               f"Long, Int; but got torch.{type_word(v.dtype)}Tensor instead (while checking arguments "
                               "for embedding_bag)")
    flat, starts = (v if v.dtype in (np.int64, np.int32) else v.astype(np.int64) for v in (flat, starts))
    if scale is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only "
                                  f"supported for mode='sum' (got mode='{mode}'). Please open a feature request on "
                                  "GitHub.")
    if scale is not None and scale.dtype != weight.dtype:
        raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                           f"'per_sample_weights'; but type torch.{type_word(weight.dtype)}Tensor does not equal "
                           f"torch.{type_word(scale.dtype)}Tensor (while checking arguments for embedding_bag)")
    size = weight.shape[0]
    insist(lambda places: _check_rows(places, size), flat)
    if scale_grad_by_freq:
        weight = by_frequency("nn.functional.embedding_bag with scale_grad_by_freq", weight, flat)
    numbers, counts = REGISTRY["bag_numbers"].fun(flat, starts, bags, -1 if padding_idx is None else padding_idx % size)
    if mode == "max" and flat.shape[0]:
        best = REGISTRY["largest_gathered"].fun(weight, flat, numbers, bags)
        zero = constant(np.zeros((), weight.dtype), weight)
        return cnp.where(best < 0, zero, along(weight, cnp.maximum(best, 0), 0))
    if scale is not None:
        weight = cnp.take(weight, flat, axis=0) * cnp.reshape(scale, (-1, 1))
        flat = constant(np.arange(flat.shape[0]), weight)
    out = REGISTRY["gathered_sums"].fun(weight, flat, numbers, bags)
    return out if mode != "mean" else out / cnp.expand_dims(cnp.maximum(counts, 1).astype(weight.dtype), 1)


def _check_rows(places, size):
    if not all_within(places, 0, size):
        wrong = places[(places < 0) | (places >= size)][0]
        raise RuntimeError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {wrong}")


def _bags(input, offsets, include_last_offset):
    """The numbers of the rows one behind the other, where each bag starts, and how many bags there are."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of "
                             "fixed length sequences. However, found offsets of type <class 'torch.Tensor'>")
        return (cnp.reshape(stripped(input), (-1,)), constant(np.arange(input.shape[0]) * input.shape[1], input),
                input.shape[0])
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.ndim != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    count = input.shape[0]
    insist(lambda starts: _check_starts(starts, count), offsets)
    return stripped(input), stripped(offsets), max(offsets.shape[0] - bool(include_last_offset), 0)


def _check_starts(starts, count):
    if not starts.size:
        return
    first, last = (starts.item(k) if starts.ndim == 1 else starts[..., k].max() for k in (0, -1))
    if last > count:
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {last}")
    if first:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                           f"position 0. However, got {first}")


@restoring
def shorten(weight, input, most, order):
    """Rows of a table shortened in place to `most` where that is given, as `torch.embedding_renorm_` does."""
    if most is None:
        return
    with no_grad():
        rows = input.unique()
        part = weight[rows]
        size = ROWS["linalg.vector_norm"].fun(part, order, 1, True)
        weight[rows] = ROWS["where"].fun(size > most, part * (most / (size + 1e-7)), part)
