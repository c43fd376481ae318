"""Collectives across ranks as primitives: sums, gathers, exchanges.

Reverse mode runs on all ranks at once. A value that is the same on all ranks has one cotangent, one that varies has one
on each: so `rank_sum`, from varying to same, is transposed by `rank_vary`, which goes the other way and moves nothing.
"""

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.ops.reductions import reduce_sum
from ...core.ops.samples import Sample
from ...core.ops.selection import where
from ...core.primitive.families import linear, primitive


class Alone:
    """The group of one rank: what the samples of the checker run on."""

    size, rank, axis, place = 1, 0, "alone", None

    @property
    def origin(self):
        return self

    def __repr__(self):
        return "Alone()"

    def sum(self, x):
        return np.array(x)

    def extreme(self, x, largest):
        return np.array(x)

    def gather(self, x):
        return np.array(x)[None]

    def scatter(self, x):
        return np.array(x[0])

    def exchange(self, x):
        return np.array(x)

    def shift(self, x, perm):
        return np.array(x) if perm else np.zeros_like(x)

    def shifts(self, given):
        return [self.shift(x, perm) for x, perm, _ in given]

    def again(self, avals, perms, places):
        return lambda arrays: self.shifts(zip(arrays, perms, places))


ALONE = Alone()
_NO_SCALAR = {"()": "its operand has an axis of the ranks"}


def _samples(*lead, **params):
    def samples(rng):
        found = [Sample(rng.normal(size=(3, *lead, *s)), params={"group": ALONE, **params}) for s in ((2,), (), (0,))]
        found.append(Sample(rng.normal(size=(3, *lead, 2)).astype(np.float32), params={"group": ALONE, **params}))
        found.append(Sample(rng.normal(size=(3, *lead, 2)) + 1j, params={"group": ALONE, **params}))
        return found

    return samples


rank_vary = linear(
    "rank_vary",  # the same value, as one of which each rank has its own
    impl=lambda xp, x, *, group: x.view() if hasattr(x, "view") else x,
    transpose=lambda ct, group: rank_sum(ct, group),
    shape=lambda x, group: x,
    batch=lambda x, group: rank_vary(x, group),
    effects="collective",
    identity=True,
    shares=True,
    samples=_samples(),
    absent=_NO_SCALAR,
)

rank_sum = linear(
    "rank_sum",  # the sum over ranks, the same on each
    impl=lambda xp, x, *, group: group.sum(x),
    transpose=lambda ct, group: rank_vary(ct, group),
    shape=lambda x, group: x,
    batch=lambda x, group: rank_sum(x, group),
    effects="collective",
    exchanges="sum",
    samples=_samples(),
    absent=_NO_SCALAR,
)

rank_gather = linear(
    "rank_gather",  # the values of all ranks along a new first axis
    impl=lambda xp, x, *, group: group.gather(x),
    transpose=lambda ct, group: rank_scatter(ct, group),
    shape=lambda x, group: make_aval((group.size, *x.shape), x.dtype),
    batch=lambda x, group: rank_gather(x, group).swapaxes(0, 1),
    effects="collective",
    exchanges="gather",
    samples=_samples(),
    absent=_NO_SCALAR,
)

rank_scatter = linear(
    "rank_scatter",  # of the sum over ranks, the slice along the first axis that belongs to this one
    impl=lambda xp, x, *, group: group.scatter(x),
    transpose=lambda ct, group: rank_gather(ct, group),
    shape=lambda x, group: make_aval(x.shape[1:], x.dtype),
    batch=lambda x, group: rank_scatter(x.swapaxes(0, 1), group),
    effects="collective",
    exchanges="scatter",
    samples=_samples(1),
    absent=_NO_SCALAR,
)

rank_exchange = linear(
    "rank_exchange",  # slice j along the first axis goes to rank j, and that of rank j comes to j
    impl=lambda xp, x, *, group: group.exchange(x),
    transpose=lambda ct, group: rank_exchange(ct, group),
    shape=lambda x, group: x,
    batch=lambda x, group: rank_exchange(x.swapaxes(0, 1), group).swapaxes(0, 1),
    effects="collective",
    exchanges="exchange",
    samples=_samples(1),
    absent=_NO_SCALAR,
)

rank_shift = linear(
    "rank_shift",  # from rank to rank, by pairs (source, destination); zeros where nothing arrives
    impl=lambda xp, x, *, group, perm: group.shift(x, perm),
    transpose=lambda ct, group, perm: rank_shift(ct, group, tuple([(b, a) for a, b in perm])),
    shape=lambda x, group, perm: x,
    batch=lambda x, group, perm: rank_shift(x, group, perm),
    effects="collective",
    exchanges="shift",
    samples=_samples(perm=((0, 0),)),
    absent=_NO_SCALAR,
)



def _winners(x, ans, dtype, group):
    """A mask of the places where x is the extreme, and their number over all ranks."""
    won = x == ans
    return won, rank_sum(reduce_sum(won.astype(dtype), (0,), False), group)


def _extreme_pushed(dx, x, ans, group):
    won, count = _winners(x, ans, dx.dtype, group)
    return rank_sum(reduce_sum(where(won, dx, dx * 0), (0,), False), group) / count


def _extreme_pulled(ct, x, ans, group):
    won, count = _winners(x, ans, ct.dtype, group)
    share = rank_vary(ct / count, group)
    return where(won, share, share * 0)


rank_extreme = primitive(
    "rank_extreme",  # the maximum or minimum over the first axis and over ranks; the derivative is split at ties
    impl=lambda xp, x, *, group, largest: group.extreme(x.max(axis=0) if largest else x.min(axis=0), largest),
    jvp={"x": _extreme_pushed},
    vjp={"x": _extreme_pulled},
    shape=lambda x, group, largest: make_aval(x.shape[1:], x.dtype),
    batch=lambda x, group, largest: rank_extreme(x.swapaxes(0, 1), group, largest),
    effects="collective",
    samples=lambda rng: [Sample(rng.normal(size=(3, 2, *s)).astype(dtype), params={"group": ALONE, "largest": largest})
                         for s in ((2,), (), (0,)) for largest in (True, False) for dtype in (np.float64, np.float32)],
    absent={**_NO_SCALAR, "complex": "complex values have no order"},
)
