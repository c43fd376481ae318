"""Scatter-add of rows: the implementation of `scatter_add` on plain arrays."""

import math

import numpy as np

from ...arrays.axes import all_within
from ...arrays.sums import shaped
from ...primitive.kernels import Loops

ndarray = np.ndarray
_AXES = 30  # NumPy's `add.at` writes beyond its memory above 32 axes, those of the index among them
_NARROW = 64  # elements of a row
_TURNS = 4  # after which what is left is added up in runs
_LEAST = 1 << 11  # elements, below which native loops gain less than they cost
_SPARSE = 1 << 17  # elements of a sum, most of which no row lands on: NumPy's zeros cost nothing until they are touched


def scattered_sums(xp, x, index, axis, n):
    if np.ndim(index) > 1:  # NumPy adds up 7 times as fast at an index of one axis
        x = x.reshape((*x.shape[:axis], index.size, *x.shape[axis + index.ndim :]))
        index = index.reshape(-1)
    if xp is np and x.ndim == 1 == index.ndim:
        if x.dtype == np.float64 and x.size:
            return np.bincount(index if all_within(index, 0, n) else np.where(index < 0, index + n, index), x, n)
        out = np.zeros(n, x.dtype)
        np.add.at(out, index, x)
        return out
    out = xp.zeros(x.shape[:axis] + (n,) + x.shape[axis + np.ndim(index) :], x.dtype)
    if xp is np and axis == 0 and np.ndim(index) == 1 and len(index) >= 16 and x.size and (
            (known := all_within(index, 0, n)) or all_within(index, -n, n)):
        places, width = index if known else np.where(index < 0, index + n, index), x.size // len(index)
        if width > _NARROW:
            _add_rows(out, places, x)
        else:  # one after the other: 30 us for 350 at 800 rows of 16 that land on 200
            flat = places if width == 1 else (places[:, None] * width + np.arange(width)).reshape(-1)
            np.add.at(out.reshape(-1), flat, x.reshape(-1))
        return out
    if x.ndim > _AXES:
        lead, rest = (math.prod(part) for part in (x.shape[:axis], out.shape[axis + 1 :]))
        xp.add.at(out.reshape(lead, n, rest), (slice(None), index.reshape(-1)), x.reshape(lead, index.size, rest))
    else:
        xp.add.at(out, (slice(None),) * axis + (index,), x)
    return out


def _add_rows(out, index, rows):
    """`np.add.at(out, index, rows)` for whole rows: the first of each place at once, then the second, and so on."""
    order = np.argsort(index, kind="stable")
    places = index[order]
    new = np.empty(len(order), bool)
    new[0] = True
    np.not_equal(places[1:], places[:-1], out=new[1:])
    out[places[new]] = rows[order[new]]
    for _ in range(_TURNS):
        order, places = order[~new], places[~new]
        if not len(order):
            return
        new = np.empty(len(order), bool)
        new[0] = True
        np.not_equal(places[1:], places[:-1], out=new[1:])
        out[places[new]] += rows[order[new]]
    order, places = order[~new], places[~new]
    if len(order):
        first = np.flatnonzero(np.concatenate(([True], places[1:] != places[:-1])))
        out[places[first]] += np.add.reduceat(rows[order], first, axis=0)


def _added(k, x, index, n):
    n = k.scalar(n, "i64")
    m, width = x.shape
    k.require(index.shape[0].equals(m), n >= 0)
    out = k.output(x.kind, (n, width))
    out.fill(0)
    lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of
    for i in k.range(m):
        at = k.cast(index[i], "i64")
        at = k.where(at < 0, at + n, at)
        k.refuse((at < 0) | (at >= n))
        for j in k.range(width, vectors=True):
            total = out[at, j] + x[i, j]
            out[at, j] = total
            lost.add(total - total)
    k.refuse(lost.get().differs(0))


def _given(x, index, axis, n):
    """The rows, their places and how many there are; None for what NumPy does."""
    if axis or type(x) is not ndarray or type(index) is not ndarray or x.size < _LEAST or x.dtype.kind != "f":
        return None
    if not index.ndim or x.size < 2 * index.size or n * x.size > max(_SPARSE, 4 * x.size) * index.size:
        return None
    return x.reshape(index.size, -1), index.reshape(-1), n


ADDED = Loops(_added, _given, lambda out, x, index, axis, n: shaped(out, (n, *x.shape[index.ndim :])))
