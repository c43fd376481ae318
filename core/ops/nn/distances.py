"""Distances between rows that are named in pairs, in the 1-norm, the 2-norm and the largest gap."""

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...primitive.families import primitive
from ...primitive.loop_kernels import Loops
from ...trace.device import constant
from ..indexing.indexing import scatter_add, take
from ..samples import Sample
from ..selection import sign, strong_times, where
from ..shaping import broadcast_to

ndarray = np.ndarray
_INF = float("inf")


def _sizes(k, x, y, rows, columns):
    k.require(x.shape[1].equals(y.shape[1]), rows.shape[0].equals(columns.shape[0]))


def _place(k, places, e, n):
    at = k.cast(places[e], "i64")
    k.refuse((at < 0) | (at >= n))
    return at


def _measured(p):
    def define(k, x, y, rows, columns):
        _sizes(k, x, y, rows, columns)
        out = k.output(x.kind, (rows.shape[0],))
        lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of
        for e in k.range(rows.shape[0]):
            i, j = _place(k, rows, e, x.shape[0]), _place(k, columns, e, y.shape[0])
            total, most = k.cell(0, x.kind), k.cell(0, _BITS[x.kind])
            for c in k.range(x.shape[1], vectors=True):
                gap = x[i, c] - y[j, c]
                if p == 2:
                    total.add(gap * gap)
                elif p == 1:
                    total.add(k.run("absolute", gap))
                else:  # bits of positive floats are in their order, and the largest integers found by vectors
                    size = k.bits(k.run("absolute", gap))
                    most.set(k.where(size > most.get(), size, most.get()))
            found = k.from_bits(most.get()) if p == _INF else total.get()
            out[e] = k.run("sqrt", found) if p == 2 else found
            lost.add(found - found)
            if p == 2:  # squares of what is very small or large: NumPy says what becomes of them
                k.refuse((found < _SMALL[x.kind]) & found.differs(0))
        k.refuse(lost.get().differs(0))

    return Loops(define, _given)


_BITS = {"f32": "i32", "f64": "i64"}
_SMALL = {"f32": 1e-30, "f64": 1e-280}


def _pulled(p):
    def define(k, ct, x, y, ans, rows, columns):
        _sizes(k, x, y, rows, columns)
        k.require(ct.shape[0].equals(rows.shape[0]), ans.shape[0].equals(rows.shape[0]))
        to_x, to_y = (k.output(x.kind, tuple(v.shape)) for v in (x, y))
        to_x.fill(0)
        to_y.fill(0)
        lost = k.cell(0, x.kind)
        for e in k.range(rows.shape[0]):
            i, j = _place(k, rows, e, x.shape[0]), _place(k, columns, e, y.shape[0])
            zero = k.scalar(0, x.kind)
            shares = ans[e]
            if p == _INF:  # gaps that are the largest
                count = k.cell(0, x.kind)
                for c in k.range(x.shape[1], vectors=True):
                    gap = k.run("absolute", x[i, c] - y[j, c])
                    count.add(k.where(gap.equals(ans[e]), k.scalar(1, x.kind), zero))
                shares = k.where(ans[e].equals(0), zero, count.get())
                lost.add(ans[e] - ans[e])  # NaN, which nothing equals
            factor = ct[e] if p == 1 else k.where(shares.equals(0), zero, ct[e] / k.where(shares.equals(0), 1, shares))
            lost.add(factor - factor)
            for c in k.range(x.shape[1], vectors=True):
                gap = x[i, c] - y[j, c]
                part = gap * factor if p == 2 else k.where(gap > 0, factor, k.where(gap < 0, -factor, zero))
                if p == _INF:
                    part = k.where(k.run("absolute", gap).equals(ans[e]), part, zero)
                to_x[i, c] = to_x[i, c] + part
                to_y[j, c] = to_y[j, c] - part
        k.refuse(lost.get().differs(0))

    return Loops(define, lambda *args: args if all(type(v) is ndarray for v in args) and args[1].size else None)


def _given(x, y, rows, columns):
    plain = all(type(v) is ndarray for v in (x, y, rows, columns)) and x.size and y.size
    return (x, y, rows, columns) if plain else None


_MEASURED = {p: _measured(p).runner(f"row_distances, {p}") for p in (1, 2, _INF)}
_PULLED = {p: _pulled(p).runner(f"row_distances, {p}, back") for p in (1, 2, _INF)}


def _distances(xp, x, y, rows, columns, p):
    out = _MEASURED[p](x, y, rows, columns) if xp is np else None
    if out is not None:
        return out
    dtype = float_dtype(result_dtype(x, y))
    gap = xp.abs(xp.take(x, rows, axis=0).astype(dtype) - xp.take(y, columns, axis=0))
    if p == 1:
        return gap.sum(axis=1)
    top = gap.max(axis=1, initial=0)  # squares of very small or large gaps
    if p == _INF:
        return top
    scale = xp.where((top > 0) & xp.isfinite(top), top, 1).astype(dtype)
    return xp.sqrt(((gap / scale[:, None]) ** 2).sum(axis=1)) * scale


def _unit(x, y, ans, rows, columns, p):
    """The slope of each distance by its first row; 0 where the distance is 0, or along an axis where a gap is; gaps
    that are the largest share it."""
    gap = take(x, rows, 0) - take(y, columns, 0)
    if p == 1:
        return sign(gap)
    if p == _INF:
        mine = where((abs(gap) == ans[:, None]) | (gap != gap), sign(gap), 0.0)
        count = abs(mine).sum(axis=1)
        return mine / where(count == 0, 1.0, count)[:, None]
    return gap / where(ans == 0, 1.0, ans)[:, None]


def _jvp(tangents, x, y, ans, rows, columns, p):
    dx, dy = tangents
    moved = None if dx is None else take(dx, rows, 0)
    if dy is not None:
        moved = -take(dy, columns, 0) if moved is None else moved - take(dy, columns, 0)
    return strong_times(moved, _unit(x, y, ans, rows, columns, p)).sum(axis=1)


def _vjp(ct, x, y, ans, rows, columns, p):
    if all(type(v) is ndarray for v in (ct, x, y, ans, rows, columns)):
        out = _PULLED[p](ct, x, y, ans, rows, columns)
        if out is not None:
            return tuple(out)
    part = strong_times(ct[:, None], _unit(x, y, ans, rows, columns, p))  # a row may be of several distances
    return scatter_add(part, rows, 0, x.shape[0]), -scatter_add(part, columns, 0, y.shape[0])


def _batch(x, y, rows, columns, p, batched, size):
    """The rows of all examples one after the other."""
    x, y, rows, columns = [v if b else broadcast_to(v, (size, *v.shape))
                           for v, b in zip((x, y, rows, columns), batched)]
    start, pairs = np.arange(size)[:, None], rows.shape[1]
    rows, columns = [(v + constant(start * m.shape[1], v)).reshape((size * v.shape[1],))
                     for v, m in ((rows, x), (columns, y))]
    x, y = (v.reshape((size * v.shape[1], v.shape[2])) for v in (x, y))
    return row_distances(x, y, rows, columns, p).reshape((size, pairs))


def _samples(rng):
    out = []
    for p in (1, 2, _INF):
        for n, m, rows, columns in ((3, 2, [0, 1, 2, 2], [1, 0, 0, 1]), (2, 2, [], [])):
            x, y = rng.normal(size=(n, 4)), rng.normal(size=(m, 4)) + 3.0
            places = np.array(rows, int), np.array(columns, int)
            out += [Sample(x, y, *places, params={"p": p}), Sample(x.astype("f4"), y.astype("f4"), *places,
                                                                   params={"p": p})]
        if p == _INF:  # equal gaps
            out.append(Sample(np.array([[0.0, 2.0, -2.0]]), np.ones((1, 3)) * [[2.0, 0.0, 0.0]], np.array([0]),
                              np.array([0]), params={"p": p}, smooth=False))
        same = np.ones((2, 3))
        out.append(Sample(same, same, np.array([0]), np.array([1]), params={"p": p}, smooth=False))
    return out


row_distances = primitive(
    "row_distances",  # x: (n, d), y: (m, d), rows, columns: (e,) -> (e,): |x[rows] - y[columns]|, p: 1, 2, inf
    impl=lambda xp, x, y, rows, columns, *, p: _distances(xp, x, y, rows, columns, p),
    shape=lambda x, y, rows: make_aval(rows.shape, float_dtype(result_dtype(x, y))),
    jvp={"x, y": _jvp},
    vjp={"x, y": _vjp},
    nondiff="rows, columns",
    batch=_batch,
    samples=_samples,
    absent={"complex": "its distances are those of real numbers", "()": "its operands are matrices",
            "broadcast": "rows are named by their places"},
)
