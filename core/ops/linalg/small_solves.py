"""Solutions, inverses and determinants of small matrices in operations: elimination with pivots, row by row."""

import numpy as np

from ...primitive.primitive import NotLowered
from ..selection import where
from ..shaping import concatenate, stack
from .guards import pivot

SMALL = 4  # rows of a matrix that is eliminated so; larger ones are left to LAPACK


def solved(a, b):
    """`x` with `a @ x = b` for a matrix `b`."""
    _refuse_large(a, (b, 2))
    n, m = b.shape
    rows, _ = _reduced(a, [b[i] for i in range(n)])
    return stack(*[row[n : n + m] for row in rows], axis=0)


def solved_vector(a, b):
    """`x` with `a @ x = b` for a vector `b`."""
    _refuse_large(a, (b, 1))
    n = b.shape[0]
    rows, _ = _reduced(a, [b[i : i + 1] for i in range(n)])
    return concatenate(*[row[n : n + 1] for row in rows], axis=0)


def inverted(a):
    """The inverse."""
    _refuse_large(a)
    n = a.shape[0]
    rows, _ = _reduced(a, list(np.eye(n, dtype=a.dtype)))
    return stack(*[row[n : 2 * n] for row in rows], axis=0)


def determinant(a):
    """The product of the pivots, with a sign for each exchange of rows."""
    return _signed(*_pivots(a))


def log_determinant(a):
    """The sign of the determinant, and the logarithm of its absolute value."""
    pivots, flips = _pivots(a)
    sizes = [np.log(np.abs(p)) for p in pivots]
    total = sizes[0]
    for size in sizes[1:]:
        total = total + size
    return _signed([np.sign(p) for p in pivots], flips), total


def _refuse_large(a, *others):
    """Refuse large matrices, stacks of them, and right sides that are large or of another rank, each given with it."""
    if a.ndim != 2 or not 0 < a.shape[0] <= SMALL or a.dtype.kind != "f" or any(
            b.dtype != a.dtype or b.ndim != rank or b.size > SMALL * SMALL for b, rank in others):
        raise NotLowered


def _pivots(a):
    """The pivots of an elimination, some of which may be 0, and which rows were exchanged."""
    _refuse_large(a)
    rows, flips = [a[i] for i in range(a.shape[0])], []
    for k in range(len(rows)):
        flips += _pivot(rows, k)
        top = rows[k][k]
        safe = where(top == 0.0, 1.0, top)
        for i in range(k + 1, len(rows)):
            rows[i] = _less(rows[i], rows[k], k, safe)
    return [row[k] for k, row in enumerate(rows)], flips


def _signed(factors, flips):
    """The product of factors, with another sign for each exchange."""
    found = factors[0] * 1.0
    for x in factors[1:]:
        found = found * x
    for flip in flips:
        found = where(flip, -found, found)
    return found


def _pivot(rows, k):
    """Exchange rows so that the largest element of a column, in rows from `k` on, is in row `k`; which were."""
    flips = []
    for i in range(k + 1, len(rows)):
        here, there = np.abs(rows[k][k]), np.abs(rows[i][k])
        flip = there > here
        rows[k], rows[i] = where(flip, rows[i], rows[k]), where(flip, rows[k], rows[i])
        flips.append(flip)
    return flips


def _less(row, other, k, top):
    """A row without its part in column `k`."""
    return row - row[k] / top * other


def _reduced(a, beside):
    """`(rows, pivots)` of `[a | beside]` after elimination below and above the diagonal, each over its pivot.

    Compiled code gives up at a pivot of 0, and LAPACK raises.
    """
    rows = [concatenate(a[i], b, axis=0) for i, b in enumerate(beside)]
    pivots = []
    for k in range(len(rows)):
        _pivot(rows, k)
        pivots.append(pivot(rows[k][k]))
        for i in range(k + 1, len(rows)):
            rows[i] = _less(rows[i], rows[k], k, pivots[k])
    for k in reversed(range(len(rows))):
        rows[k] = rows[k] / pivots[k]
        for i in range(k):
            rows[i] = rows[i] - rows[i][k] * rows[k]
    return rows, pivots
