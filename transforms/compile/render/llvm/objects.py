"""Text that looks at Python objects and at NumPy's arrays, as the entries of native code need it."""

import numpy as np

from ...machine.error_states import DEFAULT, STATE, VARIABLE
from ...machine.layouts import DATA, DESCR, FLAGS, NDIM, READY
from .simd import Text

ndarray = np.ndarray
LINE = 64  # bytes of a line of the cache


class ObjectText:
    """Writes into `lines`, a `Text`; `cells` are lines that make memory for it."""

    def __init__(self, module, known, slots):
        self.lines = Text(module)
        self.known, self.slots = known, slots
        self.cells = []

    def stored(self, name, found):
        return self.slots.load(self.lines, self.slots.place(name, found if type(found) is int else id(found), found))

    def load(self, at, kind):
        return self.lines.op(f"load {kind}, ptr {at}", kind)

    def field(self, x, offset, kind):
        return self.load(self.lines.op(f"getelementptr inbounds i8, ptr {x}, i64 {offset}", "ptr"), kind)

    def dim(self, dims, axis):
        return self.load(self.lines.op(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}", "ptr"), "i64")

    def both(self, a, b):
        return self.lines.op(f"and i1 {a}, {b}", "i1")

    def equal(self, a, b, kind="i64"):
        return self.lines.op(f"icmp eq {kind} {a}, {b}", "i1")

    def call(self, kind, name, *args):
        given = f"call {kind} {self.stored(name, self.known[name])}({', '.join(args)})"
        return self.lines.emit(given) if kind == "void" else self.lines.op(given, kind)

    def cell(self, kind, align=64):
        self.cells.append(f"  %cell{len(self.cells)} = alloca {kind}, align {align}")
        return f"%cell{len(self.cells) - 1}"

    def unless(self, test, label, otherwise="unfit"):
        self.lines.emit(f"br i1 {test}, label %{label}, label %{otherwise}")
        self.lines.begin(label)

    def unless_ordered(self, x, dtype, rank, label, otherwise="unfit"):
        """Go on where an array has a dtype and so many axes, and lies in order in memory."""
        good = self.equal(self.field(x, NDIM, "i32"), rank, "i32")
        good = self.both(good, self.equal(self.field(x, DESCR, "ptr"), self.dtype(dtype), "ptr"))
        flags = self.lines.op(f"and i32 {self.field(x, FLAGS, 'i32')}, {READY}", "i32")
        self.unless(self.both(good, self.equal(flags, READY, "i32")), label, otherwise)

    def whole(self, x, label, otherwise="unfit"):
        """The value of a Python integer of 64 bits."""
        over = self.cell("i32", 16)
        found = self.call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {x}", f"ptr {over}")
        self.unless(self.equal(self.load(over, "i32"), 0, "i32"), label, otherwise)
        return found

    def dtype(self, dtype):
        """NumPy's own object for a dtype, in the byte order of this machine."""
        return self.stored(f"dtype {dtype}", np.dtype(dtype.str))

    def new(self, dtype, rank, dims):
        """A new array, with lengths at an address, or null."""
        dtype = self.dtype(dtype)
        self.call("void", "Py_IncRef", f"ptr {dtype}")
        return self.call("ptr", "new", f"ptr {self.stored('ndarray', ndarray)}", f"ptr {dtype}", f"i32 {rank}",
                         f"ptr {dims}", "ptr null", "ptr null", "i32 0", "ptr null")

    def lengths(self, counts):
        """The address of the lengths of an array."""
        dims = self.cell(f"[{max(len(counts), 1)} x i64]", 16)
        self.lines.set_numbers(dims, counts)
        return dims

    def lent(self, size, otherwise):
        """`(memory of so many bytes, its first line of the cache)`; where there is none, an exception and a label."""
        memory = self.call("ptr", "PyMem_RawMalloc", f"i64 {size}")
        self.lines.emit(f"br i1 {self.lines.op(f'icmp eq ptr {memory}, null', 'i1')}, label %poor, label %ready")
        self.lines.begin("poor")
        self.call("ptr", "PyErr_NoMemory")
        self.lines.emit(f"br label %{otherwise}")
        self.lines.begin("ready")
        return memory, self.line_of(memory)

    def line_of(self, pointer):
        """The first line of the cache from an address on."""
        gap = self.lines.op(f"sub i64 0, {self.lines.op(f'ptrtoint ptr {pointer} to i64', 'i64')}", "i64")
        gap = self.lines.op(f"and i64 {gap}, {LINE - 1}", "i64")
        return self.lines.op(f"getelementptr inbounds i8, ptr {pointer}, i64 {gap}", "ptr")

    def written(self, attributes=""):
        """The text of the C function, which has the table."""
        return "\n".join([
            f"define ptr @call(ptr %self, ptr %args, i64 %count){attributes} {{", "entry:", *self.cells,
            f"  %data = getelementptr inbounds i8, ptr %self, i64 {DATA}", "  %table = load ptr, ptr %data",
            *self.lines.lines, "}"])

    def argument(self, k):
        return self.lines.entry_of("%args", k)

    def give_up(self, outs):
        for out in outs:
            self.call("void", "Py_DecRef", f"ptr {out}")
        self.lines.emit("ret ptr null")

    def look_at_state(self, count, otherwise="unfit"):
        """Go on where NumPy's error state is its own or the one that the table has, and as many arguments are given."""
        cell = self.cell("ptr", 16)
        self.call("i32", "PyContextVar_Get", f"ptr {self.stored('error state', VARIABLE)}", "ptr null", f"ptr {cell}")
        now = self.load(cell, "ptr")
        self.call("void", "Py_DecRef", f"ptr {now}")
        usual = self.equal(now, self.stored("default error state", DEFAULT), "ptr")
        other = self.equal(now, self.slots.load(self.lines, self.slots.place(STATE, 0)), "ptr")
        self.unless(self.lines.op(f"or i1 {usual}, {other}", "i1"), "followed", "slow")
        self.unless(self.equal("%count", count), "given", otherwise)

    def released(self, test):
        """Let other threads run where a test holds: `restore()` writes the end of that."""
        thread = self.cell("ptr")
        self.lines.emit(f"store ptr null, ptr {thread}")
        self.lines.emit(f"br i1 {test}, label %release, label %work")
        self.lines.begin("release")
        self.lines.emit(f"store ptr {self.call('ptr', 'PyEval_SaveThread')}, ptr {thread}")
        self.lines.emit("br label %work")
        self.lines.begin("work")

        def restore():
            held = self.load(thread, "ptr")
            self.lines.emit(f"br i1 {self.lines.op(f'icmp ne ptr {held}, null', 'i1')}, label %restore, label %end")
            self.lines.begin("restore")
            self.call("void", "PyEval_RestoreThread", f"ptr {held}")
            self.lines.emit("br label %end")
            self.lines.begin("end")

        return restore

    def give(self, outs):
        """The end at which one result is given, or a list of several."""
        result = outs[0]
        if len(outs) > 1:
            result = self.call("ptr", "PyList_New", f"i64 {len(outs)}")
            for k, out in enumerate(outs):
                self.call("i32", "PyList_SetItem", f"ptr {result}", f"i64 {k}", f"ptr {out}")
        self.lines.emit(f"ret ptr {result}")

    def drop(self, label, outs, handler):
        """The ends without a result: of arrays that are given up, that could not be made, and of other arguments."""
        self.lines.begin(label)
        for out in outs:
            self.call("void", "Py_DecRef", f"ptr {out}")
        self.lines.emit("br label %unfit")
        self.lines.begin("unfit")
        none = self.stored("None", None)
        self.call("void", "Py_IncRef", f"ptr {none}")
        self.lines.emit(f"ret ptr {none}")
        for k in range(len(outs)):
            self.lines.begin(f"fail{k}")
            self.give_up(outs[:k])
        self.slow(handler)

    def slow(self, handler):
        """The end at which a Python function is called with the same arguments."""
        self.lines.begin("slow")
        self.lines.emit("ret ptr " + self.call("ptr", "PyObject_Vectorcall", f"ptr {self.stored('handler', handler)}",
                                               "ptr %args", "i64 %count", "ptr null"))
