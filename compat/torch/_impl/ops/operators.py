"""Python's operators: sums, products, quotients, remainders, powers of two tensors, or of a tensor with a number."""

import functools

import numpy as np

from .....extend import REGISTRY, Tracer
from ..dispatch.call import ROWS, attach, floating, inplace_method, invoke, operation, promote, synonyms, to
from ..dispatch.deprecated_overloads import modern
from ..dispatch.host_ops import insist, peek
from ..dispatch.layouts import IN_ORDER, LIKE_OPERANDS, check_broadcast
from ..fastpath.lanes import OPERANDS, binary
from ..inplace.device_writes import updated
from ..inplace.rows import binary_inplace
from ..types.tensor_type import Tensor
from .array_functions import cnp
from .operands import COMPARABLE, by_name, of_kinds, operands, times, zero_slope


def whole_operands(kernel, input, other):
    """Both operands checked and promoted; torch's errors of complex numbers, and where integers are divided by zero."""
    x, y = operands(input, other)
    of_kinds(f"{kernel}_cpu", "iufV" if kernel == "fmod" else "biufV", x, y)
    if (x if hasattr(x, "dtype") else y).dtype.kind in "iu":
        plain = peek(y) if hasattr(y, "dtype") else np.asarray(y)
        if getattr(x, "size", 1) and (plain is None or isinstance(plain, np.ndarray | np.generic)):
            insist(without_zeros, y if plain is None else plain)
    return x, y


def without_zeros(divisor):
    """torch's refusal of integers over zero."""
    if not np.logical_and.reduce(divisor, None):
        raise RuntimeError("ZeroDivisionError")


def scaled(x, alpha, dtype):
    """`alpha * x` in the common dtype of the operands; torch's refusal of a number of a higher kind."""
    if alpha is True or alpha is False:
        if dtype.kind != "b":
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and dtype.kind in "biu":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and dtype.kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return cnp.bitwise_and(x, alpha != 0) if dtype.kind == "b" else to(times(x, alpha), dtype)


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
            def fun(input=None, other=None, *rest, out=None, **named):
                if out is None and not named and not rest:
                    return fast(input, other)
                args, named = by_name(input, other, out, named)
                return invoke(row, fun, *(modern(name, (*args, *rest), named) if rest else (args, named)))
        elif not numbers:
            def fun(input=None, other=None, *, out=None, **named):
                if out is None and not named and type(other) is not float and type(other) is not int:
                    return fast(input, other)
                return invoke(row, fun, *by_name(input, other, out, named))
        else:
            def fun(input=None, other=None, *, out=None, **named):
                if out is None and not named:
                    return fast(input, other)
                return invoke(row, fun, *by_name(input, other, out, named))
        return fun

    def written(row):
        slow = inplace_method(row)

        def aside(self, other):
            return self if updated(prim.name, self, other) else slow(self, other)

        def method(self, other, *rest, alpha=None):
            if rest:
                args, named = modern(f"{name}_", (self, other, *rest), {} if alpha is None else {"alpha": alpha})
                return slow(*args, **named)
            return aside(self, other) if alpha is None else slow(self, other, alpha=alpha)

        return binary_inplace(prim, op, renamed(method, slow), alpha)

    return operation(name, layout=layout, blind=True, lane=lane, inplace_form=inplace and written)(body)


def renamed(method, slow):
    """A fast in-place method under the name of the general one."""
    return functools.update_wrapper(method, slow)


multiply = REGISTRY["multiply"].fun


def _check_bool_sub(input, other):
    flags = [getattr(x, "dtype", None) == np.bool_ or type(x) is bool for x in (input, other)]
    if all(flags):
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")
    if any(flags):
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
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
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    x, y = whole_operands(f"div_{rounding_mode}", input, other)
    if getattr(x, "dtype", np.dtype(int)).kind in "iu" and getattr(y, "dtype", np.dtype(int)).kind in "iu":
        down = cnp.floor_divide(x, y)
        if rounding_mode == "floor":
            return down
        return cnp.where((down < 0) & (down * y != x), down + 1, down)
    found = cnp.floor_divide(x, y) if rounding_mode == "floor" else cnp.trunc(cnp.divide(x, y))
    return flat_quotient(found, x, y)


def flat_quotient(found, x, y):
    """A quotient rounded to whole numbers, in the history of its operands."""
    traced = isinstance(x, Tracer) or isinstance(y, Tracer)
    return zero_slope(found, x + y) if traced and found.dtype.kind in "fV" else found


add = two("add", "add", alpha=True)
sub = two("sub", "subtract", body=_sub, alpha=True)
mul = two("mul", "multiply")


def ordered(name):
    """The body of an operation that compares numbers."""

    def body(input, other):
        x, y = operands(input, other)
        if x.dtype.kind == "c":
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return REGISTRY[name].fun(x, y)

    return body


maximum = two("maximum", "maximum", inplace=False, body=ordered("maximum"), numbers=False, layout=LIKE_OPERANDS)
minimum = two("minimum", "minimum", inplace=False, body=ordered("minimum"), numbers=False, layout=LIKE_OPERANDS)


def _quotients(row):
    """The lane of `div`."""
    fast = binary(row, REGISTRY["divide"], np.true_divide)

    def div(input=None, other=None, *, out=None, **named):
        if out is None and not named:
            return fast(input, other)
        return invoke(row, div, *by_name(input, other, out, named))

    return div


def _quotients_inplace(row):
    return binary_inplace(REGISTRY["divide"], np.true_divide, inplace_method(row))


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
for _names, _row, _prim, _ufunc in (("__add__ __radd__", "add", "add", np.add),
                                    ("__mul__ __rmul__", "mul", "multiply", np.multiply),
                                    ("__sub__", "sub", "subtract", np.subtract),
                                    ("__truediv__", "div", "divide", np.true_divide)):
    for _name in _names.split():
        attach(_name, binary(ROWS[_row], REGISTRY[_prim], _ufunc, operator=True))


@operation("rsub", blind=True, method=False, layout=LIKE_OPERANDS)
def rsub(input, other, *, alpha=1):
    """Compute `other - alpha * input`."""
    return _sub(other, input, alpha) if hasattr(other, "dtype") else _rsub(input, other, alpha)


def _rsub(input, other, alpha):
    _check_bool_sub(input, other)
    x, y = promote(input, other)
    return REGISTRY["subtract"].fun(y, x if type(alpha) is int and alpha == 1 else scaled(x, alpha, x.dtype))


attach("__rsub__", lambda self, other: rsub(self, other) if isinstance(other, OPERANDS) else NotImplemented)


@operation("__rtruediv__", node="MulBackward0", register=False)
def rtruediv(self, other):
    """`other / self` for a number."""
    return multiply(*promote(REGISTRY["reciprocal"].fun(floating(self)), other))


_divided = rtruediv
attach("__rtruediv__", lambda self, other: (
    _divided(self, other) if isinstance(other, COMPARABLE) else self.__rdiv__(other)))  # a class may multiply


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
    of_kinds("pow", "iufcV", y)
    if y.dtype.kind == "i" and (type(x) is int or getattr(x, "dtype", y.dtype).kind in "iu"):
        below = y < 0  # of integers only 1 and -1 have an inverse, of others the whole part of it is 0
        x = cnp.asarray(x, y.dtype) if type(x) is int else x
        inverse = cnp.where(x == 1, 1, cnp.where(x == -1, 1 - 2 * (y & 1), 0)).astype(y.dtype)
        return cnp.where(below, inverse, cnp.power(x, cnp.where(below, 0, y)))
    return cnp.power(x, y)


attach("__pow__", lambda self, other: pow(self, other) if type(other) is not np.ndarray else NotImplemented)
attach("__rpow__", lambda self, other: pow(other, self) if isinstance(other, OPERANDS) else NotImplemented)


@operation("float_power", layout=LIKE_OPERANDS)
def float_power(input, exponent):
    """Compute `input ** exponent` in double precision."""
    check_broadcast(input, exponent)
    kind = np.dtype(np.complex128 if any(v.dtype.kind == "c" if hasattr(v, "dtype") else isinstance(v, complex)
                                         for v in (input, exponent)) else np.float64)
    input, exponent = (v.astype(kind) if hasattr(v, "dtype") else kind.type(v).item() for v in (input, exponent))
    return pow.row.body(input, exponent)


@operation("atan2", inplace_form=True, layout=LIKE_OPERANDS)
def atan2(input, other):
    """Compute the angle of the points `(other, input)`."""
    return REGISTRY["arctan2"].fun(*operands(input, other, floats=True))


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
    x, y = whole_operands("div_floor", input, other)
    return flat_quotient(cnp.floor_divide(x, y), x, y)


attach("__floordiv__", operator_of(floor_divide))
attach("__rfloordiv__", operator_of(floor_divide, swapped=True))


@operation("remainder", blind=True, inplace_form=True, layout=LIKE_OPERANDS)
def remainder(input, other):
    """Compute the remainder with the sign of the divisor."""
    return cnp.remainder(*whole_operands("remainder", input, other))


attach("__mod__", operator_of(remainder))
attach("__rmod__", operator_of(remainder, swapped=True))


@operation("fmod", blind=True, inplace_form=True, layout=LIKE_OPERANDS)
def fmod(input, other):
    """Compute the remainder with the sign of the dividend."""
    return cnp.fmod(*whole_operands("fmod", input, other))


for _name, _method in {"__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_",
                       "__ipow__": "pow_", "__ifloordiv__": "floor_divide_", "__imod__": "remainder_",
                       "__iand__": "bitwise_and_", "__ior__": "bitwise_or_", "__ixor__": "bitwise_xor_"}.items():
    _operator = (lambda m: lambda self, other: getattr(self, m)(other) if type(other) is not np.ndarray else
                 NotImplemented)(_method)
    attach(_name, getattr(vars(Tensor).get(_method), "ahead", lambda fun: fun)(_operator))
