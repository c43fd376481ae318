"""Bounds and constraints in SciPy's forms, as functions that are not negative where they hold."""

from typing import Any

import numpy as np

from ...core.errors import ShapeError, at_user_line
from ...core.trace.tracer import Tracer
from ...numpy import asarray, concatenate
from ...transforms.arguments.arguments import settle


def limits(bounds: Any, n: int, name: str) -> tuple[Any, Any]:
    """`(lower, upper)` of `n` unknowns, arrays that may be traced; None where there are none."""
    if bounds is None:
        return None, None
    if hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    elif len(bounds) == n:
        low = [-np.inf if pair[0] is None else pair[0] for pair in bounds]
        high = [np.inf if pair[1] is None else pair[1] for pair in bounds]
    else:
        raise ShapeError(f"{name} needs one pair (lower, upper) for each of the {n} unknowns, but got {len(bounds)}; "
                         f"give None for what has no bound{at_user_line()}")
    return spread(low, n), spread(high, n)


def spread(limit: Any, n: int) -> Any:
    """One limit for each unknown."""
    limit = settle(asarray(limit))
    return limit if limit.shape == (n,) else limit + np.zeros(n)


def places(limit: Any) -> Any:
    """Indices of the finite limits; of a traced limit, all indices."""
    if limit is None:
        return np.zeros(0, int)
    if isinstance(limit, Tracer):
        return np.arange(limit.shape[0])
    return np.flatnonzero(np.isfinite(limit))


def box_gaps(x: Any, low: Any, high: Any, below: Any, above: Any) -> list[Any]:
    """Distances of `x` from its bounds, at the indices that have one."""
    gaps = [] if not len(below) else [x[below] - low[below]]
    return gaps if not len(above) else [*gaps, high[above] - x[above]]


def listed(constraints: Any) -> list[Any]:
    """Constraints as a list."""
    return list(constraints) if isinstance(constraints, (list, tuple)) else [constraints]


def rows_of(one: Any, x: Any, name: str) -> list[tuple[Any, bool]]:
    """Evaluate one constraint at `x`: pairs `(gaps, whether they must be 0)`."""
    if isinstance(one, dict):
        args = one.get("args", ())
        value = asarray(one["fun"](x, *(args if isinstance(args, tuple) else (args,)))).reshape((-1,))
        return [(value, one["type"] == "eq")]
    if hasattr(one, "A"):
        matrix = one.A.toarray() if hasattr(one.A, "toarray") else one.A
        value = asarray(matrix @ x)
    elif hasattr(one, "fun"):
        value = asarray(one.fun(x)).reshape((-1,))
    else:
        raise TypeError(f"{name} takes constraints as dicts, LinearConstraint or NonlinearConstraint, but got {one!r}; "
                        f"write {{'type': 'ineq', 'fun': f}}{at_user_line()}")
    n = value.shape[0]
    low, high = (np.broadcast_to(np.asarray(v, float), (n,)) for v in (one.lb, one.ub))
    same = low == high
    found = []
    for at, limit, sign, equal in ((same, low, 1.0, True), (~same & np.isfinite(low), low, 1.0, False),
                                   (~same & np.isfinite(high), high, -1.0, False)):
        if at.any():
            k = np.flatnonzero(at)
            found.append((sign * (value[k] - limit[k]), equal))
    return found


def joined(parts: list[Any]) -> Any:
    """Vectors one after another."""
    return parts[0] if len(parts) == 1 else concatenate(parts)
