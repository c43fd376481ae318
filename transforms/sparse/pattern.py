"""Sparsity pattern of a graph: the input elements on which each output element depends."""

import numpy as np

from ...core.arrays.dtypes import is_inexact
from ...core.errors import ShapeError
from ...core.ops.dependence import ELEMENTS, MOVED, numbered
from ...core.primitive.primitive import argument_names
from ...core.trace.tracer import Tracer
from ..graph.equations import Body, Literal, located
from .relations import Relation, gathered, related, stacked, united


def dependence(graph, given, known=()):
    """Dependence of the outputs of a graph on its inputs.

    Args:
        graph: a `Graph`.
        given: a `Relation` for each of its inputs, None where it depends on nothing that counts.
        known: `{input: value}` of those whose values are known.
    Returns:
        a list of relations, one an output; None for no dependence.
    """
    env = {v: r for v, r in zip(graph.inputs, given) if r is not None and len(r.columns)}
    values = Values(graph, dict(known))
    for eq in graph.equations:
        found = [env.get(v) for v in eq.inputs]
        if all(r is None for r in found):
            continue
        try:
            answers = _through(eq, found, values)
        except ShapeError as error:
            located(error, eq)
            raise
        for v, r in zip(eq.outputs, answers):
            # Integers and booleans carry no derivative, so what depends on them does not depend on the inputs.
            if r is not None and len(r.columns) and is_inexact(v.aval.dtype):
                env[v] = r
    return [None if type(v) is Literal else env.get(v) for v in graph.outputs]


class Values:
    """The values of a graph that follow from its constants, computed when a rule asks for them."""

    def __init__(self, graph, known):
        self.known = known
        self.sources = {v: eq for eq in graph.equations for v in eq.outputs}

    def of(self, v):
        """The value of a variable or a literal, None where it is not known."""
        if type(v) is Literal:
            return None if isinstance(v.value, Tracer) else v.value
        if v not in self.known:
            self.known[v] = None
            eq = self.sources.get(v)
            if eq is not None and eq.prim.handlers is None and not eq.prim.effects:
                given = [self.of(x) for x in eq.inputs]
                if all(x is not None for x in given):
                    with np.errstate(all="ignore"):
                        ans = eq.prim.run((*given, *eq.params))
                    self.known.update(zip(eq.outputs, (ans,) if eq.prim.outputs is None else ans))
        return self.known[v]


def _through(eq, found, values):
    """The relations of the outputs of an equation, from those of its inputs."""
    prim = eq.prim
    if prim.handlers is not None:
        return _of_call(eq, found, values)
    rule = prim.depends or (ELEMENTS if prim.elementwise else None)
    if rule is None:
        return _of_all(eq, found)
    answers = []
    for k, v in enumerate(eq.outputs):
        relations = _relations(eq, rule, v.aval, values, [r is not None for r in found], k)
        total = None
        for i, r in enumerate(found):
            if r is None or i in prim.nondiff:
                continue
            part = related(r, relations[i], v.aval.size) if i in relations else _everything(r, v.aval.size)
            total = united(total, part)
        answers.append(total)
    return answers


def _of_all(eq, found):
    """Each output depends on whatever any input does: right for any operation."""
    total = None
    for r in found:
        total = total if r is None else united(total, _everything(r, 1))
    return [gathered(total, np.zeros(v.aval.size, np.int64)) for v in eq.outputs]


def _everything(found, size):
    return Relation.full(size, np.unique(found.columns), found.width)


def _relations(eq, rule, answer, values, live, k):
    """`{operand: what the rule says of it}`."""
    operands = [v.aval for v in eq.inputs]
    if rule is ELEMENTS:
        return {i: (numbered(a.shape), np.broadcast_to(numbered(a.shape), answer.shape))
                for i, a in enumerate(operands) if live[i]}
    if rule is MOVED:
        return {i: (numbered(operands[i].shape), _moved(eq, i)) for i in range(len(operands)) if live[i]}
    prim = eq.prim
    known = dict(zip(prim.params, eq.params), ans=answer, output=k)
    known |= {prim.operands[0]: operands} if prim.variadic else zip(prim.operands, operands)
    asked = []
    for name in argument_names(rule):
        if name in known:
            asked.append(known[name])
        else:  # x_value
            asked.append(values.of(eq.inputs[prim.index(name.removesuffix("_value"))]))
    return rule(*asked)


def _moved(eq, i):
    """For each element of the output which of operand `i` it is, -1 for none: the operation on index numbers."""
    given = []
    for k, v in enumerate(eq.inputs):
        shape = v.aval.shape
        # From 1, so that zeros, which padding writes too, stand for no element of this operand.
        given.append(numbered(shape) + 1 if k == i else np.zeros(shape, np.int64))
    return np.asarray(eq.prim.run((*given, *eq.params))) - 1


def _of_call(eq, found, values):
    """The relations of the outputs of a loop, a branch or a function that is called."""
    rule = _CONTROL.get(eq.prim.control)
    if rule is not None:
        return rule(eq, found, values)
    graphs = eq.graphs()
    if len(graphs) != 1 or len(graphs[0].inputs) != len(eq.inputs) or len(graphs[0].outputs) != len(eq.outputs):
        return _of_all(eq, found)
    return dependence(graphs[0], found, _known(graphs[0], eq.inputs, values))


def _known(graph, inputs, values):
    return {v: values.of(x) for v, x in zip(graph.inputs, inputs) if values.of(x) is not None}


def _of_cond(eq, found, values):
    answers = [None] * len(eq.outputs)
    for body in (p for p in eq.params if type(p) is Body):
        outs = dependence(body.graph, found[1:], _known(body.graph, eq.inputs[1:], values))
        answers = [united(a, b) for a, b in zip(answers, outs)]
    return answers


def _of_while(eq, found, values):
    """The carry depends on what any number of steps makes of it: the least relation that a step does not enlarge."""
    consts = eq.params[eq.prim.params.index("consts")]
    body = eq.params[eq.prim.params.index("body")]
    head, carry = found[:consts], list(found[consts:])
    known = _known(body.graph, eq.inputs[:consts], values)
    while True:
        outs = dependence(body.graph, [*head, *carry], known)
        grown = [united(c, o) for c, o in zip(carry, outs)]
        # Relations only grow and are bounded, so equal counts are equal relations, and this ends.
        if all(_count(a) == _count(b) for a, b in zip(carry, grown)):
            return grown
        carry = grown


def _count(found):
    return 0 if found is None else len(found.columns)


def _of_scan(eq, found, values):
    """Step by step: the relation of one step is found once, and composed with what its inputs depend on."""
    named = dict(zip(eq.prim.params, eq.params))
    graph, consts, n, steps = named["body"].graph, named["consts"], named["n"], named["steps"]
    head, carry, xs = found[:consts], list(found[consts : consts + n]), found[consts + n :]
    known = _known(graph, eq.inputs[:consts], values)
    widths = [r.width for r in found if r is not None]
    sizes = [v.aval.size for v in graph.inputs]
    rows = [[] for _ in eq.outputs[n:]]
    step = _Step(graph, known, sizes)
    for i in reversed(range(steps)) if named["reverse"] else range(steps):
        given = [*head, *carry, *[None if x is None else _slice(x, i, size) for x, size in zip(xs,
            sizes[consts + n :])]]
        outs = step(given)
        carry = outs[:n]
        for collected, r, v in zip(rows, outs[n:], graph.outputs[n:]):
            collected.append(Relation.empty(v.aval.size, widths[0]) if r is None else r)
    if named["reverse"]:
        rows = [r[::-1] for r in rows]
    return [*carry, *[stacked(r) if r else None for r in rows]]


def _slice(found, i, size):
    starts = found.starts[i * size : (i + 1) * size + 1]
    return Relation(starts - starts[0], found.columns[starts[0] : starts[-1]], found.width)


class _Step:
    """The dependence of one step of a loop, by the relation of its outputs to its inputs, found once."""

    def __init__(self, graph, known, sizes):
        self.graph = graph
        self.known = known
        self.sizes = sizes
        self.local = {}

    def __call__(self, given):
        live = tuple([r is not None for r in given])
        if not any(live):
            return [None] * len(self.graph.outputs)
        # Steps differ in which carries depend on anything at all: the first ones less than the later.
        if live not in self.local:
            total, seeds = sum(s for s, flag in zip(self.sizes, live) if flag), []
            before = 0
            for size, flag in zip(self.sizes, live):
                seeds.append(Relation.identity(before, size, total) if flag else None)
                before += size if flag else 0
            self.local[live] = [None if r is None else r.matrix() for r in dependence(self.graph, seeds, self.known)]
        inner = stacked([r for r in given if r is not None]).matrix()
        return [None if m is None else Relation.of(m @ inner) for m in self.local[live]]


_CONTROL = {"branch": _of_cond, "while": _of_while, "scan": _of_scan}
