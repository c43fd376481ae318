"""Expand composite operations by the `lower` of their statements."""

from collections import Counter

import numpy as np

from ....core.arrays.avals import aval_of, make_aval
from ....core.arrays.backend import special_name
from ....core.facts import Operation
from ....core.ops.shaping import optimization_barrier
from ....core.primitive.primitive import Loop, NotLowered
from ....core.trace.tracer import Staged, Trace, Tracer
from ...graph.equations import Body, Draft, Equation, Literal, Var

ATOMIC = (np.ufunc, Loop, type(None))  # what `lower` is of operations that are said in no others


class Lowering(Trace):
    """Records the operations that the `lower` of an equation runs."""

    __slots__ = ("like", "equations", "stays")
    kind = "lowering"

    def __init__(self, like, stays):
        Trace.__init__(self)
        self.like = like
        self.equations = []
        self.stays = stays

    def box(self, v):
        if type(v) is Literal:
            return v.value  # a number itself: `lower` may ask for its value
        out = Staged()
        out.owner = self
        out.value = None
        out.aval = v.aval
        out.node = v
        return out

    def process(self, prim, args):
        operands, params = prim.split(args)
        avals = prim.shape([aval_of(a) for a in operands], params)
        several = prim.outputs is not None
        eq = Equation(prim, [a.node if isinstance(a, Tracer) else Literal(a) for a in operands], params,
                      list(map(Var, avals)) if several else [Var(avals)], self.like.quiet, self.like.place)
        if not self.stays(eq):  # lowered while it is recorded: what comes down to several comes down at once
            if isinstance(prim.lower, ATOMIC):
                raise NotLowered
            return prim.lower(*args)
        self.equations.append(eq)
        outs = [self.box(v) for v in eq.outputs]
        return tuple(outs) if several else outs[0]

    def loop(self, loop, *args):
        """A loop of SciPy's, which native code may call."""
        if type(loop.of) is not str:
            raise NotLowered
        eq = Equation(Operation(special_name(loop.of, loop.part), elementwise=True, rebind=lambda args: loop(*args)),
                      [a.node if isinstance(a, Tracer) else Literal(a) for a in args], (),
                      [Var(make_aval(np.broadcast_shapes(*map(np.shape, args)), args[0].dtype))],
                      self.like.quiet, self.like.place)
        if not self.stays(eq):
            raise NotLowered
        self.equations.append(eq)
        return self.box(eq.outputs[0])


def lowered(eq, stays):
    """`(equations, results)` that an equation of real operands comes down to; None where it stays as it is.

    Args:
        stays: whether an operation is recorded, given its equation; another one is lowered in turn.
    """
    if isinstance(eq.prim.lower, ATOMIC):
        return None
    try:
        equations, results = recorded(eq, stays)
    except NotLowered:
        return None
    same = len(results) == len(eq.outputs) and all(  # in another dtype it is another operation
        v.aval.shape == out.aval.shape and v.aval.dtype == out.aval.dtype for v, out in zip(results, eq.outputs))
    return (equations, results) if same else None


def recorded(eq, stays):
    """Record what the `lower` of an equation does, as `lowered`, but with its own outputs and its own errors."""
    trace = Lowering(eq, stays)
    try:
        found = eq.prim.lower(*[trace.box(v) for v in eq.inputs], *eq.params)
    finally:
        trace.done = True  # a value that `lower` kept would otherwise be traced into a finished graph
    results = [x.node if type(x) is Staged else Literal(x) for x in (found if type(found) is tuple else (found,))]
    return trace.equations, results


def named(eq, equations, results):
    """Equations that make the outputs of an equation; None where they make none of what it gives."""
    made = {v for step in equations for v in step.outputs}
    # An operand that is given back has no equation to rename.
    if not all(type(v) is Var and v in made for v in results):
        return None
    outs = dict(zip(results, eq.outputs))
    for step in equations:
        step.inputs = [outs.get(v, v) for v in step.inputs]
        step.outputs = [outs.get(v, v) for v in step.outputs]
    return equations


def composed(eq):
    """`(equations, results)` of an equation that NumPy computes by these, one by one; None of one that stays."""
    if not eq.prim.composite:
        return None
    if eq.prim.composite == "always":
        return lowered(eq, lambda step: not step.prim.composite)
    out = eq.outputs[0].aval
    # One call is less than several on numbers.
    if not out.shape or out.weak or any(v.aval.dtype.kind not in "fb" for v in eq.inputs):
        return None
    return lowered(eq, _is_ufunc)


def _is_ufunc(step):
    """Tell whether an operation is one loop over arrays; composite ones are lowered, what else there is refuses."""
    if step.prim.ufunc is None and not isinstance(step.prim.lower, Loop):
        if not step.prim.composite:
            raise NotLowered
        return False
    return True


# Inline functions with custom rules: nothing differentiates compiled code.


def is_call(eq, whole=False):
    """Tell whether an equation is a call of one function with rules of its own; `whole`: or of one without."""
    prim = eq.prim
    return (prim.handlers is not None and prim.control is None and not prim.effects and (whole or not eq.bodies())
            and len(eq.graphs()) == 1 and eq.graphs()[0].guards is None)


def is_any_call(eq):
    """Tell whether an equation is a call of one function, with rules of its own or without."""
    return is_call(eq, whole=True)


def kept_apart(draft, calls):
    """The draft with a barrier before what calls share with others: these may run the same bodies again, in a sweep
    that a checkpoint lets compute what it would hold otherwise."""
    readers = Counter([v for eq in draft.equations for v in {*eq.inputs} if type(v) is Var])
    equations = []
    for eq in draft.equations:
        if eq in calls:
            apart = {v: Var(v.aval) for v in dict.fromkeys(eq.inputs) if readers[v] > 1}
            equations += [Equation(optimization_barrier.prim, [v], (), [new], eq.quiet, eq.place)
                          for v, new in apart.items()]
            eq.inputs = [apart.get(v, v) for v in eq.inputs]
        equations.append(eq)
    return Draft(draft.inputs, equations, draft.outputs, draft.guards)


def inlined(graph, chosen):
    """A draft of a graph with the bodies of the chosen calls in their place, in bodies of loops, too."""
    known = {}

    def now(v):
        return v if type(v) is Literal else known.get(v, v)

    equations = []
    for eq in graph.equations:
        inputs = [now(v) for v in eq.inputs]
        if chosen(eq):
            # A strong product runs another graph than the plain one that it shows.
            inner = inlined(getattr(eq.params[-1], "expanded", eq.graphs()[0]), chosen)
            fresh = dict(zip(inner.inputs, inputs))  # behind them may be what the rules close over

            def renamed(v, fresh=fresh):
                if type(v) is Literal:
                    return v
                if v not in fresh:
                    fresh[v] = Var(v.aval)
                return fresh[v]

            equations += [Equation(part.prim, [renamed(v) for v in part.inputs], part.params,
                                   [renamed(v) for v in part.outputs], eq.quiet is True or part.quiet, part.place)
                          for part in inner.equations]
            # A body may be called twice: its variables are new ones each time.
            known.update((out, renamed(v)) for out, v in zip(eq.outputs, inner.outputs, strict=True))
        else:
            params = tuple([Body(inlined(p.graph, chosen), p.run) if type(p) is Body and p.graph is not None else p
                            for p in eq.params])
            equations.append(Equation(eq.prim, inputs, params, eq.outputs, eq.quiet, eq.place))
    return Draft(graph.inputs, equations, [now(v) for v in graph.outputs], graph.guards)
