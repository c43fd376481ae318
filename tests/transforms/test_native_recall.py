"""Programs whose code another process compiled are found by what they compute, before anything is written."""

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector.extend import REGISTRY, elementwise
from covector.transforms.native import fingerprint as marks
from covector.transforms.native.fingerprint import fingerprint
from covector.transforms.native.machine import object_cache
from covector.transforms.native.machine.engine import Machine, machine
from covector.transforms.native.machine.object_files import SUPPORTED

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
pytestmark = pytest.mark.skipif(not SUPPORTED, reason="object files are loaded by LLVM here")
PROGRAM = textwrap.dedent("""
    import sys
    import numpy as np
    import covector as cv

    def loss(w, x):
        s, rows = cv.scan(lambda s, r: (np.tanh(s @ w + r), s * 2.0), x[0], x)
        return np.sum(np.sin(rows) ** 1.5) + np.sum(np.exp(-s * s)) + np.sum(np.tanh(w @ x.T) * TABLE)

    TABLE = np.cos(np.arange(12 * 30.0)).reshape(12, 30)
    w, x = np.linspace(0.0, 0.2, 144).reshape(12, 12), np.linspace(0.1, 0.9, 360).reshape(30, 12)
    f = cv.jit(cv.value_and_grad(loss), compiler_options={"printer": "llvm"})
    value, slope = f(w, x)
    assert np.allclose(slope, cv.grad(loss)(w, x), 1e-9)
    written = "covector.transforms.native.lower.writer" in sys.modules
    print(written, value.tobytes().hex(), slope.tobytes().hex())
    assert "define" in f.lower(w, x).source
""")
X = np.linspace(0.1, 0.9, 20)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An empty cache, and a machine that has loaded nothing."""
    monkeypatch.setenv("COVECTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(object_cache, "_TOLD", set())
    return tmp_path


@pytest.fixture
def compiled(monkeypatch):
    """How many modules were compiled."""
    seen = []
    plain = Machine.object_code
    monkeypatch.setattr(Machine, "object_code", lambda self, text, *how: seen.append(text) or plain(self, text, *how))
    return seen


def native(fun):
    return cv.jit(fun, compiler_options={"printer": "llvm"})


def mark(fun, *args):
    return fingerprint(cv.make_graph(fun)(*args))


def test_a_second_process_writes_nothing(files):
    def run():
        return subprocess.run([sys.executable, "-P", "-c", PROGRAM], capture_output=True, text=True, check=True,
                              env={**os.environ}).stdout.split()

    first, second = run(), run()
    assert first[0] == "True" and second[0] == "False"
    assert first[1:] == second[1:]


PAIRS = {
    "a constant": (lambda x: x + 1.0, lambda x: x + 2.0),
    "the sign of zero": (lambda x: x * 0.0, lambda x: x * -0.0),
    "a dtype": (lambda x: x * np.float32(2.0), lambda x: x * np.float64(2.0)),
    "a Python number": (lambda x: x.astype(np.float32) * 2.0, lambda x: x.astype(np.float32) * np.float64(2.0)),
    "an array": (lambda x: x * np.arange(20.0), lambda x: x * np.arange(20.0)[::-1].copy()),
    "a parameter": (lambda x: x.reshape(4, 5).sum(0), lambda x: x.reshape(4, 5).sum(1)[:4]),
    "an index": (lambda x: x[1:] * 2.0, lambda x: x[:-1] * 2.0),
    "one for True": (lambda x: x.reshape(4, 5)[1], lambda x: x.reshape(4, 5)[1:2]),
    "which operand": (lambda x: x[:10] - x[10:], lambda x: x[10:] - x[:10]),
    "a loop": (lambda x: cv.scan(lambda c, _: (c * 2.0, None), x, None, length=3)[0],
               lambda x: cv.scan(lambda c, _: (c * 2.0, None), x, None, length=4)[0]),
    "its body": (lambda x: cv.scan(lambda c, _: (c * 2.0, None), x, None, length=3)[0],
                 lambda x: cv.scan(lambda c, _: (c + 2.0, None), x, None, length=3)[0]),
    "its direction": (lambda x: cv.scan(lambda c, y: (c * y + 1.0, c), x[0], x)[1],
                      lambda x: cv.scan(lambda c, y: (c * y + 1.0, c), x[0], x, reverse=True)[1]),
    "the outputs": (lambda x: (x + 1.0, x + 2.0), lambda x: (x + 2.0, x + 1.0)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_what_differs_is_told_apart(name, files):
    f, g = PAIRS[name]
    assert mark(f, X) is not None
    assert mark(f, X) != mark(g, X)
    for fun in (f, g, f, g):
        for found, wanted in zip(cv.tree.leaves(native(fun)(X)), cv.tree.leaves(fun(X)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


def test_equal_programs_are_one():
    assert mark(lambda x: np.sin(x) * 2.0, X) == mark(lambda y: np.sin(y) * 2.0, X + 1.0)
    assert mark(lambda x: np.sin(x) * 2.0, X) != mark(lambda x: np.sin(x) * 2.0, X[1:])


def test_a_change_of_the_library_finds_nothing(monkeypatch):
    before = mark(np.sin, X)
    assert os.path.join("core", "ops", "arithmetic.py") in marks.sources()
    monkeypatch.setattr(marks, "sources", lambda: "other files")
    assert mark(np.sin, X) != before


def test_what_writes_code_imports_from_files_that_are_looked_at():
    library = Path(marks.__file__).resolve().parents[2]
    for path in [path for name in ("native", "compile", "graph", "scope") for path in library.glob(f"{name}/**/*.py")]:
        package = ("covector", "transforms", *path.relative_to(library).parts[:-1])
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level:
                found = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
                assert found[1:2] in marks.FOLDERS or found[1:3] in marks.FOLDERS, (path, found)
            elif isinstance(node, ast.Constant) and str(node.value).startswith("covector.transforms."):
                assert tuple(node.value.split(".")[1:3]) in marks.FOLDERS, (path, node.value)


def test_primitives_of_others_have_no_mark():
    twice = elementwise("example_twice", impl=lambda xp, x: xp.multiply(x, 2.0), d={"x": lambda: 2.0},
                        samples=lambda rng: [(rng.standard_normal(3), {})])
    try:
        assert mark(twice, X) is None
        np.testing.assert_array_equal(native(lambda x: twice(x) + 1.0)(X), X * 2.0 + 1.0)
    finally:
        REGISTRY.pop("example_twice")


def test_large_constants_are_not_kept(files):
    table = np.arange(10_000.0)
    assert mark(lambda x: x * table, table) is None


def forget():
    """Forget what this process has loaded."""
    machine().loaded.clear()
    machine().elementary.clear()


def test_constants_are_found_again(files, compiled):
    table, places = np.arange(20.0) ** 2, np.array([3, 3, 1, 7])

    def fun(x):
        return np.tanh(x * table), x[places] * 2.0

    forget()
    wanted = native(fun)(X)
    count = len(compiled)
    assert count
    forget()
    for found, other in zip(native(fun)(X), wanted, strict=True):
        np.testing.assert_array_equal(found, other)
    assert len(compiled) == count


CUBE = np.arange(120.0).reshape(4, 5, 6) ** 0.5
LAYOUTS = {
    "in order": CUBE, "transposed": CUBE.T, "permuted": CUBE.transpose(1, 0, 2), "stepped": CUBE[:, ::2],
    "reversed": CUBE[::-1], "broadcast": np.broadcast_to(CUBE[0], (4, 5, 6)), "one row": CUBE[1:2],
    "by columns": np.asfortranarray(CUBE), "not aligned": np.frombuffer(b"x" + CUBE.tobytes(), offset=1).reshape(8, 15),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_constants_lie_in_memory_as_when_the_code_was_written(name, files):
    table = LAYOUTS[name]
    x = np.linspace(0.1, 0.9, table.size).reshape(table.shape)
    for _ in range(2):
        np.testing.assert_allclose(native(lambda x: np.tanh(x * table) + table)(x), np.tanh(x * table) + table, 1e-14)
        forget()


def test_layouts_of_constants_are_told_apart():
    square = CUBE[:4, :4, 0].copy()
    assert mark(lambda x: x * square, square) != mark(lambda x: x * np.asfortranarray(square), square)


def test_code_that_is_gone_is_compiled_again(files, compiled):
    forget()
    wanted = native(np.tanh)(X)
    count = len(compiled)
    for path in files.glob("*.o"):
        if b"\x7fELF" in path.read_bytes()[:100]:
            path.unlink()
    forget()
    np.testing.assert_array_equal(native(np.tanh)(X), wanted)
    assert len(compiled) == 2 * count > 0


@pytest.mark.parametrize("spoil", [lambda data: data[:-1] + b"x", lambda data: data[: len(data) // 2], lambda _: b""])
def test_files_that_were_spoilt_are_replaced(files, spoil):
    wanted = native(np.tanh)(X)
    for path in files.glob("*.o"):
        path.write_bytes(spoil(path.read_bytes()))
    forget()
    with pytest.warns(object_cache.CacheWarning, match="damaged"):
        np.testing.assert_array_equal(native(np.tanh)(X), wanted)


def test_the_text_is_written_for_those_who_ask(files):
    native(np.cosh)(X)
    forget()
    f = native(np.cosh)
    f(X)
    assert "define" in f.lower(X).source and "lines of source" in repr(f.lower(X))
    assert "define" in f._repr_html_()


def test_warnings_and_other_error_states_are_as_before(files):
    f = native(lambda x: np.log(x) * 2.0)
    f(X)
    forget()
    f = native(lambda x: np.log(x) * 2.0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        f(X * 0.0)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        f(X * 0.0)
    np.testing.assert_array_equal(f(X[::2].repeat(2)[::1]), np.log(X[::2].repeat(2)) * 2.0)
