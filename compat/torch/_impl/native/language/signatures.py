"""What the functions of Python and NumPy that native code calls take and give: names by kinds.

Kinds of parameters: `object` (borrowed), `taken`, `int`, `int32`, `bool`, `words`, `cells`, `raw` (an address).
Kinds of results: `new` (null where it raises), `maybe` (null without an exception), `borrowed` (the same), `int`,
`bool`, `done` (false where it raises), `status` (other than 0 where it raises), `truth` (negative where it raises),
`nothing`.
"""

from typing import NamedTuple

LLVM = {"object": "ptr", "taken": "ptr", "int": "i64", "int32": "i32", "bool": "i1", "words": "ptr", "cells": "ptr",
        "raw": "ptr", "new": "ptr", "maybe": "ptr", "borrowed": "ptr", "done": "i1", "status": "i32", "truth": "i32",
        "nothing": "void"}


class Signature(NamedTuple):
    """The kinds of a function's parameters, and of its result."""

    parameters: tuple[str, ...]
    result: str


def signature(text):
    """The `Signature` that a text like `"object int -> new"` says."""
    given, result = text.split("->")
    return Signature(tuple(given.split()), result.strip())


FOREIGN = {name: signature(text) for name, text in {
    "PyDict_GetItemWithError": "object object -> borrowed",
    "PyDict_Next": "object words cells cells -> truth",
    "PyDict_SetItem": "object object object -> status",
    "PyDict_Size": "object -> int",
    "PyErr_Clear": "-> nothing",
    "PyErr_Occurred": "-> borrowed",
    "PyBytes_FromStringAndSize": "raw int -> new",
    "PyList_Append": "object object -> status",
    "PyList_AsTuple": "object -> new",
    "PyList_GetItem": "object int -> borrowed",
    "PyList_SetItem": "object int taken -> status",
    "PyList_Size": "object -> int",
    "PyLong_AsLongLongAndOverflow": "object words -> int",
    "PyLong_AsSsize_t": "object -> int",
    "PyLong_FromSsize_t": "int -> new",
    "PyLong_FromVoidPtr": "object -> new",
    "PyObject_GetItem": "object object -> new",
    "PyObject_SetItem": "object object object -> status",
    "PySequence_DelItem": "object int -> status",
    "PySequence_Concat": "object object -> new",
    "PySet_Add": "object object -> status",
    "PySet_Contains": "object object -> truth",
    "PyTuple_GetItem": "object int -> borrowed",
    "PyTuple_New": "int -> new",
    "PyTuple_SetItem": "object int taken -> status",
    "PyTuple_Size": "object -> int",
    "PyType_GenericAlloc": "object int -> new",
    "PyObject_Vectorcall": "object cells int object -> new",
    "PyUnicode_AsUTF8AndSize": "object words -> borrowed",
    "new": "object taken int32 words words raw int32 object -> new",
}.items()}
NATIVE = {name: signature(text) for name, text in {  # small_text.py has them: they take the table first
    "array_one": "object object -> maybe",
    "array_two": "object object object -> maybe",
}.items()}
RESULTS = {"Object": "new", "Maybe": "maybe", "Borrowed": "borrowed", "Int": "int", "Bool": "bool", "Done": "done",
           "Words": "words", "Cells": "cells", "None": "nothing"}
PARAMETERS = {"Object": "object", "Taken": "taken", "Int": "int", "Bool": "bool", "Words": "words", "Cells": "cells"}
