"""Drop strong zeros from a graph of cotangents where a cotangent has no structural zeros."""

from ...core.ops.arithmetic import add, multiply
from ...core.ops.dependence import ELEMENTS, MOVED, reduced
from ...core.ops.indexing.indexing import index_update
from ...core.ops.selection import reached, strong_times, strong_zero
from ..graph.equations import Body, Equation, Literal, Var, walk
from .graph import part_of


def holds_zeros(graph):
    """Tell whether values of a graph may have structural zeros: what it computes may be a derivative already."""
    return any(eq.prim.zeros is True for eq in walk(graph.equations))


def without_strong_zeros(graph, flags):
    """`(graph, flags of the outputs)`: the same cotangents, by plain products where no structural zero can be met.

    A flag says of a value whether it has structural zeros; it is None of what depends on no cotangent, as residuals.
    """
    known, same, equations = dict(zip(graph.inputs, flags)), {}, []
    for eq in graph.equations:
        inputs = [same.get(v, v) for v in eq.inputs]
        given = [known.get(v) for v in inputs]
        made = [eq] if inputs == eq.inputs else [
            Equation(eq.prim, inputs, eq.params, eq.outputs, eq.quiet, eq.place)]
        found = [_flag(eq, given)] * len(eq.outputs)
        prim = eq.prim
        if prim in (strong_zero.prim, reached.prim) and given[0] is False and type(inputs[1]) is Var and (
                inputs[1].aval == eq.outputs[0].aval):
            same[eq.outputs[0]] = inputs[1]
            continue
        if prim.handlers is not None and getattr(eq.params[-1], "name", None) == "strong_product":
            found = [_joined(given)]
            if given[0] is False:
                made = _renamed(eq.params[-1].graph, inputs, eq)
        elif prim is strong_times.prim and given[0] is False:
            made = [Equation(multiply.prim, inputs, (), eq.outputs, eq.quiet, eq.place)]
        elif prim.control == "scan":
            made, found = _loop(made[0], given)
        equations += made
        known.update(zip(eq.outputs, found))
    outputs = [same.get(v, v) for v in graph.outputs]
    return part_of(graph, graph.inputs, equations, outputs), [known.get(v) for v in outputs]


def _joined(given):
    """Of a result that is 0 where one of the operands is."""
    cts = [flag for flag in given if flag is not None]
    return any(cts) if cts else None


def _flag(eq, given):
    prim, joined = eq.prim, _joined(given)
    if joined is None:
        return None
    if prim is add.prim:
        return all(flag is not False for flag in given)
    if prim is index_update.prim and eq.params[-2]:  # it adds
        return given[0] is not False
    if prim.variadic and prim.depends == MOVED:  # parts beside each other
        return any(flag is not False for flag in given)
    if prim in (strong_zero.prim, strong_times.prim) or prim.bilinear or prim.zeros == "back":
        return joined
    # Where the statement tells, there are structural zeros only if what is given has some.
    told = prim.elementwise or prim.reduces is not None or prim.depends in (ELEMENTS, MOVED, reduced)
    return joined or not told or prim.zeros is True


def _loop(eq, given):
    """A loop with another body, and the flags of its outputs."""
    body, consts, n, *rest = eq.params
    if all(flag is None for flag in given):
        return [eq], [None] * len(eq.outputs)
    graph, found = with_carry(body.graph, given, consts, n)
    return [Equation(eq.prim, eq.inputs, (Body(graph), consts, n, *rest), eq.outputs, eq.quiet, eq.place)], found


def with_carry(graph, flags, consts, n):
    """`without_strong_zeros` of the body of a loop, where what is carried may come to have structural zeros."""
    flags = list(flags)
    while True:
        found, outs = without_strong_zeros(graph, flags)
        grown = [True if True in (a, b) else b if a is None else a
                 for a, b in zip(flags[consts : consts + n], outs)]
        if grown == flags[consts : consts + n]:
            return found, outs
        flags[consts : consts + n] = grown


def _renamed(graph, inputs, call):
    """The equations of a graph in place of those of a call of it."""
    fresh = dict(zip(graph.inputs, inputs))
    fresh.update(zip(graph.outputs, call.outputs))

    def renamed(v):
        return v if type(v) is Literal else fresh.setdefault(v, Var(v.aval))

    return [Equation(eq.prim, [renamed(v) for v in eq.inputs], eq.params, [renamed(v) for v in eq.outputs],
                     call.quiet is True or eq.quiet, call.place) for eq in graph.equations]
