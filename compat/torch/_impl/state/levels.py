"""The levels a tensor can live at: the ambient one, one for each running `func` transform, one for each vmap."""

from contextvars import ContextVar

from ..... import _engine, extend
from ..graph.anomaly import stamp
from ..graph.node import GradNode
from ..modes.modes import MODES, records


class GradTrace(_engine.AmbientTrace):
    """The compat tape: the ambient one, or one of a `func.grad`, `func.vjp` or `func.jvp`."""

    __slots__ = ()
    node_class = GradNode

    @property
    def recording(self):
        """Grad mode at this level."""
        return records(self)

    def below(self, prim, args):
        """The operation one level down; in a selective checkpoint, what was kept of it."""
        m = MODES.get()
        if m is None or m.answers is None or self.level:
            return prim.rebind(args)
        return m.answers(prim, lambda: prim.rebind(args))

    def node(self, rule, parents, saved, tangents=None):
        """A node with the next number; in anomaly mode it remembers where it was made."""
        made = _engine.AmbientTrace.node(self, rule, parents, saved, tangents)
        m = MODES.get()
        if m is not None and (m.anomaly is not None or m.nans is not None):
            stamp(made)
        return made

    @property
    def packing(self):
        """The saved-tensor hooks now, or None."""
        m = MODES.get()
        return None if m is None or not m.hooks or m.level is not None else m.hooks[-1]


AMBIENT = GradTrace()


class BatchTrace(_engine.VmapTrace):
    """A level of `func.vmap`, or of a sweep with several cotangents at once (`own`).

    Functions of any form run inside such a sweep; `func.vmap` asks them for a rule.
    """

    __slots__ = ("own", "randomness")

    def __init__(self, size, randomness="error", own=False):
        super().__init__(size)
        self.randomness = randomness
        self.own = own


def alive(t):
    """A tensor without the levels of gradients that have ended above its own: `vjp_fn` meets what was saved at them."""
    trace = getattr(t, "level_trace", None)
    while isinstance(trace, GradTrace) and trace.done:
        t = t.value
        trace = t.level_trace
    return t


class Epoch:
    """One open dual level of forward mode; tangents of a closed one are gone."""

    __slots__ = ("done", "paused")

    def __init__(self):
        self.done = self.paused = False


DUAL: ContextVar[Epoch | None] = ContextVar("covector_torch_dual_level", default=None)


def recorders(value):
    """The levels that keep a history or a tangent of a core value."""
    found = set()
    while isinstance(value, extend.Tracer):
        if isinstance(value, _engine.Ambient) and (value.node is not None or value.tangent is not None):
            found.add(value.owner)
        value = value.value
    return found
