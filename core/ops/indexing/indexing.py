"""Indexing in every NumPy form, and its transposes: basic indices are parameters, index arrays are operands."""

import numpy as np

from ...arrays.avals import aval_of, make_aval
from ...arrays.axes import all_within
from ...arrays.dtypes import result_dtype
from ...errors import ShapeError, at_user_line
from ...primitive.call_lanes import reading_lane, write_lane
from ...primitive.families import ZERO, linear, primitive
from ...tape.scatter import Scatter
from ...tape.unbroadcast import fix
from ...trace.buffers import Buffer, make_buffer
from ...trace.device import constant, zeros_of
from ...trace.shared_memory import Step, tied
from ...trace.tracer import Rev, Tracer, is_concrete
from ..dependence import MOVED, scattered, taken
from ..samples import Sample, arrays, together
from ..selection import array_beside, maximum, where
from ..shaping import broadcast_to, inverse_permutation, reshape, transpose
from .places import Places, pick
from .plans import any_place, counted, indexed_shape, is_basic, names_part, plan_index
from .row_sums import ADDED, scattered_sums

ndarray = np.ndarray


def _behind_batch(index):
    return (slice(None), *index) if type(index) is tuple else (slice(None), index)


getitem = linear(
    "getitem",  # index: ints, slices, None, Ellipsis, or a tuple of them
    impl=lambda xp, x, *, index: x[index],
    transpose=lambda ct, x_aval, index: Scatter(x_aval, index, ct),
    lane=reading_lane,
    shape=indexed_shape,
    batch_params=lambda index: (_behind_batch(index),),
    unview=lambda x, part, index: index_update(x, part, index, False, False),
    rearranges=True,
    written="{x}[{index}]",
    view=lambda index: index is Ellipsis or type(index) is tuple and Ellipsis in index,  # else one element is a scalar
    zeros="back",
    exact=True,
    moves=True,
    depends=MOVED,
    samples=together(
        arrays((3, 4), index=1),
        arrays((3, 4), index=(slice(None), 2)),
        arrays((3, 4), index=(slice(2, None, -1), None, slice(0, 4, 2))),
        arrays((2, 3, 2), index=(Ellipsis, 0)),
        arrays((3,), index=slice(1, 1)),
        arrays((), index=()),
        arrays((3,), index=-1),
    ),
)


def _update(xp, x, v, index, add, donate):
    dtype = x.dtype
    if type(v) is not float and getattr(v, "dtype", None) is not dtype or dtype.kind not in "fc":
        dtype = xp.result_type(x, v)
    if index is Ellipsis and not add and not donate and np.shape(v) == x.shape and x.ndim:
        return xp.array(v, dtype=dtype)  # nothing is left of x
    if not (donate and dtype == x.dtype):
        x = xp.array(x, dtype=dtype)
    if add:
        x[index] += v
    else:
        x[index] = v
    return x


def _update_vjp(ct, x_aval, v_aval, index, add):
    if add:
        return ct, _as(ct, index, v_aval)
    # The cotangent of x is `ct` with a hole where v was written: taken out of a buffer of ours, so n writes cost
    # O(n).
    if type(ct) is not Scatter:
        ct = Scatter.of(x_aval if ct.dtype == x_aval.dtype else aval_of(ct), ct)  # a write may widen the dtype
    part = ct.take_out(index)
    return ct, part if part.shape == v_aval.shape and part.dtype is v_aval.dtype else fix(part, v_aval)


def _as(ct, index, v_aval):
    return fix(ct.part(index) if type(ct) is Scatter else ct[index], v_aval)


def _update_jvp(tangents, x_aval, index, add):
    dx, dv = tangents
    dx = zeros_of(x_aval, dv) if dx is None else dx
    if dv is None:
        return dx if add else index_update(dx, 0.0, index, False, False)
    return index_update(dx, dv, index, add, False)


def _update_shape(x, v, index):
    """The aval of `x`, after a look that `v` fits in the part; ones in front of its shape do not count."""
    part, shape = indexed_shape(x, index).shape, v.shape
    if not part and set(shape) == {1} and ... not in (index if type(index) is tuple else (index,)):
        raise ShapeError(f"an array of shape {shape} was written into one element of an array of shape {x.shape}; "
                         f"write a number, for example v.reshape(()), or a slice{at_user_line()}")
    if len(shape) > len(part) and all(n == 1 for n in shape[: len(shape) - len(part)]):
        shape = shape[len(shape) - len(part) :]
    if len(shape) > len(part) or any(n not in (1, m) for n, m in zip(shape[::-1], part[::-1])):
        raise ShapeError(f"a value of shape {v.shape} was written into a part of shape {part} of an array of shape "
                         f"{x.shape}, to which it does not broadcast; reshape the value, or write to another part"
                         f"{at_user_line()}")
    return make_aval(x.shape, result_dtype(x, v))


def _update_batch(x, v, index, add, donate, batched, size):
    one = [make_aval(tuple(aval.shape[1:]), aval.dtype) if b else aval
           for aval, b in zip((aval_of(x), aval_of(v)), batched)]
    _update_shape(*one, index)
    if not batched[0]:
        x = broadcast_to(x, shape=(size, *x.shape))
        donate = False
    if batched[1]:
        rank = indexed_shape(make_aval(tuple(x.shape[1:]), x.dtype), index).ndim
        if v.ndim - 1 < rank:
            v = v.reshape((size,) + (1,) * (rank - v.ndim + 1) + tuple(v.shape[1:]))
        elif v.ndim - 1 > rank:
            v = v.reshape((size, *v.shape[v.ndim - rank :]))
    elif one[1].ndim:
        rank = indexed_shape(one[0], index).ndim
        v = v if v.ndim <= rank else v.reshape(v.shape[v.ndim - rank :])
    return index_update(x, v, _behind_batch(index), add, donate)


index_update = primitive(
    "index_update",  # x with x[index] = v, or += v; index as for getitem; donate: nobody else holds x, write in place
    impl=lambda xp, x, v, *, index, add, donate: _update(xp, x, v, index, add, donate),
    shape=_update_shape,
    jvp={"x, v": _update_jvp},
    vjp={"x, v": _update_vjp},
    batch=_update_batch,
    lazy=True,
    updates=True,
    numbers=True,
    zeros=True,
    lane=write_lane,
    staged_params=lambda index, add, donate: (index, add, False),  # a graph runs many times: it owns nothing
    linear=("x, v",),
    moves=True,
    depends=MOVED,
    samples=together(
        *[arrays(x, v, index=i, add=add, donate=False) for add in (False, True) for x, v, i in (
            ((3, 4), (4,), 1), ((3, 4), (), (slice(None), 2)), ((3,), (2,), slice(0, 2)), ((3,), (), 2),
            ((3, 2), (1, 2), slice(None)), ((0,), (), slice(None)))],
        arrays((3, 2), (1, 1, 2), index=0, add=False, donate=False),
    ),
)


def _take_shape(x, index, axis):
    return make_aval(x.shape[:axis] + index.shape + x.shape[axis + 1 :], x.dtype)


def _move_axis(x, source, target):
    axes = list(range(x.ndim))
    axes.insert(target, axes.pop(source))
    return x if source == target else transpose(x, axes=tuple(axes))


def _take_batch(x, index, axis, batched, size):
    if not batched[1]:
        return take(x, index, axis=axis + 1)
    if not batched[0]:
        return _move_axis(take(x, index, axis=axis), axis, 0)
    rank = index.ndim - 1
    n = x.shape[axis + 1]
    rows = _move_axis(x, axis + 1, 1)
    # One take for all examples: rows end to end, with the index of each example shifted by its start.
    rows = rows.reshape((size * n, *rows.shape[2:]))
    out = take(rows, _row_index(index, n, size), axis=0)
    for k in range(rank):  # the index axes lie behind the batch; move them to `axis`
        out = _move_axis(out, 1 + rank - 1 - k + 0, axis + rank - k) if axis else out
    return out


def _row_index(index, n, size):
    """Indices into the rows of all examples laid end to end."""
    start = (np.arange(size) * n).reshape((size,) + (1,) * (index.ndim - 1))
    return counted(index, n=n) + constant(start, index)


take = linear(
    "take",  # x[..., index, ...] along one axis; index: integers of any shape
    impl=lambda xp, x, index, *, axis: x.take(index, axis) if type(x) is np.ndarray else xp.take(x, index, axis=axis),
    transpose=lambda ct, x_aval, index, axis: scatter_add(ct, index, axis, x_aval.shape[axis]),
    shape=_take_shape,
    batch=_take_batch,
    written="{x}.take({index}, {axis})",
    zeros="back",
    depends=taken,
    samples=lambda rng: [
        Sample(rng.normal(size=s) + c, np.array(i), params={"axis": a})
        for s, i, a in (((4,), [0, 2, 2], 0), ((3, 4), [[1, 1], [-1, 0]], 1), ((4, 2), 3, 0), ((3, 2, 2), [2, 0], 1),
                        ((3,), np.zeros((0,), int), 0))
        if not (s == (3, 2, 2) and max(i) > 1)
        for c in (0.0, 1j)
    ] + [Sample(rng.normal(size=3).astype(np.float32), np.array([0, 2]), params={"axis": 0})],
)


def _scatter_batch(x, index, axis, n, batched, size):
    if not batched[1]:
        return scatter_add(x, index, axis=axis + 1, n=n)
    rank = index.ndim - 1
    if not batched[0]:
        x = broadcast_to(x, shape=(size, *x.shape))
    for k in range(rank):
        x = _move_axis(x, axis + 1 + k, 1 + k)
    rest = x.shape[1 + rank :]
    out = scatter_add(x, _row_index(index, n, size), axis=0, n=size * n).reshape((size, n, *rest))
    return _move_axis(out, 1, axis + 1)


scatter_add = linear(
    "scatter_add",  # the transpose of take: zeros with x added at index; duplicates accumulate
    impl=lambda xp, x, index, *, axis, n: scattered_sums(xp, x, index, axis, n),
    kernel=ADDED,
    transpose=lambda ct, index, axis: take(ct, index, axis),
    shape=lambda x, index, axis, n: make_aval(x.shape[:axis] + (n,) + x.shape[axis + index.ndim :], x.dtype),
    batch=_scatter_batch,
    zeros=True,
    depends=scattered,
    samples=lambda rng: [
        Sample(rng.normal(size=s) + c, np.array(i), params={"axis": a, "n": 4})
        for s, i, a in (
            ((3,), [0, 2, 2], 0), ((3, 2, 2), [[1, 1], [-1, 0]], 1), ((2,), 3, 0), ((0,), np.zeros(0, int), 0)
        )
        for c in (0.0, 1j)
    ] + [Sample(rng.normal(size=2).astype(np.float32), np.array([0, 2]), params={"axis": 0, "n": 3})],
)

def index(x, key):
    """`x[key]` for every NumPy form of `key`."""
    kind = type(key)
    if kind is slice or kind is int or is_basic(key):
        return getitem(x, key)
    if kind is tuple and len(key) == 1 and type(key[0]) is ndarray and isinstance(x, Tracer) and _is_rows(x, key[0]):
        return take(x, constant(key[0], x), 0)  # what a plan comes to
    if kind is tuple and type(x) is Rev:
        places = _every_axis(x.aval.shape, key)
        if places is not None:
            return pick(x, places)
    plan = plan_index(aval_of(x), key)
    if isinstance(x, Tracer) and (plan.answer or kind is tuple and ... in key) and names_part(key):
        return tied(x, _PART, plan, key)
    out = _take_planned(_arranged(x, plan), plan)
    return make_buffer(out) if type(x) is Buffer and type(out) is ndarray else out  # a copy, which may be written to


# What a basic index with traced integers in it gives: as with known ones, a view.
_PART = Step(
    "part",
    fun=lambda x, plan, key: _take_planned(_arranged(x, plan), plan),
    impl=lambda xp, x, plan, key: x[any_place(key)],
    unview=lambda x, part, plan, key: update(x, key, part),
)


def _is_rows(x, places):
    """Tell whether plain places take rows of a traced value that is no buffer; not where they are to be refused."""
    shape = x.aval.shape
    return (places.ndim > 0 and places.dtype.kind == "i" and len(shape) > 0 and type(x) is not Buffer
            and all_within(places, -shape[0], shape[0]))


def _every_axis(shape, key):
    """The places that plain arrays of integers, one per axis, pick (`x[rows, columns]`); None for any other key."""
    if len(key) != len(shape):
        return None
    for k in key:
        if type(k) is not ndarray or k.dtype.kind not in "iu":
            return None
    try:
        return Places(np.ravel_multi_index(key, shape))
    except ValueError:  # negative ones, or out of bounds: the general path counts them from the end, or says so
        return None


def update(x, key, value, add=False, donate=False):
    """`x` with `x[key] = value`, or with `value` added (duplicates accumulate); a new array."""
    if is_basic(key):
        return index_update(x, value, key, add, donate)
    if isinstance(key, Tracer) and key.dtype.kind == "b" and key.ndim and not is_concrete(key) and not np.ndim(value):
        return _masked(x, key, value, add)
    plan = plan_index(aval_of(x), key)
    shape = plan.answer
    value = array_beside(x, value)
    extra = value.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.shape[:extra]):
        value = value.reshape(value.shape[extra:])
    flat = value if value.shape == tuple(shape) else broadcast_to(value, shape=shape)
    inner = _arranged(x, plan)
    if add:
        new = inner + scatter_add(flat, constant(plan.index, flat), axis=plan.axis, n=inner.shape[plan.axis])
    else:
        new = _put_rows(inner, flat, plan)
    return _put_back(x, new, plan)


def _masked(x, mask, value, add):
    """One value written where a mask says that is not known here: no shape depends on it."""
    if mask.shape != x.shape[: mask.ndim]:
        raise IndexError(f"a mask of shape {mask.shape} does not fit an array of shape {x.shape}; give one of the "
                         f"shape of its first axes{at_user_line()}")
    mask = reshape(mask, shape=(*mask.shape, *(1,) * (x.ndim - mask.ndim)))
    return where(mask, x + value if add else value, x)


def _put_rows(inner, flat, plan):
    """Set rows; of duplicate indices the last one wins, as in NumPy."""
    n = inner.shape[plan.axis]
    count = int(np.prod(plan.index.shape))
    if not count:
        return inner
    writer = _last_writer(plan.index, n)
    hit = (writer >= 0).reshape((n,) + (1,) * (inner.ndim - plan.axis - 1))
    flat = constant(flat, inner)
    rows = flat.reshape((*flat.shape[: plan.axis], count, *flat.shape[plan.axis + len(plan.index.shape) :]))
    picked = take(rows, constant(maximum(writer, 0), rows), axis=plan.axis)
    return where(constant(hit, inner), picked, inner)


def _last_writer(places, n):
    """For each place the last of `places` that is it, or -1."""
    places = places.reshape((-1,))
    if isinstance(places, Tracer):
        return last_writer(counted(places, n=n), n=n)
    return _last_of_each(np, places, n)


def _last_of_each(xp, places, n):
    if xp is np:
        out = np.empty(n, np.intp)
        out.fill(-1)
        out[places] = np.arange(places.size)
        return out
    out = xp.full(n, -1)
    xp.maximum.at(out, places, xp.arange(places.size))  # not an assignment, whose order is NumPy's alone
    return out


def _last_writer_batch(places, n, size):
    count = places.shape[1]
    found = last_writer(_row_index(places, n, size).reshape((-1,)), n=size * n).reshape((size, n))
    start = np.arange(size).reshape((size, 1)) * count
    return where(found < 0, -1, found - constant(start, places))


last_writer = primitive(
    "last_writer",  # places: (k,), not negative -> (n,): which of them is the last at each place, or -1
    impl=lambda xp, places, *, n: _last_of_each(xp, places, n),
    shape=lambda places, n: make_aval((n,), np.dtype(np.intp)),
    jvp=ZERO,
    batch=lambda places, n, size: _last_writer_batch(places, n, size),
    samples=lambda rng: [Sample(np.array(v, int), params={"n": 4}, smooth=False) for v in ([2], [0, 3, 0], [])],
    absent={"()": "it takes a list", "float32": "places are integers", "complex": "places are integers"},
)


def _arranged(x, plan):
    if plan.basic is not None:
        x = getitem(x, plan.basic)
    if plan.axes is not None:
        x = transpose(x, axes=plan.axes)
    return x if plan.merged is None else reshape(x, shape=plan.merged)


def _take_planned(x, plan):
    places = plan.index if isinstance(plan.index, Tracer) else constant(plan.index, x)
    return take(x, places, axis=plan.axis)


def _put_back(x, new, plan):
    if plan.merged is not None:
        shape = plan.inner if plan.axes is None else tuple(plan.inner[a] for a in plan.axes)
        new = reshape(new, shape=shape)
    if plan.axes is not None:
        new = transpose(new, axes=inverse_permutation(plan.axes))
    return new if plan.basic is None else index_update(x, new, plan.basic, False, False)

