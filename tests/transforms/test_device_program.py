"""`jit` with the printer "cuda": its kernels, launches and recordings on a stand-in for CuPy, against NumPy."""

import ctypes
import importlib.util
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import covector as cv
from covector.core.errors import BackendError
from covector.extend import BACKENDS, register_backend

TESTS = Path(__file__).parents[1]


def module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem + "_of_device_programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


before = BACKENDS.get("strict")
strict = module_at(TESTS / "backends" / "strict.py")
if before is not None:
    register_backend(before)
THREADS = module_at(TESTS / "transforms" / "cuda_threads.py")
Array = strict.Array


class Pointer:
    """The memory of an array."""

    def __init__(self, array):
        self.array = array._data

    def copy_from_device_async(self, source, size):
        assert self.array.flags.c_contiguous and source.array.flags.c_contiguous
        assert self.array.nbytes == source.array.nbytes == size
        ctypes.memmove(self.array.ctypes.data, source.array.ctypes.data, size)


Array.data = property(Pointer)
Array.flags = property(lambda self: self._data.flags)
OPTIONS = {"printer": "cuda"}
RNG = np.random.default_rng(0)
TYPES = {"double": "d", "float": "f", "int64_t": "l", "int32_t": "i", "uint8_t": "?B", "void": "B"}
pytestmark = pytest.mark.skipif(THREADS.COMPILER is None, reason=THREADS.MISSING)


class Stream:
    """A stream that records what is launched on it between `begin_capture` and `end_capture`."""

    current = [SimpleNamespace(ptr=0, recorded=None)]

    def __init__(self, non_blocking=False):
        self.ptr, self.recorded = id(self), None

    def __enter__(self):
        self.current.append(self)

    def __exit__(self, *_):
        self.current.pop()

    def begin_capture(self):
        self.recorded = []

    def end_capture(self):
        steps, self.recorded = self.recorded, None
        DEVICE.recordings += 1

        def launch():
            DEVICE.replays += 1
            for step in steps:
                step()

        return SimpleNamespace(launch=launch)


class RawModule:
    """The kernels of a text; a launch refuses what is not as its parameters are declared."""

    def __init__(self, *, code):
        self.code = code
        DEVICE.compiled += 1
        self.library = THREADS.library(code, DEVICE.folder, f"kernels{DEVICE.compiled}")
        self.declared = THREADS.kernels(code)

    def get_function(self, kernel):
        declared = self.declared[kernel]
        warm = []

        def launch(grid, block, given):
            assert len(given) == len(declared)
            own = []
            for (kind, _), x in zip(declared, given):
                assert (type(x) is Array and x._data.flags.c_contiguous) if "*" in kind else (
                    type(x) in (float, np.int64))
                own.append(x._data if "*" in kind else np.asarray(x))
                assert own[-1].dtype.char in TYPES[kind.replace("const ", "").replace("*", "").strip()]
            pointers = (ctypes.c_void_p * len(given))(*[x.ctypes.data for x in own])
            stream = Stream.current[-1]

            def step(kept=own):  # the arrays live as long as the recording
                DEVICE.launches += 1
                THREADS.launch(self.library, kernel, *grid, *block, False, pointers)

            if stream.recorded is None:
                warm.append(True)
                step()
            else:
                assert warm, "a kernel must have run before it is recorded"
                stream.recorded.append(step)

        return launch


class Device(strict.Namespace):
    """The library: strict arrays, kernels, streams; nothing but launches while a stream records."""

    cuda = SimpleNamespace(Stream=Stream, Device=lambda: SimpleNamespace(id=0),
                           get_current_stream=lambda: Stream.current[-1])
    RawModule = RawModule

    def __getattr__(self, name):
        if not name.startswith("__"):
            assert Stream.current[-1].recorded is None, f"{name} while a stream records"
        return super().__getattr__(name)


DEVICE = Device("strict_arrays")


@pytest.fixture(autouse=True)
def device(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "strict_arrays", DEVICE)
    monkeypatch.setitem(BACKENDS, "strict", strict.STRICT)
    DEVICE.folder = tmp_path
    DEVICE.launches = DEVICE.replays = DEVICE.recordings = DEVICE.compiled = 0
    return DEVICE


def there(tree):
    """A pytree with its arrays on the device."""
    return cv.tree.map(lambda x: Array(x.copy()) if isinstance(x, np.ndarray) else x, tree)


def back(value):
    return value.get() if type(value) is Array else value


def network(params, x, y):
    hidden = np.tanh(x @ params["w"] + params["b"])
    return np.mean((hidden @ params["v"] - y) ** 2)


def pendulum(s):
    def step(s, k):
        s = s + 0.01 * np.stack([s[1], -np.sin(s[0])])
        return s, s[0]

    return cv.scan(step, s, None, length=20)


def shaken(x):
    """Several sums that each need launches of their own."""
    for _ in range(4):
        x = x / np.sum(x) + np.max(x)
    return x


PARAMS = {"w": RNG.normal(size=(3, 8)), "b": np.ones(8), "v": RNG.normal(size=8)}
LONG = RNG.uniform(1.0, 2.0, size=2000)
LONGER = RNG.uniform(1.0, 2.0, size=5000)  # more than one block takes
PROGRAMS = {
    "elementwise": (lambda x, y: np.exp(-x * x) * np.tanh(y), (LONG, LONG)),
    "float32": (lambda x: np.log1p(x) + 1.0, (LONG.astype(np.float32),)),
    "a number": (lambda x, a: a * x + np.float64(2.0), (LONG, 1.5)),
    "shaken": (shaken, (LONG,)),
    "shaken by many blocks": (shaken, (LONGER,)),
    "calls between": (lambda x: (np.linalg.inv(x @ x + np.eye(60) * x[0, 0]) @ np.tanh(x), np.sort(x * 2.0, axis=0)),
                      (RNG.normal(size=(60, 60)),)),
    "complex": (lambda x: (np.abs(x * 1j) + x.real, x), (LONG + 1j,)),
    "views and arguments": (lambda x: (x, x.T, x[1:], x, 2.0 * x.T), (RNG.normal(size=(20, 30)),)),
    "nothing": (lambda x: x, (LONG,)),
    "integers and flags": (lambda x, k: (np.where(x > 1.5, k, -k), k // 3, x > 1.2), (LONG, np.arange(2000))),
    "gradient": (cv.grad(network), (PARAMS, RNG.normal(size=(200, 3)), RNG.normal(size=200))),
    "per example": (cv.vmap(cv.grad(network), in_axes=(None, 0, 0)), (PARAMS, RNG.normal(size=(50, 3)), np.ones(50))),
    "loop": (pendulum, (np.array([0.5, 0.1]),)),
    "loops": (cv.vmap(pendulum), (RNG.normal(size=(300, 2)),)),
    "a loop with a sort": (lambda x: cv.scan(lambda s, _: (np.sort(s)[::-1] * 0.9, s[0]), x, None, length=3), (LONG,)),
    "branch": (lambda x, a: cv.cond(a[0] > 0.0, np.sin, np.cos, x), (LONG, np.ones(1))),
    "no elements": (lambda x: (x[:0] * 2.0, x.sum()), (LONG,)),
    "gather": (lambda x, k: np.take(x, k) * 2.0, (LONG, np.arange(0, 2000, 7))),
    "long sums": (lambda x: (np.sum(x * x), np.max(x), np.sum(x, axis=0)), (RNG.normal(size=(9000, 10)),)),
}


def same(found, wanted):
    found, wanted = cv.tree.leaves(found), cv.tree.leaves(wanted)
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted):
        x, y = np.asarray(back(x)), np.asarray(y)
        assert x.shape == y.shape and x.dtype == y.dtype
        single = y.dtype == np.float32
        np.testing.assert_allclose(x, y, 1e-5 if single else 1e-11, 1e-6 if single else 1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_give_the_values_of_numpy(name):
    fun, args = PROGRAMS[name]
    compiled = cv.jit(fun, compiler_options=OPTIONS)
    for scale in (1, 2, 3):  # compiled, recorded, replayed
        given = cv.tree.map(lambda x, s=scale: (x * s if x.dtype.kind in "fc" else x) if isinstance(x, np.ndarray)
                            else x, args)
        out = compiled(*there(given))
        same(out, fun(*given))
    assert compiled.cache_info().misses == 1 and DEVICE.compiled <= 1
    arrays = [x._data for x in cv.tree.leaves(out) if type(x) is Array]
    assert not any(np.shares_memory(x, y) for k, x in enumerate(arrays) for y in arrays[:k])


def test_many_launches_are_recorded_once_and_replayed(device):
    compiled = cv.jit(shaken, compiler_options=OPTIONS)
    first = compiled(Array(LONGER))
    direct = device.launches
    assert direct > 4 and device.recordings == 1 and device.replays == 0
    second = compiled(Array(LONGER * 3.0))
    assert device.recordings == 1 and device.replays == 1 and device.launches == 2 * direct
    same(first, shaken(LONGER))  # which the second call has not written to
    same(second, shaken(LONGER * 3.0))
    line = cv.jit(lambda x: 2.0 * x, compiler_options=OPTIONS)
    line(Array(LONGER))
    line(Array(LONGER))
    assert device.recordings == 1  # one launch needs no recording


def test_arrays_of_a_device_are_known_at_a_glance():
    compiled = cv.jit(lambda p: {"sum": p[0] * 2.0 + p[1]}, compiler_options=OPTIONS)
    given = Array(LONG), Array(LONGER[: LONG.size])
    same(compiled(given), {"sum": LONG * 2.0 + LONGER[: LONG.size]})
    looked_up = compiled.cache_info()
    for scale in (1.0, 2.0):
        same(compiled((given[0] * scale, given[1])), {"sum": LONG * (2.0 * scale) + LONGER[: LONG.size]})
    assert compiled.cache_info() == looked_up
    short = Array(LONG[:100].astype(np.float32))
    same(compiled((short, short)), {"sum": LONG[:100].astype(np.float32) * 3})
    with pytest.raises(BackendError, match=r"^one operation received arrays of strict and numpy"):
        compiled((given[0], LONG))


def test_recordings_take_numbers_views_and_other_dtypes(device):
    def fun(x, a):
        return shaken(x * a) + a

    compiled = cv.jit(fun, compiler_options=OPTIONS)
    wide = RNG.uniform(1.0, 2.0, size=(5000, 2))
    for dtype in (np.float64, np.float32):
        for k, a in ((0, 1.5), (1, 2.5), (0, np.float32(0.5))):
            x = wide.astype(dtype)[:, k]
            same(compiled(Array(x), a), fun(x, a))
            same(compiled(Array(x), a=a), fun(x, a))
    assert device.replays == 4  # a new signature is recorded first: for each dtype, for NumPy numbers, for a name


def test_each_stream_has_its_recording(device):
    compiled = cv.jit(shaken, compiler_options=OPTIONS)
    compiled(Array(LONGER))
    other = Stream()
    with other:
        same(compiled(Array(LONGER)), shaken(LONGER))
        same(compiled(Array(LONGER)), shaken(LONGER))
    assert device.recordings == 2 and device.replays == 1


def test_threads_share_a_recording():
    compiled = cv.jit(shaken, compiler_options=OPTIONS)
    compiled(Array(LONGER))
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).uniform(1.0, 2.0, size=5000)
        for _ in range(2):
            if not np.allclose(compiled(Array(x)).get(), shaken(x), rtol=1e-12):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_derivatives_and_batches_run_as_kernels(device):
    compiled = cv.jit(network, compiler_options=OPTIONS)
    args = PARAMS, RNG.normal(size=(200, 3)), RNG.normal(size=200)
    same(cv.grad(compiled)(*there(args)), cv.grad(network)(*args))
    assert device.compiled == 2 and device.launches > 0  # the forward and the backward half
    x = np.abs(RNG.normal(size=(300, 4)))
    f = cv.jit(lambda x: np.sum(np.sin(x) ** 2 * x), compiler_options=OPTIONS)
    same(cv.vmap(f)(Array(x)), cv.vmap(lambda x: np.sum(np.sin(x) ** 2 * x))(x))
    same(cv.jvp(f, (Array(x),), (Array(x * 2),)), cv.jvp(lambda x: np.sum(np.sin(x) ** 2 * x), (x,), (x * 2,)))
    same(cv.hessian(f)(Array(x[0])), cv.hessian(lambda x: np.sum(np.sin(x) ** 2 * x))(x[0]))


def test_arrays_that_are_closed_over():
    table, square = Array(np.arange(2000.0)), Array(np.eye(3))
    compiled = cv.jit(lambda x: (x * table + table, table), compiler_options=OPTIONS)
    for _ in range(2):
        found = compiled(Array(LONG))
        same(found, (LONG * np.arange(2000.0) + np.arange(2000.0), np.arange(2000.0)))
        assert not np.shares_memory(found[1]._data, table._data)
    looped = cv.jit(lambda s: cv.scan(lambda s, _: (square @ s * 0.5, s[0]), s, None, length=4),
                    compiler_options=OPTIONS)
    same(looped(Array(np.ones(3))), (np.full(3, 0.0625), 0.5 ** np.arange(4)))


def test_arrays_out_of_order_in_memory():
    f = cv.jit(lambda x: np.sin(x) + 1.0, compiler_options=OPTIONS)
    x = RNG.normal(size=(30, 40))
    for view in (x, x.T.copy().T, x[:, ::-1]):
        same(f(Array(view)), np.sin(view) + 1.0)


def test_the_text_is_there_to_read():
    text = cv.jit(shaken, compiler_options=OPTIONS).lower(Array(LONG)).source
    assert 'extern "C" __global__ void shaken_cuda_1(' in text and "// Launch(kernel='shaken_cuda_1'" in text


@pytest.mark.parametrize("given, words", [((np.ones(3),), "arrays of numpy"), ((2.0,), "numbers")])
def test_other_arrays_are_refused(given, words):
    with pytest.raises(BackendError, match=f"CUDA kernels, which run on arrays of CuPy, but got {words}"):
        cv.jit(lambda x: x * 2.0, compiler_options=OPTIONS)(*given)
