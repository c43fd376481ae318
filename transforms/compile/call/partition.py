"""Partition of a graph into native segments and NumPy calls between them."""

import math

from ....core.facts import Operation
from ....core.lazy import LazyModule
from ....core.types import Any
from ...graph.equations import Body, Draft, Var, rewritten, without_dead
from ..analysis.cost import saved_natively, turns
from ..loops.statements import KINDS
from ..lower.collectives import is_exchange
from ..lower.lowerings import computes, is_native
from .callable import Slow


def whole(draft, known):
    """The one segment that a draft is; None if it is more, or nothing that computes."""
    equations = draft.equations
    if any(map(is_alone, equations)) or not any(map(computes, equations)) or not all(
            is_native(eq, known) or is_exchange(eq) for eq in equations):
        return None
    made = {v for eq in equations for v in eq.outputs}
    if not all(v in made for v in draft.outputs):
        return None  # an argument or a constant that is given back needs a copy, which is NumPy's
    if not all(v.aval.dtype in KINDS for v in draft.inputs):
        return None
    return Segment(equations, draft.inputs, draft.outputs, known)


def is_alone(eq):
    """Tell whether an operation is worth a call out of native code: it has better loops."""
    alone = eq.prim.alone
    return alone is not None and bool(alone(*[v.aval for v in eq.inputs], *eq.params))


def with_segments(draft, known, least=-math.inf, exchanges=False):
    """`(draft, segments, saved)`: the draft with segments in place of what they hold, in bodies, too.

    Args:
        least: the microseconds that a segment must save to become one.
        exchanges: whether segments may call collectives of ranks.
    Returns:
        with `saved`, what they save together.
    """
    parts = _Parts(known, least, exchanges)
    equations = parts.scheduled(draft.equations, draft.inputs, draft.outputs)
    return Draft(draft.inputs, equations, draft.outputs), parts.found, parts.saved


def _readers(order, outputs):
    """`{variable: the turns that read it}`; -1 stands for the program's outputs."""
    found = {v: {-1} for v in outputs if type(v) is Var}
    for turn, (_, equations) in enumerate(order):
        for eq in equations:
            for v in eq.inputs:
                if type(v) is Var:
                    found.setdefault(v, set()).add(turn)
    return found


def _sunk(order, outputs):
    """The turns with what only later native ones read computed there, where that makes no more values pass between."""
    turn_of = {v: t for t, (_, equations) in enumerate(order) for eq in equations for v in eq.outputs}
    readers = _readers(order, outputs)
    order = [(native, list(equations)) for native, equations in order]
    for t in range(len(order) - 1, -1, -1):
        native, equations = order[t]
        if not native:
            continue
        for eq in reversed(list(equations)):
            reading = set().union(*[readers.get(v, set()) for v in eq.outputs])
            if not reading or -1 in reading or t in reading:
                continue
            first = min(reading)
            if not order[first][0]:  # an operation of NumPy reads it first: it must be there
                continue
            mine = [v for v in eq.inputs if type(v) is Var and turn_of.get(v) == t]
            if any(not any(r == -1 or r > t for r in readers[v]) for v in mine):
                continue
            equations.remove(eq)
            order[first][1].insert(0, eq)
            for v in eq.outputs:
                turn_of[v] = first
            for v in eq.inputs:
                if type(v) is Var:
                    readers[v].discard(t)
                    if any(v in other.inputs for other in equations):
                        readers[v].add(t)
                    readers[v].add(first)
    return [(native, equations) for native, equations in order if equations]


class _Parts:
    """The segments that are found in a draft and its bodies: of those that save enough microseconds."""

    def __init__(self, known, least, exchanges):
        self.known = known
        self.exchanges = exchanges
        self.least = least
        self.times = 1  # how often a body runs
        self.found = []
        self.saved = 0.0

    def scheduled(self, equations, inputs, outputs):
        """Equations in turns: those that are native, as far as their operands are there, then the others."""
        # Asked once: bodies are walked for it.
        native = {id(eq): not is_alone(eq) and is_native(eq, self.known) or self.exchanges and is_exchange(eq)
                  for eq in equations}
        waiting = list(equations)
        made = {v for eq in equations for v in eq.outputs}
        done = set(inputs)
        order = []
        while waiting:
            for kind in (True, False):  # as much as can be natively, then one turn of the rest: few segments
                taken, rest, barred = [], [], False
                for eq in waiting:
                    ready = all(type(v) is not Var or v in done or v not in made for v in eq.inputs)
                    if native[id(eq)] is kind and ready and not (eq.acts and barred):
                        taken.append(eq)
                        done.update(eq.outputs)
                    else:
                        rest.append(eq)
                        barred = barred or eq.acts  # effects keep their order; others go past them
                waiting = rest
                if kind:
                    order += [(True, taken)] if taken else []
                else:
                    order += [(False, [self.inside(eq)]) for eq in taken]
        return self.joined(_sunk(order, outputs), outputs)

    def joined(self, order, outputs):
        """The turns as equations; native ones as segments where they compute something."""
        readers = _readers(order, outputs)
        result = []
        for turn, (native, equations) in enumerate(order):
            if not native:
                result += equations
                continue
            made = {v for eq in equations for v in eq.outputs}
            moved = set()  # views of what lies outside, which others read: NumPy makes them, too
            for eq in equations:
                if not computes(eq) and all(v not in made or v in moved for v in eq.inputs if type(v) is Var):
                    moved.update(eq.outputs)
            leaving = [v for v in dict.fromkeys(v for eq in equations for v in eq.outputs)
                       if v not in moved and readers.get(v, set()) - {turn}]
            kept = without_dead(Draft([], equations, leaving)).equations if leaving else []
            saved = self.times * saved_natively(kept)
            if kept and saved < self.least:
                result += equations
                continue
            views = without_dead(Draft([], [eq for eq in equations if moved.issuperset(eq.outputs)],
                                       [v for v in moved if readers.get(v, set()) - {turn}])).equations
            result += views
            if not kept:
                continue
            inside = {v for eq in kept for v in eq.outputs}
            given = list(dict.fromkeys(v for eq in kept for v in eq.inputs if type(v) is Var and v not in inside))
            inner = {v for v in leaving if -1 not in readers[v]}
            segment = Segment(kept, given, leaving, self.known, inner)
            self.found.append(segment)
            self.saved += saved
            result.append(segment)
        return result

    def inside(self, eq):
        """A loop or branch that is not native, with segments in its bodies."""
        if not eq.bodies() or any(body.graph is None for body in eq.bodies()):
            return eq
        params = []
        before = self.times
        self.times *= turns(eq) or 1  # a segment in a loop saves its time in every turn
        for p in eq.params:
            if type(p) is Body:
                graph = p.graph
                equations = self.scheduled(graph.equations, graph.inputs, graph.outputs)
                p = Body(Draft(graph.inputs, equations, graph.outputs), p.run)
            params.append(p)
        self.times = before
        return rewritten(eq, params=tuple(params))


# Segments: equations of a draft that run as one native function.

_EXCHANGES: Any = LazyModule("covector.transforms.compile.lower.collectives")
_FUNCTION: Any = LazyModule("covector.transforms.compile.call.kernel")
_WRITER: Any = LazyModule("covector.transforms.compile.lower.writer")


class Segment:
    """Equations that run as one native function; to the rest of a draft it looks like one equation."""

    prim = Operation("native", outputs=True, lies="fresh")
    params = ()
    quiet = acts = False

    def __init__(self, equations, inputs, outputs, known, inner=frozenset()):
        """`known`: what `is_native` noted; `inner`: the outputs that only equations read."""
        self.equations = equations
        self.known = known
        self.inputs = inputs
        self.outputs = outputs
        self.inner = inner
        self.boxed = [v in inner and not v.aval.shape and v.aval.dtype.kind in "iu" for v in outputs]
        self.line = equations[0].line

    def bodies(self):
        """No body of it is looked at from outside."""
        return []

    def graphs(self):
        """The same."""
        return []

    def compiled(self, slow=None, inside=False):
        """`(text, function)`; `slow` runs where arrays are not as the native function takes them.

        `inside` is that of `native_function`.
        """
        draft = Draft(self.inputs, self.equations, self.outputs)
        kernel = _WRITER.Writer(draft, self.known).kernel
        calls = any(eq.prim.exchanges for eq in self.equations)
        text, run = _FUNCTION.native_function(
            kernel, [v.aval for v in self.inputs], [v.aval for v in self.outputs],
            slow or Slow(lambda: _EXCHANGES.again(draft) if calls else draft), self.boxed, inside)
        return text, _EXCHANGES.remembering(run) if calls else run
