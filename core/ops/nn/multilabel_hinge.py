"""Multilabel hinge loss: margins of 1 between the scores of labels and those of other classes."""

from math import prod

import numpy as np

from ...arrays.avals import make_aval
from ...errors import ShapeError, at_user_line
from ...primitive.families import ZERO, primitive
from ...primitive.loop_kernels import Loops
from ..samples import Sample
from ..shaping import broadcast_to

ndarray = np.ndarray


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
