"""Common subexpression elimination: merge equal equations of a graph."""

from ..compile.rules.rewrite import key_of
from ..graph.equations import Equation
from .graph import Graph, part_of


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
