"""Solutions of initial value problems as operations: sensitivities forward, adjoints backward, to any order.

Forward mode integrates the variational system δ' = f_y δ + f_θ dθ beside y. Reverse mode integrates λ' = -f_yᵀ λ and
μ' = -f_θᵀ λ backward along the dense output of y, with a jump of λ at each place where y was read (Pontryagin; Cao, Li,
Petzold and Serban, 2003). Both differentiate the exact solution, so they agree with differences up to the tolerances.
"""

from collections import OrderedDict
from typing import Any

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.dtypes import is_inexact
from ...core.errors import ConvergenceError, at_user_line
from ...core.trace.device import zeros_of
from ...numpy import asarray, concatenate, max as largest, stack, sum as total, where
from ...transforms.custom.two_way import Operation, placed
from ...transforms.interpreters.forward import jvp
from ...transforms.interpreters.gradient import grad, vjp
from ...transforms.interpreters.jacobian import jacobian
from ...transforms.interpreters.vmap import vmap
from ...transforms.staging.effects import stop_gradient
from .._solvers.arguments import Repeated, floats
from .._solvers.compressed import compressed_jacobian, grouped
from .._solvers.library import scipy_module

IMPLICIT = frozenset({"Radau", "BDF", "LSODA"})
_KEPT = 4  # dense solutions of the latest operands
_DENSE = 200  # unknowns and parameters of an adjoint system up to which its Jacobian is a full matrix
_LOOP = 64  # places up to which the right-hand side is called for one after another


class System:
    """The system y' = f(t, y, *values), and how it is solved.

    Args:
        name: of the public function.
        rate: `rate(t, y, *values)`, in operations.
        n: how many unknowns.
        method, options: of `scipy.integrate.solve_ivp`, without the Jacobian.
        pattern: of the Jacobian, or None.
        values_by: `values_by(rate, y0, t, slope)` finds the values another way (odeint), or None.
        derived: whether this is a variation of the user's system.
    """

    def __init__(self, name: Any, rate: Any, n: Any, method: Any, options: Any, pattern: Any = None,
                 values_by: Any = None, derived: bool = False) -> None:
        self.name = name
        self.rate = rate
        self.n = n
        self.method = method
        self.options = options
        self.pattern = pattern
        self.groups = None if pattern is None else grouped(pattern)
        self.values_by = values_by
        self.derived = derived

    def slope(self, values: Any) -> Any:
        """The Jacobian of the right-hand side, as a function of t and y."""
        if self.pattern is not None:
            sparse = compressed_jacobian(lambda y, t: self.rate(t, y, *values), None, self.groups)
            return lambda t, y: sparse(y, t)
        of = Repeated(lambda t, y: jacobian(lambda y: self.rate(t, y, *values))(y))
        return lambda t, y: np.asarray(of(t, y))

    def solve(self, t0: Any, t1: Any, y0: Any, values: Any, **more: Any) -> Any:
        """SciPy's solution with its dense output."""
        options = {**self.options, **more}
        if self.is_implicit() and "jac" not in options:
            options["jac"] = self.slope(values)
        return scipy_module("integrate", self.name).solve_ivp(
            self.on_host(values), (t0, t1), y0, self.method, dense_output=True, **options)

    def on_host(self, values: Any) -> Any:
        """The right-hand side on plain arrays; a derived one is staged."""
        of = Repeated(lambda t, y: self.rate(t, y, *values)) if self.derived else lambda t, y: self.rate(t, y, *values)
        return lambda t, y: np.asarray(of(t, y), float)

    def is_implicit(self) -> Any:
        return getattr(self.method, "__name__", self.method) in IMPLICIT and "lband" not in self.options and (
            "uband" not in self.options)

    def varied(self, live: Any) -> Any:
        """The system with its variation behind it; the tangents of the values in `live` come behind the values."""
        n, count = self.n, len(live)

        def rate(t: Any, both: Any, *flat: Any) -> Any:
            values, dots = flat[: len(flat) - count], flat[len(flat) - count :]

            def moved(y: Any, *given: Any) -> Any:
                return self.rate(t, y, *placed(values, live, given))

            primals = (both[:n], *[values[k] for k in live])
            return concatenate(list(jvp(moved, primals, (both[n:], *dots))))

        options = dict(self.options)
        atol = options.get("atol")
        if atol is not None and np.ndim(atol):
            options["atol"] = np.concatenate([atol, atol])
        pattern = self.pattern
        if pattern is not None:
            sparse = scipy_module("sparse", self.name)
            first = sparse.csr_matrix(pattern[0] if isinstance(pattern, tuple) else pattern)
            pattern = sparse.bmat([[first, None], [first, first]])
        return System(self.name, rate, 2 * n, self.method, options, pattern, self.values_by, True)


class Flow(Operation):
    """Values y(t) of a solution, `(n, m)`; the operands are t0, t1, the m times, y0, and the values of the system.

    The integration runs from t0 to t1, on which nothing depends but the steps. `timed` says of t0 and of the times
    whether reverse mode needs their cotangents.
    """

    def __init__(self, system: Any, timed: Any = (True, True)) -> None:
        self.system = system
        self.timed = timed
        self.name = system.name
        self.bounded = False  # whether times outside the interval are refused
        self.known: OrderedDict[Any, Any] = OrderedDict()

    def avals(self, given: Any) -> Any:
        return [floats(self.system.n, given[2].shape[0])]

    def solution(self, t0: Any, t1: Any, y0: Any, values: Any) -> Any:
        """SciPy's dense solution; kept for the adjoint, and for other times."""
        key = self.key(t0, t1, y0, values)
        found = self.known.get(key)
        if found is None:
            found = self.system.solve(float(t0), float(t1), np.asarray(y0, float), values)
            if not found.success:
                self.fail(found.message)
            self.keep(key, found.sol)
            found = found.sol
        return found

    def fail(self, message: Any) -> Any:
        raise ConvergenceError(f"{self.name} did not reach the end of the interval: SciPy says {message!r}; loosen the "
                               f"tolerances, or take an implicit method (Radau, BDF, LSODA){at_user_line()}")

    def key(self, t0: Any, t1: Any, y0: Any, values: Any) -> Any:
        """The cache key of a solution, from its operands."""
        return tuple([np.asarray(v, float).tobytes() for v in (t0, t1, y0, *values)])

    def keep(self, key: Any, solution: Any) -> Any:
        while len(self.known) >= _KEPT:
            self.known.popitem(last=False)
        self.known[key] = solution

    def run(self, *operands: Any) -> Any:
        t0, t1, ts, y0, *values = [np.asarray(v) for v in operands]
        if not ts.size:
            return [np.zeros((self.system.n, 0))]
        if self.system.values_by is not None:
            times = np.concatenate([[float(t0)], ts])
            return [self.system.values_by(self.system, values, np.asarray(y0, float), times)[1:].T]
        low, high = sorted((float(t0), float(t1)))
        if self.bounded and not (low <= ts.min() and ts.max() <= high):
            raise ValueError(f"{self.name} needs the times of t_eval within [{low}, {high}], but they reach from "
                             f"{ts.min()} to {ts.max()}; extend t_span{at_user_line()}")
        if low == high:
            return [np.repeat(np.asarray(y0, float)[:, None], ts.size, axis=1)]
        return [np.array(self.solution(t0, t1, y0, values)(ts))]

    def _rates(self, ts: Any, found: Any, values: Any) -> Any:
        """The right-hand side at the places that were read, `(n, m)`."""
        if ts.shape[0] > _LOOP or not ts.shape[0]:
            return vmap(lambda t, y: self.system.rate(t, y, *values), (0, 1), 1)(ts, found)
        return stack([self.system.rate(ts[k], found[:, k], *values) for k in range(ts.shape[0])], axis=1)

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        t0, t1, ts, y0, *kept = values
        dt0, _, dts, dy0, *dots = tangents
        found, n = outs[0], self.system.n
        live = [k for k, t in enumerate(dots) if t is not None]
        result = None
        if dy0 is not None or dt0 is not None or live:
            start = zeros_of(aval_of(y0), y0) if dy0 is None else dy0
            if dt0 is not None:
                start = start - self.system.rate(t0, y0, *kept) * dt0
            pushed = [dots[k] for k in live]
            size = scale([start, *pushed])
            both = concatenate([y0, start / size])
            varied = Flow(self.system.varied(live), self.timed)
            result = varied(t0, t1, ts, both, *kept, *[d / size for d in pushed])[0][n:] * size
        if dts is not None:
            moved = self._rates(ts, found, kept) * dts
            result = moved if result is None else result + moved
        return [result]

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        t0, t1, ts, y0, *kept = values
        live = [k for k, v in enumerate(kept) if is_inexact(aval_of(v).dtype)]
        start, *pulled = Adjoint(self, live)(t0, t1, ts, y0, cts[0], *kept)
        back = [None] * len(kept)
        for k, c in zip(live, pulled):
            back[k] = c
        first = times = None
        if self.timed[0]:
            first = -total(start * self.system.rate(t0, y0, *kept))
        if self.timed[1]:
            times = total(cts[0] * self._rates(ts, outs[0], kept), axis=0)
        return [first, None, times, start, *back]


class Adjoint(Operation):
    """Cotangents of y0 and of the values in `live`; the operands are those of the flow, with its cotangent after y0."""

    def __init__(self, flow: Any, live: Any) -> None:
        self.flow = flow
        self.live = live
        self.name = flow.name

    def avals(self, given: Any) -> Any:
        values = given[5:]
        return [floats(self.flow.system.n), *[floats(*values[k].shape) for k in self.live]]

    def run(self, *operands: Any) -> Any:
        t0, t1, ts, y0, ct, *values = [np.asarray(v) for v in operands]
        system, n = self.flow.system, self.flow.system.n
        shapes = [values[k].shape for k in self.live]
        size = np.abs(ct).max(initial=0.0)
        state = np.zeros(n + int(sum(np.prod(s) for s in shapes)))
        if size > 0.0 and float(t0) != float(t1):
            solution = self.flow.solution(t0, t1, y0, values)
            pull, slope = self._pullback(solution, values, len(state))
            order = np.argsort(ts if t1 > t0 else -ts, kind="stable")[::-1]
            options = adjoint_options(system, slope, len(state))
            for place, k in enumerate(order):
                state[:n] += ct[:, k] / size
                stop = float(ts[order[place + 1]]) if place + 1 < len(order) else float(t0)
                if stop != float(ts[k]):
                    state = self._back(pull, (float(ts[k]), stop), state, options)
        elif size > 0.0:
            state[:n] = ct.sum(axis=1) / size
        parts = np.split(state * size, np.cumsum([n, *[int(np.prod(s)) for s in shapes]])[:-1])
        return [parts[0], *[p.reshape(s) for p, s in zip(parts[1:], shapes)]]

    def _back(self, pull: Any, span: Any, state: Any, options: Any) -> Any:
        """The state at the earlier end of an interval."""
        for way in options:
            found = scipy_module("integrate", self.name).solve_ivp(pull, span, state, **way)
            if found.success:
                return found.y[:, -1].copy()
        raise ConvergenceError(f"{self.name} did not integrate its adjoint system: SciPy says {found.message!r}; "
                               f"loosen the tolerances, or take an implicit method (Radau, BDF, LSODA){at_user_line()}")

    def _pullback(self, solution: Any, values: Any, width: Any) -> Any:
        """`(rate, slope)` of the adjoint system, along a solution."""
        system, live, n = self.flow.system, self.live, self.flow.system.n
        kept = [values[k] for k in live]

        def pulled(t: Any, y: Any, weights: Any) -> Any:
            back = vjp(lambda y, *given: system.rate(t, y, *placed(values, live, given)), y, *kept)[1](weights)
            return concatenate([-asarray(c).reshape((-1,)) for c in back])

        along, across = Repeated(pulled), Repeated(lambda t, y, w: jacobian(lambda w: pulled(t, y, w))(w))

        def rate(t: Any, state: Any) -> Any:
            return np.asarray(along(t, solution(t), state[:n]))

        def slope(t: Any, state: Any) -> Any:
            columns = np.asarray(across(t, solution(t), state[:n]))
            if width <= _DENSE:
                return np.hstack([columns, np.zeros((width, width - n))])
            sparse = scipy_module("sparse", self.name)
            return sparse.csc_matrix(sparse.hstack([columns, sparse.csc_matrix((width, width - n))]))

        return rate, slope

    def _paired(self, operands: Any, pushed: Any, timed: Any) -> Any:
        """⟨ct, derivative of the flow in the direction `pushed`⟩; of operands that may be traced."""
        t0, t1, ts, y0, ct, *values = operands
        live = [k for k, p in enumerate(pushed) if p is not None]
        given = [t0, ts, y0, *values]

        def flow(*moved: Any) -> Any:
            t0, ts, y0, *values = placed(given, live, moved)
            return Flow(self.flow.system, timed)(t0, t1, ts, y0, *values)[0]

        return flow, tuple([given[k] for k in live]), tuple([pushed[k] for k in live])

    def jvp(self, values: Any, outs: Any, tangents: Any) -> Any:
        # The derivative of ∇⟨ct, y⟩ in a direction is ∇(⟨ct, dy⟩ + ⟨dct, y⟩).
        t0, t1, ts, y0, ct, *kept = values
        dt0, _, dts, dy0, dct, *dots = tangents
        live = self.live

        def paired(y0: Any, *given: Any) -> Any:
            full = placed(kept, live, given)
            flow, primals, pushed = self._paired((t0, t1, ts, y0, ct, *full), [dt0, dts, dy0, *dots],
                                                 (dt0 is not None, dts is not None))
            if not primals:
                return total(dct * flow())
            y, dy = jvp(flow, primals, pushed)
            return total(ct * dy) + (0.0 if dct is None else total(dct * y))

        return list(grad(paired, tuple(range(1 + len(live))))(y0, *[kept[k] for k in live]))

    def vjp(self, values: Any, outs: Any, cts: Any) -> Any:
        # ⟨w, ∇⟨ct, y⟩⟩ = ⟨ct, derivative of y in the direction w⟩, whose gradient is wanted.
        t0, t1, ts, y0, ct, *kept = values
        live = self.live
        timed = self.flow.timed
        pushed = placed([None] * len(kept), live, cts[1:])

        def paired(t0: Any, ts: Any, y0: Any, ct: Any, *given: Any) -> Any:
            full = placed(kept, live, given)
            flow, primals, dots = self._paired((t0, t1, ts, y0, ct, *full), [None, None, cts[0], *pushed], timed)
            return total(ct * jvp(flow, primals, dots)[1])

        wanted = [k for k, flag in enumerate((*timed, True, True)) if flag] + [4 + k for k in range(len(live))]
        found = grad(paired, tuple(wanted))(t0, ts, y0, ct, *[kept[k] for k in live])
        full = placed([None] * (4 + len(live)), wanted, found)
        back = placed([None] * len(kept), live, full[4:])
        return [full[0], None, full[1], full[2], full[3], *back]


def adjoint_options(system: Any, slope: Any, width: int) -> list[dict[str, Any]]:
    """Solver options to try, in order, for the adjoint of a system at a given state width."""
    known = {k: v for k, v in system.options.items() if k in ("rtol", "max_step")}
    atol = system.options.get("atol")
    if atol is not None:  # of y, which may be small; what is carried here begins with magnitude 1
        known["atol"] = max(float(np.min(atol)), 1e-2 * float(np.min(system.options.get("rtol", 1e-3))))
    if not system.is_implicit():
        return [{"method": system.method, **known}]
    # LSODA takes no sparse Jacobian. BDF gives up where the dense output of y, which is not smooth, is to be resolved.
    name = getattr(system.method, "__name__", system.method)
    first = "BDF" if name == "LSODA" and width > _DENSE else system.method
    return [{"method": method, "jac": slope, **known} for method in dict.fromkeys((first, "Radau"))]


def scale(parts: Any) -> Any:
    """The largest magnitude among arrays, 1 for zeros: tolerances are absolute, while derivatives are linear."""
    sizes = [largest(abs(stop_gradient(asarray(p)))) for p in parts if asarray(p).size]
    found = largest(stack(sizes)) if sizes else asarray(1.0)
    return where(found > 0.0, found, 1.0)
