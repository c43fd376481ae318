"""Indices of the k largest or smallest elements along an axis, in order."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import shaped
from ...primitive.families import ZERO, primitive
from ...primitive.kernels import Loops
from ..samples import Sample
from .sorting import INDEX

_BLOCK = 16  # elements that are looked at in one go
_LANES = 64  # elements that are compared in one go
_LONG = 4  # times as many elements as candidates, from which a bound is found before these are gathered
_MOST = 64  # elements asked for, above which comparing all candidates with each other costs more than sorting
_MANY, _TIMES = 32, 10  # the same where they are a part of a few lanes, but no small one
_BITS = 8  # of a digit
_FEW = 1 << 4  # elements, below which NumPy's steps cost less than a compilation
_COUNTS = {"f32": "i32", "f64": "i64"}  # as wide as the elements beside which they are counted


def _ranked(k, x, wanted, largest):
    """Elements above a bound are gathered until there are twice as many as wanted, then ranked, and the best remain,
    the last of which is the bound: the work grows with the length of the axis, whatever the order of its elements.
    """
    before, n, behind = x.shape
    kind = _COUNTS[x.kind]
    out = k.output("i64", (before, wanted, behind))
    full = 2 * wanted + _BLOCK // 2
    lanes = (full + _LANES) & -_LANES
    room = lanes + _BLOCK
    row, held, kept = k.scratch(x.kind, (n,)), k.scratch(x.kind, (room,)), k.scratch(x.kind, (wanted,))
    ranks = k.scratch(kind, (room,))
    places, kept_places = k.scratch("i64", (room,)), k.scratch("i64", (wanted,))
    lowest = k.scalar(float("-inf"), x.kind)
    one, nil = k.scalar(1, kind), k.scalar(0, kind)
    count, bound, lost = k.cell(0, "i64"), k.cell(lowest, x.kind), k.cell(0, kind)

    def rank():
        """Put the best of the candidates first, in order; of equal ones the earlier goes first."""
        many = count.get()
        for i in k.range(many, vectors=True):
            ranks[i] = 0
        for j in k.range(many):
            mine, here = held[j], k.cast(j, kind)
            for i in k.range(many, vectors=True):
                other = held[i]
                first = (mine > other) | (mine.equals(other) & (here < k.cast(i, kind)))
                ranks[i] = ranks[i] + k.where(first, one, nil)
        for i in k.range(many):
            place = k.cast(ranks[i], "i64")
            for _ in k.when(place < wanted):
                kept[place] = held[i]
                kept_places[place] = places[i]
        stay = k.where(many < wanted, many, wanted)
        for i in k.range(stay, vectors=True):
            held[i] = kept[i]
            places[i] = kept_places[i]
        count.set(stay)

    def beneath():
        """A number that as many elements reach as are wanted: the largest ones of parts of the row are ranked."""
        for j in k.range(lanes, vectors=True):
            held[j] = row[j]
        for start in k.range(n, lanes, step=lanes):
            end = k.where(n - start < lanes, n - start, lanes)
            for j in k.range(end, vectors=True):
                new, old = row[start + j], held[j]
                held[j] = k.where(new > old, new, old)
        count.set(lanes)
        rank()
        return held[wanted - 1]

    for p in k.range(before):
        for b in k.range(behind):
            for _ in k.when(largest.equals(1)):
                for j in k.range(n, vectors=True):
                    row[j] = x[p, j, b]
            for _ in k.when(largest.equals(0)):
                for j in k.range(n, vectors=True):
                    row[j] = -x[p, j, b]
            count.set(0)
            bound.set(lowest)
            for _ in k.when(n > lanes * _LONG):
                bound.set(beneath())
                count.set(0)
            for start in k.range(n, step=_BLOCK):
                end = k.where(n < start + _BLOCK, n, start + _BLOCK)
                hits, least, short = k.cell(0, kind), bound.get(), count.get() < wanted
                for j in k.range(end, start, vectors=True):
                    value = row[j]
                    hits.add(k.where((value > least) | (value.equals(least) & short), one, nil))
                    lost.add(k.where(value.differs(value), one, nil))
                for _ in k.when(hits.get().differs(0)):
                    for j in k.range(end, start):
                        value, many = row[j], count.get()
                        held[many] = value
                        places[many] = j
                        taken = (value > bound.get()) | (value.equals(bound.get()) & (many < wanted))
                        count.set(many + k.where(taken, k.scalar(1, "i64"), 0))
                    for _ in k.when(count.get() >= full):
                        rank()
                        bound.set(held[wanted - 1])
            rank()
            for j in k.range(wanted):
                out[p, j, b] = places[j]
    k.refuse(lost.get().differs(0))  # the order of NaN is NumPy's


def _sorted(k, x, wanted, largest):
    """Sort bits that are in the order of the elements, digit by digit, each time in the order of the time before."""
    before, n, behind = x.shape
    kind = _COUNTS[x.kind]
    size, digits = 1 << _BITS, (32 if kind == "i32" else 64) // _BITS
    out = k.output("i64", (before, wanted, behind))
    keys, places = [[k.scratch(of, (n,)) for _ in range(2)] for of in (kind, "i64")]
    counts, lost, one = k.scratch("i64", (digits * size,)), k.cell(0, kind), k.scalar(1, kind)

    def digit(key, d):
        return d * size + k.cast(k.run("bitwise_and", key >> d * _BITS, size - 1), "i64")

    for p in k.range(before):
        for b in k.range(behind):
            counts.fill(0)
            for j in k.range(n):
                value = x[p, j, b]
                lost.add(k.where(value.differs(value), one, 0))
                key = k.bits(k.where(value.equals(0), k.scalar(0, x.kind), value))  # -0 is equal to 0
                key = k.run("bitwise_xor", key, k.where(key < 0, k.scalar(-1, kind), -1 << (digits * _BITS - 1)))
                key = k.run("bitwise_xor", key, 0 - k.cast(largest, kind))
                keys[0][j] = key
                places[0][j] = j
                for d in range(digits):
                    counts[digit(key, d)] = counts[digit(key, d)] + 1
            for d in range(digits):
                old, new, total = d % 2, (d + 1) % 2, k.cell(0, "i64")
                for c in k.range((d + 1) * size, d * size):
                    count = counts[c]
                    counts[c] = total.get()
                    total.set(total.get() + count)
                for j in k.range(n):
                    key, spot = keys[old][j], digit(keys[old][j], d)
                    at = counts[spot]
                    counts[spot] = at + 1
                    keys[new][at] = key
                    places[new][at] = places[old][j]
            for j in k.range(wanted):
                out[p, j, b] = places[0][j]
    k.refuse(lost.get().differs(0))  # the order of NaN is NumPy's


def _given(many):
    def given(x, k, axis, largest):
        """An array as (before, along the axis, behind); None for what others do."""
        n = x.shape[axis]
        if x.dtype.kind != "f" or not k or many != (k > _MOST or k >= _MANY and _LANES < n < _TIMES * k):
            return None
        return x.reshape(prod(x.shape[:axis]), n, -1), k, int(largest)

    return given


def _shaped(out, x, k, axis, largest):
    return shaped(out, (*x.shape[:axis], k, *x.shape[axis + 1 :]))


_SORTED = Loops(_sorted, _given(True), _shaped).runner("top_k, many")


def _by_digits(xp, x, k, axis, largest):
    found = _SORTED(x, k, axis, largest) if type(x) is np.ndarray else None
    return _places(xp, x, k, axis, largest) if found is None else found


def _places(xp, x, k, axis, largest):
    n = x.shape[axis]
    if n >= _LANES and 0 < 2 * k <= n and x.dtype.kind == "f":
        v = xp.moveaxis(-x if largest else x, axis, -1)
        bound = xp.partition(v, k - 1, axis=-1)[..., k - 1 : k]
        if not xp.isnan(v).any():
            return xp.moveaxis(_up_to(xp, v, bound, k), -1, axis)
    start = (slice(None),) * axis
    turned = (*start, slice(None, None, -1))
    order = xp.argsort(x[turned] if largest else x, axis=axis, kind="stable")
    return (n - 1 - order[turned])[(*start, slice(0, k))] if largest else order[(*start, slice(0, k))]


def _up_to(xp, v, bound, k):
    """Places of the `k` smallest of the last axis, the k-th of which is `bound`; of equal ones the first."""
    chosen, equal = v < bound, v == bound
    room = k - chosen.sum(-1, keepdims=True)
    if (equal.sum(-1, keepdims=True) > room).any():
        equal &= equal.cumsum(-1) <= room
    found = xp.nonzero(chosen | equal)[-1].reshape((*v.shape[:-1], k))
    order = xp.argsort(xp.take_along_axis(v, found, -1), axis=-1, kind="stable")
    return xp.take_along_axis(found, order, -1)


def _samples(rng):
    return [Sample(rng.permutation(prod(s)).reshape(s).astype(t), params={"k": k, "axis": a, "largest": up})
            for s, a, k in (((7,), 0, 3), ((2, 30), 1, 4), ((5, 3), 0, 5), ((2, 4), 1, 0), ((0, 3), 1, 2))
            for t in ("f8", "f4", "i8") for up in (True, False)]


top_k = primitive(
    "top_k",  # (*a, n, *b) -> (*a, k, *b): places along `axis` >= 0; NaN is larger than all, of equal ones the first
    impl=lambda xp, x, *, k, axis, largest: _by_digits(xp, x, k, axis, largest),
    kernel=Loops(_ranked, _given(False), _shaped, _FEW),
    shape=lambda x, k, axis: make_aval((*x.shape[:axis], k, *x.shape[axis + 1 :]), INDEX),
    jvp=ZERO,
    batch=lambda x, k, axis, largest: top_k(x, k, axis + 1, largest),
    samples=_samples,
    absent={"()": "it runs along an axis", "complex": "it orders real numbers"},
)
