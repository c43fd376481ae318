"""Linear programs, differentiated through their duals, and assignments, which have no derivatives."""

from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of, make_aval
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.trace.tracer import Tracer
from ...core.types import Array
from ...numpy import asarray, zeros
from ...transforms.arguments.arguments import settle
from ...transforms.custom.two_way import Operation
from .._solvers.arguments import closed, floats, is_traced
from .._solvers.library import result_of, scipy_module
from .constraints import box_gaps, joined, limits, places
from .stationary import NAMES, Stationary


def linprog(
    c: Array, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None,  # noqa: N803 - SciPy's names
    bounds: Any = (0, None), method: str = "highs", callback: Any = None, options: Any = None, x0: Any = None,
    integrality: Any = None,
) -> Any:
    """Solve a linear program, differentiated through its dual where both have one solution.

    Args:
        c, A_ub, b_ub, A_eq, b_eq: of minimize `c @ x` where `A_ub @ x <= b_ub` and `A_eq @ x == b_eq`, which may be
            traced.
        bounds: a pair for all unknowns, or one for each; they may be traced.
        method, callback, options, x0, integrality: as in `scipy.optimize.linprog`; there are no derivatives with
            integrality.
    Returns:
        SciPy's `OptimizeResult`; where values are traced, with `x`, `fun`, `slack`, `con` and the marginals traced, and
        the numbers and messages of the search. In a graph and under `vmap` it has no message.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed (the message has SciPy's), or where the
            dual is not unique.
        SingularError: the solution is not unique.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> a, b = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([4.0, 6.0])
    >>> covector.grad(lambda b: optimize.linprog(np.array([-1.0, -1.0]), a, b).fun)(b)
    array([-0.4, -0.2])
    """
    scipy = scipy_module("optimize", "linprog")
    if not is_traced(c, A_ub, b_ub, A_eq, b_eq, bounds):
        return scipy.linprog(c, A_ub, b_ub, A_eq, b_eq, bounds, method, callback, options, x0, integrality)
    if integrality is not None and np.any(integrality):
        raise RuleError("linprog was asked for whole numbers, which jump where the data move; there is no derivative: "
                        f"apply stop_gradient to the data{at_user_line()}")
    given: list[Any] = [None if v is None else asarray(v.toarray() if hasattr(v, "toarray") else settle(v)) * 1.0
             for v in (c, A_ub, b_ub, A_eq, b_eq)]
    n = given[0].shape[0]
    pairs = list(bounds) if bounds is not None else [(0, None)]
    pairs = pairs * n if len(pairs) == 1 and n > 1 else pairs
    if len(pairs) == 2 and not isinstance(pairs[0], (tuple, list, np.ndarray)):
        pairs = [tuple(pairs)] * n
    low, high = limits(pairs, n, "linprog")
    below, above = places(low), places(high)
    for a, b, name in ((given[1], given[2], "ub"), (given[3], given[4], "eq")):
        if (a is None) != (b is None) or a is not None and a.shape != (*b.shape, n):
            raise ShapeError(f"linprog needs A_{name} of shape (m, {n}) and b_{name} of shape (m,), but got "
                             f"{None if a is None else a.shape} and {None if b is None else b.shape}; give one row for "
                             f"each constraint{at_user_line()}")
    few, exact = (0 if b is None else b.shape[0] for b in (given[2], given[4]))

    def gaps(x: Any, kept: Any) -> Any:
        _, a_ub, b_ub, a_eq, b_eq, low, high = kept
        parts = [] if a_ub is None else [b_ub - a_ub @ x]
        parts += [] if a_eq is None else [a_eq @ x - b_eq]
        return joined([*parts, *box_gaps(x, low, high, below, above)])

    every = [*given, low, high]
    whole = closed(lambda x, kept: (kept[0] @ x, gaps(x, kept)), every, [floats(n)], "linprog")
    present = [v for v in every if v is not None]

    def search(*operands: Any) -> Any:
        known = iter(operands)
        data: list[Any] = [None if v is None else next(known) for v in every]
        return scipy.linprog(*data[:5], list(zip(data[5], data[6])), method, callback, options, x0)

    equal = np.zeros(few + exact + len(below) + len(above), bool)
    equal[few : few + exact] = True
    op = Stationary("linprog", len(present), n, equal, lambda x, *v: whole(x, *v)[0], lambda x, *v: whole(x, *v)[1],
                    search)
    z, _, *facts, ticket = op(*present, *whole.values)
    x, weights = z[:n], z[n:]
    far = gaps(x, every)
    ends = np.cumsum([few, exact, len(below), len(above)])
    duals = [weights[stop - size : stop] * sign
             for stop, size, sign in zip(ends, (few, exact, len(below), len(above)), (-1.0, 1.0, 1.0, -1.0))]
    rest = [far[stop - size : stop] for stop, size in zip(ends, (few, exact, len(below), len(above)))]
    full = [zeros(n).at[at].set(d) if len(at) else np.zeros(n) for at, d in ((below, duals[2]), (above, duals[3]))]
    result = scipy.OptimizeResult
    return result_of(result, op, ticket, {
        "x": x, "fun": given[0] @ x, "slack": rest[0], "con": -rest[1],
        "ineqlin": result(residual=rest[0], marginals=duals[0]), "eqlin": result(residual=-rest[1], marginals=duals[1]),
        "lower": result(residual=x - low, marginals=full[0]), "upper": result(residual=high - x, marginals=full[1]),
    }, {name: fact for name, fact in zip(NAMES, facts) if name != "nfev"})


def linear_sum_assignment(cost_matrix: Array, maximize: bool = False) -> tuple[Array, Array]:
    """Assign rows to columns at the least total cost. The assignment is piecewise constant: it has no derivative.

    Args:
        cost_matrix: `(m, n)`.
        maximize: look for the greatest total instead.
    Returns:
        `(rows, columns)`, integer arrays of `min(m, n)` elements.
    Raises:
        RuleError: `cost_matrix` carries a derivative; take the assignment of `stop_gradient(cost_matrix)`.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> def total(c):
    ...     return c[optimize.linear_sum_assignment(covector.stop_gradient(c))].sum()
    >>> covector.grad(total)(np.array([[1.0, 2.0], [3.0, 9.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    scipy = scipy_module("optimize", "linear_sum_assignment")
    cost = settle(cost_matrix)
    if not isinstance(cost, Tracer):
        return scipy.linear_sum_assignment(cost, maximize)
    if cost.ndim != 2:
        raise ShapeError(f"linear_sum_assignment needs a matrix of costs, but got shape {tuple(cost.shape)}; use vmap "
                         f"for a batch{at_user_line()}")
    rows, columns = _Assignment(scipy.linear_sum_assignment, maximize)(cost)
    return rows, columns


class _Assignment(Operation):
    """The assignment of least cost."""

    name = "linear_sum_assignment"

    def __init__(self, solver: Any, maximize: bool) -> None:
        self.solver = solver
        self.maximize = maximize

    def avals(self, given: Any) -> Any:
        return [make_aval((min(given[0].shape),), np.dtype(np.int64))] * 2

    def run(self, *values: Any) -> Any:
        return list(self.solver(np.asarray(values[0]), self.maximize))

    def refuse(self, values: Any) -> Any:
        raise RuleError("linear_sum_assignment has no derivative: between ties the assignment does not move with the "
                        f"costs, here of shape {aval_of(values[0]).shape}; use stop_gradient(cost_matrix) for it, and "
                        f"differentiate cost_matrix[rows, columns].sum(){at_user_line()}")
