"""The reverse trace of debug_nans: every operation is checked, and every node knows the user's line."""

import numpy as np

from ..core.avals import aval_of
from ..core.errors import at_user_line, user_line
from ..core.tape import Node, next_seq
from ..core.tracer import Rev, Tracer, peel
from .reverse import RevTrace


class WatchedRev(Rev):
    """A Rev that no fast lane takes, so that its trace sees each operation."""

    __slots__ = ()


class WatchedNode(Node):
    """A node that checks its cotangent and knows where it was recorded."""

    __slots__ = ("line", "trace")

    def visit(self, ct):
        name = _name(self)
        if _has_nan(ct):
            makers = self.trace.makers.get(self.seq, ())
            made = " and ".join(f"the pullback of {_name(m)} (recorded at {m.line})" for m in makers) or "the seed"
            raise FloatingPointError(
                f"a NaN appeared going backward: {made} gave a cotangent of {aval_of(_first(ct))!r} with NaN for "
                f"{name} (recorded at {self.line}); look for 0/0, inf - inf or sqrt and log at 0 there, and use "
                "np.where on the input of the operation"
            )
        parents = self.parents if isinstance(self.parents, tuple) else (self.parents,)
        for p in parents:
            if p is not None:
                self.trace.makers.setdefault(p.seq, []).append(self)
        return ct

    def unpack(self):
        return self.saved

    def free(self):
        """Kept: debugging looks back."""


def _name(node):
    if node.rule is None:
        return "an input"
    return node.rule.prim.name if node.rule.prim is not None else "an output"


def _first(ct):
    return next((c for c in ct if c is not None), 0.0) if isinstance(ct, tuple) else ct


def _has_nan(value):
    if isinstance(value, tuple):
        return any(_has_nan(v) for v in value if v is not None)
    raw = peel(value)
    if raw is None:
        return False
    raw = np.asarray(raw)
    return raw.dtype.kind in "fc" and bool(np.isnan(raw).any())


class WatchedTrace(RevTrace):
    """Raises where a NaN first appears."""

    __slots__ = ("makers",)
    tracer = WatchedRev

    def __init__(self):
        RevTrace.__init__(self)
        self.makers = {}

    def process(self, prim, args, known=None):
        out = RevTrace.process(self, prim, args, known)
        operands = prim.split(args)[0]
        if _has_nan(out) and not any(_has_nan(a) for a in operands):
            shown = "; ".join(f"{aval_of(a)!r} = {_sample(a)}" for a in operands)
            raise FloatingPointError(
                f"{prim.name} made a NaN of {shown}; keep its operands inside its domain, for example with np.where on "
                f"the input{at_user_line()}"
            )
        return out

    def node(self, rule, parents, saved):
        """A node with the user's line."""
        out = WatchedNode()
        out.rule = rule
        out.parents = parents
        out.saved = saved
        out.seq = next_seq()
        out.line = user_line()
        out.trace = self
        return out


def _sample(value):
    raw = peel(value) if isinstance(value, Tracer) else value
    flat = np.asarray(raw).reshape(-1)
    return np.array2string(flat[:4], threshold=4) + (" …" if flat.size > 4 else "")
