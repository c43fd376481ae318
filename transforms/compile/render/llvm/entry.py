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
    printer.module.functions["@release"] = _each(ObjectText(printer.module, known, slots), "release", "ptr %objects",
                                                 _release)
    return _Entry(printer, known, slots).call_of(avals, out_avals, handler, heard, boxed)


class _Entry(ObjectText):
    """Writes the entry; where arguments and results are many, loops over a table of what they are take and make them.

    LLVM takes longer than in proportion over a long function, so none has a stretch of text for each argument.
    """

    def __init__(self, printer, known, slots):
        super().__init__(printer.module, known, slots)
        self.printer = printer
        self.pointers = []  # that `work` is given
        self.early = []  # how many arrays there are where the next one fails, as cases of a phi

    def call_of(self, avals, out_avals, handler, heard, boxed):
        text, kernel = self.lines, self.printer.kernel
        arrays = [bool(aval.shape or boxed and boxed[k]) for k, aval in enumerate(out_avals)]
        self.arrays = self.cell(f"[{max(len(out_avals), 1)} x ptr]", 16)
        self.look_at_state(len(avals), "slow")
        give = (self.through_tables if self.printer.many else self.in_place)(avals, out_avals, arrays)
        restore = self.with_scratch(kernel.scratch)
        thread = self.call("ptr", "PyEval_SaveThread") if kernel.work > _RELEASED else None
        given = [self.memory] if self.printer.many else self.pointers
        text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*given, self.scratch, "%table")]) + ")")
        if thread is not None:
            self.call("void", "PyEval_RestoreThread", f"ptr {thread}")
        restore()
        found = self.load(self.alarm, "double")
        self.unless(text.op(f"fcmp une double {found}, {STOPPED}", "i1"), "inside", "stop")
        self.unless(text.op(f"fcmp une double {found}, {OUTSIDE}", "i1"), "done", "outside")
        result = self.call("ptr", "PyList_New", f"i64 {len(out_avals)}")
        give(result)
        self.unless(text.op(f"fcmp oeq double {found}, 0.0", "i1"), "return", "alarm")
        text.emit(f"ret ptr {result}")
        text.begin("alarm")
        given = self.cell(f"[{len(avals) + 1} x ptr]", 16)
        text.set_entry(given, 0, result)
        self.helper("copied", "ptr %from, ptr %to", _copy, "ptr %args", f"ptr {text.entry_at(given, 1)}", len(avals))
        found = self.call("ptr", "PyObject_Vectorcall", f"ptr {self.stored('heard', heard)}", f"ptr {given}",
                          f"i64 {len(avals) + 1}", "ptr null")
        self.call("void", "Py_DecRef", f"ptr {result}")
        text.emit(f"ret ptr {found}")
        self.slow(handler)
        self.endings(len(out_avals) if self.printer.many else sum(arrays))
        return self.written(" noinline" * self.printer.many)

    def in_place(self, avals, out_avals, arrays):
        """Take arguments and make results one after the other; returns what writes how these are given."""
        text, results = self.lines, []  # places of arrays, and memory of scalars
        for k, aval in enumerate(avals):
            room = self.cell("i64", 16) if aval.weak and aval.dtype.kind != "f" else "null"
            self.pointers.append(self.looked_at(self.argument(k), aval, room, k))
        for k, aval in enumerate(out_avals):
            results.append(self.array(k, aval) if arrays[k] else self.cell("[16 x i8]", 16))
            self.pointers.append(self.field(text.entry_of(self.arrays, results[-1]), DATA, "ptr") if arrays[k]
                                 else results[-1])
        self.alarm = self.cell("double", 16)
        self.pointers.append(self.alarm)

        def give(result):
            for k, (aval, out) in enumerate(zip(out_avals, results)):
                out = text.entry_of(self.arrays, out) if arrays[k] else self.scalar(out, aval)
                self.call("i32", "PyList_SetItem", f"ptr {result}", f"i64 {k}", f"ptr {out}")

        return give

    def through_tables(self, avals, out_avals, arrays):
        """The same in loops over tables: a row has the kind of a value and its lengths."""
        text, count = self.lines, len(out_avals)
        self.memory = self.cell(f"[{len(avals) + count + 1} x ptr]", 16)
        rooms, self.alarm = self.cell(f"[{2 * max(len(avals), count)} x i64]", 16), self.cell("double", 16)
        text.set_entry(self.memory, len(avals) + count, self.alarm)
        taken = self.by_rows("taken", avals, [True] * len(avals),
                          lambda inner, aval, _: inner.looked_at("%x", aval, "%room", "", "%lengths"))
        found = text.op(f"call i64 {taken}(ptr %table, ptr %args, ptr {self.memory}, ptr {rooms}, i64 {len(avals)})",
                        "i64")
        self.unless(self.equal(found, len(avals)), "taken", "slow")

        def make(inner, aval, array):
            if not array:
                inner.lines.emit("store ptr null, ptr %at")
                return "%room"
            made = inner.new(aval.dtype, aval.ndim, "%lengths")
            inner.unless(inner.lines.op(f"icmp ne ptr {made}, null", "i1"), "made", "slow")
            inner.lines.emit(f"store ptr {made}, ptr %at")
            return inner.field(made, DATA, "ptr")

        outs = text.entry_at(self.memory, len(avals))
        made = self.by_rows("made", out_avals, arrays, make)
        found = text.op(f"call i64 {made}(ptr %table, ptr {self.arrays}, ptr {outs}, ptr {rooms}, i64 {count})", "i64")
        self.early.append(f"[{found}, %{text.label}]")
        self.unless(self.equal(found, count), "made", "fail")

        def give(result):
            given = self.by_rows("given", out_avals, arrays,
                                 lambda inner, aval, array: "%x" if array else inner.scalar("%room", aval))
            text.emit(f"call i64 {given}(ptr %table, ptr {self.arrays}, ptr {self.arrays}, ptr {rooms}, i64 {count})")
            self.helper("filled", "ptr %objects, ptr %list", _fill, f"ptr {self.arrays}", f"ptr {result}", count)

        return give

    def by_rows(self, what, avals, arrays, write):
        """The name of a function `(table, values, found, rooms)`: `write` for each kind of a value gives what is found
        for one, null to stop. It returns for how many values it went on."""
        kinds, rank = {}, max([aval.ndim for aval in avals], default=0)
        rows = np.zeros((len(avals), 1 + rank), np.int64)
        for row, aval, array in zip(rows, avals, arrays):
            row[0] = kinds.setdefault((aval.ndim, aval.dtype, aval.weak, array), (len(kinds), aval))[0]
            row[1 : 1 + aval.ndim] = aval.shape

        def one(entry):
            text = entry.lines
            row = text.op(f"mul i64 %k, {rows.shape[1]}", "i64")
            start = self.slots.load(text, self.slots.constant(rows))
            row = text.op(f"getelementptr inbounds i64, ptr {start}, i64 {row}", "ptr")
            room = text.op("mul i64 %k, 2", "i64")
            room = text.op(f"getelementptr inbounds i64, ptr %rooms, i64 {room}", "ptr")
            dims, x = text.op(f"getelementptr inbounds i64, ptr {row}, i64 1", "ptr"), text.entry_of("%values", "%k")
            at = text.entry_at("%values", "%k")
            cases = " ".join([f"i64 {j}, label %kind{j}" for j in range(len(kinds))])
            text.emit(f"switch i64 {entry.load(row, 'i64')}, label %bad [{cases}]")
            found = []
            for (*_, array), (j, aval) in kinds.items():
                name = f"@{what}{j}"
                inner = _Entry(self.printer, self.known, self.slots)
                inner.lines.emit(f"ret ptr {write(inner, aval, array)}")
                self.printer.module.functions[name] = "\n".join([
                    f"define internal ptr {name}(ptr %table, ptr %x, ptr %at, ptr %room, ptr %lengths) noinline {{",
                    "entry:", *inner.cells, *inner.lines.lines, "slow:", "  ret ptr null", "}"])
                text.begin(f"kind{j}")
                out = text.op(f"call ptr {name}(ptr %table, ptr {x}, ptr {at}, ptr {room}, ptr {dims})", "ptr")
                found.append(f"[{out}, %kind{j}]")
                text.emit("br label %join")
            text.begin("join")
            out = text.op(f"phi ptr {', '.join(found)}", "ptr")
            entry.unless(text.op(f"icmp ne ptr {out}, null", "i1"), "good", "bad")
            text.set_entry("%found", "%k", out)

        self.printer.module.functions[f"@{what}"] = _each(
            ObjectText(self.printer.module, self.known, self.slots), what, "ptr %values, ptr %found, ptr %rooms", one)
        return f"@{what}"

    def scalar(self, room, aval):
        return self.call("ptr", "scalar", f"ptr {room}", f"ptr {self.dtype(aval.dtype)}", "ptr null")

    def helper(self, name, parameters, one, x, y, count):
        """Call a loop over tables of objects, which is written once."""
        if f"@{name}" not in self.printer.module.functions:
            inner = ObjectText(self.printer.module, self.known, self.slots)
            self.printer.module.functions[f"@{name}"] = _each(inner, name, parameters, one)
        self.lines.emit(f"call i64 @{name}(ptr %table, {x}, {y}, i64 {count})")

    def endings(self, count):
        """The ends at which the arrays that there are go, at most `count`."""
        text = self.lines
        gone = f"call i64 @release(ptr %table, ptr {self.arrays}, i64"
        for label, ending in (("stop", "ret ptr null"), ("outside", "br label %slow")):
            text.begin(label)
            text.emit(f"{gone} {count})")
            text.emit(ending)
        if self.early:
            text.begin("fail")
            made = text.op(f"phi i64 {', '.join(self.early)}", "i64")
            text.emit(f"{gone} {made})")
            text.emit("ret ptr null")

    def looked_at(self, x, aval, room, k, lengths=None):
        """The address of the elements of an argument; the slow end unless it has this aval, or these lengths."""
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
            one = self.equal(self.dim(dims, axis), n if lengths is None else self.dim(lengths, axis))
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
        made = self.new(aval.dtype, aval.ndim, self.lengths(aval.shape))
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


def _each(entry, name, parameters, one):
    """A function over tables of so many values that returns how many there are, or at which one it went to `bad`."""
    text = entry.lines
    text.emit("br label %head")
    text.begin("head")
    text.lines.append("")  # of the count
    text.emit(f"br i1 {text.op('icmp ult i64 %k, %count', 'i1')}, label %one, label %bad")
    text.begin("one")
    one(entry)
    text.lines.append("  %next = add nuw nsw i64 %k, 1")
    text.emit("br label %head")
    text.lines[text.lines.index("")] = f"  %k = phi i64 [0, %entry], [%next, %{text.label}]"
    return "\n".join([f"define internal i64 @{name}(ptr %table, {parameters}, i64 %count) noinline {{", "entry:",
                      *text.lines, "bad:", "  ret i64 %k", "}"])


def _release(entry):
    """Give up an object: all the ends of an entry call it."""
    entry.call("void", "Py_DecRef", f"ptr {entry.lines.entry_of('%objects', '%k')}")


def _fill(entry):
    entry.call("i32", "PyList_SetItem", "ptr %list", "i64 %k", f"ptr {entry.lines.entry_of('%objects', '%k')}")


def _copy(entry):
    entry.lines.set_entry("%to", "%k", entry.lines.entry_of("%from", "%k"))


def stopped(module, known, slots):
    """A function that says whether a signal raised an exception; Python may be locked by this thread or not."""
    entry = ObjectText(module, known, slots)
    state = entry.call("i32", "PyGILState_Ensure")
    found = entry.call("i32", "PyErr_CheckSignals")
    entry.call("void", "PyGILState_Release", f"i32 {state}")
    stop = entry.lines.op(f"icmp ne i32 {found}, 0", "i1")
    return "\n".join(["define internal i1 @stopped(ptr %table) noinline {", *entry.lines.lines, f"  ret i1 {stop}",
                      "}"])
