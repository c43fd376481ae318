"""Calls of native code: what it takes and gives, threads, memory, warnings, and what it does without LLVM."""

import ctypes
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
import weakref

import numpy as np
import pytest

import covector as cv
from covector.core.arrays import backend
from covector.core.errors import MissingLibraryError
from covector.transforms.compile.call import callable as native_callable
from covector.transforms.compile.machine import blas, layouts

pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
NATIVE = {"printer": "llvm"}
X = np.linspace(-1.0, 1.3, 40)


def native(fun, **options):
    return cv.jit(fun, compiler_options=NATIVE, **options)


def bumps(x):
    return np.sum(np.tanh(x) * np.exp(-x * x))


@pytest.mark.parametrize("x", [
    X[::2], X[::-1], X.reshape(5, 8).T, np.asfortranarray(X.reshape(5, 8)), X.astype(">f8"), X.astype(np.float32),
    np.array(0.5), np.float64(0.5), np.float32(0.5), 0.5, 2, np.arange(5), X.astype(np.longdouble),
    np.frombuffer(b"\0" + X.tobytes(), np.float64, 30, 1), X[3:3].sum(), X.astype(np.float16), X + 1j], ids=repr)
def test_any_array_and_number_is_taken(x):
    for fun in (bumps, cv.grad(bumps) if np.asarray(x).dtype.kind == "f" else bumps):
        wanted, f = fun(x), native(fun)
        for _ in range(2):
            found = f(x)
            assert found.shape == wanted.shape and found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, 1e-3 if found.dtype.itemsize < 8 else 1e-13)


def test_subclasses_are_refused_as_without_native_code():
    class Mine(np.ndarray):
        pass

    wanted, found = bumps(X.view(Mine)), native(bumps)(X.view(Mine))
    np.testing.assert_allclose(found, wanted, 1e-13)


def test_a_signature_that_was_seen_and_another():
    f = native(bumps)
    for x in (X, X[:7], X.reshape(8, 5), X.astype(np.float32), X, X[::2], X):
        np.testing.assert_allclose(f(x), bumps(x), 1e-5)


def test_outputs_share_no_memory():
    f = native(lambda x, y: (x, x, x.T, y * 2.0, np.zeros(3), x[1:]))
    x, y = X.reshape(8, 5), X[:3]
    outs = [*f(x, y), *f(x, y)]
    for k, one in enumerate(outs):
        assert one.flags.writeable and one.flags.owndata or one.base is not None
        assert not np.may_share_memory(one, x) and not np.may_share_memory(one, y)
        assert not any(np.may_share_memory(one, other) for other in outs[:k])
    outs[4][:] = 9.0
    np.testing.assert_array_equal(f(x, y)[4], np.zeros(3))


@pytest.mark.parametrize("size", [4, 40, 100_000])
def test_threads_call_at_the_same_time(size):
    x = np.linspace(-1.0, 1.0, size)
    f = native(cv.value_and_grad(lambda x: np.sum(np.cumsum(np.sin(x)) * np.exp(x)) + np.sum((x * x)[::-1] * x)))
    wanted = [f(x + k) for k in range(4)]
    wrong = []

    def run(k):
        for _ in range(20):
            value, slope = f(x + k)
            if value != wanted[k][0] or not np.array_equal(slope, wanted[k][1]):
                wrong.append(k)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_function_that_calls_itself():
    def fun(x, depth):
        if depth == 0:
            return np.sum(np.sin(x))
        inner = cv.host_callback(lambda y: np.asarray(f(y, depth - 1)), np.zeros(()), x)
        return np.sum(np.cos(x)) + inner

    f = native(fun, static_argnums=1)
    assert np.isclose(f(X, 2), 2 * np.sum(np.cos(X)) + np.sum(np.sin(X)))


CASTS = {
    "alone": lambda x: x.astype(np.int32),
    "of halves": lambda x: x.astype(np.float32).astype(np.int32) + 1,
    "summed": lambda x: np.sum((2.0 * x).astype(np.int64).astype(float)),
    "in a loop": lambda x: cv.fori_loop(0, 3, lambda i, c: c + (x * c.astype(float)).astype(np.int64),
                                             x.astype(int) * 0),
    "in a branch": lambda x: cv.cond(x[0] > 0, lambda x: (x + 1.0).astype(np.int32),
                                       lambda x: x.astype(np.int32) * 0, x),
    "in a gradient": cv.grad(lambda x: np.sum(x * x.astype(np.int32))),
}


@pytest.mark.parametrize("size", [3, 1000])
@pytest.mark.parametrize("far", [None, 1e20, -1e20, 2.0**63, np.nan, -np.inf])
@pytest.mark.parametrize("name", CASTS)
def test_casts_to_integers_warn_as_they_do_eagerly(name, far, size):
    x = np.linspace(0.5, 1.5, size)
    if far is not None:
        x[size // 2] = far
    found = []
    for f in (CASTS[name], native(CASTS[name])):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f(x)
        found.append({str(w.message) for w in caught})
    assert found[0] == found[1]


def test_warnings_of_outputs_that_are_not_finite():
    f = native(lambda x: np.log(x) * 2.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        np.testing.assert_array_equal(f(np.array([1.0, 0.0])), [0.0, -np.inf])
    assert ["divide by zero encountered in log"] == [str(w.message) for w in caught]
    with np.errstate(all="ignore"):
        for _ in range(40):
            np.testing.assert_array_equal(f(np.array([1.0, 0.0])), [0.0, -np.inf])
    np.testing.assert_array_equal(f(np.array([1.0, 1.0])), [0.0, 0.0])


@pytest.mark.parametrize("transform", [cv.grad, cv.jacfwd, cv.hessian, cv.vmap, lambda f: cv.jvp(
    f, (X,), (X,))[1] and f])
def test_transforms_of_native_code(transform):
    def fun(x):
        return np.sum(np.sin(x) ** 2) + np.prod(1.0 + 0.1 * x)

    x = X.reshape(8, 5) if transform is cv.vmap else X[:6]
    for f in (transform(native(fun)), native(transform(fun))):
        np.testing.assert_allclose(f(x), transform(fun)(x), 1e-12)


def test_loops_and_branches():
    def fun(x, n):
        state, rows = cv.scan(lambda s, r: ((s[1] + r, s[0] * 0.5), s[0] - r), (x[0], x[1]), x, reverse=True)
        swapped = cv.fori_loop(0, n, lambda k, s: (s[1], s[0] + k), state)
        last = cv.while_loop(lambda s: np.sum(s) < 1e4, lambda s: s * 2.0 + 1.0, swapped[0] ** 2)
        return cv.cond(np.sum(last) > 0, lambda a: (a * 2.0, rows), lambda a: (a, rows * 0.0), last)

    for shape in ((5,), (5, 3), (4, 40)):
        x = np.linspace(0.1, 1.0, int(np.prod(shape))).reshape(shape)
        for n in (0, 3):
            for one, other in zip(native(fun)(x, n), fun(x, n)):
                np.testing.assert_allclose(one, other, 1e-12)


@pytest.mark.parametrize("shapes", [
    ((3, 4), (4, 5)), ((30, 40), (40, 50)), ((300,), (300,)), ((30, 400), (400,)), ((400,), (400, 30)),
    ((7, 30, 40), (40, 50)), ((7, 30, 40), (7, 40, 50)), ((30, 1), (1, 50)), ((2, 1, 30, 40), (3, 40, 50)),
    ((6, 3, 4), (6, 4, 2)), ((1, 5000), (5000, 3)), ((20, 400), (400, 1))], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products(shapes, dtype):
    rng = np.random.default_rng(0)
    x, y = [rng.normal(size=s).astype(dtype) for s in shapes]

    def fun(x, y):
        p = x @ y
        turned = [np.swapaxes(a, -1, -2) if a.ndim > 1 else a for a in (x, y)]
        q = turned[1] @ turned[0] if min(x.ndim, y.ndim) > 1 else p
        part = (x[..., ::-1] @ y[..., ::-1, :]) if y.ndim > 1 else p
        return p + 1.0, q, part, np.sin(x[..., : x.shape[-1] // 2 or 1]) @ y[..., : x.shape[-1] // 2 or 1, :] if (
            y.ndim > 1) else p

    for one, other in zip(native(fun)(x, y), fun(x, y)):
        np.testing.assert_allclose(one, other, 0, 1e-12 if dtype is np.float64 else 2e-4)


def test_products_without_the_library(monkeypatch):
    blas.products_library.cache_clear()
    monkeypatch.setattr(blas, "_FORMS", ("no_such_{}",))
    try:
        f = native(lambda x, y: np.tanh(np.sin(x) @ y))
        x, y = np.ones((30, 40)), np.full((40, 50), 0.01)
        np.testing.assert_allclose(f(x, y), np.tanh(np.sin(x) @ y), 1e-13)
        assert "dot(" in f.lower(x, y).source
    finally:
        monkeypatch.undo()
        blas.products_library.cache_clear()


def test_the_call_in_python(monkeypatch):
    layouts.functions.cache_clear()
    monkeypatch.setattr(layouts, "_lies_as_known", lambda: False)
    try:
        f = native(lambda x, n: (np.sum(np.tanh(x) * n), x * n, np.log(x)))
        for x in (X, X[::2], X.astype(np.float32), np.float64(2.0), 3.0):
            with np.errstate(all="ignore"):
                for one, other in zip(f(x, 2), (np.sum(np.tanh(x) * 2), x * 2, np.log(x))):
                    np.testing.assert_allclose(one, other, 1e-6)
    finally:
        monkeypatch.undo()
        layouts.functions.cache_clear()


@pytest.mark.parametrize("size", [2, 15, 16, 17, 31, 100, 4096, 8192, 8195, 100_003])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_reductions(size, dtype):
    rng = np.random.default_rng(size)
    x = rng.uniform(-1.0, 1.0, size).astype(dtype)
    y = rng.uniform(-1.0, 1.0, (size, 3)).astype(dtype)

    def fun(x, y):
        z = x * 2.0
        return (z.sum(), z.max(), z.min(), (z > 0).any(), (z > 5).all(), y.sum(0), y.max(1), (y * y).sum(1),
                np.prod(1 + z[:20] / 8), (y.T + 1).sum(0), np.sum(y))

    limit = {"rtol": 1e-12, "atol": 1e-12} if dtype is np.float64 else {"rtol": 2e-6, "atol": 2e-4}
    exact = fun(x.astype(np.float64), y.astype(np.float64))  # NumPy's own sum over rows loses digits in float32
    for one, other in zip(native(fun)(x, y), exact):
        np.testing.assert_allclose(one, other, **limit)
    exact = float(np.sum(x.astype(np.longdouble)))
    assert abs(float(native(np.sum)(x)) - exact) <= 50 * np.finfo(dtype).eps * np.sum(np.abs(x)) / size**0.5


@pytest.mark.parametrize("exponent", [0.5, 1.5, -0.5, -1.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_that_are_roots(exponent, dtype):
    top = np.finfo(dtype).max
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1.0, 2.0, 0.3, top, 1 / top, -top, 1e-30, 1e30], dtype)

    def fun(x):  # finite outputs: NumPy does not run again
        p = x**exponent
        return np.where(np.isfinite(p), p, 0.0), np.isnan(p), p == np.inf

    with np.errstate(all="ignore"):
        for one, other in zip(native(fun)(np.tile(x, 3)), fun(np.tile(x, 3))):
            np.testing.assert_allclose(one, other, 1e-6 if dtype is np.float32 else 1e-15)


def test_nan_and_zeros_in_reductions():
    x = np.ones(100)
    x[37] = np.nan
    assert np.isnan(native(np.max)(x)) and np.isnan(native(np.min)(x)) and np.isnan(native(np.sum)(x))
    assert native(np.max)(np.full(100, -np.inf)) == -np.inf


def test_a_signal_ends_a_loop_without_end():
    f = native(lambda x: cv.while_loop(lambda s: s < 10.0, lambda s: s * 0.5, x))
    assert f(20.0) == 20.0
    timer = threading.Timer(0.2, signal.raise_signal, (signal.SIGINT,))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            f(1.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert f(20.0) == 20.0


LONG = {
    "counted": lambda x, n: cv.fori_loop(0, 10 ** 12, lambda i, c: np.sin(c) + 0.1, x),
    "counted, traced": lambda x, n: cv.fori_loop(0, n, lambda i, c: np.sin(c) + 0.1, x),
    "scanned": lambda x, n: cv.scan(lambda c, _: (np.sin(c) + 0.1, None), x, None, length=10 ** 12)[0],
    "conditional": lambda x, n: cv.while_loop(lambda c: np.sum(c) > -1.0, lambda c: np.sin(c) ** 2, x),
    "short inside": lambda x, n: cv.fori_loop(
        0, 10 ** 12, lambda i, c: cv.while_loop(lambda d: d[0] < 1.0, lambda d: d * 1.5 + 1e-3, c * 0.3), x),
    "counted inside": lambda x, n: cv.fori_loop(
        0, 10 ** 12, lambda i, c: cv.fori_loop(0, 30, lambda j, d: d * 0.9 + j, c), x),
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("size", [1, 20_000])
def test_a_signal_ends_a_loop_for_years(name, size):
    f = native(LONG[name])
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    x = np.full(size, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 1.5)  # longer than it takes to compile
            f(x, 10 ** 12)
            f(x, 10 ** 12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    plain = native(lambda x: cv.fori_loop(0, 3, lambda i, c: np.sin(c), x))
    np.testing.assert_allclose(plain(x), np.sin(np.sin(np.sin(x))))


def test_integers_that_do_not_fit():
    f = native(lambda x, n: x + n)
    assert f(np.arange(3, dtype=np.int32), 5).tolist() == [5, 6, 7]
    with pytest.raises(OverflowError):
        f(np.arange(3, dtype=np.int32), 2**40)
    assert f(np.arange(3), 2**40)[0] == 2**40
    with pytest.raises(OverflowError):
        f(np.arange(3), 2**70)


def test_one_odd_operation_leaves_the_rest_native():
    def fun(x):
        y = np.sort(np.sin(x) * 2.0)
        return np.sum(np.exp(y) * y), np.linalg.det(np.outer(y[:3], y[:3]) + np.eye(3))

    f = native(fun)
    for one, other in zip(f(X), fun(X)):
        np.testing.assert_allclose(one, other, 1e-12)
    source = f.lower(X).source
    assert source.startswith("def run(") and "loop" in source and "define ptr @call" in source


def test_code_goes_with_the_function():
    f = native(lambda x: np.sin(x) * 2.0)
    f(X)
    found = weakref.ref(f)
    del f
    gc.collect()
    assert found() is None


def test_without_llvm(monkeypatch):
    def missing():
        raise ImportError("no module named llvmlite")

    monkeypatch.setitem(backend._LOADERS, "llvmlite", (missing, "llvm"))
    monkeypatch.setattr(backend, "_LOADED", {})
    monkeypatch.setattr(backend, "_INSTALLED", {"llvmlite": None})
    with pytest.raises(MissingLibraryError, match=r"pip install 'covector\[llvm\]', or leave.*native_call"):
        native(bumps)
    assert np.isfinite(cv.jit(bumps)(X))


def test_llvm_is_imported_when_it_is_asked_for():
    text = textwrap.dedent("""
        import sys
        import numpy as np, covector as cv
        cv.jit(lambda x: x[1:])(np.ones(3))
        assert "llvmlite" not in sys.modules
        cv.jit(lambda x: np.sin(x), compiler_options={"printer": "llvm"})(np.ones(3))
        assert "llvmlite" in sys.modules
    """)
    subprocess.run([sys.executable, "-P", "-c", text], check=True,
                   env=os.environ | {"COVECTOR_CACHE": "0"})  # what is in the cache needs no LLVM


def test_descriptions_of_functions_outlive_their_tables(monkeypatch):
    """A collection of garbage may empty a table before it frees the function, which reads its description then."""
    places, seen = {}, []

    class Last:
        __slots__ = ()

        def __del__(self):
            seen.append(ctypes.c_void_p.from_address(places[id(self)]).value)

    def noted(address, table, make=native_callable.c_function):
        function, last = make(address, table), Last()
        places[id(last)] = id(function) + 16  # m_ml, behind the reference count and the type
        table.kept.append(last)
        return function

    monkeypatch.setattr(native_callable, "c_function", noted)
    gc.collect()
    gc.disable()
    try:
        native(lambda x: np.sin(x) * 0.765 + np.cos(x))(np.ones(5))
        gc.collect()
    finally:
        gc.enable()
    assert seen and set(seen) <= {ctypes.addressof(method) for method in native_callable._METHODS.values()}


PARTS = {
    "norm": np.linalg.norm, "real": lambda z: np.sin(z.real) * np.cos(X) + X, "imag": lambda z: np.exp(z.imag) * X + X,
    "absolute": lambda z: np.abs(z.astype(complex)) * X + np.where(X > z.real, X, z.real), "std": np.std,
    "angle": lambda z: np.angle(z) * X + np.hypot(z.real, X),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("dtype", [">c8", ">c16", np.complex64, np.clongdouble])
def test_parts_of_complex_arrays_have_the_dtype_that_numpy_gives(name, dtype):
    def loss(z):
        return np.sum(PARTS[name](z) ** 2)

    z = (X + 1j * X[::-1] ** 2).astype(dtype)
    for fun in (PARTS[name], cv.vmap(PARTS[name], in_axes=None, axis_size=2), cv.grad(loss)):
        wanted = fun(z)
        for found in (native(fun)(z), cv.jit(fun, compiler_options={"printer": "numpy"})(z)):
            assert found.dtype == wanted.dtype.newbyteorder("=") or found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-4)
