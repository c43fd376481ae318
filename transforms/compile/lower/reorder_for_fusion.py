"""Reorder equations so that those which can join a loop nest come before what ends it.

A nest ends where something reads a sum that it makes. What comes later and reads no such sum may belong to the same
nest: another sum, or an output of the function. It is moved to before what ends the nest, with what it needs.
"""

from collections import Counter, deque

from ....core.types import Any
from ...graph.equations import Var
from ..loops.constants import FEW

_AHEAD = 64  # equations that are looked through


def reorder_for_fusion(equations, outputs, known, eager):
    """Equations, in which those that elementwise ones of the same shape may be written with come next to these.

    `eager`: a sum is moved even where an array that it is made of has to be kept for what is not.
    """
    if not any(eq.prim.reduces is not None for eq in equations):  # only sums end nests
        return equations
    wanted = {v for v in outputs if type(v) is Var}
    readers = None if eager else Counter(v for eq in equations for v in {v for v in eq.inputs if type(v) is Var})
    rest, found = deque(equations), []
    waiting: dict[Any, Any] = {}  # shape -> the _Waiting
    owner: dict[Any, Any] = {}  # variable -> the one that makes it
    while rest:
        eq = rest[0]
        given = {v for v in eq.inputs if type(v) is Var}
        read = {owner[v] for v in given if v in owner}
        read = {w for w in read if waiting.get(w.shape) is w}
        ended = [w for w in waiting.values() if w in read and not w.sums.isdisjoint(given)] if read else ()
        if ended:
            # So that long programs take time in proportion.
            moved, ahead = [], [rest.popleft() for _ in range(min(len(rest), _AHEAD + 1))]
            for w in ended:
                moved += w.joining(ahead, wanted, readers, known)
                del waiting[w.shape]
            now = set(map(id, moved))
            rest.extendleft([e for e in reversed(ahead) if id(e) not in now])
            found += dict.fromkeys(moved)
            continue
        found.append(rest.popleft())
        shape = _shape(eq, known)
        for w in read:
            if w.shape != shape:
                del waiting[w.shape]
        if shape is not None:
            w = waiting.setdefault(shape, _Waiting(shape))
            w.add(eq)
            owner.update(dict.fromkeys(eq.outputs, w))
    return found


def _is_small(eq, known):
    """Tell whether an equation is a view, or elementwise or a sum."""
    return eq.prim.rearranges or eq.prim.reduces is not None or type(known.get(eq)) is list


def _shape(eq, known):
    """The shape of the nest that an equation is written in; None if in none, or of few elements."""
    if eq.prim.reduces is not None:
        aval = eq.inputs[0].aval
    elif type(known.get(eq)) is list:
        aval = eq.outputs[0].aval
    else:
        return None
    return aval.shape if aval.size > FEW else None


class _Waiting:
    """A nest that waits to be written: the values of its `shape` that it reads and makes, the `sums` that end it."""

    def __init__(self, shape):
        self.shape = shape
        self.made = set()
        self.seen = set()
        self.sums = set()

    def add(self, eq):
        """Add an equation."""
        self.seen.update([v for v in eq.inputs if type(v) is Var and v.aval.shape == self.shape])
        if eq.prim.reduces is not None:
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
            if waits or not (large or _is_small(eq, known) and inside.isdisjoint(given)):
                behind.update(dict.fromkeys(eq.outputs, waits or {None}))
                if large and self in waits:
                    asked |= waits
                continue
            makers.update(dict.fromkeys(eq.outputs, eq))
            if large and eq.prim.reduces is not None:
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


def _needed(eq, makers):
    """An equation and those that it needs of the ones that make variables."""
    found, waiting = {}, [eq]
    while waiting:
        eq = waiting.pop()
        if id(eq) not in found:
            found[id(eq)] = eq
            waiting += [makers[v] for v in eq.inputs if v in makers]
    return list(found.values())
