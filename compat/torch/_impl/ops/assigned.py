"""Checks of values assigned to places of a tensor: a number of its dtype, and the words of a refusal."""

import numpy as np

from ..state.python_data import filling


def assigned(value, dtype):
    """A number that is assigned to an index: as one that fills memory, but half precision takes infinities for it."""
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    if dtype == np.float16 and isinstance(value, float | int):
        with np.errstate(over="ignore"):
            return np.asarray(float(value)).astype(dtype)
    return filling(value, dtype)


def class_word(value):
    """The class of a value as PyTorch's messages name it."""
    return "numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__


def type_name(t):
    """The old name of a tensor's type."""
    return {"float32": "FloatTensor", "float64": "DoubleTensor", "int64": "LongTensor"}.get(t.dtype.name, "Tensor")
