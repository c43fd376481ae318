"""Extremes and their places: scattered by an index, and running along an axis."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.axes import all_within
from ...arrays.dtypes import result_dtype
from ...arrays.sums import shaped
from ...errors import at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops, stripes
from ...trace.device import constant, zeros_of
from ..dependence import lines
from ..samples import Sample
from ..selection import maximum, minimum, where
from ..shaping import broadcast_to
from .indexing import scatter_add, take
from .scattered_products import elements, flat_places, given_elements, scattered_shape, wholes
from .sorting import INDEX

# Scatter-max and scatter-min: reduce the elements written to each index together with what is there.

ndarray = np.ndarray


def _signed(k, x, largest):
    return k.where(k.scalar(largest, "i64").equals(1), k.scalar(1, x.kind), k.scalar(-1, x.kind))


def _extremes(k, x, src, index, fresh, largest):
    each = elements(k, x, src, index)
    shape = tuple(x.shape)
    out, sign = k.output(x.kind, shape), _signed(k, x, largest)
    begun = k.scratch("i64", shape)
    count = shape[0] * shape[1] * shape[2]
    old, new, at_first = x.shaped(count), out.shaped(count), begun.shaped(count)
    for i in k.range(count, vectors=True):
        new[i] = old[i]
        at_first[i] = 1 - fresh
    for here, at in each():
        v = src[here]
        other = v * sign > out[at] * sign
        out[at] = k.where(begun[at].equals(0) | other | v.differs(v), v, out[at])  # NaN stays: nothing is above it
        begun[at] = 1


def _pulled(k, ct, x, src, index, ans, fresh):
    """Equal shares of each cotangent for all that attain the extreme, as NaN does, too."""
    each = elements(k, x, src, index)
    shape = tuple(x.shape)
    k.require(*[v.shape[a].equals(x.shape[a]) for v in (ct, ans) for a in range(3)])
    to_x, to_src = (k.output(x.kind, tuple(v.shape)) for v in (x, src))
    counts, hit = k.scratch(x.kind, shape), k.scratch(x.kind, shape)
    size = shape[0] * shape[1] * shape[2]
    one, nil = k.scalar(1, x.kind), k.scalar(0, x.kind)
    flat_x, flat_ans, flat_ct, flat_to, flat_counts, flat_hit = (
        v.shaped(size) for v in (x, ans, ct, to_x, counts, hit))

    def attains(v, best):
        return v.equals(best) | v.differs(v)

    hit.fill(0)
    for _ in k.when(k.scalar(fresh, "i64").differs(0)):
        for _, at in each():
            hit[at] = 1
    for i in k.range(size, vectors=True):
        flat_counts[i] = k.where(attains(flat_x[i], flat_ans[i]) & flat_hit[i].equals(0), one, nil)
        flat_to[i] = flat_counts[i]
    for here, at in each():
        counts[at] = counts[at] + k.where(attains(src[here], ans[at]), one, nil)
    for i in k.range(size, vectors=True):
        flat_counts[i] = flat_ct[i] / k.maximum(flat_counts[i], one)
        flat_to[i] = k.where(flat_to[i].equals(0), nil, flat_counts[i])
    for here, at in each():
        to_src[here] = k.where(attains(src[here], ans[at]), counts[at], nil)


def _given(x, src, index, axis, fresh, largest):
    """Arrays of floats as (before, along the axis, behind); None for what NumPy does."""
    found = given_elements(x, src, index, axis, fresh)
    return (*found, largest + 0) if found and x.dtype.kind == "f" else None


def _given_back(ct, x, src, index, ans, axis, fresh):
    found = given_elements(x, src, index, axis, fresh)
    if not found or x.dtype.kind != "f" or not all(type(v) is ndarray and v.dtype == x.dtype for v in (ct, ans)):
        return None
    shape = found[0].shape
    return (ct.reshape(shape), *found[:3], ans.reshape(shape), found[3])


_PULLED = Loops(_pulled, _given_back).runner("scattered_extreme, back")


def _steps(xp, x, src, index, axis, fresh, largest):
    dtype, n = result_dtype(x, src), x.shape[axis]
    if not all_within(index, 0, n):
        raise IndexError(f"an index is out of bounds for an axis of {n} elements; use 0 to {n - 1}{at_user_line()}")
    if xp is not np:
        fold, wide = maximum if largest else minimum, np.dtype(np.int64) if dtype.kind == "b" else dtype
        x, src = x.astype(wide), src.astype(wide)
        hit, whole = wholes(x, src, index, axis, fold)
        return xp.where(hit, whole if fresh else fold(x, whole), x).astype(dtype)
    out, places = x.astype(dtype).reshape(-1), flat_places(index, x.shape, axis)
    if fresh:
        out[places] = _lowest(dtype, largest)
    with np.errstate(invalid="ignore"):  # NaN is an element like others
        (np.maximum if largest else np.minimum).at(out, places, src.reshape(-1).astype(dtype))
    return out.reshape(x.shape)


def _lowest(dtype, largest):
    """The identity of a maximum (`largest`) or a minimum over a dtype."""
    if dtype.kind == "b":
        return not largest
    if dtype.kind in "iu":
        return (np.iinfo(dtype).min if largest else np.iinfo(dtype).max)
    return -np.inf if largest else np.inf


def _attained(x, src, index, ans, axis, fresh):
    """`(mine, theirs, count, places)`: what attains the extremes, as NaN does, how many do, and the flat places."""
    places, size = flat_places(index, x.shape, axis), prod(x.shape)
    mine = (x == ans) | (x != x)
    theirs = (src == take(ans.reshape((-1,)), places, 0).reshape(src.shape)) | (src != src)

    def landed(flags):
        return scatter_add(flags.reshape((-1,)), places, 0, size).reshape(x.shape)

    if fresh:
        mine = mine & (landed(constant(np.ones(src.shape, np.int64), index)) == 0)
    count = mine.astype(x.dtype) + landed(theirs.astype(x.dtype))
    return mine, theirs, where(count > 1, count, constant(np.ones((), x.dtype), x)), places


def _jvp(tangents, x, src, index, ans, axis, fresh):
    mine, theirs, count, places = _attained(x, src, index, ans, axis, fresh)
    dx, dsrc = tangents
    total = None if dx is None else where(mine, dx, 0.0 * count)
    if dsrc is not None:
        part = where(theirs, dsrc, constant(np.zeros((), x.dtype), dsrc)).reshape((-1,))
        part = scatter_add(part, places, 0, prod(x.shape)).reshape(x.shape)
        total = part if total is None else total + part
    return total / count


def _vjp(ct, x, src, index, ans, axis, fresh):
    out = _PULLED(ct, x, src, index, ans, axis, fresh)
    if out is not None:
        return shaped(out[0], x.shape), shaped(out[1], src.shape)
    mine, theirs, count, places = _attained(x, src, index, ans, axis, fresh)
    share, zero = ct / count, constant(np.zeros((), x.dtype), ct)
    part = take(share.reshape((-1,)), places, 0).reshape(src.shape)
    return where(mine, share, zero), where(theirs, part, zero)


def _batch(x, src, index, axis, fresh, largest, batched, size):
    x, src, index = [v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, src, index), batched)]
    return scattered_extreme(x, src, index, axis + 1, fresh, largest)


def _samples(rng):
    out = []
    for shape, axis, m in (((3,), 0, 5), ((2, 4, 2), 1, 3), ((2, 3), 1, 0), ((0, 2), 1, 2), ((1, 3), 0, 2)):
        size = (*shape[:axis], m, *shape[axis + 1 :])
        index = rng.integers(0, max(shape[axis] - 1, 1), size)
        for t in ("f8", "f4"):
            x, src = [rng.normal(size=s).astype(t) for s in (shape, size)]
            out += [Sample(x, src, index, params={"axis": axis, "fresh": fresh, "largest": up})
                    for fresh in (False, True) for up in (False, True)]
    return out


scattered_extreme = primitive(
    "scattered_extreme",  # x: (*a, n, *b), src and its places on the axis of n, index: (*a, m, *b) -> (*a, n, *b)
    # fresh: where something lands, without x; what attains the extreme shares the gradient
    impl=lambda xp, x, src, index, *, axis, fresh, largest: _steps(xp, x, src, index, axis, fresh, largest),
    kernel=Loops(_extremes, _given, lambda out, x, *_: shaped(out, x.shape)),
    shape=lambda x, src, index, axis: scattered_shape(x, src, index, axis, "scattered_extreme"),
    jvp={"x, src": _jvp},
    vjp={"x, src": _vjp},
    nondiff="index",
    batch=_batch,
    zeros=True,
    samples=_samples,
    absent={"()": "places lie on an axis", "broadcast": "elements are named by their places",
            "complex": "it orders real numbers"},
)


# Cumulative maximum and minimum along an axis, and their indices.

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


def _running_given(x, axis, largest):
    """An array as (before, along the axis, behind); None for what NumPy does."""
    if x.dtype.kind != "f" or not x.size:
        return None
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], -1), int(largest)


def _running_steps(xp, x, axis, largest):
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


def _running_pulled(ct, ans, axis):
    flat = scatter_add(ct[0].reshape((-1,)), _in_flat(ans[1], axis), 0, prod(ans[1].shape))
    return flat.reshape(ans[1].shape)


running_extreme = primitive(
    "running_extreme",  # (values, places) of the extreme so far along `axis` >= 0: of equal ones the last; NaN wins
    impl=lambda xp, x, *, axis, largest: _running_steps(xp, x, axis, largest),
    kernel=Loops(_running, _running_given, lambda out, x, *_: tuple([shaped(v, x.shape) for v in out]), _FEW),
    shape=lambda x: (x, make_aval(x.shape, INDEX)),
    outputs=2,
    jvp={"x": _pushed},
    vjp={"x": _running_pulled},
    batch=lambda x, axis, largest: running_extreme(x, axis + 1, largest),
    depends=lambda x, axis: lines(x, (axis,)),
    samples=lambda rng: [Sample(rng.permutation(prod(s)).reshape(s).astype(t), params={"axis": a, "largest": up})
                         for s, a in (((7,), 0), ((3, 30), 1), ((5, 3), 0), ((17, 5), 1), ((2, 9, 4), 1), ((0, 3), 1))
                         for t in ("f8", "f4") for up in (True, False)],
    absent={"()": "it runs along an axis", "complex": "it orders real numbers"},
)
