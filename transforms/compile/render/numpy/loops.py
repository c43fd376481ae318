"""Render loops and branches as NumPy source, with their bodies inlined."""

from collections import Counter

import numpy as np

from .....core.primitive.primitive import REGISTRY
from .calls import write_call


def _body(source, graph, known, kept, quiet):
    """Write the equations of a body whose inputs are compact as `known` says."""
    source.layouts.compact.update(v for v, flag in zip(graph.inputs, known) if flag)
    before = source.within, source.silent, source.outside
    source.within, source.silent = source.within if source.within is True else quiet or source.within, False
    source.block(graph.equations, graph.outputs, kept)
    source.within, source.silent, source.outside = before


def _given(source, eq, inputs):
    """The texts of the operands of a body; a Python number that it knows as a scalar of NumPy's becomes that."""
    found = []
    for v, known in zip(eq.inputs, inputs):
        text = source.ref(v)
        if v.aval.weak and not known.aval.weak:
            text = f"{source.object(known.aval.dtype.type, 'number')}({text})"
        found.append(text)
    return found


def _scan(source, eq):
    """A loop over rows that carries values and collects others."""
    body, consts, n, steps, reverse = eq.params
    graph = body.graph
    if not steps:
        return write_call(source, eq)
    given = _given(source, eq, graph.inputs)
    known = source.layouts.in_loop(eq)
    collected = eq.outputs[n:]
    for v, text in zip(graph.inputs[:consts], given):
        source.names[v] = text
    for v, text in zip(graph.inputs[consts : consts + n], given[consts:]):
        source.write(f"{source.name(v, 'c')} = {text}")
    placed = [v in source.layouts.compact or v.aval.ndim < 3 for v in collected]  # NumPy joins others in other orders
    for v, whole in zip(collected, placed):
        rows = f"{source.object(np.empty, 'empty')}({v.aval.shape!r}, {source.object(v.aval.dtype, 'dtype')})"
        source.write(f"{source.name(v, 'ys')} = {rows if whole else '[]'}")
    source.count += 1
    i = f"i{source.count}"
    source.write(f"for {i} in range({steps - 1}, -1, -1):" if reverse else f"for {i} in range({steps}):")
    indent = source.indent
    source.indent += 1
    for v, text in zip(graph.inputs[consts + n :], given[consts + n :]):
        source.write(f"{source.name(v, 'x')} = {text}[{i}]")
    kept = [*graph.outputs[:n], *[out for out, whole in zip(graph.outputs[n:], placed) if not whole]]
    rows = _rows(graph, n)
    for whole, out in zip(placed, graph.outputs[n:]):
        if whole and out in rows:
            source.memory.rows[rows[out]] = source.label("y")
    start = len(source.lines)
    _body(source, graph, known, kept, eq.quiet)
    taken = []
    for v, whole, out in zip(collected, placed, graph.outputs[n:]):
        text = source.ref(out)
        row = source.memory.rows.get(rows.get(out))
        if whole and row is not None and source.names.get(rows[out]) == row:
            taken.append((source.indent, f"{row} = {source.names[v]}[{i}]", None))
        if not whole:
            source.write(f"{source.names[v]}.append({text})")
        elif text != row:  # not computed there, or copied by a write since
            source.write(f"{source.names[v]}[{i}] = {text}")
    source.lines[start:start] = taken
    if n:
        into = [source.names[v] for v in graph.inputs[consts : consts + n]]
        source.write(f"{', '.join(into)}, = {', '.join(map(source.ref, graph.outputs[:n]))},")
    source.indent = indent
    for v, whole in zip(collected, placed):
        if not whole:
            source.write(f"{source.names[v]} = {source.object(_joined, 'joined')}({source.names[v]}, {reverse})")
    for v, state in zip(eq.outputs[:n], graph.inputs[consts : consts + n]):
        source.names[v] = source.names[state]
    return None


def _rows(graph, n):
    """`{collected output: the variable that is computed into its row}`: that itself, or what it is a write into."""
    made = {v: eq for eq in graph.equations for v in eq.outputs}
    reads = Counter(v for eq in graph.equations for v in eq.inputs)
    found = {}
    for out in graph.outputs[n:]:
        v = out
        if v not in made or not v.aval.shape or graph.outputs.count(v) > 1:
            continue
        while made[v].prim.updates and (x := made[v].inputs[0]) in made and reads[x] == 1 and (
                x not in graph.outputs):
            v = x
        if made[v].prim.ufunc is not None or made[v].prim.updates or made[v].prim.guards:
            found[out] = v
    return found


def _joined(rows, reverse):
    """Rows along a new first axis, in the order in memory that they have."""
    if reverse:
        rows.reverse()
    return REGISTRY["concatenate"].fun(*[r.reshape((1, *r.shape)) for r in rows], axis=0)


def _while(source, eq):
    """A loop that carries values until a condition is False."""
    test, body, consts = eq.params
    given = _given(source, eq, body.graph.inputs)
    known = [*map(source.layouts.is_compact, eq.inputs[:consts]), *[not v.aval.ndim for v in eq.outputs]]
    into = [source.name(v, "c") for v in body.graph.inputs[consts:]]
    for name, text in zip(into, given[consts:]):
        source.write(f"{name} = {text}")
    for graph in (test.graph, body.graph):
        source.names.update(zip(graph.inputs, [*given[:consts], *into]))
    source.write("while True:")
    indent = source.indent
    source.indent += 1
    _body(source, test.graph, known, test.graph.outputs, eq.quiet)
    source.write(f"if not {source.ref(test.graph.outputs[0])}: break")
    _body(source, body.graph, known, body.graph.outputs, eq.quiet)
    source.write(f"{', '.join(into)}, = {', '.join(map(source.ref, body.graph.outputs))}," if into else "pass")
    source.indent = indent
    source.names.update(zip(eq.outputs, into))
    return None


def _cond(source, eq):
    """A branch: one of two bodies runs."""
    pred, *operands = map(source.ref, eq.inputs)
    known = list(map(source.layouts.is_compact, eq.inputs[1:]))
    source.count += 1
    names = [f"v{source.count}_{k}" for k in range(len(eq.outputs))]
    indent = source.indent
    for head, body in zip((f"if {pred}:", "else:"), eq.bodies()):
        source.write(head)
        source.indent += 1
        for v, text in zip(body.graph.inputs, operands):
            source.names[v] = text
        _body(source, body.graph, known, body.graph.outputs, eq.quiet)
        source.write(f"{', '.join(names)}, = {', '.join(map(source.ref, body.graph.outputs))}," if names else "pass")
        source.indent = indent
    source.names.update(zip(eq.outputs, names))
    return None


LOOPS = {"scan": _scan, "branch": _cond, "while": _while}
