"""Elementwise operations beyond the everyday ones: signs, bits, angles, integers."""

import numpy as np

from .....extend import REGISTRY, Tracer
from ..dispatch.call import ROWS, attach, floating, inplace_method, method, operation, synonyms, to
from ..dispatch.host_ops import hosted
from ..dispatch.layouts import LIKE_OPERANDS
from ..types import output_tuples
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase
from .array_functions import cnp
from .operands import operands, times, zero_slope
from .operators import operator_of

synonyms({"greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne",
          "arctan2": "atan2"})
attach("fix_", inplace_method(ROWS["trunc"]))


def float_power_(self, exponent):
    """In-place form of `float_power`."""
    if self.dtype.itemsize != (16 if self.is_complex() else 8) or not (self.is_floating_point() or self.is_complex()):
        wanted = "ComplexDouble" if self.is_complex() else "Double"
        raise RuntimeError(f"the base given to float_power_ has dtype {type_word(self.dtype.numpy)} but the "
                           f"operation's result requires dtype {wanted}")
    return self.pow_(exponent)


attach("float_power_", float_power_)


def unary(name, body, inplace=True):
    """An elementwise operation."""
    return operation(name, inplace_form=inplace)(body)


def _no_complex(name, x):
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name} is not supported for complex tensors.")


@method("positive")
def positive(input):
    """Return the tensor itself."""
    if input.dtype.category == 0:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


attach("__pos__", positive)


def _angle_scale(name, factor):
    def body(input):
        _no_complex(name, input)
        return times(floating(input), factor)

    unary(name, body)


_angle_scale("deg2rad", np.pi / 180)
_angle_scale("rad2deg", 180 / np.pi)


@operation("frac", inplace_form=True)
def frac(input):
    """Return the fractional part, with the sign of the input."""
    if input.dtype.kind not in "fV":
        raise NotImplementedError(f"\"frac_cpu\" not implemented for '{type_word(input.dtype)}'")
    return input - cnp.trunc(input)


@operation("sgn", inplace_form=True)
def sgn(input):
    """Return the sign; for complex numbers `x / |x|`."""
    if input.dtype.kind == "c":
        return cnp.sign(input)
    return ROWS["sign"].body(input)


@operation("signbit")
def signbit(input):
    """Test whether the sign bit is set."""
    if input.dtype.kind == "c":
        raise NotImplementedError("signbit is not implemented for complex tensors.")
    return input < 0 if input.dtype.kind in "biu" else REGISTRY["signbit"].fun(input)


def _infinite(name, sign):
    def body(input):
        if input.dtype.kind == "c":
            raise RuntimeError(f"{name} does not support complex inputs.")
        if input.dtype.kind not in "fV":
            return np.zeros(input.shape, np.bool_) if type(input) in ARRAYS else input != input
        return input == sign * np.inf

    unary(name, body, inplace=False)


_infinite("isposinf", 1.0)
_infinite("isneginf", -1.0)


@operation("isreal")
def isreal(input):
    """Test whether the imaginary part is zero."""
    return cnp.imag(input) == 0 if input.dtype.kind == "c" else input == input if input.dtype.kind in "biu" else (
        (input == input) | True)


@operation("copysign", inplace_form=True, layout=LIKE_OPERANDS, ties=True)
def copysign(input, other):
    """Return the magnitude of `input` with the sign of `other`."""
    return REGISTRY["copysign"].fun(*operands(input, other, floats=True))


@operation("heaviside", inplace_form=True, layout=LIKE_OPERANDS)
def heaviside(input, values):
    """Return 0, `values` or 1, depending on the sign."""
    if input.dtype.kind == "c" or values.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    x, v = operands(input, values)
    found = cnp.where(x == 0, v, (x > 0).astype(x.dtype))
    if not isinstance(x, Tracer) or x.dtype.kind not in "fV":
        return found
    return zero_slope(found, cnp.broadcast_to(x, found.shape))


@operation("ldexp", inplace_form=True, layout=LIKE_OPERANDS)
def ldexp(input, other):
    """Compute `input * 2 ** other`."""
    out = ROWS["mul"].body(input, ROWS["pow"].body(2.0, other))
    return to(out, input.dtype) if input.dtype.kind in "fc" and other.dtype.kind in "biu" else out


@operation("logaddexp2", layout=LIKE_OPERANDS)
def logaddexp2(input, other):
    """Compute `log2(2 ** input + 2 ** other)`, without overflow."""
    return REGISTRY["logaddexp2"].fun(*operands(input, other))


@operation("nextafter", inplace_form=True, layout=LIKE_OPERANDS, exact=True)
def nextafter(input, other):
    """Return the next floating-point number towards `other`."""
    x, y = operands(input, other)
    if x.dtype.kind not in "fV":
        raise NotImplementedError(f"\"nextafter_cpu\" not implemented for '{type_word(x.dtype)}'")
    return cnp.nextafter(x, y)


def _whole(name, fun):
    """A number-theoretic operation of integers."""

    @operation(name, inplace_form=True)
    def integer_operation(input, other):
        x, y = operands(input, other)
        if x.dtype.kind not in "iu":
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{type_word(x.dtype)}'")
        return hosted(fun, np.broadcast_shapes(x.shape, y.shape), x.dtype, x, y)


_whole("gcd", np.gcd)
_whole("lcm", np.lcm)


@operation("frexp", exact=True)
def frexp(input):
    """Decompose into a mantissa in [0.5, 1) and an exponent of 2."""
    if input.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exponent = hosted(lambda x: np.frexp(x)[1], input.shape, np.int32, input)
    scale = hosted(lambda e: np.ldexp(np.ones((), input.dtype), -e), input.shape, input.dtype, exponent)
    return output_tuples.frexp(input * scale, exponent)


def shifts(name, primitive, dunder):
    """A shift of bits."""

    def body(input, other):
        x, y = operands(input, other)
        x = x if hasattr(x, "dtype") else np.asarray(x, y.dtype)
        if x.dtype.kind not in "iu":
            raise NotImplementedError(f"\"{dunder}_cpu\" not implemented for '{type_word(x.dtype)}'")
        return REGISTRY[primitive].fun(x, y)

    made = unary(f"bitwise_{name}_shift" if not name.startswith("bitwise") else name, body, inplace=True)
    attach(f"__{dunder}__", operator_of(made))
    attach(f"__r{dunder}__", lambda self, other: made(other_as(self, other), self))
    attach(f"__i{dunder}__", inplace_method(made.row))


def other_as(t, number):
    """A Python number as a tensor beside another."""
    return t.new_tensor(number) if not isinstance(number, TensorBase) else number


shifts("left", "left_shift", "lshift")
shifts("right", "right_shift", "rshift")
