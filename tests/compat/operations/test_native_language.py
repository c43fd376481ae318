"""The language of native functions: what is written in it, and that it keeps no reference and loses none."""

import gc
import importlib
import re
import sys
import textwrap
from pathlib import Path

import pytest

from covector.compat.torch._impl.native import sources
from covector.compat.torch._impl.native.language import translator
from covector.compat.torch._impl.native.things import HELD, STRINGS
from covector.transforms.compile.call.small_ufuncs import small_functions
from covector.transforms.compile.machine import layouts
from covector.transforms.compile.machine.engine import SUPPORTED

KNOWN = ("Py_DecRef", "Py_IncRef", "PyErr_Clear", "PyObject_Vectorcall", "PyObject_VectorcallMethod",
         "PyObject_GetAttr", "PyObject_SetAttr", "PyObject_GetItem", "PyTuple_New", "PyTuple_SetItem", "PyTuple_Size",
         "PyTuple_GetItem", "PyLong_FromSsize_t", "PyLong_AsSsize_t", "PyDict_GetItemWithError")
FIELDS = {"type": (layouts.TYPE, "object"), "data": (layouts.DATA, "object")}


class Thing:
    """An object with attributes that programs set."""

    def append(self, *others):
        return (self, *others)

    def dot(self, other):
        raise ValueError("so it is")


def text(source, behind=()):
    return translator.module({"source": textwrap.dedent(source)}, sources.places(KNOWN), FIELDS, {"source": behind},
                             ())


def compiled(source, **behind):
    """`{name: function}` of a source's lanes; `behind` are objects that it names."""
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
    small = small_functions() if SUPPORTED else None
    if not small:
        pytest.skip("native functions are for x86-64 Linux")
    written = text(source, tuple(behind))
    known = {**small.known, **{name: id(thing) for name, thing in HELD.items()},
             **{f"'{string}'": id(sys.intern(string)) for string in STRINGS}}
    found = {}
    for name in re.findall(r"^define (?!internal).*?@(\w+)\(", written, re.MULTILINE):
        places = {place: known.get(place, 0) for place in sources.places(KNOWN)} | {
            name: id(thing) for name, thing in behind.items()}
        found[name] = small.function(written, name, places, [behind, HELD])
    return found


def references(run, *things):
    """How many references to things 50 runs leave behind."""
    run()
    gc.collect()
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(50):
        run()
    gc.collect()
    after = [sys.getrefcount(thing) for thing in things]
    return [now - count for now, count in zip(after, before)]


def test_names_attributes_tuples_and_methods():
    x, y = Thing(), Thing()
    run = compiled("""
        @lane
        def both(x, y):
            x.base = y
            found = x.base
            return (found, x.append(y, None), "shape", 3)
    """)["both"]
    found = run(x, y)
    assert found == (y, (x, y, None), "shape", 3)
    assert run(x) is None  # other arguments than it takes
    del found
    assert references(lambda: run(x, y), x, y) == [0, 0]


def test_loops_and_branches_keep_no_reference():
    run = compiled("""
        def doubled(x: Object, n: Int) -> Object:
            out = PyTuple_New(n)
            for k in range(n):
                one = (x, x)
                if k == 1:
                    one = (x,)
                    PyTuple_SetItem(out, k, one)
                    continue
                PyTuple_SetItem(out, k, one)
            return out

        @lane
        def several(x, count):
            n = PyLong_AsSsize_t(count)
            k = 0
            last = None
            while True:
                if k >= n:
                    break
                last = doubled(x, k)
                k += 1
            return last if n > 2 else (x, last)
    """)["several"]
    x = Thing()
    assert run(x, 4) == ((x, x), (x,), (x, x))
    assert run(x, 1) == (x, ())
    assert references(lambda: (run(x, 6), run(x, 2)), x) == [0]


def test_what_raises_is_handed_on_or_declined():
    found = compiled("""
        def tried(x: Object, y: Object) -> Maybe:
            beside = (x, y)
            return x.dot(beside)

        def holds(x: Object) -> Bool:
            return x.dot(x) is x

        @lane
        def raised(x, y):
            beside = (y, x)
            return (beside, x.dot(y))

        @lane
        def declined(x, y):
            got = tried(x, y)
            return "base" if got is NULL else got

        @lane
        def asked(x):
            return "base" if holds(x) else None

        @lane
        def attempted(x):
            got = attempt(x.dot(x))
            return x if got is NULL else got
    """)
    x, y = Thing(), Thing()
    with pytest.raises(ValueError, match="so it is"):
        found["raised"](x, y)
    assert found["declined"](x, y) == "base"
    assert found["asked"](x) is None
    assert found["attempted"](x) is x

    def all_of_them():
        with pytest.raises(ValueError, match="so it is"):
            found["raised"](x, y)
        found["declined"](x, y), found["asked"](x), found["attempted"](x)

    assert references(all_of_them, x, y) == [0, 0]


def test_objects_behind_the_places_and_words():
    kept = {"a": 1}
    run = compiled("""
        AT, MORE = range(2, 4)

        def added(room: Words, n: Int) -> Int:
            total = 0
            for k in range(n):
                total += room[k]
            return total

        @lane
        def found(key, n):
            known = PyDict_GetItemWithError(kept, key)
            if known is NULL:
                return None
            room = words(8)
            for k in range(PyLong_AsSsize_t(n)):
                room[k] = (k << 1) - AT if k != MORE or not (k < 1) and k == 3 else -1
            beside = cells(1)
            beside[0] = known
            return (beside[0], added(room, PyLong_AsSsize_t(n)))
    """, kept=kept)["found"]
    assert run("a", 5) == (1, -2 + 0 + 2 + 4 + 6)
    assert run("b", 5) is None
    assert references(lambda: run("a", 3), kept) == [0]


@pytest.mark.parametrize("line, said", [
    ("return unknown", "nothing is called unknown"),
    ("return x.unknown", "nothing is called 'unknown'"),
    ("return other(x, x)", "other takes 1 arguments"),
    ("if x:\n        return x", "a bool is wanted, and this is object"),
    ("y = x + 1", "an int is wanted, and this is object"),
    ("assert x", "no Assert here"),
    ("return [x]", "no List here"),
    ("y = 1", "f may end without a return"),
    ("y = 1\n    y = x\n    return y", "y is int, and is given object"),
    ("room = cells(1)\n    room[0] = (x,)\n    return x", "cells hold no references"),
    ("return x[0]", "only words and cells have items"),
])
def test_mistakes_name_the_line(line, said):
    source = f"def other(x: Object) -> Object:\n    return x\n\n\n@lane\ndef f(x):\n    {line}\n"
    with pytest.raises(SyntaxError, match=f"source.py, line [6-9], in f: {said}"):
        text(source)


def test_integers_are_those_of_a_source_and_of_what_it_imports():
    given = {"first": "WIDTH, DEPTH = 7, 8\n",
             "second": "from .first import DEPTH\n\nWIDTH = DEPTH + 1\n\n\n@lane\ndef f():\n    return WIDTH\n",
             "third": "@lane\ndef g():\n    return WIDTH\n"}
    places = sources.places(KNOWN)
    written = translator.module({name: given[name] for name in ("first", "second")}, places, FIELDS,
                                dict.fromkeys(given, ()), ())
    assert "i64 9" in written
    with pytest.raises(SyntaxError, match="third.py, line 3, in g: nothing is called WIDTH"):
        translator.module(given, places, FIELDS, dict.fromkeys(given, ()), ())


def test_all_sources_are_listed_and_can_be_written():
    folder = Path(sources.__file__).parent
    found = {path.stem for path in folder.glob("*.py") if "from .language.words import" in path.read_text("utf-8")}
    assert set(sources.BEHIND) == found
    for name in found:
        importlib.import_module(f"{sources.__package__}.{name}")
