"""Inline functions with custom rules: nothing differentiates compiled code."""

from collections import Counter

from ....core.ops.shaping import optimization_barrier
from ...graph.draft import Draft
from ...graph.equations import Body, Equation, Literal, Var


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
