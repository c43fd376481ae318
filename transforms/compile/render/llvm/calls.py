"""Calls as LLVM text: products by NumPy's own BLAS, collectives by Python, and ranges on threads."""

import numpy as np

from .....core.types import Any
from ...loops.nests import given
from ...loops.operations import Name
from ...loops.statements import DTYPES, STOPPED, Place, places, walk
from ...machine.layouts import functions
from .objects import ObjectText
from .simd import STORED, TYPES, number

# Products of matrices as calls of NumPy's own BLAS.

_FLAGS = {"RowMajor": 101, "NoTrans": 111, "Trans": 112}


def print_product(printer, product):
    """A call of gemm or gemv: `out` is row-major, operands lie along rows or columns."""
    text, slots, kind = printer.text, printer.slots, product.x.kind
    name, arguments = product.call()
    name = f"{'d' if kind == 'f64' else 's'}{name}"
    given = [f"i32 {_FLAGS[x]}" if type(x) is str else f"i64 {x}" if type(x) is int else f"ptr {printer.address(x)}"
             if type(x) is Place else f"{TYPES[kind]} {number(x, kind)}" for x in arguments]
    text.emit(f"call void {slots.load(text, slots.place(name, printer.blas[name]))}({', '.join(given)})")


def print_ufunc(printer, call):
    """A call of a ufunc's loop."""
    text, slots, loop = printer.text, printer.slots, call.loop
    places = f"%places{len(printer.frames)}"
    printer.frames.append(f"  {places} = alloca [{len(call.operands)} x ptr]")
    for k, place in enumerate(call.operands):
        text.set_entry(places, k, printer.address(place))
    lengths, steps = [_numbers(printer, values) for values in call.numbers()]
    run, given = [slots.load(text, slots.place(f"{what} of {loop.name} {loop.kind}", address))
                  for what, address in zip(("loop", "data"), loop.addresses)]
    text.emit(f"call void {run}(ptr {places}, ptr {lengths}, ptr {steps}, ptr {given})")


# Collectives of ranks as LLVM text: a call of Python, on arrays of the places that it reads and writes.

ndarray = np.ndarray
_WRITEABLE = 0x400


def print_exchange(printer, statement):
    """Make arrays of the places, call, and leave the function where that raises."""
    text = printer.text
    entry = ObjectText(printer.module, functions(), printer.slots)
    entry.lines = text
    head, end = printer.labels("e")
    state = entry.call("i32", "PyGILState_Ensure")  # the entry let other threads run
    arrays: list[Any] = []
    failed: Any = None
    for place in statement.places():
        dtype, flags = DTYPES[place.kind], _WRITEABLE * (len(arrays) >= len(statement.inputs))
        dims = _numbers(printer, place.shape)
        strides = _numbers(printer, [n * dtype.itemsize for n in place.strides])
        at = entry.dtype(dtype)
        entry.call("void", "Py_IncRef", f"ptr {at}")
        arrays.append(entry.call(
            "ptr", "new", f"ptr {entry.stored('ndarray', ndarray)}", f"ptr {at}", f"i32 {len(place.shape)}",
            f"ptr {dims}", f"ptr {strides}", f"ptr {printer.address(place)}", f"i32 {flags}", "ptr null"))
    given = f"%{head}_given"
    printer.frames.append(f"  {given} = alloca [{len(arrays)} x ptr]")
    for k, array in enumerate(arrays):
        text.set_entry(given, k, array)
        one = text.op(f"icmp eq ptr {array}, null", "i1")
        failed = text.op(f"or i1 {failed}, {one}", "i1") if k else one
    before = text.label
    text.emit(f"br i1 {failed}, label %{head}_done, label %{head}")
    text.begin(head)
    function = entry.stored(f"collective {head}", statement.call)
    result = entry.call("ptr", "PyObject_Vectorcall", f"ptr {function}", f"ptr {given}", f"i64 {len(arrays)}",
                        "ptr null")
    text.emit(f"br label %{head}_done")
    text.begin(f"{head}_done")
    result = text.op(f"phi ptr [null, %{before}], [{result}, %{head}]", "ptr")
    for array in (*arrays, result):
        entry.call("void", "Py_DecRef", f"ptr {array}")
    entry.call("void", "PyGILState_Release", f"i32 {state}")
    raised = text.op(f"icmp eq ptr {result}, null", "i1")
    text.emit(f"br i1 {raised}, label %{head}_raised, label %{end}")
    text.begin(f"{head}_raised")
    printer.leave(STOPPED)  # the exception is set: the caller raises it
    text.begin(end)


def _numbers(printer, values):
    """The address of a few integers."""
    found = f"%numbers{len(printer.frames)}"
    printer.frames.append(f"  {found} = alloca [{max(len(values), 1)} x i64]")
    printer.text.set_numbers(found, values)
    return found


# Ranges as LLVM text: a function of one range, which a loop calls, or threads that end before the caller goes on.


def print_ranges(printer, ranges):
    """Write the turns of `ranges` on the threads that there are."""
    if printer.threads < 2:
        def body(i):
            printer.names[ranges.counter] = i
            printer.inside(ranges.body)

        printer.counted(ranges.count, body)
        return
    pointers = [*printer.pointers, "%scratch", *dict.fromkeys(
        [printer.base(p.memory) for s in walk(ranges.body) for p in places(s)
         if p.memory.role in ("cell", "constant")])]
    values = given(ranges.body)
    label, _ = printer.labels("r")
    frame = f"%{label}"
    printer.frames.append(f"  {frame} = alloca [{len(pointers) + len(values)} x i64], align 16")
    for k, pointer in enumerate(pointers):
        _store(printer.text, frame, k, "ptr", pointer)
    for k, value in enumerate(values, len(pointers)):
        name = printer.scalar(value)
        if value.kind == "b8":
            name = printer.text.op(f"zext i1 {name} to i8", "i8")
        _store(printer.text, frame, k, STORED[value.kind], name)

    def write():
        inside, names = printer.text, printer.names
        for k, pointer in enumerate(pointers):
            inside.lines.append(f"  {pointer} = load ptr, ptr {inside.entry_at('%given', k)}")
        for k, value in enumerate(values, len(pointers)):
            stored = STORED[value.kind]
            found = inside.op(f"load {stored}, ptr {inside.entry_at('%given', k)}", stored)
            names[value] = inside.op(f"trunc i8 {found} to i1", "i1") if value.kind == "b8" else found
        printer.block(ranges.body)

    lines = printer.function({ranges.counter: Name("%range", "i64")}, write)
    functions = printer.module.functions
    functions[f"@{label}"] = "\n".join([f"define internal void @{label}(ptr %given, i64 %range) {{", "entry:", *lines,
                                        "  ret void", "}"])
    functions["@turns"], functions["@shared"] = _turns(printer.threads), _shared(printer.threads)
    for line in ("declare i32 @pthread_create(ptr, ptr, ptr, ptr)", "declare i32 @pthread_join(i64, ptr)"):
        printer.module.declare(line)
    printer.text.emit(f"call void @shared(ptr @{label}, ptr {frame}, i64 {ranges.count})")


def _store(text, frame, k, kind, name):
    text.emit(f"store {kind} {name}, ptr {text.entry_at(frame, k)}")


def _turns(threads):
    """The work of a thread: every so many-th range from a first one on, as (function, argument, first, count)."""
    fields = [f"  %at{k} = getelementptr inbounds i64, ptr %job, i64 {k}\n  {name} = load {kind}, ptr %at{k}"
              for k, (name, kind) in enumerate((("%run", "ptr"), ("%given", "ptr"), ("%first", "i64"),
                                                ("%count", "i64")))]
    return "\n".join([
        "define internal ptr @turns(ptr %job) {", "entry:", *fields, "  br label %head", "head:",
        "  %range = phi i64 [%first, %entry], [%next, %body]", "  %more = icmp ult i64 %range, %count",
        "  br i1 %more, label %body, label %end", "body:", "  call void %run(ptr %given, i64 %range)",
        f"  %next = add i64 %range, {threads}", "  br label %head", "end:", "  ret ptr null", "}"])


def _shared(threads):
    """Ranges on threads made for them; where the system has none left, the caller runs their part."""
    lines = ["define internal void @shared(ptr %run, ptr %given, i64 %count) {", "entry:",
             f"  %jobs = alloca [{4 * threads} x i64], align 16", f"  %ids = alloca [{threads} x i64], align 16"]
    for t in range(threads):
        for k, (kind, name) in enumerate((("ptr", "%run"), ("ptr", "%given"), ("i64", str(t)), ("i64", "%count"))):
            lines.append(f"  %job{t}.{k} = getelementptr inbounds i64, ptr %jobs, i64 {4 * t + k}\n"
                         f"  store {kind} {name}, ptr %job{t}.{k}")
    for t in range(1, threads):
        lines.append(f"  %id{t} = getelementptr inbounds i64, ptr %ids, i64 {t}\n  %code{t} = call i32 "
                     f"@pthread_create(ptr %id{t}, ptr null, ptr @turns, ptr %job{t}.0)")
    lines.append("  %mine = call ptr @turns(ptr %job0.0)")
    for t in range(1, threads):
        lines.append(f"  %made{t} = icmp eq i32 %code{t}, 0\n  br i1 %made{t}, label %join{t}, label %run{t}\n"
                     f"join{t}:\n  %thread{t} = load i64, ptr %id{t}\n"
                     f"  %joined{t} = call i32 @pthread_join(i64 %thread{t}, ptr null)\n  br label %next{t}\n"
                     f"run{t}:\n  %own{t} = call ptr @turns(ptr %job{t}.0)\n  br label %next{t}\nnext{t}:")
    return "\n".join([*lines, "  ret void", "}"])
