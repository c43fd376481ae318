"""The nonfinite check of a kernel: a last output that is NaN where another holds an infinity or NaN, or where a float
was cast to an integer dtype that does not hold it, else 0."""

import math

from ..loops.operations import CASTS
from ..loops.statements import Const, Memory, Nest, Place, Step, Store, Value


class NonfiniteCheck:
    """Looks at the outputs of a writer as they are written, or at the end."""

    def __init__(self, writer, outputs):
        self.memory = Memory("f64", 1, "output", len(outputs))
        self.cells = {"f64": Place(self.memory, ()), "f32": writer.new((), "f32")}
        # A fold has one kind: singles are looked at as singles.
        self.narrow = any(place.kind == "f32" for place in outputs)
        self.watched = set()
        self.seen = {}  # output that is written part by part -> how many of its elements nests looked at
        writer.fill(self.cells["f64"], Const(0.0, "f64"))
        if self.narrow:
            writer.fill(self.cells["f32"], Const(0.0, "f32"))

    def watch(self, nest):
        """Have a nest look at what it stores in outputs, and at what it casts to integers."""
        for step in list(nest.steps):
            for off in _outside(step, lambda *given: nest.steps.append(Step(*given))):
                self._fold(nest, off)
        for value, place in list(nest.stores):
            memory = place.memory
            if memory.role != "output" or place.kind not in self.cells:
                continue
            # Parts of one array, each written once: all must have been looked at.
            if memory in self.seen and place.size < memory.size:
                self.seen[memory] += place.size
                self._look(nest, value)
            if place.size == memory.size:
                self._look(nest, value)
            if place.size == memory.size or self.seen.get(memory) == memory.size:  # the end need not read it again
                self.watched.add(memory)

    def split(self, place):
        """Have the nests look that write the parts of an output, each once."""
        if place.memory.role == "output" and place.size == place.memory.size:
            self.seen[place.memory] = 0

    def end(self, writer, outputs):
        """Look at the outputs that no nest looked at; bring together what was found."""
        for place in outputs:  # those that products or loops wrote
            if place.memory not in self.watched and place.kind in self.cells:
                x = Value(place.kind)
                nest = Nest(place.shape, [(x, place)])
                self._look(nest, x)
                writer.nest(nest)
        if self.narrow:
            one, two, total = writer.loaded(self.cells["f64"])[()], writer.loaded(self.cells["f32"])[()], Value("f64")
            writer.add(Step("add", "f64", [total], [[one], writer.cast([two], "f64")]))
            writer.add(Store([total], self.cells["f64"]))

    def convert(self, writer, step):
        """Look at values that were cast to integers one by one."""
        for off in _outside(step, lambda *given: writer.add(Step(*given))) if step.name in CASTS else ():
            before, total = writer.loaded(self.cells["f64"])[()], Value("f64")
            writer.add(Step("add", "f64", [total], [[before], [off]]))
            writer.add(Store([total], self.cells["f64"]))

    def _look(self, nest, value):
        off = Value(value.kind)
        # 0 of a finite value, else NaN: no branch, and sums of them tell.
        nest.steps.append(Step("subtract", value.kind, [off], [[value], [value]]))
        self._fold(nest, off)

    def _fold(self, nest, off):
        for k, (_, other, place) in enumerate(nest.folds):
            if place.memory is self.cells[off.kind].memory:
                both = Value(off.kind)
                nest.steps.append(Step("add", off.kind, [both], [[other], [off]]))
                # One fold for all stores of a nest: each would be a register and an addition.
                nest.folds[k] = ("add", both, place)
                return
        nest.folds.append(("add", off, self.cells[off.kind].spread(nest.shape)))


def _outside(step, add):
    """Of each float that a step casts to an integer: 0 where that is near it, else NaN; `add` writes further steps."""
    found: list[Value] = []
    for integer, value in zip(step.outs, step.args[0]) if step.name in CASTS else ():
        if integer.kind[0] == "i" and value.kind[0] == "f":
            back, rest, size, near, off = map(Value, (*[value.kind] * 3, "b8", "f64"))
            add("cast", value.kind, [back], [[integer]])
            add("subtract", value.kind, [rest], [[value], [back]])
            add("absolute", value.kind, [size], [[rest]])
            add("less", value.kind, [near], [[size], [Const(1.0, value.kind)]])
            add("where", "f64", [off], [[near], [Const(0.0, "f64")], [Const(math.nan, "f64")]])
            found.append(off)
    return found
