"""SciPy's older functions that return the solution alone: fsolve, brentq, newton, leastsq, curve_fit."""

from typing import Any

import numpy as np

from ...core.errors import RuleError, at_user_line
from ...core.ops.indexing.indexing import take
from ...core.types import Array, Callable
from ...numpy import asarray, linalg, sum as total
from ...transforms.interpreters.jacobian import jacobian
from .._solvers.arguments import in_tuple, is_traced
from .._solvers.library import scipy_module
from .roots import root, root_scalar
from .squares import least_squares


def fsolve(
    func: Callable[..., Any], x0: Array, args: Any = (), fprime: Any = None, full_output: int = 0, col_deriv: int = 0,
    xtol: float = 1.49012e-8, maxfev: int = 0, band: Any = None, epsfcn: Any = None, factor: float = 100,
    diag: Any = None,
) -> Any:
    """Find a root of a vector function, as :func:`root` does by the method "hybr".

    Args:
        func: `func(x, *args)`, as many equations as unknowns, real.
        x0: where the search starts; it has no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        fprime, full_output, col_deriv, xtol, maxfev, band, epsfcn, factor, diag: as in `scipy.optimize.fsolve`. Where
            values are traced, covector's Jacobian is used, and there is no `full_output`.
    Returns:
        the root, one dimension.
    Raises:
        RuleError: `full_output` is asked for of traced values.
        ConvergenceError: a derivative is asked for where the search failed.

    >>> import covector
    >>> from covector.scipy import optimize
    >>> f = lambda a: optimize.fsolve(lambda x: x**3 - a, [1.0], xtol=1e-12)[0]
    >>> round(float(covector.grad(f)(8.0)), 9)
    0.083333333
    """
    scipy = scipy_module("optimize", "fsolve")
    args = in_tuple(args)
    if not is_traced(func, x0, args):
        return scipy.fsolve(func, x0, args, fprime, full_output, col_deriv, xtol, maxfev, band, epsfcn, factor, diag)
    _only_the_solution("fsolve", full_output, "root")
    options = {"xtol": xtol, "maxfev": maxfev, "band": band, "eps": epsfcn, "factor": factor, "diag": diag}
    return root(func, x0, args, "hybr", options=options).x


def brentq(
    f: Callable[..., Any], a: Any, b: Any, args: Any = (), xtol: float = 2e-12, rtol: float = 4 * np.finfo(float).eps,
    maxiter: int = 100, full_output: bool = False, disp: bool = True,
) -> Any:
    """Find a root in an interval at whose ends a function has unlike signs, as :func:`root_scalar` does by Brent's way.

    Args:
        f: `f(x, *args)`.
        a, b: the ends of the interval; they have no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `f` closes over.
        xtol, rtol, maxiter, full_output, disp: as in `scipy.optimize.brentq`; of traced values there is no
            `full_output`.
    Returns:
        the root.
    Raises:
        RuleError: `full_output` is asked for of traced values.
        ConvergenceError: a derivative is asked for where the search failed.

    >>> import covector
    >>> from covector.scipy import optimize
    >>> covector.grad(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 9.0))(4.0)
    array(0.25)
    """
    scipy = scipy_module("optimize", "brentq")
    args = in_tuple(args)
    if not is_traced(f, a, b, args):
        return scipy.brentq(f, a, b, args, xtol, rtol, maxiter, full_output, disp)
    _only_the_solution("brentq", full_output, "root_scalar")
    return root_scalar(f, args, "brentq", (a, b), xtol=xtol, rtol=rtol, maxiter=maxiter).root


def newton(
    func: Callable[..., Any], x0: Any, fprime: Any = None, args: Any = (), tol: float = 1.48e-8, maxiter: int = 50,
    fprime2: Any = None, x1: Any = None, rtol: float = 0.0, full_output: bool = False, disp: bool = True,
) -> Any:
    """Find a root of a function of one number by the method of Newton, Halley or the secant.

    Args:
        func: `func(x, *args)`.
        x0, x1: where the search starts; they have no derivative. Where values are traced, numbers.
        fprime, fprime2: derivatives of `func`, which choose the method as in SciPy.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        tol, maxiter, rtol, full_output, disp: as in `scipy.optimize.newton`; of traced values there is no
            `full_output`.
    Returns:
        the root.
    Raises:
        RuleError: `full_output` or several starts are given for traced values.
        ConvergenceError: a derivative is asked for where the search failed.

    >>> import covector
    >>> from covector.scipy import optimize
    >>> round(float(covector.grad(lambda a: optimize.newton(lambda x: x**3 - a, 1.0))(8.0)), 9)
    0.083333333
    """
    scipy = scipy_module("optimize", "newton")
    args = in_tuple(args)
    if not is_traced(func, x0, args):
        return scipy.newton(func, x0, fprime, args, tol, maxiter, fprime2, x1, rtol, full_output, disp)
    _only_the_solution("newton", full_output, "root_scalar")
    if np.ndim(x0):
        raise RuleError(f"newton was given starts of shape {np.shape(x0)} with traced values, and has derivatives for "
                        f"one number: use covector.vmap, or root for equations{at_user_line()}")
    if fprime is None:
        x1 = x0 * (1 + 1e-4) + (1e-4 if x0 >= 0 else -1e-4) if x1 is None else x1
        return root_scalar(func, args, "secant", x0=x0, x1=x1, xtol=tol, rtol=rtol or None, maxiter=maxiter).root
    method = "newton" if fprime2 is None else "halley"
    return root_scalar(func, args, method, x0=x0, xtol=tol, rtol=rtol or None, maxiter=maxiter).root


def leastsq(
    func: Callable[..., Any], x0: Array, args: Any = (), Dfun: Any = None, full_output: bool = False,  # noqa: N803
    col_deriv: bool = False, ftol: float = 1.49012e-8, xtol: float = 1.49012e-8, gtol: float = 0.0, maxfev: int = 0,
    epsfcn: Any = None, factor: float = 100, diag: Any = None,
) -> Any:
    """Solve a nonlinear least-squares problem, as :func:`least_squares` does by the method "lm".

    Args:
        func: `func(x, *args)` returns the residuals, at least as many as unknowns.
        x0: where the search starts; it has no derivative.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        Dfun, full_output, col_deriv, ftol, xtol, gtol, maxfev, epsfcn, factor, diag: as in `scipy.optimize.leastsq`.
            Where values are traced, covector's Jacobian is used, and there are no `full_output` and `factor`.
    Returns:
        `(x, ier)`: the solution, and an integer from 1 to 4 where the search succeeded.
    Raises:
        RuleError: `full_output` or `factor` is asked for of traced values.
        ConvergenceError: a derivative is asked for where the search failed.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> t = np.arange(3.0)
    >>> f = lambda y: optimize.leastsq(lambda x: x[0] * t - y, [1.0])[0][0]
    >>> covector.grad(f)(2.0 * t)
    array([0. , 0.2, 0.4])
    """
    scipy = scipy_module("optimize", "leastsq")
    args = in_tuple(args)
    if not is_traced(func, x0, args):
        return scipy.leastsq(func, x0, args, Dfun, full_output, col_deriv, ftol, xtol, gtol, maxfev, epsfcn, factor,
                             diag)
    _only_the_solution("leastsq", full_output, "least_squares")
    if factor != 100:
        raise RuleError(f"leastsq was given factor={factor!r} with traced values; leave it out, or scale the unknowns "
                        f"with diag{at_user_line()}")
    least = float(np.finfo(float).eps)
    found = least_squares(func, x0, method="lm", ftol=max(ftol, least), xtol=max(xtol, least), gtol=max(gtol, least),
                          x_scale=1.0 if diag is None else 1.0 / np.asarray(diag), max_nfev=maxfev or None, args=args)
    return found.x, take(_IER, found.status, axis=0)


_IER = np.array([5, 4, 1, 2, 3, 0])  # MINPACK's integer for each status of least_squares, the last for -1


def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: Array, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
    **options: Any,
) -> Any:
    """Fit a function to data by nonlinear least squares, differentiated at the solution as :func:`least_squares` is.

    Args:
        f: `f(xdata, *parameters)`.
        xdata: what `f` takes first, of any type.
        ydata: the data, one dimension. Derivatives are taken with respect to these, to `xdata` and `sigma`, and to
            traced values `f` closes over.
        p0: where the search starts; it has no derivative. Where values are traced it is needed.
        sigma: the uncertainty of the data, one number each; None for equal ones.
        absolute_sigma: whether `sigma` is the uncertainty itself, not relative.
        options: as in `scipy.optimize.curve_fit`; where values are traced, those of :func:`least_squares`.
    Returns:
        `(parameters, covariance)`.
    Raises:
        RuleError: values are traced, and `p0` is missing or `sigma` a matrix.

    >>> import numpy as np, covector
    >>> from covector.scipy import optimize
    >>> x = np.linspace(0.0, 1.0, 5)
    >>> def slope(y):
    ...     return optimize.curve_fit(lambda x, a, b: a * x + b, x, y, p0=(1.0, 0.0))[0][0]
    >>> covector.grad(slope)(2.0 * x + 1.0).round(6)
    array([-0.8, -0.4,  0. ,  0.4,  0.8])
    """
    scipy = scipy_module("optimize", "curve_fit")
    if not is_traced(f, xdata, ydata, p0, sigma):
        return scipy.curve_fit(f, xdata, ydata, p0, sigma, absolute_sigma, **options)
    if p0 is None or sigma is not None and np.ndim(sigma) > 1:
        what = "no p0" if p0 is None else f"a sigma of shape {np.shape(sigma)}"
        raise RuleError(f"curve_fit was given {what} with traced values; give p0=, and sigma= one number for each "
                        f"value of the data{at_user_line()}")
    start = np.atleast_1d(np.asarray(p0, float))

    def gaps(p: Any) -> Any:
        gap = f(xdata, *[p[k] for k in range(len(start))]) - asarray(ydata)
        return gap if sigma is None else gap / asarray(sigma)

    best = least_squares(gaps, start, **{"method": "lm", **options}).x
    slopes = jacobian(gaps)(best)
    spread = linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        spread = spread * (total(gaps(best) ** 2) / (slopes.shape[0] - len(start)))
    return best, spread


def _only_the_solution(name: str, full_output: Any, other: str) -> None:
    if full_output:
        raise RuleError(f"{name} was given full_output=True with traced values; use {other}, whose result has the "
                        f"facts of the search{at_user_line()}")
