"""Constrained minima by any solver, differentiated through the conditions of Karush, Kuhn and Tucker."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.types import Callable
from ...numpy import concatenate, where
from ...transforms.interpreters.gradient import grad, vjp
from ...transforms.interpreters.jacobian import jacobian
from .._solvers.arguments import COUNT, FLAG, floats
from .._solvers.implicit import Implicit

_NEAR = 1e-6  # of a constraint that counts as active, relative to the size of x
_WEAK = 1e-6  # of a multiplier that counts as zero, relative to the gradient of the objective
_STILL = 1e-7  # of a gradient that is small enough though the solver says that it did not converge
NAMES = ("success", "status", "nit", "nfev")


class Stationary(Implicit):
    """A minimum of objective(x) where gaps(x) >= 0, or = 0 where `equal`; z is x with the multipliers behind it.

    The unknowns fulfil ∇f - (∂c/∂x)ᵀ λ = 0, c = 0 for active constraints, and λ = 0 for the others (Fiacco, 1976).

    Args:
        name: of the public function.
        fixed: how many operands have no derivative.
        n, equal: unknowns, and a flag for each constraint.
        objective, gaps: of `(x, *values)`, in operations; `gaps` is None if there are no constraints.
        search: `search(*operands)` returns SciPy's result.
        active: `active(result)` flags the constraints that are active; None to tell by the gaps.
    """

    def __init__(self, name: str, fixed: int, n: int, equal: Any, objective: Callable[..., Any],
                 gaps: Callable[..., Any] | None, search: Callable[..., Any], active: Any = None) -> None:
        self.n = n
        self.equal = equal
        self.objective = objective
        self.gaps = gaps
        self.search = search
        self.active = active
        m = len(equal)
        Implicit.__init__(self, name, fixed, self._host, self._residual, lambda given: [
            floats(n + m), make_aval((m,), np.dtype(bool)), FLAG, COUNT, COUNT, COUNT])

    def _residual(self, z: Any, facts: Any, *values: Any) -> Any:
        x, weights = z[: self.n], z[self.n :]
        slope = grad(lambda x: self.objective(x, *values))(x)
        if self.gaps is None:
            return slope
        gaps, pullback = vjp(lambda x: self.gaps(x, *values), x)  # type: ignore[misc]
        return concatenate([slope - pullback(weights)[0], where(facts[0], gaps, weights)])

    def _host(self, *operands: Any) -> Any:
        found = self.search(*operands)
        values = operands[self.fixed :]
        facts = (bool(found.get("success", True)), int(found.get("status", 0)), int(found.get("nit", 0)),
                 int(found.get("nfev", 0)))
        if found.x is None:
            z = np.full(self.n + len(self.equal), np.nan)
            return z, (np.zeros(len(self.equal), bool), *facts), _said(found), found
        x = np.asarray(found.x, float)
        slope = np.asarray(grad(lambda x: self.objective(x, *values))(x))
        weights, mask, trouble, left = np.zeros(0), np.zeros(0, bool), "", slope
        if self.gaps is not None:
            gaps = np.asarray(self.gaps(x, *values))
            rows = np.asarray(jacobian(lambda x: self.gaps(x, *values))(x))  # type: ignore[misc]
            near = gaps <= _NEAR * (1.0 + np.abs(x).max(initial=0.0)) if self.active is None else self.active(found)
            weights, mask, trouble = multipliers(slope, rows, near | self.equal, self.equal)
            left = slope - rows.T @ weights
        still = np.abs(left).max(initial=0.0) <= _STILL * max(1.0, np.abs(slope).max(initial=0.0))
        return (np.concatenate([x, weights]), (mask, *facts),
                trouble if found.get("success", True) or still else _said(found), found)


def _said(found: Any) -> str:
    return (f"the search did not converge, and SciPy says {str(found.message)!r}; start nearer, or allow more "
            "iterations")


def multipliers(slope: Any, rows: Any, near: Any, equal: Any) -> Any:
    """`(multipliers, active, trouble)` of constraints with gradients `rows`, of which some are `near`."""
    weights = np.zeros(len(rows))
    active = np.flatnonzero(near)
    if not active.size:
        return weights, near, ""
    found, _, rank, _ = np.linalg.lstsq(rows[active].T, slope, rcond=1e-12)
    weights[active] = found
    if rank < active.size:
        return weights, near, (
            f"{active.size} constraints are active there, but their gradients have rank {rank}, so that the "
            "multipliers are not unique; leave out those that follow from others")
    size = max(1.0, np.abs(slope).max(initial=0.0))
    weak = near & ~equal & (np.abs(weights) <= _WEAK * size)
    if weak.any():
        return weights, near, (
            f"{int(weak.sum())} inequality constraints or bounds are active there with a multiplier of 0, so that the "
            "solution has different derivatives to its two sides; move the constraint away")
    if (near & ~equal & (weights < 0.0)).any():
        return weights, near, ("an active constraint has a multiplier of the wrong sign, so that this is no minimum; "
                               "start elsewhere, or ask for a smaller tolerance")
    return weights, near, ""
