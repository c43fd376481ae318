"""Pretty-printing of graphs, with the names of the user's parameters and variables where the source has them."""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.errors import line_of
from ...core.lazy import LazyModule
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


# Labels for the values of a graph: names of the user's parameters and variables, where the source has them.

AST = LazyModule("ast")
LINECACHE = LazyModule("linecache")


def input_labels(fun, args, kwargs, static=()):
    """The names of the leaves of arguments, `params['w']` for one in a dict; None where they are not known.

    Args:
        static: positions of parameters that `args` has left out.
    """
    while hasattr(fun, "__wrapped__"):
        fun = fun.__wrapped__
    code = getattr(fun, "__code__", None)
    if code is None:
        return None
    names = [name for k, name in enumerate(code.co_varnames[: code.co_argcount]) if k not in static]
    if len(names) < len(args):
        return None
    found: list[str] = []
    for name, arg in (*zip(names, args), *sorted(kwargs.items())):
        _walk(name, arg, found)
    return found


def _walk(name, x, found):
    if type(x) is dict:
        for key in sorted(x, key=str):
            _walk(f"{name}[{key!r}]", x[key], found)
    elif isinstance(x, tuple | list):
        fields = getattr(x, "_fields", None)
        for k, item in enumerate(x):
            _walk(f"{name}.{fields[k]}" if fields else f"{name}[{k}]", item, found)
    elif x is not None:
        found.append(name)


def names_of(graph):
    """`{Var: name}`: parameters, and what the lines of the user's code assign to."""
    labels = getattr(graph, "labels", None) or ()
    found = dict(zip(graph.inputs, labels)) if len(labels) == len(graph.inputs) else {}
    home = getattr(graph, "home", None)
    home = home and line_of(home)
    last = {}
    for eq in [inner for outer in graph.equations for inner in getattr(outer, "equations", [outer])]:
        line = eq.line
        if getattr(line, "file", None) and eq.quiet is not True and len(eq.outputs) == 1 and line != home:
            last[line.file, line.number] = eq
    for (file, number), eq in last.items():
        name = _assigned(LINECACHE.getline(file, number))
        if name is not None:
            found.setdefault(eq.outputs[0], name)
    return found


def _assigned(text):
    """The variable that a line of source assigns to; None where it is no such line, or not a whole statement."""
    try:
        (statement,) = AST.parse(text.strip()).body
    except (SyntaxError, ValueError):
        return None
    targets = statement.targets if isinstance(statement, AST.Assign) else [getattr(statement, "target", None)]
    simple = isinstance(statement, AST.Assign | AST.AugAssign | AST.AnnAssign) and len(targets) == 1
    return targets[0].id if simple and isinstance(targets[0], AST.Name) else None
