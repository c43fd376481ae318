"""Outputs of a size that is known before the values are: positions, distinct values and segments of an axis."""

import numpy as np

from ..dispatch.call import ROWS, attach
from ..state.levels import concrete
from ..types.tensor_type import TensorBase, wrap

_REDUCTIONS = {"sum": ("sum", 0), "mean": ("sum", 0), "prod": ("prod", 1), "max": ("amax", -np.inf),
               "min": ("amin", np.inf)}


def fill(input, value):
    """Return a copy with one value everywhere."""
    return input.clone().fill_(value)


def nonzero_static(input, *, size, fill_value=-1):
    """Return the indices of the first `size` nonzero elements, and rows of `fill_value` behind them."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = input.nonzero()[:size]
    out = found.new_full((size, input.ndim), fill_value)
    out[: len(found)] = found
    return out


def _unique2(input, sorted=True, return_inverse=False, return_counts=False):  # noqa: A002
    """Return the distinct values, where each element is among them, and how often each occurs."""
    values, inverse, counts = input.unique(True, True, True)
    none = np.zeros(0, np.int64)
    return (values, inverse if return_inverse else wrap(none),
            counts if return_counts else wrap(none.copy()))


def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """Reduce segments of an axis, which lie behind each other and have their own lengths each.

    Args:
        data: a tensor of floating-point numbers.
        reduce: `"sum"`, `"mean"`, `"max"`, `"min"` or `"prod"`.
        lengths: of the segments; its axes before the last are those of `data` before `axis`.
        indices: not supported, nor by PyTorch.
        offsets: where the segments begin, and where the last one ends, in place of their lengths.
        axis: the axis of `data`.
        unsafe: whether lengths are taken as they are.
        initial: what each segment begins with; by default that which changes nothing, and NaN for an empty mean.
    """
    name, neutral = _chosen(reduce, lengths, indices, offsets)
    axis = axis + data.ndim if axis < 0 else axis
    n = data.shape[axis]
    sizes = np.diff(concrete(offsets.cpu(), "item")) if lengths is None else concrete(lengths.cpu(), "item")
    if sizes.ndim != axis + 1:
        raise RuntimeError("segment_reduce(): Expected axis to be the last dimension of "
                           f"{'offsets' if lengths is None else 'lengths'} but got {axis}.")
    if lengths is not None and not unsafe:
        if (sizes < 0).any():
            raise RuntimeError("lengths contains negative value!")
        if (sizes.sum(-1) != n).any():
            raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to "
                               "data.size(lengths.dim()-1) when !unsafe.")
    ends = np.cumsum(sizes, -1) + (0 if lengths is not None else concrete(offsets.cpu(), "item")[..., :1])
    segment = (np.arange(n)[:, None] >= ends[..., None, :]).sum(-1)  # (*outer, n): those that end before
    count = sizes.shape[-1]
    out_shape = (*data.shape[:axis], count + 1, *data.shape[axis + 1 :])  # the last one takes what is in no segment
    inner = (1,) * (data.ndim - axis - 1)
    index = wrap(np.broadcast_to(segment.reshape(*segment.shape, *inner), tuple(data.shape)).copy()).to(data.device)
    extreme = reduce in ("max", "min")
    start = neutral if initial is None or extreme else initial
    first = data.detach().new_full(out_shape, start)
    out = ROWS["scatter_reduce"].fun(first, axis, index, data, name).narrow(axis, 0, count).clone()
    if extreme and initial is not None:  # an element that equals it keeps its gradient
        out = out.masked_fill(out < initial if reduce == "max" else out > initial, initial)
    if reduce != "mean":
        return out
    out = out / wrap(np.maximum(sizes, 1).reshape(*sizes.shape, *inner)).to(data.device, first.dtype)
    if initial is None and (sizes == 0).any():
        return out.masked_fill(wrap((sizes == 0).reshape(*sizes.shape, *inner)).to(data.device), float("nan"))
    return out


def _chosen(reduce, lengths, indices, offsets):
    """The reduction of scatter_reduce, and what changes nothing in it; torch's refusals."""
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if not isinstance(lengths, TensorBase) and not isinstance(offsets, TensorBase):
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    return _REDUCTIONS[reduce]


PLAIN = {"fill": fill, "nonzero_static": nonzero_static, "_unique2": _unique2, "segment_reduce": segment_reduce}
attach("nonzero_static", nonzero_static)
