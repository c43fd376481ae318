"""Scatter-multiply: the product of the elements written to each index and of what is there."""

import operator
from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.axes import all_within
from ...arrays.dtypes import result_dtype
from ...arrays.sums import shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ...tape.strong_zeros import strong_zero
from ...tape.unbroadcast import conj
from ...trace.device import constant
from ..samples import Sample
from ..selection import where
from ..shaping import broadcast_to, concatenate, flip
from .indexing import scatter_add, take
from .sorting import argsort

ndarray = np.ndarray


# The loops: from the first element to the last, and back.


def elements(k, x, src, index):
    """`each(turned)`: loops over the elements, which are at (i, j, b), and their places."""
    before, n, behind = x.shape
    k.require(src.shape[1].equals(index.shape[1]),
              *[v.shape[a].equals(x.shape[a]) for v in (src, index) for a in (0, 2)])

    def each(turned=False):
        for i in k.range(before):
            for j in k.range(index.shape[1]):
                j = index.shape[1] - 1 - j if turned else j
                for b in k.range(behind):
                    at = k.cast(index[i, j, b], "i64")
                    # Out of bounds the kernel declines, and NumPy's way words the error.
                    k.refuse(k.is_place(at, n).equals(False))
                    yield (i, j, b), (i, at, b)

    return each


def _copied(k, x, into, each, fresh):
    """Copy what is there, 1 where something lands if that is to replace it."""
    count = x.shape[0] * x.shape[1] * x.shape[2]
    flat, new = x.shaped(count), into.shaped(count)
    for i in k.range(count, vectors=True):
        new[i] = flat[i]
    for _ in k.when(fresh.differs(0)):
        for _, at in each():
            into[at] = 1


def _refuse_lost(k, *outputs):
    """Refuse what is not finite, which NumPy may warn of."""
    for out in outputs:
        if out.kind[0] == "f":
            count, lost = out.shape[0] * out.shape[1] * out.shape[2], k.cell(0, out.kind)
            flat = out.shaped(count)
            for i in k.range(count, vectors=True):
                lost.add(flat[i] - flat[i])
            k.refuse(lost.get().differs(0))


def _multiplied(k, x, src, index, fresh):
    each = elements(k, x, src, index)
    out = k.output(x.kind, tuple(x.shape))
    _copied(k, x, out, each, fresh)
    for here, at in each():
        out[at] = out[at] * src[here]
    _refuse_lost(k, out)


def _pulled(k, ct, x, src, index, fresh):
    """Cotangents times the products of all others: of those before, then of those behind."""
    each = elements(k, x, src, index)
    k.require(*[ct.shape[a].equals(x.shape[a]) for a in range(3)])
    to_x, to_src = (k.output(x.kind, tuple(v.shape)) for v in (x, src))
    product = k.scratch(x.kind, tuple(x.shape))
    _copied(k, x, product, each, fresh)
    for here, at in each():
        to_src[here] = product[at]
        product[at] = product[at] * src[here]
    # As they are, even if `fresh`: the products start at the cotangents.
    _copied(k, ct, to_x, each, k.scalar(0, "i64"))
    for here, at in each(turned=True):
        to_src[here] = to_src[here] * to_x[at]
        to_x[at] = to_x[at] * src[here]
    # What was there is replaced, so nothing depends on it.
    for _ in k.when(fresh.differs(0)):
        for _, at in each():
            to_x[at] = 0
    _refuse_lost(k, to_x, to_src)


def given_elements(x, src, index, axis, fresh):
    """Arrays as (before, along the axis, behind); None for what NumPy does."""
    if not (type(x) is type(src) is type(index) is ndarray and x.dtype == src.dtype and x.dtype.kind in "fi" and (
            index.dtype.kind == "i")):
        return None
    shape = x.shape
    before, behind = prod(shape[:axis]), prod(shape[axis + 1 :])
    many = before, index.shape[axis], behind
    return x.reshape(before, shape[axis], behind), src.reshape(many), index.reshape(many), fresh + 0


def _given_back(ct, x, *rest):
    found = given_elements(x, *rest)
    return (ct.reshape(found[0].shape), *found) if found and type(ct) is ndarray and ct.dtype == x.dtype else None


_PULLED = Loops(_pulled, _given_back).runner("scattered_product, back")


# The same in operations: elements in the order of their places are multiplied by doubling steps.


def flat_places(index, shape, axis):
    """Places in all of an array in a row."""
    before, n, behind = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    index = index.reshape((before, index.shape[axis], behind))
    rows = constant((np.arange(before) * n).reshape((before, 1, 1)), index)
    return ((index + rows) * behind + constant(np.arange(behind), index)).reshape((-1,))


def _ordered(src, places):
    """`(order, places, elements, first)`: those in order, and where each place begins."""
    # Stable, so that the elements of a place keep the order in which they were given.
    order = argsort(places, 0, "stable")
    places = take(places, order, 0)
    true = constant(np.ones(1, bool), places)
    return order, places, take(src.reshape((-1,)), order, 0), concatenate(true, places[1:] != places[:-1], axis=0)


def _up_to(x, first, most, combine=operator.mul):
    """The product, or what else combines them, of all elements of a run up to each (Hillis and Steele 1986)."""
    step = 1
    while step < most:
        x = concatenate(x[:step], where(first[step:], x[step:], combine(x[:-step], x[step:])), axis=0)
        first = concatenate(first[:step], first[step:] | first[:-step], axis=0)
        step *= 2
    return x


def _before(products, first):
    """The product of all before each, 1 at the beginning of a run."""
    one = constant(np.ones(1, products.dtype), products)
    return where(first, one, concatenate(one, products[:-1], axis=0))


def _most(places, count):
    """The number of elements on the fullest place, or an upper bound."""
    return int(np.bincount(places).max(initial=0)) if type(places) is ndarray else count


def wholes(x, src, index, axis, combine=operator.mul):
    """A mask of the places where something lands, and the product of all that does, or what else combines it."""
    size = prod(x.shape)
    if not prod(index.shape):
        none = constant(np.zeros(x.shape, bool), index)
        return none, constant(np.ones(x.shape, src.dtype), src)
    _, places, src, first = _ordered(src, flat_places(index, x.shape, axis))
    last = concatenate(first[1:], first[:1], axis=0)
    found = _up_to(src, first, _most(places, src.shape[0]), combine)
    found = where(last, found, constant(np.zeros((), src.dtype), src))
    hit = scatter_add(last.astype(np.dtype(np.int64)), places, 0, size).reshape(x.shape) > 0
    return hit, where(hit, scatter_add(found, places, 0, size).reshape(x.shape), constant(np.ones((), src.dtype), src))


def _others(x, src, index, axis, fresh):
    """Of each element of both the product of all others on its place, 0 of what is replaced."""
    if not prod(index.shape):
        return constant(np.ones(x.shape, x.dtype), x), src
    places = flat_places(index, x.shape, axis)
    order, ordered, elements, first = _ordered(src, places)
    most = _most(ordered, elements.shape[0])
    last = concatenate(first[1:], first[:1], axis=0)
    # The same steps from the end give the products of all behind each.
    turned = flip(elements, axes=(0,)), flip(last, axes=(0,))
    behind = flip(_before(_up_to(*turned, most), turned[1]), axes=(0,))
    others = take(_before(_up_to(elements, first, most), first) * behind, argsort(order, 0, None), 0)
    hit, whole = wholes(x, src, index, axis)
    if fresh:
        return where(hit, constant(np.zeros((), whole.dtype), whole), whole), others.reshape(src.shape)
    return whole, (others * take(x.reshape((-1,)), places, 0)).reshape(src.shape)


# The rules


def _products(xp, x, src, index, axis, fresh):
    dtype, n = result_dtype(x, src), x.shape[axis]
    if not all_within(index, 0, n):
        raise IndexError(f"an index is out of bounds for an axis of {n} elements; use 0 to {n - 1}{at_user_line()}")
    if xp is not np:
        hit, whole = wholes(x, src.astype(dtype), index, axis)
        return xp.where(hit, whole if fresh else x * whole, x).astype(dtype)
    out = x.astype(dtype).reshape(-1)
    places = flat_places(index, x.shape, axis)
    if fresh:
        out[places] = 1
    np.multiply.at(out, places, src.reshape(-1))
    return out.reshape(x.shape)


def _jvp(tangents, x, src, index, axis, fresh):
    dx, dsrc = tangents
    to_x, to_src = _others(x, src, index, axis, fresh)
    moved = None if dx is None else strong_zero(dx, dx * to_x)
    if dsrc is None:
        return moved
    part = strong_zero(dsrc, dsrc * to_src).reshape((-1,))
    part = scatter_add(part, flat_places(index, x.shape, axis), 0, prod(x.shape)).reshape(x.shape)
    return part if moved is None else moved + part


def _vjp(ct, x, src, index, axis, fresh):
    out = _PULLED(ct, x, src, index, axis, fresh)
    if out is not None:
        return shaped(out[0], x.shape), shaped(out[1], src.shape)
    to_x, to_src = map(conj, _others(x, src, index, axis, fresh))
    part = take(ct.reshape((-1,)), flat_places(index, x.shape, axis), 0).reshape(src.shape)
    return strong_zero(ct, ct * to_x), strong_zero(part, part * to_src)


def scattered_shape(x, src, index, axis, name="scattered_product"):
    """That of the array that elements land on, which fit it beside the axis."""
    if not x.ndim or src.shape != index.shape or index.shape != (*x.shape[:axis], *index.shape[axis : axis + 1],
                                                                 *x.shape[axis + 1 :]):
        raise ShapeError(f"{name} needs an array (*a, n, *b), and elements and their places (*a, m, *b), but "
                         f"got {x.shape}, {src.shape} and {index.shape}; reshape them{at_user_line()}")
    return make_aval(x.shape, result_dtype(x, src))


def _batch(x, src, index, axis, fresh, batched, size):
    x, src, index = [v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, src, index), batched)]
    return scattered_product(x, src, index, axis + 1, fresh)


def _samples(rng):
    out = []
    for shape, axis, m in (((3,), 0, 5), ((2, 4, 2), 1, 3), ((2, 3), 1, 0), ((0, 2), 1, 2), ((1, 3), 0, 2)):
        size = (*shape[:axis], m, *shape[axis + 1 :])
        index = rng.integers(0, max(shape[axis] - 1, 1), size)
        for t in ("f8", "f4", "c16"):
            x, src = [rng.normal(size=s) + (1j * rng.normal(size=s) if t == "c16" else 0) for s in (shape, size)]
            out += [Sample(x.astype(t), src.astype(t), index, params={"axis": axis, "fresh": fresh})
                    for fresh in (False, True)]
    for x, src in (([2.0, 3.0], [0.0, 4.0, 5.0]), ([0.0, 3.0], [0.0, 4.0, 5.0]), ([2.0, 0.0], [0.0, 0.0, 5.0])):
        out += [Sample(np.array(x), np.array(src), np.zeros(3, int), params={"axis": 0, "fresh": fresh})
                for fresh in (False, True)]
    return out


scattered_product = primitive(
    "scattered_product",  # x: (*a, n, *b), src and its places on the axis of n, index: (*a, m, *b) -> (*a, n, *b)
    # x times all that lands on each place; fresh: where something lands, without x
    impl=lambda xp, x, src, index, *, axis, fresh: _products(xp, x, src, index, axis, fresh),
    kernel=Loops(_multiplied, given_elements, lambda out, x, *_: shaped(out, x.shape)),
    shape=lambda x, src, index, axis: scattered_shape(x, src, index, axis),
    jvp={"x, src": _jvp},
    vjp={"x, src": _vjp},
    nondiff="index",
    batch=_batch,
    zeros=True,
    samples=_samples,
    absent={"()": "places lie on an axis", "broadcast": "elements are named by their places"},
)
