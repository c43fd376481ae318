"""The stages of a compiled function, for inspection."""

from ....core.lazy import LazyModule
from ...graph.drawing import html_of

HTML = LazyModule("html")


class Lowered:
    """The result of `jit(fun).lower(*args)`: the stages of a function for one signature.

    `graph` is what was staged; `source` the text of the generated function; `buffers` the bytes of each buffer;
    `passes` pairs of a name and the text of the graph after it.
    """

    def __init__(self, call, leaves):
        self._program = call.programs.for_layout_of(leaves)
        self.graph = call.graph

    @property
    def source(self):
        """The generated source."""
        return self._program.text

    @property
    def passes(self):
        """`[(name, text of the graph after it), …]`."""
        return [("staged", repr(self.graph)), *self._program.passes]

    @property
    def buffers(self):
        """The bytes of each buffer that temporaries share."""
        return [slot.nbytes for slot in self._program.slots]

    @property
    def groups(self):
        """The groups of equations that run a block of elements at a time, each as a list of names of operations."""
        return self._program.groups

    def __repr__(self):
        return f"Lowered({len(self.graph.equations)} equations, {len(self.source.splitlines())} lines of source)"

    def __str__(self):
        return f"{self.graph!r}\n\n{self.source}"

    def _repr_html_(self):
        return html_of_program(self._program, self.graph)


def html_of_program(program, graph):
    """The drawing of a graph after all passes, what runs as one loop as one box, and the generated source beside it."""
    draft = program.draft
    shown = GraphView(graph.labels, draft.inputs, draft.equations, draft.outputs)
    source = HTML.escape(program.text or "run equation by equation")
    return ('<div style="display:flex;flex-wrap:wrap;gap:2em;align-items:flex-start">'
            f'{html_of(shown)}<pre style="flex:1 1 24em;min-width:0;overflow:auto;max-height:40em">{source}</pre>'
            "</div>")


class GraphView:
    """The part of a graph that a drawing needs."""

    __slots__ = ("labels", "inputs", "equations", "outputs", "captured")

    def __init__(self, labels, inputs, equations, outputs):
        self.labels, self.inputs, self.equations, self.outputs = labels, inputs, equations, outputs
        self.captured = ()
