"""Finite differences: the directional derivative of a function from its values alone."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
