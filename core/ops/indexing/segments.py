"""Where the largest element of each segment of rows lies, column by column."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import shaped
from ...primitive.families import ZERO, primitive
from ...primitive.loop_kernels import Loops
from ...trace.device import constant
from ..samples import Sample
from ..selection import where
from ..shaping import broadcast_to

_LEAST = 1 << 9  # elements, below which NumPy's steps cost less than a compilation


def _scanned(k, x, ids, n):
    n = k.scalar(n, "i64")
    m, width = x.shape
    k.require(ids.shape[0].equals(m), n >= 0)
    out, best = k.output("i64", (n, width)), k.scratch(x.kind, (n, width))
    out.fill(-1)
    best.fill(0)
    for i in k.range(m):
        at = k.cast(ids[i], "i64")
        k.refuse((at < 0) | (at >= n))
        for j in k.range(width, vectors=True):
            new, old, place = x[i, j], best[at, j], out[at, j]
            hit = (place < 0) | (new > old) | (new.differs(new) & old.equals(old))
            best[at, j] = k.where(hit, new, old)
            out[at, j] = k.where(hit, i, place)


def _given(x, ids, n):
    if x.dtype.kind != "f" or type(ids) is not np.ndarray:
        return None
    return x.reshape(len(ids), -1), ids, n


def _places(xp, x, ids, n):
    """The row of the highest rank of each segment; of equal elements the first has the highest."""
    if not x.size:
        return xp.full((n, *x.shape[1:]), -1)
    m = len(x)
    rows = x.reshape((m, -1))
    order = m - 1 - xp.argsort(rows[::-1], axis=0, kind="stable")
    columns = xp.arange(rows.shape[1])
    rank = xp.full(n * len(columns), -1)
    xp.maximum.at(rank, (ids[order] * len(columns) + columns).ravel(), xp.arange(rows.size) // len(columns))
    rank = rank.reshape((n, -1))
    return xp.where(rank < 0, -1, order[rank, columns]).reshape((n, *x.shape[1:]))


def _batch(x, ids, n, batched, size):
    """All examples in one: the segments of each behind those of the one before."""
    x = x if batched[0] else broadcast_to(x, (size, *x.shape))
    ids = ids if batched[1] else broadcast_to(ids, (size, *ids.shape))
    m, rest = x.shape[1], x.shape[2:]
    start = np.arange(size).reshape((size, 1))
    ids = (ids + constant(start * n, ids)).reshape((size * m,))
    found = largest_rows(x.reshape((size * m, *rest)), ids, size * n).reshape((size, n, *rest))
    return where(found < 0, -1, found - constant((start * m).reshape((size,) + (1,) * (len(rest) + 1)), x))


def _samples(rng):
    out = []
    for shape, ids, n in (((5, 2), [0, 0, 2, 2, 2], 4), ((4,), [1, 0, 1, 0], 2), ((3, 2, 2), [0, 0, 0], 1),
                          ((0, 2), [], 3), ((2, 0), [0, 1], 2)):
        x = rng.permutation(int(np.prod(shape))).reshape(shape) / 2.0
        out += [Sample(x, np.array(ids, int), params={"n": n}), Sample(x.astype("f4"), np.array(ids, int),
                                                                       params={"n": n})]
    return [*out, Sample(np.array([1.0, 3.0, 3.0, np.nan, np.nan]), np.array([0, 0, 0, 1, 1]), params={"n": 2})]


largest_rows = primitive(
    "largest_rows",  # x: (m, *b), ids: (m,), below n -> (n, *b): the row with the largest element of each segment
    # the first of equal ones, or the first NaN; -1 where a segment has no rows
    impl=lambda xp, x, ids, *, n: _places(xp, x, ids, n),
    kernel=Loops(_scanned, _given, lambda out, x, ids, n: shaped(out, (n, *x.shape[1:])), _LEAST),
    shape=lambda x, n: make_aval((n, *x.shape[1:]), np.dtype(np.int64)),
    jvp=ZERO,
    nondiff="ids",
    batch=_batch,
    samples=_samples,
    absent={"complex": "the order it needs is that of real numbers", "()": "it needs an axis"},
)
