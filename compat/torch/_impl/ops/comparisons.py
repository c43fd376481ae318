"""Comparisons of two tensors element by element, logical and bitwise operations, choices by truth values."""

import numpy as np

from .....extend import REGISTRY, Tracer
from ..dispatch.call import attach, inplace_method, invoke, operation, otherwise, promote
from ..dispatch.host_ops import DYNAMIC, primal_of
from ..dispatch.layouts import LIKE_OPERANDS, check_broadcast
from ..fastpath.lanes import flat
from ..state.python_data import filling
from ..types import dtypes
from ..types.dtypes import type_word
from ..types.tensor_type import shape_dtype, wrap
from .array_functions import cnp
from .operands import COMPARABLE, by_name, checked_number, of_kinds, operands, zero_slope
from .operators import operator_of


def compare(name, primitive, symbol):
    """A comparison: booleans, no history."""
    prim = REGISTRY[primitive]

    def body(input, other):
        return prim.fun(*of_kinds(f"{name}_cpu", kinds, *operands(input, other)))

    ordered = name not in ("eq", "ne")
    kinds = "biufV" if ordered else "biufVc"

    def lane(row):
        fast = flat(row, getattr(np, primitive))

        def fun(input=None, other=None, *, out=None, **named):
            if out is None and not named:
                return fast(input, other)
            return invoke(row, fun, *by_name(input, other, out, named))

        def operator(self, other):
            if isinstance(other, np.ndarray):
                return NotImplemented if ordered else fast(self, wrap(other))
            return fast(self, other) if isinstance(other, COMPARABLE) else NotImplemented

        attach(symbol, operator)
        return fun

    def written(input, other):
        """The value written by the in-place form: numbers, in the history of both operands."""
        found = body(input, other)
        if input.dtype.kind not in "fVc" or not isinstance(input, Tracer) and not isinstance(other, Tracer):
            return found
        return zero_slope(found.astype(input.dtype), (input + other).astype(input.dtype))

    title = name.capitalize() + "Backward"
    own = operation(name, register=False, method=False, node={
        lambda given, named: hasattr(given[1], "dtype"): title + "1", otherwise: title + "0"})(written).row
    operation(name, node=None, layout=LIKE_OPERANDS, blind=True, lane=lane,
              inplace_form=lambda row: inplace_method(own))(body)


for _name, _prim in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                     "ge": "greater_equal"}.items():
    compare(_name, _prim, f"__{_name}__")


def _logical(name, fun, count):
    """A logical operation on truth values."""
    if count == 1:
        body = lambda input: fun(input != 0 if input.dtype != np.bool_ else input)  # noqa: E731
    else:
        body = lambda input, other: fun(  # noqa: E731
            *[v if v.dtype == np.bool_ else v != 0 for v in promote(input, other)])
    operation(name, inplace_form=True, blind=True, layout=LIKE_OPERANDS if count == 2 else None)(body)


_logical("logical_and", cnp.bitwise_and, 2)
_logical("logical_or", cnp.bitwise_or, 2)
_logical("logical_xor", cnp.bitwise_xor, 2)
_logical("logical_not", cnp.invert, 1)


def _bitwise(name, fun, dunder, count=2):
    if count == 1:
        def body(input):
            return fun(*of_kinds(f"{name}_cpu", "biu", input))
    else:
        def body(input, other):
            return fun(*of_kinds(f"{name}_cpu", "biu", *operands(input, other)))
    made = operation(name, inplace_form=True, blind=True, layout=LIKE_OPERANDS if count == 2 else None)(body)
    attach(dunder, operator_of(made) if count == 2 else inverted)
    if count == 2:
        attach(dunder.replace("__", "__r", 1), operator_of(made))


def inverted(self):
    """`~tensor`."""
    if shape_dtype(self)[1].kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return self.bitwise_not()


_bitwise("bitwise_and", cnp.bitwise_and, "__and__")
_bitwise("bitwise_or", cnp.bitwise_or, "__or__")
_bitwise("bitwise_xor", cnp.bitwise_xor, "__xor__")
_bitwise("bitwise_not", cnp.invert, "__invert__", 1)


@operation("where", method=False, layout=LIKE_OPERANDS, blind=True)
def where(condition, input=None, other=None):
    """Select from `input` where `condition` is true, from `other` elsewhere."""
    if input is None and other is None:
        if not isinstance(primal_of(condition), np.ndarray | np.generic):
            raise RuntimeError(DYNAMIC.format("where"))
        return tuple([np.ascontiguousarray(i) for i in np.nonzero(primal_of(condition))])
    if getattr(condition, "dtype", None) != np.bool_:
        if getattr(condition, "dtype", None) != np.uint8:
            raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                               f"{type_word(condition.dtype)}")
        condition = condition != 0
    check_broadcast(input, other)
    if not hasattr(input, "dtype") and not hasattr(other, "dtype"):
        common = dtypes.promoted([], [], [input, other]).numpy
        input, other = np.asarray(input, common), np.asarray(other, common)
    given = checked_number(input, other), checked_number(other, input)
    out = cnp.where(condition, *promote(*given))
    for x in given:
        if isinstance(x, int | float) and dtypes.OF_NUMPY[out.dtype].itemsize != 2:  # a half takes infinity for it
            filling(x, out.dtype)
    return out


attach("where", lambda self, condition, other: where(condition, self, other))
