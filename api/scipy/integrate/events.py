"""Events of initial value problems, whose times move by the implicit function theorem."""

from typing import Any

import numpy as np

from ...core.errors import RuleError, at_user_line
from ...core.trace.tracer import Tracer
from ...numpy import stack
from ...transforms.custom.two_way import Closed
from ...transforms.staging.staging import primal
from .._solvers.arguments import closed, floats, shaped
from .._solvers.implicit import Implicit
from .flow import Flow


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
