"""Loop-invariant code motion: compute before a loop what all its steps have in common."""

from ...core.trace.tracer import Tracer, make_batched
from ..graph.equations import Var
from ..interpreters.vmap import Mapping
from ..staging.bodies import batch_in_front
from ..staging.graph import part_of

FEW = 256  # multiplications of a product that stays in the step: the loop may be one on Python floats
_BYTES = 1 << 27  # of one product for all steps


class Hoisted:
    """A body without what need not run in every step; `known` and `operands` give the values that its loop takes.

    Before the loop go the equations that depend on nothing but its constants, and, for all rows at once, products of
    what depends on nothing but constants and rows.

    Args:
        graph: a body without captured values; its inputs are constants, carry and rows.
        consts, n: how many inputs are constants, and how many are carried.
        steps: how often it runs.
        movable: a bool an input: whether what depends on it may run before the loop.
        wanted: variables to read after the loop, too. The loop collects those that are not known before it: as the
            output whose number `collected` holds. Those that are the same in each step are `fixed`.
    """

    __slots__ = ("graph", "consts", "steps", "inputs", "once", "each", "flags", "collected", "fixed")

    def __init__(self, graph, consts, n, steps, movable, wanted=()):
        self.inputs = graph.inputs
        self.steps = steps
        heads, carry, rows = graph.inputs[:consts], graph.inputs[consts : consts + n], graph.inputs[consts + n :]
        fixed = {v for v, may in zip(heads, movable) if may}
        sliced = {v for v, may in zip(rows, movable[consts + n :]) if may}
        once, across = [], []
        for eq in graph.equations:
            given = [v for v in eq.inputs if type(v) is Var]
            # An effect happens in each step, and a loop of no steps must not compute what it never would.
            if steps < 2 or not given or eq.acts or eq.prim.effects:
                continue
            if fixed.issuperset(given):
                once.append(eq)
                fixed.update(eq.outputs)
            # Of rows and constants: all steps at once, under a batch trace, as far as `_products` finds it worth the
            # memory.
            elif eq.prim.handlers is None and all(v in fixed or v in sliced for v in given):
                across.append(eq)
                sliced.update(eq.outputs)
        each = _products(across, steps)
        gone = {*once, *each}
        left = [eq for eq in graph.equations if eq not in gone]
        before = {*heads, *rows, *[v for eq in gone for v in eq.outputs]}
        self.fixed = {*heads, *[v for eq in once for v in eq.outputs]}
        outputs = list(graph.outputs)
        self.collected = {v: n + k for k, v in enumerate(outputs[n:]) if type(v) is Var}
        for v in wanted:
            if v not in before and v not in self.collected:
                self.collected[v] = len(outputs)
                outputs.append(v)
        read = {v for eq in left for v in eq.inputs if type(v) is Var} | {v for v in outputs if type(v) is Var}
        self.each = _part(graph, each, read.union(wanted))
        self.flags = [v in sliced for v in self.each.inputs]
        self.once = _part(graph, once, read.union(wanted, self.each.inputs))
        heads = [v for v in (*heads, *self.once.outputs) if v in read]
        rows = [v for v in (*rows, *self.each.outputs) if v in read]
        self.consts = len(heads)
        self.graph = part_of(graph, [*heads, *carry, *rows], left, outputs)

    def known(self, values):
        """The values that are known before the loop, from those of its operands over the old body."""
        known = dict(zip(self.inputs, values))
        known.update(zip(self.once.outputs, self.once.interpret([known[v] for v in self.once.inputs])))
        if self.each.equations:
            with Mapping(self.steps) as inner:
                given = [make_batched(inner, known[v]) if row else known[v]
                         for v, row in zip(self.each.inputs, self.flags)]
                outs = [batch_in_front(v, inner) for v in self.each.interpret(given)]
            known.update(zip(self.each.outputs, outs))
        return known

    def operands(self, known):
        """The operands of the loop over the new body."""
        return [known[v] for v in self.graph.inputs]


def movable(values):
    """Flags of the operands usable before the loop: where a loop is staged, no array of the user's."""
    traced = [isinstance(x, Tracer) for x in values]
    return traced if any(traced) else [True] * len(traced)


def _products(equations, steps):
    """Of equations that depend on rows and constants the large products, and what these are made from."""
    wanted, kept = set(), []
    for eq in reversed(equations):
        out = eq.outputs[0].aval
        large = eq.prim.product is not None and work(eq) >= FEW and steps * out.size * out.dtype.itemsize <= _BYTES
        if large or not wanted.isdisjoint(eq.outputs):
            kept.append(eq)
            wanted.update(v for v in eq.inputs if type(v) is Var)
    return kept[::-1]


def work(eq):
    """The approximate number of multiplications in a product of two operands; 0 of other products."""
    if len(eq.inputs) != 2:
        return 0
    x, y = (v.aval.size for v in eq.inputs)
    return int((x * y * eq.outputs[0].aval.size) ** 0.5)


def _part(graph, equations, wanted):
    """The graph of some equations; its outputs are those of their results that are `wanted`."""
    made = dict.fromkeys(v for eq in equations for v in eq.outputs)
    given = dict.fromkeys(v for eq in equations for v in eq.inputs if type(v) is Var)
    return part_of(graph, [v for v in given if v not in made], equations, [v for v in made if v in wanted])
