"""Integrals of functions: quad, differentiated by the rule of Leibniz."""

from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.errors import ConvergenceError, RuleError, at_user_line
from ...core.trace.tracer import Tracer
from ...core.types import Callable
from ...numpy import asarray, concatenate, isfinite, sum as total, where
from ...transforms.arguments.arguments import settle
from ...transforms.custom.two_way import Operation, placed
from ...transforms.interpreters.forward import jvp
from ...transforms.interpreters.gradient import vjp
from .._solvers.arguments import Repeated, closed, floats, in_tuple, is_traced, shaped
from .._solvers.library import scipy_module
from .flow import scale

_LOOSE = 1e-6  # relative error of a derivative's integral above which SciPy's warning is an error


def quad(
    func: Callable[..., Any], a: Any, b: Any, args: Any = (), full_output: int = 0, epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8, limit: int = 50, points: Any = None, weight: Any = None, wvar: Any = None,
    wopts: Any = None, maxp1: int = 50, limlst: int = 50, complex_func: bool = False,
) -> Any:
    """Integrate a function of one number, differentiated by the rule of Leibniz.

    d∫ₐᵇ f = f(b) db - f(a) da + ∫ₐᵇ (∂f/∂θ) dθ; each component of the last integral is computed by `quad` itself with
    the same options. The tolerances are those of derivatives, too, relative to the size of tangent or cotangent.

    Args:
        func: `func(x, *args)` returns a number.
        a, b: the limits, which may be infinite; they may be traced.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        full_output, epsabs, epsrel, limit, points, weight, wvar, wopts, maxp1, limlst, complex_func: as in
            `scipy.integrate.quad`. Where values are traced there are no `full_output` and `complex_func`; limits are
            not traced with a weight.
    Returns:
        `(integral, error)` as SciPy's; the estimate of the error has no derivative.
    Raises:
        ConvergenceError: the integral of a derivative did not converge; the message has SciPy's.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> def f(s):
    ...     return integrate.quad(lambda x: np.exp(-s * x * x), -np.inf, np.inf)[0]
    >>> round(float(covector.grad(f)(1.0) / np.sqrt(np.pi)), 9)
    -0.5
    """
    scipy = scipy_module("integrate", "quad")
    args = in_tuple(args)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points, "weight": weight, "wvar": wvar,
               "wopts": wopts, "maxp1": maxp1, "limlst": limlst}
    if not is_traced(func, a, b, args):
        return scipy.quad(func, a, b, args, full_output, complex_func=complex_func, **options)
    ends = [settle(asarray(v)) * 1.0 for v in (a, b)]
    timed = tuple([isinstance(v, Tracer) for v in ends])
    if full_output or complex_func or weight is not None and any(timed):
        what = "full_output" if full_output else "complex_func" if complex_func else f"weight={weight!r}"
        raise RuleError(f"quad was given {what} together with traced "
                        f"{'limits' if weight is not None else 'values'}, and has no derivative then; use the real and "
                        f"the imaginary part, put the weight into the function, or leave it out{at_user_line()}")
    given = closed(lambda x, args: shaped(func(x, *args), (), "quad", "func"), args, [floats()], "quad")
    found = Integral(given, (), options, timed)(*ends, *given.values)
    return tuple(found)


class Integral(Operation):
    """∫ of integrand(x, *values), an array of `shape`, from a to b, and the error of it; operands a, b, values."""

    name = "quad"

    def __init__(self, integrand: Any, shape: Any, options: Any, timed: Any, derived: bool = False) -> None:
        self.integrand = integrand
        self.shape = shape
        self.options = options
        self.timed = timed
        self.derived = derived

    def avals(self, given: Any) -> Any:
        return [floats(*self.shape), floats(*self.shape)]

    def run(self, *operands: Any) -> Any:
        a, b, *values = [np.asarray(v) for v in operands]
        seen: dict[float, Any] = {}
        fun = Repeated(lambda x: self.integrand(x, *values)) if self.derived else lambda x: self.integrand(x, *values)

        def at(x: float) -> Any:
            found = seen.get(x)
            if found is None:
                found = seen[x] = np.asarray(fun(x), float).reshape(-1)
            return found

        size = int(np.prod(self.shape))
        answers = np.zeros((2, size))
        quad = scipy_module("integrate", "quad").quad
        for k in range(size):
            found = quad(lambda x, k=k: float(at(x)[k]), float(a), float(b), full_output=int(self.derived),
                         **self.options)
            if len(found) > 3 and not found[1] <= _LOOSE * max(1.0, abs(found[0])):
                raise ConvergenceError(f"quad did not converge on the derivative of the integrand: SciPy says "
                                       f"{found[3]!r}; split the interval with points, or raise limit{at_user_line()}")
            answers[:, k] = found[:2]
        return [answers[0].reshape(self.shape), answers[1].reshape(self.shape)]

    def _edge(self, end: Any, values: Any) -> Any:
        """The integrand at a limit: 0 at infinity."""
        finite = isfinite(end)
        return where(finite, asarray(self.integrand(where(finite, end, 1.0), *values)), 0.0)

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        a, b, *kept = values
        da, db, *dots = tangents
        result = None
        for end, moved, sign in ((b, db, 1.0), (a, da, -1.0)):
            if moved is not None:
                part = sign * self._edge(end, kept) * moved
                result = part if result is None else result + part
        live = [k for k, t in enumerate(dots) if t is not None]
        if live:
            n, integrand = len(kept), self.integrand

            def varied(x: Any, *flat: Any) -> Any:
                values, pushed = flat[:n], flat[n:]
                return jvp(lambda *given: asarray(integrand(x, *placed(values, live, given))),
                           tuple([values[k] for k in live]), tuple(pushed))[1]

            size = scale([dots[k] for k in live])
            part = Integral(varied, self.shape, self.options, self.timed, True)(
                a, b, *kept, *[dots[k] / size for k in live])[0] * size
            result = part if result is None else result + part
        return [result, None]

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        a, b, *kept = values
        ct = cts[0]
        ends = [total(ct * self._edge(end, kept)) * sign if flag else None
                for end, sign, flag in ((a, -1.0, self.timed[0]), (b, 1.0, self.timed[1]))]
        live = [k for k, v in enumerate(kept) if is_inexact(aval_of(v).dtype)]
        back: list[Any] = [None] * len(kept)
        if live:
            integrand = self.integrand

            def pulled(x: Any, weights: Any, *values: Any) -> Any:
                found = vjp(lambda *given: asarray(integrand(x, *placed(values, live, given))),
                            *[values[k] for k in live])[1](weights)
                return concatenate([asarray(c).reshape((-1,)) for c in found])

            sizes = [int(np.prod(aval_of(kept[k]).shape)) for k in live]
            size = scale([ct])
            found = Integral(pulled, (sum(sizes),), self.options, self.timed, True)(a, b, ct / size, *kept)[0] * size
            at = 0
            for k, count in zip(live, sizes):
                back[k] = found[at : at + count].reshape(aval_of(kept[k]).shape)
                at += count
        return [*ends, *back]


# Integrals over several dimensions, and Gauss's rule of a fixed order: dblquad, nquad, fixed_quad.


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
