"""Scatter-max and scatter-min: reduce the elements written to each index together with what is there."""

from math import prod

import numpy as np

from ...arrays.bounds import all_within
from ...arrays.dtypes import result_dtype
from ...arrays.sums import shaped
from ...errors import at_user_line
from ...primitive.families import primitive
from ...primitive.loop_kernels import Loops
from ...trace.device import constant
from ..samples import Sample
from ..selection import maximum, minimum, where
from ..shaping import broadcast_to
from .indexing import scatter_add, take
from .scattered_products import elements, flat_places, given_elements, scattered_shape, wholes

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
