"""Reverse mode within a mesh: mark replicated operands where they meet varying ones."""

from ...core.arrays.dtypes import is_inexact
from ...core.primitive.primitive import REGISTRY
from ...core.trace.buffers import Buffer
from ...core.trace.tracer import Batched, Rev, Staged, Tracer
from ...core.types import Any
from ..scope.axis_environment import mesh_axes


class MeshRev(Rev):
    """A Rev that no fast path takes, so that its trace sees each operation."""

    __slots__ = ()


class Marking:
    """Marks what is the same at all places of a mesh where it meets what varies: its cotangent is a sum over them."""

    __slots__ = ()
    tracer: Any = MeshRev

    def process(self, prim, args, *known):
        n = len(args) - len(prim.params)
        if prim.handlers is not None:
            args = self.entering(args)
        elif n > 1 and not prim.flat and "collective" not in prim.effects:
            args = self.marked(prim, args, n)
        return super().process(prim, args, *known)  # type: ignore[misc]  # that of a RevTrace beside it

    def marked(self, prim, args, n):
        """The operands, those that carry a derivative marked."""
        args = list(args)
        for trace in mesh_axes():
            states = [varies(a, trace) for a in args[:n]]
            if not any(s is not False for s in states):
                continue
            names = (trace.axis_name,)
            for i in range(n):
                a = args[i]
                if states[i] or i in prim.nondiff or not self.carries(a):
                    continue
                if any(s for k, s in enumerate(states) if k != i) and states[i] is False:
                    args[i] = REGISTRY["pvary"].fun(a, names)
                    continue
                for k, s in enumerate(states):
                    if k != i and s is not False:
                        args[i] = REGISTRY["vary_like"].fun(args[i], self.seen(args[k]), names)
        return tuple(args)

    def entering(self, args):
        """The operands of a call, those that may be the same at all places behind a mark for their cotangents."""
        args = list(args)
        for trace in mesh_axes():
            for i, a in enumerate(args):
                if isinstance(a, Tracer) and self.carries(a) and not varies(a, trace):
                    args[i] = REGISTRY["enter_call"].fun(a, (trace.axis_name,))
        return tuple(args)

    def carries(self, a):
        """Tell whether a value is one of this trace with a derivative."""
        return isinstance(a, Tracer) and a.owner is self and is_inexact(a.aval.dtype)

    def seen(self, a):
        """A value as the trace below sees it."""
        if type(a) is Buffer:
            a = a.read()
        return a.value if isinstance(a, Tracer) and a.owner is self else a


def varies(x, trace):
    """Tell whether a value varies along the axis of a mesh; None where that is not known while a graph is made."""
    while isinstance(x, Tracer):
        if type(x) is Buffer:
            x = x.read()
            continue
        owner = x.owner
        if isinstance(x, Batched) and (owner is trace or owner is trace.stands_for):
            return True
        if isinstance(x, Staged):
            if owner.level < oldest(trace):
                return False
            if x.value is None:
                return None
        x = x.value
    return False


def oldest(trace):
    """The level of the trace that one of a body stands for, in the end."""
    while trace.stands_for is not None:
        trace = trace.stands_for
    return trace.level
