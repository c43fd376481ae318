"""Solutions, inverses and determinants of small matrices: elimination with pivots, row by row, as equations."""

import numpy as np

SMALL = 4  # rows of a matrix that is eliminated so; larger ones are left to LAPACK


def solve(s, a, b):
    """`x` with `a @ x = b` for matrices `b`; `s` writes equations, see `expansions.py`."""
    n, m = b.aval.shape
    rows, _ = _reduced(s, a, [_row(s, b, i) for i in range(n)])
    return s("stack", *[_part(s, row, n, n + m) for row in rows], params=(0,))


def solve_vector(s, a, b):
    """The same for a vector `b`."""
    n = b.aval.shape[0]
    rows, _ = _reduced(s, a, [_part(s, b, i, i + 1) for i in range(n)])
    return s("concatenate", *[_part(s, row, n, n + 1) for row in rows], params=(0,))


def inv(s, a):
    """The inverse."""
    n = a.aval.shape[0]
    rows, _ = _reduced(s, a, list(np.eye(n, dtype=a.aval.dtype)))
    return s("stack", *[_part(s, row, n, 2 * n) for row in rows], params=(0,))


def det(s, a):
    """The determinant: the product of the pivots, with a sign for each exchange of rows."""
    pivots, flips = _pivots(s, a)
    return _signed(s, pivots, flips)


def slogdet(s, a):
    """The sign of the determinant, and the logarithm of its absolute value."""
    pivots, flips = _pivots(s, a)
    sizes = [s("log", s("absolute", p)) for p in pivots]
    total = sizes[0]
    for size in sizes[1:]:
        total = s("add", total, size)
    return _signed(s, [s("sign", p) for p in pivots], flips), total


def _pivots(s, a):
    """The pivots of an elimination, some of which may be 0, and which rows were exchanged."""
    rows, flips = [_row(s, a, i) for i in range(a.aval.shape[0])], []
    for k in range(len(rows)):
        flips += _pivot(s, rows, k)
        pivot = s("getitem", rows[k], params=(k,))
        safe = s("where", s("equal", pivot, 0.0), 1.0, pivot)
        for i in range(k + 1, len(rows)):
            rows[i] = _less(s, rows[i], rows[k], k, safe)
    return [s("getitem", row, params=(k,)) for k, row in enumerate(rows)], flips


def _signed(s, factors, flips):
    """The product of factors, with another sign for each exchange."""
    found = s("multiply", factors[0], 1.0)
    for x in factors[1:]:
        found = s("multiply", found, x)
    for flip in flips:
        found = s("where", flip, s("negative", found), found)
    return found


def takes(eq):
    """Whether the operands are of a size that is eliminated so."""
    a, *others = [v.aval for v in eq.inputs]
    if a.ndim != 2 or a.shape[0] > SMALL or any(b.dtype != a.dtype or b.size > SMALL * SMALL for b in others):
        return False
    return all(b.ndim == (1 if eq.prim.name == "solve_vector" else 2) for b in others)


def _row(s, x, i):
    return s("getitem", x, params=(i,))


def _part(s, row, start, stop):
    return s("getitem", row, params=(slice(start, stop),))


def _pivot(s, rows, k):
    """Exchange rows so that the largest element of a column, in rows from `k` on, is in row `k`; which were."""
    flips = []
    for i in range(k + 1, len(rows)):
        here, there = [s("absolute", s("getitem", rows[j], params=(k,))) for j in (k, i)]
        flip = s("greater", there, here)
        rows[k], rows[i] = s("where", flip, rows[i], rows[k]), s("where", flip, rows[k], rows[i])
        flips.append(flip)
    return flips


def _less(s, row, other, k, pivot):
    """A row without its part in column `k`."""
    factor = s("divide", s("getitem", row, params=(k,)), pivot)
    return s("subtract", row, s("multiply", factor, other))


def _reduced(s, a, beside):
    """`(rows, pivots)` of `[a | beside]` after elimination below and above the diagonal, each over its pivot.

    A pivot of 0 is a place out of bounds: NumPy runs in place of this, and raises.
    """
    rows = [s("concatenate", _row(s, a, i), b, params=(0,)) for i, b in enumerate(beside)]
    pivots = []
    for k in range(len(rows)):
        _pivot(s, rows, k)
        pivot = s("getitem", rows[k], params=(k,))
        s("counted", s("where", s("equal", pivot, 0.0), np.int64(1), np.int64(0)), params=(1,))
        pivots.append(pivot)
        for i in range(k + 1, len(rows)):
            rows[i] = _less(s, rows[i], rows[k], k, pivot)
    for k in reversed(range(len(rows))):
        rows[k] = s("divide", rows[k], pivots[k])
        for i in range(k):
            rows[i] = s("subtract", rows[i], s("multiply", s("getitem", rows[i], params=(k,)), rows[k]))
    return rows, pivots
