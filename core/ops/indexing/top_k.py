"""Indices of the k largest or smallest elements along an axis, in order."""

from math import prod

from ...arrays.avals import make_aval
from ...arrays.sums import shaped
from ...primitive.families import ZERO, primitive
from ...primitive.kernels import Loops
from ..samples import Sample
from .sorting import INDEX

_BLOCK = 16  # elements that are looked at in one go
_LANES = 16  # parts of a row, of which there are a multiple
_LONG = 3  # times as many elements as parts, from which a bound is found before candidates are gathered
_MOST = 160  # candidates, above which comparing all of them with each other costs more than sorting their digits
_BITS = 8  # of a digit
_FEW = 1 << 4  # elements, below which NumPy's steps cost less than a compilation
_COUNTS = {"f32": "i32", "f64": "i64"}  # as wide as the elements


def _ordered(k, x, wanted, largest):
    """Order those elements of a row that can be among the first: as many as are wanted, or more, reach the bound that
    the first ones of parts of the row give, so that the work grows with the length of the row alone.
    """
    before, n, behind = x.shape
    kind = _COUNTS[x.kind]
    size, digits = 1 << _BITS, (32 if kind == "i32" else 64) // _BITS
    last = k.scalar((1 << digits * _BITS - 1) - 1, kind)  # no element has these bits
    one, nil = k.scalar(1, kind), k.scalar(0, kind)
    out = k.output("i64", (before, wanted, behind))
    lanes = (2 * wanted + _LANES - 1) & -_LANES
    row, ranks = k.scratch(kind, (n,)), k.scratch(kind, (n,))
    keys, places = [[k.scratch(of, (n,)) for _ in range(2)] for of in (kind, "i64")]
    counts, lost = k.scratch("i64", (digits * size,)), k.cell(0, kind)
    many, bound = k.cell(0, "i64"), k.cell(last, kind)

    def beneath():
        """Make the first elements of interleaved parts of the row the candidates."""
        for j in k.range(lanes, vectors=True):
            keys[0][j] = row[j]
        for start in k.range(n, lanes, step=lanes):
            for j in k.range(k.where(n - start < lanes, n - start, lanes), vectors=True):
                new, old = row[start + j], keys[0][j]
                keys[0][j] = k.where(new < old, new, old)
        many.set(lanes)

    def gather():
        """Make all elements before the bound the candidates, and as many at the bound as are wanted."""
        many.set(0)
        ties, least = k.cell(0, "i64"), bound.get()
        for start in k.range(n, step=_BLOCK):
            end = k.where(n < start + _BLOCK, n, start + _BLOCK)
            hits = k.cell(0, kind)
            for j in k.range(end, start, vectors=True):
                hits.add(k.where(row[j] <= least, one, nil))
            for _ in k.when(hits.get().differs(0)):
                for j in k.range(end, start):
                    key, at = row[j], many.get()
                    keys[0][at] = key
                    places[0][at] = j
                    tied = key.equals(least)
                    many.set(at + k.where((key < least) | (tied & (ties.get() < wanted)), k.scalar(1, "i64"), 0))
                    ties.add(k.where(tied, k.scalar(1, "i64"), 0))

    def compare():
        """Put each candidate behind all that go before it; of equal ones the earlier goes first."""
        count = many.get()
        for i in k.range(count, vectors=True):
            ranks[i] = 0
        for j in k.range(count):
            mine, here = keys[0][j], k.cast(j, kind)
            for i in k.range(count, vectors=True):
                other = keys[0][i]
                first = (mine < other) | (mine.equals(other) & (here < k.cast(i, kind)))
                ranks[i] = ranks[i] + k.where(first, one, nil)
        for i in k.range(count):
            at = k.cast(ranks[i], "i64")
            keys[1][at] = keys[0][i]
            places[1][at] = places[0][i]
        for i in k.range(count, vectors=True):
            keys[0][i] = keys[1][i]
            places[0][i] = places[1][i]

    def digit(key, d):
        bits = k.run("bitwise_and", key >> d * _BITS, size - 1)
        return d * size + k.cast(k.run("bitwise_xor", bits, size // 2) if d == digits - 1 else bits, "i64")  # the sign

    def sort():
        """Sort the candidates digit by digit, each time in the order of the time before."""
        counts.fill(0)
        for j in k.range(many.get()):
            for d in range(digits):
                counts[digit(keys[0][j], d)] = counts[digit(keys[0][j], d)] + 1
        for d in range(digits):
            old, new, total = d % 2, (d + 1) % 2, k.cell(0, "i64")
            for c in k.range((d + 1) * size, d * size):
                count = counts[c]
                counts[c] = total.get()
                total.set(total.get() + count)
            for j in k.range(many.get()):
                spot = digit(keys[old][j], d)
                at = counts[spot]
                counts[spot] = at + 1
                keys[new][at] = keys[old][j]
                places[new][at] = places[old][j]

    for p in k.range(before):
        for b in k.range(behind):
            for j in k.range(n, vectors=True):
                value = x[p, j, b]
                lost.add(k.where(value.differs(value), one, nil))
                key = k.bits(k.where(value.equals(0), k.scalar(0, x.kind), value))  # -0 is equal to 0
                key = k.run("bitwise_xor", key, k.where(key < 0, last, nil))  # bits in the order of the elements
                row[j] = k.run("bitwise_xor", key, nil - k.cast(largest, kind))
            bound.set(last)
            for turn in k.range(2, k.where(n > lanes * _LONG, k.scalar(0, "i64"), 1)):
                for _ in k.when(turn.equals(0)):
                    beneath()
                for _ in k.when(turn.equals(1)):
                    gather()
                for _ in k.when(many.get() <= _MOST):
                    compare()
                for _ in k.when(many.get() > _MOST):
                    sort()
                bound.set(keys[0][wanted - 1])
            for j in k.range(wanted):
                out[p, j, b] = places[0][j]
    k.refuse(lost.get().differs(0))  # the order of NaN is NumPy's


def _rows(x, k, axis, largest):
    """An array as (before, along the axis, behind); None for what others do."""
    if x.dtype.kind != "f" or not k:
        return None
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], -1), k, int(largest)


def _shaped(out, x, k, axis, largest):
    return shaped(out, (*x.shape[:axis], k, *x.shape[axis + 1 :]))


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
    impl=lambda xp, x, *, k, axis, largest: _places(xp, x, k, axis, largest),
    kernel=Loops(_ordered, _rows, _shaped, _FEW),
    shape=lambda x, k, axis: make_aval((*x.shape[:axis], k, *x.shape[axis + 1 :]), INDEX),
    jvp=ZERO,
    batch=lambda x, k, axis, largest: top_k(x, k, axis + 1, largest),
    samples=_samples,
    absent={"()": "it runs along an axis", "complex": "it orders real numbers"},
)
