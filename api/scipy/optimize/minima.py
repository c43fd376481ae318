"""Minima of functions: minimize, minimize_scalar."""

from typing import Any

import numpy as np

from ...core.types import Array, Callable
from ...transforms.interpreters.gradient import grad
from ...transforms.interpreters.jacobian import hessian, hvp, jacobian
from .._solvers.arguments import Repeated, closed, floats, in_tuple, is_traced, shaped, start_of
from .._solvers.library import result_of, scipy_module, supplied
from .constraints import box_gaps, joined, limits, listed, places, rows_of
from .stationary import NAMES, Stationary

_FLAT = 1e-7  # of a slope at a bound that counts as 0
_GRADIENT = frozenset("cg bfgs newton-cg l-bfgs-b tnc slsqp dogleg trust-ncg trust-krylov trust-exact "
                      "trust-constr".split())
_HESSIAN = frozenset({"dogleg", "trust-exact"})
_PRODUCT = frozenset({"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"})


def minimize(
    fun: Callable[..., Any], x0: Array, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: float | None = None, callback: Any = None,
    options: Any = None,
) -> Any:
    """Minimize a function of a vector; the minimum is differentiated through the conditions that it fulfils.

    Without constraints that is ∇f = 0; active bounds and constraints come in with their multipliers. Of the Hessian at
    the minimum no approximation is used, whatever the method.

    Args:
        fun: `fun(x, *args)` returns a number.
        x0: where the search starts; it has no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values that `fun` or
            constraints close over, or that are bounds.
        method, tol, callback, options: as in `scipy.optimize.minimize`.
        jac, hess, hessp: derivatives of `fun`; None for those of covector where the method uses them. False, or
            "2-point", for SciPy's differences. Where values are traced, covector's are used in place of functions.
        bounds, constraints: as in SciPy; those in dicts may close over traced values.
    Returns:
        SciPy's `OptimizeResult`; where values are traced, with `x`, `fun` and `jac` traced and the numbers and messages
        of the search. In a graph and under `vmap` it has no message.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed (the message has SciPy's), or where the
            active constraints are dependent, or have a multiplier of 0.
        SingularError: the minimum is not unique.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> def best(a):
    ...     return optimize.minimize(lambda x: np.sum((x - a) ** 2 + x**4), np.zeros(1), tol=1e-10).x[0]
    >>> round(float(best(3.0)), 6), round(float(covector.grad(best)(3.0)), 6)
    (1.0, 0.142857)
    """
    scipy = scipy_module("optimize", "minimize")
    args = in_tuple(args)
    kind = method.lower() if isinstance(method, str) else method
    every = listed(constraints)
    takes = (kind is None or kind in _GRADIENT) and jac is None
    if not is_traced(fun, x0, args, bounds, *[_insides(c) for c in every]):
        if takes:
            jac = supplied(lambda x, *a: grad(lambda x: _number(fun(x, *a)))(x), "minimize", "jac='2-point'")
            if kind in _HESSIAN and hess is None:
                hess = lambda x, *a: hessian(lambda x: _number(fun(x, *a)))(x)  # noqa: E731
            if kind in _PRODUCT and hess is None and hessp is None:
                hessp = lambda x, p, *a: hvp(lambda x: _number(fun(x, *a)), (x,), (p,))[0]  # noqa: E731
        return scipy.minimize(fun, x0, args, method, jac, hess, hessp, bounds, constraints, tol, callback, options)
    first = fun if jac is not True else lambda x, *a: fun(x, *a)[0]
    x0 = start_of(x0, "minimize")
    x0 = x0.reshape((1,)) if not x0.ndim else x0
    n = x0.shape[0]
    low, high = limits(bounds, n, "minimize")
    objective = closed(lambda x, args: _number(first(x, *args)), args, [floats(n)], "minimize")
    their = [in_tuple(c.get("args", ())) if isinstance(c, dict) else () for c in every]
    below, above = places(low), places(high)
    boxed = len(below) + len(above)

    def rows(x: Any, their: Any) -> list[tuple[Any, bool]]:
        return [row for c, a in zip(every, their)
                for row in rows_of({**c, "args": a} if isinstance(c, dict) else c, x, "minimize")]

    def gaps(x: Any, kept: Any) -> Any:
        low, high, their = kept
        return joined(box_gaps(x, low, high, below, above) + [v for v, _ in rows(x, their)])

    kinds = [np.full(v.shape[0], eq) for v, eq in rows(x0, their)]
    equal = np.concatenate([np.zeros(boxed, bool), *kinds])
    far = closed(gaps, (low, high, their), [floats(n)], "minimize") if len(equal) else None
    split = len(objective.values)
    slopes = kind is None or kind in _GRADIENT

    def value(x: Any, *values: Any) -> Any:
        return objective(x, *values[:split])

    def gap(x: Any, *values: Any) -> Any:
        return far(x, *values[split:])  # type: ignore[misc]

    def search(start: Any, low: Any, high: Any, *values: Any) -> Any:
        def number(x: Any) -> Any:
            return float(objective.on_host(x, *values[:split]))

        slope: Any = jac

        def of_x(x: Any) -> Any:
            return value(x, *values)

        if slopes and (jac is None or jac is True or callable(jac)):
            of = Repeated(grad(of_x))
            slope = lambda x: np.asarray(of(x))  # noqa: E731
        bend = Repeated(hessian(of_x)) if kind in _HESSIAN else None
        along = Repeated(lambda x, p: hvp(of_x, (x,), (p,))[0]) if kind in _PRODUCT else None
        box = None if bounds is None else list(zip(low, high))
        return scipy.minimize(number, start, (), method, slope, bend, along, box, _dicts(gap, values, boxed, equal),
                              tol, callback, options)

    nothing = np.zeros(0)
    op = Stationary("minimize", 3, n, equal, value, gap if far is not None else None, search)
    kept = [*objective.values, *(far.values if far is not None else [])]
    z, _, *facts, ticket = op(x0, nothing if low is None else low, nothing if high is None else high, *kept)
    x = z[:n]
    traced = {"x": x, "fun": value(x, *kept)}
    if slopes:
        traced["jac"] = grad(lambda x: value(x, *kept))(x)
    return result_of(scipy.OptimizeResult, op, ticket, traced, dict(zip(NAMES, facts)))


def minimize_scalar(
    fun: Callable[..., Any], bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None,
    tol: float | None = None, options: Any = None,
) -> Any:
    """Minimize a function of one number; the minimum is differentiated through f'(x) = 0, or moves with its bound.

    Args:
        fun: `fun(x, *args)` returns a number.
        bracket: where the search starts; it has no derivative.
        bounds: `(lower, upper)` of the method "bounded", which may be traced.
        args: further arguments. Derivatives are taken with respect to these, and to traced values that `fun` closes
            over.
        method, tol, options: as in `scipy.optimize.minimize_scalar`.
    Returns:
        SciPy's `OptimizeResult`; where values are traced, `x` and `fun` are. In a graph and under `vmap` it has no
        message.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed, or of a minimum at a bound at which the
            slope is 0.
        SingularError: the second derivative at the minimum is 0.

    >>> import covector
    >>> from covector.scipy import optimize
    >>> def best(a):
    ...     return optimize.minimize_scalar(lambda x: (x - a) ** 2 + x**4).x
    >>> round(float(best(3.0)), 6), round(float(covector.grad(best)(3.0)), 6)
    (1.0, 0.142857)
    """
    scipy = scipy_module("optimize", "minimize_scalar")
    args = in_tuple(args)
    if not is_traced(fun, bracket, bounds, args):
        return scipy.minimize_scalar(fun, bracket, bounds, args, method, tol, options)
    starts = [start_of(v, "minimize_scalar") for v in (() if bracket is None else bracket)]
    low, high = limits(None if bounds is None else [bounds], 1, "minimize_scalar")
    objective = closed(lambda x, args: shaped(fun(x[0], *args), (), "minimize_scalar", "fun"), args, [floats(1)],
                       "minimize_scalar")
    below, above = places(low), places(high)
    split, edges = len(objective.values), [v for v in (low, high) if v is not None]

    def value(x: Any, *values: Any) -> Any:
        return objective(x, *values[:split])

    def gap(x: Any, *values: Any) -> Any:
        low, high = values[split:]
        return joined(box_gaps(x, low, high, below, above))

    def search(*operands: Any) -> Any:
        given, values = operands[: len(starts)], operands[len(starts) :]
        ends = None if bounds is None else [float(v[0]) for v in values[split:]]
        found = scipy.minimize_scalar(lambda x: float(objective.on_host(np.reshape(x, 1), *values[:split])),
                                      tuple(map(float, given)) or None, ends, (), method, tol, options)
        found.x = np.reshape(np.asarray(found.x, float), 1)
        if ends is not None:  # a search in bounds stops as near to one as its tolerance: the slope at the bound decides
            near = max(2e-5 if tol is None else 2.0 * tol, 2.0 * (options or {}).get("xatol", 0.0))
            of = grad(lambda x: value(x, *values))
            outward = np.array([float(of(np.reshape(end, 1))[0]) * sign for end, sign in zip(ends, (1.0, -1.0))])
            found.active = (abs(found.x - ends) <= near + 1e-7 * abs(found.x)) & (outward > -_FLAT)
            for end in np.asarray(ends)[found.active & (outward < _FLAT)]:
                found.x = np.reshape(end, 1)  # where the multiplier is 0
        return found

    op = Stationary("minimize_scalar", len(starts), 1, np.zeros(len(below) + len(above), bool), value,
                    gap if edges else None, search, lambda found: found.active)
    kept = [*objective.values, *edges]
    z, _, *facts, ticket = op(*starts, *kept)
    return result_of(scipy.OptimizeResult, op, ticket, {"x": z[0], "fun": value(z[:1], *kept)}, dict(zip(NAMES, facts)))


def _number(out: Any) -> Any:
    """The value of an objective: SciPy takes arrays of one element, too."""
    return shaped(out, (), "minimize", "fun")


def _insides(constraint: Any) -> Any:
    """The parts of a constraint that may hold traced values."""
    return list(constraint.values()) if isinstance(constraint, dict) else getattr(constraint, "fun", None)


def _dicts(gap: Any, values: Any, boxed: int, equal: Any) -> Any:
    """The constraints behind the bounds, in the form that all of SciPy's methods take."""

    def far(x: Any) -> Any:
        return gap(x, *values)

    found, slope = [], Repeated(jacobian(far))
    for kind, at in (("eq", equal), ("ineq", ~equal)):
        at = np.flatnonzero(at & (np.arange(len(equal)) >= boxed))
        if len(at):
            found.append({"type": kind, "fun": lambda x, at=at: np.asarray(far(x))[at],
                          "jac": lambda x, at=at: np.asarray(slope(x))[at]})
    return found
