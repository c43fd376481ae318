"""Elementwise operations: one row each, with a fast path where a primitive of covector does all the work."""

import functools

import numpy as np

from ..... import numpy as cnp
from .....extend import REGISTRY
from ..dispatch.broadcasting import check_broadcast
from ..dispatch.call import (
    ROWS,
    attach,
    floating,
    inplace_method,
    invoke,
    operation,
    promote,
    to,
)
from ..dispatch.deprecated_overloads import modern
from ..dispatch.host_ops import DYNAMIC, primal_of
from ..dispatch.layouts import IN_ORDER, LIKE_OPERANDS
from ..fastpath.inplace_lanes import binary_inplace
from ..fastpath.lanes import OPERANDS, binary, flat, unary
from ..state.python_data import filling
from ..types import dtypes
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase
from .operands import operands, zero_slope


def one(name, primitive=None, floats=True):
    """An operation of one tensor.

    Args:
        primitive: covector's name; floats: integers become the default floating dtype first.
    """
    prim = REGISTRY[primitive or name.rpartition(".")[2]]
    body = (lambda input: prim.fun(floating(input))) if floats else (lambda input: prim.fun(input))
    found = getattr(np, prim.name, None)
    ufunc = found if isinstance(found, np.ufunc) else prim.fun
    top = "." not in name  # or a function of torch.special alone, whose operand may have any name

    def lane(row):
        fast = unary(row, prim, ufunc)

        def fun(*args, **named):
            return fast(*args) if len(args) == 1 and not named else invoke(row, fun, args, named)

        return fast if top else fun

    return operation(name, blind=True, method=top, inplace_form=top, lane=lane)(body)


COMPARABLE = (TensorBase, int, float, complex, np.generic, np.ndarray)


def synonyms(table):
    """Other names of operations, as functions, methods and in place."""
    for alias, name in table.items():
        row = ROWS[alias] = ROWS[name]
        attach(alias, row.fun)
        attach(alias + "_", inplace_method(row))


for _name, _prim in {
    "exp": None, "log": None, "sqrt": None, "sin": None, "cos": None, "tan": None, "tanh": None, "sinh": None,
    "cosh": None, "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "expm1": None, "log1p": None, "log2": None, "log10": None, "exp2": None, "reciprocal": None,
    "sigmoid": None,
}.items():
    one(_name, _prim)
for _name, _prim in {"abs": "absolute", "neg": "negative", "relu": None}.items():
    one(_name, _prim, floats=False)
synonyms({"absolute": "abs", "negative": "neg", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
          "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"})


def whole_operands(input, other):
    """Both operands checked and promoted; torch's error where integers are divided by zero."""
    x, y = operands(input, other)
    if (x if hasattr(x, "dtype") else y).dtype.kind in "iu":
        plain = primal_of(y) if hasattr(y, "dtype") else y
        if isinstance(plain, int | np.ndarray | np.generic) and not np.all(plain):
            raise RuntimeError("ZeroDivisionError")
    return x, y


def scaled(x, alpha, dtype):
    """`alpha * x` in the common dtype of the operands; torch's refusal of a number of a higher kind."""
    if isinstance(alpha, float) and dtype.kind in "biu":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and dtype.kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return cnp.bitwise_and(x, alpha != 0) if dtype.kind == "b" else to(multiply(*promote(x, alpha)), dtype)


def log_added(x, y):
    """The logarithm of a sum of two exponentials, of complex numbers too."""
    if x.dtype.kind != "c":
        return cnp.logaddexp(x, y)
    more = cnp.real(x) >= cnp.real(y)
    high, low = cnp.where(more, x, y), cnp.where(more, y, x)
    return high + cnp.log1p(cnp.exp(low - cnp.where(cnp.isinf(cnp.real(high)), 0.0, high)))


def two(name, primitive, body=None, inplace=True, alpha=False, numbers=True, layout=None):
    """An operation of two tensors, or with `numbers` of a tensor and a number; `alpha` scales the second."""
    prim = REGISTRY[primitive]
    if body is None:
        def body(input, other, alpha=1):
            x, y = operands(input, other)
            if type(alpha) is not int or alpha != 1:
                y = scaled(y, alpha, (x if hasattr(x, "dtype") else y).dtype)
            return prim.fun(x, y)
    op = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.true_divide}.get(
        primitive) or getattr(np, primitive)

    def lane(row):
        fast = binary(row, prim, op)
        if alpha:
            def fun(input, other, *rest, alpha=1, out=None):
                if out is None and alpha == 1 and type(alpha) is int and not rest:
                    return fast(input, other)
                named = {} if rest and alpha == 1 else {"alpha": alpha}
                if out is not None:
                    named["out"] = out
                args, named = modern(name, (input, other, *rest), named) if rest else ((input, other), named)
                return invoke(row, fun, args, named)
        elif not numbers:
            def fun(input, other, *, out=None):
                if out is None and type(other) is not float and type(other) is not int:
                    return fast(input, other)
                return invoke(row, fun, (input, other), {} if out is None else {"out": out})
        else:
            def fun(input, other, *, out=None):
                return fast(input, other) if out is None else invoke(row, fun, (input, other), {"out": out})
        fun.fast = fast
        return fun

    def written(row):
        slow = inplace_method(row)
        quick = binary_inplace(prim, op, slow)

        def method(self, other, *rest, alpha=None):
            if rest:
                args, named = modern(f"{name}_", (self, other, *rest), {} if alpha is None else {"alpha": alpha})
                return slow(*args, **named)
            return quick(self, other) if alpha is None else slow(self, other, alpha=alpha)

        return renamed(method, slow)

    fun = operation(name, layout=layout, blind=True, lane=lane, inplace_form=inplace and written)(body)
    return fun, fun.fast


def renamed(method, slow):
    """A fast in-place method under the name of the general one."""
    return functools.update_wrapper(method, slow)


multiply = REGISTRY["multiply"].fun


def _check_bool_sub(input, other):
    for x in (input, other):
        if getattr(x, "dtype", None) == np.bool_:
            raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                               "trying to "
                               "invert a mask, use the `~` or `logical_not()` operator instead.")


def _sub(input, other, alpha=1):
    _check_bool_sub(input, other)
    x, y = operands(input, other)
    if type(alpha) is not int or alpha != 1:
        y = scaled(y, alpha, (x if hasattr(x, "dtype") else y).dtype)
    return REGISTRY["subtract"].fun(x, y)


def _div(input, other, *, rounding_mode=None):
    """Compute the quotient of two tensors, or of a tensor and a number."""
    if rounding_mode is None:
        return REGISTRY["divide"].fun(*operands(input, other, floats=True))
    x, y = whole_operands(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    if getattr(x, "dtype", np.dtype(int)).kind in "iu" and getattr(y, "dtype", np.dtype(int)).kind in "iu":
        down = cnp.floor_divide(x, y)
        if rounding_mode == "floor":
            return down
        return cnp.where((down < 0) & (down * y != x), down + 1, down)
    found = cnp.floor_divide(x, y) if rounding_mode == "floor" else cnp.trunc(cnp.divide(x, y))
    return found if isinstance(x, np.ndarray) and isinstance(y, np.ndarray) else zero_slope(found, x + y)


add, _add = two("add", "add", alpha=True)
sub, _subtract = two("sub", "subtract", body=_sub, alpha=True)
mul, _mul = two("mul", "multiply")
def ordered(name):
    """The body of an operation that compares numbers."""

    def body(input, other):
        x, y = operands(input, other)
        if x.dtype.kind == "c":
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return REGISTRY[name].fun(x, y)

    return body


maximum, _ = two("maximum", "maximum", inplace=False, body=ordered("maximum"), numbers=False, layout=LIKE_OPERANDS)
minimum, _ = two("minimum", "minimum", inplace=False, body=ordered("minimum"), numbers=False, layout=LIKE_OPERANDS)


def _quotients(row):
    """The lane of `div`."""
    fast = binary(row, REGISTRY["divide"], np.true_divide)

    def div(input, other, *, rounding_mode=None, out=None):
        if rounding_mode is None and out is None:
            return fast(input, other)
        named = {"rounding_mode": rounding_mode} | ({} if out is None else {"out": out})
        return invoke(row, div, (input, other), named)

    div.fast = fast
    return div


def _quotients_inplace(row):
    slow = inplace_method(row)
    quick = binary_inplace(REGISTRY["divide"], np.true_divide, slow)

    def div_(self, other, *, rounding_mode=None):
        return quick(self, other) if rounding_mode is None else slow(self, other, rounding_mode=rounding_mode)

    return renamed(div_, slow)


div = operation("div", blind=True, lane=_quotients, inplace_form=_quotients_inplace)(_div)
synonyms({"subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div"})
for _name, _first in {"fmax": cnp.greater_equal, "fmin": cnp.less_equal}.items():
    def _pick(input, other, first=_first):
        x, y = operands(input, other)
        if x.dtype.kind == "c":
            raise RuntimeError("fmax and fmin are not implemented for complex tensors.")
        if x.dtype.kind in "biu":
            return cnp.where(first(x, y), x, y)
        return cnp.where(first(x, y) | (y != y), x, y)  # of equal ones the first gets all of the gradient

    operation(_name, layout=LIKE_OPERANDS)(_pick)
attach("__add__", _add)
attach("__radd__", binary(ROWS["add"], REGISTRY["add"], np.add, reflected=True))
attach("__sub__", _subtract)
attach("__mul__", _mul)
attach("__rmul__", binary(ROWS["mul"], REGISTRY["multiply"], np.multiply, reflected=True))
attach("__truediv__", div.fast)
attach("__neg__", ROWS["neg"].fun)
attach("__abs__", ROWS["abs"].fun)


@operation("rsub", blind=True, method=False, layout=LIKE_OPERANDS)
def rsub(input, other, *, alpha=1):
    """Compute `other - alpha * input`."""
    return _sub(other, input, alpha) if hasattr(other, "dtype") else _rsub(input, other, alpha)


def _rsub(input, other, alpha):
    _check_bool_sub(input, other)
    x, y = promote(input, other)
    return REGISTRY["subtract"].fun(y, x if type(alpha) is int and alpha == 1 else scaled(x, alpha, x.dtype))


attach("__rsub__", lambda self, other: rsub(self, other) if isinstance(other, COMPARABLE) else NotImplemented)


@operation("__rtruediv__", node="MulBackward0", register=False)
def rtruediv(self, other):
    """`other / self` for a number."""
    return multiply(*promote(REGISTRY["reciprocal"].fun(floating(self)), other))


_divided = rtruediv
attach("__rtruediv__", lambda self, other: _divided(self, other) if isinstance(other, COMPARABLE) else NotImplemented)


def compare(name, primitive, symbol):
    """A comparison: booleans, no history."""
    prim = REGISTRY[primitive]

    def body(input, other):
        if ordered and complex in (type(input), type(other)):
            raise NotImplementedError(f'"{name}_cpu" not implemented for complex numbers, which have no order')
        return prim.fun(*operands(input, other))

    ordered = name not in ("eq", "ne")

    def lane(row):
        fast = flat(row, getattr(np, primitive))

        def fun(input, other, *, out=None):
            return fast(input, other) if out is None else invoke(row, fun, (input, other), {"out": out})

        def operator(self, other):
            return fast(self, other) if isinstance(other, COMPARABLE) else NotImplemented

        attach(symbol, operator)
        return fun

    operation(name, node=None, layout=LIKE_OPERANDS, blind=True, lane=lane, inplace_form=True)(body)


for _name, _prim in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                     "ge": "greater_equal"}.items():
    compare(_name, _prim, f"__{_name}__")


def _of_powers(value, tensors, args=(), named=None):
    """Powers of a number lie in order, others as their operands."""
    lone = len(tensors) == 1 and args[0] is not tensors[0]
    return (IN_ORDER if lone else LIKE_OPERANDS)(value, tensors)


@operation("pow", blind=True, inplace_form=True, layout=_of_powers)
def pow(input, exponent):  # noqa: A001 (torch's name)
    """Compute `input ** exponent`."""
    check_broadcast(input, exponent)
    if not hasattr(exponent, "dtype"):
        kind = input.dtype.kind
        if kind == "b" and type(exponent) is bool:
            return cnp.bitwise_or(input, not exponent)
        exponent = int(exponent) if type(exponent) is bool else exponent
        if kind == "b" and type(exponent) is int:
            input, kind = input.astype(np.int64), "i"
        if kind in "iu" and type(exponent) is int:
            if exponent < 0:
                raise RuntimeError("Integers to negative integer powers are not allowed.")
            return cnp.power(input, exponent)
        if kind in "biu":
            (input,) = (floating(input),)
        if kind in "fcbiu" and type(exponent) in (int, float) and abs(exponent) < 64 and exponent == int(exponent):
            return REGISTRY["integer_power"].fun(input, int(exponent)) if exponent != 2 else cnp.square(input)
        return cnp.power(*promote(input, exponent))
    x, y = promote(input, exponent)
    if y.dtype.kind == "i" and (type(x) is int or getattr(x, "dtype", y.dtype).kind in "iu"):
        below = y < 0  # of integers only 1 and -1 have an inverse, of others the whole part of it is 0
        x = cnp.asarray(x, y.dtype) if type(x) is int else x
        inverse = cnp.where(x == 1, 1, cnp.where(x == -1, 1 - 2 * (y & 1), 0)).astype(y.dtype)
        return cnp.where(below, inverse, cnp.power(x, cnp.where(below, 0, y)))
    return cnp.power(x, y)


attach("__pow__", pow)
attach("__rpow__", lambda self, other: pow(other, self) if isinstance(other, COMPARABLE) else NotImplemented)


@operation("float_power", layout=LIKE_OPERANDS)
def float_power(input, exponent):
    """Compute `input ** exponent` in double precision."""
    check_broadcast(input, exponent)
    kind = np.dtype(np.complex128 if any(v.dtype.kind == "c" if hasattr(v, "dtype") else isinstance(v, complex)
                                         for v in (input, exponent)) else np.float64)
    input, exponent = (v.astype(kind) if hasattr(v, "dtype") else kind.type(v).item() for v in (input, exponent))
    return pow.row.body(input, exponent)


@operation("square", inplace_form=True)
def square(input):
    """Compute `input ** 2`."""
    return cnp.square(input if input.dtype != np.bool_ else input.astype(np.int64))


@operation("rsqrt", inplace_form=True)
def rsqrt(input):
    """Compute `1 / sqrt(input)`."""
    return REGISTRY["rsqrt"].fun(floating(input))


@operation("atan2", inplace_form=True, layout=LIKE_OPERANDS)
def atan2(input, other):
    """Compute the angle of the points `(other, input)`."""
    return REGISTRY["arctan2"].fun(*operands(input, other, floats=True))


def _flat(name, fun):
    """An operation that is flat everywhere, and keeps integers as they are."""

    @operation(name, inplace_form=True, blind=True)
    def apply(input):
        if input.dtype.kind in "biu":
            return fun(input) if name == "sign" and input.dtype.kind != "b" else input
        return zero_slope(fun(input), input)


def signs(input):
    """-1, 0 or 1; 0 for NaN, as torch has it."""
    return cnp.where(input != input, 0.0, cnp.sign(input)).astype(input.dtype)


for _name, _fun in {"floor": cnp.floor, "ceil": cnp.ceil, "trunc": cnp.trunc, "sign": signs}.items():
    _flat(_name, _fun)
ROWS["fix"] = ROWS["trunc"]
attach("fix", ROWS["trunc"].fun)


@operation("round", inplace_form=True)
def round(input, *, decimals=0):  # noqa: A001 (torch's name)
    """Round to the nearest integer, or to a number of decimals; ties go to even numbers."""
    if input.dtype.kind in "iu":
        return input
    if not decimals:
        return zero_slope(cnp.rint(input), input)
    scale = 10.0**decimals
    return zero_slope(cnp.rint(input * scale) / scale, input)


def operator_of(fun, swapped=False):
    """The method of an operator: NotImplemented for what is no operand of tensors."""

    def method(self, other):
        if not isinstance(other, OPERANDS) and not hasattr(other, "__torch_function__"):
            return NotImplemented
        return fun(other, self) if swapped else fun(self, other)

    return method


@operation("floor_divide", blind=True, inplace_form=True, layout=LIKE_OPERANDS)
def floor_divide(input, other):
    """Compute the quotient rounded down."""
    x, y = whole_operands(input, other)
    return cnp.floor_divide(x, y)


attach("__floordiv__", floor_divide)
attach("__rfloordiv__", operator_of(floor_divide, swapped=True))


@operation("remainder", blind=True, inplace_form=True, layout=LIKE_OPERANDS)
def remainder(input, other):
    """Compute the remainder with the sign of the divisor."""
    return cnp.remainder(*whole_operands(input, other))


attach("__mod__", remainder)
attach("__rmod__", operator_of(remainder, swapped=True))


@operation("fmod", blind=True, inplace_form=True, layout=LIKE_OPERANDS)
def fmod(input, other):
    """Compute the remainder with the sign of the dividend."""
    return cnp.fmod(*whole_operands(input, other))


def checked_number(number, x):
    """A Python integer beside a tensor of integers, or torch's error where its dtype does not hold it."""
    if type(number) is int and hasattr(x, "dtype") and x.dtype.kind in "iu":
        filling(number, x.dtype)
    return number


@operation("clamp", blind=True, inplace_form=True)
def clamp(input, min=None, max=None):  # noqa: A002 (torch's names)
    """Clamp to `[min, max]`; the derivative at the limits is 1."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if input.dtype.kind in "fV" and complex in (type(min), type(max)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return limited(input, min, max)


def limited(input, min, max):  # noqa: A002
    """`input` in `[min, max]`, one of which may be None."""
    limits = [checked_number(v, input) for v in (min, max) if v is not None]
    input, *limits = promote(input, *limits)
    if input.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    limits = [v if hasattr(v, "dtype") else np.asarray(v, input.dtype) for v in limits]
    low = limits[0] if min is not None else None
    high = limits[-1] if max is not None else None
    if in_order(min, max):
        x = input if low is None else cnp.where(input < low, low, input)
        return x if high is None else cnp.where(x > high, high, x)
    inside = None if low is None else input >= low
    if high is not None:
        inside = input <= high if inside is None else inside & (input <= high)
    edge = low if high is None else high if low is None else cnp.where(input < low, low, high)
    if low is not None and high is not None:
        edge = cnp.minimum(edge, high)
    if edge.dtype.kind in "fV":
        edge = cnp.where(low != low, low, edge) if low is not None and high is not None else edge  # NaN stays
    keep = inside | (input != input)
    return cnp.where(keep, input, edge)


def in_order(low, high):
    """Whether limits are numbers, or left out, and none is NaN or beyond the other."""
    given = [v for v in (low, high) if v is not None]
    return all(not hasattr(v, "dtype") and v == v for v in given) and (len(given) < 2 or low <= high)


ROWS["clip"] = ROWS["clamp"]
attach("clip", clamp)
attach("clip_", inplace_method(clamp.row))


@operation("clamp_min", blind=True, inplace_form=True)
def clamp_min(input, min):  # noqa: A002
    """Limit each element from below."""
    return limited(input, min, None)


@operation("clamp_max", blind=True, inplace_form=True)
def clamp_max(input, max):  # noqa: A002
    """Limit each element from above."""
    return limited(input, None, max)


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
    def check(v):
        if hasattr(v, "dtype") and v.dtype.kind not in "biu":
            raise RuntimeError(f"\"{name}_cpu\" not implemented for '{type_word(v.dtype)}'")

    if count == 1:
        def body(input):
            check(input)
            return fun(input)
    else:
        def body(input, other):
            check(input)
            check(other)
            return fun(*operands(input, other))
    made = operation(name, inplace_form=True, blind=True, layout=LIKE_OPERANDS if count == 2 else None)(body)
    attach(dunder, operator_of(made) if count == 2 else made)
    if count == 2:
        attach(dunder.replace("__", "__r", 1), operator_of(made))


_bitwise("bitwise_and", cnp.bitwise_and, "__and__")
_bitwise("bitwise_or", cnp.bitwise_or, "__or__")
_bitwise("bitwise_xor", cnp.bitwise_xor, "__xor__")
_bitwise("bitwise_not", cnp.invert, "__invert__", 1)
for _name in ("isnan", "isinf", "isfinite"):
    operation(_name, blind=True)(
        (lambda f: lambda input: f(floating(input)))(getattr(cnp, _name)))


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
    input, other = promote(checked_number(input, other), checked_number(other, input))
    return cnp.where(condition, input, other)


attach("where", lambda self, condition, other: where(condition, self, other))
for _name, _method in {"__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
                       "__ipow__": "pow_", "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
                       "__iand__": "bitwise_and_", "__ior__": "bitwise_or_", "__ixor__": "bitwise_xor_"}.items():
    attach(_name, (lambda m: lambda self, other: getattr(self, m)(other))(_method))
