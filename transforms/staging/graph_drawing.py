"""`draw`: the picture of the graph of a function, with the cost of each operation on request."""

from ...core.checks import check_function
from ...core.types import Any, Callable
from ..arguments.arguments import flatten, settle
from ..graph.drawing import html_of, svg_of
from ..graph.printing import text_of
from .profiling import _measured, _size, _time
from .staging import make_graph

_HINT = "(in a notebook this is a picture; .save('graph.svg') writes it)"
_NONE = frozenset({"reshape", "transpose", "broadcast_to", "getitem", "squeeze", "expand_dims", "stop_gradient"})


class Picture:
    """A graph that notebooks draw and terminals print, as `draw` returns it.

    `graph` is the `Graph`; `costs` what each of its equations costs: `(bytes, operations, seconds)` where it was asked
    for, else empty.
    """

    def __init__(self, graph, costs):
        self.graph = graph
        self.costs = costs

    def _texts(self):
        return {eq: f"{_size(size)} {_count(count)} op {_time(seconds)}"
                for eq, (size, count, seconds) in zip(self.graph.equations, self.costs)}

    def __repr__(self):
        rows = text_of(self.graph).splitlines()
        if self.costs and len(rows) == len(self.costs) + 2:
            wide = max(map(len, rows[1:-1])) + 2
            rows[1:-1] = [f"{row:<{wide}}# {text}" for row, text in zip(rows[1:-1], self._texts().values())]
        return "\n".join([*rows, _HINT])

    def _repr_html_(self):
        return html_of(self.graph, self._texts())

    def save(self, path: Any) -> None:
        """Write the drawing as SVG, or as a page of HTML where the name of the file ends in `.html`.

        Args:
            path: of the file.
        """
        text = html_of(self.graph, self._texts()) if str(path).endswith(".html") else svg_of(self.graph, self._texts())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _count(count):
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if count >= size:
            return f"{count / size:.3g} {letter}"
    return f"{count:,.0f}"


def draw(fun: Callable[..., Any], cost: bool = False) -> Callable[..., Picture]:
    """Return a function that draws `fun`: its graph, with the derivative beside it where `fun` is one.

    Args:
        fun: any function of pytrees of arrays that `make_graph` takes. `grad(f)` and `value_and_grad(f)` are drawn with
            what `f` computes on the left and the backward pass on the right.
        cost: also run it, operation by operation, and say for each how many bytes it makes, how many operations on
            numbers it comes to, and how long it took.
    Returns:
        a function of the same arguments that returns a `Picture`: a drawing in notebooks, text elsewhere.

    Values are labelled with the names of parameters, and of the variables that the lines of `fun` assign to.

    >>> import numpy as np, covector
    >>> covector.debug.draw(lambda x: np.sin(x) * 2.0)(np.ones(3))
    { lambda a:f64[3] . let
        b:f64[3] = sin a
        c:f64[3] = multiply b 2.0
      in (c) }
    (in a notebook this is a picture; .save('graph.svg') writes it)
    """
    check_function(fun, "draw")

    def drawn(*args: Any, **kwargs: Any) -> Picture:
        graph = make_graph(fun)(*args, **kwargs)
        if not cost:
            return Picture(graph, [])
        values = [settle(x) for x in flatten((args, kwargs) if kwargs else args)[0]]
        graph.interpret(values)
        _, events, _ = _measured(graph, values)
        return Picture(graph, [(sum(_bytes(v.aval) for v in eq.outputs), operations(eq), event.seconds)
                               for eq, event in zip(graph.equations, events)])

    return drawn


def _bytes(aval):
    return aval.size * aval.dtype.itemsize


def operations(eq):
    """The number of operations that an equation costs: multiplications and additions of products counted each."""
    name, out = eq.prim.name, sum(v.aval.size for v in eq.outputs)
    if name in _NONE:
        return 0
    if name == "matmul":
        return 2 * out * (eq.inputs[0].aval.shape[-1] if eq.inputs[0].aval.shape else 1)
    if name.startswith("reduce_"):
        return eq.inputs[0].aval.size
    inner = sum(operations(e) for body in eq.bodies() if body.graph is not None for e in body.graph.equations)
    if name == "scan":
        return eq.params[3] * inner
    return inner or out
