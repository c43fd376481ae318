"""Dependence of output elements on operand elements: building blocks of the `depends` facts of primitives.

The relation is a join: an element of the output depends on those elements of the operand that have the same key. Keys
are integers of the shape of either side, negative ones match nothing. A rule may give several joins for one operand.
"""

import math
from itertools import product

import numpy as np

MOVED = "moved"  # each element of the output is one of an operand, or a constant: the `impl` is run on index numbers
ELEMENTS = "elements"  # element by element; operands broadcast against the output


def numbered(shape):
    """The index numbers of an array."""
    return np.arange(math.prod(shape)).reshape(shape)


def shared(shape, answer, axes, answer_axes):
    """The join in which the axes `axes` of an operand go with `answer_axes` of the output, and all else mixes.

    An axis of length 1 goes with any, as in broadcasting.
    """
    lengths = [shape[a] for a in axes]
    left = np.zeros((1,) * len(shape), np.int64)
    right = np.zeros((1,) * len(answer), np.int64)
    for k, (n, a, b) in enumerate(zip(lengths, axes, answer_axes)):
        step = math.prod(lengths[k + 1 :])
        left = left + _along(n, a, len(shape)) * step
        if answer[b] == n:
            right = right + _along(n, b, len(answer)) * step
    return np.broadcast_to(left, shape), np.broadcast_to(right, answer)


def _along(n, axis, ndim):
    return np.arange(n).reshape((1,) * axis + (n,) + (1,) * (ndim - axis - 1))


def reduced(x, axes, keepdims):
    """A reduction over `axes`."""
    kept = [a for a in range(x.ndim) if a not in axes]
    answer = [1 if a in axes else n for a, n in enumerate(x.shape) if keepdims or a not in axes]
    return {0: shared(x.shape, answer, kept, kept if keepdims else range(len(kept)))}


def lines(x, axes, answer=None):
    """Lines along `axes` mix, in place; `answer` has another length along these."""
    kept = [a for a in range(x.ndim) if a not in axes]
    return {0: shared(x.shape, x.shape if answer is None else answer, kept, kept)}


def cores(answer, rank, *operands):
    """The last `rank` axes of the output and the last so many of each operand mix, leading axes broadcast.

    Args:
        operands: `(shape, how many of its last axes)` each.
    """
    lead = len(answer) - rank
    found = {}
    for k, (shape, own) in enumerate(operands):
        rest = len(shape) - own
        found[k] = shared(shape, answer, range(rest), range(lead - rest, lead))
    return found


def columns(answer, a, b):
    """A linear solve: columns of b by themselves, of shapes (…, n, n) and (…, n, k)."""
    lead = len(answer) - 2
    rest = len(b) - 2
    return {0: cores(answer, 2, (a, 2))[0],
            1: shared(b, answer, [*range(rest), rest + 1], [*range(lead - rest, lead), lead + 1])}


def outer_of(x, y, answer):
    """Products of the elements of two vectors, leading axes broadcast."""
    lead = len(answer) - 2
    found = {}
    for k, shape in enumerate((x, y)):
        rest = len(shape) - 1
        found[k] = shared(shape, answer, range(rest + 1), [*range(lead - rest, lead), lead + k])
    return found


def subscripted(x, y, answer, subscripts):
    """An einsum: what has an index of the output goes with it."""
    inputs, out = subscripts.split("->")
    found = {}
    for k, (text, shape) in enumerate(zip(inputs.split(","), (x, y))):
        kept = [c for c in text if c in out]
        found[k] = shared(shape, answer, [text.index(c) for c in kept], [out.index(c) for c in kept])
    return found


def nonzero(x, y, x_value, y_value):
    """A product element by element: where a factor is known to be 0, the output does not depend on the other."""
    found = {}
    for k, (aval, other) in enumerate(((x, y_value), (y, x_value))):
        answer = np.broadcast_shapes(x.shape, y.shape)
        keys = np.broadcast_to(numbered(aval.shape), answer)
        found[k] = numbered(aval.shape), keys if other is None else np.where(np.equal(other, 0), -1, keys)
    return found


def guarded(ct, c):
    """The second of two operands, element by element."""
    answer = np.broadcast_shapes(ct.shape, c.shape)
    return {0: (numbered(ct.shape), np.full(answer, -1)),
            1: (numbered(c.shape), np.broadcast_to(numbered(c.shape), answer))}


def chosen(condition, x, y, condition_value):
    """A choice between `x` and `y`, exact where the condition is known."""
    answer = np.broadcast_shapes(condition.shape, x.shape, y.shape)
    found = {}
    for k, aval in ((1, x), (2, y)):
        keys = np.broadcast_to(numbered(aval.shape), answer)
        if condition_value is not None:
            keys = np.where(condition_value, keys if k == 1 else -1, -1 if k == 1 else keys)
        found[k] = numbered(aval.shape), keys
    return found


def taken(x, index, axis, index_value):
    """Rows taken at places: those, or any of the same line where these are not known."""
    answer = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
    if index_value is not None:
        return {0: (numbered(x.shape), np.take(numbered(x.shape), index_value, axis=axis))}
    kept = [a for a in range(x.ndim) if a != axis]
    return {0: shared(x.shape, answer, kept, [a if a < axis else a - 1 + index.ndim for a in kept])}


def scattered(x, index, axis, n, index_value):
    """Rows added at places, or at any of the same line."""
    answer = (*x.shape[:axis], n, *x.shape[axis + index.ndim :])
    if index_value is not None:
        return {0: (np.take(numbered(answer), index_value, axis=axis), numbered(answer))}
    kept = [a for a in range(x.ndim) if not axis <= a < axis + index.ndim]
    return {0: shared(x.shape, answer, kept, [a if a < axis else a + 1 - index.ndim for a in kept])}


def slid(x, y, x_value, y_value, limit=64):
    """A convolution of rows: one join for each place of the other operand, if these are few; else lines."""
    n, m = x.shape[-1], y.shape[-1]
    answer = (*x.shape[:-1], n + m - 1)
    found = {}
    for k, (aval, other, value) in enumerate(((x, m, y_value), (y, n, x_value))):
        places = np.arange(other) if value is None or np.ndim(value) > 1 else np.flatnonzero(value)
        if len(places) > limit:
            kept = range(x.ndim - 1)
            found[k] = shared(aval.shape, answer, kept, kept)
            continue
        source = numbered(aval.shape)
        found[k] = [(source, np.concatenate([np.full((*source.shape[:-1], j), -1), source, np.full(
            (*source.shape[:-1], other - 1 - j), -1)], -1)) for j in places.tolist()]
    return found


def stencil(x, y, window, turned):
    """A convolution `y[n, f, m] ~ x[n, c, stride m + dilation k - padding]` with kernels over `window`, or transposed.

    Args:
        x, y: shapes; the operand and the output, the other way round where `turned`.
        window: `(kernel, stride, padding, dilation, groups)`.
    """
    kernel, stride, padding, dilation, groups = window
    found = []
    group = [np.arange(c) // max(c // groups, 1) for c in (x[1], y[1])]
    for place in product(*map(range, kernel)):
        spots = [np.arange(m) * s + k * d - p[0] for m, s, k, d, p in zip(y[2:], stride, place, dilation, padding)]
        inside = [(a >= 0) & (a < n) for a, n in zip(spots, x[2:])]
        left = _joined([np.arange(x[0]), group[0], *[np.arange(n) for n in x[2:]]], (x[0], groups, *x[2:]))
        right = _joined([np.arange(y[0]), group[1], *spots], (x[0], groups, *x[2:]))
        good = np.ones((), bool)
        for ok in inside:
            good = good[..., None] & ok
        right = np.where(good, right, -1)
        found.append((right, left) if turned else (left, right))
    return found


def _joined(parts, lengths):
    """Keys of a grid from those of its axes."""
    keys = np.zeros((), np.int64)
    for part, n in zip(parts, lengths):
        keys = keys[..., None] * n + part
    return keys


def product_of(x, y, x_value, y_value):
    """A matrix product: rows by themselves, and columns; where a small enough matrix is known, without its zeros."""
    left, right = (1, *x.shape) if x.ndim == 1 else x.shape, (*y.shape, 1) if y.ndim == 1 else y.shape
    lead = np.broadcast_shapes(left[:-2], right[:-2])
    answer = (*lead, left[-2], right[-1])
    found = {}
    for k, (shape, other, own, row) in enumerate(((left, y_value, x, 0), (right, x_value, y, 1))):
        rest = len(shape) - 2
        axes = [*range(rest), rest + row], [*range(len(lead) - rest, len(lead)), len(lead) + row]
        source, target = shared(shape, answer, *axes)
        given = (y, x)[k]
        target = target.reshape(tuple(n for a, n in enumerate(answer) if not (
            a == len(lead) and x.ndim == 1 or a == len(lead) + 1 and y.ndim == 1)))
        found[k] = source.reshape(own.shape), target
        if other is not None and given.ndim <= 2 and own.ndim <= 2:
            found[k] = _known_product(own.shape, np.asarray(other) != 0, k == 0)
    return found


def _known_product(shape, hit, first):
    """The pairs of elements of a product with a matrix whose nonzeros are `hit`; `first`: x @ hit, else hit @ x."""
    hit = hit if first else hit.T  # inner by outer, a vector counts as one column
    inner, outer = np.nonzero(hit.reshape(hit.shape[0], -1) if hit.ndim else hit)
    width = hit.size // max(hit.shape[0], 1)
    if len(shape) == 1:
        return Pairs(inner, outer)
    if first:
        rows = np.arange(shape[0])[:, None]
        return Pairs((rows * shape[1] + inner).ravel(), (rows * width + outer).ravel())
    columns = np.arange(shape[1])
    return Pairs((inner[:, None] * shape[1] + columns).ravel(), (outer[:, None] * shape[1] + columns).ravel())


class Pairs:
    """A relation as pairs: flat positions in the operand, and in the output."""

    __slots__ = ("source", "target")

    def __init__(self, source, target):
        self.source = source
        self.target = target
