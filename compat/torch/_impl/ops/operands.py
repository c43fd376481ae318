"""The operands of an operation: checked, promoted, or noted in the history alone."""

import numpy as np

from .....extend import REGISTRY, Tracer
from ..dispatch.call import promote
from ..dispatch.layouts import check_broadcast
from ..state.python_data import filling
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase
from .array_functions import cnp

COMPARABLE = (TensorBase, int, float, complex, np.generic, np.ndarray)


def operands(input, other, floats=False):
    """Both operands checked and promoted."""
    check_broadcast(input, other)
    return promote(input, other, floats=floats)


def unread(answer, value):
    """`answer`, in the history of a value that it does not depend on: that gets zeros."""
    if not isinstance(value, Tracer) or answer.dtype.kind not in "fcV":
        return answer
    return answer - cnp.sum(cnp.reshape(value, (-1,))[:0]).astype(answer.dtype)  # -0.0 stays


def zero_slope(answer, input):
    """Record `answer`, whose derivative with respect to `input` is zero: torch records a node for it."""
    return REGISTRY["index_update"].fun(input, answer, Ellipsis, False, False)


def checked_number(number, x):
    """A Python integer beside a tensor of integers, or torch's error where its dtype does not hold it."""
    if type(number) is int and hasattr(x, "dtype") and x.dtype.kind in "iu":
        filling(number, x.dtype)
    return number


def of_kinds(kernel, kinds, *values):
    """The operands, of one dtype; torch's refusal of dtypes that are not of some kinds (NumPy's letters)."""
    dtype = next(v.dtype for v in values if hasattr(v, "dtype"))
    if dtype.kind not in kinds:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{type_word(dtype)}'")
    return values


def by_name(input, other, out, named):
    """`(args, named)` of a call of a binary operation, which may give operands by NumPy's names."""
    named = named if out is None else {**named, "out": out}
    if named.keys().isdisjoint(("x", "x1", "x2", "a")):
        return (input, other), named
    if input is None:
        return (), named if other is None else {**named, "other": other}
    return (input,) if other is None else (input, other), named


def times(x, factor, over=False):
    """A value times (or over) a number of the call; a node keeps that as it keeps an axis, and frees nothing."""
    if hasattr(x, "dtype") and type(factor) in _KINDS.get(x.dtype.kind, ()):
        return REGISTRY["scale"].fun(x, factor, over)
    return REGISTRY["divide" if over else "multiply"].fun(*promote(x, factor, floats=over))


_KINDS = {"f": (int, float), "c": (int, float, complex)}
