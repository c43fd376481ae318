"""Activations of torch.nn.functional: rectifiers, sigmoids, softmaxes."""

import functools

import numpy as np

from ..... import nn
from .....extend import REGISTRY
from ..dispatch.call import ROWS, floating, functional, general, inplace_method, method, operation
from ..dispatch.layouts import IN_ORDER
from ..modes.warnings import tell
from ..state.python_data import filling
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim


@method("nn.functional.relu", attached=False)
def relu(input, inplace=False):
    """Compute the positive part of each element."""
    return input.relu_() if inplace else _relu(input)


_relu = ROWS["relu"].fun

method("nn.functional.relu_", attached=False)(inplace_method(ROWS["relu"]))


def softmax_axis(dim, ndim):
    """The axis of a softmax."""
    return wrap_dim(dim if dim is not None else 0 if ndim in (0, 1, 3) else 1, ndim)


@operation("log_softmax", layout=IN_ORDER)
def log_softmax(input, dim, *, dtype=None):
    """Compute the logarithm of the softmax along an axis, without underflow."""
    x = input if dtype is None else input.astype(dtype)
    only_floats("log_softmax", x, dim)
    if not x.ndim or not x.size:
        softmax_axis(dim, x.ndim)
        return x - x if x.size else REGISTRY["duplicate"].fun(x)
    return REGISTRY["log_softmax"].fun(x, softmax_axis(dim, x.ndim))


@operation("softmax", layout=IN_ORDER)
def softmax(input, dim, *, dtype=None):
    """Compute the softmax along an axis."""
    x = input if dtype is None else input.astype(dtype)
    only_floats("softmax", x, dim)
    if not x.ndim or not x.size:
        softmax_axis(dim, x.ndim)
        return x * 0 + 1 if x.size else REGISTRY["duplicate"].fun(x)
    return REGISTRY["softmax"].fun(x, softmax_axis(dim, x.ndim))


def only_floats(name, x, dim):
    """torch's error for other dtypes, which names the kernel of the axis; without elements they are taken."""
    if x.dtype.kind not in "fV" and x.size:
        last = "_lastdim" * (not x.ndim or softmax_axis(dim, x.ndim) == x.ndim - 1)
        raise NotImplementedError(f"\"{name}{last}_kernel_impl\" not implemented for '{type_word(x.dtype)}'")


def functional_softmax(name, body, **facts):
    """A softmax that picks its axis where none is given, with torch's warning."""

    def warned(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            tell(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an "
                 "argument.")
        return body(input, dim, dtype=dtype)

    functional(name, warned, **facts)


functional_softmax("softmax", softmax.row.body)
functional_softmax("log_softmax", log_softmax.row.body)
functional_softmax("softmin", lambda input, dim, dtype: softmax.row.body(-input, dim, dtype=dtype), layout=IN_ORDER)


def _simple(name, body, **facts):
    """An activation: one tensor, and numbers; `inplace=True` writes the answer to the tensor."""
    names = body.__code__.co_varnames[: body.__code__.co_argcount]
    spot = names.index("inplace") if "inplace" in names else None

    def in_place_too(row):
        made, write = general(row), inplace_method(row)

        def fun(*args, **named):
            inplace = named.pop("inplace", False)
            if len(args) > spot:
                args, inplace = (*args[:spot], *args[spot + 1 :]), args[spot]
            return write(*args, **named) if inplace else made(*args, **named)

        if name in IN_PLACE:
            method(f"nn.functional.{name}_", attached=False)(write)
        return fun

    functional(name, _in_own_dtype(body), lane=None if spot is None else in_place_too, **facts)


HARD_TANH, LEAKY_RELU, HARD_SWISH, HARD_SIGMOID, SOFT_SHRINK, HARD_SHRINK, THRESHOLD, ELU, PRELU, WHERE = [
    REGISTRY[name].fun for name in ("hard_tanh", "leaky_relu", "hard_swish", "hard_sigmoid", "soft_shrink",
                                    "hard_shrink", "threshold", "elu", "prelu", "where")]
# Klambauer, Unterthiner, Mayr, Hochreiter (2017), Self-normalizing neural networks, section 2.
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
IN_PLACE = frozenset("celu elu hardtanh leaky_relu selu threshold".split())  # those that torch has as `name_`


def _in_own_dtype(body):
    """A body whose outputs have the dtype of its tensor: bfloat16 computes in a wider one."""
    @functools.wraps(body)
    def kept(input, *args, **named):
        out = body(input, *args, **named)
        return out.astype(input.dtype) if input.dtype.kind == "V" and out.dtype != input.dtype else out

    return kept


_simple("sigmoid", lambda input: REGISTRY["sigmoid_by_output"].fun(floating(input)))
_simple("tanh", lambda input: REGISTRY["tanh_by_output"].fun(floating(input)))
_simple("silu", lambda input, inplace=False: nn.silu(input))
_simple("mish", lambda input, inplace=False: input * cnp.tanh(nn.softplus(input)))
_simple("logsigmoid", lambda input: nn.log_sigmoid(input), layout=IN_ORDER)
_simple("softsign", lambda input: floating(input) / (1 + cnp.abs(floating(input))))
_simple("tanhshrink", lambda input: floating(input) - cnp.tanh(floating(input)))
_simple("leaky_relu", lambda input, negative_slope=0.01, inplace=False: LEAKY_RELU(input, slope=float(negative_slope)))
_simple("elu", lambda input, alpha=1.0, inplace=False: ELU(input, alpha=float(alpha)))
_simple("selu", lambda input, inplace=False: SELU_SCALE * ELU(input, alpha=SELU_ALPHA))
_simple("celu", lambda input, alpha=1.0, inplace=False: ELU(input, alpha=1.0) if alpha == 1 else alpha * ELU(
    input / alpha, alpha=1.0))
_simple("hardtanh", lambda input, min_val=-1.0, max_val=1.0, inplace=False: _between(input, min_val, max_val))
_simple("relu6", lambda input, inplace=False: _between(input, 0, 6))
_simple("hardsigmoid", lambda input, inplace=False: HARD_SIGMOID(input))
_simple("hardswish", lambda input, inplace=False: HARD_SWISH(input))
_simple("softplus", lambda input, beta=1.0, threshold=20.0: _softplus(input, beta, threshold))
# NaN stays NaN in all three.
_simple("threshold", lambda input, threshold, value, inplace=False: _threshold(
    input, filling(threshold, input.dtype), filling(value, input.dtype)))
_simple("hardshrink", lambda input, lambd=0.5: HARD_SHRINK(input, distance=float(lambd)) if input.dtype.kind == "f"
        else WHERE((input >= -lambd) & (input <= lambd), cnp.asarray(0, input.dtype), input))
_simple("softshrink", lambda input, lambd=0.5: SOFT_SHRINK(input, distance=float(lambd)))
_simple("gelu", lambda input, approximate="none": _gelu(input, approximate))
_simple("glu", lambda input, dim=-1: _glu(input, dim))
_simple("prelu", lambda input, weight: PRELU(input, _channels(weight, input)), ties=True)


def _between(x, low, high):
    """`x` between two limits; integers stay integers."""
    out = HARD_TANH(x, low=low, high=high)
    return out.astype(x.dtype) if x.dtype.kind in "iu" else out


def _threshold(x, limit, value):
    if x.dtype.kind == "f":
        return THRESHOLD(x, limit=float(limit), value=float(value))
    return WHERE(x <= limit, value, x)


def _softplus(x, beta, threshold):
    """softplus(beta x) / beta, and `x` itself where beta x is above a threshold."""
    if beta == 1 and threshold >= 20 and x.dtype == np.float32:  # they are the same from 17 on
        return nn.softplus(x)
    soft = nn.softplus(x) if beta == 1 else nn.softplus(x * beta) / beta
    return WHERE(x * beta > threshold, x, soft)


def _channels(weight, x):
    """A weight a channel, with axes behind it."""
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.size != 1 and not x.ndim:
        raise RuntimeError("Not allow zero-dim input tensor.")
    if weight.size == 1:
        return weight if x.ndim or not weight.ndim else cnp.reshape(weight, ())
    return cnp.reshape(weight, (-1,) + (1,) * (x.ndim - 2)) if x.ndim > 1 else weight


def _gelu(x, approximate):
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return nn.gelu(x, approximate=approximate == "tanh")


def _glu(x, dim):
    d = wrap_dim(dim, x.ndim)
    n = x.shape[d]
    if n % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {d} is size {n}")
    a = x[(slice(None),) * d + (slice(0, n // 2),)]
    b = x[(slice(None),) * d + (slice(n // 2, n),)]
    return a * REGISTRY["sigmoid"].fun(b)
