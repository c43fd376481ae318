"""Comparing arrays, with messages that name the worst element and both values."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class CheckError(AssertionError):
    """A wrong rule or derivative; the message says which, where, and by how much."""


def agree(found: Any, wanted: Any, tol: float, where: str, scale: float | None = None) -> None:
    """Raise CheckError unless `found` equals `wanted` up to `tol` times the largest wanted value (at least 1)."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        raise CheckError(f"{where}: got shape {found.shape}, expected {wanted.shape}")
    if not found.size:
        return
    if found.dtype.kind not in "fc" and wanted.dtype.kind not in "fc":
        wrong = np.asarray(found != wanted)
        if wrong.any():
            _fail(where, wrong.astype(float), found, wanted, 0.0)
        return
    with np.errstate(all="ignore"):
        same = (found == wanted) | ((found != found) & (wanted != wanted))
        gap = np.where(same, 0.0, np.abs(found - wanted))
    gap = np.where(gap == gap, gap, np.inf)
    finite = np.abs(wanted[np.isfinite(wanted)])
    if scale is None:
        scale = max(float(finite.max(initial=0.0)), 1e-3)
    if gap.max() > tol * scale:
        _fail(where, gap, found, wanted, tol * scale)


def _fail(where: str, gap: Any, found: Any, wanted: Any, allowed: float) -> None:
    worst = tuple(int(k) for k in np.unravel_index(int(np.argmax(gap)), gap.shape))
    at = f"element {worst}" if worst else "the value"
    raise CheckError(
        f"{where}: {at} is {found[worst]!s}, expected {wanted[worst]!s} "
        f"(difference {gap[worst]:.3g}, allowed {allowed:.3g}; {int((gap > allowed).sum())} of {gap.size} differ)"
    )


def same_aval(found: Any, wanted: Any, where: str) -> None:
    """Raise CheckError unless the two have one shape and one dtype."""
    have, want = (np.shape(found), np.dtype(found.dtype)), (tuple(wanted.shape), np.dtype(wanted.dtype))
    if have != want:
        raise CheckError(f"{where}: got shape {have[0]} and dtype {have[1]}, expected {want[0]} and {want[1]}")


def inner(us: Any, vs: Any) -> tuple[float, float]:
    """`Re Σ conj(u) v` over lists of arrays, and the sum of the magnitudes of its terms."""
    total, size = 0.0, 0.0
    for u, v in zip(us, vs):
        u, v = wide(np.asarray(u)), wide(np.asarray(v))
        terms = (np.conj(u) * v).real
        total += float(terms.sum())
        size += float(np.abs(terms).sum())
    return total, size


def wide(x: Any) -> Any:
    """`x` in double precision, if it is floating or complex."""
    x = np.asarray(x)
    if x.dtype.kind == "f" or (x.dtype.kind == "V" and x.dtype.name.startswith(("bfloat", "float"))):
        return x.astype(np.float64)
    return x.astype(np.complex128) if x.dtype.kind == "c" else x


# Finite differences: the directional derivative of a function from its values alone.

_SHRINK = 2.0
_LEAST = 3  # halvings in any case: two estimates can agree by accident
SETTLED = 1e-12  # of the largest element, a tenth of what differences in double precision reach


def difference(
    fun: Callable[..., Sequence[Any]], points: Sequence[Any], directions: Sequence[Any], step: float = 0.05,
    levels: int = 9,
) -> list[Any]:
    """The derivative of `t -> fun(*(points + t directions))` at 0, for each array that `fun` returns.

    Central differences with Ridders' extrapolation (Ridders 1982, Adv. Eng. Software 4, 75): the step is halved up to
    `levels` times, the table is extrapolated, and each element takes the entry with the smallest error estimate; it
    ends where the estimates of all elements have `SETTLED` of their size. Real and complex directions alike; about
    1e-11 relative in double precision, away from non-smooth points.
    """
    tables: list[_Table] = []
    with np.errstate(all="ignore"):
        for level in range(levels):
            h = step / _SHRINK**level
            plus = fun(*[x + h * v for x, v in zip(points, directions)])
            minus = fun(*[x - h * v for x, v in zip(points, directions)])
            estimates = [(np.asarray(p) - np.asarray(m)) / (2.0 * h) for p, m in zip(plus, minus)]
            if not tables:
                tables = [_Table(estimate) for estimate in estimates]
                continue
            ready = [table.settled(estimate) for table, estimate in zip(tables, estimates)]
            if all(ready) and level >= _LEAST:
                break
    return [table.best for table in tables]


class _Table:
    """The last row of an extrapolation, and of each element the best entry so far with the estimate of its error."""

    def __init__(self, estimate: Any) -> None:
        self.row, self.best, self.error = [estimate], estimate, np.full(np.shape(estimate), np.inf)

    def settled(self, estimate: Any) -> bool:
        """Add a row for a step half as long; tell whether another one would better nothing."""
        row, factor = [estimate], 1.0
        for older in self.row:
            factor *= _SHRINK**2
            finer = row[-1] + (row[-1] - older) / (factor - 1.0)
            gap = np.maximum(np.abs(finer - row[-1]), np.abs(finer - older))
            better = gap < self.error  # NaN is never better
            self.best = np.where(better, finer, self.best)
            self.error = np.where(better, gap, self.error)
            row.append(finer)
        self.row = row
        size = np.abs(self.best)
        return bool((self.error <= SETTLED * size.max(initial=0.0, where=np.isfinite(size))).all())


def random_direction(rng: np.random.Generator, x: Any) -> Any:
    """A direction of the shape and dtype of `x`, no element near 0."""
    x = np.asarray(x)

    def draw() -> Any:
        return rng.uniform(0.4, 1.0, x.shape) * rng.choice([-1.0, 1.0], x.shape)

    return np.asarray(draw() + 1j * draw() if x.dtype.kind == "c" else draw(), x.dtype)
