"""Elementwise kernels over arrays of any size: one native function, called block by block."""

import sys

import numpy as np

from ....core.primitive.kernels import SHORT
from ....core.types import Any
from ...graph.equations import Draft
from ..lower.lowerings import is_native
from ..lower.writer import Writer
from ..machine.blas import products_library
from ..machine.engine import machine
from ..machine.error_states import OtherState
from ..machine.layouts import DATA, DIMS, NDIM, TYPE, VALUE, Slots, functions
from ..render.llvm.objects import LINE, ObjectText
from ..render.llvm.printer import Printer
from .callable import attached

ndarray = np.ndarray
BLOCK = 2048  # elements
ROW = 4093  # elements that a row has in a graph: a number that no other axis has by chance
_RELEASED = 2e5  # operations above which other threads may run
_MOST = 1 << 16  # bytes of scratch memory on the stack


class _Writer(Writer):
    """Writes nests that may take elements twice, where rows end: nothing lies where something else was."""

    cached = False


def flat_function(graph, kinds, short=False):
    """A function of arrays of one shape and of floats, as `graph` has it for a part of them, and runs it for each part.

    It gives None where arrays are not of one shape, in order in memory and of the right dtype, where NumPy's error
    state is one that native code cannot do, and where its result is not finite. None if there is no native form.

    Args:
        graph: a `Graph` or `Draft`.
        kinds: what each input is: "array", of `BLOCK` elements in the graph; a "row" of a matrix, of `ROW` elements;
            the "number" of a row, of which the operand has a vector; a "vector" as long as a row, the same for all; a
            "float". The first is an array or a row.
        short: rows have at most `SHORT` elements; they have more otherwise.
    """
    known, noted = functions(), {}
    if known is None or not all(is_native(eq, noted) for eq in graph.equations):
        return None
    kernel = _Writer(Draft(graph.inputs, graph.equations, graph.outputs), noted).kernel
    if kernel.scratch > _MOST and kinds[0] == "array":  # blocks have theirs on the stack
        return None
    processor = machine()
    slots = Slots()
    printer = Printer(kernel, processor.vector, slots, products_library(),
                      extent=ROW if kinds[0] == "row" else None, short=short, contracts=True).written()
    around = OtherState()  # it gives None in place of a slow function: the caller has NumPy's form
    printer.module.functions["@call"] = _Entry(
        printer.module, kernel, short, [v.aval for v in graph.inputs], kinds, [v.aval for v in graph.outputs], known,
        slots, around.handle).text
    code = processor.code(f"{slots.legend}\n{printer.module.text}", printer.module.needed)
    return attached(code, slots, around)


class _Entry(ObjectText):
    """The text of the C function `call(self, args, count)`.

    The last block of arrays ends with their last element, so it may compute some again: to the same values.
    """

    def __init__(self, module, kernel, short, avals, kinds, out_avals, known, slots, handler):
        super().__init__(module, known, slots)
        text = self.lines
        self.rows, self.short = kinds[0] == "row", short
        self.look_at_state(len(avals))
        sources, shapes = self.look_at_operands(avals, kinds)
        count, length, total = self.rows_of(kinds, shapes) if self.rows else self.blocks_of(shapes)
        outs, targets = self.made(out_avals, shapes[0])
        alarm, found = self.cell("double"), self.cell("double")
        text.emit(f"store double 0.0, ptr {found}")  # of all parts: one that is not finite is enough
        scratch, memory = "%scratch", None
        part = ROW if self.rows else BLOCK
        if self.rows:
            times = text.op(f"add i64 {length}, {ROW - 1}", "i64")
            times = text.op(f"udiv i64 {times}, {ROW}", "i64")
            needed = text.op(f"mul i64 {times}, {max(kernel.scratch, 1)}", "i64")
            memory, scratch = self.lent(text.op(f"add i64 {needed}, {LINE - 1}", "i64"), "full")
        long = text.op(f"icmp ugt i64 {total}, {int(_RELEASED * part / max(kernel.work, part))}", "i1")
        restore = self.released(long)
        last = None if self.rows else text.op(f"sub i64 {total}, {BLOCK}", "i64")
        module.declare("declare i64 @llvm.umin.i64(i64, i64)")

        def part_of(i):
            start = i
            if not self.rows:
                start = text.op(f"mul i64 {i}, {BLOCK}", "i64")
                start = text.op(f"call i64 @llvm.umin.i64(i64 {start}, i64 {last})", "i64")

            def moved(pointer, aval, whole):
                at = text.op(f"mul i64 {start}, {aval.dtype.itemsize}", "i64")
                at = text.op(f"mul i64 {at}, {length}", "i64") if whole and self.rows else at
                return text.op(f"getelementptr inbounds i8, ptr {pointer}, i64 {at}", "ptr")

            given = [p if kind in ("float", "vector") else moved(p, aval, kind != "number")
                     for p, aval, kind in zip(sources, avals, kinds)]
            given += [moved(p, aval, aval.ndim) for p, aval in zip(targets, out_avals)] + [alarm, scratch, "%table"]
            end = f", i64 {length}, i64 {times}" if self.rows else ""
            text.emit(f"call void @work({', '.join([f'ptr {p}' for p in given])}{end})")
            heard = text.op(f"fadd double {self.load(alarm, 'double')}, {self.load(found, 'double')}", "double")
            text.emit(f"store double {heard}, ptr {found}")

        self.loop("part", count, part_of)
        restore()
        if memory is not None:
            self.call("void", "PyMem_RawFree", f"ptr {memory}")
        calm = text.op(f"fcmp oeq double {self.load(found, 'double')}, 0.0", "i1")
        text.emit(f"br i1 {calm}, label %calm, label %alarm")
        text.begin("calm")
        self.give(outs)
        self.drop("alarm", outs, handler)
        if memory is not None:
            text.begin("full")
            self.give_up(outs)
        if not self.rows:
            self.cells.append(f"  %scratch = alloca [{max(kernel.scratch, 1)} x i8], align 64")
        self.text = self.written()

    # parts of text

    def loop(self, name, count, body):
        """`body(i)` for i below a count that is not 0; a body has no blocks of its own."""
        text = self.lines
        before, following = text.label, f"%{name}_next"
        text.emit(f"br label %{name}")
        text.begin(name)
        text.lines.append(f"  %{name}_at = phi i64 [0, %{before}], [{following}, %{name}]")
        body(f"%{name}_at")
        text.emit(f"{following} = add nuw nsw i64 %{name}_at, 1")
        more = text.op(f"icmp ult i64 {following}, {count}", "i1")
        text.emit(f"br i1 {more}, label %{name}, label %{name}_end")
        text.begin(f"{name}_end")

    # what it does, in order

    def look_at_operands(self, avals, kinds):
        """`(pointers to values, [(number of axes, pointer to them) or None, …])`."""
        text, sources = self.lines, []
        shapes: list[Any] = []
        for k, (aval, kind) in enumerate(zip(avals, kinds)):
            x = self.argument(k)
            wanted = self.stored("float", float) if kind == "float" else self.stored("ndarray", ndarray)
            self.unless(self.equal(self.field(x, TYPE, "ptr"), wanted, "ptr"), f"type{k}")
            if kind == "float":
                sources.append(text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr"))
                shapes.append(None)
                continue
            rank = self.field(x, NDIM, "i32")
            wanted = shapes[0][0] if kind == "array" and k else rank if kind == "array" else 2 if kind == "row" else 1
            self.unless_ordered(x, aval.dtype, wanted, f"array{k}")
            shapes.append((rank, self.field(x, DIMS, "ptr")))
            sources.append(self.field(x, DATA, "ptr"))
        return sources, shapes

    def blocks_of(self, shapes):
        """`(number of blocks, None, number of elements)` of arrays, which have one shape."""
        text, dims = self.lines, [shape[1] for shape in shapes if shape is not None]
        rank = text.op(f"sext i32 {shapes[0][0]} to i64", "i64")
        # Arrays without axes are scalars to NumPy's functions.
        self.unless(text.op(f"icmp ne i64 {rank}, 0", "i1"), "ranked")
        size, same = self.cell("i64"), self.cell("i1")
        text.emit(f"store i64 1, ptr {size}")
        text.emit(f"store i1 true, ptr {same}")

        def axis(i):
            first, *others = [self.dim(d, i) for d in dims]
            product = text.op(f"mul i64 {self.load(size, 'i64')}, {first}", "i64")
            text.emit(f"store i64 {product}, ptr {size}")
            for n in others:
                text.emit(f"store i1 {self.both(self.equal(n, first), self.load(same, 'i1'))}, ptr {same}")

        self.loop("axis", rank, axis)
        total = self.load(size, "i64")
        self.unless(self.both(text.op(f"icmp sge i64 {total}, {BLOCK}", "i1"), self.load(same, "i1")), "fits")
        count = text.op(f"add i64 {total}, {BLOCK - 1}", "i64")
        return text.op(f"udiv i64 {count}, {BLOCK}", "i64"), None, total

    def rows_of(self, kinds, shapes):
        """`(number of rows, their length, number of elements)`."""
        text = self.lines
        count, length = (self.dim(shapes[0][1], axis) for axis in (0, 1))
        least, most = (0, SHORT) if self.short else (SHORT, sys.maxsize)
        good = text.op(f"icmp sgt i64 {count}, 0", "i1")
        for test in (f"icmp sgt i64 {length}, {least}", f"icmp sle i64 {length}, {most}"):
            good = self.both(good, text.op(test, "i1"))
        for kind, shape in zip(kinds[1:], shapes[1:]):
            if kind == "row":
                good = self.both(good, self.equal(self.dim(shape[1], 1), length))
            if kind in ("row", "number"):
                good = self.both(good, self.equal(self.dim(shape[1], 0), count))
            elif kind == "vector":
                good = self.both(good, self.equal(self.dim(shape[1], 0), length))
        self.unless(good, "fits")
        return count, length, text.op(f"mul i64 {count}, {length}", "i64")

    def made(self, avals, shape):
        """The outputs, and where their elements lie."""
        outs, targets = [], []
        for k, aval in enumerate(avals):
            out = self.new(aval.dtype, shape[0] if aval.ndim else 1, shape[1])
            self.unless(self.lines.op(f"icmp ne ptr {out}, null", "i1"), f"made{k}", f"fail{k}")
            outs.append(out)
            targets.append(self.field(out, DATA, "ptr"))
        return outs, targets
