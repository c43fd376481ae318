"""Render eager operations as CUDA for arrays of any size: one thread an element, or several a row."""

from ....graph.equations import Literal
from ...loops.operations import CASTS
from ...loops.statements import KINDS, start_of
from ...lower.elementwise import elementary
from ..c.scalars import Scalars
from ..c.text import STORED, TYPES, Cuda, Module, Name, Text, number
from .block_folds import folded
from .cuda_file import with_functions

BLOCK = 256  # threads


class FlatText:
    """The text of a kernel: of a graph of elementwise equations, for each element or row; folds end rows in a number.

    The kernel is given the operands and the outputs, then `count`, the elements of the arrays, or the rows, and for
    rows `n`, the elements of each.

    Args:
        name: of the kernel; graph: a `Graph` or `Draft` of a row or of a part of arrays.
        kinds: what each input is, as `core.primitive.kernels.kernel_of` has it.
        lanes: the threads that share a row.
    """

    def __init__(self, name, graph, kinds, lanes=BLOCK):
        self.module = Module(Cuda)
        self.text = Text(self.module)
        self.rows, self.lanes = kinds[0] == "row", lanes
        self.graph = graph
        self.waiting = list(graph.equations)
        self.known = {}  # what has a name outside of loops: numbers
        self.places = {}  # an input that has elements -> an expression of the element at i
        given = []
        for k, (v, kind) in enumerate(zip(graph.inputs, kinds)):
            of = STORED[KINDS[v.aval.dtype]]
            if kind == "float":
                self.known[v] = Name(f"p{k}", of)
                given.append(f"{of} p{k}")
                continue
            given.append(f"const {of} *__restrict__ p{k}")
            if kind != "number":
                self.places[v] = f"p{k}[{'row * n + i' if kind == 'row' else 'i'}]"
        given += [f"{STORED[KINDS[v.aval.dtype]]} *__restrict__ out{k}" for k, v in enumerate(graph.outputs)]
        given += ["int64_t count", *["int64_t n"] * self.rows]
        if self.rows:
            self.write_rows([(v, k) for k, (v, kind) in enumerate(zip(graph.inputs, kinds)) if kind == "number"])
        else:
            self.write_elements()
        lines = self.text.finished()
        kernel = "\n".join([f'extern "C" __global__ void {name}({", ".join(given)})', "{", *lines, "}"])
        self.source = with_functions(self.module, [kernel], lines)

    def write_elements(self):
        """One thread an element, and others a grid apart."""
        text = self.text
        self.numbers()
        text.open("for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; "
                  "i += (int64_t)gridDim.x * blockDim.x)")
        self.store(self.elements())
        text.close()

    def write_rows(self, numbers):
        """A few threads a row; all of a block go on together, since they meet at barriers."""
        text, each = self.text, BLOCK // self.lanes
        text.open(f"for (int64_t base = (int64_t)blockIdx.x * {each}; base < count; "
                  f"base += (int64_t)gridDim.x * {each})")
        text.emit(f"const unsigned lane = threadIdx.x % {self.lanes};")
        text.emit(f"const int64_t own = base + threadIdx.x / {self.lanes};")
        text.emit("const int64_t row = own < count ? own : count - 1;")  # its results are not written
        for v, k in numbers:
            self.known[v] = text.op(f"p{k}[row]", TYPES[KINDS[v.aval.dtype]])
        self.numbers()
        while folds := self.ready_folds():
            totals = []
            for eq in folds:
                kind = KINDS[eq.outputs[0].aval.dtype]
                totals.append(text.new("s"))
                text.emit(f"{TYPES[kind]} {totals[-1]} = {number(start_of(eq.prim.reduces.__name__, kind), kind)};")
            self.loop()
            found = self.elements()
            values = []
            for eq, total in zip(folds, totals):
                kind, name = KINDS[eq.outputs[0].aval.dtype], eq.prim.reduces.__name__
                x, y = self.read(eq.inputs[0], found, kind), text.op(total, TYPES[kind])
                text.emit(f"{total} = {Scalars(text, kind).run(name, [y, x])};")
                values.append((name, kind, Name(total, TYPES[kind])))
            text.close()
            self.known.update(zip([eq.outputs[0] for eq in folds], folded(
                self, values, BLOCK, "lane", str(self.lanes))))
            self.waiting = [eq for eq in self.waiting if eq not in folds]
            self.numbers()
        for k, v in enumerate(self.graph.outputs):
            if not v.aval.ndim:
                text.emit(f"if (own < count && lane == 0) out{k}[row] = {self.read(v, self.known)};")
        if any(v.aval.ndim for v in self.graph.outputs):
            self.loop("own < count && ")
            self.store(self.elements())
            text.close()
        text.close()

    def loop(self, also=""):
        """Open the loop of a thread over elements of its row."""
        self.text.open(f"for (int64_t i = lane; {also}i < n; i += {self.lanes})")

    def ready_folds(self):
        """The folds whose operands depend on numbers that are known and on other elements alone."""
        made = set(self.places)
        for eq in self.waiting:
            if eq.prim.reduces is None and all(self.has(v, made) for v in eq.inputs):
                made.update(eq.outputs)
        return [eq for eq in self.waiting if eq.prim.reduces is not None and eq.inputs[0] in made]

    def has(self, v, made):
        """Tell whether a variable, or a literal, is known."""
        return type(v) is Literal or v in made or v in self.known

    def numbers(self):
        """Write the equations of numbers that depend on known ones."""
        for eq in list(self.waiting):
            if eq.prim.reduces is None and not eq.outputs[0].aval.ndim and all(
                    self.has(v, ()) for v in eq.inputs):
                self.equation(eq, self.known)
                self.waiting.remove(eq)

    def elements(self):
        """Write the equations of one element that are ready; what is not needed is left out in the end."""
        found = dict(self.known)
        for v, place in self.places.items():
            found[v] = self.text.op(place, TYPES[KINDS[v.aval.dtype]])
        for eq in self.waiting:
            if eq.prim.reduces is None and all(self.has(v, found) for v in eq.inputs):
                self.equation(eq, found)
        return found

    def store(self, found):
        """Write the elements of the outputs."""
        for k, v in enumerate(self.graph.outputs):
            if v.aval.ndim:
                self.text.emit(f"out{k}[{'row * n + i' if self.rows else 'i'}] = {self.read(v, found)};")

    def equation(self, eq, found):
        """Write an elementwise equation."""
        for name, kind, out, inputs in elementary(eq):
            if name in CASTS:
                found[out] = self.read(inputs[0], found, kind)
                continue
            args = [self.read(v, found, "b8" if name == "where" and not k else kind) for k, v in enumerate(inputs)]
            found[out] = Scalars(self.text, kind).run(name, args)

    def read(self, v, found, kind=None):
        """The name of a variable or a literal, cast to a kind."""
        own = KINDS[v.aval.dtype]
        x = found.get(v)
        if x is None:
            return Name(number(v.value, kind or own), TYPES[kind or own])
        return x if kind is None else Scalars(self.text, kind).cast(x, own, kind)
