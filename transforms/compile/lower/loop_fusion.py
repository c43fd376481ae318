"""Loop fusion: collect elementwise steps, and emit them as one loop nest."""

import numpy as np

from ...graph.equations import Literal, Var
from ..loops.constants import cast_constant, constant
from ..loops.nests import order_of, strides_in
from ..loops.operations import CASTS, TESTS
from ..loops.statements import Const, Nest, Step, Value, is_uniform
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


def write_group(writer, group):
    """Emit a group as one loop nest."""
    shape = group.shape
    if writer.groups.get(shape) is group:
        del writer.groups[shape]
    # Out of the tables first: to read an operand may settle other groups, which must not find this one again.
    for v in (*group.made, *group.folded):
        writer.owner.pop(v, None)
    writer.flushed.append(group)  # what its operands flush while it is written must not write over what it reads
    nest = Nest(group.shape)
    known = {}

    def read(v):
        if v in known:
            return known[v]
        if v in writer.rematerialized.steps:
            step(*writer.rematerialized.steps[v])
            return known[v]
        found = constant(v) if type(v) is Literal else writer.value(v)
        # One value for all elements needs neither memory nor a load.
        if type(found) is ndarray and is_uniform(found):
            value = found.flat[0]
        else:
            if type(found) is ndarray:
                found = writer.place(v)
            value = Value(found.kind)
            nest.loads.append((value, found.spread(group.shape)))
        known[v] = value
        return value

    casts = {}  # one operand may be read in two kinds; each cast stands once in the nest

    def cast(value, kind):
        if value.kind == kind:
            return value
        if type(value) is Const:
            return cast_constant(value, kind)
        found = casts.get((value, kind))
        if found is None:
            found = casts[value, kind] = Value(kind)
            nest.steps.append(Step("cast", kind, [found], [[value]]))
        return found

    def step(name, kind, out, inputs):
        given = [read(v) for v in inputs]
        # One kind of number for all operands of a step; the mask of `where` alone stays boolean.
        if name not in CASTS:
            given = [cast(x, "b8" if name == "where" and not k else kind) for k, x in enumerate(given)]
        if name == "multiply" and any(map(_is_one, given)):  # a seed
            known[out] = given[_is_one(given[0])]
            return
        value = Value("b8" if name in TESTS else kind)
        nest.steps.append(Step(name, kind, [value], [[x] for x in given]))
        known[out] = value

    for one in group.steps:
        step(*one)
    folded = [read(v) for _, v, *_ in group.folds]  # before the stores: a fold may ask for loads of its own
    writer.flushed.pop()
    order = order_of([p for _, p in nest.loads])  # results lie as what they are made of: no nest gathers
    strides = strides_in(order, shape)
    made = {one[2]: one for one in group.steps}
    for out in made:
        readers = _readers(writer, out, group)
        if out in writer.targets or readers and not writer.rematerialized.takes(writer, out, group, made, readers):
            claim_cell(writer, out, nest)
            place = writer.values[out] = written_under(writer, out, readers) or writer.result(out, strides)
            nest.stores.append((known[out], place))
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
