"""Open loops as Python functions: compiled for arrays of given dtypes and numbers of axes, of any lengths."""

import numpy as np

from ....core.types import Any
from ..loops.kinds import DTYPES, KINDS
from ..machine.engine import machine
from ..machine.error_states import OtherState
from ..machine.layouts import DATA, DESCR, DIMS, FLAGS, NDIM, READY, TYPE, VALUE, functions
from ..machine.slots import Slots
from ..render.llvm.loop_dsl import SIZES, Array, Body, Scalar
from ..render.llvm.objects import ObjectText
from ..render.llvm.simd import Module, Text
from .callable import attached

ndarray = np.ndarray
_HALF = np.dtype(np.float16)
_KINDS, _DTYPES = {**KINDS, _HALF: "f16"}, {**DTYPES, "f16": _HALF}
_LINE = 64  # bytes of a line of the cache
_RELEASED = 1 << 18  # elements of outputs and scratch memory above which other threads may run


def loop_function(define, kinds):
    """A function that runs the loops of a definition; None where native code cannot be called.

    It gives an array, or a list of several, and None where arrays are not in order in memory, or of other dtypes or
    numbers of axes, where the definition refuses, and where NumPy's error state is one that native code cannot do.

    Args:
        define: `define(body, …)`, which is given a `Body` and an `Array` or a `Scalar` for each argument.
        kinds: what each argument is: `(dtype, number of axes)`, `int` or `float`.
    """
    known = functions()
    if known is None:
        return None
    slots = Slots()
    module = Module()
    around = OtherState()
    module.functions["@call"] = _Entry(module, define, kinds, known, slots, around.handle).text
    code = machine().code(f"{slots.legend}\n{module.text}", module.needed, scalar=True)
    return attached(code, slots, around)


class _Entry(ObjectText):
    """The text of the C function `call(self, args, count)`, and of the loops, a function of their own."""

    def __init__(self, module, define, kinds, known, slots, handler):
        super().__init__(module, known, slots)
        self.made: list[Any] = []  # (name of an array, whether it is an output)
        self.size = "0"
        body = self.body = _Body(module, self)
        self.lines = body.outer = body.text = Text(module)
        text = self.lines
        self.look_at_state(len(kinds))
        given = [self.operand(k, kind) for k, kind in enumerate(kinds)]
        define(body, *given)
        body.begin()
        restore = self.released(text.op(f"icmp ugt i64 {self.size}, {_RELEASED}", "i1"))
        names = ", ".join([f"{kind} {name}" for name, kind in body.given.items()])
        refused = text.op(f"call i1 @loops({names})", "i1")
        restore()
        text.emit(f"br i1 {refused}, label %drop, label %done")
        text.begin("done")
        for name, shown in self.made:
            if not shown:
                self.call("void", "Py_DecRef", f"ptr {name}")
        self.give([name for name, shown in self.made if shown])
        text.begin("drop")
        for name, _ in self.made:
            self.call("void", "Py_DecRef", f"ptr {name}")
        text.emit("br label %unfit")
        text.begin("unfit")
        self.nothing()
        for k in range(len(self.made)):
            text.begin(f"fail{k}")
            self.give_up([name for name, _ in self.made[:k]])
        self.slow(handler)
        ending = ["  ret i1 false"] + (["refused:", "  ret i1 true"] if body.refusal else [])
        taken = ", ".join([f"{kind}{' noalias' * (kind == 'ptr')} {name}" for name, kind in body.given.items()])
        module.functions["@loops"] = "\n".join([
            f"define internal i1 @loops({taken}) noinline {{", "entry:", *body.cells, *body.inner.lines, *ending, "}",
            *body.facts])
        self.text = "\n".join([
            "define ptr @call(ptr %self, ptr %args, i64 %count) {", "entry:", *self.cells,
            f"  %data = getelementptr inbounds i8, ptr %self, i64 {DATA}", "  %table = load ptr, ptr %data",
            *text.lines, "}"])

    def operand(self, k, kind):
        """The `Array` or `Scalar` of an argument, after a look at it."""
        x, body = self.argument(k), self.body
        if kind is float or kind is int:
            self.unless(self.equal(self.field(x, TYPE, "ptr"), self.stored(kind.__name__, kind), "ptr"), f"type{k}")
            if kind is float:
                return body.noted(Scalar(body, self.field(x, VALUE, "double"), "f64"))
            over = self.cell("i32")
            found = self.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {x}", f"ptr {over}")
            self.unless(self.equal(self.load(over, "i32"), 0, "i32"), f"fits{k}")
            return body.noted(Scalar(body, found, "i64"))
        dtype, rank = np.dtype(kind[0]), kind[1]
        name = _KINDS[dtype]
        self.unless(self.equal(self.field(x, TYPE, "ptr"), self.stored("ndarray", ndarray), "ptr"), f"type{k}")
        wanted = self.stored(f"dtype {dtype}", _DTYPES[name])
        flags = self.lines.op(f"and i32 {self.field(x, FLAGS, 'i32')}, {READY}", "i32")
        good = self.both(self.equal(self.field(x, DESCR, "ptr"), wanted, "ptr"), self.equal(flags, READY, "i32"))
        self.unless(self.both(good, self.equal(self.field(x, NDIM, "i32"), rank, "i32")), f"array{k}")
        dims = self.field(x, DIMS, "ptr")
        shape = [body.noted(Scalar(body, self.dim(dims, axis), "i64")) for axis in range(rank)]
        return Array(body, name, self.pointer(self.field(x, DATA, "ptr")), shape)

    def pointer(self, name):
        self.body.given[name] = "ptr"
        return name

    def array(self, kind, shape, shown):
        """`(pointer, shape)` of a new array; one that is not shown begins at a line of the cache."""
        text, body, k = self.lines, self.body, len(self.made)
        shape = [body.scalar(n, "i64") for n in shape]
        total: Any = body.scalar(1, "i64")
        for n in shape:
            total = total * n
        total = total.name
        lengths = [n.name for n in shape] if shown else [text.op(f"add i64 {total}, {_LINE // SIZES[kind]}", "i64")]
        dims = self.cell(f"[{max(len(lengths), 1)} x i64]")
        for axis, n in enumerate(lengths):
            at = text.op(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}", "ptr")
            text.emit(f"store i64 {n}, ptr {at}")
        self.size = text.op(f"add i64 {self.size}, {total}", "i64")
        dtype = self.stored(f"dtype {_DTYPES[kind]}", _DTYPES[kind])
        self.call("void", "Py_IncRef", f"ptr {dtype}")
        out = self.call("ptr", "new", f"ptr {self.stored('ndarray', ndarray)}", f"ptr {dtype}", f"i32 {len(lengths)}",
                        f"ptr {dims}", "ptr null", "ptr null", "i32 0", "ptr null")
        self.unless(text.op(f"icmp ne ptr {out}, null", "i1"), f"made{k}", f"fail{k}")
        self.made.append((out, shown))
        start = self.field(out, DATA, "ptr")
        return self.pointer(start if shown else self.line_of(start)), shape

    def line_of(self, pointer):
        """The first line of the cache from an address on."""
        text = self.lines
        gap = text.op(f"sub i64 0, {text.op(f'ptrtoint ptr {pointer} to i64', 'i64')}", "i64")
        gap = text.op(f"and i64 {gap}, {_LINE - 1}", "i64")
        return text.op(f"getelementptr inbounds i8, ptr {pointer}, i64 {gap}", "ptr")


class _Body(Body):
    def __init__(self, module, entry):
        super().__init__(module, entry.array, machine().vector)
        self.entry = entry
        self.conditions = 0

    def unless(self, mask):
        if self.entry.made:
            raise TypeError("conditions are looked at before outputs are made")
        self.conditions += 1
        self.entry.unless(mask.name, f"holds{self.conditions}")
