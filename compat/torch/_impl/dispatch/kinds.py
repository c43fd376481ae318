"""Kinds of arguments: which values a parameter takes, and sizes, counts and axes as integers of Python."""

import numbers

import numpy as np

from ..types.dtypes import OF_PYTHON, dtype as Dtype
from ..types.tensor_type import TensorBase

WORDS = {"Tensor": "Tensor", "Number": "Number", "int": "int", "size": "int", "float": "float", "bool": "bool",
         "str": "str", "dtype": "torch.dtype", "ints": "tuple of ints", "ints1": "tuple of ints",
         "sizes": "tuple of ints", "sizes1": "tuple of ints", "floats": "tuple of floats",
         "Tensors": "tuple of Tensors", "any": "object", "duck": "Tensor", "operand": "Tensor"}
COUNTS = frozenset("""
dilation dim dims kernel_size norm_type output_padding output_size p padding size stride
""".split())  # which the tables know no kind of: functions in Python take several


def fits(p, v):
    """Tell whether a value may be given for a parameter."""
    kind = p.kind
    if kind == "duck" and not (v is None and p.none):
        if not isinstance(v, TensorBase):
            raise AttributeError(f"'{type(v).__name__}' object has no attribute 'size'")
        return True
    if v is None:
        return p.none or kind == "any"
    if kind == "Tensor":
        return isinstance(v, TensorBase)
    if kind == "operand":
        return isinstance(v, TensorBase | numbers.Number | np.bool_)
    if kind == "Number":
        return isinstance(v, numbers.Number | np.bool_) or isinstance(v, TensorBase) and not v.dim()
    if kind in INTEGERS:
        test = INTEGERS[kind]
        if isinstance(v, tuple | list):
            return kind not in ("int", "size") and all(map(test, v))
        return kind in ("int", "size", "sizes1") and test(v) or kind == "ints1" and (
            test(v) and not isinstance(v, np.ndarray))
    if kind == "float":
        return isinstance(v, float | int | np.floating | np.integer) or isinstance(
            v, TensorBase) and not v.dim() and not v.is_complex()
    if kind == "bool":
        return isinstance(v, bool | np.bool_)
    if kind == "str":
        return isinstance(v, str)
    if kind == "dtype":
        return isinstance(v, Dtype) or isinstance(v, type) and v in OF_PYTHON
    if kind == "floats":
        return isinstance(v, tuple | list) and all(isinstance(n, float | int) for n in v)
    if kind == "Tensors":
        return isinstance(v, tuple | list) and all(isinstance(n, TensorBase) for n in v)
    return True


def unlike(kind, v):
    """The mismatch between a parameter's kind and the value given, in words."""
    if kind in ("ints", "ints1", "sizes", "sizes1", "floats") and isinstance(v, tuple | list):
        for place, n in enumerate(v):
            if not (isinstance(n, float | int) if kind == "floats" else INTEGERS[kind](n)):
                return f"{WORDS[kind]}, but found element of type {type(n).__name__} at pos {place}"
    return f"{WORDS[kind]}, not {type(v).__name__}"


def integer(v):
    """Tell whether a value is an integer: of Python, of NumPy, or a tensor without axes."""
    if isinstance(v, TensorBase):
        return not v.dim() and counts(v)
    return isinstance(v, int | np.integer) and not isinstance(v, bool)


def counts(v):
    """Tell whether a value counts as an integer that sizes are made of: an integer, or an array or tensor of one."""
    return whole(v) and not (isinstance(v, TensorBase) and v.dtype.numpy.kind == "b")


def whole(v):
    """Tell whether a value counts as an integer: of Python, of NumPy, or a tensor of one element."""
    if type(v) is int:
        return True
    if isinstance(v, TensorBase):
        return v.numel() == 1 and not (v.is_floating_point() or v.is_complex())
    if isinstance(v, np.ndarray):
        return not v.ndim and v.dtype.kind in "iu"
    return isinstance(v, int | np.integer) and not isinstance(v, bool | np.bool_)


INTEGERS = {"int": integer, "size": counts, "ints": whole, "ints1": whole, "sizes": counts, "sizes1": counts}


def integers(v):
    """Sizes and counts as numbers of Python, alone or in a sequence: of what `whole` takes, of a tensor of a float."""
    if type(v) is int or type(v) is float:
        return v
    if isinstance(v, tuple | list):
        return v if all(type(n) is int for n in v) else tuple([integers(n) for n in v])
    if isinstance(v, TensorBase) and not v.dim() and v.is_floating_point() and not v.requires_grad:
        return v.item()
    return int(v) if whole(v) else v
