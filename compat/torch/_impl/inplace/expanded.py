"""Writes at some places of expanded memory, which PyTorch still allows: those elements are written, and it warns."""

import numpy as np

from ..modes.warnings import tell

# What they write to: operations of which only these arguments say what is written, and PyTorch's example.
PLACES = {"masked_fill_": (slice(1, None), "tensor[mask] = scalar"),
          "index_fill_": (slice(2, None), "tensor[mask] = scalar"),
          "index_put_": (slice(0, 1), "tensor[indices] = tensor")}


class Adding:
    """A function of a write that adds to what is there."""

    __slots__ = ("fn",)

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, *args):
        return self.fn(*args)


def at_places(array, name, fn, values):
    """The new value of expanded memory under `fn(array, *values)`, which changes only some of its elements."""
    which, example = PLACES[name]
    tell(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this "
         f"operation. This also applies to advanced indexing e.g. {example}")
    once = array[tuple([slice(0, 1) if step == 0 else slice(None) for step in array.strides])].copy()
    if type(fn) is Adding:
        axes = tuple([k for k, step in enumerate(array.strides) if step == 0])
        once += np.asarray(fn(np.zeros(array.shape, array.dtype), *values)).sum(axis=axes, keepdims=True)
        return np.broadcast_to(once, array.shape)
    new = np.asarray(fn(array, *values)).astype(array.dtype, copy=False)
    what = range(len(values))[which]
    written = np.asarray(fn(np.zeros(array.shape, bool), *[
        v if i not in what else np.ones(np.shape(v), bool) if hasattr(v, "dtype") else True
        for i, v in enumerate(values)]))
    for at in zip(*np.nonzero(written)):
        once[tuple([0 if step == 0 else k for k, step in zip(at, array.strides)])] = new[at]
    return np.broadcast_to(once, array.shape)
