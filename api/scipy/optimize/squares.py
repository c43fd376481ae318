"""Least squares: least_squares, nnls."""

from typing import Any

import numpy as np

from ...core.arrays.avals import make_aval
from ...core.errors import RuleError, ShapeError, at_user_line
from ...core.types import Array, Callable
from ...numpy import arctan, asarray, linalg, log1p, sqrt, sum as total, where
from ...transforms.arguments.arguments import settle
from ...transforms.interpreters.jacobian import jacobian
from .._solvers.arguments import Repeated, closed, floats, in_tuple, is_traced, shaped, start_of
from .._solvers.compressed import compressed_jacobian
from .._solvers.implicit import Implicit
from .._solvers.library import result_of, scipy_module, supplied
from .constraints import box_gaps, joined, limits, places, spread
from .stationary import NAMES, Stationary

_WEAK = 1e-9  # of a slope that counts as zero, relative to the data's
_LOSSES = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2.0 * (sqrt(1.0 + z) - 1.0),
    "huber": lambda z: where(z <= 1.0, z, 2.0 * sqrt(where(z <= 1.0, 1.0, z)) - 1.0),
    "cauchy": log1p,
    "arctan": arctan,
}


def least_squares(
    fun: Callable[..., Any], x0: Array, jac: Any = None, bounds: Any = (-np.inf, np.inf), method: str = "trf",
    ftol: float | None = 1e-8, xtol: float | None = 1e-8, gtol: float | None = 1e-8, x_scale: Any = None,
    loss: Any = "linear", f_scale: float = 1.0, diff_step: Any = None, tr_solver: Any = None, tr_options: Any = None,
    jac_sparsity: Any = None, max_nfev: int | None = None, verbose: int = 0, args: Any = (), kwargs: Any = None,
    **options: Any,
) -> Any:
    """Solve a nonlinear least-squares problem, whose solution is differentiated exactly.

    Where the gradient of the cost vanishes, its Hessian decides how the solution moves: with second derivatives of
    `fun`, not the approximation of Gauss and Newton.

    Args:
        fun: `fun(x, *args, **kwargs)` returns the residuals, one dimension.
        x0: where the search starts; it has no derivative.
        jac: the Jacobian of the residuals; None for that of covector (sparse, by groups of columns, where
            `jac_sparsity` is given), or "2-point", "3-point", "cs" for SciPy's differences.
        bounds: a pair of limits, which may be traced, or SciPy's `Bounds`. Those active count as equations.
        loss: as in SciPy; one of your own has no derivatives here.
        args, kwargs: further arguments. Derivatives are taken with respect to these, and to traced values that `fun`
            closes over.
        method, ftol, xtol, gtol, x_scale, f_scale, diff_step: as in `scipy.optimize.least_squares`.
        tr_solver, tr_options, jac_sparsity, max_nfev, verbose, options: the same.
    Returns:
        SciPy's `OptimizeResult`; where values are traced, with `x`, `cost` and `fun` traced and the numbers and
        messages of the search. In a graph and under `vmap` it has no message.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed; the message has SciPy's.
        SingularError: the solution is not unique.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> t = np.arange(5.0)
    >>> def rate(y):
    ...     return optimize.least_squares(lambda x: np.exp(-x[0] * t) - y, np.array([1.0]), xtol=1e-12).x[0]
    >>> covector.grad(rate)(np.exp(-0.5 * t)).round(4)
    array([-0.    , -0.3675, -0.4458, -0.4056, -0.328 ])
    """
    scipy = scipy_module("optimize", "least_squares")
    args, kwargs = in_tuple(args), kwargs or {}
    if x_scale is not None or "x_scale" in options:
        options["x_scale"] = x_scale
    options |= {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "f_scale": f_scale, "diff_step": diff_step,
                "tr_solver": tr_solver, "tr_options": tr_options or {}, "max_nfev": max_nfev, "verbose": verbose,
                "loss": loss}

    def derivative(of: Callable[..., Any]) -> Callable[..., Any]:
        if jac_sparsity is not None and method != "lm":
            return compressed_jacobian(of, jac_sparsity)
        return Repeated(jacobian(of)) if staged else jacobian(of)

    staged = is_traced(fun, x0, args, kwargs, bounds)
    if not staged:
        if jac is None:
            jac = supplied(lambda x, *a, **k: derivative(lambda x: asarray(fun(x, *a, **k)))(x), "least_squares",
                           "jac='2-point'")
        options["jac_sparsity"] = None if callable(jac) else jac_sparsity
        return scipy.least_squares(fun, x0, jac, bounds, args=args, kwargs=kwargs, **options)
    if loss not in _LOSSES:
        raise RuleError(f"least_squares has derivatives for the losses {', '.join(_LOSSES)}, but was given {loss!r}; "
                        f"minimize its sum with minimize{at_user_line()}")
    x0 = start_of(x0, "least_squares")
    x0 = x0.reshape((1,)) if not x0.ndim else x0
    n = x0.shape[0]
    if hasattr(bounds, "lb"):
        low, high = limits(bounds, n, "least_squares")
    else:
        low, high = (spread(limit, n) for limit in bounds)
    below, above = places(low), places(high)

    def residuals(x: Any, kept: Any) -> Any:
        out = asarray(fun(x, *kept[0], **kept[1])).reshape((-1,))
        return shaped(out, out.shape, "least_squares", "fun")

    given = closed(residuals, (args, kwargs), [floats(n)], "least_squares")
    far = closed(lambda x, kept: joined(box_gaps(x, kept[0], kept[1], below, above)), (low, high), [floats(n)],
                 "least_squares")
    split = len(given.values)

    def cost(x: Any, *values: Any) -> Any:
        return 0.5 * f_scale**2 * total(_LOSSES[loss]((given(x, *values[:split]) / f_scale) ** 2))

    def gap(x: Any, *values: Any) -> Any:
        return far(x, *values[split:])

    def search(start: Any, low: Any, high: Any, *values: Any) -> Any:
        slope = jac
        if jac is None or callable(jac):
            slope = derivative(lambda x: given(x, *values[:split]))
        sparsity = None if callable(slope) else jac_sparsity
        return scipy.least_squares(lambda x: given.on_host(x, *values[:split]), start, slope, (low, high),
                                   jac_sparsity=sparsity, **options)

    def active(found: Any) -> Any:
        return np.concatenate([found.active_mask[below] < 0, found.active_mask[above] > 0])

    some = len(below) + len(above)
    op = Stationary("least_squares", 3, n, np.zeros(some, bool), cost, gap if some else None, search, active)
    kept = [*given.values, *far.values]
    z, _, *facts, ticket = op(x0, low, high, *kept)
    x = z[:n]
    traced = {"x": x, "fun": given(x, *given.values), "cost": cost(x, *kept)}
    known = dict(zip(NAMES, facts))
    del known["nit"]
    return result_of(scipy.OptimizeResult, op, ticket, traced, known)


def nnls(A: Any, b: Any, *, maxiter: int | None = None) -> tuple[Any, Any]:  # noqa: N803 - SciPy's name
    """Find the `x` without negative elements for which `A @ x` is closest to `b`.

    Elements that are 0 stay there; the others move as the least-squares solution in their columns.

    Args:
        A: `(m, n)`; it may be traced.
        b: `(m,)`; it may be traced.
        maxiter: as in `scipy.optimize.nnls`.
    Returns:
        `(x, distance)`, the norm of `A @ x - b`.
    Raises:
        ConvergenceError: a derivative is asked for where an element is 0 and would not grow if it could be negative.
        SingularError: the columns of the elements that are not 0 are dependent.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> a, b = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 1.0, -1.0])
    >>> optimize.nnls(a, b)[0]
    array([1.5, 0. ])
    >>> covector.grad(lambda b: optimize.nnls(a, b)[0].sum())(b)
    array([0.5, 0.5, 0. ])
    """
    scipy = scipy_module("optimize", "nnls")
    if not is_traced(A, b):
        return scipy.nnls(A, b, maxiter=maxiter)
    a, b = (asarray(settle(v)) * 1.0 for v in (A, b))
    if a.ndim != 2 or b.shape != a.shape[:1] or "c" in (a.dtype.kind, b.dtype.kind):
        raise ShapeError(f"nnls needs a real matrix (m, n) and a real vector (m,), but got shapes {tuple(a.shape)} and "
                         f"{tuple(b.shape)}, dtypes {a.dtype} and {b.dtype}; use vmap for a batch{at_user_line()}")
    n = a.shape[1]

    def host(a: Any, b: Any) -> Any:
        x, _ = scipy.nnls(a, b, maxiter=maxiter)
        free = x > 0.0
        slope = a.T @ (a @ x - b)
        weak = ~free & (abs(slope) <= _WEAK * max(1.0, abs(a.T @ b).max(initial=0.0)))
        return x, (free,), f"{weak.sum()} elements are 0 there, and the slope is 0, too, so that the solution has " \
            "different derivatives to its two sides; move the data" if weak.any() else "", None

    def residual(x: Any, facts: Any, a: Any, b: Any) -> Any:
        return where(facts[0], a.T @ (a @ x - b), x)

    x, *_ = Implicit("nnls", 0, host, residual, lambda given: [floats(n), make_aval((n,), np.dtype(bool))])(a, b)
    return x, linalg.norm(a @ x - b)
