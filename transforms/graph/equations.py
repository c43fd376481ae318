"""Equations of a graph, and drafts: mutable copies of a graph for compiler passes."""

from functools import partial, reduce
from operator import or_

from ...core.arrays.avals import aval_of
from ...core.errors import is_ours, line_of, words_of
from ...core.types import Any


class Var:
    """A value of a graph: an input or the output of an equation."""

    __slots__ = ("aval",)

    def __init__(self, aval):
        self.aval = aval


class Literal:
    """A constant of a graph."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    @property
    def aval(self):
        return aval_of(self.value)


class Equation:
    """`outputs = prim(inputs, params)`; inputs are Vars or Literals. `quiet`: True where a sweep or a singular rule
    made it, the error state that the user set for it, or False.

    `line` is that of the user's code which asked for it, `file.py:12`, or None; given so, or as `user_place` found it.
    """

    __slots__ = ("prim", "inputs", "params", "outputs", "quiet", "place", "drop")

    def __init__(self, prim, inputs, params, outputs, quiet=False, line=None):
        self.prim = prim
        self.inputs = inputs
        self.params = params
        self.outputs = outputs
        self.quiet = quiet
        self.place = line
        self.drop = ()

    @property
    def line(self):
        """The line of the user's code that asked for it."""
        if type(self.place) is tuple:
            self.place = line_of(self.place)
        return self.place

    @property
    def leaves_numbers(self):
        """Tell whether Python numbers alone are operands of what is elementwise, and gives a number of NumPy's."""
        if not self.prim.elementwise:
            return False
        out = self.outputs[0].aval
        return not out.weak and not out.shape and all(v.aval.weak for v in self.inputs)

    @property
    def acts(self):
        """Tell whether it does something beside computing: it is never dropped, and keeps its place among the
        others."""
        prim = self.prim
        return "acts" in prim.effects or prim.handlers is not None and any(
            eq.acts for p in self.params if not getattr(p, "pure", False)
            for graph in (getattr(p, "graph", None),) if graph is not None for eq in graph.equations)

    def bodies(self):
        """The bodies among its parameters."""
        return [p for p in self.params if type(p) is Body] if self.prim.handlers is not None else []

    def graphs(self):
        """The graphs that it runs: those of its bodies, and of functions with rules of their own."""
        return [graph for p in self.params if (graph := getattr(p, "graph", None)) is not None]


def located(error, eq):
    """`error`, raised when an equation ran: one of ours says where the user asked for the equation."""
    if eq.line is not None and len(error.args) == 1 and is_ours(error) and "staged at " not in words_of(error):
        error.args = (f"{words_of(error)} (staged at {eq.line})",)
    return error


class Body:
    """The body of a loop or a branch, on flat values: a graph of exactly these, or a function of them.

    A function stands here only while a transform is under way: what is staged holds graphs.
    """

    __slots__ = ("graph", "run", "derived")
    LIMIT = 16

    def __init__(self, graph: Any = None, run: Any = None):
        self.graph = graph
        self.run = run or graph.eval
        self.derived: dict[Any, Any] = {}

    def derive(self, key, make):
        """The body that a transform made of this one, made once."""
        found = self.derived.get(key)
        if found is None:
            if len(self.derived) >= self.LIMIT:
                self.derived.clear()
            found = make()
            if not found.captured:  # else it holds values of this call
                self.derived[key] = found
        return found

    def __call__(self, *values):
        return self.run(values)

    def __repr__(self):
        return repr(self.graph) if self.graph is not None else "body"


NO_AXIS = object()  # the name of no axis


def dependent(graph, flags, axis=None):
    """Flags of the outputs of a graph that depend on the flagged inputs; with `axis`, the name of a mesh axis, of those
    that vary along it if those inputs do.
    """
    reached = {v for v, flag in zip(graph.inputs, flags) if flag}
    for eq in graph.equations:
        given = [v in reached for v in eq.inputs]
        if axis is not None and (eq.prim.varies is not None or any(given) and eq.prim.handlers is not None):
            reached.update([v for v, flag in zip(eq.outputs, varying(eq, given, axis)) if flag])
        elif any(given):
            reached.update(eq.outputs)
    return [v in reached for v in graph.outputs]


def varying(eq, given, axis):
    """Flags of the outputs of an equation that vary along a mesh axis: of a collective, or of a call of graphs.

    `axis=NO_AXIS`: which depend on operands that are flagged, by what happens in the graphs.
    """
    count = len(eq.outputs)
    if eq.prim.varies is not None:
        named = axis in eq.params[0]
        return [eq.prim.varies(given) if named else given[0]] * count
    bodies = [p.graph for p in eq.bodies()]
    if None in bodies or not bodies:
        return [True] * count
    return [True] * count if eq.prim.flow is None else eq.prim.flow(eq, given, partial(dependent, axis=axis), or_)


# What is known of the outputs of an equation by what is known of its operands, through its bodies; the `flow` of
# statements. `inside(graph, flags)` says it of one body, `join` of a value that may be the one or the other.


def through_body(eq, flags, inside, join):
    """Flow facts of the outputs of a call."""
    return inside(eq.bodies()[0].graph, flags)


def through_branches(eq, flags, inside, join):
    """Flow facts of the outputs of a branch, of which the first operand chooses one body."""
    found = [inside(body.graph, flags[1:]) for body in eq.bodies()]
    return [reduce(join, several, flags[0]) for several in zip(*found)]


def through_rows(eq, flags, inside, join):
    """Flow facts of the outputs of a loop over rows."""
    body, consts, n, *_ = eq.params
    return through_loop(body.graph, flags, consts, n, inside, join)[1]


def through_loop(graph, flags, consts, n, inside, join=or_):
    """`(flags, outputs)`: what is known of the inputs of a loop's body in every step, constants, carry and rows, and of
    its outputs.
    """
    flags = list(flags)
    while True:
        outs = inside(graph, flags)
        grown = [*flags[:consts], *map(join, flags[consts : consts + n], outs), *flags[consts + n :]]
        if grown == flags:
            return flags, outs
        flags = grown


def walk(equations):
    """Every equation, those of bodies before the one that they belong to."""
    for eq in equations:
        for graph in eq.graphs():
            yield from walk(graph.equations)
        yield eq


def selects(graph):
    """Tell whether an equation may leave out what it is given, so that a derivative has structural zeros."""
    return any(eq.prim.zeros for eq in walk(graph.equations))


def constants(graph):
    """Every literal of a graph, those of bodies included; one that is used several times comes several times."""
    for part in (graph.outputs, *[eq.inputs for eq in graph.equations]):
        for v in part:
            if type(v) is Literal:
                yield v
    for eq in graph.equations:
        for inner in eq.graphs():
            yield from constants(inner)


# A mutable copy of a graph, for compiler passes.


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
