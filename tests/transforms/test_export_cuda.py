"""CUDA text: NVRTC compiles it, and its threads, run one by one on the processor, give the values of NumPy."""

import ctypes
import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from rig.compiled import compiled_fuzz, roundings

import covector as cv
from covector.core.errors import DtypeError, RuleError
from covector.extend import REGISTRY
from covector.transforms.compile.call.launch_plan import Call, Launch
from covector.transforms.compile.maths import FUNCTIONS
from covector.transforms.compile.render.cuda import parallel, schedule

SPEC = importlib.util.spec_from_file_location("c_functions", Path(__file__).with_name("c_functions.py"))
C = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(C)
SPEC = importlib.util.spec_from_file_location("cuda_threads", Path(__file__).with_name("cuda_threads.py"))
THREADS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(THREADS)
needs_compiler = pytest.mark.skipif(THREADS.COMPILER is None, reason=THREADS.MISSING)
RNG = np.random.default_rng(0)

class Device:
    """Runs what `export_cuda` wrote on the processor, threads in order, or the other way round."""

    def __init__(self, written, folder):
        self.written = written
        self.library = THREADS.library(written.source, folder, written.name)

    def __call__(self, leaves, turned=False):
        arrays = {name: np.full(shape, 77, dtype) for name, (shape, dtype) in self.written.arrays.items()}
        for name, x in zip(self.written.inputs, leaves):
            arrays[name][...] = x
        for step in self.written.steps:
            if type(step) is Call:
                given = [arrays[a] if type(a) is str else a for a in step.arguments]
                found = REGISTRY[step.operation].rebind((*given, *step.params))
                for name, x in zip(step.results, found if type(found) is tuple else (found,), strict=True):
                    assert x.shape == arrays[name].shape and x.dtype == arrays[name].dtype
                    arrays[name][...] = x
            else:
                pointers = (ctypes.c_void_p * len(step.arguments))(*[arrays[a].ctypes.data for a in step.arguments])
                THREADS.launch(self.library, step.kernel, step.grid, step.block, turned, pointers)
        return [arrays[x] if type(x) is str else np.asarray(x) for x in self.written.outputs]


@cache
def nvrtc():
    """NVIDIA's compiler of text, from the wheel nvidia-cuda-nvrtc-cu12; None without it."""
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations if found is not None else ():
        for path in sorted(Path(folder).glob("cuda_nvrtc/lib/libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def check_with_nvrtc(source):
    """Compile text for a device; returns PTX."""
    library, program = nvrtc(), ctypes.c_void_p()
    assert library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"f.cu", 0, None, None) == 0
    options = (ctypes.c_char_p * 1)(b"--gpu-architecture=compute_75")
    failed = library.nvrtcCompileProgram(program, 1, options)
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    assert not failed and not log.value, log.value.decode() + source
    library.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    library.nvrtcGetPTX(program, text)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return text.value.decode()


def functions(one, two, flag):
    """Every elementary function, and the rest of what is elementwise."""
    found = {}
    for name in sorted(FUNCTIONS.keys() & REGISTRY.keys()):
        count = FUNCTIONS[name].__code__.co_argcount - 1
        found[name] = REGISTRY[name].rebind((one, two)[:count])
    return found, np.where(flag, one, two), np.fmod(one, two), np.remainder(one, two), one > np.inf, [
        np.floor(one), np.rint(two), np.sign(one), np.maximum(one, np.nan)], one.astype(np.int64) * 3, two.astype(
            np.int32) + np.arange(one.size, dtype=np.int32)


def reductions(x):
    axes = (None, 0, 1, 2, (0, 1), (0, 2), (1, 2))
    return ([np.sum(np.tanh(x), axis=a) for a in axes], [np.max(x * 2.0, axis=a) for a in axes], np.exp(x),
            [np.min(x, axis=a, keepdims=True) for a in axes], np.all(x > -3.0, axis=0), np.any(x > 2.0),
            np.mean(np.sin(x)), np.var(x, axis=1), np.prod(x[:4], axis=0))


def network(params, x, y):
    hidden = np.tanh(x @ params["w"] + params["b"])
    return np.mean((hidden @ params["v"] - y) ** 2)


def pendulum(s):
    def slope(s):
        return np.stack([s[1], -np.sin(s[0])])

    def step(s, k):
        half = s + 0.05 * slope(s)
        s = s + 0.1 * slope(half) * k
        return s, s[0]

    return cv.scan(step, s, np.linspace(0.5, 1.0, 12))


def newton(a):
    return cv.while_loop(lambda p: np.abs(p * p - a) > 1e-9 * a, lambda p: 0.5 * (p + a / p), a)


def counted(s):
    """A loop that carries a counter beside the state."""
    return cv.fori_loop(0, 7, lambda i, s: s + 0.1 * np.stack([s[1], -np.sin(s[0]) * i]), s)


STATES = RNG.normal(size=(300, 2))
PROGRAMS = {
    "elementwise": (lambda x, y: np.exp(-x * x) * np.tanh(y) + x[:, ::-1].T @ np.ones(30),
                    (RNG.normal(size=(30, 40)),) * 2),
    "two arrays": (lambda x, y: np.exp(-x * x) * np.tanh(y) + x[:, ::-1], (RNG.normal(size=(30, 40)),) * 2),
    "functions": (functions, (RNG.normal(size=400), RNG.uniform(0.1, 3.0, size=400), RNG.normal(size=400) > 0.0)),
    "functions32": (functions, (RNG.normal(size=400).astype(np.float32), RNG.uniform(0.1, 3.0, size=400).astype(
        np.float32), RNG.normal(size=400) > 0.0)),
    "reductions": (reductions, (RNG.normal(size=(20, 30, 40)),)),
    "reductions32": (reductions, (RNG.normal(size=(9, 70, 11)).astype(np.float32),)),
    "long": (lambda x: (np.sum(x * x), np.max(x), np.sum(x, axis=0)), (RNG.normal(size=(9000, 10)),)),
    "columns": (lambda x: (np.sum(x, axis=0), np.max(x, axis=0), x - np.mean(x, axis=0), np.prod(x[:5], axis=0)),
                (RNG.normal(size=(3000, 3)),)),
    "rows": (lambda x: (np.sum(x, axis=1), x / np.sum(x, axis=1, keepdims=True), np.min(x, axis=1)),
             (RNG.uniform(1.0, 2.0, size=(7, 900)).astype(np.float32),)),
    "shaken": (lambda x: cv.value_and_grad(shaken)(x), (RNG.uniform(1.0, 2.0, size=2500),)),
    "flags": (lambda x: (np.all(x > -9.0), np.any(x > 9.0), np.sum(x > 0.0), np.max(x.astype(np.int32)), np.all(
        x > -3.0, axis=1)), (RNG.normal(size=(50, 61)),)),
    "joined sums": (lambda x: np.concatenate([x, np.stack([np.sum(x), np.max(x)]), x * np.sum(x * x)]),
                    (RNG.normal(size=3000),)),
    "small": (lambda x: np.sin(x) * 2.0, (np.ones(3),)),
    "gradient": (cv.grad(network), ({"w": RNG.normal(size=(3, 8)), "b": np.ones(8), "v": RNG.normal(size=8)},
                                    RNG.normal(size=(200, 3)), RNG.normal(size=200))),
    "calls": (lambda x: (np.linalg.inv(x @ x + np.eye(60)) @ np.tanh(x), np.sum(np.sort(x, axis=0) ** 2, axis=1), 3.0,
                         x, [np.sort(x)] * 2, np.arange(4.0), np.linalg.svd(x.T[:, ::2])[1] * x[0, ::2]),
              (RNG.normal(size=(60, 60)),)),
    "scan": (lambda s: pendulum(s), (np.array([0.5, 0.1]),)),
    "scans": (cv.vmap(pendulum), (STATES,)),
    "scans, examples last": (cv.vmap(pendulum, in_axes=1, out_axes=1), (STATES.T.copy(),)),
    "gradient of scans": (cv.grad(lambda s: np.sum(cv.vmap(pendulum)(s)[1] ** 2)), (STATES,)),
    "counted": (cv.vmap(counted), (STATES,)),
    "newton": (newton, (2.5,)),
    "newtons": (cv.vmap(newton), (RNG.uniform(1.0, 9.0, size=200),)),
    "cond": (lambda x, a: cv.cond(a > 0.0, np.sin, np.cos, x) * a, (RNG.normal(size=300), -0.5)),
    "passed on": (lambda x: (x / np.sum(x), x[3] * x, np.sum(x) * np.max(x)), (RNG.uniform(size=1000),)),
    "many elements": (lambda x: (np.sum(np.exp(x) * x), np.max(x), x * x[::-1], np.sqrt(x[0] + x * x) > 2.0),
                      (RNG.normal(size=600_001),)),
    "joins": (lambda x: (np.concatenate([x, x[:7]]), np.pad(x[::-2], 3), np.stack([x, x])), (RNG.normal(size=200),)),
    "products": (lambda a, b: (a @ b, np.sum(a @ b, axis=0)), (RNG.normal(size=(14, 15)), RNG.normal(size=(15, 16)))),
}


@needs_compiler
@pytest.mark.parametrize("name", PROGRAMS)
def test_threads_give_the_values_of_numpy(name, tmp_path):
    fun, args = PROGRAMS[name]
    run = Device(cv.export_cuda(fun, *args, name="f"), tmp_path)
    leaves = cv.tree.leaves(args)
    with np.errstate(all="ignore"):
        wanted = cv.tree.leaves(fun(*args))
    found = run(leaves)
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted):
        y = np.asarray(y)
        assert x.shape == y.shape and x.dtype == y.dtype
        single = y.dtype == np.float32
        np.testing.assert_allclose(x, y, 1e-4 if single else 1e-10, 1e-5 if single else 1e-12)
    for x, y in zip(found, run(leaves, turned=True)):  # no thread depends on another
        assert np.array_equal(x, y, equal_nan=True)


@needs_compiler
@pytest.mark.skipif(not C.COMPILER, reason=C.MISSING)
@pytest.mark.parametrize("name", ["functions", "functions32", "two arrays", "scan"])
def test_elementwise_text_is_that_of_c_bit_for_bit(name, tmp_path):
    fun, args = PROGRAMS[name]
    found = Device(cv.export_cuda(fun, *args, name="f"), tmp_path)(cv.tree.leaves(args))
    wanted = cv.tree.leaves(C.exported(fun, *args, folder=tmp_path, name="g")(*args))
    assert all(np.array_equal(x, y, equal_nan=True) for x, y in zip(found, wanted))


@pytest.mark.parametrize("name", PROGRAMS)
def test_nvrtc_compiles_every_kernel(name):
    if nvrtc() is None:
        pytest.skip("NVRTC is missing: pip install nvidia-cuda-nvrtc-cu12")
    fun, args = PROGRAMS[name]
    written = cv.export_cuda(fun, *args, name="f")
    text = check_with_nvrtc(written.source)
    assert all(f".entry {step.kernel}(" in text for step in written.steps if type(step) is Launch)


def test_nvrtc_contracts_no_product():
    if nvrtc() is None:
        pytest.skip("NVRTC is missing: pip install nvidia-cuda-nvrtc-cu12")
    written = cv.export_cuda(lambda x, y: (x * y + x, (x * y).astype(np.float32) * np.float32(3.0) - np.float32(1.0)),
                             np.ones(200), np.ones(200), name="f")
    assert not re.search(r"\bfma\.", check_with_nvrtc(written.source))


def test_nvrtc_knows_constants_without_end():
    if nvrtc() is None:
        pytest.skip("NVRTC is missing: pip install nvidia-cuda-nvrtc-cu12")
    table = np.arange(200.0)
    table[:3] = np.inf, -np.inf, np.nan
    check_with_nvrtc(cv.export_cuda(lambda x: x + table + table.astype(np.float32), np.ones(200)).source)


@needs_compiler
@pytest.mark.parametrize("wide", [False, True])
def test_random_programs_agree(wide, tmp_path, monkeypatch):
    """Their arrays have few elements: with `wide` threads share these all the same."""
    if wide:
        monkeypatch.setattr(schedule, "WIDE", 2)
        monkeypatch.setattr(schedule, "ALIKE", 1)
        monkeypatch.setattr(parallel, "SMALL", 0)
    written = []

    def compiled(graph):
        runs = []

        def run(values):
            if not runs:
                runs.append(graph.interpret)
                try:
                    plan = cv.export_cuda(lambda *xs: tuple(graph.eval(xs)), *values, name="f")
                    if all(type(step) is Launch for step in plan.steps):
                        folder = tmp_path / str(len(written))
                        folder.mkdir()
                        written.append(Device(plan, folder))
                        device = written[-1]
                        runs[0] = lambda values: [x if x.ndim else x[()] for x in device(values)]
                except (RuleError, DtypeError, ValueError):
                    pass  # what has no CUDA form
            with np.errstate(all="ignore"):
                return runs[0](values)

        return run

    assert compiled_fuzz(programs=6, seed=5 + wide, evaluated=compiled, apart=roundings) == []
    assert len(written) > 4


class StandIn:
    """As much of CuPy as the manual's program needs, on the processor."""

    asarray, empty = staticmethod(np.array), staticmethod(np.empty)

    def __init__(self, plan, folder):
        self.library = Device(plan, folder).library
        self.plan = plan

    def RawModule(self, *, code):  # noqa: N802 - CuPy's name
        assert code == self.plan.source
        return self

    def get_function(self, kernel):
        def launch(grid, block, given):
            assert all(x.flags.c_contiguous for x in given)
            pointers = (ctypes.c_void_p * len(given))(*[x.ctypes.data for x in given])
            THREADS.launch(self.library, kernel, *grid, *block, False, pointers)

        return launch


@needs_compiler
@pytest.mark.parametrize("name", ["calls", "gradient", "gradient of scans", "passed on"])
def test_the_program_of_the_manual_runs_a_plan(name, tmp_path, monkeypatch):
    page = (Path(__file__).resolve().parents[2] / "docs" / "exporting.md").read_text(encoding="utf-8")
    fun, args = PROGRAMS[name]
    plan = cv.export_cuda(fun, *args)
    monkeypatch.setitem(sys.modules, "cupy", StandIn(plan, tmp_path))
    scope = {"plan": plan}
    exec(page.split("```py\n")[1].split("```")[0], scope)
    for x, y in zip(scope["run"](*cv.tree.leaves(args)), cv.tree.leaves(fun(*args)), strict=True):
        np.testing.assert_allclose(x, y, 1e-10, 1e-12)


def kernel_count(fun, *args):
    return len([s for s in cv.export_cuda(fun, *args).steps if type(s) is Launch])


def test_the_plan():
    x = np.ones((100, 100))
    assert kernel_count(lambda x: np.exp(np.sin(x) * x) + 1.0, x) == 1
    plan = cv.export_cuda(lambda x: np.tanh(x @ np.exp(x)), x, name="f")
    assert [type(s) for s in plan.steps] == [Launch, Call, Launch] and plan.steps[1].operation == "matmul"
    assert plan.steps[0] == Launch("f_1", 157, 64, ("x", plan.steps[0].arguments[1]))
    assert plan.arrays["x"] == ((100, 100), "float64") and (plan.inputs, plan.outputs) == (("x",), ("out",))
    assert plan.name == "f" and set(THREADS.kernels(plan.source)) == {"f_1", "f_2"}


def shaken(x):
    for _ in range(8):
        x = x / x.sum() + x.max()
    return (x * x).sum()


def test_what_lies_between_has_no_name_of_an_argument():
    plan = cv.export_cuda(lambda t4, t3, t5: np.sort(np.sort(t4) + t3) * t5, *[np.ones(500)] * 3, name="f")
    made = [name for step in plan.steps for name in getattr(step, "results", ())]
    assert set(plan.inputs) == {"t3", "t4", "t5"} and made and not set(made) & set(plan.inputs)


def test_launches_are_few_and_fill_the_device():
    def sizes(fun, *shape):
        given = cv.ShapeDtype(shape, np.float32)
        return [(s.grid, s.block) for s in cv.export_cuda(fun, given).steps if type(s) is Launch]

    assert sizes(np.sin, 3000) == [(47, 64)] and sizes(np.sin, 100_000) == [(391, 256)]
    assert sizes(np.sin, 10**7) == [(1056, 256)]  # a thread takes every 270,336th element
    assert sizes(np.sum, 500) == [(1, 512)] and sizes(np.sum, 100_000) == [(391, 256), (1, 256)]
    assert sizes(np.sum, 10**7) == [(528, 256), (1, 256)]
    assert sizes(lambda x: np.sum(x, axis=1), 300, 4000) == [(300, 256)]  # a block a sum
    assert sizes(lambda x: np.sum(x, axis=0), 5000, 8) == [(19, 256), (1, 256)]
    assert sizes(lambda x: (x.sum(), x.max(), np.exp(x)), 100_000) == [(391, 256), (1, 256)]
    assert sizes(lambda x: (x / (x.sum() * 2.0), x.sum()), 100_000) == [(391, 256)] * 2  # no scalar has its own
    assert len(sizes(cv.value_and_grad(shaken), 100_000)) < 20  # each sum is written with the maximum beside it


def logistic(x):
    return np.log1p(np.exp(-x * 2.0)).sum() + (x * x).sum() * 0.1


def test_a_gradient_that_waits_for_no_sum_is_written_with_the_value():
    plan = cv.export_cuda(cv.value_and_grad(logistic), cv.ShapeDtype((10**6,), np.float32), name="f")
    assert [step.arguments for step in plan.steps] == [("x", "out1", "scratch0"), ("out0", "scratch0")]
    assert plan.arrays["scratch0"][0] < (10**5,)


def test_infinities_are_no_divisions():
    if nvrtc() is None:
        pytest.skip("NVRTC is missing: pip install nvidia-cuda-nvrtc-cu12")
    written = cv.export_cuda(lambda x: np.where(x > 0.0, np.nan, np.inf) * x, np.ones(200), name="f")
    assert "INFINITY" in written.source[written.source.index("extern") :]
    assert "div.rn" not in check_with_nvrtc(written.source)


def test_the_text_is_the_same_each_time():
    for fun, args in (PROGRAMS["reductions"], PROGRAMS["gradient of scans"]):
        assert len({cv.export_cuda(fun, *args, name="f").source for _ in range(3)}) == 1


def test_functions_that_are_called_often_are_no_copies():
    def chain(times):
        def f(x):
            for _ in range(times):
                x = np.sin(x)
            return x

        return cv.export_cuda(f, np.ones(500), name="f").source

    assert "__forceinline__ double cv_sin(" in chain(3) and "__noinline__ double cv_sin(" in chain(30)
    assert "__noinline__ double cv_sin_far(" in chain(1)  # large arguments are few


@needs_compiler
def test_threads_that_wait_at_different_barriers_are_found(tmp_path):
    text = """extern "C" __global__ void f(int *x)
    {
        if (threadIdx.x % 2) {
            __syncthreads();
        }
        x[threadIdx.x] = 1;
    }"""
    x = np.zeros(8, np.int32)
    library = THREADS.library(text, tmp_path, "f")
    with pytest.raises(AssertionError, match="threads of block 0 wait at different barriers"):
        THREADS.launch(library, "f", 1, 8, False, (ctypes.c_void_p * 1)(x.ctypes.data))


def test_loops_over_examples_have_a_thread_each():
    found = cv.export_cuda(cv.vmap(pendulum), STATES)
    assert max(s.grid * s.block for s in found.steps) >= 300
    loops = [part for part in found.source.split("__global__") if "cv_sin(" in part]
    assert len(loops) == 2 and "< 300" in loops[1] and "i3 < 12;" in loops[1]
    alone = cv.export_cuda(
        lambda s: cv.scan(lambda s, _: (s - np.mean(s, axis=0), None), s, None, length=12)[0], STATES)
    assert not any("blockIdx" in part for part in alone.source.split("__global__") if "< 12;" in part)


def test_what_is_refused():
    with pytest.raises(RuleError, match=r"a loop or branch holds `sort`, which has no .* form; .*\(at test_"):
        cv.export_cuda(lambda x: cv.scan(lambda s, _: (np.sort(s), None), x, None, length=3)[0], np.ones(4))
    with pytest.raises(DtypeError, match="export_cuda writes arrays of float64"):
        cv.export_cuda(lambda x: x, np.ones(3, complex))
    with pytest.raises(ValueError, match="export_cuda names a function"):
        cv.export_cuda(np.sin, 1.0, name="1")


def test_a_c_compiler_takes_the_shim(tmp_path):
    if THREADS.COMPILER is None:
        pytest.skip("no C++ compiler was found: install g++")
    path = tmp_path / "shim.cpp"
    path.write_text(THREADS.SHIM)
    subprocess.run([THREADS.COMPILER, "-fsyntax-only", str(path)], check=True)
