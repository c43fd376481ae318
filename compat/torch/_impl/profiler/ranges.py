"""Ranges for the profilers of others: what runs, pushed and popped through a library of theirs."""

import sys

from ..graph.node import AccumulateGrad
from ..state.recorder import BACKWARD, FORWARD, LABEL, Makers, sequence_of, shape_of


class Ranges:
    """Stands where the profiler's recorder does, and hands each span on.

    Args:
        push, pop: start a range of a name; end the newest.
        shapes: add the shapes of arguments to the names.
    """

    def __init__(self, push, pop, shapes):
        self.push = push
        self.pop = pop
        self.shapes = shapes
        self.count = 0
        self.makers = Makers()

    def begin(self, name, args=(), kwargs=None, scope=LABEL):
        """Start a range."""
        if self.shapes and scope != LABEL:
            name += f", sizes = {[shape_of(x) for x in (*args, *(kwargs or {}).values())]}"
        self.push(name)
        return Range()

    def finish(self, span, out=None):
        """End it."""
        span.end = True
        self.pop()

    def run(self, name, fn, args, kwargs=None, given=()):
        """`fn(*args)` in a range."""
        number = self.count
        self.count += 1
        first = self.makers.before()
        span = self.begin(f"{name}, seq = {number}", given, kwargs, FORWARD)
        out = None
        try:
            out = fn(*args)
        finally:
            self.finish(span)
            self.makers.note(first, sequence_of(out), number)
        return out

    def node(self, node, ct, drive):
        """A node's turn in a sweep: the range is that of its rule."""
        return node.run_watched(ct, drive)

    def rule(self, node, ct, drive):
        """A node's rule, under the number of the operation that made it; -1 for one made before."""
        number = -1 if isinstance(node, AccumulateGrad) else self.makers.of(-node.seq, -1)
        span = self.begin(f"{node.name()}, stashed seq = {number}", ct if type(ct) is tuple else (ct,), scope=BACKWARD)
        try:
            return node.apply(ct, drive)
        finally:
            self.finish(span)


class Range:
    """A range that runs."""

    end = False


def nvtx():
    """`(push, pop)` of the library for NVTX that the program has imported."""
    found = sys.modules.get("nvtx")
    if found is not None:
        return found.push_range, found.pop_range
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return cupy.cuda.nvtx.RangePush, cupy.cuda.nvtx.RangePop
    raise RuntimeError("emit_nvtx emits ranges for NVIDIA's profilers, and neither nvtx nor cupy has been imported; "
                       "import one of them, or use torch.autograd.profiler.profile, which needs no other library")


def itt():
    """`(push, pop)` of the library for ITT."""
    found = sys.modules.get("ittapi")
    if found is None:
        raise RuntimeError("emit_itt emits ranges for Intel's VTune, and ittapi has not been imported; import it, or "
                           "use torch.autograd.profiler.profile, which needs no other library")
    domain = found.domain("covector.compat.torch")
    return (lambda name: found.task_begin(domain, found.string_handle(name))), lambda: found.task_end(domain)
