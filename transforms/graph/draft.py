"""A mutable copy of a graph, for compiler passes."""

from .equations import Equation, Literal, Var


class Draft:
    """Inputs, equations and outputs between two passes, and the guards of the graph as long as it is whole."""

    __slots__ = ("inputs", "equations", "outputs", "guards")
    captured = ()

    def __init__(self, inputs, equations, outputs, guards=None):
        self.guards = guards
        self.inputs = list(inputs)
        self.equations = list(equations)
        self.outputs = list(outputs)


def rewritten(eq, inputs=None, params=None):
    """An equation with other inputs or parameters."""
    return Equation(eq.prim, eq.inputs if inputs is None else inputs, eq.params if params is None else params,
                    eq.outputs, eq.quiet, eq.place)


def without_dead(draft):
    """The draft without equations that nothing needs; those that act stay."""
    needed = {v for v in draft.outputs if type(v) is Var}
    kept = []
    for eq in reversed(draft.equations):
        if not needed.isdisjoint(eq.outputs) or eq.acts:
            kept.append(eq)
            needed.update([v for v in eq.inputs if type(v) is Var])
    return Draft(draft.inputs, kept[::-1], draft.outputs)


class Names:
    """Substitutions: the value that stands for a variable that was found to be another one, or a constant."""

    __slots__ = ("known",)

    def __init__(self):
        self.known = {}

    def __setitem__(self, var, value):
        self.known[var] = value

    def __call__(self, v):
        return v if type(v) is Literal else self.known.get(v, v)
