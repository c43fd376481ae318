"""Cumulative maximum and minimum along an axis, and their indices."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.sums import shaped
from ...primitive.families import primitive
from ...primitive.loop_kernels import Loops, stripes
from ...trace.device import constant, zeros_of
from ..dependence import lines
from ..samples import Sample
from .indexing import scatter_add, take
from .searching import INDEX

_FEW = 1 << 6  # elements, below which NumPy's steps cost less than a compilation


def _running(k, x, largest):
    """The last of equals; NaN, from the first one on."""
    before, n, behind = x.shape
    values, places = k.output(x.kind, (before, n, behind)), k.output("i64", (before, n, behind))
    sign = k.where(k.scalar(largest, "i64").equals(1), k.scalar(1, x.kind), k.scalar(-1, x.kind))

    for _ in k.when(behind.equals(1)):
        for rows in stripes(k, before):
            state = [(k.cell(x[i, 0, 0] * sign, x.kind), k.cell(0, "i64")) for i in rows]
            for j in k.range(n):
                for i, (best, place) in zip(rows, state):
                    v, old = x[i, j, 0] * sign, best.get()
                    new = (v >= old) | v.differs(v)
                    best.set(k.where(new, v, old))
                    place.set(k.where(new, j, place.get()))
                    values[i, j, 0] = best.get() * sign
                    places[i, j, 0] = place.get()
    for _ in k.when(behind.differs(1)):
        for i in k.range(before):
            for b in k.range(behind, vectors=True):
                values[i, 0, b] = x[i, 0, b]
                places[i, 0, b] = 0
            for j in k.range(n, 1):
                for b in k.range(behind, vectors=True):
                    v, best = x[i, j, b], values[i, j - 1, b]
                    new = (v * sign >= best * sign) | v.differs(v)
                    values[i, j, b] = k.where(new, v, best)
                    places[i, j, b] = k.where(new, j, places[i, j - 1, b])


def _given(x, axis, largest):
    """An array as (before, along the axis, behind); None for what NumPy does."""
    if x.dtype.kind != "f" or not x.size:
        return None
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], -1), int(largest)


def _steps(xp, x, axis, largest):
    if xp is not np:
        return _doubled(xp, x, axis, largest)
    best = (xp.maximum if largest else xp.minimum).accumulate(x, axis)  # NaN from the first one on, nothing equals it
    place = xp.arange(x.shape[axis]).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
    places = xp.maximum.accumulate(xp.where((x == best) | (x != x), place, 0), axis)
    return xp.take_along_axis(x, places, axis), places


def _doubled(xp, x, axis, largest):
    """In log2(n) steps: Hillis & Steele (1986), Data parallel algorithms."""
    lead, step = (slice(None),) * axis, 1
    values, places = x, xp.broadcast_to(xp.arange(x.shape[axis]).reshape(
        [-1 if a == axis else 1 for a in range(x.ndim)]), x.shape)
    while step < x.shape[axis]:
        before, here = (*lead, slice(0, -step)), (*lead, slice(step, None))
        old, new = values[before], values[here]
        takes = ((new >= old) if largest else (new <= old)) | (new != new)
        values, places = (xp.concatenate([v[(*lead, slice(0, step))], xp.where(takes, v[here], v[before])], axis)
                          for v in (values, places))
        step *= 2
    return values, places


def _in_flat(places, axis):
    """Places along an axis as those in the flat array."""
    lead, n, behind = places.shape[:axis], places.shape[axis], places.shape[axis + 1 :]
    step = prod(behind)
    start = (np.arange(prod(lead)) * n * step)[:, None] + np.arange(step)
    places = places if step == 1 else places * step
    return (places + constant(start.reshape((*lead, 1, *behind)), places)).reshape((-1,))


def _pushed(dx, ans, axis):
    moved = take(dx.reshape((-1,)), _in_flat(ans[1], axis), axis=0).reshape(ans[1].shape)
    return moved, zeros_of(make_aval(ans[1].shape, np.dtype(np.float64)), dx)


def _pulled(ct, ans, axis):
    flat = scatter_add(ct[0].reshape((-1,)), _in_flat(ans[1], axis), 0, prod(ans[1].shape))
    return flat.reshape(ans[1].shape)


running_extreme = primitive(
    "running_extreme",  # (values, places) of the extreme so far along `axis` >= 0: of equal ones the last; NaN wins
    impl=lambda xp, x, *, axis, largest: _steps(xp, x, axis, largest),
    kernel=Loops(_running, _given, lambda out, x, *_: tuple([shaped(v, x.shape) for v in out]), _FEW),
    shape=lambda x: (x, make_aval(x.shape, INDEX)),
    outputs=2,
    jvp={"x": _pushed},
    vjp={"x": _pulled},
    batch=lambda x, axis, largest: running_extreme(x, axis + 1, largest),
    depends=lambda x, axis: lines(x, (axis,)),
    samples=lambda rng: [Sample(rng.permutation(prod(s)).reshape(s).astype(t), params={"axis": a, "largest": up})
                         for s, a in (((7,), 0), ((3, 30), 1), ((5, 3), 0), ((17, 5), 1), ((2, 9, 4), 1), ((0, 3), 1))
                         for t in ("f8", "f4") for up in (True, False)],
    absent={"()": "it runs along an axis", "complex": "it orders real numbers"},
)
