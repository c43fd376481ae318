"""Elementwise operations of one tensor: a row each, with a fast path where a primitive of covector does the work."""

import numpy as np

from ..... import _engine
from ....._primitives import stop_gradient
from .....extend import REGISTRY
from ..dispatch.call import ROWS, attach, floating, inplace_method, invoke, operation, promote, synonyms
from ..dispatch.signatures import same_node
from ..fastpath.lanes import unary
from ..inplace.rows import unary_inplace
from ..staged.writer import SILENT
from ..state.makers import quiet, quieted
from ..types.tensor_type import Tensor
from .array_functions import cnp
from .operands import checked_number, zero_slope


def one(name, primitive=None, floats=True, writes=None):
    """An operation of one tensor.

    Args:
        primitive: covector's name; floats: integers become the default floating dtype first.
        writes: `writes(x, out)`, what computes it of floats in place, for one without a ufunc.
    """
    prim = REGISTRY[primitive or name.rpartition(".")[2]]
    body = (lambda input: prim.fun(floating(input))) if floats else (lambda input: prim.fun(input))
    op = quiet(prim.ufunc[0]) if prim.ufunc else prim.fun if prim.name in SILENT else quiet(prim.fun)
    top = "." not in name  # or a function of torch.special alone, whose operand may have any name

    def lane(row):
        fast = unary(row, prim, op)

        def fun(*args, **named):
            return fast(*args) if len(args) == 1 and not named else invoke(row, fun, args, named)

        return fast if top else fun

    form = top and in_place(prim, writes or op, bool(writes or prim.ufunc))
    return operation(name, blind=True, method=top, inplace_form=form, lane=lane)(body)


def in_place(prim, op, direct, names=()):
    """The `inplace_form` of an operation of one tensor, and numbers of these `names`; `op` writes to the array that is
    its second argument if it is `direct`."""
    return lambda row: unary_inplace(prim, op, direct, lambda: same_node(row.name), inplace_method(row), names)


def writing_to(op):
    """A ufunc of two operands and of the array to write to, which of an extreme has a name."""
    return quieted(lambda x, y, out: op(x, y, out=out))


MINIMUM, MAXIMUM = (_engine.small(op, quiet=writing_to) for op in (np.minimum, np.maximum))


def cut_off(x, out):
    """The positive part of an array of floats, in memory that is given."""
    return MAXIMUM(x, 0.0, out)


for _name, _prim in {
    "exp": None, "log": None, "sqrt": None, "sin": None, "cos": None, "tan": None, "sinh": None,
    "cosh": None, "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
    "atanh": "arctanh", "log1p": None, "log2": None, "log10": None, "exp2": None, "reciprocal": None,
    "expm1": "expm1_by_output", "sigmoid": "sigmoid_by_output", "tanh": "tanh_by_output",
}.items():
    one(_name, _prim)
one("abs", "absolute", floats=False)
one("neg", "negative", floats=False)
one("relu", floats=False, writes=cut_off)
attach("__neg__", ROWS["neg"].fun)
attach("__abs__", ROWS["abs"].fun)
synonyms({"absolute": "abs", "negative": "neg", "arcsin": "asin", "arccos": "acos", "arctan": "atan",
          "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"})


@operation("square", inplace_form=True)
def square(input):
    """Compute `input ** 2`."""
    return cnp.square(input if input.dtype != np.bool_ else input.astype(np.int64))


@operation("rsqrt", inplace_form=True)
def rsqrt(input):
    """Compute `1 / sqrt(input)`."""
    return REGISTRY["rsqrt"].fun(floating(input))


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


CLAMP = REGISTRY["clamp"]


def between(x, out, low, high):
    """The elements of an array of floats between two numbers, of which one may be None, in memory that is given."""
    if low is not None:
        x = MAXIMUM(float(low), x, out)
    if high is not None:
        MINIMUM(float(high), x, out)


@operation("clamp", blind=True, inplace_form=in_place(CLAMP, between, True, ("min", "max")))
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
    if input.dtype.kind == "b" and (len(limits) == 2 or not hasattr(limits[0], "dtype")):
        raise NotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")
    low = limits[0] if min is not None else None
    high = limits[-1] if max is not None else None
    if input.dtype.kind == "f" and all(type(v) in (int, float) and v == v for v in limits):
        ends = -np.inf if low is None else float(low), np.inf if high is None else float(high)
        return CLAMP.fun(input, *ends)
    low, high = (v if v is None or hasattr(v, "dtype") else np.asarray(v, input.dtype) for v in (low, high))
    inside = None if low is None else input >= low
    if high is not None:
        inside = input <= high if inside is None else inside & (input <= high)
    edge = low if high is None else high if low is None else cnp.where(input < low, low, high)
    if low is not None and high is not None:
        edge = cnp.minimum(edge, high)
    if edge.dtype.kind in "fV":
        edge = cnp.where(low != low, low, edge) if low is not None and high is not None else edge  # NaN stays
        edge = cnp.where((input != input) | (edge != edge), stop_gradient(input + edge), edge)
    return cnp.where(inside, input, edge)


ROWS["clip"] = ROWS["clamp"]
attach("clip", clamp)
attach("clip_", Tensor.clamp_)


@operation("clamp_min", blind=True, inplace_form=True)
def clamp_min(input, min):  # noqa: A002
    """Limit each element from below."""
    return limited(input, min, None)


@operation("clamp_max", blind=True, inplace_form=True)
def clamp_max(input, max):  # noqa: A002
    """Limit each element from above."""
    return limited(input, None, max)


for _name in ("isnan", "isinf", "isfinite"):
    operation(_name, blind=True)(
        (lambda f: lambda input: f(floating(input)))(getattr(cnp, _name)))
