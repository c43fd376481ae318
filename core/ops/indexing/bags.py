"""Bags of table rows (embedding bags): the bag of each row, sums and maxima over bags.

The places of rows and the numbers of bags are side by side, one of each for every row that is looked up; where one of
the two is negative, nothing is.
"""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.axes import all_within
from ...primitive.families import ZERO, linear, primitive
from ...primitive.kernels import Loops
from ...trace.device import constant
from ..samples import Sample
from ..selection import where
from ..shaping import broadcast_to
from .indexing import scatter_add
from .row_sums import scattered_sums

ndarray = np.ndarray
_INTEGERS = np.dtype(np.int64)


def _numbered(k, places, starts, bags, padding):
    bags, padding, m = k.scalar(bags, "i64"), k.scalar(padding, "i64"), places.shape[0]
    k.require(bags >= 0)
    numbers, sizes = k.output("i64", (m,)), k.output("i64", (bags,))
    begun = k.scratch("i64", (m + 1,))
    for made in (begun, sizes):
        made.fill(0)
    for i in k.range(starts.shape[0]):
        at = k.cast(starts[i], "i64")
        k.refuse(k.is_place(at, m + 1).equals(False))
        begun[at] = begun[at] + 1
    last = k.cell(-1, "i64")
    for i in k.range(m):
        last.set(last.get() + begun[i])
        number = last.get()
        number = k.where((number < bags) & k.cast(places[i], "i64").differs(padding), number, -1)
        numbers[i] = number
        for _ in k.when(number >= 0):
            sizes[number] = sizes[number] + 1


def _given_starts(places, starts, bags, padding):
    plain = type(places) is type(starts) is ndarray and places.dtype.kind == starts.dtype.kind == "i"
    return (places, starts, bags, padding) if plain else None


def _numbers(xp, places, starts, bags, padding):
    m = places.shape[0]
    if not all_within(starts, 0, m + 1):
        raise IndexError(f"a bag starts out of bounds for {m} rows; start it at 0 to {m}")
    numbers = xp.cumsum(xp.bincount(starts, minlength=m + 1))[:-1] - 1
    numbers = xp.where((numbers < bags) & (places != padding), numbers, -1)
    return numbers, xp.bincount(numbers + 1, minlength=bags + 1)[1:]


def _numbers_batch(places, starts, bags, padding, batched, size):
    """All examples one after the other; the rows of each that are in none of its bags come out in one of their own."""
    places, starts = (v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((places, starts), batched))
    m, count = places.shape[1], starts.shape[1]
    start = np.arange(size).reshape((size, 1))
    everywhere = (starts + constant(start * m, starts)).reshape((size * count,))
    numbers, _ = bag_numbers(places.reshape((size * m,)), everywhere, size * count, padding)
    numbers = numbers.reshape((size, m)) - constant(start * count, numbers)
    numbers = where((numbers < 0) | (numbers >= bags), -1, numbers)
    ids = where(numbers < 0, size * bags, numbers + constant(start * bags, numbers)).reshape((size * m,))
    ones = constant(np.ones(size * m, np.int64), ids)
    return numbers, scatter_add(ones, ids, 0, size * bags + 1)[:-1].reshape((size, bags))


def _numbers_samples(rng):
    return [Sample(rng.integers(0, 3, m), np.array(starts, int), params={"bags": bags, "padding": padding})
            for m, starts, bags in ((6, [0, 2, 2, 5], 4), (6, [0, 2, 4], 2), (0, [0, 0], 2), (2, [], 0), (2, [0, 2], 2))
            for padding in (-1, 1)]


bag_numbers = primitive(
    "bag_numbers",  # places: (m,), starts: (k,) of bags, in order -> (m,), (bags,): bags of rows, and how many each has
    # -1 for rows whose place is `padding`, that are before the first bag, or in one of those behind the first `bags`
    impl=lambda xp, places, starts, *, bags, padding: _numbers(xp, places, starts, bags, padding),
    kernel=Loops(_numbered, _given_starts, lambda out, *_: tuple(out)),
    shape=lambda places, bags: (make_aval(places.shape, _INTEGERS), make_aval((bags,), _INTEGERS)),
    outputs=2,
    jvp=ZERO,
    batch=_numbers_batch,
    samples=_numbers_samples,
    absent={"complex": "places are integers", "()": "rows are in a row", "broadcast": "bags start at places"},
)


def _pairs(k, x, places, ids, n):
    """`for row, at in …`: the rows that are looked up, and where they belong."""
    for i in k.range(places.shape[0]):
        row, at = k.cast(places[i], "i64"), k.cast(ids[i], "i64")
        k.refuse((row >= x.shape[0]) | (at >= n))
        for _ in k.when((row >= 0) & (at >= 0)):
            yield row, at


def _summed(k, x, places, ids, n):
    n, width = k.scalar(n, "i64"), x.shape[1]
    k.require(n >= 0, places.shape[0].equals(ids.shape[0]))
    out = k.output(x.kind, (n, width))
    out.fill(0)
    for row, at in _pairs(k, x, places, ids, n):
        for j in k.range(width, vectors=True):
            out[at, j] = out[at, j] + x[row, j]
    lost, flat = k.cell(0, x.kind), out.shaped(n * width)  # NaN where something is not finite, which NumPy may warn of
    for j in k.range(n * width, vectors=True):
        lost.add(flat[j] - flat[j])
    k.refuse(lost.get().differs(0))


def _largest(k, x, places, ids, n):
    n, width = k.scalar(n, "i64"), x.shape[1]
    k.require(n >= 0, places.shape[0].equals(ids.shape[0]))
    out, best = k.output("i64", (n, width)), k.scratch(x.kind, (n, width))
    out.fill(-1)
    best.fill(0)
    for row, at in _pairs(k, x, places, ids, n):
        for j in k.range(width, vectors=True):
            new, old, place = x[row, j], best[at, j], out[at, j]
            hit = (place < 0) | (new > old) | (new.differs(new) & old.equals(old))
            best[at, j] = k.where(hit, new, old)
            out[at, j] = k.where(hit, row, place)


def _given(x, places, ids, n):
    plain = x.dtype.kind == "f" and type(places) is type(ids) is ndarray and places.dtype.kind == ids.dtype.kind == "i"
    return (x, places, ids, n) if plain else None


def _known(places, ids):
    kept = (places >= 0) & (ids >= 0)
    return (places, ids) if kept.all() else (places[kept], ids[kept])


def _sums(xp, x, places, ids, n):
    places, ids = _known(places, ids)
    return scattered_sums(xp, xp.take(x, places, axis=0), ids, 0, n)


def _tops(xp, x, places, ids, n):
    """The row of the highest rank of each bag; of equal elements the first has the highest."""
    places, ids = _known(places, ids)
    rows = xp.take(x, places, axis=0)
    m, width = rows.shape
    if not rows.size:
        return xp.full((n, width), -1)
    order = m - 1 - xp.argsort(rows[::-1], axis=0, kind="stable")
    columns = xp.arange(width)
    rank = xp.full(n * width, -1)
    xp.maximum.at(rank, (ids[order] * width + columns).ravel(), xp.arange(rows.size) // width)
    rank = rank.reshape((n, width))
    return xp.where(rank < 0, -1, places[order[rank, columns]])


def _batch(fun, x, places, ids, n, batched, size):
    """All examples in one: the rows and the bags of each behind those of the one before."""
    x, places, ids = (v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, places, ids), batched))
    count, width = x.shape[1:]
    start = np.arange(size).reshape((size, 1))
    places, ids = (where(v < 0, -1, v + constant(start * step, v)).reshape((size * v.shape[1],))
                   for v, step in ((places, count), (ids, n)))
    return fun(x.reshape((size * count, width)), places, ids, size * n).reshape((size, n, width))


def _tops_batch(x, places, ids, n, batched, size):
    found = _batch(largest_gathered, x, places, ids, n, batched, size)
    start = np.arange(size).reshape((size, 1, 1)) * x.shape[-2]
    return where(found < 0, -1, found - constant(start, found))


def _samples(rng):
    out = []
    for count, width, places, ids, n in ((5, 2, [4, 0, 2, 2, 1], [0, 0, 2, 2, 0], 4), (3, 1, [1, -1, 1], [1, 0, -1], 2),
                                         (3, 2, [], [], 3), (2, 0, [0, 1], [0, 1], 2), (0, 2, [], [], 0)):
        x = rng.permutation(count * width).reshape((count, width)) / 2.0
        out += [Sample(x.astype(t), np.array(places, int), np.array(ids, int), params={"n": n}) for t in ("f8", "f4")]
    return out


_ABSENT = {"()": "it looks up rows", "broadcast": "rows are named by their places"}
gathered_sums = linear(
    "gathered_sums",  # x: (rows, d), places, ids: (m,) -> (n, d): the sum of x[places] for each of n numbers in ids
    impl=lambda xp, x, places, ids, *, n: _sums(xp, x, places, ids, n),
    kernel=Loops(_summed, _given),
    transpose=lambda ct, x_aval, places, ids: gathered_sums(ct, ids, places, x_aval.shape[0]),
    shape=lambda x, n: make_aval((n, x.shape[1]), x.dtype),
    batch=lambda x, places, ids, n, batched, size: _batch(gathered_sums, x, places, ids, n, batched, size),
    zeros=True,
    samples=lambda rng: [*_samples(rng), Sample(rng.normal(size=(2, 2)) + 1j, np.array([0, 1, 1]), np.array([0, 0, 1]),
                                                params={"n": 2})],
    absent=_ABSENT,
)
largest_gathered = primitive(
    "largest_gathered",  # x: (rows, d), places, ids: (m,) -> (n, d): the row with the largest of those elements
    # the first of equal ones, or the first NaN; -1 where there is none
    impl=lambda xp, x, places, ids, *, n: _tops(xp, x, places, ids, n),
    kernel=Loops(_largest, _given),
    shape=lambda x, n: make_aval((n, x.shape[1]), _INTEGERS),
    jvp=ZERO,
    nondiff="places, ids",
    batch=_tops_batch,
    samples=lambda rng: [*_samples(rng), Sample(np.array([[1.0], [3.0], [3.0], [np.nan]]), np.array([0, 1, 2, 3, 3]),
                                                np.array([0, 0, 0, 1, 1]), params={"n": 2})],
    absent={**_ABSENT, "complex": "the order it needs is that of real numbers"},
)
