"""Collectives of ranks as LLVM text: a call of Python, on arrays of the places that it reads and writes."""

import numpy as np

from .....core.types import Any
from ...loops.kinds import DTYPES
from ...loops.statements import STOPPED
from ...machine.layouts import functions
from .objects import ObjectText

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
