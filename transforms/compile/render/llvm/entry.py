"""The entry of native code: the text of a C function that Python calls, which looks at what it is given."""

import numpy as np

from ...loops.statements import OUTSIDE, STOPPED
from ...machine.layouts import DATA, DIMS, TYPE, VALUE
from .objects import LINE, ObjectText
from .simd import Text

ndarray = np.ndarray
_ON_STACK = 1 << 14  # bytes of scratch memory that lie on the stack
_RELEASED = 2e5  # operations above which other threads may run


def plain_entry(printer):
    """A function over a table of pointers."""
    text = Text(printer.module)
    given = ["%memory"] if printer.many else [text.entry_of("%memory", k) for k in range(len(printer.pointers))]
    text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*given, "%scratch", "%table")]) + ")")
    return "\n".join(["define void @call(ptr %memory, ptr %scratch, ptr %table) {", *text.lines, "  ret void", "}"])


def entry(printer, avals, out_avals, known, slots, handler, heard, boxed=()):
    """The C function `call(self, args, count)`, where `self` is the table.

    Args:
        printer: the `Printer` that wrote `work`.
        known: `{name: address}` of functions of Python and NumPy.
        slots: the `Slots` of the module.
        handler, heard, boxed: see `function.py`.
    """
    printer.module.functions["@release"] = _release(ObjectText(printer.module, known, slots))
    return _Entry(printer, known, slots).call_of(avals, out_avals, handler, heard, boxed)


class _Entry(ObjectText):
    """Writes the entry; where arguments and results are many, those of one aval are taken and made by one function."""

    def __init__(self, printer, known, slots):
        super().__init__(printer.module, known, slots)
        self.printer = printer
        self.shared = {}  # what a function does -> its name
        self.pointers = []  # that `work` is given
        self.early = []  # how many arrays there are where the next one fails, as cases of a phi

    def call_of(self, avals, out_avals, handler, heard, boxed):
        text, kernel = self.lines, self.printer.kernel
        self.memory = self.cell(f"[{len(avals) + len(out_avals) + 1} x ptr]", 16) if self.printer.many else None
        self.arrays = self.cell(f"[{max(len(out_avals), 1)} x ptr]", 16)
        self.look_at_state(len(avals), "slow")
        for k, aval in enumerate(avals):
            self.hand(self.taken(k, aval))
        results = []  # places of arrays, and memory of scalars
        for k, aval in enumerate(out_avals):
            as_array = aval.shape or boxed and boxed[k]
            results.append(self.array(k, aval) if as_array else self.cell("[16 x i8]", 16))
            self.hand(self.field(text.entry_of(self.arrays, results[-1]), DATA, "ptr") if as_array else results[-1])
        alarm = self.cell("double", 16)
        self.hand(alarm)
        restore = self.with_scratch(kernel.scratch)
        thread = self.call("ptr", "PyEval_SaveThread") if kernel.work > _RELEASED else None
        given = [self.memory] if self.memory else self.pointers
        text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*given, self.scratch, "%table")]) + ")")
        if thread is not None:
            self.call("void", "PyEval_RestoreThread", f"ptr {thread}")
        restore()
        found = self.load(alarm, "double")
        self.unless(text.op(f"fcmp une double {found}, {STOPPED}", "i1"), "inside", "stop")
        self.unless(text.op(f"fcmp une double {found}, {OUTSIDE}", "i1"), "done", "outside")
        result = self.call("ptr", "PyList_New", f"i64 {len(out_avals)}")
        for k, (aval, out) in enumerate(zip(out_avals, results)):
            out = text.entry_of(self.arrays, out) if type(out) is int else self.call(
                "ptr", "scalar", f"ptr {out}", f"ptr {self.dtype(aval.dtype)}", "ptr null")
            self.call("i32", "PyList_SetItem", f"ptr {result}", f"i64 {k}", f"ptr {out}")
        self.unless(text.op(f"fcmp oeq double {found}, 0.0", "i1"), "return", "alarm")
        text.emit(f"ret ptr {result}")
        text.begin("alarm")
        given = self.cell(f"[{len(avals) + 1} x ptr]", 16)
        text.set_entry(given, 0, result)
        for k in range(len(avals)):
            text.set_entry(given, k + 1, self.argument(k))
        found = self.call("ptr", "PyObject_Vectorcall", f"ptr {self.stored('heard', heard)}", f"ptr {given}",
                          f"i64 {len(avals) + 1}", "ptr null")
        self.call("void", "Py_DecRef", f"ptr {result}")
        text.emit(f"ret ptr {found}")
        self.slow(handler)
        self.endings()
        return self.written(" noinline" * self.printer.many)

    def endings(self):
        """The ends at which the arrays that there are go."""
        text = self.lines
        gone = f"call void @release(ptr %table, ptr {self.arrays}, i64"
        for label, ending in (("stop", "ret ptr null"), ("outside", "br label %slow")):
            text.begin(label)
            text.emit(f"{gone} {len(self.early)})")
            text.emit(ending)
        if self.early:
            text.begin("fail")
            count = text.op(f"phi i64 {', '.join(self.early)}", "i64")
            text.emit(f"{gone} {count})")
            text.emit("ret ptr null")

    def hand(self, pointer):
        """Give `work` the address of its next input or output."""
        if self.memory:
            self.lines.set_entry(self.memory, len(self.pointers), pointer)
        self.pointers.append(pointer)

    def one_for_all(self, what, aval, parameters, write):
        """The name of a function that does what is done for each value of an aval."""
        key = what, aval.shape, aval.dtype, aval.weak
        name = self.shared.get(key)
        if name is None:
            name = self.shared[key] = f"@{what}{len(self.shared)}"
            inner = _Entry(self.printer, self.known, self.slots)
            inner.lines.emit(f"ret ptr {write(inner)}")
            self.printer.module.functions[name] = "\n".join([
                f"define internal ptr {name}(ptr %table{parameters}) noinline {{", "entry:", *inner.cells,
                *inner.lines.lines, "slow:", "  ret ptr null", "}"])
        return name

    def taken(self, k, aval):
        """The address of the elements of an argument; the slow end unless it has this aval."""
        x, room = self.argument(k), self.cell("i64", 16) if aval.weak and aval.dtype.kind != "f" else "null"
        if not self.memory:
            return self.looked_at(x, aval, room, k)
        name = self.one_for_all("taken", aval, ", ptr %x, ptr %room",
                                lambda inner: inner.looked_at("%x", aval, "%room", ""))
        found = self.lines.op(f"call ptr {name}(ptr %table, ptr {x}, ptr {room})", "ptr")
        self.unless(self.lines.op(f"icmp ne ptr {found}, null", "i1"), f"taken{k}", "slow")
        return found

    def looked_at(self, x, aval, room, k):
        text, kind = self.lines, self.field(x, TYPE, "ptr")
        if aval.weak:
            return self.number(x, kind, aval, room, k)
        array = self.equal(kind, self.stored("ndarray", ndarray), "ptr")
        if not aval.shape:
            text.emit(f"br i1 {array}, label %array{k}, label %scalar{k}")
            text.begin(f"scalar{k}")
            number = aval.dtype.type
            scalar = self.equal(kind, self.stored(number.__name__, number), "ptr")
            held = text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
            text.emit(f"br i1 {scalar}, label %have{k}, label %slow")
            text.begin(f"array{k}")
        else:
            self.unless(array, f"array{k}", "slow")
        self.unless_ordered(x, aval.dtype, aval.ndim, f"dims{k}", "slow")
        if not aval.shape:
            data = self.field(x, DATA, "ptr")
            text.emit(f"br label %have{k}")
            text.begin(f"have{k}")
            return text.op(f"phi ptr [{held}, %scalar{k}], [{data}, %dims{k}]", "ptr")
        dims, good = self.field(x, DIMS, "ptr"), None
        for axis, n in enumerate(aval.shape):
            one = self.equal(self.dim(dims, axis), n)
            good = one if good is None else self.both(good, one)
        self.unless(good, f"have{k}", "slow")
        return self.field(x, DATA, "ptr")

    def number(self, x, kind, aval, room, k):
        """The address of a Python number's value, in a room of its own where it is no float."""
        python = {"f": float, "i": int, "b": bool}[aval.dtype.kind]
        self.unless(self.equal(kind, self.stored(python.__name__, python), "ptr"), f"number{k}", "slow")
        if python is float:
            return self.lines.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
        if python is bool:
            true = self.equal(x, self.stored("True", True), "ptr")
            self.lines.emit(f"store i8 {self.lines.op(f'zext i1 {true} to i8', 'i8')}, ptr {room}")
            return room
        self.lines.emit(f"store i64 {self.whole(x, f'fits{k}', 'slow')}, ptr {room}")
        return room

    def array(self, k, aval):
        """The place of a new array among those that there are."""
        def make(entry):
            return entry.new(aval.dtype, aval.ndim, entry.lengths(aval.shape))

        made = self.lines.op(f"call ptr {self.one_for_all('array', aval, '', make)}(ptr %table)",
                             "ptr") if self.memory else make(self)
        place = len(self.early)
        self.early.append(f"[{place}, %{self.lines.label}]")
        self.unless(self.lines.op(f"icmp ne ptr {made}, null", "i1"), f"out{k}", "fail")
        self.lines.set_entry(self.arrays, place, made)
        return place

    def with_scratch(self, size):
        """Have scratch memory; returns what writes the end of that."""
        if size <= _ON_STACK:
            self.scratch = self.cell(f"[{max(size, 1)} x i8]")
            return lambda: None
        memory, self.scratch = self.lent(size + LINE, "stop")
        return lambda: self.call("void", "PyMem_RawFree", f"ptr {memory}")


def _release(entry):
    """A function that gives up so many of the objects in memory: all the ends of an entry call it."""
    text = entry.lines
    text.emit("br label %head")
    text.begin("head")
    text.lines.append("  %k = phi i64 [0, %entry], [%next, %one]")
    text.emit(f"br i1 {text.op('icmp ult i64 %k, %count', 'i1')}, label %one, label %end")
    text.begin("one")
    entry.call("void", "Py_DecRef", f"ptr {text.entry_of('%objects', '%k')}")
    text.lines.append("  %next = add nuw nsw i64 %k, 1")
    text.emit("br label %head")
    return "\n".join(["define internal void @release(ptr %table, ptr %objects, i64 %count) noinline {", "entry:",
                      *text.lines, "end:", "  ret void", "}"])


def stopped(module, known, slots):
    """A function that says whether a signal raised an exception; Python may be locked by this thread or not."""
    entry = ObjectText(module, known, slots)
    state = entry.call("i32", "PyGILState_Ensure")
    found = entry.call("i32", "PyErr_CheckSignals")
    entry.call("void", "PyGILState_Release", f"i32 {state}")
    stop = entry.lines.op(f"icmp ne i32 {found}, 0", "i1")
    return "\n".join(["define internal i1 @stopped(ptr %table) noinline {", *entry.lines.lines, f"  ret i1 {stop}",
                      "}"])
