"""Strong zeros in a graph of cotangents, left out where a cotangent has no structural zeros."""

from ...core.primitive.primitive import REGISTRY
from ..graph.equations import Body, Equation, Literal, Var, walk
from .graph import part_of

# Beside what is elementwise or bilinear: their results have structural zeros only if what they are given has some.
_DENSE = frozenset({"broadcast_to", "cast", "conjugate", "duplicate", "flip", "getitem", "imag", "pick", "real",
                    "reduce_any", "reduce_mean", "reduce_sum", "reshape", "take", "to_complex", "transpose"})
_READS = frozenset({"concatenate", "getitem", "pick", "stack", "take"})


def holds_zeros(graph):
    """Tell whether values of a graph may have structural zeros: what it computes may be a derivative already."""
    return any(eq.prim.zeros and eq.prim.name not in _READS for eq in walk(graph.equations))


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
        name = eq.prim.name
        if name in ("strong_zero", "reached") and given[0] is False and type(inputs[1]) is Var and (
                inputs[1].aval == eq.outputs[0].aval):
            same[eq.outputs[0]] = inputs[1]
            continue
        if name == "two_way" and eq.params[-1].name == "strong_product":
            found = [_joined(given)]
            if given[0] is False:
                made = _renamed(eq.params[-1].graph, inputs, eq)
        elif name == "strong_times" and given[0] is False:
            made = [Equation(REGISTRY["multiply"], inputs, (), eq.outputs, eq.quiet, eq.place)]
        elif name == "scan":
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
    if prim.name == "add":
        return all(flag is not False for flag in given)
    if prim.name == "index_update" and eq.params[-2]:  # it adds
        return given[0] is not False
    if prim.name in ("concatenate", "stack"):
        return any(flag is not False for flag in given)
    dense = (prim.elementwise and not prim.zeros or prim.bilinear or prim.name in _DENSE
             or prim.name in ("strong_zero", "strong_times"))
    return joined or not dense


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
