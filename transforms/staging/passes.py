"""Passes over staged graphs: partial evaluation, structural zeros, and common subexpressions."""

from ...core.ops.arithmetic import add, multiply
from ...core.ops.dependence import ELEMENTS, MOVED, reduced
from ...core.ops.indexing.indexing import index_update
from ...core.ops.selection import reached, strong_times, strong_zero
from ..compile.rules.rewrite import key_of
from ..graph.equations import Body, Equation, Literal, Var, walk
from .graph import Graph, part_of

# Partial evaluation of a derivative: split its graph into a forward and a backward half.


def partition(forward, back, count, late, free=None):
    """Split a derivative into `(forward, back, residuals)`: what the backward half alone needs is computed there.

    Args:
        forward: its outputs from `count` on are what `back` captured, whose last inputs stand for them.
        back: a graph of cotangents.
        late: the equations of `forward` that were written down on the way back: they move there.
        free: variables that take no memory to keep. Where given, other equations move, too, if that keeps less.
    Returns:
        the forward half, with the residuals behind its `count` outputs; the backward half, a graph of cotangents and
        residuals; and the residuals: inputs or other variables of the forward half.
    """
    residuals = set(forward.outputs[count:])
    needed = {v for v in forward.outputs[:count] if type(v) is Var}
    stay, move = [], []
    # Backwards, so that the readers of an equation are decided before it is: it may move only if all of them did.
    for eq in reversed(forward.equations):
        given = {v for v in eq.inputs if type(v) is Var}
        if eq in late or free is not None and not eq.acts and needed.isdisjoint(eq.outputs) and _size(
                given - residuals - free) <= _size(residuals.intersection(eq.outputs)):
            move.append(eq)
            residuals.difference_update(eq.outputs)
            residuals |= given
        else:
            stay.append(eq)
            needed |= given
    cts = back.inputs[: len(back.inputs) - len(back.captured)]
    kept = [v for v in (*forward.inputs, *[v for eq in stay[::-1] for v in eq.outputs]) if v in residuals]
    same = dict(zip(back.inputs[len(cts) :], forward.outputs[count:]))
    renamed = [Equation(eq.prim, [same.get(v, v) for v in eq.inputs], eq.params, eq.outputs, eq.quiet, eq.place)
               for eq in back.equations]
    return (part_of(forward, forward.inputs, stay[::-1], [*forward.outputs[:count], *kept]),
            part_of(back, [*cts, *kept], interleaved(move[::-1], renamed), [same.get(v, v) for v in back.outputs]),
            kept)


def _size(variables):
    return sum(v.aval.size for v in variables)


def interleaved(first, then):
    """Interleave two lists of equations in their order, those of the first as late as the second allows.

    What is recomputed for one of these is then dropped before more is.
    """
    place = {v: k for k, eq in enumerate(first, 1) for v in eq.outputs}
    out, done = [], 0
    for eq in then:
        # Recompute just in time: all at once would hold every recomputed value through the whole backward half.
        upto = max([done, *[place.get(v, 0) for v in eq.inputs]])
        out += [*first[done:upto], eq]
        done = upto
    return [*out, *first[done:]]


# Drop strong zeros from a graph of cotangents where a cotangent has no structural zeros.


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


# Common subexpression elimination: merge equal equations of a graph.


def merged(graph: Graph) -> Graph:
    """Merge equal equations of a graph without captured values.

    The compiler merges equations too, but of a derivative that is too late: each has a cotangent of its own by then.
    """
    seen, known, kept = {}, {}, []
    for eq in graph.equations:
        inputs = [known.get(v, v) for v in eq.inputs]
        if inputs != eq.inputs:
            eq = Equation(eq.prim, inputs, eq.params, eq.outputs, eq.quiet, eq.place)
        key = key_of(eq)
        earlier = None if key is None else seen.setdefault(key, eq)
        if earlier is None or earlier is eq or eq.quiet is not True and eq.quiet != earlier.quiet:
            kept.append(eq)
        else:
            known.update(zip(eq.outputs, earlier.outputs))
    if not known:
        return graph
    return part_of(graph, graph.inputs, kept, [known.get(v, v) for v in graph.outputs])
