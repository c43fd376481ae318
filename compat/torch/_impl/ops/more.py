"""Pointwise operations of several tensors, and special functions."""

import numpy as np

from ..... import numpy as cnp
from .....extend import REGISTRY
from .....scipy import special
from ..dispatch.broadcasting import check_broadcast
from ..dispatch.call import attach, floating, invoke, operation, promote
from ..dispatch.host_ops import hosted, known, numbers
from ..dispatch.layouts import LIKE_OPERANDS
from ..state.concrete import mapped
from ..state.python_data import filling
from ..types import dtypes
from ..types.dtypes import c_type, type_word
from ..types.limits import finfo
from ..types.tensor_type import Tensor, TensorBase
from .elementwise import log_added, one
from .operands import operands
from .publishing import method

for _name in ("erf", "erfc"):
    one(_name)


@operation("lerp", inplace_form=True, layout=LIKE_OPERANDS)
def lerp(input, end, weight):
    """Interpolate linearly: `input + weight * (end - input)`."""
    for name, v in (("end", end), ("weight", weight)):
        if hasattr(v, "dtype") and v.dtype != input.dtype:
            raise RuntimeError(f"expected dtype {c_type(input.dtype)} for `{name}` but got dtype {c_type(v.dtype)}")
    return input + weight * (end - input)


@operation("addcmul", inplace_form=True, layout=LIKE_OPERANDS)
def addcmul(input, tensor1, tensor2, *, value=1):
    """Compute `input + value * tensor1 * tensor2`."""
    input, tensor1, tensor2 = promote(input, tensor1, tensor2)
    product = tensor1 * tensor2
    value = filling(value, product.dtype) if product.dtype.kind in "iu" else value
    return input + (product if value == 1 else product * value)


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
    return input.shape == other.shape and bool((input == other).all())


@operation("isin", method=False)
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """Test whether elements occur in another tensor."""
    for v in (elements, test_elements):
        if hasattr(v, "dtype") and v.dtype.kind in "bc":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {type_word(v.dtype)}")
    return hosted(lambda x, y: np.isin(x, y, invert=invert), getattr(elements, "shape", ()), np.bool_,
                  *[v if hasattr(v, "dtype") else np.asarray(v) for v in (elements, test_elements)])


@operation("searchsorted", method=False)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None):
    """Return the insertion indices of values in a sorted sequence."""
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while "
                           "right was True")
    where = side or ("right" if right else "left")
    input = input if hasattr(input, "dtype") else np.asarray(input)
    lead = tuple(sorted_sequence.shape[:-1])
    if lead and tuple(input.shape[:-1]) != lead:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions "
                           "of boundaries tensor and input value tensor must match, but we got boundaries tensor "
                           f"{list(sorted_sequence.shape)} and input value tensor {list(input.shape)}")

    def search(edges, values, order=None):
        if edges.dtype.kind in "fV" and np.isnan(edges).any() or values.dtype.kind in "fV" and np.isnan(values).any():
            edges = edges if order is None else np.take_along_axis(edges, order, -1)
            return halving(np.broadcast_to(edges, (*values.shape[:-1], edges.shape[-1])), values, where == "right")
        if edges.ndim == 1:
            return np.searchsorted(edges, values, where, sorter=order)
        out = np.empty(values.shape, np.int64)
        for i in np.ndindex(*lead):
            out[i] = np.searchsorted(edges[i], values[i], where, sorter=None if order is None else order[i])
        return out

    given = (sorted_sequence, input) if sorter is None else (sorted_sequence, input, sorter)
    return hosted(search, input.shape, np.int32 if out_int32 else np.int64, *given)


def halving(edges, values, right):
    """The places that PyTorch's search finds where NaN, which is no smaller and no larger than anything, is about."""
    values = values if values.ndim else values.reshape(1)
    start, end = np.zeros(values.shape, np.int64), np.full(values.shape, edges.shape[-1])
    while (start < end).any():
        middle = start + (end - start) // 2
        edge = np.take_along_axis(edges, np.minimum(middle, edges.shape[-1] - 1), -1)
        behind = ~(edge > values if right else edge >= values) & (start < end)
        start, end = np.where(behind, middle + 1, start), np.where(behind | (start >= end), end, middle)
    return start


@operation("bucketize", method=False)
def bucketize(input, boundaries, *, out_int32=False, right=False):
    """Return the index of the bucket of each value."""
    return searchsorted.row.body(boundaries, input, out_int32=out_int32, right=right)


@operation("bincount")
def bincount(input, weights=None, minlength=0):
    """Count the occurrences of nonnegative integers, or sum weights."""
    x, every = input, numbers(input)
    if x.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{type_word(x.dtype)}'")
    if every is None:
        known("bincount", input)  # refuses
    if x.ndim != 1 or every.size and every.min() < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and tuple(weights.shape) != tuple(x.shape):
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    rows = every.reshape(-1, x.shape[0]) if every.size else ()
    lengths = {max(minlength, int(row.max()) + 1) for row in rows} or {minlength}
    if len(lengths) > 1:
        raise RuntimeError(f"bincount under vmap needs outputs of one size, but the examples have {sorted(lengths)}; "
                           "give a minlength that is enough for all")
    n = lengths.pop()
    if weights is None:
        return hosted(lambda x: np.bincount(x, None, n), (n,), np.int64, x)
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    return hosted(lambda x, w: np.bincount(x, w, n), (n,), kind, x, weights)


@operation("complex", method=False, layout=LIKE_OPERANDS)
def complex(real, imag):  # noqa: A001 (torch's name)
    """Build complex numbers from real and imaginary parts."""
    check_parts("complex", ("real", "imag"), (real, imag))
    return joined(real, imag)


@operation("polar", method=False, layout=LIKE_OPERANDS)
def polar(abs, angle):  # noqa: A002 (torch's names)
    """Build complex numbers from absolute values and angles."""
    check_parts("polar", ("abs", "angle"), (abs, angle))
    return joined(abs * cnp.cos(angle), abs * cnp.sin(angle))


def check_parts(fun, names, parts):
    """torch's refusals of what cannot become one complex tensor."""
    for place, (name, part) in enumerate(zip(names, parts), 1):
        if not hasattr(part, "dtype"):
            raise TypeError(f"{fun}(): argument '{name}' (position {place}) must be Tensor, not "
                            f"{type(part).__name__}")
    words = [type_word(v.dtype) for v in parts]
    if any(v.dtype not in (np.float16, np.float32, np.float64) for v in parts):
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{words[0]} and {words[1]}")
    if words[0] != words[1]:
        raise RuntimeError(f"Expected object of scalar type {words[0]} but got scalar type {words[1]} for second "
                           "argument")
    if parts[0].dtype == np.float16:
        raise NotImplementedError(f"{fun}() of float16 parts gives complex32 in PyTorch, which NumPy does not have; "
                                  "cast the parts to float32")
    check_broadcast(*parts)


def joined(real, imag):
    """`real + imag i` without a product, which would make NaN of infinite parts."""
    return REGISTRY["as_complex"].fun(cnp.stack(cnp.broadcast_arrays(real, imag), axis=-1))


@operation("_conj", method=False, register=False, node="ConjBackward0")
def _conj(input):
    return cnp.conj(input)


@method("conj")
def conj(input):
    """Return the complex conjugate; a real tensor is returned as it is."""
    return _conj(input) if input.is_complex() else input


def _itself(row):
    """The lane of `conj_physical`: real tensors are their own."""

    def fun(*args, **named):
        if len(args) == 1 and not named and type(args[0]) is Tensor and not args[0].is_complex():
            return args[0]
        return invoke(row, fun, args, named)

    return fun


@operation("conj_physical", inplace_form=True, lane=_itself)
def conj_physical(input):
    """Return the complex conjugate; a real tensor is returned as it is."""
    return cnp.conj(input) if input.dtype.kind == "c" else input


@operation("angle")
def angle(input):
    """Return the angle of complex numbers."""
    x = floating(input)
    return cnp.angle(x if x.dtype.kind == "c" else x + 0.0)  # that of -0.0 is 0


attach("allclose", allclose)
attach("equal", equal)
PLAIN = {"allclose": allclose, "equal": equal}
