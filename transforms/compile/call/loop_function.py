"""Loop definitions as Python functions, specialized to dtypes and ranks, for arrays of any lengths."""

import numpy as np

from ..loops.define import ANY, Body, New
from ..loops.operations import Name
from ..loops.statements import BYTES, DTYPES, KINDS
from ..machine.engine import machine
from ..machine.error_states import OtherState
from ..machine.layouts import DATA, DIMS, NDIM, TYPE, VALUE, Slots, functions
from ..render.llvm.objects import LINE, ObjectText
from ..render.llvm.printer import Printer
from ..render.llvm.simd import TYPES
from .callable import attached

ndarray = np.ndarray
_HALF = np.dtype(np.float16)
_KINDS, _DTYPES = {**KINDS, _HALF: "f16", float: "f64", int: "i64"}, {**DTYPES, "f16": _HALF}
_RELEASED = 1 << 18  # elements of outputs and scratch memory above which other threads may run


def loop_function(define, kinds, released=_RELEASED, scalar=True):
    """A function that runs the loops of a definition; None where native code cannot be called.

    It gives an array, or a list of several, and None where arrays are not in order in memory, or of other dtypes or
    numbers of axes, where the definition refuses, and where NumPy's error state is one that native code cannot do.

    Args:
        define: `define(body, …)`, which is given a `Body` and an `Array` or a `Scalar` for each argument.
        kinds: what each argument is: `(dtype, number of axes)`, `int` or `float`; a number of axes may be `ANY`.
        released: elements above which other threads may run.
        scalar: whether loops compute one element at a time, and LLVM is to make vectors of them.
    """
    known = functions()
    if known is None:
        return None
    slots, around = Slots(), OtherState()
    body = Body(machine().vector)
    numbers = body.define(define, [
        (_KINDS[np.dtype(kind[0])], kind[1]) if type(kind) is tuple else _KINDS[kind] for kind in kinds])
    printer = Printer(body.kernel, body.vector, slots, inline=True).written()
    module = printer.module
    module.functions["@call"] = _Entry(module, known, slots).call_of(
        body, kinds, numbers, around.handle, released)
    code = machine().code(f"{slots.legend}\n{module.text}", module.needed, scalar)
    return attached(code, slots, around)


class _Entry(ObjectText):
    """Writes the C function `call(self, args, count)`: it looks at arguments, makes arrays and calls the loops."""

    def __init__(self, module, known, slots):
        super().__init__(module, known, slots)
        self.alike = []  # (number of axes, address of the lengths) of arrays of one shape

    def call_of(self, body, kinds, numbers, handler, released):
        text, kernel = self.lines, body.kernel
        head = Printer(kernel, body.vector, self.slots, inline=True, module=text.module)
        head.text, head.outside, head.pointers = text, "unfit", []
        self.look_at_state(len(kinds))
        for k, (kind, sizes) in enumerate(zip(kinds, numbers)):
            head.names.update(zip(sizes, self.operand(k, kind, head.pointers)))
        if self.alike:
            whole = [sizes[0] for sizes, kind in zip(numbers, kinds) if type(kind) is tuple and kind[1] == ANY]
            head.names.update(dict.fromkeys(whole, self.counted()))
        made, total = [], "0"  # (name of an array, whether it is an output); elements of all
        for statement in body.first:
            if type(statement) is not New:
                head.block([statement])
                continue
            counts = [n if type(n) is int else head.scalar(n) for n in statement.shape]
            self.like = self.alike and statement.shape[0] in whole
            size = self.size_of(counts)
            total = text.op(f"add i64 {total}, {size}", "i64")
            made.append((self.array(statement, counts, size, len(made), head.pointers), statement.given))
        alarm = self.cell("double")
        text.emit(f"store double 0.0, ptr {alarm}")  # the loops write there when they refuse
        # For few elements the lock costs more.
        total = total if body.elements is None else head.scalar(body.elements.value)
        restore = self.released(text.op(f"icmp ugt i64 {total}, {released}", "i1"))
        given = [f"ptr {p}" for p in (*head.pointers, alarm)]
        given += [f"{TYPES[v.kind]} {head.scalar(v)}" for v in kernel.given]
        text.emit(f"call void @work({', '.join(given)}, ptr null, ptr %table)")
        restore()
        self.unless(text.op(f"fcmp oeq double {self.load(alarm, 'double')}, 0.0", "i1"), "done", "drop")
        for name, is_given in made:
            if not is_given:
                self.call("void", "Py_DecRef", f"ptr {name}")
        self.give([name for name, is_given in made if is_given])
        self.drop("drop", [name for name, _ in made], handler)
        return self.written()

    def operand(self, k, kind, pointers):
        """The lengths of an array, of which the address is noted, or a number, after a look at the argument."""
        x, python = self.argument(k), ndarray if type(kind) is tuple else kind
        self.unless(self.equal(self.field(x, TYPE, "ptr"), self.stored(python.__name__, python), "ptr"), f"type{k}")
        if python is not ndarray:
            return [self.field(x, VALUE, "double") if python is float else self.whole(x, f"fits{k}")]
        dtype, rank = np.dtype(kind[0]), kind[1]
        if rank == ANY:
            rank = self.alike[0][0] if self.alike else self.field(x, NDIM, "i32")
        self.unless_ordered(x, dtype, rank, f"array{k}")
        dims = self.field(x, DIMS, "ptr")
        pointers.append(self.field(x, DATA, "ptr"))
        if kind[1] == ANY:
            self.alike.append((rank, dims))
            return []
        return [self.dim(dims, axis) for axis in range(rank)]

    def counted(self):
        """The number of elements of the arrays of any number of axes, after a look that they have one shape."""
        text = self.lines
        rank = text.op(f"sext i32 {self.alike[0][0]} to i64", "i64")
        # Arrays without axes are scalars to NumPy's functions.
        self.unless(text.op(f"icmp ne i64 {rank}, 0", "i1"), "ranked")

        def axis(i, size, same):
            first, *others = [self.dim(dims, i) for _, dims in self.alike]
            for n in others:
                same = self.both(self.equal(n, first), same)
            return text.op(f"mul i64 {size}, {first}", "i64"), same

        size, same = text.loop("axis", "axis_end", rank, axis, carried=(Name("1", "i64"), Name("true", "i1")))
        self.unless(same, "fits")
        return size

    def size_of(self, counts):
        total = "1"
        for n in counts:
            total = self.lines.op(f"mul i64 {total}, {n}", "i64")
        return total

    def array(self, new, counts, size, k, pointers):
        """A new array, of which the address is noted; memory that is not given begins at a line of the cache."""
        text, kind = self.lines, new.memory.kind
        counts = counts if new.given else [text.op(f"add i64 {size}, {LINE // BYTES[kind]}", "i64")]
        out = self.new(_DTYPES[kind], *(self.alike[0] if self.like else (len(counts), self.lengths(counts))))
        self.unless(text.op(f"icmp ne ptr {out}, null", "i1"), f"made{k}", f"fail{k}")
        start = self.field(out, DATA, "ptr")
        pointers.append(start if new.given else self.line_of(start))
        return out
