"""Loop fusion: collect elementwise steps, and emit them as one loop nest."""

from collections import Counter, deque

import numpy as np

from ....core.types import Any
from ...graph.equations import Literal, Var
from ..loops.nests import order_of, strides_in
from ..loops.operations import CASTS, TESTS
from ..loops.statements import FEW, Const, Nest, Step, Value, cast_constant, constant
from ..loops.symbols import is_uniform
from .buffer_reuse import claim_cell, written_under

ndarray = np.ndarray
_LONG_SUM = 4096  # elements of a sum in single precision, beyond which parts of it are added up in double precision


class Group:
    """A fusion group: pending elementwise steps over one shape, and the reductions that end them."""

    __slots__ = ("shape", "steps", "made", "folds", "folded", "streams")

    def __init__(self, shape):
        self.shape = shape
        self.steps = []  # (name, kind, out, inputs)
        self.made = set()
        self.folds = []  # (name, variable, axes, keepdims, out)
        self.folded = set()
        self.streams = set()  # variables that are read from memory, and results of the program

    def take(self, name, kind, out, inputs, wanted):
        """Let a step wait; `wanted` says whether its result leaves the program."""
        self.steps.append((name, kind, out, inputs))
        self.streams.update([v for v in inputs if type(v) is Var and v not in self.made])
        self.made.add(out)
        if wanted:
            self.streams.add(out)


class Fused:
    """A nest under construction: `load(v)` gives the values of variables that no step of it makes."""

    def __init__(self, shape, load):
        self.nest = Nest(shape)
        self.load = load
        self.known = {}
        self.casts = {}  # one operand may be read in two kinds; each cast stands once in the nest

    def read(self, v):
        """The value of a variable or constant."""
        if v not in self.known:
            self.known[v] = self.load(v)
        return self.known[v]

    def loaded(self, place):
        """A value that is loaded."""
        value = Value(place.kind)
        self.nest.loads.append((value, place))
        return value

    def cast(self, value, kind):
        """A value in a kind."""
        if value.kind == kind:
            return value
        if type(value) is Const:
            return cast_constant(value, kind)
        found = self.casts.get((value, kind))
        if found is None:
            found = self.casts[value, kind] = Value(kind)
            self.nest.steps.append(Step("cast", kind, [found], [[value]]))
        return found

    def step(self, name, kind, out, inputs):
        """Add an elementwise operation."""
        given = [self.read(v) for v in inputs]
        # One kind of number for all operands of a step; the mask of `where` alone stays boolean.
        if name not in CASTS:
            given = [self.cast(x, "b8" if name == "where" and not k else kind) for k, x in enumerate(given)]
        if name == "multiply" and any(map(_is_one, given)):  # a seed
            self.known[out] = given[_is_one(given[0])]
            return
        value = self.known[out] = Value("b8" if name in TESTS else kind)
        self.nest.steps.append(Step(name, kind, [value], [[x] for x in given]))


def write_group(writer, group):
    """Emit a group as one loop nest."""
    shape = group.shape
    if writer.groups.get(shape) is group:
        del writer.groups[shape]
    # Out of the tables first: to read an operand may settle other groups, which must not find this one again.
    for v in (*group.made, *group.folded):
        writer.owner.pop(v, None)
    writer.flushed.append(group)  # what its operands flush while it is written must not write over what it reads

    def load(v):
        if v in writer.rematerialized.steps:
            fused.step(*writer.rematerialized.steps[v])
            return fused.known[v]
        found = constant(v) if type(v) is Literal else writer.value(v)
        # One value for all elements needs neither memory nor a load.
        if type(found) is ndarray and is_uniform(found):
            return found.flat[0]
        return fused.loaded((writer.place(v) if type(found) is ndarray else found).spread(group.shape))

    fused = Fused(group.shape, load)
    nest = fused.nest
    for one in group.steps:
        fused.step(*one)
    folded = [fused.read(v) for _, v, *_ in group.folds]  # before the stores: a fold may ask for loads of its own
    writer.flushed.pop()
    order = order_of([p for _, p in nest.loads])  # results lie as what they are made of: no nest gathers
    strides = strides_in(order, shape)
    made = {one[2]: one for one in group.steps}
    for out in made:
        readers = _readers(writer, out, group)
        if out in writer.targets or readers and not writer.rematerialized.takes(writer, out, group, made, readers):
            claim_cell(writer, out, nest)
            place = writer.values[out] = written_under(writer, out, readers) or writer.result(out, strides)
            nest.stores.append((fused.known[out], place))
    writer.nonfinite.watch(nest)  # only now the nest has all its stores, which are what leaves the program
    narrowed = []
    for (name, v, axes, keepdims, out), value in zip(group.folds, folded):
        kept = tuple(1 if k in axes else n for k, n in enumerate(group.shape))
        strides = strides_in(order, kept)
        if not keepdims:
            strides = [s for k, s in enumerate(strides) if k not in axes]
        place = writer.values[out] = writer.result(out, strides)
        if name == "add" and place.kind == "f32" and v.aval.size > _LONG_SUM * out.aval.size:
            # Single precision loses terms of long sums.
            narrowed.append((writer.new(place.shape, "f64", strides), place))
            place = narrowed[-1][0]
        # Folds add into memory, which has to hold the neutral element before the nest runs.
        writer.fill_start(name, place)
        if not keepdims:
            strides = iter(place.strides)
            place = place.laid(kept, [0 if k in axes else next(strides) for k in range(len(kept))])
        nest.folds.append((name, value, place.spread(group.shape)))
    writer.nest(nest)
    for wide, place in narrowed:
        x, y = Value("f64"), Value("f32")
        writer.nest(Nest(place.shape, [(x, wide)], [Step("cast", "f32", [y], [[x]])], [(y, place)]))


def _is_one(x):
    return type(x) is Const and x.value == 1


def _readers(writer, v, group):
    """The readers of a variable of a group outside of it: equations, or None for what has no name."""
    inside = group.made
    found = [eq for eq in writer.uses.get(v, ()) if eq is None or not (
        set(eq.outputs) <= inside or set(eq.outputs) <= group.folded or (
            id(eq) in writer.apart and id(eq) in writer.finished))]
    return found + [None for array in writer.columns.parents.get(v, ()) if array not in writer.columns.aimed
                    for eq in writer.uses.get(array, ()) if eq is None or id(eq) not in writer.finished]


# Reorder equations so that those which can join a loop nest come before what ends it.
#
# A nest ends where something reads a sum that it makes. What comes later and reads no such sum may belong to the same
# nest: another sum, or an output of the function. It is moved to before what ends the nest, with what it needs.

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
