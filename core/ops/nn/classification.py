"""Softmax, log-softmax and classification losses: rows of plain arrays in as few passes as NumPy allows."""

from math import isfinite, prod

import numpy as np

from ...arrays.avals import make_aval
from ...arrays.backend import namespace_of
from ...arrays.dtypes import in_single, result_dtype
from ...arrays.fp_warnings import enter_error_state, error_state, leave_error_state, make_error_state
from ...arrays.sums import from_rows, less_rows, row_dots, row_sums, row_tops, rows_along, rows_of, shaped
from ...errors import ShapeError, at_user_line
from ...primitive.families import ZERO, primitive
from ...primitive.kernels import Loops
from ...primitive.row_kernels import Rows
from ...tape.strong_zeros import strong_zero
from ...trace.device import constant
from ..arithmetic import exp, expm1, log1p
from ..dependence import lines
from ..indexing.indexing import take
from ..indexing.plans import counted
from ..reductions import less_top, reduce_max, reduce_sum
from ..samples import Sample, arrays, together
from ..selection import where
from ..shaping import broadcast_to, reshape

ndarray = np.ndarray


@in_single
def _log_softmax(xp, x, axis):
    """x - max - log Σ exp(x - max); the maximum is replaced by 0 where it is -inf, so that beside inf all is NaN."""
    if not x.size:
        return x + 0
    rows = rows_along(x, axis)
    if rows is not None:
        out, total = _shifted_rows(rows)
        out -= _log_totals(out, total)[:, None]
        return from_rows(out, x.shape, axis)
    out = x - _top(xp, x, axis)
    most = out == 0  # nowhere, in a row that is -inf throughout
    rest = xp.where(most, 0.0, xp.exp(out)).astype(x.dtype).sum(axis=axis, keepdims=True)
    out -= xp.log1p(rest + (most.sum(axis=axis, keepdims=True) - 1).astype(x.dtype))
    return out


def _log_totals(shifted, total):
    """log Σ exp of shifted rows; where the largest has all but a part of the sum, by the sum of the others."""
    near = (total < 1.1) & (total > 0.0)  # it is 0 of a row that is -inf throughout, which has no such logarithms
    logs = np.log(total, out=total)
    if near.any():
        others = shifted[near]
        # The largest has the exponential 1; log1p of the others' sum keeps the digits that a sum with 1 would round.
        places = others.argmax(1)
        np.exp(others, out=others)
        others[np.arange(len(others)), places] = 0.0
        logs[near] = np.log1p(row_sums(others))
    return logs


def _shifted_rows(rows):
    """x - max, and Σ exp(x - max), of the rows of a plain matrix."""
    out = less_rows(rows, _finite_tops(rows))
    return out, row_sums(np.exp(out))


def _finite_tops(rows):
    """The largest of each row, 0 where it is -inf."""
    tops = row_tops(rows)
    # A sum of squares is finite only if all elements are; where it merely overflows, the mask below is right as well.
    return tops if isfinite(tops.dot(tops)) else np.where(tops == -np.inf, tops.dtype.type(0), tops)


def _weights(rows):
    """exp(x), its sums and 1 by them, shifted by the maximum where exp(x) itself might lose what quotients can hold.

    Sums between these bounds neither overflow, nor are they so small that a quotient of a number below the normal ones
    would be above them; the shift takes a third of the time. Behind it nothing is divided: the sum may be 0.
    """
    token = error_state()
    try:
        enter_error_state(_QUIET)
        out = np.exp(rows)
        total = row_sums(out)
        inverse = np.reciprocal(total)
    finally:
        leave_error_state(token)
    # A sum of squares bounds the largest element, in one pass.
    if total.dot(total) < 1e30 and inverse.dot(inverse) < 1e4 * len(total):
        return out, total, inverse
    out = less_rows(rows, _finite_tops(rows))
    np.exp(out, out=out)
    return out, row_sums(out), None


_QUIET = make_error_state(all="ignore")


@in_single
def _softmax(xp, x, axis):
    if not x.size:
        return x + 0
    rows = rows_along(x, axis)
    if rows is not None:
        out, total, inverse = _weights(rows)
        if inverse is None and np.minimum.reduce(total) > 0:
            inverse = np.reciprocal(total, out=total)
        if inverse is not None:
            out *= inverse[:, None]
        else:  # of rows that are -inf throughout, which warn as 0 / 0 does
            out /= total[:, None]
        return from_rows(out, x.shape, axis)
    out = xp.exp(x - _top(xp, x, axis))
    out /= out.sum(axis=axis, keepdims=True)
    return out


def _top(xp, x, axis):
    """The maximum along an axis, 0 where it is -inf. The methods of arrays take half the time of the functions."""
    top = x.max(axis=axis, keepdims=True)
    return xp.where(top == -np.inf, 0.0, top).astype(x.dtype, copy=False)


def _pulled(c, ans, axis):
    """(diag(s) - s sᵀ) c for a softmax s, which is symmetric."""
    if axis == ans.ndim - 1 and type(c) is ndarray and c.dtype == ans.dtype:
        rows, given = rows_of(ans), rows_of(c)
        if rows is not None and given is not None:
            if rows.max() > _MOST:
                given = less_rows(given, given[np.arange(len(rows)), rows.argmax(1)])
            out = less_rows(given, row_dots(given, rows))
            out *= rows
            return shaped(out, ans.shape)
    part = _from_top(c, ans, axis)
    return ans * (part - reduce_sum(ans * part, (axis,), True))


_MOST = 0.9  # a share, up to which the rest has its digits


def _from_top(c, ans, axis):
    """`c` less that at the largest output, to which softmax owes the digits of the others: 1 - s has none of them."""
    if not ans.size:
        return c
    most = ans == reduce_max(ans, (axis,), True)
    return c - reduce_sum(where(most, c, 0.0), (axis,), True) / reduce_sum(most.astype(ans.dtype), (axis,), True)


def _log_softmax_vjp(ct, ans, axis):
    if axis == ans.ndim - 1 and type(ct) is ndarray and ct.dtype == ans.dtype:
        rows, given = rows_of(ans), rows_of(ct)
        if rows is not None and given is not None:
            total = row_sums(given)[:, None]
            out = np.exp(rows)
            out *= total
            np.subtract(given, out, out=out)
            # Near 0, 1 - exp is taken as -expm1, which keeps its digits.
            if rows.max() > _NEAR:
                np.subtract(given - total, np.expm1(rows) * total, out=out, where=rows > _NEAR)
            return shaped(out, ans.shape)
    return _log_pulled(ct, ans, reduce_sum(ct, (axis,), True))


_NEAR = -0.1


def _log_pulled(ct, ans, total):
    """`ct` less exp(ans) total, which is nearly `ct` where only the largest has a cotangent."""
    near = ans > _NEAR
    return where(near, (ct - total) - expm1(where(near, ans, 0.0)) * total, ct - exp(ans) * total)


def _rows(*shapes):
    return together(*[arrays(s, axis=a, complex_too=False) for s in shapes for a in range(len(s))])


def _total(x):
    return reduce_sum(x, (0,), False)


def _row_parts(x):
    """Of one row: the largest, x without it, its exponential function and the sum of that; infinities become NaN."""
    top = reduce_max(x, (0,), False)
    low = x - top
    parts = exp(low)
    return top, low, parts, _total(parts)


def _row_softmax(x):
    _, _, parts, total = _row_parts(x)
    return parts * (1.0 / total)


def _row_log_softmax(x):
    _, low, parts, _ = _row_parts(x)
    most = low == 0.0
    one = x.dtype.type(1)
    return low - log1p(_total(where(most, one - one, parts)) + (_total(where(most, one, one - one)) - one))


def _row_loss(x):
    """Σ exp(x - max), and the maximum."""
    top, _, _, total = _row_parts(x)
    return total, top


def _row_pulled(c, ans):
    most = ans == reduce_max(ans, (0,), False)
    one = ans.dtype.type(1)
    part = c - _total(where(most, c, one - one)) / _total(where(most, one, one - one))
    return (part - _total(part * ans)) * ans


def _quotient(x, axis):
    parts = exp(less_top(x, (axis,))[0])
    return parts / reduce_sum(parts, (axis,), True)


def _log_quotient(x, axis):
    low, _ = less_top(x, (axis,))
    return low - _log_total(low, (axis,), True)


def _log_total(low, axes, keepdims):
    """log Σ exp of what `less_top` gives: the largest are 1 each, beside which the others are not rounded."""
    parts, most = exp(low), low == 0.0
    rest = reduce_sum(where(most, 0.0, parts), axes, keepdims)
    ones = reduce_sum(where(most, parts, 0.0), axes, keepdims)
    return log1p(rest + (ones - 1.0))


_REAL = {"complex": "the order its maximum needs is that of real numbers", "()": "it needs an axis"}
softmax = primitive(
    "softmax",
    impl=lambda xp, x, *, axis: _softmax(xp, x, axis),
    lower=_quotient,
    shape=lambda x: x,
    jvp={"x": lambda dx, ans, axis: _pulled(dx, ans, axis)},
    vjp={"x": lambda ct, ans, axis: _pulled(ct, ans, axis)},
    batch=lambda x, axis: softmax(x, axis + 1),
    kernel=Rows(impl=_row_softmax, vjp=_row_pulled, jvp=_row_pulled),
    absent=_REAL,
    depends=lambda x, axis: lines(x, (axis,)),
    blocks="axis",
    samples=_rows((3,), (2, 3), (2, 3, 2), (0, 3)),
)


def _log_pushed(part, ans, axis):
    return part - reduce_sum(exp(ans) * part, (axis,), True)


log_softmax = primitive(
    "log_softmax",
    impl=lambda xp, x, *, axis: _log_softmax(xp, x, axis),
    lower=_log_quotient,
    shape=lambda x: x,
    jvp={"x": lambda dx, ans, axis: _log_pushed(_from_top(dx, ans, axis), ans, axis)},
    vjp={"x": _log_softmax_vjp},
    batch=lambda x, axis: log_softmax(x, axis + 1),
    kernel=Rows(impl=_row_log_softmax, vjp=lambda c, ans: _log_pulled(c, ans, _total(c))),
    absent=_REAL,
    depends=lambda x, axis: lines(x, (axis,)),
    blocks="axis",
    samples=_rows((3,), (2, 3), (2, 3, 2), (0, 3)),
)


@in_single
def _cross_entropy(xp, x, labels):
    rows = rows_of(x)
    if rows is not None and type(labels) is ndarray:
        out, total = _shifted_rows(rows)
        return _log_totals(out, total) - out[np.arange(len(rows)), labels]
    shifted = x - _top(xp, x, 1)
    picked = shifted[xp.arange(x.shape[0]), labels]
    return xp.log(xp.exp(shifted).sum(axis=1)) - picked


def _cross_entropy_shape(x, labels):
    if x.ndim != 2 or not x.shape[1] or labels.shape != x.shape[:1]:
        raise ShapeError("cross_entropy needs logits of shape (n, classes) and labels of shape (n,), but got "
                         f"{x.shape} and "
                         f"{labels.shape}; reshape them, one row per example{at_user_line()}")
    return make_aval(labels.shape, x.dtype)


def _gap_to_labels(x, labels):
    """softmax(x) minus the one-hot rows of the labels: the slope of each row's loss."""
    hit = labels.reshape((-1, 1)) == constant(np.arange(x.shape[1]), labels)
    return softmax(x, 1) - hit.astype(x.dtype)


def _cross_entropy_vjp(ct, x, labels):
    rows = rows_of(x)
    if rows is not None and type(labels) is ndarray and type(ct) is ndarray and ct.dtype == x.dtype:
        out, total, _ = _weights(rows)
        out *= (ct / total)[:, None]
        out[np.arange(len(rows)), labels] -= ct
        return out
    return _gap_to_labels(x, labels) * ct.reshape((-1, 1))


def _labelled(x, labels):
    """The element of each row at its label."""
    return x[namespace_of((x,)).arange(len(x)), labels]


def _less_labelled(found, x, labels):
    """The loss of each row from what its kernel gives."""
    total, top = found
    picked = _labelled(x, labels)
    picked -= top
    total = namespace_of((x,)).log(total, out=total)
    total -= picked
    return total


def _less_hits(slope, c, labels):
    slope[namespace_of((slope,)).arange(len(slope)), labels] -= c
    return slope


def _row_scaled(x, picked, c):
    """softmax(x) * c, without the maximum."""
    weights = exp(x - picked)
    return weights * (c / _total(weights))


# Without the maximum, where exponentials neither overflow nor are infinite: one look less at each row. The gradient
# does not take the loss, which programs scale in place.
_ROWS_HERE = {
    "impl": (lambda x, picked: _total(exp(x - picked)), lambda total: np.log(total, out=total)),
    "vjp": (_row_scaled, _less_hits),
}


def _cross_entropy_batch(x, labels, batched, size):
    n, c = x.shape[-2:]
    x = x if batched[0] else broadcast_to(x, shape=(size, n, c))
    labels = labels if batched[1] else broadcast_to(labels, shape=(size, n))
    return cross_entropy(x.reshape((size * n, c)), labels.reshape((size * n,))).reshape((size, n))


def _less_picked(x, labels):
    n, classes = x.shape
    low, _ = less_top(x, (1,))
    places = counted(labels, classes) + np.arange(n) * classes
    return _log_total(low, (1,), False) - take(reshape(low, (n * classes,)), places, 0)


cross_entropy = primitive(
    "cross_entropy",  # logits (n, classes), integer labels (n,) -> -log softmax(logits)[label], a row each
    impl=lambda xp, x, labels: _cross_entropy(xp, x, labels),
    lower=_less_picked,
    shape=_cross_entropy_shape,
    jvp={"x": lambda dx, x, labels: reduce_sum(_gap_to_labels(x, labels) * dx, (1,), False)},
    vjp={"x": _cross_entropy_vjp},
    batch=_cross_entropy_batch,
    kernel=Rows(impl=_row_loss, vjp=lambda x, c: _row_softmax(x) * c,
                kinds=dict.fromkeys(("picked", "c"), "number"), here=_ROWS_HERE,
                before={"picked": _labelled}, after={"impl": _less_labelled, "vjp": _less_hits}),
    nondiff="labels",
    blocks=1,
    absent={**_REAL, "broadcast": "one label per row"},
    samples=lambda rng: [Sample(rng.normal(size=(n, 3)).astype(t), rng.integers(0, 3, n))
                         for n, t in ((4, float), (1, float), (0, float), (2, np.float32))],
)


@in_single
def _target_entropy(xp, x, t):
    """Σ t logsumexp(x) - Σ t x over the last axis; 0 · -inf of a class that is excluded counts 0."""
    logs = _log_softmax(xp, x, x.ndim - 1)
    return -xp.sum(t * xp.where(t == 0, 0.0, logs).astype(logs.dtype), axis=-1)


def _weighed_logs(x, t):
    last = x.ndim - 1
    return -reduce_sum(t * where(t == 0.0, 0.0, _log_quotient(x, last)), (last,), False)


def _target_entropy_shape(x, t):
    if not x.ndim or x.shape != t.shape or not x.shape[-1]:
        raise ShapeError("target_cross_entropy needs logits and targets of one shape (…, classes), but got "
                         f"{x.shape} and {t.shape}; broadcast them first{at_user_line()}")
    return make_aval(x.shape[:-1], result_dtype(x, t))


def _target_gap(x, t):
    """softmax(x) Σ t - t: the slope of each row's loss by its logits."""
    return softmax(x, x.ndim - 1) * reduce_sum(t, (t.ndim - 1,), True) - t


def _target_jvp(tangents, x, t):
    dx, dt = tangents
    last = (x.ndim - 1,)
    push = None if dx is None else reduce_sum(_target_gap(x, t) * dx, last, False)
    if dt is None:
        return push
    part = -reduce_sum(strong_zero(dt, log_softmax(x, x.ndim - 1) * dt), last, False)
    return part if push is None else push + part


def _target_weight_vjp(ct, x):
    ct = ct.reshape((*ct.shape, 1))
    return strong_zero(ct, -log_softmax(x, x.ndim - 1) * ct)


target_cross_entropy = primitive(
    "target_cross_entropy",  # logits and weights of the classes (…, classes) -> -Σ t log softmax(x) over the last axis
    impl=lambda xp, x, t: _target_entropy(xp, x, t),
    lower=_weighed_logs,
    shape=_target_entropy_shape,
    jvp={"x, t": _target_jvp},
    vjp={
        "x": lambda ct, x, t: _target_gap(x, t) * ct.reshape((*ct.shape, 1)),
        "t": _target_weight_vjp,
    },
    batch=lambda x, t, batched, size: target_cross_entropy(
        *[v if hit else broadcast_to(v, shape=(size, *v.shape)) for v, hit in zip((x, t), batched)]),
    quiet=True,
    blocks=1,
    absent={**_REAL, "broadcast": "one shape for both"},
    samples=together(*[arrays(s, s, complex_too=False) for s in ((3,), (2, 3), (2, 1, 3), (0, 3))]),
)


# Multilabel hinge loss: margins of 1 between the scores of labels and those of other classes.


def _kernel(slopes):
    def define(k, x, labels):
        rows, classes = x.shape
        k.require(labels.shape[0].equals(rows), labels.shape[1].equals(classes))
        out = k.output(x.kind, (rows, classes) if slopes else (rows,))
        others = k.scratch(x.kind, (classes,))  # 1, 0 of labels
        zero, share = k.scalar(0, x.kind), 1 / k.cast(classes, x.kind)
        others.fill(1)
        if slopes:
            out.fill(0)
        for i in k.range(rows):
            count, more, total = k.cell(0, "i64"), k.cell(1, "i64"), k.cell(0, x.kind)
            for j in k.range(classes):  # labels end where one is negative
                label = labels[i, j]
                more.set(k.where(label < 0, 0, more.get()))
                for _ in k.when(more.get().differs(0)):
                    k.refuse(label >= classes)
                    others[label] = 0
                    count.set(j + 1)
            for j in k.range(count.get()):
                label = labels[i, j]
                least, hits = 1 - x[i, label], k.cell(0, x.kind)
                for c in k.range(classes, vectors=True):
                    gap = least + x[i, c]
                    hit = k.where(gap > 0, others[c], zero)
                    if slopes:
                        out[i, c] = out[i, c] + hit * share
                        hits.add(hit)
                    else:
                        total.add(k.where(hit > 0, gap, zero))
                if slopes:
                    out[i, label] = out[i, label] - hits.get() * share
            for j in k.range(count.get()):
                others[labels[i, j]] = 1
            if not slopes:
                out[i] = total.get() * share

    return define


def _given(x, labels):
    plain = x.dtype.kind == "f" and type(labels) is ndarray and labels.dtype.kind == "i"
    return (x, labels.astype(np.int64, copy=False)) if plain else None


def _gaps(xp, x, labels):
    """`(labels, gaps, whether they count)` of each label and class, in as many places as the row with most labels."""
    valid = xp.cumsum(labels < 0, axis=1) == 0
    most = int(valid.sum(1).max(initial=0))
    valid, labels = valid[:, :most], xp.where(valid, labels, -1)[:, :most]
    other = ~(labels[:, :, None] == xp.arange(x.shape[1])).any(axis=1)
    labels = xp.maximum(labels, 0)
    gaps = 1 - xp.take_along_axis(x, labels, 1)[:, :, None] + x[:, None, :]
    return labels, gaps, valid[:, :, None] & other[:, None, :] & (gaps > 0)


def _loss(xp, x, labels):
    _, gaps, hit = _gaps(xp, x, labels)
    return xp.where(hit, gaps, x.dtype.type(0)).sum(axis=(1, 2)) / x.shape[1]


def _slopes(xp, x, labels):
    labels, _, hit = _gaps(xp, x, labels)
    out = hit.sum(axis=1).astype(x.dtype)
    xp.add.at(out, (xp.arange(x.shape[0])[:, None], labels), -hit.sum(axis=2).astype(x.dtype))
    return out / x.shape[1]


def _shape(x, labels):
    if x.ndim != 2 or labels.shape != x.shape or not x.shape[1]:
        raise ShapeError("multilabel_hinge needs scores and labels of one shape (rows, classes), but got "
                         f"{x.shape} and {labels.shape}; reshape them{at_user_line()}")
    return make_aval(x.shape[:1], x.dtype)


def _batch(x, labels, batched, size):
    """All rows of a batch one after the other: `(x, labels)`, and (size, rows)."""
    x, labels = (v if b else broadcast_to(v, (size, *v.shape)) for v, b in zip((x, labels), batched))
    lead = tuple(x.shape[:2])
    return [v.reshape((prod(lead), x.shape[2])) for v in (x, labels)], lead


def _hinge_batch(x, labels, batched, size):
    joined, lead = _batch(x, labels, batched, size)
    return multilabel_hinge(*joined).reshape(lead)


def _slopes_batch(x, labels, batched, size):
    joined, lead = _batch(x, labels, batched, size)
    return multilabel_slopes(*joined).reshape((*lead, x.shape[-1]))


def _samples(rng):
    out = []
    for labels in ([[1, 2, -1], [0, -1, 1], [-1, 0, 0]], [[0, 1, 2, 0]], [[3, 3, -1, 0]], np.zeros((0, 2), int), [[0]]):
        x = rng.normal(size=np.shape(labels))
        out += [Sample(x.astype(t), np.array(labels)) for t in ("f8", "f4")]
    return out


_FACTS = {"nondiff": "labels", "samples": _samples,
          "absent": {"complex": "it orders real numbers", "()": "scores are rows", "broadcast": "a row has labels"}}
multilabel_slopes = primitive(
    "multilabel_slopes",  # the derivative of multilabel_hinge; 0 at its kinks
    impl=lambda xp, x, labels: _slopes(xp, x, labels),
    kernel=Loops(_kernel(True), _given),
    shape=lambda x: x,
    jvp=ZERO,
    batch=_slopes_batch,
    **_FACTS,
)
multilabel_hinge = primitive(
    "multilabel_hinge",  # x, labels: (rows, classes) -> (rows,): Σ max(0, 1 - x[label] + x[other]) / classes
    # the labels of a row end before the first that is negative
    impl=lambda xp, x, labels: _loss(xp, x, labels),
    kernel=Loops(_kernel(False), _given),
    shape=_shape,
    jvp={"x": lambda dx, x, labels: (dx * multilabel_slopes(x, labels)).sum(axis=1)},
    vjp={"x": lambda ct, x, labels: multilabel_slopes(x, labels) * ct.reshape((-1, 1))},
    blocks=1,
    batch=_hinge_batch,
    zeros=True,
    **_FACTS,
)
