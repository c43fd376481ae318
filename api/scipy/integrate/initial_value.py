"""Initial value problems: solve_ivp, odeint."""

import warnings
from typing import Any

import numpy as np

from ...core.errors import ConvergenceError, DtypeError, RuleError, at_user_line
from ...core.trace.tracer import Tracer
from ...core.types import Array, Callable
from ...numpy import asarray, concatenate, stack
from ...transforms.arguments.arguments import settle
from ...transforms.custom.two_way import Closed
from ...transforms.interpreters.jacobian import jacobian
from ...transforms.staging.staging import primal
from .._solvers.arguments import closed, floats, in_tuple, is_traced, shaped
from .._solvers.implicit import Implicit
from .._solvers.library import scipy_module, supplied
from .flow import IMPLICIT, Flow, System


def solve_ivp(
    fun: Callable[..., Any], t_span: Any, y0: Array, method: Any = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None, **options: Any,
) -> Any:
    """Solve an initial value problem for ordinary differential equations, with derivatives of the solution.

    Forward mode integrates the variational equations, reverse mode the adjoint ones along the dense output of the
    solution, with the same method and tolerances. Both differentiate the exact solution: choose the tolerances for the
    accuracy that you want of derivatives.

    Args:
        fun: `fun(t, y, *args)`, complex if `y0` is.
        t_span, y0: the interval and the initial values; they may be traced. Where values are traced, a complex system
            is integrated as the real one of its real and imaginary parts, whose steps are its own.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `fun` closes over.
        t_eval: where the solution is wanted, which may be traced. Without it there are derivatives at the steps that
            SciPy chose, but not in a graph or under `vmap`, where their number is not known.
        events: functions of `(t, y, *args)`. Their times move by the implicit function theorem, and the last time does
            with the event that ended the integration. In a graph or under `vmap` there are none.
        dense_output: the result has `sol(t)`, of a time that may be traced, too.
        method, vectorized, options: as in `scipy.integrate.solve_ivp`. Implicit methods have the Jacobian from
            covector unless `jac` is given: by groups of columns, a sparse matrix, with `jac_sparsity`.
    Returns:
        SciPy's result; where values are traced, with `t`, `y`, `t_events`, `y_events` and `sol` traced.
    Raises:
        ConvergenceError: values are traced, and the integration failed; the message has SciPy's.
        RuleError: traced values where the number of steps or events is not known, or `lband` of a complex `y0`.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> def end(k):
    ...     return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.0], rtol=1e-9, atol=1e-12).y[0, -1]
    >>> round(float(covector.grad(end)(0.5)), 6)
    -0.735759
    """
    scipy = scipy_module("integrate", "solve_ivp")
    extra = () if args is None else in_tuple(args)
    watched = [] if events is None else [events] if callable(events) else list(events)
    name = getattr(method, "__name__", method)
    if not is_traced(fun, t_span, y0, t_eval, extra, watched):
        given = dict(options)
        if name in IMPLICIT and not options.keys() & {"jac", "lband", "uband"} and not np.iscomplexobj(y0):
            options = _with_slope(fun, vectorized, options)
        out = scipy.solve_ivp(fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args, **options)
        if dense_output:
            solution = out.sol

            def later() -> tuple[Dense, Any]:
                rate, start, more, _, joined = (
                    _in_parts(fun, y0, given, []) if np.iscomplexobj(y0) else (fun, y0, given, [], None))
                flow, values = _flow(rate, start, method, vectorized, extra, more)
                return Dense(flow, tuple(solution.ts[[0, -1]]), _real(start, "solve_ivp"), values), joined

            out.sol = PlainDense(solution, later)
        return out
    y0 = settle(asarray(y0))
    if y0.dtype.kind == "c":
        fun, y0, options, watched, joined = _in_parts(fun, y0, options, watched)
        out = solve_ivp(fun, t_span, y0, method, t_eval, dense_output, None if events is None else watched, vectorized,
                        args, **options)
        out.y = joined(out.y)
        if events is not None:
            out.y_events = [joined(y.T).T if y.ndim == 2 else y for y in out.y_events]
        if dense_output:
            solution = out.sol
            out.sol = lambda t: joined(solution(t))
        return out
    y0 = _real(y0, "solve_ivp")
    t0, t1 = (settle(asarray(t)) * 1.0 for t in t_span)
    flow, values = _flow(fun, y0, method, vectorized, extra, options, isinstance(t0, Tracer))
    n = y0.shape[0]
    flow.bounded = t_eval is not None
    times = None if t_eval is None else settle(asarray(t_eval)) * 1.0
    report: dict[str, Any] = {"status": 0, "success": True, "t_events": None, "y_events": None}
    end = t1
    if times is None or watched:
        gates = [gate_of(event, extra, n) for event in watched]
        found, end = searched(flow, (t0, t1, times), y0, values, gates)
        report = {k: found[k] for k in ("message", "success", "status", "nfev", "njev", "nlu")}
        moved = event_times(flow, (t0, end), y0, values, gates, found)
        if events is not None:
            report["t_events"] = [t for t, _ in moved]
            report["y_events"] = [y for _, y in moved]
        if times is not None:
            times = times[: len(found.t)]
        else:
            last = t1 if found.status == 0 else next(
                t[-1] for (t, _), known in zip(moved, found.t_events) if len(known) and known[-1] == found.t[-1])
            times = concatenate([t0.reshape((1,)), found.t[1:-1], last.reshape((1,))])
    y = flow(t0, end, times, y0, *values)[0]
    report |= {"t": times, "y": y, "sol": Dense(flow, (t0, end), y0, values) if dense_output else None}
    return outcome_of(report)


def _in_parts(fun: Any, y0: Any, options: dict, watched: list) -> tuple[Any, Any, dict, list, Any]:
    """A complex system as a real one, the imaginary parts behind the real ones; the last item joins them again."""
    y0 = settle(asarray(y0)).reshape((-1,))
    n = y0.size

    def split(y: Any) -> Any:
        y = asarray(settle(y))
        return concatenate([y.real, y.imag])

    def joined(z: Any) -> Any:
        return z[:n] + 1j * z[n:]

    def event_of(event: Any) -> Any:
        def of_parts(t: Any, z: Any, *args: Any) -> Any:
            return event(t, joined(z), *args)

        vars(of_parts).update({k: getattr(event, k) for k in ("terminal", "direction") if hasattr(event, k)})
        return of_parts

    if options.keys() & {"lband", "uband"}:
        raise RuleError(f"solve_ivp was given a band of the Jacobian of a complex system with traced values; leave it "
                        f"out, or give jac_sparsity{at_user_line()}")
    twice = {k: np.concatenate([v, v]) for k, v in options.items() if k in ("rtol", "atol") and np.ndim(v)}
    if options.get("jac_sparsity") is not None:
        pattern = scipy_module("sparse", "solve_ivp").csr_matrix(options["jac_sparsity"])
        twice["jac_sparsity"] = scipy_module("sparse", "solve_ivp").bmat([[pattern, pattern], [pattern, pattern]])
    return (lambda t, z, *args: split(fun(t, joined(z), *args)), split(y0), {**options, **twice},
            [event_of(e) for e in watched], joined)


def _flow(
    fun: Any, y0: Any, method: Any, vectorized: bool, extra: tuple, options: dict, starts: bool = False,
) -> tuple[Flow, Any]:
    """The `Flow` of a system, and the traced values in it; `starts`: whether the first time is traced."""
    n = _real(y0, "solve_ivp").shape[0]

    def single(t: Any, y: Any, extra: Any) -> Any:
        if vectorized:
            return shaped(fun(t, y[:, None], *extra), (n, 1), "solve_ivp", "fun").reshape((n,))
        return shaped(fun(t, y, *extra), (n,), "solve_ivp", "fun")

    rate = closed(single, extra, [floats(), floats(n)], "solve_ivp")
    name = getattr(method, "__name__", method)
    pattern = options.get("jac_sparsity") if name in ("Radau", "BDF") else None
    options = {k: v for k, v in options.items() if k not in ("jac", "jac_sparsity")}
    real, values = _of_real(rate)
    return Flow(System("solve_ivp", real, n, method, options, pattern), (starts, True)), values


def _of_real(rate: Any) -> tuple[Any, list[Any]]:
    """A function and the values it is given, of which complex ones are real and imaginary parts."""
    kinds = [v.dtype.kind == "c" for v in rate.values]
    if not any(kinds):
        return rate, rate.values

    def of_parts(t: Any, y: Any, *flat: Any) -> Any:
        rest = iter(flat)
        return rate(t, y, *[next(rest) + 1j * next(rest) if kind else next(rest) for kind in kinds])

    return of_parts, [part for v, kind in zip(rate.values, kinds) for part in ((v.real, v.imag) if kind else (v,))]


def outcome_of(parts: dict[str, Any]) -> Any:
    """SciPy's result object."""
    return scipy_module("integrate._ivp.ivp", "solve_ivp").OdeResult(**parts)


def _with_slope(fun: Any, vectorized: bool, options: dict) -> dict:
    """The options of an implicit method, with the Jacobian from covector."""
    def slope(t: Any, y: Any, *extra: Any) -> Any:
        n = len(y)

        def rate(t: Any, y: Any, *values: Any) -> Any:
            return asarray(fun(t, y[:, None] if vectorized else y, *extra)).reshape((n,))

        return System("solve_ivp", rate, n, "Radau", {}, pattern).slope(())(t, y)

    pattern = options.pop("jac_sparsity", None)
    ours = supplied(lambda y, t, *extra: slope(t, y, *extra), "solve_ivp", "jac")
    return {**options, "jac": lambda t, y, *extra: ours(y, t, *extra)}


def _real(y0: Any, name: str) -> Any:
    y0 = settle(asarray(y0))
    if y0.dtype.kind == "c":
        raise DtypeError(f"{name} has derivatives of real systems, but y0 has dtype {y0.dtype}; stack the real and the "
                         f"imaginary parts{at_user_line()}")
    return (y0 if y0.ndim else y0.reshape((1,))) * 1.0


class Dense:
    """The solution as a function of time, which may be traced; it takes numbers and arrays `(m,)`."""

    def __init__(self, flow: Flow, span: Any, y0: Any, values: Any) -> None:
        self.flow = Flow(flow.system, (flow.timed[0], True))
        self.flow.known = flow.known
        self.span = span
        self.y0 = y0
        self.values = values

    def __call__(self, t: Any) -> Any:
        t = settle(asarray(t)) * 1.0
        found = self.flow(*self.span, t.reshape((-1,)), self.y0, *self.values)[0]
        return found if t.ndim else found[:, 0]


class PlainDense:
    """SciPy's solution of a system in which nothing is traced; the time it is asked for may be."""

    def __init__(self, solution: Any, later: Callable[[], tuple[Dense, Any]]) -> None:
        self.solution = solution
        self.later = later

    def __getattr__(self, name: str) -> Any:
        return getattr(self.solution, name)

    def __reduce__(self) -> Any:
        """As SciPy's own, which can be pickled: the system is a function."""
        return _same, (self.solution,)

    def __call__(self, t: Any) -> Any:
        if not is_traced(t):
            return self.solution(t)
        dense, joined = self.later()
        return dense(t) if joined is None else joined(dense(t))


def _same(solution: Any) -> Any:
    return solution


def odeint(
    func: Callable[..., Any], y0: Array, t: Array, args: Any = (), Dfun: Any = None,  # noqa: N803 - SciPy's name
    col_deriv: bool = False, full_output: bool = False, ml: Any = None, mu: Any = None, rtol: Any = None,
    atol: Any = None, tcrit: Any = None, h0: float = 0.0, hmax: float = 0.0, hmin: float = 0.0, ixpr: bool = False,
    mxstep: int = 0, mxhnil: int = 0, mxordn: int = 12, mxords: int = 5, printmessg: bool = False,
    tfirst: bool = False,
) -> Any:
    """Solve an initial value problem by LSODA, with derivatives of the solution as `solve_ivp` has them.

    Args:
        func: `func(y, t, *args)`, or of `(t, y, *args)` with `tfirst`.
        y0: the initial values.
        t: the times, `(m,)`, in order; the first is that of `y0`. They may be traced.
        args: further arguments. Derivatives are taken with respect to these, and to traced values `func` closes over.
        Dfun: the Jacobian; None for that of covector. Where values are traced, covector's is used.
        rtol, atol: tolerances, 1.49e-8 unless given, of the adjoint system, too.
        col_deriv, full_output, ml, mu, tcrit, h0, hmax, hmin, ixpr, mxstep, mxhnil, mxordn, mxords, printmessg, tfirst:
            as in `scipy.integrate.odeint`; with traced values there is no `full_output`.
    Returns:
        `(m, n)`.
    Raises:
        ConvergenceError: values are traced, and the integration failed; the message has SciPy's.

    >>> import numpy as np, covector
    >>> from covector.scipy import integrate
    >>> def end(k):
    ...     return integrate.odeint(lambda y, t: -k * y, 1.0, np.array([0.0, 2.0]), rtol=1e-9, atol=1e-12)[-1, 0]
    >>> round(float(covector.grad(end)(0.5)), 6)
    -0.735759
    """
    scipy = scipy_module("integrate", "odeint")
    args = in_tuple(args)
    more = {"ml": ml, "mu": mu, "rtol": rtol, "atol": atol, "tcrit": tcrit, "h0": h0, "hmax": hmax, "hmin": hmin,
            "ixpr": ixpr, "mxstep": mxstep, "mxhnil": mxhnil, "mxordn": mxordn, "mxords": mxords}
    banded = ml is not None or mu is not None
    if not is_traced(func, y0, t, args):
        if Dfun is None and not banded:
            def slope(y: Any, t: Any, *args: Any) -> Any:
                return jacobian(lambda y: asarray(func(t, y, *args) if tfirst else func(y, t, *args)))(y)

            ours = supplied(slope, "odeint", "Dfun")
            Dfun, col_deriv = (lambda t, y, *a: ours(y, t, *a)) if tfirst else ours, False
        return scipy.odeint(func, y0, t, args, Dfun, col_deriv, full_output, printmessg=printmessg, tfirst=tfirst,
                            **more)
    if full_output:
        raise RuleError("odeint has no full_output where values are traced; call it on plain values for the figures of "
                        f"its search{at_user_line()}")
    y0 = _real(y0, "odeint")
    n = y0.shape[0]
    times = settle(asarray(t)) * 1.0
    rate = closed(lambda t, y, args: shaped(func(t, y, *args) if tfirst else func(y, t, *args), (n,), "odeint", "func"),
                  args, [floats(), floats(n)], "odeint")

    def values_by(system: Any, values: Any, start: Any, times: Any) -> Any:
        known = {**more, "atol": system.options["atol"]}
        slope = None if banded else system.slope(values)
        if system.n != n:
            known |= {"ml": None, "mu": None}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", scipy.ODEintWarning)  # raised below
            found, info = scipy.odeint(system.on_host(values), start, times, (), slope, full_output=True, tfirst=True,
                                       **known)
        if info["message"] != "Integration successful.":
            raise ConvergenceError(f"odeint did not reach the end of the interval: SciPy says {info['message']!r}; "
                                   f"loosen the tolerances, or raise mxstep{at_user_line()}")
        return found

    options = {"rtol": _DEFAULT if rtol is None else rtol, "atol": _DEFAULT if atol is None else atol}
    system = System("odeint", rate, n, "LSODA", options, None, values_by)
    flow = Flow(system, (isinstance(times, Tracer), isinstance(times, Tracer)))
    rest = flow(times[0], times[-1], times[1:], y0, *rate.values)[0]
    return concatenate([y0[None, :], rest.T])


_DEFAULT = 1.49012e-8  # of odeint


# Events of initial value problems, whose times move by the implicit function theorem.


def gate_of(event: Any, extra: Any, n: int) -> tuple[Any, Closed]:
    """An event, and it as a function of plain arrays, a number."""
    def gate(t: Any, y: Any, extra: Any) -> Any:
        return shaped(event(t, y, *extra), (), "solve_ivp", "an event")

    return event, closed(gate, extra, [floats(), floats(n)], "solve_ivp")


def searched(flow: Flow, span: Any, y0: Any, values: Any, gates: list[Any]) -> tuple[Any, float]:
    """`(SciPy's result, where it ended)` on values without derivatives; the flow keeps the dense solution."""
    every = [v if not isinstance(v, Tracer) else primal(v)
             for v in (*span[:2], y0, *values, *[v for _, g in gates for v in g.values])]
    times = primal(span[2]) if isinstance(span[2], Tracer) else span[2]
    if any(isinstance(v, Tracer) for v in (*every, times)):
        raise RuleError("solve_ivp does not know how many steps or events there will be, in a graph or under vmap; "
                        f"give t_eval, and no events{at_user_line()}")
    t0, t1, start, *plain = [np.asarray(v, float) for v in every]
    plain, rest = plain[: len(values)], plain[len(values) :]
    watched = []
    for event, gate in gates:
        known, rest = rest[: len(gate.values)], rest[len(gate.values) :]

        def plainly(t: Any, y: Any, gate: Any = gate, known: Any = known) -> float:
            return float(gate.on_host(t, y, *known))

        for name in ("terminal", "direction"):
            if hasattr(event, name):
                setattr(plainly, name, getattr(event, name))
        watched.append(plainly)
    found = flow.system.solve(float(t0), float(t1), start, plain, events=watched or None, t_eval=times)
    if not found.success:
        flow.fail(found.message)
    end = float(found.sol.ts[-1])
    flow.keep(flow.key(t0, end, start, plain), found.sol)
    return found, end


def event_times(flow: Flow, span: Any, y0: Any, values: Any, gates: list[Any], found: Any) -> list[Any]:
    """`(times, states)` of each event: t fulfils g(t, y(t)) = 0."""
    t0, end = span
    moved = []
    for (_, gate), known in zip(gates, found.t_events or ()):
        if not len(known):
            moved.append((known, np.zeros((0, flow.system.n))))
            continue
        split = 2 + len(values)

        def residual(z: Any, facts: Any, t0: Any, y0: Any, *kept: Any, gate: Any = gate, split: int = split) -> Any:
            y = flow(t0, end, z, y0, *kept[: split - 2])[0]
            return stack([gate(z[k], y[:, k], *kept[split - 2 :]) for k in range(z.shape[0])])

        op = Implicit("an event of solve_ivp", 1, lambda times, *kept: (times, (), "", None), residual,
                      lambda given: [floats(*given[0].shape)])
        times = op(known, t0, y0, *values, *gate.values)[0]
        moved.append((times, flow(t0, end, times, y0, *values)[0].T))
    return moved
