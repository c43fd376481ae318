"""Ranges as LLVM text: a function of one range, which a loop calls, or threads that end before the caller goes on."""

from ...loops.nests import given
from ...loops.statements import places, walk
from .simd import STORED, Name, Text


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
    inside = Text(printer.module)
    names = {}
    for k, pointer in enumerate(pointers):
        _store(printer.text, frame, k, "ptr", pointer)
        inside.lines.append(f"  {pointer} = load ptr, ptr {inside.entry_at('%given', k)}")
    for k, value in enumerate(values, len(pointers)):
        name, stored = printer.scalar(value), STORED[value.kind]
        if value.kind == "b8":
            name = printer.text.op(f"zext i1 {name} to i8", "i8")
        _store(printer.text, frame, k, stored, name)
        found = inside.op(f"load {stored}, ptr {inside.entry_at('%given', k)}", stored)
        names[value] = inside.op(f"trunc i8 {found} to i1", "i1") if value.kind == "b8" else found
    outer = printer.text, printer.names, printer.packed
    printer.text, printer.names, printer.packed = inside, names, {}
    names[ranges.counter] = Name("%range", "i64")
    printer.block(ranges.body)
    printer.text, printer.names, printer.packed = outer
    functions = printer.module.functions
    functions[f"@{label}"] = "\n".join([f"define internal void @{label}(ptr %given, i64 %range) {{", "entry:",
                                        *inside.lines, "  ret void", "}"])
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
