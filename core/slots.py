"""Slots of avals, traces, traced values and nodes, which fast paths read. Compiled with slots.pxd."""


class AvalSlots:
    """The fields of an `Aval`."""

    __slots__ = ("shape", "dtype", "ndim", "size", "plain", "weak", "strong", "consts")


class TraceSlots:
    """The fields of a `Trace`."""

    __slots__ = ("level", "masked", "done", "__weakref__")


class TracerSlots:
    """The fields of a `Tracer`."""

    __slots__ = ("owner", "value", "aval", "node", "tangent", "state", "link", "radicand", "__weakref__")

    def _twin(self):
        """The same value in another object."""
        out: TracerSlots = type(self)()
        out.owner, out.value, out.aval = self.owner, self.value, self.aval
        try:
            out.node = self.node
        except AttributeError:  # a slot that is empty, interpreted; compiled it is None
            pass
        try:
            out.tangent = self.tangent
        except AttributeError:
            pass
        return out


class Node:
    """One recorded operation: its rule, the nodes of its differentiated operands, what the rule saved, its number.

    `parents` is a bare node or a tuple. A leaf has `rule=None` and `saved` its index. A node never refers to its
    tracer, so there are no cycles and a value that nobody saved dies with its tracer. Subclasses (the stateful layer)
    have `run_in_sweep(ct, drive)`; the sweep calls it only for them. Theirs is `extra`: None, or what few nodes have.
    """

    __slots__ = ("extra", "rule", "parents", "saved", "seq", "__weakref__")
