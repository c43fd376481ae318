"""Pretty-printing of graphs."""

import numpy as np

from ...core.arrays.avals import aval_of
from .equations import Body, Literal, Var


def text_of(graph, lines=False):
    """The equations of a graph, a line each; with `lines` that of the user's code behind it."""
    names = {}

    def name(v):
        if type(v) is Literal:
            value = v.value
            small = not getattr(value, "ndim", 0)
            return f"{value!s}" if small else f"const:{aval_of(value)!r}"
        if v not in names:
            names[v] = _letters(len(names))
        return names[v]

    def typed(v):
        return f"{name(v)}:{v.aval!r}" if type(v) is Var else name(v)

    plain = graph.inputs[: len(graph.inputs) - len(graph.captured)]
    extra = graph.inputs[len(plain) :]
    head = " ".join(map(typed, plain)) + (" ; " + " ".join(map(typed, extra)) if extra else "")
    rows = [f"{{ lambda {head} . let"]
    for eq in graph.equations:
        params = ", ".join(f"{k}={_shown(v, lines)}" for k, v in zip(eq.prim.params, eq.params))
        row = (f"    {' '.join(map(typed, eq.outputs))} = {eq.prim.name}"
               f"{f'[{params}]' if params else ''} {' '.join(map(name, eq.inputs))}").rstrip()
        rows.append(f"{row}  # {eq.line}" if lines and eq.line else row)
    rows.append(f"  in ({', '.join(map(name, graph.outputs))}) }}")
    return "\n".join(rows)


def dot_of(graph):
    """The graph in Graphviz's language: one box per equation, one ellipse per input."""
    ids = {}
    lines = ["digraph covector {", "  rankdir=TB;"]
    for k, v in enumerate(graph.inputs):
        ids[v] = f"in{k}"
        lines.append(f'  in{k} [shape=ellipse, label="{v.aval!r}"];')
    for k, eq in enumerate(graph.equations):
        lines.append(f'  eq{k} [shape=box, label="{_quoted(eq.prim.name)}"];')
        for v in eq.inputs:
            if type(v) is Var:
                lines.append(f'  {ids[v]} -> eq{k} [label="{v.aval!r}"];')
        for v in eq.outputs:
            ids[v] = f"eq{k}"
    for k, v in enumerate(graph.outputs):
        lines.append(f'  out{k} [shape=ellipse, label="out {k}"];')
        if type(v) is Var:
            lines.append(f"  {ids[v]} -> out{k};")
    return "\n".join([*lines, "}"])


def _quoted(text):
    """A text between the quotes of Graphviz's language."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _letters(k):
    letters = "abcdefghijklmnopqrstuvwxyz"
    out = letters[k % 26]
    while k >= 26:
        k = k // 26 - 1
        out = letters[k % 26] + out
    return out


def _shown(value, lines):
    if isinstance(value, Body) and value.graph is not None:
        return "\n" + "\n".join("        " + row for row in text_of(value.graph, lines).splitlines()) + "\n    "
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return value.name if isinstance(value, np.dtype) else str(value)
