"""Extremes, quantiles, modes, covariances, correlations."""

import numpy as np

from ....._primitives import stop_gradient
from ..dispatch.call import ROWS, operation, promote
from ..dispatch.host_ops import hosted, is_plain, on_host, primal_of
from ..dispatch.layouts import REDUCED, layout, ordered as in_axes_order
from ..dispatch.not_differentiable import jointly
from ..modes.warnings import tell
from ..types import dtypes, output_tuples
from ..types.arrays import ARRAYS
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .index_arrays import along, ordered


@jointly
@operation("aminmax", layout=REDUCED)
def aminmax(input, *, dim=None, keepdim=False):
    """Return the minimum and the maximum."""
    return output_tuples.aminmax(*[ROWS[name].body(input, () if dim is None else dim, keepdim)
                                   for name in ("amin", "amax")])


def _quantile(name, input, q, dim, keepdim, interpolation, skip):
    if input.dtype not in (np.float32, np.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    tensor_q = hasattr(q, "dtype")
    if tensor_q and q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if tensor_q and q.dtype != input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but "
                           f"got {interpolation}")
    if not input.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    q = q if tensor_q else np.asarray(q, input.dtype)
    plain = primal_of(q)
    if type(plain) in ARRAYS and not ((plain >= 0) & (plain <= 1)).all():
        raise RuntimeError(f"{name}() q {'values ' if tensor_q else ''}must be in the range [0, 1]"
                           + ("" if tensor_q else f" but got {plain.item():g}"))
    many, d = q.ndim == 1, 0 if dim is None else wrap_dim(dim, input.ndim)
    x = cnp.reshape(input, (-1,)) if dim is None else input if input.ndim else cnp.reshape(input, (1,))
    x = cnp.moveaxis(x, d, -1)
    n = x.shape[-1]
    x = along(x, ordered(x, x.ndim - 1, False), x.ndim - 1)  # NaN last
    count = cnp.sum((x == x).astype(np.int64), axis=-1)  # of numbers
    last = cnp.maximum(count - 1, 0) if skip else cnp.where(count < n, n - 1, n - 1)
    q = cnp.reshape(q, (-1,) + (1,) * (x.ndim - 1))
    rank = q * last.astype(x.dtype)
    if not skip:
        rank = cnp.where(count < n, np.asarray(n - 1, x.dtype), rank)  # any NaN: the output is NaN, which lies last
    if interpolation == "nearest":
        low = high = cnp.rint(rank).astype(np.int64)
        weight = None
    else:
        low, high = (f(rank).astype(np.int64) for f in (cnp.floor, cnp.ceil))
        low, high = {"lower": (low, low), "higher": (high, high)}.get(interpolation, (low, high))
        weight = None if interpolation in ("lower", "higher") else (
            0.5 if interpolation == "midpoint" else rank - stop_gradient(cnp.floor(rank)))
    spread = cnp.broadcast_to(cnp.expand_dims(x, 0), (low.shape[0], *x.shape))
    a, b = (cnp.squeeze(along(spread, cnp.expand_dims(i, -1), spread.ndim - 1), -1) for i in (low, high))
    out = a if weight is None else a + (b - a) * weight
    if keepdim:
        shape = (1,) * input.ndim if dim is None else tuple([1 if i == d else k for i, k in enumerate(input.shape)])
        out = cnp.reshape(out, (out.shape[0], *shape))
    return out if many else out[0]


def _quantiles_inside(array, tensors, args, named):
    """The axis of several quantiles lies innermost."""
    q = args[1] if len(args) > 1 else named.get("q")
    return in_axes_order(array, (*range(1, array.ndim), 0)) if getattr(q, "ndim", 0) else array


@operation("quantile", layout=layout(_quantiles_inside))
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """Compute quantiles of all elements or along an axis."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation, False)


@operation("nanquantile", layout=layout(_quantiles_inside))
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    """Compute quantiles, ignoring NaN."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation, True)


def _mode_index(x, axis):
    """The last place of the most frequent value, the smallest of several."""
    x = np.moveaxis(x, axis, -1)
    order = np.argsort(x, axis=-1, kind="stable")
    values = np.take_along_axis(x, order, -1)
    n = x.shape[-1]
    starts = np.ones(x.shape, bool)
    starts[..., 1:] = values[..., 1:] != values[..., :-1]
    start = np.maximum.accumulate(np.where(starts, np.arange(n), 0), axis=-1)
    best = np.argmax(np.arange(n) - start, axis=-1)[..., None]  # the end of the first longest run
    return np.take_along_axis(order, best, -1)[..., 0]


@operation("mode", blind=True)
def mode(input, dim=-1, keepdim=False):
    """Return the most frequent value along an axis, and an index of it."""
    d = wrap_dim(dim, input.ndim)
    if not input.ndim:
        return output_tuples.mode(input, np.zeros((), np.int64))
    if not input.shape[d]:
        raise IndexError(f"mode(): Expected reduction dim {d} to have non-zero size.")
    shape = tuple([n for i, n in enumerate(input.shape) if i != d])
    index = hosted(lambda x: _mode_index(x, d), shape, np.int64, input)
    value = along(input, cnp.expand_dims(index, d), d)
    if keepdim:
        return output_tuples.mode(value, cnp.expand_dims(index, d))
    return output_tuples.mode(cnp.squeeze(value, d), index)


@operation("cov")
def cov(input, *, correction=1, fweights=None, aweights=None):
    """Estimate the covariance matrix of the rows."""
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim} "
                           "dimensions")
    if input.dtype == np.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    for word, w, kinds in (("fweights", fweights, "iu"), ("aweights", aweights, "fV")):
        if w is None:
            continue
        if w.ndim > 1:
            raise RuntimeError(f"cov(): expected {word} to have one or fewer dimensions but got {word} with {w.ndim} "
                               "dimensions")
        if w.dtype.kind not in kinds:
            wanted = "integral" if kinds == "iu" else "floating point"
            raise RuntimeError(f"cov(): expected {word} to have {wanted} dtype but got {word} with "
                               f"{type_word(w.dtype)} dtype")
        if w.size != (input.shape[-1] if input.ndim else 1):
            raise RuntimeError(f"cov(): expected {word} to have the same numel as there are observations in the input "
                               f"but got {w.size} != {input.shape[-1]}")
    x = input if input.dtype.kind in "fcV" else input.astype(dtypes.Default.float.numpy)
    x = cnp.reshape(x, (1, -1)) if x.ndim < 2 else x
    weights = None
    for word, w in (("fweights", fweights), ("aweights", aweights)):
        if w is not None:
            if is_array(plain := primal_of(w)) and np.any((on_host(plain) if hasattr(plain, "dtype") else plain) < 0):
                raise RuntimeError(f"cov(): {word} cannot be negative")
            weights = w if weights is None else multiplied(weights, w)
    total = x.shape[1] if weights is None else cnp.sum(weights)
    weighted = x if weights is None else multiplied(x, weights)
    mean = divided(cnp.sum(weighted, axis=1, keepdims=True), total)
    if weights is not None and aweights is not None and correction != 0:
        scale = total - correction * cnp.sum(multiplied(weights, aweights)) / total
    else:
        scale = total - correction
    plain = primal_of(scale)
    if is_array(plain) and plain <= 0:
        tell("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
             "observations.")
    scale = max(scale, 0) if isinstance(scale, int) else cnp.maximum(scale, cnp.zeros_like(scale))
    if isinstance(scale, int) and not scale:
        scale = np.zeros((), x.real.dtype)
    gap = x - mean
    left, right = promote(gap if weights is None else multiplied(gap, weights), cnp.conj(gap).T)
    out = divided(cnp.matmul(left, right), scale)
    return cnp.squeeze(out) if input.ndim < 2 or input.shape[0] == 1 else out


def is_array(value):
    """Tell whether a value is known now: a number or a plain array."""
    return isinstance(value, int | float) or is_plain(value)


def multiplied(x, y):
    """The product in PyTorch's common dtype."""
    x, y = promote(x, y)
    return x * y


def divided(x, y):
    """The quotient in PyTorch's common dtype."""
    x, y = promote(x, y, floats=True)
    return x / y


@operation("corrcoef")
def corrcoef(input):
    """Estimate the correlation matrix of the rows."""
    if input.ndim > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions")
    c = cov.row.body(input)
    if not c.ndim:
        return c / c
    d = cnp.sqrt(cnp.real(cnp.diagonal(c)))
    out = c / cnp.expand_dims(d, 1) / cnp.expand_dims(d, 0)
    return cnp.clip(out, -1, 1) if out.dtype.kind != "c" else out
