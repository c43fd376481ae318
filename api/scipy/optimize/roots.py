"""Roots of equations: root, root_scalar, fixed_point."""

from functools import partial
from typing import Any

import numpy as np

from ...core.errors import ConvergenceError, at_user_line
from ...core.types import Array, Callable
from ...numpy import asarray
from ...transforms.interpreters.jacobian import jacobian
from .._solvers.arguments import COUNT, FLAG, Repeated, closed, floats, in_tuple, is_traced, shaped, start_of, value_of
from .._solvers.implicit import Implicit
from .._solvers.library import result_of, said, scipy_module, supplied

_TAKE_JAC = ("hybr", "lm")
_FLAT = ("hybr", "lm", "df-sane")
_SCALE = 1e-8  # of a residual that is small enough though the solver says that it did not converge


def root(
    fun: Callable[..., Any], x0: Array, args: Any = (), method: str = "hybr", jac: Any = None, tol: Any = None,
    callback: Any = None, options: Any = None,
) -> Any:
    """Find a root of a vector function, differentiated by the implicit function theorem.

    Args:
        fun: `fun(x, *args)`, as many equations as unknowns, real.
        x0: where the search starts; it has no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `fun` closes over.
        method, tol, callback, options: as in `scipy.optimize.root`.
        jac: the Jacobian; None for that of covector, False for SciPy's differences. Where values are traced, True or a
            function says only that there is one, and covector's is used.
    Returns:
        SciPy's `OptimizeResult`; where values are traced, with `x` and `fun` traced and the numbers and messages of the
        search. In a graph and under `vmap` it has no message.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed; the message has SciPy's.
        SingularError: the Jacobian at the root is singular.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> def f(a):
    ...     return optimize.root(lambda x: x**3 - a, np.array([1.0]), tol=1e-12).x[0]
    >>> round(float(f(8.0)), 9), round(float(covector.grad(f)(8.0)), 9)
    (2.0, 0.083333333)
    """
    scipy = scipy_module("optimize", "root")
    args = in_tuple(args)
    if not is_traced(fun, x0, args):
        if jac is None and method in _TAKE_JAC:
            jac = supplied(lambda x, *args: jacobian(lambda x: asarray(fun(x, *args)))(x), "root", "jac=False")
        return scipy.root(fun, x0, args, method, jac, tol, callback, options)
    x0 = start_of(x0, "root")
    shape = (int(np.prod(x0.shape)),) if method in _FLAT else x0.shape
    first = fun if jac is not True else lambda x, *args: fun(x, *args)[0]
    given = closed(lambda x, args: shaped(first(x, *args), shape, "root", "fun"), args, [floats(*shape)], "root")

    def host(start: Any, *values: Any) -> Any:
        def equations(x: Any) -> Any:
            return given.on_host(x, *values)

        slope: Any = None
        if method in _TAKE_JAC and jac is not False:
            slope = Repeated(jacobian(partial(_at, given, values)))
        found = scipy.root(equations, start, (), method, slope, tol, callback, options)
        x = np.asarray(found.x, float)
        left = np.abs(equations(x)).max(initial=0.0)
        fine = found.success or left <= _SCALE * max(1.0, np.abs(x).max(initial=0.0))
        return x, _counts(found), "" if fine else said(found), found

    op = Implicit("root", 1, host, lambda x, facts, *values: given(x, *values), lambda avals: [floats(*shape), *_AVALS])
    x, *facts, ticket = op(x0.reshape(shape), *given.values)
    return result_of(scipy.OptimizeResult, op, ticket, {"x": x, "fun": given(x, *given.values)},
                     dict(zip(_NAMES, facts)))


_NAMES = ("success", "status", "nfev")
_AVALS = (FLAG, COUNT, COUNT)


def _at(fun: Any, values: Any, x: Any) -> Any:
    return fun(x, *values)


def _counts(found: Any) -> tuple:
    status, calls = int(found.get("status", 0)), int(found.get("nfev", 0))
    return np.asarray(bool(found.success)), np.asarray(status), np.asarray(calls)


def root_scalar(
    f: Callable[..., Any], args: Any = (), method: str | None = None, bracket: Any = None, fprime: Any = None,
    fprime2: Any = None, x0: Any = None, x1: Any = None, xtol: Any = None, rtol: Any = None, maxiter: Any = None,
    options: Any = None,
) -> Any:
    """Find a root of a function of one number, differentiated by the implicit function theorem.

    Args:
        f: `f(x, *args)`.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `f` closes over.
        method, xtol, rtol, maxiter, options: as in `scipy.optimize.root_scalar`.
        bracket, x0, x1: where the search starts; they have no derivative.
        fprime, fprime2: derivatives of `f`; those of covector where None and the method (newton, halley) needs them.
            True says that `f` returns them, too. Where values are traced, covector's are used.
    Returns:
        SciPy's `RootResults`; where values are traced, `root` is.
    Raises:
        ConvergenceError: a derivative is asked for where the search failed; the message has SciPy's.
        SingularError: the derivative of `f` at the root is 0.

    >>> import covector
    >>> from covector.scipy import optimize
    >>> covector.grad(lambda a: optimize.root_scalar(lambda x, a: x * x - a, (a,), bracket=(0.0, 9.0)).root)(4.0)
    array(0.25)
    """
    scipy = scipy_module("optimize", "root_scalar")
    args = in_tuple(args)
    slopes = method in ("newton", "halley") or method is None and bracket is None and x1 is None
    options = {} if options is None else options
    if not is_traced(f, args, bracket, x0, x1):
        if slopes and fprime is None:
            fprime = supplied(lambda x, *a: jacobian(lambda x: asarray(f(x, *a)))(float(x)), "root_scalar", "fprime")
        if method == "halley" and fprime2 is None:
            fprime2 = lambda x, *a: jacobian(jacobian(lambda x: asarray(f(x, *a))))(float(x))  # noqa: E731
        return scipy.root_scalar(f, args, method, bracket, fprime, fprime2, x0, x1, xtol, rtol, maxiter, options)
    first = f if fprime is not True and fprime2 is not True else lambda x, *args: f(x, *args)[0]
    given = closed(lambda x, args: shaped(first(x, *args), (), "root_scalar", "f"), args, [floats()], "root_scalar")
    bracketed = None if bracket is None else len(bracket)
    ends = () if bracket is None else tuple(bracket)
    starts = [start_of(v, "root_scalar") for v in (*ends, *[v for v in (x0, x1) if v is not None])]
    flags = (x0 is not None, x1 is not None)

    def host(*operands: Any) -> Any:
        first, values = [float(v) for v in operands[: len(starts)]], operands[len(starts) :]
        ends = None if bracketed is None else first[:bracketed]
        rest = iter(first[bracketed or 0 :])
        left, right = [next(rest) if flag else None for flag in flags]
        of = jacobian(partial(_at, given, values))
        once, twice = Repeated(of), Repeated(jacobian(of))
        slope = (lambda x: float(once(float(x)))) if slopes else None
        bend = (lambda x: float(twice(float(x)))) if method == "halley" else None
        found = scipy.root_scalar(lambda x: float(given.on_host(x, *values)), (), method, ends, slope, bend, left,
                                  right, xtol, rtol, maxiter, options)
        trouble = "" if found.converged else (
            f"the search did not converge, and SciPy says {found.flag!r}; give a bracket, start nearer, or raise "
            "maxiter")
        counts = (bool(found.converged), int(found.iterations), int(found.function_calls))
        return np.asarray(found.root, float), tuple([np.asarray(c) for c in counts]), trouble, found

    op = Implicit("root_scalar", len(starts), host, lambda x, facts, *values: given(x, *values),
                  lambda avals: [floats(), *_AVALS])
    x, converged, iterations, calls, ticket = op(*starts, *given.values)
    report = op.report(ticket)
    found = scipy.RootResults(x, iterations, calls, 0, method)
    found.converged, found.flag, found.method = converged, None, method
    if report is not None:
        for name, value in report[1].items():
            if name != "root":
                found[name] = value
    return found


def fixed_point(
    func: Callable[..., Any], x0: Array, args: Any = (), xtol: float = 1e-8, maxiter: int = 500, method: str = "del2",
) -> Array:
    """Find a fixed point of a function, differentiated by the implicit function theorem.

    Args:
        func: `func(x, *args)`, of the shape of `x`.
        x0: where the search starts; it has no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        xtol, maxiter, method: as in `scipy.optimize.fixed_point`.
    Returns:
        an array of the shape of `x0`.
    Raises:
        RuntimeError: the iteration did not converge (the message has SciPy's).
        SingularError: 1 is an eigenvalue of the Jacobian at the fixed point.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> def f(c):
    ...     return optimize.fixed_point(lambda x, c: np.sqrt(c + x), 1.0, (c,), xtol=1e-12)
    >>> round(float(f(2.0)), 9), round(float(covector.grad(f)(2.0)), 9)
    (2.0, 0.333333333)
    """
    scipy = scipy_module("optimize", "fixed_point")
    args = in_tuple(args)
    if not is_traced(func, x0, args):
        return scipy.fixed_point(func, x0, args, xtol, maxiter, method)
    shape = value_of(x0).shape
    given = closed(lambda x, args: shaped(func(x, *args), shape, "fixed_point", "func"), args, [floats(*shape)],
                   "fixed_point")

    def host(start: Any, *values: Any) -> Any:
        try:
            found = scipy.fixed_point(lambda x: given.on_host(x, *values), np.asarray(start, float), (), xtol, maxiter,
                                      method)
        except RuntimeError as error:
            raise ConvergenceError(f"fixed_point did not converge: SciPy says {str(error)!r}; start nearer, or raise "
                                   f"maxiter{at_user_line()}") from error
        return np.asarray(found, float).reshape(shape), (), "", None

    op = Implicit("fixed_point", 1, host, lambda x, facts, *values: x - given(x, *values),
                  lambda avals: [floats(*shape)])
    return op(start_of(x0, "fixed_point"), *given.values)[0]
