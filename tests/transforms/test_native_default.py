"""Native code as what `jit` chooses by itself: where, with which warnings, in threads, forks and under signals."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

import covector as cv
from covector.core.arrays import backend
from covector.core.errors import MissingLibraryError
from covector.transforms.compile.machine import engine

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
X = np.linspace(-1.0, 1.3, 1000)


def bumps(x):
    return np.sum(np.tanh(x) * np.exp(-x * x))


def masked(x):  # an infinity that reaches no output
    return np.where(x > 0.0, np.log(np.abs(x)) * 2.0, 0.0) + np.tanh(x)


def is_native(f, *args):
    return "define ptr @call(" in f.lower(*args).source


def test_what_gains_by_it_is_native():
    assert is_native(cv.jit(bumps), X) and is_native(cv.jit(cv.grad(bumps)), X)
    assert not is_native(cv.jit(lambda x: x * 3.0 + 1.0), 1.0)
    assert not is_native(cv.jit(lambda x: np.sort(x)), X)
    both = cv.jit(lambda x: np.sort(bumps(x) * np.sin(x)))
    assert is_native(both, X) and "sort(" in both.lower(X).source
    np.testing.assert_allclose(both(X), np.sort(bumps(X) * np.sin(X)), 1e-12)


def test_loops_around_native_code_carry_what_began_as_a_number():
    def moved(x):  # whether it goes on is True at first, and of the type that comparisons have in later steps
        return cv.jit(lambda x, n: cv.fori_loop(0, n, lambda i, c: np.sin(c), x, max_steps=3))(x, 1)

    def pushed(x):
        return cv.linearize(moved, x)[1](np.cos(x))

    x = X[:4]
    np.testing.assert_allclose(cv.jvp(cv.jit(pushed), (x,), (x,))[1], -2.0 * x * np.sin(x) * np.cos(x))


def test_native_code_is_switched_off(without_native):
    assert not is_native(cv.jit(bumps), X)
    assert is_native(cv.jit(bumps, compiler_options={"printer": "llvm"}), X)


@pytest.mark.parametrize("absent", ["not installed", "cannot be imported", "no code for the processor"])
def test_without_llvm_nothing_changes(monkeypatch, absent):
    def missing():
        raise ImportError("no shared library")

    def refuse():
        raise RuntimeError("no available targets")

    if absent == "not installed":
        monkeypatch.setattr(backend, "_INSTALLED", {"llvmlite": None})
    if absent == "no code for the processor":
        monkeypatch.setattr(engine.machine().llvm().Target, "from_default_triple", refuse)
        monkeypatch.setattr(engine.machine(), "about", None)
    else:
        monkeypatch.setitem(backend._LOADERS, "llvmlite", (missing, "llvm"))
        monkeypatch.setattr(backend, "_LOADED", {})
    monkeypatch.setattr(backend, "_TOLD", set())
    monkeypatch.setenv("COVECTOR_CACHE", "0")
    f = cv.jit(lambda x: np.cosh(x) * 3.125 * bumps(x))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert not is_native(f, X) and np.allclose(f(X), np.cosh(X) * 3.125 * bumps(X))
            f.clear_cache()
    assert len(caught) == (absent != "not installed")
    assert all("slower by that: " in str(w.message) for w in caught)
    with pytest.raises(MissingLibraryError, match=r"no shared library|this processor, .* \(no available targets\)"):
        cv.jit(bumps, compiler_options={"printer": "llvm"})(X)


def test_small_programs_never_load_llvm():
    text = textwrap.dedent("""
        import sys
        import numpy as np, covector as cv
        for i in range(20):
            assert cv.jit(lambda x: x * i + 1)(2.0) == 2 * i + 1
            cv.jit(lambda x: x[i % 3 :])(np.ones(5))
        assert "llvmlite" not in sys.modules
        cv.jit(cv.grad(lambda x: np.sum(np.sin(x) * np.exp(x))))(np.ones(1000))
        assert "llvmlite" in sys.modules
    """)
    subprocess.run([sys.executable, "-P", "-c", text], check=True, env={**os.environ, "COVECTOR_CACHE": "0"})


def test_equal_arguments_give_equal_bits_in_every_call():
    f = cv.jit(cv.value_and_grad(bumps))
    first = f(X)
    for _ in range(5):
        value, slope = f(X)
        assert value == first[0] and np.array_equal(slope, first[1])


def test_code_of_dead_functions_is_freed():
    gc.collect()
    loaded = engine.machine().loaded
    before = len(loaded)
    for k in range(30):
        cv.jit(lambda x: np.sum(np.tanh(x) * np.exp(-x * x) * (k + 0.5)))(X)
        gc.collect()
        assert len(loaded) <= before + 4  # and the elementary functions that were new


def test_the_layout_of_arguments_does_not_matter():
    f = cv.jit(lambda x, y: np.tanh(x) * np.exp(y) + x * y)
    x, y = X.reshape(40, 25), np.cos(X).reshape(25, 40).T
    for a in (x, np.asfortranarray(x), x[::-1], x.view(np.dtype("f8", align=True))):
        for b in (y, y.copy()):
            np.testing.assert_allclose(f(a, b), np.tanh(a) * np.exp(b) + a * b, 1e-13)


def test_other_objects_of_a_dtype_are_taken():
    dtype = np.dtype("float64", metadata={"unit": "m"})
    x = X.astype(dtype)
    assert x.dtype is not X.dtype
    for printer in ("llvm", "auto"):
        assert cv.jit(bumps, compiler_options={"printer": printer})(x) == cv.jit(
            bumps, compiler_options={"printer": printer})(X)


@pytest.mark.parametrize("printer", ["auto", "llvm"])
def test_an_error_state_that_raises_is_honoured(printer):
    f = cv.jit(masked, compiler_options={"printer": printer})
    x = np.zeros(1000)
    assert is_native(f, x)
    for _ in range(3):
        assert f(x)[0] == 0.0  # no output shows the infinity
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            f(x)
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            f(x)
        with np.errstate(under="raise"), pytest.raises(FloatingPointError):
            cv.jit(lambda x: np.exp(x) * bumps(x))(x - 740.0)
        with np.errstate(all="ignore"):
            assert f(x)[0] == 0.0
        told = []
        with np.errstate(all="call", call=lambda kind, flag: told.append(kind)):
            f(x)
        assert told
    old = np.seterr(divide="raise")
    try:
        with pytest.raises(FloatingPointError):
            f(x)
    finally:
        np.seterr(**old)
    assert f(x)[0] == 0.0


@pytest.mark.parametrize("state", ["ignore", "warn", "raise"])
def test_error_states_inside_the_function(state):
    def fun(x):
        with np.errstate(all=state, under="ignore"):
            y = masked(x)
        return y + np.tanh(y * 3.0)

    f = cv.jit(fun)
    assert is_native(f, X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if state == "raise":
            with pytest.raises(FloatingPointError):
                f(np.zeros(1000))
        else:
            f(np.zeros(1000))
    assert not caught


def test_threads_with_error_states_of_their_own():
    f, x, wrong = cv.jit(masked), np.zeros(1000), []

    def run(state):
        for _ in range(200):
            with np.errstate(all=state):
                try:
                    f(x)
                    if state == "raise":
                        wrong.append("nothing was raised")
                except FloatingPointError:
                    if state != "raise":
                        wrong.append("raised")

    threads = [threading.Thread(target=run, args=(state,)) for state in ("raise", "ignore") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_warnings_that_are_errors_never_end():
    f = cv.jit(lambda x: np.log(x) * bumps(x))
    x = np.zeros(1000)
    assert is_native(f, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(40):
            with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
                f(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isnan(f(x)[0])


def test_threads_make_the_first_call_together():
    wanted = cv.value_and_grad(bumps)(X)
    for k in range(3):
        f = cv.jit(cv.value_and_grad(lambda x, k=k: bumps(x) * (k + 1.0)))
        found, start = [], threading.Barrier(8)

        def run():
            start.wait()
            found.extend(f(X) for _ in range(5))

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 40
        for value, slope in found:
            assert value == found[0][0] and np.array_equal(slope, found[0][1])
        np.testing.assert_allclose(found[0][1], wanted[1] * (k + 1.0), 1e-12, 1e-14)


def native_code_after_a_fork():
    f = cv.jit(bumps)
    before = f(X)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(60)
            own = cv.jit(lambda x: np.sum(np.cos(x) * np.exp(x) * 0.375))
            good = f(X) == before and is_native(own, X) and np.isclose(own(X), np.sum(np.cos(X) * np.exp(X) * 0.375))
            status = 0 if good else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert f(X) == before


def forks_while_another_thread_compiles():
    done = threading.Event()

    def compile_on():
        k = 1.0
        while not done.is_set():
            k += 1.0
            cv.jit(lambda x: np.cos(k * x) + k, compiler_options={"printer": "llvm"})(X)

    cv.jit(bumps)(X)
    thread = threading.Thread(target=compile_on)
    thread.start()
    try:
        for k in range(20):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    signal.alarm(60)  # ends the child where it waits for ever
                    own = cv.jit(lambda x: np.sum(np.cos(x) * np.exp(x) * (k + 0.125)))
                    status = 0 if np.isclose(own(X), np.sum(np.cos(X) * np.exp(X) * (k + 0.125))) else 2
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("program", [native_code_after_a_fork, forks_while_another_thread_compiles])
def test_forks(program):  # in a process of their own: other libraries of this one may have threads
    command = [sys.executable, "-P", __file__, program.__name__]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("size", [2, 30, 3000])
@pytest.mark.parametrize("reverse", [False, True])
def test_a_signal_ends_a_long_scan(size, reverse):
    def fun(x, steps):
        return cv.scan(lambda s, _: (np.sin(s) * 1.01 + np.cos(s[::-1]), None), x, None, length=steps,
                       reverse=reverse)[0]

    f = cv.jit(fun, static_argnums=1)
    x = np.linspace(0.1, 0.9, size)
    np.testing.assert_allclose(f(x, 7), fun(x, 7), 1e-12)
    steps = 20_000_000_000 // size  # minutes
    assert is_native(f, x, steps)
    timer = threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            f(x, steps)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_long_scan_that_is_watched_gives_the_same():
    def fun(x):
        return cv.scan(lambda s, t: (np.sin(s) + t, s[0]), x[:3], np.linspace(0.0, 1.0, 1_000_000))

    one, other = cv.jit(fun)(X), fun(X[:3])
    np.testing.assert_allclose(one[0], other[0], 1e-9)
    np.testing.assert_allclose(one[1], other[1], 1e-9)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
