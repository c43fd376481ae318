"""Covariances, and counts in bins."""

import builtins
import math
import operator
from typing import Any

import numpy as np

from ..core.arrays.dtypes import result_dtype
from ..core.arrays.fp_warnings import warn_user
from ..core.errors import DtypeError, at_user_line
from ..core.numpy_api import methods
from ..core.numpy_api.reducing import mean, reduce
from ..core.ops import arithmetic, reductions as r, selection, shaping
from ..core.ops.indexing import indexing, sorting
from ..core.ops.linalg import products
from ..core.trace.device import constant
from ..core.trace.tracer import Tracer, is_concrete
from ..transforms.staging.effects import stop_gradient
from . import reductions
from .creation import asarray, linspace
from .indexing import diagonal
from .shaping import stack
from .surface import Array, array_beside, array_of, as_asked, implements, known, ordered, traced_inside

_range = builtins.range


@implements(np.cov)
def cov(m: Array, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None, fweights: Any = None,
        aweights: Any = None, *, dtype: Any = None) -> Array:
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov needs an integer ddof, but got {ddof!r}; give an int{at_user_line()}")
    x = _variables("cov", m, y, rowvar, dtype)
    if not x.shape[0]:
        return np.zeros((0, 0))
    ddof = int(not bias) if ddof is None else ddof
    weights = _weights(x, fweights, aweights)
    if weights is None:
        total: Any = x.shape[1]
        centre = mean(x, 1, None, True)
    else:
        total = weights.sum()
        centre = (x * weights).sum(axis=1, keepdims=True) / total
    spare = total - ddof
    if weights is None and spare <= 0:
        warn_user("Degrees of freedom <= 0 for slice")
    if weights is not None and aweights is not None and ddof:
        spare = total - ddof * (weights * array_of(aweights)).sum() / total
    if is_concrete(spare):  # as NumPy, which warns
        spare = selection.maximum(spare, 0.0)
    x = x - centre
    other = x if weights is None else x * weights
    ans = products.matmul(x, shaping.conjugate(methods.transpose(other)) if x.dtype.kind == "c" else other.T)
    share = arithmetic.divide(1.0, spare)
    return methods.squeeze(ans * (share if isinstance(share, Tracer) else share.item()))


def _variables(name: str, m: Array, y: Any, rowvar: bool, dtype: Any) -> Array:
    """The observations of both arguments: one row a variable."""
    parts = [asarray(m)] + ([] if y is None else [asarray(y)])
    if dtype is None:
        dtype = np.result_type(*[p.dtype for p in parts], np.float64)
    elif np.dtype(dtype).kind not in "fc":
        raise DtypeError(f"{name} computes in floating or complex dtypes, but was asked for dtype={np.dtype(dtype)}; "
                         f"omit it, and cast the output{at_user_line()}")
    rows = []
    for k, part in enumerate(parts):
        if part.ndim > 2:
            raise ValueError(f"{name} needs at most two axes, but got shape {part.shape}; "
                             f"reshape it, one row per variable{at_user_line()}")
        row = selection.astype(part if part.ndim == 2 else methods.reshape(part, (1, -1)), dtype)
        turned = not rowvar and part.ndim == 2 and (k == 0 or row.shape[0] != 1)  # as NumPy: y of one row stays one
        rows.append(row.T if turned else row)
    return rows[0] if len(rows) == 1 else shaping.concatenate(*rows, axis=0)


def _weights(x: Array, fweights: Any, aweights: Any) -> Any:
    """The product of both kinds of weights, checked; None where there are none."""
    ans = None
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        weights = array_of(weights)
        if weights.shape != x.shape[1:]:
            raise RuntimeError(f"cov needs {name} of shape {x.shape[1:]}, but got {weights.shape}; "
                               f"give one weight per observation{at_user_line()}")
        if name == "fweights" and weights.dtype.kind not in "iu" and (known(weights, name) % 1).any():
            raise TypeError(f"cov needs integer fweights, which count observations; "
                            f"give relative weights as aweights{at_user_line()}")
        if is_concrete(weights) and (known(weights, name) < 0).any():
            raise ValueError(f"cov needs nonnegative {name}; clip them at 0{at_user_line()}")
        weights = selection.astype(weights, np.result_type(weights.dtype, np.float64))
        ans = weights if ans is None else ans * weights
    return ans


@implements(np.corrcoef)
def corrcoef(x: Array, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    c = array_of(cov(x, y, rowvar, dtype=dtype))
    if not c.ndim:
        return c / c
    deviation = arithmetic.sqrt(diagonal(c).real)
    c = c / methods.reshape(deviation, (-1, 1)) / methods.reshape(deviation, (1, -1))
    if c.dtype.kind != "c":
        return _limited(c)
    return _limited(c.real) + 1j * _limited(c.imag)


def _limited(c: Array) -> Array:
    """`c` between -1 and 1, beyond which only rounding takes it: the limits are not non-smooth points."""
    return c + stop_gradient(methods.clip(c, -1.0, 1.0) - c)


@implements(np.bincount)
def bincount(x: Array, /, weights: Any = None, minlength: int = 0) -> Array:
    places = known(x, "bincount")  # its largest element is the length of the output
    if weights is None:
        return np.bincount(places, minlength=minlength)
    weights = array_of(weights)
    size = np.bincount(places, minlength=minlength).size
    if weights.shape != places.shape:
        raise ValueError(f"bincount needs a weight for each of {places.shape[0]} elements, but got {weights.shape}"
                         f"; give weights of the shape of x{at_user_line()}")
    weights = as_asked("bincount", weights, np.float64, "safe" if weights.dtype.kind == "c" else "unsafe")
    return indexing.scatter_add(weights, constant(places, weights), axis=0, n=size)


@implements(np.histogram_bin_edges)
def histogram_bin_edges(a: Array, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    a = methods.reshape(ordered(asarray(a), "histogram"), (-1,))
    if weights is not None and np.shape(weights) != a.shape and array_of(weights).size != a.size:
        raise ValueError(f"histogram needs weights of the shape of the elements, but got {np.shape(weights)} for "
                         f"{a.shape[0]} elements; give one weight for each{at_user_line()}")
    if isinstance(bins, str):  # the rules read the data for their number of bins, not for the edges
        plain = None if range is None else tuple(known(v, "histogram_bin_edges").item() for v in range)
        bins = np.histogram_bin_edges(known(a, "histogram_bin_edges"), bins, plain,
                                      None if weights is None else known(weights, "histogram_bin_edges")).size - 1
    if np.ndim(bins):
        edges = array_beside(asarray(bins) if traced_inside(bins) else bins, a)
        if edges.ndim != 1:
            raise ValueError(f"histogram needs a vector of bin edges, but got shape {edges.shape}; "
                             f"give a list of numbers that increase{at_user_line()}")
        if is_concrete(edges):
            plain_edges = known(edges, "histogram")
            if (plain_edges[:-1] > plain_edges[1:]).any():
                raise ValueError(f"histogram needs bin edges that increase; sort them{at_user_line()}")
        return edges
    count = operator.index(bins)
    if count < 1:
        raise ValueError(f"histogram needs at least one bin, but got bins={count}; "
                         f"give a count from 1, or edges{at_user_line()}")
    first, last = _ends(a, range)
    dtype = result_dtype(first, last, a)
    return linspace(first, last, count + 1, dtype=np.result_type(dtype, float) if dtype.kind in "iub" else dtype)


def _ends(a: Array, limits: Any) -> tuple:
    """The first and the last edge: those given, else the extremes; half a unit aside where they are one."""
    if limits is not None:
        first, last = limits
    elif not a.size:
        first, last = 0.0, 1.0
    else:
        first, last = (array_of(reduce(p, a)) for p in (r.reduce_min, r.reduce_max))
    if all(is_concrete(v) for v in (first, last)):
        low, high = known(first, "histogram"), known(last, "histogram")
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise ValueError(f"histogram needs a finite range that increases, but got {low} to {high}; "
                             f"give range=(lowest, highest){at_user_line()}")
        return (first, last) if low != high else (first - 0.5, last + 0.5)
    same = first == last
    return selection.where(same, first - 0.5, first), selection.where(same, last + 0.5, last)


@implements(np.histogram)
def histogram(a: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple:
    a = asarray(a)
    if weights is not None:
        weights = array_beside(weights, a)
        if weights.shape != a.shape:
            raise ValueError(f"histogram needs weights of shape {a.shape}, but got {weights.shape}; "
                             f"give one weight per element{at_user_line()}")
        weights = methods.reshape(weights, (-1,))
    a = methods.reshape(a, (-1,))
    edges = histogram_bin_edges(a, bins, range, weights)
    place, inside = _bin_of(a, edges)
    ones = constant(np.ones(a.shape, np.intp), a) if weights is None else weights
    counts = indexing.scatter_add(selection.where(inside, ones, 0), place, axis=0, n=edges.shape[0] - 1)
    if not density:
        return counts, edges
    return counts / reductions.diff(selection.astype(edges, np.float64)) / counts.sum(), edges


def _bin_of(a: Array, edges: Array) -> tuple:
    """The bin of each element, the last edge included, and whether it is in any."""
    last = edges.shape[0] - 2
    place = sorting.searchsorted(edges, a, "right") - 1
    place = selection.minimum(selection.maximum(place, 0), last)
    return place, (a >= edges[0]) & (a <= edges[-1])


@implements(np.histogram2d)
def histogram2d(x: Array, y: Array, bins: Any = 10, range: Any = None, density: Any = None,
                weights: Any = None) -> tuple:
    x, y = asarray(x), asarray(y)
    if x.shape != y.shape:
        raise ValueError(f"histogram2d needs x and y of one length, but got shapes {x.shape} and {y.shape}"
                         f"; slice the longer one{at_user_line()}")
    if _several(bins) and len(bins) not in (1, 2):
        bins = [asarray(bins)] * 2
    counts, edges = histogramdd(stack([x, y], axis=1), bins, range, density, weights)
    return counts, edges[0], edges[1]


def _several(bins: Any) -> bool:
    return isinstance(bins, (list, tuple)) or bool(np.ndim(bins))


@implements(np.histogramdd)
def histogramdd(sample: Array, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple:
    sample = asarray(sample) if isinstance(sample, Tracer) or hasattr(sample, "shape") else asarray(list(sample)).T
    sample = sample if sample.ndim == 2 else methods.reshape(sample, (-1, 1))
    count, rank = sample.shape
    each = list(bins) if _several(bins) else [bins] * rank
    limits = [None] * rank if range is None else list(range)
    if len(each) != rank or len(limits) != rank:
        raise ValueError(f"histogramdd needs bins (and a range) for each of {rank} columns, but got {len(each)} "
                         f"and {len(limits)}; give one for each, or one number for all{at_user_line()}")
    edges: list[Any] = []
    places: list[Any] = []
    inside: Any = True
    for k in _range(rank):
        column = sample[:, k]
        edges.append(histogram_bin_edges(column, each[k], limits[k]))
        place, within = _bin_of(column, edges[-1])
        places.append(place)
        inside = within if inside is True else within & inside
    sizes = tuple(e.shape[0] - 1 for e in edges)
    place = 0
    for n, part in zip(sizes, places):
        place = place * n + part
    ones = constant(np.ones(count), sample) if weights is None else selection.astype(asarray(weights), np.float64)
    if ones.shape != (count,):
        raise ValueError(f"histogramdd needs weights of shape ({count},), but got {ones.shape}; give one per point"
                         f"{at_user_line()}")
    counts = indexing.scatter_add(selection.where(inside, ones, 0.0), place, axis=0, n=math.prod(sizes))
    counts = methods.reshape(counts, sizes)
    if density:
        total = counts.sum()
        for k, e in enumerate(edges):
            widths = reductions.diff(e)
            counts = counts / methods.reshape(widths, tuple(-1 if i == k else 1 for i in _range(rank)))
        counts = counts / total
    return counts, tuple(edges)
