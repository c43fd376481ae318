"""Programs whose code another process compiled: it is found by its text, and is the code of no other program."""

import os

import numpy as np
import pytest

import covector as cv
from covector.transforms.compile.machine import object_cache
from covector.transforms.compile.machine.engine import Machine, machine
from covector.transforms.compile.render.llvm import simd

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="the cache needs files with owners")
X = np.linspace(0.1, 0.9, 20)


def forget():
    """Forget what this process has loaded."""
    machine().loaded.clear()
    machine().elementary.clear()


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An empty cache, and a machine that has loaded nothing."""
    monkeypatch.setenv("COVECTOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(object_cache, "_TOLD", set())
    forget()
    return tmp_path


@pytest.fixture
def compiled(monkeypatch):
    """The modules that were compiled."""
    seen = []
    plain = Machine.object_code
    monkeypatch.setattr(Machine, "object_code", lambda self, text, *how: seen.append(text) or plain(self, text, *how))
    return seen


def native(fun, printer="llvm"):
    return cv.jit(fun, compiler_options={"printer": printer})


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
    for fun in (f, g, f, g):
        forget()
        for found, wanted in zip(cv.tree.leaves(native(fun)(X)), cv.tree.leaves(fun(X)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-14)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


def solved(x):
    return np.sin(np.linalg.solve(np.diag(x) + np.ones((x.size, x.size)), x)).sum()


def looped(x):
    """A loop that is not native as a whole, with a native part in its body."""
    def step(s, _):
        s = np.sort(np.tanh(s) * 1.01 + np.cos(s))
        return s, np.exp(s).sum()
    return cv.scan(step, x, None, length=5)[1]


def shared(x):
    """A view that a native part and NumPy read."""
    y = x.reshape(4, 5).T
    return np.tanh(y) * 2.0, np.sort(y, axis=0), np.linalg.eigh(np.outer(x, x) + np.diag(x))[0] ** 2


def captured(x):
    return np.tanh(x * np.arange(20.0) ** 2), x[np.array([3, 3, 1, 7])] * 2.0


def plain(x):
    return np.sort(x)[::-1]


PROGRAMS = {f.__name__: f for f in (solved, looped, shared, captured, plain)}


@pytest.mark.parametrize("printer", ["auto", "llvm"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_compiled_once_is_not_again(name, printer, files, compiled):
    fun = PROGRAMS[name]
    layouts = X, np.repeat(X, 2)[::2], X[::-1].copy()[::-1]
    wanted = [native(fun, printer)(x) for x in layouts]
    count = len(compiled)
    assert (count > 0) is (fun is not plain)
    forget()
    for x, first in zip(layouts, wanted):
        for found, once, bare in zip(*map(cv.tree.leaves, (native(fun, printer)(x), first, fun(X))), strict=True):
            np.testing.assert_array_equal(found, once)
            np.testing.assert_allclose(found, bare, rtol=1e-13)
    assert len(compiled) == count


def test_equal_programs_of_a_process_share_their_code(files, compiled):
    f, g = native(lambda x: np.sin(x) * 2.0), native(lambda y: np.sin(y) * 2.0)
    np.testing.assert_array_equal(f(X), g(X))
    assert len([text for text in compiled if "@call" in text]) == 1


def test_tables_are_computed_where_they_are_in_no_file_alone(files, monkeypatch):
    computed = []
    plain = simd.tabled
    monkeypatch.setattr(simd, "tabled", lambda *what: computed.append(what) or plain(*what))

    def fun(x):
        return cv.scan(lambda s, _: (np.tanh(s) * 1.01, None), x[:2], None, length=50)[0]

    first = native(fun)(X)
    assert len(computed) == 1
    forget()
    np.testing.assert_array_equal(native(fun)(X), first)
    assert len(computed) == 1


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


@pytest.mark.parametrize("name", ["solved", "captured"])
def test_code_that_is_gone_is_compiled_again(name, files, compiled):
    fun = PROGRAMS[name]
    wanted = native(fun)(X)
    count = len(compiled)
    for path in files.glob("*.o"):
        path.unlink()
    forget()
    for found, first in zip(*map(cv.tree.leaves, (native(fun)(X), wanted)), strict=True):
        np.testing.assert_array_equal(found, first)
    assert len(compiled) == 2 * count > 0


@pytest.mark.parametrize("spoil", [lambda data: data[:-1] + b"x", lambda data: data[: len(data) // 2], lambda _: b""])
def test_files_that_were_spoilt_are_replaced(files, spoil):
    wanted = native(np.tanh)(X)
    for path in files.glob("*.o"):
        path.write_bytes(spoil(path.read_bytes()))
    forget()
    with pytest.warns(object_cache.CacheWarning, match="damaged"):
        np.testing.assert_array_equal(native(np.tanh)(X), wanted)


def test_what_acts_acts_in_each_process(files):
    def fun(x):
        cv.debug.callback(lambda y: seen.append(float(y)), x[0])
        return np.sort(np.tanh(x))

    for _ in range(2):
        seen = []
        forget()
        np.testing.assert_allclose(native(fun)(X), np.sort(np.tanh(X)), 1e-14)
        assert seen == [X[0]]


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
