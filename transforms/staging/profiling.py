"""`profile`: the time and memory of a function by operation and by line."""

from time import perf_counter

import numpy as np

from ...core.checks import check_function
from ...core.lazy import LazyModule
from ...core.types import Any, Callable
from ..arguments.arguments import flatten, settle
from ..graph.equations import Literal, located
from ..scope.errstate import scope_of
from .staging import make_graph

HTML, JSON = LazyModule("html"), LazyModule("json")
_SHOWN = 8  # rows of the table
_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def profile(fun: Callable[..., Any]) -> Callable[..., "Profile"]:
    """Return a function that runs `fun` operation by operation, and says what took time and memory.

    Args:
        fun: any function of pytrees of arrays that `make_graph` takes; a derivative, as `grad(f)`, for its passes
            forward and backward. It is staged, so Python control flow on traced values raises.
    Returns:
        a function of the same arguments that returns a `Profile`: printed, a table of the operations that took longest.

    Operations run one by one, as without `jit`, after a first run that is not measured (none of a function with
    effects); a loop is one operation. The memory is that of results and temporaries, those of a view counted once.

    >>> import numpy as np, covector
    >>> def loss(w, x):
    ...     return np.sum(np.tanh(x @ w) ** 2)
    >>> report = covector.profile(covector.grad(loss))(np.ones((50, 20)), np.ones((1000, 50)))
    >>> report.value.shape, report.peak > 1000 * 20 * 8, report.seconds > 0
    ((50, 20), True, True)
    >>> print(report)
    loss: ... in 8 operations, ... at most at one time
          time   share  calls     memory  operation         line
    ...
    """
    check_function(fun, "profile")

    def profiled(*args: Any, **kwargs: Any) -> Profile:
        graph = make_graph(fun)(*args, **kwargs)
        values = [settle(x) for x in flatten((args, kwargs) if kwargs else args)[0]]
        if not any(eq.acts for eq in graph.equations):
            graph.interpret(values)
        return Profile(getattr(fun, "__name__", "the function"), *_measured(graph, values))

    return profiled


class Profile:
    """The measurements of `profile`.

    `value` is the result of the function, `seconds` the time of all operations, `peak` the bytes of their results at
    the time when most were needed, `events` the list of operations in their order. Printed, it is a table.

    >>> import numpy as np, covector
    >>> report = covector.profile(lambda x: np.sum(np.sin(x)))(np.zeros(1000))
    >>> float(report.value), len(report.events)
    (0.0, 2)
    """

    def __init__(self, name, value, events, peak):
        self.name = name
        self.value = value
        self.events = events
        self.peak = peak
        self.seconds = sum([event.seconds for event in events])

    def __str__(self):
        rows: dict[Any, list[Any]] = {}
        for event in self.events:
            row = rows.setdefault((event.operation, event.line), [0.0, 0, 0])
            row[0] += event.seconds
            row[1] += 1
            row[2] += event.bytes
        order = sorted(rows.items(), key=lambda item: -item[1][0])
        lines = [f"{self.name}: {_time(self.seconds)} in {len(self.events)} operations, {_size(self.peak)} at most at "
                 f"one time", f"{'time':>10}{'share':>8}{'calls':>7}{'memory':>11}  {'operation':<18}line"]
        lines += [self._line(row, operation, line or "") for (operation, line), row in order[:_SHOWN]]
        rest = [row for _, row in order[_SHOWN:]]
        if rest:
            lines.append(self._line([sum(column) for column in zip(*rest)], f"{len(rest)} others", ""))
        return "\n".join([line.rstrip() for line in lines])

    __repr__ = __str__

    def _repr_html_(self):
        return f"<div>{timeline_of(self.events, self.peak)}<pre>{HTML.escape(str(self))}</pre></div>"

    def _line(self, row, operation, line):
        seconds, calls, size = row
        share = f"{100.0 * seconds / max(self.seconds, 1e-12):.0f} %"
        return f"{_time(seconds):>10}{share:>8}{calls:>7}{_size(size):>11}  {operation:<18}{line}"

    def save(self, path: Any) -> None:
        """Write a timeline of operations and memory in the format that chrome://tracing and ui.perfetto.dev show.

        Args:
            path: of the JSON file.
        """
        written, start = [], self.events[0].start if self.events else 0.0
        for event in self.events:
            at = 1e6 * (event.start - start)
            written.append({"name": event.operation, "ph": "X", "ts": at, "dur": 1e6 * event.seconds, "pid": 0,
                            "tid": 0, "args": {"line": event.line, "bytes": event.bytes}})
            written.append({"name": "memory", "ph": "C", "ts": at + 1e6 * event.seconds, "pid": 0,
                            "args": {"bytes": event.live}})
        with open(path, "w", encoding="utf-8") as file:
            JSON.dump({"traceEvents": written, "displayTimeUnit": "ms"}, file)


class Event:
    """One operation of a profile: its name, the user's line, when it began, its seconds, the bytes that it made, and
    those of all results that were still needed after it.
    """

    __slots__ = ("operation", "line", "start", "seconds", "bytes", "live")

    def __init__(self, operation, line, start, seconds, size, live):
        self.operation = operation
        self.line = line
        self.start = start
        self.seconds = seconds
        self.bytes = size
        self.live = live


def _measured(graph, values):
    """`(value, events, peak)` of a graph that runs equation by equation."""
    env = dict(zip(graph.inputs, values, strict=True))
    given = {id(_owner(x)) for x in values}
    held: dict[int, list[int]] = {}  # owner of memory -> [how many values lie in it, bytes]
    events, live, peak = [], 0, 0
    for silent, equations in graph.stretches:
        for _, eq in equations:
            operands = [v.value if type(v) is Literal else env[v] for v in eq.inputs]
            with scope_of(silent):
                start = perf_counter()
                try:
                    found = eq.prim.rebind((*operands, *eq.params))
                except Exception as error:
                    located(error, eq)
                    raise
                seconds = perf_counter() - start
            made = 0
            for v, x in zip(eq.outputs, [found] if eq.prim.outputs is None else found):
                env[v] = x
                owner = _owner(x)
                if id(owner) not in given:
                    entry = held.setdefault(id(owner), [0, getattr(owner, "nbytes", 0)])
                    made += 0 if entry[0] else entry[1]
                    entry[0] += 1
            live += made
            peak = max(peak, live)
            for v in eq.drop:
                key = id(_owner(env.pop(v)))
                if key in held:
                    held[key][0] -= 1
                    if not held[key][0]:
                        live -= held.pop(key)[1]
            events.append(Event(eq.prim.name, eq.line, start, seconds, made, live))
    outs = [v.value if type(v) is Literal else env[v] for v in graph.outputs]
    return graph.rebuild(outs), events, peak


def _owner(x):
    """The array that owns the memory of a value."""
    while isinstance(getattr(x, "base", None), np.ndarray):
        x = x.base
    return x


def _time(seconds):
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _size(count):
    for step, unit in _UNITS:
        if count >= step:
            return f"{count / step:.3g} {unit}"
    return f"{count} B"


# Timelines: when each operation of a profile ran, and how much memory was held, as SVG.

_WIDTH, _BAR, _CURVE = 640.0, 26.0, 60.0  # pixels
_COLOURS = ("#2a7fd4", "#e07b39", "#2e9e6b", "#c2508f", "#8a6fd1", "#a8892c", "#777777")
_MOST = 2000  # operations drawn


def timeline_of(events, peak):
    """The drawing of events in their order: a bar for each, as long as it took, and the memory held below."""
    shown = events[:_MOST]
    if not shown:
        return ""
    begin = shown[0].start
    whole = max(shown[-1].start + shown[-1].seconds - begin, 1e-12)
    totals: dict[str, float] = {}
    for event in shown:
        totals[event.operation] = totals.get(event.operation, 0.0) + event.seconds
    order = sorted(totals, key=lambda name: -totals[name])
    colour = {name: _COLOURS[min(k, len(_COLOURS) - 1)] for k, name in enumerate(order)}
    out = []
    for event in shown:
        x, wide = (event.start - begin) / whole * _WIDTH, max(event.seconds / whole * _WIDTH, 0.4)
        about = HTML.escape(f"{event.operation}, {event.seconds * 1e6:.3g} us, {event.bytes} bytes\n{event.line or ''}")
        out.append(f'<rect x="{x:.2f}" y="0" width="{wide:.2f}" height="{_BAR}" fill="{colour[event.operation]}">'
                   f"<title>{about}</title></rect>")
    points = [f"0,{_BAR + 8 + _CURVE}"]
    for event in shown:
        x = (event.start + event.seconds - begin) / whole * _WIDTH
        points.append(f"{x:.1f},{_BAR + 8 + _CURVE * (1.0 - event.live / max(peak, 1)):.1f}")
    points.append(f"{_WIDTH},{_BAR + 8 + _CURVE}")
    top = _BAR + _CURVE + 26
    out.append(f'<polygon points="{" ".join(points)}" fill="currentColor" fill-opacity="0.18"/>'
               f'<text x="4" y="{_BAR + 22}">memory</text>')
    for k, name in enumerate(order[: len(_COLOURS) - 1]):
        out.append(f'<rect x="{k * 105}" y="{top - 9}" width="10" height="10" fill="{colour[name]}"/>'
                   f'<text x="{k * 105 + 14}" y="{top}">{HTML.escape(name[:12])}</text>')
    high = top + 8
    return (f'<div style="overflow-x:auto"><svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:.0f}" '
            f'height="{high:.0f}" viewBox="0 0 {_WIDTH:.0f} {high:.0f}" font-family="monospace" font-size="11" '
            f'fill="currentColor">{"".join(out)}</svg></div>')
