"""Render eager operations as CUDA for arrays of any size: one thread an element, or several a row."""

from ....graph.equations import Literal
from ...loops.operations import Name
from ...loops.statements import KINDS, Kernel, Memory, Place, Value, constant
from ...lower.elementwise import elementary
from ...lower.loop_fusion import Fused
from ..c.nests import Rows
from ..c.printer import Printer
from ..c.text import STORED, TYPES, Cuda, Module
from .block_folds import folded
from .cuda_file import with_functions

BLOCK = 256  # threads
_AT = {0: "row * n + i", 1: "i", 2: "row"}  # how an element of a matrix, of an array or vector, and a row is counted
_STRIDES = {"row": (1, 0, 0), "array": (0, 1, 0), "vector": (0, 1, 0), "number": (0, 0, 1)}


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
        self.printer = Printer(Kernel((), (), ()), self.module, {}, on_stack=0, index="int64_t")
        self.text = self.printer.text
        self.rows, self.lanes = kinds[0] == "row", lanes
        self.graph = graph
        self.waiting = list(graph.equations)
        self.numbers = {}  # variable that has a name outside of loops -> its Value
        self.places = {}  # an input that has elements -> its Place
        given = []
        for k, (v, kind) in enumerate(zip(graph.inputs, kinds)):
            of = STORED[KINDS[v.aval.dtype]]
            given.append(f"{of} p{k}" if kind == "float" else f"const {of} *__restrict__ p{k}")
            if kind == "float":
                self.name(v, Name(f"p{k}", of))
            else:
                self.places[v] = self.place(v, kind, f"p{k}")
        given += [f"{STORED[KINDS[v.aval.dtype]]} *__restrict__ out{k}" for k, v in enumerate(graph.outputs)]
        given += ["int64_t count", *["int64_t n"] * self.rows]
        self.outs = [(v, self.place(v, kinds[0] if v.aval.ndim else "number", f"out{k}"))
                     for k, v in enumerate(graph.outputs)]
        if self.rows:
            self.write_rows([v for v, kind in zip(graph.inputs, kinds) if kind == "number"])
        else:
            self.write_elements()
        lines = self.text.finished()
        kernel = "\n".join([f'extern "C" __global__ void {name}({", ".join(given)})', "{", *lines, "}"])
        self.source = with_functions(self.module, [kernel], lines)

    def place(self, v, kind, name):
        """The place of an operand or a result."""
        memory = Memory(KINDS[v.aval.dtype], None)
        self.printer.memories[memory] = name
        return Place(memory, (1, 1, 1), _STRIDES[kind])

    def name(self, v, name):
        """Note the name of a number."""
        value = self.numbers[v] = Value(KINDS[v.aval.dtype])
        self.printer.values[value] = name

    def write_elements(self):
        """One thread an element, and others a grid apart."""
        self.name_numbers()
        self.text.open("for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; "
                       "i += (int64_t)gridDim.x * blockDim.x)")
        self.element(self.outs).body(_AT)
        self.text.close()

    def write_rows(self, numbers):
        """A few threads a row; all of a block go on together, since they meet at barriers."""
        text, each = self.text, BLOCK // self.lanes
        text.open(f"for (int64_t base = (int64_t)blockIdx.x * {each}; base < count; "
                  f"base += (int64_t)gridDim.x * {each})")
        text.emit(f"const unsigned lane = threadIdx.x % {self.lanes};")
        text.emit(f"const int64_t own = base + threadIdx.x / {self.lanes};")
        text.emit("const int64_t row = own < count ? own : count - 1;")  # its results are not written
        for v in numbers:
            self.name(v, self.printer.load(self.places.pop(v), [("row", 1)]))
        self.name_numbers()
        while folds := self.ready_folds():
            rows = self.element(folds=folds)
            totals = {k: rows.start(k, 1) for k in range(len(folds))}
            self.loop()
            rows.folded(totals, rows.body(_AT, False), "")
            text.close()
            found = [(name, value.kind, Name(totals[k], TYPES[value.kind]))
                     for k, (name, value, _) in enumerate(rows.nest.folds)]
            for eq, x in zip(folds, folded(self.printer, found, BLOCK, "lane", str(self.lanes))):
                self.name(eq.outputs[0], x)
            self.waiting = [eq for eq in self.waiting if eq not in folds]
            self.name_numbers()
        alone, whole = [[out for out in self.outs if (out[0].aval.ndim > 0) is flag] for flag in (False, True)]
        if alone:
            text.open("if (own < count && lane == 0)")
            self.element(alone).body(_AT)
            text.close()
        if whole:
            self.loop("own < count && ")
            self.element(whole).body(_AT)
            text.close()
        text.close()

    def loop(self, also=""):
        """Open the loop of a thread over elements of its row."""
        self.text.open(f"for (int64_t i = lane; {also}i < n; i += {self.lanes})")

    def ready_folds(self):
        """The folds whose operands depend on numbers that are known and on other elements alone."""
        fused = self.fused()
        return [eq for eq in self.waiting if eq.prim.reduces is not None and self.has(eq.inputs[0], fused)]

    def has(self, v, fused):
        """Tell whether a variable, or a literal, is known."""
        return type(v) is Literal or v in fused.known or v in self.places or v in self.numbers

    def fused(self, only=lambda eq: True):
        """The equations of one element that are ready; what is not needed is left out in the end."""
        def load(v):
            if type(v) is Literal:
                return constant(v).flat[0]
            return self.numbers[v] if v in self.numbers else fused.loaded(self.places[v])

        fused = Fused((), load)
        for eq in self.waiting:
            if eq.prim.reduces is None and only(eq) and all(self.has(v, fused) for v in eq.inputs):
                for step in elementary(eq):
                    fused.step(*step)
        return fused

    def element(self, outs=(), folds=()):
        """The `Rows` of one element of some outputs, or of operands of folds."""
        fused = self.fused()
        fused.nest.stores = [(fused.read(v), place) for v, place in outs]
        fused.nest.folds = [(eq.prim.reduces.__name__, fused.cast(fused.read(eq.inputs[0]), KINDS[
            eq.outputs[0].aval.dtype]), None) for eq in folds]
        return Rows(self.printer, fused.nest)

    def name_numbers(self):
        """Write the equations of numbers that depend on known ones."""
        places, self.places = self.places, {}
        fused = self.fused(lambda eq: not eq.outputs[0].aval.ndim)
        self.places = places
        made = [eq for eq in self.waiting if eq.outputs[0] in fused.known]
        fused.nest.folds = [("", fused.known[eq.outputs[0]], None) for eq in made]
        for eq, x in zip(made, Rows(self.printer, fused.nest).body({}, False)):
            self.name(eq.outputs[0], x)
        self.waiting = [eq for eq in self.waiting if eq not in made]
