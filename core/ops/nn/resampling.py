"""Weighted sums of fixed positions along one axis: interpolation, its transpose, windows of varying length."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import shaped
from ...primitive.families import linear
from ...primitive.kernels import Loops
from ...trace.device import constant
from ..dependence import lines
from ..samples import Sample

_TAPS = 16  # sums of more numbers are added up at once
_LEAST = 1 << 4  # elements, below which NumPy's steps cost less than a compilation


class Sums:
    """Weighted sums of the numbers on an axis, as a parameter: a sparse matrix by its entries, compared by identity.

    Only the places of a sum are looked at, so that NaN elsewhere is harmless; a sum may have none.

    Args:
        shape: `(how many sums, length of the axis)`.
        rows: for each entry the sum that it belongs to.
        places: for each entry its place on the axis.
        weights: for each entry its weight, real.

    >>> import numpy as np
    >>> from covector._primitives import Sums
    >>> from covector.extend import REGISTRY
    >>> halves = Sums((2, 3), [0, 0, 1, 1], [0, 1, 1, 2], [0.5, 0.5, 0.5, 0.5])
    >>> REGISTRY["weighted_sums"].fun(np.array([0.0, 2.0, 6.0]), halves, 0)
    array([1., 4.])
    """

    __slots__ = ("_transposed", "places", "rows", "shape", "starts", "taps", "weights")

    def __init__(self, shape, rows, places, weights):
        rows, places = np.asarray(rows, np.int64), np.asarray(places, np.int64)
        weights = np.asarray(weights, np.float64)
        order = np.argsort(rows, kind="stable")
        self.shape = shape
        self.rows = rows[order]
        self.places = places[order]
        self.weights = weights[order]
        self.starts = np.searchsorted(self.rows, np.arange(shape[0] + 1))  # of each sum its first entry
        self.taps = self._by_turns() if np.bincount(rows, minlength=1).max() <= _TAPS else None
        self._transposed = None

    def _by_turns(self):
        """The first entry of each sum, the second, …: places, weights (None: all 1), the sums without such an entry."""
        starts, counts = self.starts, np.diff(self.starts)
        found = []
        for turn in range(counts.max(initial=0)):
            at = np.where(turn < counts, starts[:-1] + turn, 0)
            weights = None if (self.weights == 1).all() else self.weights[at]
            found.append((self.places[at], weights, np.flatnonzero(turn >= counts)))
        return found

    @property
    def transposed(self):
        """The sums of the transpose."""
        if self._transposed is None:
            self._transposed = Sums(self.shape[::-1], self.places, self.rows, self.weights)
            self._transposed._transposed = self
        return self._transposed

    def __repr__(self):
        return f"Sums({self.shape[0]} of {self.shape[1]})"


def _summed(xp, x, sums, axis):
    rest = (1,) * (x.ndim - 1 - axis)
    shape = (*x.shape[:axis], sums.shape[0], *x.shape[axis + 1 :])
    if sums.taps is None and xp is np:
        return _at_once(x, sums, axis, rest, shape)
    out = None
    for places, weights, missing in sums.taps if sums.taps is not None else sums._by_turns():
        part = xp.take(x, constant(places, x), axis=axis)
        if weights is not None:
            part *= constant(weights.astype(x.real.dtype).reshape(-1, *rest), x)
        if missing.size:
            part[(slice(None),) * axis + (constant(missing, x),)] = 0
        if out is None:
            out = part
        else:
            out += part
    return xp.zeros(shape, x.dtype) if out is None else out


def _at_once(x, sums, axis, rest, shape):
    """All entries side by side, added up in runs."""
    part = x.take(sums.places, axis=axis)
    part *= sums.weights.astype(x.real.dtype).reshape(-1, *rest)
    first = np.flatnonzero(np.diff(sums.rows, prepend=-1))
    found = np.add.reduceat(part, first, axis)
    if first.size == sums.shape[0]:
        return found
    out = np.zeros(shape, x.dtype)
    out[(slice(None),) * axis + (sums.rows[first],)] = found
    return out


def _entry_by_entry(k, x, starts, places, weights):
    before, n, behind = x.shape
    count = starts.shape[0] - 1
    k.require(weights.shape[0].equals(places.shape[0]))
    out = k.output(x.kind, (before, count, behind))
    lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of
    for i in k.range(before):
        for _ in k.when(behind.equals(1)):
            for row in k.range(count):
                total = k.cell(0, x.kind)
                for e in k.range(starts[row + 1], starts[row]):
                    total.set(total.get() + x[i, places[e], 0] * k.cast(weights[e], x.kind))
                out[i, row, 0] = total.get()
                lost.add(total.get() - total.get())
        for _ in k.when(behind.differs(1)):
            for row in k.range(count):
                for j in k.range(behind, vectors=True):
                    out[i, row, j] = k.scalar(0, x.kind)
                for e in k.range(starts[row + 1], starts[row]):
                    place, weight = places[e], k.cast(weights[e], x.kind)
                    for j in k.range(behind, vectors=True):
                        out[i, row, j] = out[i, row, j] + x[i, place, j] * weight
                for j in k.range(behind, vectors=True):
                    lost.add(out[i, row, j] - out[i, row, j])
    k.refuse(lost.get().differs(0))


def _entries(x, sums, axis):
    if x.dtype.kind != "f" or not x.size or sums.shape[1] != x.shape[axis]:
        return None
    flat = x.reshape(prod(x.shape[:axis]), x.shape[axis], -1)
    return flat, sums.starts, sums.places, sums.weights.astype(x.dtype, copy=False)


def _samples(rng):
    out = []
    for shape, axis, sums in (
        ((3,), 0, Sums((5, 3), [0, 1, 1, 2, 3, 3, 4], [0, 0, 1, 1, 1, 2, 2], [1, 0.5, 0.5, 1, 0.5, 0.5, 1])),
        ((2, 4), 0, Sums((2, 2), [0, 1, 1], [1, 0, 1], [2.0, 0.5, -1.0])),
        ((2, 4, 3), 1, Sums((3, 4), [2, 0, 2], [3, 1, 0], [1.0, -2.0, 3.0])),
        ((2, 20), 1, Sums((3, 20), [0] * 18 + [2] * 17, [*range(18), *range(3, 20)], np.linspace(-1, 1, 35))),
        ((2, 0), 0, Sums((1, 2), [0, 0], [0, 1], [1.0, 2.0])),
        ((2, 3), 0, Sums((2, 2), [], [], [])),
        ((2, 3), 1, Sums((5, 3), [0, 1, 2, 3, 4], [0, 0, 1, 1, 2], np.ones(5))),
    ):
        for c in (0.0, 1j):
            out.append(Sample(rng.normal(size=shape) + c, params={"sums": sums, "axis": axis}))
        out.append(Sample(rng.normal(size=shape).astype(np.float32), params={"sums": sums, "axis": axis}))
    return out


weighted_sums = linear(
    "weighted_sums",  # (*a, n, *b) -> (*a, m, *b), the n axis is `axis` >= 0
    impl=lambda xp, x, *, sums, axis: _summed(xp, x, sums, axis),
    kernel=Loops(_entry_by_entry, _entries, lambda out, x, sums, axis: shaped(
        out, (*x.shape[:axis], sums.shape[0], *x.shape[axis + 1 :])), _LEAST),
    transpose=lambda ct, sums, axis: weighted_sums(ct, sums.transposed, axis),
    shape=lambda x, sums, axis: make_aval((*x.shape[:axis], sums.shape[0], *x.shape[axis + 1 :]), x.dtype),
    batch=lambda x, sums, axis: weighted_sums(x, sums, axis + 1),
    exact=True,
    absent={"()": "it needs an axis"},
    depends=lambda x, ans, axis: lines(x, (axis,), ans.shape),
    samples=_samples,
)
