"""Large nests of native code in ranges: the same results on any number of threads, and without any."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import covector as cv
from covector.transforms.compile.machine.engine import has_threads

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
LINE = np.linspace(-2.0, 2.0, 1_000_013)


def sums(x):
    y = np.sin(x) * x
    return (y + 1.0).sum(0), y.sum(-1), np.exp(y).max(0), y.min(), (y > 0.5).any(-1)


PROGRAMS = {
    "elementwise": (lambda x: np.tanh(x) * 2.0 + 1.0, (1_000_013,)),
    "sum": (lambda x: np.sum(np.cos(x) * np.exp(-x * x)), (1_000_013,)),
    "gradient": (cv.value_and_grad(lambda x: np.sum(np.tanh(x) * np.exp(-x * x) + np.log1p(x * x))), (1_000_013,)),
    "sums of rows and columns": (sums, (1000, 1000)),
    "sums of few rows": (sums, (5, 200_000)),
    "sums of a cube": (sums, (17, 61, 1000)),
    "turned": (lambda x: np.sin(x).T * x + x[0], (1000, 1000)),
    "a number for all": (lambda x: np.sin(x) * x[3, 5] + x.sum() * (x[1, 1] > 0), (1000, 1000)),
    "a flag for all": (lambda x: np.where(x[1, 1] > 0, x, np.cos(x)), (1000, 1000)),
    "in a loop": (lambda x: cv.fori_loop(0, 3, lambda k, c: np.sin(c) + x, x), (1000, 1000)),
    "in a branch": (lambda x: cv.cond(x[0, 0] < 0, lambda x: np.sin(x) * 2.0 - x, lambda x: x, x), (1000, 1000)),
    "not compact": (lambda x: np.sin(x[:, ::2]) * x[::-1, 1::2], (2000, 1000)),
}


@pytest.mark.skipif(not has_threads(), reason="the C library has no threads of its own: pthread_create is missing")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_number_of_threads(name, dtype, monkeypatch):
    fun, shape = PROGRAMS[name]
    x = np.resize(LINE, shape).astype(dtype)
    outs, texts = [], []
    for threads in ("1", "2", "3", "40", ""):
        monkeypatch.setenv("COVECTOR_NUM_THREADS", threads)
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        f = cv.jit(fun, compiler_options={"printer": "llvm"})
        found = f(x)
        outs.append(found if isinstance(found, tuple) else (found,))
        texts.append("pthread_create" in f.lower(x).source)
    assert texts == [False, True, True, True, False]
    for found in outs[1:]:
        for one, other in zip(found, outs[0], strict=True):
            np.testing.assert_array_equal(one, other)
    wanted = fun(x.astype(np.float64))
    limit = 1e-10 if dtype is np.float64 else 2e-3
    for one, other in zip(outs[0], wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        np.testing.assert_allclose(one, other, limit, limit * np.abs(other).max())


@pytest.mark.parametrize(("given", "wanted"), [
    ({}, False), ({"OMP_NUM_THREADS": "2"}, True), ({"OMP_NUM_THREADS": "4,2"}, True),
    ({"OMP_NUM_THREADS": "1"}, False), ({"COVECTOR_NUM_THREADS": "1", "OMP_NUM_THREADS": "4"}, False),
    ({"COVECTOR_NUM_THREADS": "many"}, False),
    ({"COVECTOR_NUM_THREADS": "0"}, False)])
def test_how_many_threads(given, wanted, monkeypatch):
    for name in ("COVECTOR_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    f = cv.jit(PROGRAMS["sum"][0], compiler_options={"printer": "llvm"})
    assert ("pthread_create" in f.lower(LINE).source) == (wanted and has_threads())


def test_small_work_is_not_cut(monkeypatch):
    monkeypatch.setenv("COVECTOR_NUM_THREADS", "4")
    f = cv.jit(PROGRAMS["sum"][0], compiler_options={"printer": "llvm"})
    assert "pthread_create" not in f.lower(LINE[:100_000]).source


def test_an_alarm_from_a_range(monkeypatch):
    monkeypatch.setenv("COVECTOR_NUM_THREADS", "3")
    f = cv.jit(lambda x: np.log(x) * 2.0, compiler_options={"printer": "llvm"})
    x = np.ones(1_000_013)
    f(x)
    for place in (0, 700_000, -1):
        y = x.copy()
        y[place] = 0.0
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            assert f(y)[place] == -np.inf


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are those of Linux; forks, too")
def test_forks_and_systems_without_more_threads():
    """A child of a process that ran threads runs its own; where none can be made, the caller does all ranges."""
    text = textwrap.dedent("""
        import os, resource
        import numpy as np, covector as cv
        x = np.linspace(-2.0, 2.0, 1_000_013)
        f = cv.jit(lambda x: np.sum(np.tanh(x) * np.exp(-x * x)), compiler_options={"printer": "llvm"})
        f.lower(x).source
        used = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        first = None
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 20), hard))
        found = f(x)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        assert found == f(x)
        pid = os.fork()
        if not pid:
            os._exit(0 if f(x) == found else 1)
        assert os.waitpid(pid, 0)[1] == 0
    """)
    subprocess.run([sys.executable, "-P", "-c", text], check=True, env=os.environ | {"COVECTOR_NUM_THREADS": "3"})
