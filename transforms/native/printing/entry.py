"""The entry of native code: the text of a C function that Python calls, which looks at what it is given."""

import numpy as np

from ..ir.kinds import dtype_of
from ..ir.lanes import Text
from ..ir.statements import OUTSIDE, STOPPED
from ..machine.error_states import DEFAULT, STATE, VARIABLE
from ..machine.layouts import DATA, DESCR, DIMS, FLAGS, NDIM, READY, TYPE, VALUE

ndarray = np.ndarray
_ON_STACK = 1 << 14  # bytes of scratch memory that lie on the stack
_RELEASED = 2e5  # operations above which other threads may run


def plain_entry(kernel):
    """A function over pointers."""
    names = [*[f"%in{m.index}" for m in kernel.inputs], *[f"%out{m.index}" for m in kernel.outputs], "%scratch",
             "%table"]
    given = ", ".join([f"ptr {name}" for name in names])
    return f"define void @call({given}) {{\n  call void @work({given})\n  ret void\n}}"


def entry(module, kernel, avals, out_avals, known, slots, handler, heard, boxed=()):
    """The C function `call(self, args, count)`, where `self` is the table.

    Args:
        known: `{name: address}` of functions of Python and NumPy.
        slots: the `Slots` of the module.
        handler, heard, boxed: see `function.py`.
    """
    text = Text(module)

    def stored(name, found):
        """An address of the table: that of an object, or the given one."""
        return slots.load(text, slots.place(name, found if type(found) is int else id(found), found))

    def field(x, offset, kind):
        at = text.op(f"getelementptr inbounds i8, ptr {x}, i64 {offset}", "ptr")
        return text.op(f"load {kind}, ptr {at}", kind)

    def unless(test, label):
        text.emit(f"br i1 {test}, label %{label}, label %slow")
        text.begin(label)

    def call(kind, name, *args):
        given = f"call {kind} {stored(name, known[name])}({', '.join(args)})"
        return text.emit(given) if kind == "void" else text.op(given, kind)

    cells, sources = [], []

    def cell(kind):
        cells.append(f"  %cell{len(cells)} = alloca {kind}, align 16")
        return f"%cell{len(cells) - 1}"

    unless(follows(text, cell("ptr"), stored, call, slots), "followed")
    unless(text.op(f"icmp eq i64 %count, {len(avals)}", "i1"), "given")
    for k, aval in enumerate(avals):
        at = text.op(f"getelementptr inbounds ptr, ptr %args, i64 {k}", "ptr")
        x = text.op(f"load ptr, ptr {at}", "ptr")
        kind = field(x, TYPE, "ptr")
        if aval.weak:
            sources.append(_number(text, x, kind, aval, k, cell, unless, call, stored))
            continue
        array = text.op(f"icmp eq ptr {kind}, {stored('ndarray', ndarray)}", "i1")
        if not aval.shape:
            text.emit(f"br i1 {array}, label %array{k}, label %scalar{k}")
            text.begin(f"scalar{k}")
            number = aval.dtype.type
            scalar = text.op(f"icmp eq ptr {kind}, {stored(number.__name__, number)}", "i1")
            held = text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
            text.emit(f"br i1 {scalar}, label %have{k}, label %slow")
            text.begin(f"array{k}")
        else:
            unless(array, f"array{k}")
        tests = [f"icmp eq i32 {field(x, NDIM, 'i32')}, {aval.ndim}",
                 f"icmp eq ptr {field(x, DESCR, 'ptr')}, {stored(f'dtype {aval.dtype}', dtype_of(aval))}"]
        flags = text.op(f"and i32 {field(x, FLAGS, 'i32')}, {READY}", "i32")
        tests.append(f"icmp eq i32 {flags}, {READY}")
        good = None
        for test in tests:
            one = text.op(test, "i1")
            good = one if good is None else text.op(f"and i1 {good}, {one}", "i1")
        unless(good, f"dims{k}")
        if aval.shape:
            dims = field(x, DIMS, "ptr")
            good = None
            for axis, n in enumerate(aval.shape):
                one = text.op(f"icmp eq i64 {field(dims, 8 * axis, 'i64')}, {n}", "i1")
                good = one if good is None else text.op(f"and i1 {good}, {one}", "i1")
            unless(good, f"have{k}")
            sources.append(field(x, DATA, "ptr"))
        else:
            data = field(x, DATA, "ptr")
            text.emit(f"br label %have{k}")
            text.begin(f"have{k}")
            sources.append(text.op(f"phi ptr [{held}, %scalar{k}], [{data}, %dims{k}]", "ptr"))
    targets, arrays = [], []
    for k, aval in enumerate(out_avals):
        if not aval.shape and not (boxed and boxed[k]):
            targets.append(cell("[16 x i8]"))
            arrays.append(None)
            continue
        dims = cell(f"[{aval.ndim} x i64]")
        for axis, n in enumerate(aval.shape):
            at = text.op(f"getelementptr inbounds i64, ptr {dims}, i64 {axis}", "ptr")
            text.emit(f"store i64 {n}, ptr {at}")
        dtype = stored(f"dtype {aval.dtype}", dtype_of(aval))
        call("void", "Py_IncRef", f"ptr {dtype}")
        out = call("ptr", "new", f"ptr {stored('ndarray', ndarray)}", f"ptr {dtype}", f"i32 {aval.ndim}", f"ptr {dims}",
                   "ptr null", "ptr null", "i32 0", "ptr null")
        arrays.append(out)
        failed = text.op(f"icmp eq ptr {out}, null", "i1")
        text.emit(f"br i1 {failed}, label %fail{k}, label %out{k}")
        text.begin(f"out{k}")
        targets.append(field(out, DATA, "ptr"))
    alarm = cell("double")
    targets.append(alarm)
    large = kernel.scratch > _ON_STACK
    if large:
        memory = call("ptr", "PyMem_RawMalloc", f"i64 {kernel.scratch + 64}")
        failed = text.op(f"icmp eq ptr {memory}, null", "i1")
        text.emit(f"br i1 {failed}, label %fail, label %ready")
        text.begin("ready")
        number = text.op(f"ptrtoint ptr {memory} to i64", "i64")
        number = text.op(f"add i64 {number}, 63", "i64")
        number = text.op(f"and i64 {number}, -64", "i64")
        scratch = text.op(f"inttoptr i64 {number} to ptr", "ptr")
    else:
        cells.append(f"  %scratch = alloca [{max(kernel.scratch, 1)} x i8], align 64")
        scratch = "%scratch"
    thread = call("ptr", "PyEval_SaveThread") if kernel.work > _RELEASED else None
    text.emit("call void @work(" + ", ".join([f"ptr {p}" for p in (*sources, *targets, scratch, "%table")]) + ")")
    if thread is not None:
        call("void", "PyEval_RestoreThread", f"ptr {thread}")
    if large:
        call("void", "PyMem_RawFree", f"ptr {memory}")
    found = text.op(f"load double, ptr {alarm}", "double")
    ended = text.op(f"fcmp oeq double {found}, {STOPPED}", "i1")
    text.emit(f"br i1 {ended}, label %stop, label %inside")
    text.begin("inside")
    outside = text.op(f"fcmp oeq double {found}, {OUTSIDE}", "i1")
    text.emit(f"br i1 {outside}, label %outside, label %done")
    for label, ending in (("stop", "ret ptr null"), ("outside", "br label %slow")):
        text.begin(label)
        for out in arrays:
            if out is not None:
                call("void", "Py_DecRef", f"ptr {out}")
        text.emit(ending)
    text.begin("done")
    result = call("ptr", "PyList_New", f"i64 {len(out_avals)}")
    for k, (aval, out, target) in enumerate(zip(out_avals, arrays, targets)):
        if out is None:
            dtype = stored(f"dtype {aval.dtype}", dtype_of(aval))
            out = call("ptr", "scalar", f"ptr {target}", f"ptr {dtype}", "ptr null")
        call("i32", "PyList_SetItem", f"ptr {result}", f"i64 {k}", f"ptr {out}")
    calm = text.op(f"fcmp oeq double {found}, 0.0", "i1")
    text.emit(f"br i1 {calm}, label %return, label %alarm")
    text.begin("return")
    text.emit(f"ret ptr {result}")
    text.begin("alarm")
    given = cell(f"[{len(avals) + 1} x ptr]")
    text.emit(f"store ptr {result}, ptr {given}")
    for k in range(len(avals)):
        source, target = [text.op(f"getelementptr inbounds ptr, ptr {where}, i64 {at}", "ptr")
                          for where, at in (("%args", k), (given, k + 1))]
        x = text.op(f"load ptr, ptr {source}", "ptr")
        text.emit(f"store ptr {x}, ptr {target}")
    found = call("ptr", "PyObject_Vectorcall", f"ptr {stored('heard', heard)}", f"ptr {given}", f"i64 {len(avals) + 1}",
                 "ptr null")
    call("void", "Py_DecRef", f"ptr {result}")
    text.emit(f"ret ptr {found}")
    text.begin("slow")
    found = call("ptr", "PyObject_Vectorcall", f"ptr {stored('handler', handler)}", "ptr %args", "i64 %count",
                 "ptr null")
    text.emit(f"ret ptr {found}")
    made = [(k, out) for k, out in enumerate(arrays) if out is not None]
    for at, (k, _) in enumerate(made):
        text.begin(f"fail{k}")
        for _, out in made[:at]:
            call("void", "Py_DecRef", f"ptr {out}")
        text.emit("ret ptr null")
    if large:
        text.begin("fail")
        for _, out in made:
            call("void", "Py_DecRef", f"ptr {out}")
        nothing = call("ptr", "PyErr_NoMemory")
        text.emit(f"ret ptr {nothing}")
    return "\n".join([
        "define ptr @call(ptr %self, ptr %args, i64 %count) {", "entry:", *cells,
        f"  %data = getelementptr inbounds i8, ptr %self, i64 {DATA}", "  %table = load ptr, ptr %data", *text.lines,
        "}"])


def follows(text, cell, stored, call, slots):
    """The text that tells whether NumPy's error state is its own or the one whose address the table has.

    Args:
        cell: the name of memory for a pointer.
        stored, call: write an address of the table, and a call of one of its functions.
    """
    call("i32", "PyContextVar_Get", f"ptr {stored('error state', VARIABLE)}", "ptr null", f"ptr {cell}")
    now = text.op(f"load ptr, ptr {cell}", "ptr")
    call("void", "Py_DecRef", f"ptr {now}")
    usual = text.op(f"icmp eq ptr {now}, {stored('default error state', DEFAULT)}", "i1")
    other = text.op(f"icmp eq ptr {now}, {slots.load(text, slots.place(STATE, 0))}", "i1")
    return text.op(f"or i1 {usual}, {other}", "i1")


def stopped(module, known, slots):
    """A function that says whether a signal raised an exception; Python may be locked by this thread or not."""
    text = Text(module)

    def call(kind, name, *args):
        given = f"call {kind} {slots.load(text, slots.place(name, known[name]))}({', '.join(args)})"
        return text.emit(given) if kind == "void" else text.op(given, kind)

    state = call("i32", "PyGILState_Ensure")
    found = call("i32", "PyErr_CheckSignals")
    call("void", "PyGILState_Release", f"i32 {state}")
    stop = text.op(f"icmp ne i32 {found}, 0", "i1")
    return "\n".join(["define internal i1 @stopped(ptr %table) noinline {", *text.lines, f"  ret i1 {stop}", "}"])


def _number(text, x, kind, aval, k, cell, unless, call, stored):
    """The address of a Python number's value."""
    python = {"f": float, "i": int, "b": bool}[aval.dtype.kind]
    unless(text.op(f"icmp eq ptr {kind}, {stored(python.__name__, python)}", "i1"), f"number{k}")
    if python is float:
        return text.op(f"getelementptr inbounds i8, ptr {x}, i64 {VALUE}", "ptr")
    target = cell("i64")
    if python is bool:
        true = text.op(f"icmp eq ptr {x}, {stored('True', True)}", "i1")
        byte = text.op(f"zext i1 {true} to i8", "i8")
        text.emit(f"store i8 {byte}, ptr {target}")
        return target
    over = cell("i32")
    found = call("i64", "PyLong_AsLongLongAndOverflow", f"ptr {x}", f"ptr {over}")
    flag = text.op(f"load i32, ptr {over}", "i32")
    text.emit(f"store i64 {found}, ptr {target}")
    unless(text.op(f"icmp eq i32 {flag}, 0", "i1"), f"fits{k}")
    return target


