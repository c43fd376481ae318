"""Segments: equations of a draft that run as one native function."""

from ....core.facts import Operation
from ....core.lazy import LazyModule
from ....core.types import Any
from ...graph.draft import Draft
from .callable import Slow

_EXCHANGES: Any = LazyModule("covector.transforms.compile.lower.collectives")
_FUNCTION: Any = LazyModule("covector.transforms.compile.call.kernel")
_WRITER: Any = LazyModule("covector.transforms.compile.lower.writer")


class Segment:
    """Equations that run as one native function; to the rest of a draft it looks like one equation."""

    prim = Operation("native", outputs=True, lies="fresh")
    params = ()
    quiet = acts = False

    def __init__(self, equations, inputs, outputs, known, inner=frozenset()):
        """`known`: what `is_native` noted; `inner`: the outputs that only equations read."""
        self.equations = equations
        self.known = known
        self.inputs = inputs
        self.outputs = outputs
        self.inner = inner
        self.boxed = [v in inner and not v.aval.shape and v.aval.dtype.kind in "iu" for v in outputs]
        self.line = equations[0].line

    def bodies(self):
        """No body of it is looked at from outside."""
        return []

    def graphs(self):
        """The same."""
        return []

    def compiled(self, slow=None, inside=False):
        """`(text, function)`; `slow` runs where arrays are not as the native function takes them.

        `inside` is that of `native_function`.
        """
        draft = Draft(self.inputs, self.equations, self.outputs)
        kernel = _WRITER.Writer(draft, self.known).kernel
        calls = any(eq.prim.exchanges for eq in self.equations)
        text, run = _FUNCTION.native_function(
            kernel, [v.aval for v in self.inputs], [v.aval for v in self.outputs],
            slow or Slow(lambda: _EXCHANGES.again(draft) if calls else draft), self.boxed, inside)
        return text, _EXCHANGES.remembering(run) if calls else run
