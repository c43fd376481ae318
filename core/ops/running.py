"""Running products and convolutions along an axis, and the linear recurrence that their derivatives follow."""

import operator

import numpy as np

from ..arrays.avals import aval_of, make_aval
from ..arrays.dtypes import result_dtype
from ..primitive.families import ZERO, primitive
from ..primitive.primitive import REGISTRY
from ..tape.unbroadcast import conj
from ..trace.device import constant, zeros_of
from .dependence import lines, slid
from .reductions import _sum_shape, of_wide
from .running_loops import RECURRENCE, running_products
from .samples import Sample, arrays, together
from .shaping import broadcast_to, concatenate, flip, slice_axis


def recurrence(a, b, axis):
    """`z[i] = a[i] z[i - 1] + b[i]` along `axis`, 0 before; in a loop, or log2(n) steps (Hillis & Steele 1986)."""
    n = b.shape[axis]
    if type(b) is np.ndarray:
        out = RECURRENCE(a, b, axis)
        if out is not None:
            return out
    step = 1
    while step < n:
        factor = slice_axis(a, axis, step, n)
        b = concatenate(slice_axis(b, axis, 0, step),
                        slice_axis(b, axis, step, n) + factor * slice_axis(b, axis, 0, n - step), axis=axis)
        a = concatenate(slice_axis(a, axis, 0, step), factor * slice_axis(a, axis, 0, n - step), axis=axis)
        step *= 2
    return b


def _scaled_by_previous(d, ans, axis):
    """`d[i] ans[i - 1]`, where the product before the start is 1."""
    n = ans.shape[axis]
    return concatenate(slice_axis(d, axis, 0, 1), slice_axis(d, axis, 1, n) * slice_axis(ans, axis, 0, max(n - 1, 0)),
                       axis=axis)


def _cumprod_vjp(ct, x, ans, axis):
    """s[i] = ct[i] + x[i + 1] s[i + 1] from the end, times the product before i; nothing is divided."""
    n = x.shape[axis]
    factor = concatenate(slice_axis(x, axis, 1, n), slice_axis(x, axis, 0, min(n, 1)), axis=axis)
    back = flip(recurrence(conj(flip(factor, axes=(axis,))), flip(ct, axes=(axis,)), axis), axes=(axis,))
    return _scaled_by_previous(back, conj(ans), axis)


cumprod = primitive(
    "cumprod",
    lower=of_wide("cumprod"),
    impl=lambda xp, x, *, axis: running_products(xp, x, axis),
    shape=lambda x, axis: _sum_shape(x, (), False),
    jvp={"x": lambda dx, x, ans, axis: recurrence(x, _scaled_by_previous(dx, ans, axis), axis)},
    vjp={"x": _cumprod_vjp},
    batch=lambda x, axis: cumprod(x, axis=axis + 1),
    zeros=True,
    depends=lambda x, axis: lines(x, (axis,)),
    blocks="running",
    samples=together(
        arrays((2, 3), axis=1), arrays((5,), axis=0), arrays((0,), axis=0), arrays((2, 0), axis=1),
        arrays((1,), axis=0),
        lambda rng: [Sample(np.array(v), params={"axis": 0})
                     for v in ([0.0, 2.0, 3.0], [2.0, 0.0, 3.0, 0.0, 4.0])],
    ),
    absent={"()": "it runs along an axis"},
)


def _folds(xp, x, axis, of):
    ufunc = getattr(xp, REGISTRY[of].lower.__name__)
    if type(ufunc) is np.ufunc:
        return ufunc.accumulate(x, axis)
    parts = [x[(slice(None),) * axis + (k,)] for k in range(x.shape[axis])]
    for k in range(1, len(parts)):
        parts[k] = ufunc(parts[k - 1], parts[k])
    return xp.stack(parts, axis=axis) if parts else x


def _by_operand(k, rules, of, x, ans, axis, d=None):
    """The rule of operand `k` of an operation at all its places: for `d`, or for ones.

    It is `ans[i] = f(ans[i - 1], x[i])`; at the first place, where it is not called, that is 0 for ones, or `d`.
    """
    prim, n = REGISTRY[of], x.shape[axis]
    now = slice_axis(ans, axis, 1, n)
    given = dict(zip(prim.operands, (slice_axis(ans, axis, 0, n - 1), slice_axis(x, axis, 1, n))), ans=now)
    given.update({f"{name}_aval": aval_of(given[name]) for name in prim.operands})
    v = constant(np.ones(now.shape, x.dtype), now) if d is None else slice_axis(d, axis, 1, n)
    found = rules[k].fn(v, *[given[name] for name in rules[k].names]) if k in rules else zeros_of(aval_of(v), v)
    first = slice_axis(x if d is None else d, axis, 0, 1)
    return concatenate(zeros_of(aval_of(first), first) if d is None else first, found, axis=axis)


def _folds_jvp(dx, x, ans, axis, of):
    rules = REGISTRY[of].jvp
    if not x.shape[axis]:
        return dx
    return recurrence(*[_by_operand(k, rules, of, x, ans, axis, d) for k, d in enumerate((None, dx))], axis)


def _folds_vjp(ct, x, ans, axis, of):
    """s[i] = ct[i] + a[i + 1] s[i + 1] from the end, times the derivative by x[i]."""
    n, rules = x.shape[axis], REGISTRY[of].vjp
    if not n:
        return ct
    a = _by_operand(0, rules, of, x, ans, axis)
    factor = concatenate(slice_axis(a, axis, 1, n), slice_axis(a, axis, 0, 1), axis=axis)
    back = flip(recurrence(flip(factor, axes=(axis,)), flip(ct, axes=(axis,)), axis), axes=(axis,))
    return _by_operand(1, rules, of, x, ans, axis, back)


accumulate = primitive(
    "accumulate",  # ans[0] = x[0], ans[i] = f(ans[i - 1], x[i]) along `axis`, where `of` is the name of the primitive f
    impl=lambda xp, x, *, axis, of: _folds(xp, x, axis, of),
    shape=lambda x, axis, of: make_aval(x.shape, x.dtype),
    jvp={"x": _folds_jvp},
    vjp={"x": _folds_vjp},
    batch=lambda x, axis, of: accumulate(x, axis=axis + 1, of=of),
    zeros=True,
    depends=lambda x, axis, of: lines(x, (axis,)),
    blocks="running",
    samples=lambda rng: [
        Sample(rng.uniform(0.5, 2.0, s).astype(t), params={"axis": a, "of": of})
        for of in ("logaddexp", "hypot", "subtract", "divide", "fmax", "logaddexp2")
        for s, a, t in (((5,), 0, "f8"), ((2, 4), 1, "f8"), ((3, 2), 0, "f4"), ((1,), 0, "f8"), ((0,), 0, "f8"))],
    absent={"()": "it runs along an axis", "complex": "these order real numbers, or take them alone"},
)


def _first_better(xp, x, axis, better):
    """For each place the place of the best element up to there: the first of equal ones, NaN before all others."""
    n = x.shape[axis]
    lead = (slice(None),) * axis
    place = xp.broadcast_to(xp.arange(n).reshape((n,) + (1,) * (x.ndim - axis - 1)), x.shape)
    if xp is np and n:
        best = (np.maximum if better is operator.gt else np.minimum).accumulate(x, axis)
        old, new = best[(*lead, slice(0, n - 1))], x[(*lead, slice(1, n))]
        best = np.zeros(x.shape, np.dtype(np.intp))
        np.copyto(best[(*lead, slice(1, n))], place[(*lead, slice(1, n))], where=better(new, old) | (
            (new != new) & (old == old)))
        return np.maximum.accumulate(best, axis)
    step = 1
    while step < n:  # Hillis and Steele 1986, as above
        before, here = (*lead, slice(0, n - step)), (*lead, slice(step, n))
        old, new = x[before], x[here]
        keep = ~better(new, old) & ~((new != new) & (old == old)) | (old != old)
        head = (*lead, slice(0, step))
        place = xp.concatenate((place[head], xp.where(keep, place[before], place[here])), axis=axis)
        x = xp.concatenate((x[head], xp.where(keep, old, new)), axis=axis)
        step *= 2
    return place.astype(np.dtype(np.intp))


def _running_argument(name, better):
    found = primitive(
        name,
        impl=lambda xp, x, *, axis: _first_better(xp, x, axis, better),
        shape=lambda x, axis: make_aval(x.shape, np.dtype(np.intp)),
        jvp=ZERO,
        batch=lambda x, axis: found(x, axis + 1),
        samples=lambda rng: [Sample(rng.normal(size=s).astype(t), params={"axis": a})
                             for s, a, t in (((7,), 0, "f8"), ((2, 5), 1, "f4"), ((3, 2), 0, "f8"), ((0,), 0, "f8"))]
        + [Sample(np.array([1.0, 3.0, 3.0, np.nan, 4.0, 0.5]), params={"axis": 0})],
        absent={"()": "it runs along an axis", "complex": "it orders real numbers"},
    )
    return found


running_argmax = _running_argument("running_argmax", operator.gt)
running_argmin = _running_argument("running_argmin", operator.lt)


def _by_rows(xp, run, x, y, size):
    """A function of two vectors, for each row of `x` and `y`."""
    if x.ndim == 1:
        return run(x, y)
    rows = [run(a, b) for a, b in zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]))]
    return (xp.stack(rows) if rows else xp.zeros(0, xp.result_type(x, y))).reshape((*x.shape[:-1], size))


def _of_examples(found, x, y, batched, size):
    return found(*[v if b else broadcast_to(v, shape=(size, *v.shape)) for v, b in zip((x, y), batched)])


convolve = primitive(
    "convolve",  # x: (*b, n), y: (*b, m) -> (*b, n + m - 1); the rows one by one
    impl=lambda xp, x, y: _by_rows(xp, xp.convolve, x, y, x.shape[-1] + y.shape[-1] - 1),
    shape=lambda x, y: make_aval((*x.shape[:-1], x.shape[-1] + y.shape[-1] - 1), result_dtype(x, y)),
    jvp={"x": lambda dx, y: convolve(dx, y), "y": lambda dy, x: convolve(x, dy)},
    vjp={"x": lambda ct, y: slide(ct, conj(y)), "y": lambda ct, x: slide(ct, conj(x))},
    batch=lambda x, y, batched, size: _of_examples(convolve, x, y, batched, size),
    linear=("x", "y"),
    depends=lambda x, y, x_value, y_value: slid(x, y, x_value, y_value),
    samples=together(
        arrays((4,), (3,)), arrays((1,), (3,)), arrays((2, 3), (2, 4)), arrays((0, 3), (0, 2)),
        lambda rng: [Sample(rng.normal(size=3).astype(np.float32), rng.normal(size=2)),
                     Sample(rng.normal(size=3), rng.normal(size=2) + 1j)],
    ),
    absent={"()": "it runs along an axis", "broadcast": "both operands have the same leading axes"},
)
slide = primitive(
    "slide",  # x: (*b, n + m - 1), y: (*b, m) -> (*b, n): the sums of products of y with each part of x
    impl=lambda xp, x, y: _by_rows(xp, lambda a, b: xp.correlate(a, b, "valid"), x, xp.conj(y) if y.dtype.kind == "c"
                                   else y, x.shape[-1] - y.shape[-1] + 1),
    shape=lambda x, y: make_aval((*x.shape[:-1], x.shape[-1] - y.shape[-1] + 1), result_dtype(x, y)),
    jvp={"x": lambda dx, y: slide(dx, y), "y": lambda dy, x: slide(x, dy)},
    vjp={"x": lambda ct, y: convolve(ct, conj(y)), "y": lambda ct, x: slide(conj(x), ct)},
    batch=lambda x, y, batched, size: _of_examples(slide, x, y, batched, size),
    linear=("x", "y"),
    samples=together(
        arrays((4,), (3,)), arrays((3,), (1,)), arrays((2, 4), (2, 4)), arrays((0, 3), (0, 2)),
        lambda rng: [Sample(rng.normal(size=3).astype(np.float32), rng.normal(size=2)),
                     Sample(rng.normal(size=3) + 1j, rng.normal(size=2) + 1j),
                     Sample(rng.normal(size=3), rng.normal(size=2) + 1j)],
    ),
    absent={"()": "it runs along an axis", "broadcast": "both operands have the same leading axes"},
)
