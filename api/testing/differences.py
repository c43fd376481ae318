"""Finite differences: the directional derivative of a function from its values alone."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_SHRINK = 2.0


def difference(
    fun: Callable[..., Sequence[Any]], points: Sequence[Any], directions: Sequence[Any], step: float = 0.05,
    levels: int = 9,
) -> list[Any]:
    """The derivative of `t -> fun(*(points + t directions))` at 0, for each array that `fun` returns.

    Central differences with Ridders' extrapolation (Ridders 1982, Adv. Eng. Software 4, 75): the step is halved
    `levels` times, the table is extrapolated, and each element takes the entry with the smallest error estimate. Real
    and complex directions alike; about 1e-11 relative in double precision, away from non-smooth points.
    """
    table: list[list[Any]] = []
    with np.errstate(all="ignore"):
        for level in range(levels):
            h = step / _SHRINK**level
            plus = fun(*[x + h * v for x, v in zip(points, directions)])
            minus = fun(*[x - h * v for x, v in zip(points, directions)])
            table.append([(np.asarray(p) - np.asarray(m)) / (2.0 * h) for p, m in zip(plus, minus)])
        return [_extrapolate([row[k] for row in table]) for k in range(len(table[0]))]


def _extrapolate(column: list[Any]) -> Any:
    previous = [column[0]]
    best = column[0]
    error = np.full(np.shape(best), np.inf)
    for estimate in column[1:]:
        current = [estimate]
        factor = 1.0
        for older in previous:
            factor *= _SHRINK**2
            finer = current[-1] + (current[-1] - older) / (factor - 1.0)
            gap = np.maximum(np.abs(finer - current[-1]), np.abs(finer - older))
            better = gap < error  # NaN is never better
            best = np.where(better, finer, best)
            error = np.where(better, gap, error)
            current.append(finer)
        previous = current
    return best


def random_direction(rng: np.random.Generator, x: Any) -> Any:
    """A direction of the shape and dtype of `x`, no element near 0."""
    x = np.asarray(x)

    def draw() -> Any:
        return rng.uniform(0.4, 1.0, x.shape) * rng.choice([-1.0, 1.0], x.shape)

    return np.asarray(draw() + 1j * draw() if x.dtype.kind == "c" else draw(), x.dtype)
