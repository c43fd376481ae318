"""The entry of native code: the text of a C function that Python calls, which looks at what it is given."""

import numpy as np

from ...loops.statements import OUTSIDE, STOPPED
from ...machine.layouts import DATA, DIMS, TYPE, VALUE
from .objects import LINE, ObjectText
from .simd import UFUNC, Text

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
        known, slots: `{name: address}` of functions of Python and NumPy; the `Slots` of the module.
        handler, heard: what is called where the guards fail, and where a result is not finite (`call/callable.py`).
        boxed: for each result, whether a scalar is to be a 0-d array.
    """
    _loop(ObjectText(printer.module, known, slots), "release", "ptr %objects", lambda entry: entry.call(
        "void", "Py_DecRef", f"ptr {entry.lines.entry_of('%objects', '%k')}"))
    return _Entry(printer, known, slots).call_of(avals, out_avals, handler, heard, boxed)


class _Entry(ObjectText):
    """Writes the entry; where values are many, loops over tables take and make them: LLVM is slow with long text."""

    def __init__(self, printer, known, slots):
        super().__init__(printer.module, known, slots)
        self.printer = printer
        self.early = []  # how many results there are where the next one fails, as cases of a phi

    def call_of(self, avals, out_avals, handler, heard, boxed):
        text, kernel, n, count = self.lines, self.printer.kernel, len(avals), len(out_avals)
        arrays = [bool(aval.shape or boxed and boxed[k]) for k, aval in enumerate(out_avals)]
        self.arrays = self.cell(f"[{max(count, 1)} x ptr]", 16)
        memory = self.cell(f"[{n + count + 1} x ptr]", 16) if self.printer.many else self.arrays
        rooms, alarm = self.cell(f"[{2 * (n + count) + 1} x ptr]", 16), self.cell("double", 16)
        self.look_at_state(n, "slow")
        taken = self.each("taken", avals, [True] * n, "%args", memory, rooms)
        outs = text.entry_at(memory, n) if self.printer.many else memory
        given = [*taken, *self.each("made", out_avals, arrays, self.arrays, outs, text.entry_at(rooms, 2 * n)), alarm]
        if self.printer.many:
            text.set_entry(memory, n + count, alarm)
            given = [memory]
        lent, scratch = self.lent(kernel.scratch + LINE, "stop") if kernel.scratch > _ON_STACK else (
            None, self.cell(f"[{max(kernel.scratch, 1)} x i8]"))
        thread = self.call("ptr", "PyEval_SaveThread") if kernel.work > _RELEASED else None
        text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*given, scratch, "%table")]) + ")")
        for name, held in (("PyEval_RestoreThread", thread), ("PyMem_RawFree", lent)):
            if held is not None:
                self.call("void", name, f"ptr {held}")
        if any(name.startswith(UFUNC) for name in text.module.needed):  # as SciPy's raise under its `errstate`
            self.unless(text.op(f"icmp eq ptr {self.call('ptr', 'PyErr_Occurred')}, null", "i1"), "ran", "stop")
        found = self.load(alarm, "double")
        self.unless(text.op(f"fcmp une double {found}, {STOPPED}", "i1"), "inside", "stop")
        self.unless(text.op(f"fcmp une double {found}, {OUTSIDE}", "i1"), "done", "outside")
        result = self.call("ptr", "PyList_New", f"i64 {count}")
        self.each("given", out_avals, arrays, self.arrays, result, text.entry_at(rooms, 2 * n))
        self.unless(text.op(f"fcmp oeq double {found}, 0.0", "i1"), "return", "alarm")
        text.emit(f"ret ptr {result}")
        text.begin("alarm")
        given = self.cell(f"[{n + 1} x ptr]", 16)
        text.set_entry(given, 0, result)
        self.lines.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        text.emit(f"call void @llvm.memcpy.p0.p0.i64(ptr {text.entry_at(given, 1)}, ptr %args, i64 {8 * n}, i1 false)")
        found = self.call("ptr", "PyObject_Vectorcall", f"ptr {self.stored('heard', heard)}", f"ptr {given}",
                          f"i64 {n + 1}", "ptr null")
        self.call("void", "Py_DecRef", f"ptr {result}")
        text.emit(f"ret ptr {found}")
        self.slow(handler)
        for label, ending in (("stop", "ret ptr null"), ("outside", "br label %slow"), ("fail", "ret ptr null")):
            if label != "fail" or self.early:
                text.begin(label)
                made = count if label != "fail" else text.op(f"phi i64 {', '.join(self.early)}", "i64")
                text.emit(f"call i64 @release(ptr %table, ptr {self.arrays}, i64 {made})")
                text.emit(ending)
        return self.written(" noinline" * self.printer.many)

    def each(self, what, avals, arrays, values, found, rooms):
        """Apply a method to each of some values, one after the other, or in a loop that writes results to `found`."""
        write, text, kinds = getattr(_Entry, what), self.lines, {}
        if not self.printer.many:
            return [write(self, aval, array, (text.entry_of(values, k), text.entry_at(values, k), text.entry_at(
                rooms, 2 * k), None, found), k) for k, (aval, array) in enumerate(zip(avals, arrays))]
        rows = np.zeros((len(avals), 1 + max([aval.ndim for aval in avals], default=0)), np.int64)  # kinds and lengths
        for row, aval, array in zip(rows, avals, arrays):
            row[0] = kinds.setdefault((aval.ndim, aval.dtype, aval.weak, array), (len(kinds), aval))[0]
            row[1 : 1 + aval.ndim] = aval.shape

        def one(entry):
            text, cases = entry.lines, []
            start = self.slots.load(text, self.slots.constant(rows))
            row = text.op(f"mul i64 %k, {rows.shape[1]}", "i64")
            row = text.op(f"getelementptr i64, ptr {start}, i64 {row}", "ptr")
            given = (text.entry_of("%values", "%k"), text.entry_at("%values", "%k"), text.entry_at(
                "%rooms", text.op("mul i64 %k, 2", "i64")), text.op(f"getelementptr i64, ptr {row}, i64 1", "ptr"))
            text.emit(f"switch i64 {entry.load(row, 'i64')}, label %bad [" + " ".join(
                [f"i64 {j}, label %kind{j}" for j in range(len(kinds))]) + "]")
            for (*_, array), (j, aval) in kinds.items():
                inner = _Entry(self.printer, self.known, self.slots)
                inner.lines.emit(f"ret ptr {write(inner, aval, array, ('%x', '%at', '%room', '%lengths', None), '')}")
                self.lines.module.functions[f"@{what}{j}"] = "\n".join([
                    f"define internal ptr @{what}{j}(ptr %table, ptr %x, ptr %at, ptr %room, ptr %lengths) noinline {{",
                    "entry:", *inner.cells, *inner.lines.lines, "slow:", "  ret ptr null", "}"])
                text.begin(f"kind{j}")
                given_here = ", ".join([f"ptr {p}" for p in given])
                cases.append(f"[{text.op(f'call ptr @{what}{j}(ptr %table, {given_here})', 'ptr')}, %kind{j}]")
                text.emit("br label %join")
            text.begin("join")
            out = text.op(f"phi ptr {', '.join(cases)}", "ptr")
            entry.unless(text.op(f"icmp ne ptr {out}, null", "i1"), "good", "bad")
            if what == "given":
                entry.call("i32", "PyList_SetItem", "ptr %found", "i64 %k", f"ptr {out}")
            else:
                text.set_entry("%found", "%k", out)

        _loop(ObjectText(self.lines.module, self.known, self.slots), what, "ptr %values, ptr %found, ptr %rooms", one)
        done = text.op(f"call i64 @{what}(ptr %table, ptr {values}, ptr {found}, ptr {rooms}, i64 {len(avals)})", "i64")
        if what != "given":
            self.early += [f"[{done}, %{text.label}]"] * (what == "made")
            self.unless(self.equal(done, len(avals)), what, "slow" if what == "taken" else "fail")
        return []

    def taken(self, aval, array, at, k):
        """The address of the elements of an argument; the slow end unless it has this aval, or these lengths."""
        return self.looked_at(at[0], aval, at[2], k, at[3])

    def made(self, aval, array, at, k):
        """The address of the elements of a result; a new array, if it is one, goes to its place among them."""
        _, place, room, lengths, _ = at
        new = self.new(aval.dtype, aval.ndim, lengths or self.lengths(aval.shape)) if array else "null"
        self.lines.emit(f"store ptr {new}, ptr {place}")
        if not array:
            return room
        self.early += [f"[{k}, %{self.lines.label}]"] * (k != "")
        self.unless(self.lines.op(f"icmp ne ptr {new}, null", "i1"), f"out{k}", "slow" if k == "" else "fail")
        return self.field(new, DATA, "ptr")

    def given(self, aval, array, at, k):
        """A result as an object; a list has it at once, where there is one."""
        x, _, room, _, found = at
        out = x if array else self.call("ptr", "scalar", f"ptr {room}", f"ptr {self.dtype(aval.dtype)}", "ptr null")
        if found is not None:
            self.call("i32", "PyList_SetItem", f"ptr {found}", f"i64 {k}", f"ptr {out}")
        return out

    def looked_at(self, x, aval, room, k, lengths=None):
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
        dims = self.field(x, DIMS, "ptr")
        for axis, n in enumerate(aval.shape):
            found = self.equal(self.dim(dims, axis), n if lengths is None else self.dim(lengths, axis))
            self.unless(found, f"axis{k}_{axis}", "slow")
        return self.field(x, DATA, "ptr")

    def number(self, x, kind, aval, room, k):
        """The address of a Python number's value, in a room of its own where it is no float."""
        python = {"f": float, "i": int, "b": bool}[aval.dtype.kind]
        self.unless(self.equal(kind, self.stored(python.__name__, python), "ptr"), f"number{k}", "slow")
        if python is float:
            return self.lines.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
        found = f"i64 {self.whole(x, f'fits{k}', 'slow')}" if python is int else "i8 " + self.lines.op(
            f"zext i1 {self.equal(x, self.stored('True', True), 'ptr')} to i8", "i8")
        self.lines.emit(f"store {found}, ptr {room}")
        return room


def _loop(entry, name, parameters, one):
    """Write a function over tables of so many values that returns how many there are, or at which it went to `bad`."""
    text = entry.lines
    text.lines.append("")  # of the count
    text.emit(f"br i1 {text.op('icmp ult i64 %k, %count', 'i1')}, label %one, label %bad")
    text.begin("one")
    one(entry)
    text.lines[0] = f"  br label %head\nhead:\n  %k = phi i64 [0, %entry], [%next, %{text.label}]"
    text.module.functions[f"@{name}"] = "\n".join([
        f"define internal i64 @{name}(ptr %table, {parameters}, i64 %count) noinline {{", "entry:", *text.lines,
        "  %next = add nuw nsw i64 %k, 1", "  br label %head", "bad:", "  ret i64 %k", "}"])


def stopped(module, known, slots):
    """A function that says whether a signal raised an exception; Python may be locked by this thread or not."""
    entry = ObjectText(module, known, slots)
    state = entry.call("i32", "PyGILState_Ensure")
    found = entry.call("i32", "PyErr_CheckSignals")
    entry.call("void", "PyGILState_Release", f"i32 {state}")
    entry.lines.emit(f"ret i1 {entry.lines.op(f'icmp ne i32 {found}, 0', 'i1')}")
    return "\n".join(["define internal i1 @stopped(ptr %table) noinline {", *entry.lines.lines, "}"])
