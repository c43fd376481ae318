"""Quantiles, histograms, covariances, running extremes, integrals and finite differences."""

import numpy as np

from ..... import numpy as cnp, stop_gradient
from ..dispatch.broadcasting import check_broadcast
from ..dispatch.call import ROWS, floating, operation, promote
from ..dispatch.host_ops import hosted, known, primal_of
from ..dispatch.layouts import IN_ORDER, layout, ordered as in_axes_order
from ..modes.warnings import tell
from ..types import dtypes, output_tuples
from ..types.dtypes import type_word
from ..types.tensor_type import TensorBase
from .axes import wrap_dim
from .index_arrays import along, ordered
from .operators import log_added


def _running_index(x, axis, better):
    """The place of the running extreme: the last of equals, NaN winning for good."""
    x = np.moveaxis(x, axis, 0)
    index = np.zeros(x.shape, np.int64)
    best = x[:1].copy()[0] if len(x) else None
    for i in range(1, len(x)):
        take = (x[i] != x[i]) | (best == best) & better(x[i], best)
        best = np.where(take, x[i], best)
        index[i] = np.where(take, i, index[i - 1])
    return np.moveaxis(index, 0, axis)


def _running(name, better, kind):
    @operation(name, layout=IN_ORDER, doc="Running extreme and its place")
    def extreme(input, dim):
        d = wrap_dim(dim, input.ndim)
        if not input.ndim:
            return kind(input, np.zeros((), np.int64))
        index = hosted(lambda x: _running_index(x, d, better), input.shape, np.int64, input)
        return kind(along(input, index, d), index)


_running("cummax", np.greater_equal, output_tuples.cummax)
_running("cummin", np.less_equal, output_tuples.cummin)


def prefixes(x, axis, combine):
    """`combine` of all elements up to each, in log2(n) steps: Hillis & Steele (1986), Data parallel algorithms."""
    n, k = x.shape[axis], 1
    lead = (slice(None),) * axis
    while k < n:
        tail = combine(x[(*lead, slice(k, None))], x[(*lead, slice(0, n - k))])
        x = cnp.concatenate([x[(*lead, slice(0, k))], tail], axis=axis)
        k *= 2
    return x


@operation("logcumsumexp", layout=IN_ORDER)
def logcumsumexp(input, dim):
    """Compute the logarithm of the cumulative sum of exponentials."""
    if input.dtype.kind not in "fcV":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{type_word(input.dtype)}'")
    d = wrap_dim(dim, input.ndim)
    return prefixes(input, d, log_added) if input.ndim else input


def _steps(y, x, dx, dim):
    """The widths of the intervals along an axis, as something that multiplies their mean heights."""
    d = wrap_dim(dim, y.ndim)
    if x is None:
        return d, 1 if dx is None else dx
    if dx is not None:
        raise RuntimeError("trapezoid takes x or dx, not both")
    if x.ndim == 1 and y.ndim != 1:
        if x.shape[0] != y.shape[d]:
            raise RuntimeError(f"trapezoid: There must be one `x` value for each sample point, but there are "
                               f"{x.shape[0]} for {y.shape[d]}")
        return d, cnp.reshape(x[1:] - x[:-1], (-1,) + (1,) * (y.ndim - 1 - d))
    axis = d - y.ndim
    if x.ndim > y.ndim:
        raise RuntimeError(f"trapezoid: `x` has more dimensions than `y`: {list(x.shape)} and {list(y.shape)}")
    check_broadcast(x, y)
    return d, _part(x, axis, 1, None) - _part(x, axis, 0, -1)


def _part(x, axis, a, b):
    return x[(slice(None),) * (axis % x.ndim) + (slice(a, b),)]


def _areas(y, x, dx, dim):
    """The axis, and twice the areas between neighbors: integers stay integers, as in PyTorch, where `x` is given."""
    d, width = _steps(y, x, dx, dim)
    y = floating(y) if x is None else y
    heights, width = promote(_part(y, d, 1, None) + _part(y, d, 0, -1), width)
    return d - y.ndim, heights * width


@operation("trapezoid", method=False)
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """Integrate along an axis by the trapezoidal rule."""
    d, areas = _areas(y, x, dx, dim)
    return floating(ROWS["sum"].body(areas, d)) / 2.0


@operation("cumulative_trapezoid", method=False, layout=IN_ORDER)
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """Integrate cumulatively along an axis by the trapezoidal rule."""
    d, areas = _areas(y, x, dx, dim)
    return floating(ROWS["cumsum"].body(areas, d)) / 2.0


ROWS["trapz"] = ROWS["trapezoid"]


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
    if isinstance(plain, np.ndarray) and not ((plain >= 0) & (plain <= 1)).all():
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


@operation("mode")
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


@operation("histc", exact=True)
def histc(input, bins=100, min=0, max=0):  # noqa: A002 (torch's names)
    """Count elements in bins of equal width."""
    if input.dtype.kind not in "fV":
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_word(input.dtype)}'")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")

    def counts(x):
        x = x.ravel().astype(np.float64)
        return np.histogram(x, bins, outer_edges(x, (min, max) if min != max else None, "histc"))[0]

    return hosted(counts, (bins,), input.dtype, input)


def outer_edges(x, given, name):
    """The first and last edge: as given, or around the values."""
    if given is not None:
        low, high = float(given[0]), float(given[1])
        if not low <= high:
            raise RuntimeError(f"torch.{name}: max must be larger than min")
    else:
        low, high = (float(x.min()), float(x.max())) if x.size else (0.0, 0.0)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.{name}: range of [{low}, {high}] is not finite")
    if low != high:
        return low, high
    return (low - 0.5, high + 0.5) if given is not None or x.size else (low, low + 1.0)


@operation("histogram")
def histogram(input, bins=100, *, range=None, weight=None, density=False):  # noqa: A002
    """Count elements in bins; returns the counts and the bin edges."""
    if input.dtype.kind not in "fV":
        raise NotImplementedError(f"\"histogram_cpu\" not implemented for '{type_word(input.dtype)}'")
    if hasattr(bins, "dtype"):
        count, edges = bins.shape[0] - 1, [bins]
    else:
        count, edges = bins, []
    weights = [] if weight is None else [weight]

    def edges_of(x, given):
        return given[-1] if edges else np.linspace(*outer_edges(x.ravel(), range, "histogram"), count + 1)

    def counted(x, *given):
        found = edges_of(x, given).astype(np.float64)
        return np.histogram(x.ravel().astype(np.float64), found, density=density,
                            weights=given[0].ravel().astype(np.float64) if weights else None)[0]

    return output_tuples.histogram(
        hosted(counted, (count,), input.dtype, input, *weights, *edges),
        hosted(lambda x, *given: edges_of(x, given), (count + 1,), input.dtype, input, *weights, *edges))


@operation("histogramdd", method=False)
def histogramdd(input, bins, *, range=None, weight=None, density=False):  # noqa: A002
    """Count points in multi-dimensional bins; returns the counts and the bin edges."""
    x = known("histogramdd", input)
    if x.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions, but got "
                           f"{x.ndim}")
    n = x.shape[-1]
    rows = x.reshape(-1, n).astype(np.float64)
    bins = [bins] * n if isinstance(bins, int) else list(bins)
    if len(bins) != n:
        raise RuntimeError(f"torch.histogramdd(): The size of bins must be equal to the innermost dimension of the "
                           f"input. Expected {n}, but got {len(bins)}")
    edges = []
    for i, b in enumerate(bins):
        if hasattr(b, "dtype"):
            edges.append(known("histogramdd", b).astype(np.float64))
        else:
            low, high = outer_edges(rows[:, i], None if range is None else range[2 * i : 2 * i + 2], "histogramdd")
            edges.append(np.linspace(low, high, b + 1))
    weights = None if weight is None else known("histogramdd", weight).ravel().astype(np.float64)
    counts, _ = np.histogramdd(rows, edges, weights=weights, density=density)
    return output_tuples.histogramdd(counts.astype(x.dtype), tuple([e.astype(x.dtype) for e in edges]))


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
            if is_array(primal_of(w)) and (np.asarray(primal_of(w)) < 0).any():
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
             "observations.", stacklevel=4)
    scale = max(scale, 0) if isinstance(scale, int) else cnp.maximum(scale, cnp.zeros_like(scale))
    if isinstance(scale, int) and not scale:
        scale = np.zeros((), x.real.dtype)
    gap = x - mean
    left, right = promote(gap if weights is None else multiplied(gap, weights), cnp.conj(gap).T)
    out = divided(cnp.matmul(left, right), scale)
    return cnp.squeeze(out) if input.ndim < 2 or input.shape[0] == 1 else out


def is_array(value):
    """Whether a value is known now: a number or a plain array."""
    return isinstance(value, int | float | np.ndarray | np.generic)


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


def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Approximate the gradient of sampled values by finite differences."""
    if input.dtype in (dtypes.uint8, dtypes.bool_):
        raise RuntimeError(f"torch.gradient does not support {input.dtype.name} input.")
    n = input.ndim
    dims = list(range(n)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    dims = [wrap_dim(d, n) for d in dims]
    if any(dims.count(d) > 1 for d in dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    spacing = 1 if spacing is None else spacing
    numbers = isinstance(spacing, int | float | complex)
    if not numbers and isinstance(spacing, TensorBase):
        spacing = [spacing]
    gaps = [spacing] * len(dims) if numbers else list(spacing)
    if len(gaps) != len(dims):
        raise RuntimeError("torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
                           + (f"equal to 'self.dim() = {n}', since dim argument was not given" if dim is None else
                              f"equal to the number of dims, {len(dims)}") + f", but got a list of length {len(gaps)}")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if input.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple([_gradient(input, g, d, edge_order) for g, d in zip(gaps, dims)])




@operation("_gradient", method=False, register=False, node="CatBackward0")
def _gradient(x, spacing, d, edge_order):
    if x.dtype.kind in "biu":
        x = x.astype(dtypes.Default.float.numpy)
    n = x.shape[d]

    def at(a, b):
        return x[(slice(None),) * d + (slice(a, b),)]

    if hasattr(spacing, "dtype"):
        shape = (-1,) + (1,) * (x.ndim - 1 - d)
        h = spacing if x.dtype.kind == "c" or spacing.dtype == x.dtype else spacing.astype(x.dtype)
        h = h[1:] - h[:-1]
        left, right = cnp.reshape(h[:-1], shape), cnp.reshape(h[1:], shape)
        first, last, second, before = h[0], h[n - 2], h[1 if n > 2 else 0], h[n - 3 if n > 2 else 0]
    else:
        left = right = first = last = second = before = spacing
    inner = (at(2, n) * left**2 - at(0, n - 2) * right**2 + at(1, n - 1) * (right**2 - left**2)) / (
        left * right * (left + right)) if hasattr(spacing, "dtype") else (at(2, n) - at(0, n - 2)) / (2 * spacing)
    if edge_order == 1:
        start, end = (at(1, 2) - at(0, 1)) / first, (at(n - 1, n) - at(n - 2, n - 1)) / last
    else:
        a, b = first, second
        start = (at(0, 1) * (-(2 * a + b) / (a * (a + b))) + at(1, 2) * ((a + b) / (a * b))
                 + at(2, 3) * (-a / (b * (a + b))))
        a, b = before, last
        end = (at(n - 3, n - 2) * (b / (a * (a + b))) + at(n - 2, n - 1) * (-(a + b) / (a * b))
               + at(n - 1, n) * ((2 * b + a) / (b * (a + b))))
    return cnp.concatenate([start, inner, end], axis=d)


@operation("renorm", inplace_form=True, layout=IN_ORDER)
def renorm(input, p, dim, maxnorm):
    """Scale the slices along an axis whose norm exceeds `maxnorm` to that norm."""
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError("renorm: input needs at least 2 dimensions, got " + f"{input.ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    d = wrap_dim(dim, input.ndim)
    norm = ROWS["linalg.vector_norm"].body(input, p, tuple([i for i in range(input.ndim) if i != d]), True)
    return input * cnp.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0).astype(norm.dtype)


def vander(x, N=None, increasing=False):  # noqa: N803 (torch's name)
    """Build a Vandermonde matrix from the powers of a vector."""
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    out = _vander(x, count)
    return out if increasing else out.flip(1)


@operation("_vander", method=False, register=False, node="CumprodBackward0")
def _vander(x, count):
    if x.dtype.kind in "biu":
        x = x.astype(np.int64)
    columns, power = [], cnp.ones_like(x)
    for _ in range(count):
        columns.append(power)
        power = power * x
    return cnp.stack(columns, axis=-1) if columns else np.empty((*x.shape, 0), x.dtype)


@operation("linalg.vander", method=False)
def _linalg_vander(x, *, N=None):  # noqa: N803
    """Build Vandermonde matrices, with increasing powers along a new last axis."""
    x = x if x.ndim else cnp.reshape(x, (1,))
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    return _vander.row.body(x, count)


PLAIN = {"gradient": gradient, "vander": vander}
