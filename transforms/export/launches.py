"""The statements of a kernel as launches on a CUDA device: what threads share, and what one thread does alone."""

from types import SimpleNamespace

from ..native.ir.statements import Load, Memory, Nest, Place, Step, Store, Value, inner
from .batched import batched
from .parallel import WIDE, bytes_of, launches_of, size_of
from .printer import Printer, places_in


class Launches:
    """Cuts a kernel into parts that run one after the other: `parts` holds (threads, statements, print) triples.

    `print` writes what threads share; None means that one thread runs the statements. What one part computes and
    another reads lies in scratch memory, of `scratch` bytes.
    """

    def __init__(self, kernel):
        self.scratch = kernel.scratch
        self.parts = []
        alone = []
        for statement in kernel.statements:
            found = self.shared(statement)
            if found:
                self.serial(alone)
                self.parts += [(threads, [statement], write) for threads, write in found]
                alone = self.after
            else:
                alone.append(statement)
        self.serial(alone)
        self.hand_over()

    def shared(self, statement):
        """The launches of a statement that threads share; `after` holds what one thread does then."""
        self.after = []
        if type(statement) is Nest and size_of(statement.shape) >= WIDE:
            return launches_of(statement, self.place)
        batch = batched(statement)
        if batch is None:
            return []
        for memory, copy in batch.own:
            self.place(memory)
            self.place(copy)
        self.after = list(batch.after())
        return [(batch.count, batch.write)]

    def serial(self, statements):
        """A part that one thread runs."""
        if statements:
            self.parts.append((1, statements, None))

    def place(self, memory):
        """Give memory a place behind what is there."""
        memory.role, memory.index = "scratch", self.scratch
        self.scratch += bytes_of(memory)

    def hand_over(self):
        """Let values and small memory that several parts need lie in scratch memory."""
        users, makers = {}, {}
        for at, (_, statements, _) in enumerate(self.parts):
            for p in places_in(statements):
                if p.memory.role == "cell":
                    users.setdefault(p.memory, set()).add(at)
            for value in values_made(statements):
                makers.setdefault(value, at)
        for memory, parts in users.items():
            if len(parts) > 1:
                self.place(memory)
        held = {}
        for at, (threads, statements, write) in enumerate(self.parts):
            needed = [v for v in dict.fromkeys(values_read(statements)) if makers.get(v, at) != at]
            for v in needed:
                if v not in held:
                    held[v] = Place(Memory(v.kind, 1), ())
                    self.place(held[v].memory)
                    self.parts[makers[v]][1].append(Store([v], held[v]))
            self.parts[at] = threads, [*[Load([v], held[v]) for v in needed], *statements], write

    def printed(self, module, names):
        """`(threads, lines)` of each part."""
        for threads, statements, write in self.parts:
            if write is None:
                yield threads, Printer(self.part(statements), module, names, on_stack=0).lines
            else:
                loads = [s for s in statements if type(s) is Load]
                printer = Printer(self.part(loads), module, names, on_stack=0, index=index_of(statements))
                write(printer)
                yield threads, printer.lines

    def part(self, statements):
        """Statements as a kernel."""
        return SimpleNamespace(statements=statements, scratch=self.scratch)


def index_of(statements):
    """The type of indices into the memory that statements touch."""
    return "int32_t" if all(p.memory.size < 2**30 for p in places_in(statements)) else "int64_t"


def values_made(statements):
    """The values that statements make, outside of bodies and nests."""
    for s in statements:
        if type(s) is Load or type(s) is Step:
            yield from s.outs


def values_read(statements):
    """The values that statements read, in bodies and nests, too."""
    for s in statements:
        if type(s) is Step:
            given = [v for values in s.args for v in values]
        elif type(s) is Store:
            given = s.values
        elif type(s) is Nest:
            given = [*[a[0] for step in s.steps for a in step.args], *[v for v, _ in s.stores],
                     *[v for _, v, _ in s.folds]]
        else:
            given = []
        yield from (v for v in given if type(v) is Value)
        for body in inner(s):
            yield from values_read(body)


