"""Arithmetic of several tensors, and the comparison of whole tensors."""

import numpy as np

from .....scipy import special
from ..dispatch.call import attach, floating, operation, promote
from ..dispatch.layouts import LIKE_OPERANDS, check_broadcast
from ..modes.modes import MODES
from ..state.levels import mapped
from ..state.python_data import filling
from ..types import dtypes
from ..types.dtypes import c_type, type_word
from ..types.limits import finfo
from ..types.tensor_type import TensorBase
from .array_functions import cnp
from .axes import wrap_dim
from .elementwise import one
from .operands import operands, times
from .operators import log_added

for _name in ("erf", "erfc"):
    one(_name)


@operation("lerp", inplace_form=True, layout=LIKE_OPERANDS)
def lerp(input, end, weight):
    """Interpolate linearly: `input + weight * (end - input)`."""
    if end.dtype == input.dtype and hasattr(weight, "dtype") and not weight.ndim:
        input, end, weight = promote(input, end, weight)
    for name, v in (("end", end), ("weight", weight)):
        if hasattr(v, "dtype") and v.dtype != input.dtype:
            raise RuntimeError(f"expected dtype {c_type(input.dtype)} for `{name}` but got dtype {c_type(v.dtype)}")
    way = end - input
    if hasattr(weight, "dtype") or way.dtype.kind not in "fc":
        return input + weight * way
    if abs(weight) < 0.5:
        return input + times(way, weight)
    single = np.result_type(way.dtype, np.float32).type  # from the nearer end; the rest of 1 is rounded as PyTorch's
    return end - times(way, (single(1) - single(weight)).item())


@operation("addcmul", inplace_form=True, layout=LIKE_OPERANDS)
def addcmul(input, tensor1, tensor2, *, value=1):
    """Compute `input + value * tensor1 * tensor2`."""
    input, tensor1, tensor2 = promote(input, tensor1, tensor2)
    product = tensor1 * tensor2
    value = factor(value, product.dtype)
    return input + (product if value == 1 else product * value)


def factor(value, dtype):
    """The number that scales a product, where it fits its dtype."""
    return filling(value, dtype) if dtype.kind in "iu" or isinstance(value, complex) else value


@operation("addcdiv", inplace_form=True, layout=LIKE_OPERANDS)
def addcdiv(input, tensor1, tensor2, *, value=1):
    """Compute `input + value * tensor1 / tensor2`."""
    if tensor1.dtype.kind in "biu" and tensor2.dtype.kind in "biu":
        raise RuntimeError("Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
                           "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
                           "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
                           "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
                           "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
                           "for all dtypes.")
    input, tensor1, tensor2 = promote(input, tensor1, tensor2)
    ratio = tensor1 / tensor2
    value = factor(value, ratio.dtype)
    return input + (ratio if value == 1 else ratio * value)


@operation("hypot", inplace_form=True, layout=LIKE_OPERANDS)
def hypot(input, other):
    """Compute `sqrt(input² + other²)`; the derivative at (0, 0) is 0."""
    return cnp.hypot(*operands(input, other))


@operation("logaddexp", layout=LIKE_OPERANDS)
def logaddexp(input, other):
    """Compute `log(exp(input) + exp(other))`, without overflow."""
    return log_added(*operands(input, other))


@operation("xlogy", inplace_form=True, layout=LIKE_OPERANDS)
def xlogy(input, other):
    """Compute `input * log(other)`, which is 0 where `input` is 0."""
    return special.xlogy(*operands(input, other, floats=True))


@operation("logit", inplace_form=True)
def logit(input, eps=None):
    """Compute the log-odds `log(x / (1 - x))`."""
    x = floating(input)
    x = x if eps is None else cnp.clip(x, eps, 1 - eps)
    return special.logit(x)


@operation("sinc", inplace_form=True)
def sinc(input):
    """Compute `sin(pi x) / (pi x)`."""
    return cnp.sinc(floating(input))


@operation("nan_to_num", inplace_form=True, exact=True)
def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities by numbers."""
    if input.dtype.kind not in "fcV":
        return input
    limits = finfo(dtypes.OF_NUMPY[input.dtype])
    out = input
    for place, value, default in ((input != input, nan, 0.0), (input == np.inf, posinf, limits.max),
                                  (input == -np.inf, neginf, limits.min)):
        out = cnp.where(place, np.asarray(default if value is None else value, input.dtype), out)
    return out


@operation("diff", method=True)
def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Compute differences of adjacent elements along an axis."""
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if not n:
        return input
    dim = wrap_dim(dim, input.ndim)
    parts = [p for p in (prepend, input, append) if p is not None]
    return cnp.diff(cnp.concatenate(promote(*parts), axis=dim) if len(parts) > 1 else input, n, axis=dim)


@operation("isclose")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Test elementwise whether values agree within tolerances."""
    for word, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{word} must be greater than or equal to zero, but got {value:g}")
    return cnp.isclose(*promote(input, other), rtol, atol, equal_nan)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Test whether all values agree within tolerances."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{type_word(input.dtype.numpy)} did not match {type_word(other.dtype.numpy)}")
    check_broadcast(input, other)
    if mapped(input) or mapped(other):
        raise RuntimeError("vmap over torch.allclose isn't supported yet: its output is one bool, and each example has "
                           "its own. Use torch.isclose(input, other).all(), which is a tensor.")
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def equal(input, other):
    """Test whether two tensors have the same shape and values."""
    if not isinstance(other, TensorBase):
        raise TypeError(f"equal(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    if mapped(input) or mapped(other):
        raise RuntimeError("Batching rule not implemented for aten::equal. Its output is one bool, and each example "
                           "has its own; use (input == other).all(), which is a tensor.")
    x, y = input.value, other.value
    if type(x) is type(y) is np.ndarray and x.dtype is y.dtype and ((m := MODES.get()) is None or m.still):
        return x.shape == y.shape and bool((x == y).all())
    return input.shape == other.shape and bool((input == other).all())


attach("allclose", allclose)
attach("equal", equal)
PLAIN = {"allclose": allclose, "equal": equal}
