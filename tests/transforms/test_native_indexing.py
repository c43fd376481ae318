"""Reads and writes by index in native code: values, gradients, errors, and writes that need no copy."""

import re

import numpy as np
import pytest
from rig.compiled import disagreement, roundings

import covector as cv
from covector.core.errors import DtypeError
from covector.transforms.compile.call.native_program import native as printer
from covector.transforms.compile.loops.statements import Loop, Nest, inner
from covector.transforms.compile.lower.lowerings import is_native
from covector.transforms.compile.lower.writer import Writer
from covector.transforms.compile.program import Programs, optimised

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
RNG = np.random.default_rng(0)
SMALL, LARGE = RNG.normal(size=(4, 3)), RNG.normal(size=(50, 40))
FEW, MANY = np.array([0, 2, 2, -1]), RNG.integers(-40, 40, 300)


def native(fun):
    return cv.jit(fun, compiler_options={"printer": "llvm"})


def is_whole(f, *args):
    return "define ptr @call" in (text := f.lower(*args).source) and not text.startswith("def run(")


def close(found, wanted):
    found, wanted = [x if isinstance(x, (tuple, list)) else [x] for x in (found, wanted)]
    for one, other in zip(found, wanted):
        assert one.dtype == other.dtype and one.shape == other.shape
        limit = 1e-5 if one.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(one, other, limit, limit)


def put(x, places, value, add=False):
    x = x.copy()
    if add:
        x[places] += value
    else:
        x[places] = value
    return x


def in_a_loop(x, places):
    def step(c, k):
        c = put(c, k, c[k] * 2)
        c = put(c, (k, 1), 3, add=True)
        return c, c[k, 0]

    return cv.scan(step, x, places)


READS = {
    "rows": lambda x, k: x[k],
    "columns": lambda x, k: x[:, k % 3],
    "pairs": lambda x, k: x[k % 4, k % 3],
    "a part of rows": lambda x, k: x[k, 1:3],
    "behind a new axis": lambda x, k: x[None, k][..., ::-1],
    "a matrix of places": lambda x, k: x[k.reshape(2, -1)],
    "around": lambda x, k: x[k % 4, :, None],
    "one row": lambda x, k: x[k[1]] * 2,
    "one element": lambda x, k: x[k[1], k[2] % 3],
    "turned": lambda x, k: x.T[:, k].T.reshape(-1),
    "known rows": lambda x, k: x[np.array([3, 0, 0, -1, 2, 1, 1, 3])],
    "known even rows": lambda x, k: x[np.array([0, 2, 0, 2])],
    "repeated": lambda x, k: np.repeat(x, 3, 1),
    "tiled": lambda x, k: np.tile(x, (2, 2)) * 2,
    "diagonal": lambda x, k: np.diagonal(x),
    "loop": lambda x, k: cv.scan(lambda c, i: (c + i, x[i] * 1), 0, k),
}
WRITES = {
    "set": lambda x, k: put(x, k, np.arange(k.size, dtype=x.dtype)[:, None] * x[k]),
    "set one value": lambda x, k: put(x, k, 1),
    "set columns": lambda x, k: put(x, (slice(None), k % 3), 2),
    "set elements": lambda x, k: put(x, (k % 4, k % 3), x[k % 4, 0]),
    "set one row": lambda x, k: put(x, k[2], x[0]),
    "add": lambda x, k: put(x, k, x[k], add=True),
    "loop": in_a_loop,
    "two in turn": lambda x, k: put(put(x * 1, k[:2], 5), k[2:], 7),
}
SIZES = {"small": (SMALL, FEW), "large": (LARGE, MANY)}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_])
@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_values(name, dtype, size):
    x, k = SIZES[size]
    x = (x * 9).astype(dtype)
    fun = (READS | WRITES)[name]
    for places in (k, k.astype(np.int32)):
        try:
            wanted = fun(x, places)
        except (TypeError, DtypeError):
            continue
        f = native(fun)
        close(f(x, places), wanted)
        if dtype in (np.float64, np.float32):
            assert is_whole(f, x, places)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [*READS, *WRITES])
def test_gradients(name, size):
    x, k = SIZES[size]
    fun = (READS | WRITES)[name]

    def total(x, k):
        found = fun(x, k)
        found = found[1] if isinstance(found, (tuple, list)) else found
        return np.sum(np.sin(found) * np.cos(np.arange(found.size)).reshape(found.shape))

    f = native(cv.grad(total))
    close(f(x, k), cv.grad(total)(x, k))
    assert is_whole(f, x, k)


@pytest.mark.parametrize("name", ["rows", "columns", "pairs", "one row", "one element", "set", "add", "loop"])
@pytest.mark.parametrize("bad", [4, -5, 10**12])
def test_places_out_of_bounds_raise_as_without_native_code(name, bad):
    fun = {"rows": READS["rows"], "columns": lambda x, k: x.T[:, k], "pairs": lambda x, k: x[k, k % 3],
           "one row": lambda x, k: x[k[1]], "one element": lambda x, k: x[k[1], 0], "set": WRITES["set"],
           "add": WRITES["add"], "loop": in_a_loop}[name]
    k = np.array([0, bad, 2])
    plain, f = cv.jit(fun, compiler_options={"printer": "numpy"}), native(fun)
    with pytest.raises(IndexError) as wanted:
        plain(SMALL, k)
    for _ in range(20):  # more often than outputs with NaN are computed again
        with pytest.raises(IndexError) as found:
            f(SMALL, k)
        assert [re.sub(r"py:\d+", "py", str(e.value)) for e in (found, wanted)] == 2 * [
            re.sub(r"py:\d+", "py", str(wanted.value))]
    close(f(SMALL, FEW), fun(SMALL, FEW))


def test_a_place_out_of_bounds_in_the_branch_not_taken():
    f = native(lambda x, k: cv.cond(k < 4, lambda x: x[k], lambda x: x[0] * 0, x))
    close(f(SMALL, 2), SMALL[2])
    close(f(SMALL, 9), SMALL[0] * 0)


def test_known_places_out_of_bounds():
    for bad in (5, -6):
        with pytest.raises(IndexError):
            native(lambda x, bad=bad: np.take(x, np.array([0, bad])))(np.arange(5.0))


def test_no_places_and_no_rows():
    none = np.zeros(0, int)
    for fun in (READS["rows"], WRITES["set"], WRITES["add"], lambda x, k: x[:, k]):
        close(native(fun)(SMALL, none), fun(SMALL, none))
    assert native(READS["rows"])(SMALL[:, :0], FEW).shape == (4, 0)


@pytest.mark.parametrize("size", [1, 3, 40])
@pytest.mark.parametrize("add", [False, True])
def test_a_write_to_no_elements(size, add):
    def fun(x, v):
        at = (x * 2.0).at[size:]
        return at.add(v) if add else at.set(v)

    x = np.linspace(0.1, 1.0, size)
    close(native(fun)(x, 3.0), x * 2.0)
    close(native(cv.grad(lambda x, v: np.sum(fun(x, v) ** 2)))(x, 3.0), 8.0 * x)


def test_reshapes_of_turned_arrays():
    def fun(x):
        return np.sin(x).T.reshape(-1) * 2, x.T.reshape(-1)[::2] + 1, x[::2].T.reshape(5, -1)[:, ::3] * 2

    close(native(fun)(LARGE), fun(LARGE))


@pytest.mark.parametrize("seed", range(60))
def test_writes_and_reads_of_arrays_that_are_carried(seed):
    """What is written in place is read by nothing else: states that swap, show one another, and leave the loop."""
    rng = np.random.default_rng((7, seed))
    n = (6, 30)[seed % 2]
    steps = [(int(rng.integers(9)), *map(int, rng.integers(0, 3, 2)), float(rng.uniform(0.1, 0.9)))
             for _ in range(7)]
    order = rng.permutation(3)
    kept = int(rng.integers(3))

    def body(states, k):
        states = list(states)
        seen = states[kept][1:3]
        for kind, a, b, number in steps:
            x, y = states[a], states[b]
            if kind == 0:
                states[a] = put(x, k, number)
            elif kind == 1:
                states[a] = put(x, k, y[k - 1] * number)
            elif kind == 2:
                states[a] = put(x, k, number, add=True)
            elif kind == 3:
                states[a] = put(x, slice(1, 4), y[2:5])
            elif kind == 4:
                states[a] = np.sin(y) * number
            elif kind == 5:
                states[a], states[b] = y, x
            elif kind == 6:
                states[a] = y[::-1]
            elif kind == 7:
                states[a] = put(x, np.stack([k, k - 2]), number, add=True)
            else:
                seen = seen + y[k] + x[:2]
        return tuple([states[j] for j in order]), (seen, states[kept][k])

    def fun(x, places):
        start = put(np.sin(x), 0, 2.0), x * 0.5, x[::-1]
        states, rows = cv.scan(body, start, places)
        return (*states, *rows, put(states[0], places[0], 9.0), states[0] + 1.0)

    x, places = rng.uniform(size=n), rng.integers(-n, n, 5)
    graphs = [(cv.make_graph(fun)(x, places), [x, places]), (cv.make_graph(cv.grad(
        lambda x, k: sum(np.sum(v * v) for v in fun(x, k))))(x, places), [x, places])]
    for graph, values in graphs:
        run = Programs(graph, own=True, options={"printer": printer}).run
        assert disagreement(graph, values, run, roundings) is None, graph


def test_a_write_in_a_loop_copies_nothing():
    x, places = np.zeros(1000), np.arange(30)
    writes = {
        "set": lambda c, k: put(c, k, c[k] + 1.0),
        "add": lambda c, k: put(put(c, k, 1.0, add=True), k - 1, 2.0),
        "slice": lambda c, k: put(c, slice(0, 5), c[k]),
    }
    for write in writes.values():
        def fun(x, places, write=write):
            return cv.scan(lambda c, k: (write(c, k), None), x, places)[0]

        close(native(fun)(x, places), fun(x, places))
        draft, known = optimised(cv.make_graph(fun)(x, places), frozenset()), {}
        assert all(is_native(eq, known) for eq in draft.equations)
        loop, = [s for s in Writer(draft, known).kernel.statements if type(s) is Loop]
        waiting, seen = list(loop.body), 0
        while waiting:
            s = waiting.pop()
            waiting += [one for part in inner(s) for one in part]
            seen += np.prod(s.shape, dtype=int) if type(s) is Nest else 0
        assert seen < 50


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_number_is_turned_over_and_repeated(dtype):
    def fun(x):
        return cv.numpy.repeat(np.flip(np.tanh(x)), 2)

    close(native(fun)(dtype(0.3)), np.repeat(np.tanh(dtype(0.3)), 2))
