"""Pairwise distances of rows in the 1-norm, the 2-norm and the maximum norm."""

from functools import partial

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.dtypes import float_dtype, result_dtype
from ...primitive.families import primitive
from ...primitive.kernels import Loops
from ...trace.device import constant
from ..indexing.indexing import scatter_add, take
from ..samples import Sample
from ..selection import sign, strong_times, where
from ..shaping import broadcast_to

ndarray = np.ndarray
_INF = float("inf")
_SMALL = {"f32": 1e-30, "f64": 1e-280}  # squares below which NumPy says what becomes of a 2-norm


def _turn(k, y, b, turned):
    """Write the rows of one `y` as columns, so that a loop over the partners of one row reads side by side."""
    for c in k.range(y.shape[2]):
        for j in k.range(y.shape[1]):
            turned[c, j] = y[b, j, c]


def _line(x, y, i, upper):
    """`(first, start)`: the first partner of row `i`, and what is added to a partner for the place of the distance."""
    if upper:
        return i + 1, i * x.shape[1] - ((i * (i + 1)) >> 1) - i - 1
    return 0, i * y.shape[1]


def _require_pairs(k, x, y, upper):
    """Refuse stacks of other lengths and rows of other widths; pairs within one matrix need as many rows of both."""
    k.require(x.shape[0].equals(y.shape[0]), x.shape[2].equals(y.shape[2]))
    if upper:
        k.require(x.shape[1].equals(y.shape[1]))


def _count(n, m, upper):
    return (n * (n - 1)) >> 1 if upper else n * m


def _measured(p, upper):
    def define(k, x, y):
        _require_pairs(k, x, y, upper)
        pairs = _count(x.shape[1], y.shape[1], upper)
        out, turned = k.output(x.kind, (x.shape[0], pairs)), k.scratch(x.kind, (y.shape[2], y.shape[1]))
        lost = k.cell(0, x.kind)  # NaN where something is not finite, which NumPy may warn of
        tiny = k.cell(0, "i64")
        for b in k.range(x.shape[0]):
            _turn(k, y, b, turned)
            for i in k.range(x.shape[1]):
                first, start = _line(x, y, i, upper)
                for j in k.range(y.shape[1], first, vectors=True):
                    out[b, start + j] = k.scalar(0, x.kind)
                for c in k.range(x.shape[2]):
                    mine = x[b, i, c]
                    for j in k.range(y.shape[1], first, vectors=True):
                        gap = mine - turned[c, j]
                        total = out[b, start + j]
                        if p == _INF:
                            lost.add(gap - gap)
                            gap = k.run("absolute", gap)
                            out[b, start + j] = k.where(gap > total, gap, total)
                        else:
                            out[b, start + j] = total + (gap * gap if p == 2 else k.run("absolute", gap))
                for j in k.range(y.shape[1], first, vectors=True):
                    found = out[b, start + j]
                    if p == 2:
                        tiny.add(k.where((found < _SMALL[x.kind]) & found.differs(0), k.scalar(1, "i64"), 0))
                        out[b, start + j] = k.run("sqrt", found)
                    lost.add(found - found)
        k.refuse(lost.get().differs(0) | tiny.get().differs(0))

    return Loops(define, _given, _shaped)


def _pulled(p, upper):
    def define(k, ct, x, y, ans):
        pairs = _count(x.shape[1], y.shape[1], upper)
        _require_pairs(k, x, y, upper)
        for v in (ct, ans):
            k.require(v.shape[0].equals(x.shape[0]), v.shape[1].equals(pairs))
        to_x, to_y = (k.output(x.kind, tuple(v.shape)) for v in (x, y))
        turned, back = (k.scratch(x.kind, (y.shape[2], y.shape[1])) for _ in range(2))
        factors = k.scratch(x.kind, (y.shape[1],))
        lost = k.cell(0, x.kind)
        zero, one = k.scalar(0, x.kind), k.scalar(1, x.kind)
        for b in k.range(x.shape[0]):
            _turn(k, y, b, turned)
            back.fill(0)
            for i in k.range(x.shape[1]):
                first, start = _line(x, y, i, upper)
                if p == _INF:  # gaps that are the largest share the slope
                    for j in k.range(y.shape[1], first, vectors=True):
                        factors[j] = zero
                    for c in k.range(x.shape[2]):
                        mine = x[b, i, c]
                        for j in k.range(y.shape[1], first, vectors=True):
                            gap = k.run("absolute", mine - turned[c, j])
                            factors[j] = factors[j] + k.where(gap.equals(ans[b, start + j]), one, zero)
                for j in k.range(y.shape[1], first, vectors=True):
                    length = ans[b, start + j]
                    lost.add(length - length)  # NaN, which nothing equals
                    shares = factors[j] if p == _INF else one if p == 1 else length
                    none = length.equals(0) if p != 1 else None
                    part = ct[b, start + j] if p == 1 else k.where(none, zero, ct[b, start + j] / k.where(
                        none, one, shares))
                    lost.add(part - part)
                    factors[j] = part
                for c in k.range(x.shape[2]):
                    mine, total = x[b, i, c], k.cell(0, x.kind)
                    for j in k.range(y.shape[1], first, vectors=True):
                        gap, factor = mine - turned[c, j], factors[j]
                        part = gap * factor if p == 2 else k.where(gap > 0, factor, k.where(gap < 0, -factor, zero))
                        if p == _INF:
                            part = k.where(k.run("absolute", gap).equals(ans[b, start + j]), part, zero)
                        total.add(part)
                        back[c, j] = back[c, j] - part
                    to_x[b, i, c] = total.get()
            for c in k.range(y.shape[2]):
                for j in k.range(y.shape[1]):
                    to_y[b, j, c] = back[c, j]
        k.refuse(lost.get().differs(0))

    return Loops(define, _pull_given, _pull_shaped)


def _given(x, y):
    return (_three(x), _three(y)) if type(x) is type(y) is ndarray and x.size and y.size else None


def _shaped(out, x, y):
    return out.reshape(*x.shape[:-2], out.shape[-1])


def _pull_given(ct, x, y, ans):
    plain = all(type(v) is ndarray for v in (ct, x, y, ans)) and ct.size and x.size
    return (ct.reshape(-1, ct.shape[-1]), _three(x), _three(y), ans.reshape(-1, ans.shape[-1])) if plain else None


def _pull_shaped(out, ct, x, y, ans):
    return out[0].reshape(x.shape), out[1].reshape(y.shape)


def _three(x):
    return x.reshape(-1, *x.shape[-2:])


_FORMS = [(p, upper) for p in (1, 2, _INF) for upper in (False, True)]
_MEASURED = {form: _measured(*form).runner(f"pair_distances, {form}") for form in _FORMS}
_PULLED = {form: _pulled(*form).runner(f"pair_distances, {form}, back") for form in _FORMS}


def _places(n, m, upper):
    """The places of both rows of all pairs."""
    return np.triu_indices(n, 1) if upper else np.indices((n, m)).reshape(2, -1)


def _pairs(x, y, upper):
    return [constant(v, x) for v in _places(x.shape[-2], y.shape[-2], upper)]


def _distances(xp, x, y, p, upper):
    out = _MEASURED[p, upper](x, y) if xp is np else None
    if out is not None:
        return out
    dtype = float_dtype(result_dtype(x, y))
    rows, columns = (xp.asarray(v) for v in _places(x.shape[-2], y.shape[-2], upper))
    gap = xp.abs(xp.take(x, rows, axis=-2).astype(dtype) - xp.take(y, columns, axis=-2))
    if p == 1:
        return gap.sum(axis=-1)
    top = gap.max(axis=-1, initial=0)  # squares of very small or large gaps
    if p == _INF:
        return top
    scale = xp.where((top > 0) & xp.isfinite(top), top, 1).astype(dtype)
    return xp.sqrt(((gap / scale[..., None]) ** 2).sum(axis=-1)) * scale


def _taken(x, places):
    return take(x, places, x.ndim - 2)


def _unit(x, y, ans, p, upper):
    """The slope of each distance by its first row; 0 where the distance is 0, or along an axis where a gap is; gaps
    that are the largest share it."""
    rows, columns = _pairs(x, y, upper)
    gap = _taken(x, rows) - _taken(y, columns)
    if p == 1:
        return sign(gap)
    if p == _INF:
        mine = where((abs(gap) == ans[..., None]) | (gap != gap), sign(gap), 0.0)
        count = abs(mine).sum(axis=-1)
        return mine / where(count == 0, 1.0, count)[..., None]
    return gap / where(ans == 0, 1.0, ans)[..., None]


def _jvp(tangents, x, y, ans, p, upper):
    dx, dy = tangents
    rows, columns = _pairs(x, y, upper)
    moved = None if dx is None else _taken(dx, rows)
    if dy is not None:
        moved = -_taken(dy, columns) if moved is None else moved - _taken(dy, columns)
    return strong_times(moved, _unit(x, y, ans, p, upper)).sum(axis=-1)


def _vjp(ct, x, y, ans, p, upper):
    if all(type(v) is ndarray for v in (ct, x, y, ans)):
        out = _PULLED[p, upper](ct, x, y, ans)
        if out is not None:
            return out
    part = strong_times(ct[..., None], _unit(x, y, ans, p, upper))  # a row is of several distances
    rows, columns = _pairs(x, y, upper)
    axis = x.ndim - 2
    return scatter_add(part, rows, axis, x.shape[axis]), scatter_add(-part, columns, axis, y.shape[axis])


def _batch(x, y, p, upper, batched, size):
    x, y = [v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, y), batched)]
    return pair_distances(x, y, p, upper)


def _samples(rng):
    out = []
    for p, upper in _FORMS:
        sample = partial(Sample, params={"p": p, "upper": upper})
        for shape in ((3,), (2, 2), (1,), (0,)):
            x, y = (rng.normal(size=(*shape, 4)) for _ in range(2))
            y = y + 3.0 if upper else np.concatenate([y + 3.0, y - 5.0], axis=-2)
            out += [sample(x, y), sample(x.astype("f4"), y.astype("f4"))]
        if p == _INF:  # equal gaps
            y = np.array([[2.0, 0.0, 0.0]]) * np.ones((2, 1))
            out.append(sample(np.array([[0.0, 2.0, -2.0], [5.0, 0.0, 1.0]]), y, smooth=False))
        out.append(sample(np.ones((2, 3)), np.ones((2, 3)), smooth=False))
    return out


pair_distances = primitive(
    "pair_distances",  # x: (*b, n, d), y: (*b, m, d) -> (*b, e): |x[i] - y[j]|, of all pairs, or upper: i < j
    impl=lambda xp, x, y, *, p, upper: _distances(xp, x, y, p, upper),
    shape=lambda x, y, upper: make_aval((*x.shape[:-2], _count(x.shape[-2], y.shape[-2], upper)),
                                        float_dtype(result_dtype(x, y))),
    jvp={"x, y": _jvp},
    vjp={"x, y": _vjp},
    batch=_batch,
    samples=_samples,
    absent={"complex": "its distances are those of real numbers", "()": "its operands are matrices",
            "broadcast": "its operands are matrices of one number of columns"},
)
