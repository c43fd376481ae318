"""The trace of a mesh axis: a batch trace over the positions of the axis that lie in this process.

A value of the trace varies along the axis, any other one is the same at all places. Where both meet in an operation,
what is the same is marked as varying, for its cotangent is the sum over all places.
"""

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.ops.reductions import reduce_sum
from ...core.ops.shaping import broadcast_to
from ...core.trace.buffers import Buffer, identity
from ...core.trace.tracer import Tracer
from ..ranks.placed import at_line
from ..ranks.primitives import rank_extreme, rank_sum, rank_vary
from ..reverse.nan_checks import WatchedBatched, Watching
from ..scope.debug_modes import modes
from .vmap import VmapTrace

_KEPT = 4096


class MeshTrace(VmapTrace):
    """Computes the places of a mesh axis that lie in this process; `group` are the ranks that have the others.

    `size` places lie here, the first of them `offset`, of `total`. The group is None where all lie here.
    """

    __slots__ = ("group", "total", "offset", "varied", "places")
    mesh = True

    def __init__(self, size, axis_name, stands_for=None, *, places=None):
        super().__init__(size, axis_name, stands_for)
        self.places = places  # what makes another trace like this one
        self.group, self.total, self.offset = places
        self.varied = {}

    def process(self, prim, args, *known):
        if prim.handlers is None and self.group is not None:
            operands, params = prim.split(args)
            if not self.collects(prim, params):
                mine = [self.owns(a) for a in operands]
                if any(mine) and not all(mine):
                    args = (*[a if own else self.vary(a) for a, own in zip(operands, mine)], *params)
        return super().process(prim, args, *known)

    def again(self):
        """The trace of a body that runs at a fresh level: values of this one are its own."""
        return mesh_trace(self.size, self.axis_name, self.places, self)

    def owns(self, a):
        """Tell whether a value varies along the axis."""
        return isinstance(a, Tracer) and a.owner is not None and (a.owner is self or a.owner is self.stands_for)

    def vary(self, a):
        """A value that is the same at all places, marked for the ranks as one that meets varying ones."""
        if self.group is None or not isinstance(a, Tracer):
            return a
        if type(a) is Buffer:
            a = a.read()
            return rank_vary(a, at_line(self.group, a)) if isinstance(a, Tracer) else a
        key = identity(a)
        known = self.varied.get(key)
        if known is None:
            if len(self.varied) >= _KEPT:
                self.varied.clear()
            known = self.varied[key] = a, rank_vary(a, at_line(self.group, a))
        return known[1]

    def settled(self, ct, flag, varied):
        """A cotangent that varies or not, for an operand that does (`flag`), or does not: that of the places' sum."""
        if flag:
            return ct if varied else self.spread(ct)
        if not varied:
            return ct
        total = reduce_sum(ct, (0,), False)
        return total if self.group is None else rank_sum(total, at_line(self.group, total))

    def anywhere(self, flag):
        """Tell whether a flag is set on any rank."""
        if self.group is None:
            return flag
        flag = flag.astype(np.int8).reshape((1,))
        if self.library is not None and not isinstance(flag, Tracer):
            flag = self.library.asarray(flag)
        return rank_extreme(flag, at_line(self.group, flag), True) > 0

    def spread(self, a):
        """A value with the places of the axis in front, from one that is the same at all of them."""
        a = self.vary(a)
        return broadcast_to(a, shape=(self.size, *aval_of(a).shape))


class WatchedMeshTrace(Watching, MeshTrace):
    """Raises where a NaN first appears."""

    __slots__ = ()
    tracer = WatchedBatched


def mesh_trace(size, axis_name, places, stands_for=None):
    """The trace of an axis of a mesh; the watching one under debug_nans."""
    return (WatchedMeshTrace if modes().nans else MeshTrace)(size, axis_name, stands_for, places=places)
