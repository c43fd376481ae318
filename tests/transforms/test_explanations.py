"""`jit(f).explain(*args)`: what runs in native code, what NumPy runs, and why."""

import warnings

import numpy as np
import pytest

import covector as cv
from covector.core.errors import PerformanceWarning

X = np.ones((6, 6))


def looped(x):
    return cv.scan(lambda c, _: (np.tanh(c + np.sort(c, axis=0)[0]) * 0.5, None), x, None, length=150)[0]


def test_numpy_and_floats_that_were_asked_for():
    found = cv.jit(lambda x: np.sin(x) * x, compiler_options={"printer": "numpy"}).explain(X)
    assert [how for how, _ in found.parts] == ["NumPy", "NumPy"]
    first, *lines = str(found).splitlines()
    assert first == "<lambda>(f64[6, 6]) -> f64[6, 6]: NumPy calls, as asked; 576 bytes go in and out"
    assert lines[0].startswith("  NumPy   `sin` of f64[6, 6] (at test_explanations.py:")
    found = cv.jit(lambda x: x * x + x * x, compiler_options={"printer": "scalar"}).explain(2.0)
    assert found.parts == [("floats", "multiply, add: 2 operations, 8 bytes read")]
    large = cv.jit(lambda x: np.sum(np.sin(x) * x + 1.0), compiler_options={"printer": "numpy"})
    assert large.explain(np.ones(1_000_000)).parts[0][0] == "fused"


def test_a_loop_in_python_names_what_keeps_it_there():
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
    found = cv.jit(looped).explain(X)
    assert ("loop", "scan of 150 rounds, in Python") in found.parts
    assert ("NumPy", "`sort` of f64[6, 6]: no native form") in found.parts
    assert "native code between NumPy calls" in str(found) and repr(found) == str(found)


def smallest(c, _=None):
    return c + np.sort(c)[0], None


def told(run, *args):
    """The messages of the warnings that a call gives, and their lines."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run(*args)
    assert all(w.category is PerformanceWarning for w in found)
    return [(str(w.message), w.filename) for w in found]


def test_a_long_loop_in_python_warns_once_for_each_place():
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
    x = np.ones(6)
    long = cv.jit(lambda x: cv.scan(smallest, x, None, length=500)[0])
    [(message, file)] = told(long, x)
    assert message.startswith("jit of <lambda> runs a scan of 500 rounds in Python, for `sort` of f64[6] (at "
                              "test_explanations.py:") and file == __file__
    assert told(long, x) == told(long, np.ones(7)) == []  # the place was named
    [(message, _)] = told(cv.jit(lambda x: cv.while_loop(lambda c: c[0] < 5, lambda c: smallest(c)[0], x)), x)
    assert "a while of any number of rounds" in message
    nested = cv.jit(lambda x: cv.scan(lambda c, _: cv.scan(smallest, c, None, length=20), x, None, length=20)[0])
    assert len(told(nested, x)) == 1


def test_loops_that_need_no_warning():
    """Of few rounds, of large arrays, of calls that were asked for, of native code, and where none was asked for."""
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")

    def looped(body, length=500, **options):
        return cv.jit(lambda x: cv.scan(body, x, None, length=length)[0], **options)

    assert told(looped(smallest, 50), np.ones(6)) == []
    assert told(looped(smallest, 300), np.ones(20_000)) == []
    assert told(looped(lambda c, _: (np.tanh(c), None)), np.ones(6)) == []
    assert told(looped(lambda c, _: (cv.debug.callback(lambda c: None, c), (c * 2, None))[1]), np.ones(6)) == []
    assert told(looped(smallest, compiler_options={"printer": "numpy"}), np.ones(6)) == []


def test_one_native_function():
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
    found = cv.jit(lambda x: cv.scan(lambda c, _: (np.tanh(c @ c), None), x, None, length=50)[0]).explain(X)
    assert found.parts == [("native", "scan: 1 operation, 1 of them loops, 288 bytes read")]
    assert "complex" not in str(found)
    parts = cv.jit(lambda x: np.abs(np.fft.fft(x))).explain(np.ones(5000)).parts
    assert parts[0] == ("NumPy", "`dft` of f64[5000]: no native form for c128")


def test_shapes_alone_are_explained():
    spec = cv.ShapeDtype((3,), np.float64)
    assert str(cv.jit(lambda x: x + 1.0).explain(spec)).startswith("<lambda>(f64[3]) -> f64[3]: ")


def test_loops_on_floats_and_branches_are_told_apart(monkeypatch):
    monkeypatch.setenv("COVECTOR_NATIVE", "0")
    looped = cv.jit(lambda x: cv.fori_loop(0, 50, lambda i, c: c * 1.1 + 1.0, x) + np.sort(np.ones(3) * x)[0])
    found = looped.explain(2.0)
    assert ("floats", "scan: 1 operation, 1 of them loops, 8 bytes read") in found.parts
    parts = cv.jit(lambda x: cv.cond(x.sum() > 0, np.sort, lambda x: x, x)).explain(np.ones(100)).parts
    assert ("branch", "cond, in Python") in parts and ("NumPy", "`sort` of f64[100]") in parts
