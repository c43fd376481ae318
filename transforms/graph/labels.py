"""Labels for the values of a graph: names of the user's parameters and variables, where the source has them."""

from ...core.errors import line_of
from ...core.lazy import LazyModule

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
