"""Integrals over several dimensions, and Gauss's rule of a fixed order: dblquad, nquad, fixed_quad."""

from typing import Any

import numpy as np

from ...core.errors import RuleError, at_user_line
from ...core.types import Callable
from ...numpy import asarray, sum as total
from .._solvers.arguments import in_tuple, is_traced
from .._solvers.library import scipy_module
from .quadrature import quad


def dblquad(
    func: Callable[..., Any], a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
) -> Any:
    """Integrate a function of two numbers: :func:`quad` of `quad`, each differentiated by the rule of Leibniz.

    Args:
        func: `func(y, x, *args)` returns a number.
        a, b: the limits of `x`.
        gfun, hfun: the limits of `y`, numbers or functions of `x`.
        args: further arguments. Derivatives are taken with respect to these and the limits, and to traced values that
            the functions close over.
        epsabs, epsrel: as in `scipy.integrate.dblquad`.
    Returns:
        `(integral, error)`; the estimate of the error has no derivative.

    >>> import covector
    >>> from covector.scipy import integrate
    >>> def f(a):
    ...     return integrate.dblquad(lambda y, x: a * x * y, 0.0, 1.0, 0.0, lambda x: x)[0]
    >>> round(float(covector.grad(f)(3.0)), 9)
    0.125
    """
    scipy = scipy_module("integrate", "dblquad")
    args = in_tuple(args)
    if not is_traced(func, a, b, gfun, hfun, args):
        return scipy.dblquad(func, a, b, gfun, hfun, args, epsabs, epsrel)

    def inner(x: Any, *args: Any) -> Any:
        low, high = [limit(x) if callable(limit) else limit for limit in (gfun, hfun)]
        return quad(lambda y: func(y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return quad(inner, a, b, args, epsabs=epsabs, epsrel=epsrel)


def nquad(
    func: Callable[..., Any], ranges: Any, args: Any = None, opts: Any = None, full_output: bool = False,
) -> Any:
    """Integrate a function of several numbers: :func:`quad` of `quad` and so on, each by the rule of Leibniz.

    Args:
        func: `func(x0, …, xn, *args)` returns a number; `x0` is integrated first.
        ranges: for each variable its limits `(a, b)`, which may be traced, or a function of the variables behind it
            and `args` that returns them.
        args: further arguments. Derivatives are taken with respect to these and the limits, and to traced values that
            the functions close over.
        opts: options of `quad`: one dict, or for each variable a dict or a function like those of `ranges`.
        full_output: not for traced values.
    Returns:
        `(integral, error)`; the estimate of the error has no derivative, and of traced values is the outermost one's.
    Raises:
        RuleError: `full_output` is asked for of traced values.

    >>> import covector
    >>> from covector.scipy import integrate
    >>> def f(a):
    ...     return integrate.nquad(lambda x, y: a * x * y, [lambda y: (0.0, y), (0.0, 1.0)])[0]
    >>> round(float(covector.grad(f)(3.0)), 9)
    0.125
    """
    scipy = scipy_module("integrate", "nquad")
    if not is_traced(func, ranges, args, opts):
        return scipy.nquad(func, ranges, args, opts, full_output)
    if full_output:
        raise RuleError(f"nquad was given full_output=True with traced values; leave it out{at_user_line()}")
    each: Any = [opts or {}] * len(ranges) if opts is None or isinstance(opts, dict) else opts

    def over(k: int, outer: tuple, args: tuple) -> Any:
        low, high = ranges[k](*outer, *args) if callable(ranges[k]) else ranges[k]
        options = each[k](*outer, *args) if callable(each[k]) else each[k]

        def inner(x: Any, *args: Any) -> Any:
            return over(k - 1, (x, *outer), args)[0] if k else func(x, *outer, *args)

        return quad(inner, low, high, args, **options)

    return over(len(ranges) - 1, (), () if args is None else in_tuple(args))


def fixed_quad(func: Callable[..., Any], a: Any, b: Any, args: Any = (), n: int = 5) -> Any:
    """Integrate by Gauss's rule of a fixed order: a sum of values, differentiated as such.

    Args:
        func: `func(x, *args)` of an array `x`, the places along its last axis.
        a, b: the limits, which may be traced.
        args: further arguments.
        n: the order.
    Returns:
        `(integral, None)`, as SciPy does.

    >>> import covector
    >>> from covector.scipy import integrate
    >>> round(float(covector.grad(lambda b: integrate.fixed_quad(lambda x: x**3, 0.0, b)[0])(2.0)), 9)
    8.0
    """
    places, weights = np.polynomial.legendre.leggauss(n)
    half = (asarray(b) - asarray(a)) / 2.0
    return half * total(weights * asarray(func(half * (places + 1.0) + a, *in_tuple(args))), axis=-1), None
