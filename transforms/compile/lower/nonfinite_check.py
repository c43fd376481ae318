"""The nonfinite check of a kernel: a last output that is NaN where another holds an infinity or NaN, else 0."""

from ..loops.statements import Const, Memory, Nest, Place, Step, Store, Value


class Alarm:
    """Looks at the outputs of a writer as they are written, or at the end."""

    def __init__(self, writer, outputs):
        self.memory = Memory("f64", 1, "output", len(outputs))
        self.cells = {"f64": Place(self.memory, ()), "f32": writer.new((), "f32")}
        self.narrow = any(place.kind == "f32" for place in outputs)
        self.watched = set()
        self.seen = {}  # output that is written part by part -> how many of its elements nests looked at
        writer.fill(self.cells["f64"], Const(0.0, "f64"))
        if self.narrow:
            writer.fill(self.cells["f32"], Const(0.0, "f32"))

    def watch(self, nest):
        """Have a nest look at what it stores in outputs."""
        for value, place in list(nest.stores):
            memory = place.memory
            if memory.role != "output" or place.kind not in self.cells:
                continue
            if memory in self.seen and place.size < memory.size:
                self.seen[memory] += place.size
                self._look(nest, value)
            if place.size == memory.size:
                self._look(nest, value)
            if place.size == memory.size or self.seen.get(memory) == memory.size:
                self.watched.add(memory)

    def split(self, place):
        """Have the nests look that write the parts of an output, each once."""
        if place.memory.role == "output" and place.size == place.memory.size:
            self.seen[place.memory] = 0

    def end(self, writer, outputs):
        """Look at the outputs that no nest looked at; bring together what was found."""
        for place in outputs:
            if place.memory not in self.watched and place.kind in self.cells:
                x = Value(place.kind)
                nest = Nest(place.shape, [(x, place)])
                self._look(nest, x)
                writer.nest(nest)
        if self.narrow:
            one, two, total = writer.loaded(self.cells["f64"])[()], writer.loaded(self.cells["f32"])[()], Value("f64")
            writer.add(Step("add", "f64", [total], [[one], writer.cast([two], "f64")]))
            writer.add(Store([total], self.cells["f64"]))

    def _look(self, nest, value):
        off = Value(value.kind)
        nest.steps.append(Step("subtract", value.kind, [off], [[value], [value]]))
        for k, (_, other, place) in enumerate(nest.folds):
            if place.memory is self.cells[value.kind].memory:
                both = Value(value.kind)
                nest.steps.append(Step("add", value.kind, [both], [[other], [off]]))
                nest.folds[k] = ("add", both, place)
                return
        nest.folds.append(("add", off, self.cells[value.kind].spread(nest.shape)))
