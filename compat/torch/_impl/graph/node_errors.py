"""Errors of a sweep: what a node saved was freed, or written to; and the cotangents that are no values."""

import numpy as np

from ..modes.modes import modes

HINTS = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False).",
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!",
)  # without anomaly mode, and in it


def freed():
    """torch's error for a second sweep over a freed graph."""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )


def modified(array, changed, words):
    """torch's error for a saved array that was written to since; `words` say which output of which operation it is."""
    now, then = changed
    cuda = "" if isinstance(array, np.ndarray) else "cuda."
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{cuda}{tensor_type(array)} {list(array.shape)}]{words} is at version "
        f"{now}; expected version {then} instead. Hint: {HINTS[modes().anomaly is not None]}"
    )


def detached():
    """torch's error for a saved operand whose tensor was detached in place since."""
    return RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is "
                        "not supported, please use out-of-place `.detach()` instead")


def tensor_type(array):
    """The old name of a tensor's type."""
    return type_of(array.dtype)


def type_of(dtype):
    """`FloatTensor`: the old name of the type of tensors of a dtype, which messages show."""
    return _TYPES.get(dtype.name, "Tensor")


_TYPES = {"float32": "FloatTensor", "float64": "DoubleTensor", "float16": "HalfTensor", "int64": "LongTensor",
            "int32": "IntTensor", "bool": "BoolTensor", "uint8": "ByteTensor", "int8": "CharTensor",
            "int16": "ShortTensor", "bfloat16": "BFloat16Tensor", "complex64": "ComplexFloatTensor",
            "complex128": "ComplexDoubleTensor"}


# UNDEFINED: the cotangent that torch calls undefined; DECLINED: no cotangent, a quick road gave way.


class Undefined:
    """The cotangent that torch calls undefined: it reached a node, and carries nothing."""

    __slots__ = ()
    __array_ufunc__ = None
    absent = True

    def __add__(self, other):
        return other

    __radd__ = __add__

    def __repr__(self):
        return "UNDEFINED"


UNDEFINED = Undefined()
DECLINED = object()
