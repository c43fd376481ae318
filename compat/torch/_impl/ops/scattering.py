"""Scattering with a reduction: products, means and extrema of all that lands on one place."""

from numbers import Number

import numpy as np

from ....._engine import all_within
from .....extend import REGISTRY, Opaque, constant
from ..dispatch.call import ROWS, moving
from ..dispatch.host_ops import filled, hosted, numbers, primal_of, stripped
from ..dispatch.layouts import LIKE_FIRST
from ..types.dtypes import type_word
from .array_functions import cnp
from .axes import wrap_dim
from .index_arrays import AT, check_long, in_flat, within

_EXTREME = REGISTRY["scattered_extreme"].fun
_SCATTERED = {"prod": REGISTRY["scattered_product"].fun, "amax": lambda *args: _EXTREME(*args, True),
              "amin": lambda *args: _EXTREME(*args, False)}


def reduce_into(name, x, dim, index, src, how, include_self):
    """`x` with `src` reduced into it at an index of one axis."""
    if how not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {how}")
    check_long(name, index)
    if src.dtype != x.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not x.ndim:
        one = reduce_into(name, cnp.reshape(x, (1,)), 0, cnp.reshape(index, (-1,)), cnp.reshape(src, (-1,)), how,
                          include_self)
        return cnp.reshape(one, ())
    d = wrap_dim(dim, x.ndim)
    for what, v in (("self", x), ("src", src)):
        if v.ndim != index.ndim and name != "index_reduce":
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {what} tensor")
        if name != "index_reduce" and any(m > n and (a != d or what == "src") for a, (m, n) in enumerate(
                zip(index.shape, v.shape))):
            raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than {what} {list(v.shape)}"
                               + (f" apart from dimension {d}" if what == "self" else ""))
    if isinstance(index, Opaque) and how == "sum" and include_self and name == "scatter":
        return ROWS["scatter_add"].body(x, dim, index, src)
    index = stripped(index)
    within(index, d, x.shape[d])
    src = src if src.shape == index.shape else src[tuple([slice(0, k) for k in index.shape])]
    if how in _SCATTERED:
        return _landed(_SCATTERED[how], x, d, index, src, not include_self)
    places = cnp.reshape(in_flat(index, x.shape, d), (-1,))
    return cnp.reshape(_reduced(cnp.reshape(x, (-1,)), places, cnp.reshape(src, (-1,)), how, include_self), x.shape)


def _hits(x, places):
    """The number of places that name each element of a vector, in its dtype."""
    n = x.shape[0]
    return hosted(lambda places: np.bincount(places, minlength=n), (n,), x.dtype, places)


def _reduced(x, places, src, how, include_self):
    """`reduce_into` of vectors."""
    hits = None if include_self and how != "mean" else _hits(x, places)
    start = x if include_self else cnp.where(hits > 0, constant(np.zeros((), x.dtype), x), x)
    total = AT(start)[places].add(src)
    if how == "sum":
        return total
    count = hits + 1 if include_self else cnp.maximum(hits, 1)  # 1 where nothing lands: the element itself
    return (cnp.floor_divide if x.dtype.kind in "iu" else cnp.divide)(total, count)


def _landed(scattered, x, d, index, src, fresh):
    """A primitive of all that lands on each place; of vectors, where `index` is shorter than `x` beside its axis."""
    if all(m == n for a, (m, n) in enumerate(zip(index.shape, x.shape)) if a != d):
        return scattered(x, src, index, d, fresh)
    flat = (cnp.reshape(v, (-1,)) for v in (x, src, in_flat(index, x.shape, d)))
    return cnp.reshape(scattered(*flat, 0, fresh), x.shape)


@moving("scatter_reduce", inplace_form=True, blind=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """Reduce elements at one index each along an axis; the output is a copy."""
    return reduce_into("scatter", input, dim, index, src, reduce, include_self)


@moving("index_reduce", inplace_form=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    """Reduce slices of `source` at indices of an axis; the output is a copy."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                           f"{reduce}.")
    if source.dtype != input.dtype:
        raise RuntimeError(f"index_reduce_(): self ({type_word(input.dtype)}) and source ({type_word(source.dtype)}) "
                           "must have the same scalar type")
    d = wrap_dim(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim}")
    if source.ndim != input.ndim or any(m != n and a != d for a, (m, n) in enumerate(zip(input.shape, source.shape))):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           f"self.shape = {list(input.shape)} source.shape = {list(source.shape)}")
    if source.ndim and index.size != source.shape[d]:
        raise RuntimeError(f"index_reduce_(): Number of indices ({index.size}) should be equal to source.size(dim): "
                           f"({source.shape[d]}), for dim: {d}")
    shape = (-1,) + (1,) * (source.ndim - 1 - d)
    index = cnp.broadcast_to(cnp.reshape(primal_of(index), shape), tuple(source.shape)) if source.ndim else index
    return reduce_into("index_reduce", input, d, index, source, reduce, include_self)


def _multiplied(input, dim, index, src=None, *, value=None, reduce=None):
    source = src if value is None else value
    if reduce == "multiply":
        source = source if hasattr(source, "dtype") else np.full(index.shape, source, dtype=input.dtype)
        return reduce_into("scatter", input, dim, index, source, "prod", True)
    if reduce not in (None, "add"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _SCATTER(input, dim, index, src, value=value, reduce=reduce)


_SCATTER = ROWS["scatter"].body
ROWS["scatter"].body = _multiplied


@moving("put", inplace_form=True, layout=LIKE_FIRST)
def put(input, index, source, accumulate=False):
    """Return a copy with elements written at flat indices."""
    check_long("put_", index)
    if source.dtype != input.dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{type_word(input.dtype)} and source.dtype = {type_word(source.dtype)}")
    if source.size != index.size:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                           f"source.numel() = {source.size}, index.numel() = {index.size}")
    flat, at, all_places = cnp.reshape(input, (-1,)), cnp.reshape(primal_of(index), (-1,)), numbers(index)
    n = flat.shape[0]
    if all_places is not None and not all_within(all_places, -n, n):
        raise IndexError(f"out of range: tried to access index {int(all_places.max())} on a tensor of {n} elements.")
    values = cnp.reshape(source, (-1,))
    out = AT(flat)[at].add(values) if accumulate else AT(flat)[at].set(values)
    return cnp.reshape(out, input.shape)


def fill_diagonal(x, value, wrap):
    """`x` with a number on its main diagonal."""
    if np.ndim(value) or not (hasattr(value, "dtype") or isinstance(value, Number)):
        kind = "Tensor" if hasattr(value, "dtype") else type(value).__name__
        raise TypeError(f"fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not {kind}")
    if x.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if x.ndim > 2 and len(set(x.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    hit = np.zeros(tuple(x.shape), bool)
    np.fill_diagonal(hit, True, wrap)
    return cnp.where(hit, filled(value, x.dtype), x)


moving("fill_diagonal", method=False, register=False, inplace_form=True, node="FillDiagonalBackward0")(
    lambda x, fill_value, wrap=False: fill_diagonal(x, fill_value, wrap))
