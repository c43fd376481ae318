"""`jit(f).explain(*args)`: what runs in native code, what NumPy runs, and why."""

import numpy as np
import pytest

import covector as cv

X = np.ones((6, 6))


def looped(x):
    return cv.scan(lambda c, _: (np.tanh(c + np.linalg.eigvalsh(c + c.T)[0]) * 0.5, None), x, None, length=500)[0]


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
    assert ("loop", "scan of 500 rounds, in Python") in found.parts
    assert ("NumPy", "`eigvalsh` of f64[6, 6]: no native form") in found.parts
    assert "native code between NumPy calls" in str(found) and repr(found) == str(found)


def test_one_native_function():
    pytest.importorskip("llvmlite", reason="native code needs llvmlite: pip install 'covector[llvm]'")
    found = cv.jit(lambda x: cv.scan(lambda c, _: (np.tanh(c @ c), None), x, None, length=50)[0]).explain(X)
    assert found.parts == [("native", "scan: 1 operation, 1 of them loops, 288 bytes read")]
    assert "complex" not in str(found)
    parts = cv.jit(lambda x: np.abs(np.fft.fft(x))).explain(np.ones(1000)).parts
    assert parts[0] == ("NumPy", "`dft` of f64[1000]: no native form for c128")


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
