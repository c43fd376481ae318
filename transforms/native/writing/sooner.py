"""Equations in an order that takes fewer passes over arrays: what can join a nest comes before what ends it.

A nest ends where something reads a sum that it makes. What comes later and reads no such sum may belong to the same
nest: another sum, or an output of the function. It is moved to before what ends the nest, with what it needs.
"""

from collections import Counter

from ....core.types import Any
from ...graph.equations import Var
from ..ir.constants import FEW
from .structure import MOVES, REDUCERS

_AHEAD = 64  # equations that are looked through


def sooner(equations, outputs, known, eager):
    """Equations, in which those that elementwise ones of the same shape may be written with come next to these.

    `eager`: a sum is moved even where an array that it is made of has to be kept for what is not.
    """
    if not any(eq.prim.name in REDUCERS for eq in equations):
        return equations
    wanted = {v for v in outputs if type(v) is Var}
    readers = None if eager else Counter(v for eq in equations for v in {v for v in eq.inputs if type(v) is Var})
    rest, found, waiting = list(equations), [], {}  # shape -> _Waiting
    while rest:
        eq = rest[0]
        given = {v for v in eq.inputs if type(v) is Var}
        ended = [w for w in waiting.values() if not w.sums.isdisjoint(given)]
        moved = [e for w in ended for e in w.joining(rest[: _AHEAD + 1], wanted, readers, known)]
        for w in ended:
            del waiting[w.shape]
        if moved:
            now = set(map(id, moved))
            rest = [e for e in rest if id(e) not in now]
            found += dict.fromkeys(moved)
            continue
        found.append(rest.pop(0))
        shape = _shape(eq, known)
        for w in list(waiting.values()):
            if w.shape != shape and not w.made.isdisjoint(given):
                del waiting[w.shape]
        if shape is not None:
            waiting.setdefault(shape, _Waiting(shape)).add(eq)
    return found


def _shape(eq, known):
    """The shape of the nest that an equation is written in; None if in none, or of few elements."""
    if eq.prim.name in REDUCERS:
        aval = eq.inputs[0].aval
    elif type(known.get(eq)) is list:
        aval = eq.outputs[0].aval
    else:
        return None
    return aval.shape if aval.size > FEW else None


class _Waiting:
    """What waits to be written as one nest: what it reads and makes of its `shape`, and the `sums` that end it."""

    def __init__(self, shape):
        self.shape = shape
        self.made = set()
        self.seen = set()
        self.sums = set()

    def add(self, eq):
        """Add an equation."""
        self.seen.update([v for v in eq.inputs if type(v) is Var and v.aval.shape == self.shape])
        if eq.prim.name in REDUCERS:
            self.sums.update(eq.outputs)
        else:
            self.made.update(eq.outputs)
            self.seen.update(eq.outputs)

    def joining(self, equations, wanted, readers, known):
        """Those of the next equations that join it, and what these need of the others, in order."""
        makers = {}  # variable -> the equation that makes it and may come sooner
        inside = set(self.made)
        roots = []  # sums, and outputs of the function
        behind: Any = {v: {self} for v in self.sums}  # variable -> this nest, and the sums beside it, that it waits for
        asked = set()  # sums that something of this shape needs together with those of this nest
        for eq in equations:
            given = [v for v in eq.inputs if type(v) is Var]
            waits = set().union(*[behind[v] for v in given if v in behind])
            large = _shape(eq, known) == self.shape
            if waits or eq.acts or eq.bodies() or not (large or self._is_small(eq, inside)):
                behind.update(dict.fromkeys(eq.outputs, waits or {None}))
                if large and self in waits:
                    asked |= waits
                continue
            makers.update(dict.fromkeys(eq.outputs, eq))
            if large and eq.prim.name in REDUCERS:
                behind[eq.outputs[0]] = {eq.outputs[0]}
                roots.append(eq)
            elif large:
                inside.update(eq.outputs)
                if not wanted.isdisjoint(eq.outputs):
                    roots.append(eq)
        taken = set()
        for eq in roots:
            needed = _needed(eq, makers)
            read = Counter(v for e in needed for v in {v for v in e.inputs if type(v) is Var})
            if readers is not None and any(readers[v] > read[v] and v not in wanted and v.aval.shape == self.shape
                                           for e in needed for v in e.outputs):
                continue
            if not asked.isdisjoint(eq.outputs) or not read.keys().isdisjoint(self.seen):
                taken.update(map(id, needed))
        return [eq for eq in equations if id(eq) in taken]

    def _is_small(self, eq, inside):
        """Whether an equation of few elements, or a view, reads nothing that the nest makes."""
        return inside.isdisjoint([v for v in eq.inputs if type(v) is Var]) and (
            eq.prim.name in MOVES or all(v.aval.size <= FEW for v in eq.outputs) and not eq.prim.effects)


def _needed(eq, makers):
    """An equation and those that it needs of the ones that make variables."""
    found, waiting = {}, [eq]
    while waiting:
        eq = waiting.pop()
        if id(eq) not in found:
            found[id(eq)] = eq
            waiting += [makers[v] for v in eq.inputs if v in makers]
    return list(found.values())
