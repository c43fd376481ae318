"""A second array library that refuses silent conversion: every primitive and the transforms compute with it."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector.core.errors import BackendError
from covector.testing import check
from covector.transforms.interpreters import basis


def beside(name):
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"backends_{name}", Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


stand_in, programs, layers = beside("strict"), beside("programs"), beside("layers").LAYERS
Array = stand_in.Array
X, W = programs.X, programs.W


@pytest.fixture(autouse=True, scope="module")
def _imported():
    """The library is there for these tests alone: the generic checker looks at every loaded backend."""
    sys.modules["strict_arrays"] = stand_in.strict
    yield
    del sys.modules["strict_arrays"]


def strict(value):
    return Array(np.array(value))


@pytest.mark.parametrize("name", programs.PRIMITIVES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_primitive_computes_with_strict_arrays(name):
    for mode in programs.MODES:
        for ours, theirs in programs.primitive_runs(name, mode, strict):
            programs.same(ours, theirs, Array, mode)


@pytest.mark.parametrize("name", programs.EVERYWHERE)
def test_checker_compares_with_the_loaded_backend(name):
    assert check(name, stages=["backends"]) > 0


@pytest.mark.parametrize("name", sorted(layers))
def test_layer_computes_with_strict_arrays(name):
    layer = layers[name]
    want = layer(X)
    ct = np.cos(np.arange(want.size)).reshape(want.shape)
    for ours, theirs in (
        (layer(strict(X)), want),
        (cv.vjp(layer, strict(X))[1](strict(ct)), cv.vjp(layer, X)[1](ct)),
        (cv.jvp(layer, (strict(X),), (strict(X),)), cv.jvp(layer, (X,), (X,))),
    ):
        programs.same(ours, theirs, Array)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_transform_computes_with_strict_arrays(name):
    run = programs.PROGRAMS[name]
    programs.same(run(strict(X), strict(W)), run(X, W), Array)


@pytest.mark.parametrize("name", [name for name in programs.PROGRAMS if "jac" in name or "hessian" in name])
def test_bases_kept_as_units_compute_with_strict_arrays(name, monkeypatch):
    monkeypatch.setattr(basis, "FEW", 0)
    run = programs.PROGRAMS[name]
    programs.same(run(strict(X), strict(W)), run(X, W), Array)


MIXED = {
    "times": lambda x, y: x * y,
    "plus": lambda x, y: x + y,
    "minus, the other way round": lambda x, y: y - x,
    "broadcast": lambda x, y: x * y[0],
    "divide": lambda x, y: x / y,
    "power": lambda x, y: x**y,
    "matmul": lambda x, y: x @ y.T,
    "where": lambda x, y: np.where(y > 0, x, y),
    "stack": lambda x, y: np.stack([x, y]),
    "maximum": lambda x, y: np.maximum(x, y),
    "compare": lambda x, y: x * (x > y),
    "written": lambda x, y: x.at[0].set(y[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("transform", ["grad", "grad of both", "jvp", "vmap"])
def test_arrays_of_two_libraries_in_one_operation_are_refused(name, transform):
    fun, x, y = MIXED[name], strict(X), X + 1.0
    with pytest.raises(BackendError, match="numpy and strict|strict and numpy"):
        if transform == "grad":
            cv.grad(lambda x: fun(x, y).sum())(x)
        elif transform == "grad of both":
            cv.grad(lambda x, y: fun(x, y).sum(), (0, 1))(x, y)
        elif transform == "jvp":
            cv.jvp(lambda x: fun(x, y), (x,), (x,))
        else:
            cv.vmap(lambda x: fun(x.reshape((1, 3)), y[:1]))(x)


@pytest.mark.parametrize("value", [np.arange(3), [np.arange(3)], (slice(None), np.arange(2))], ids=repr)
def test_the_stand_in_refuses_arrays_of_numpy_as_indices_and_as_keywords(value):
    with pytest.raises(TypeError, match="NumPy array of shape"):
        strict(X.ravel())[value]
    with pytest.raises(TypeError, match="NumPy array of shape"):
        stand_in.strict.take(strict(X), indices=value)
    with pytest.raises(TypeError, match="NumPy array of shape"):
        stand_in.strict.sum(strict(X), where=value)


def test_importing_covector_loads_no_other_array_library():
    code = "import covector, sys; sys.exit(any(m in sys.modules for m in ('cupy', 'torch', 'jax', 'scipy')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("transform", [cv.grad, lambda f: lambda x: cv.jvp(f, (x,), (x,)), cv.value_and_grad])
def test_debug_nans_looks_at_strict_arrays(transform):
    x = np.ones(6)
    x[3] = -2.0
    with cv.debug_nans(), np.errstate(all="ignore"), pytest.raises(FloatingPointError, match=r"^log produced a NaN "
                                                                                             r"from x: "
                                                                   r"f64\[6\] = .* … \(-2.0 at \[3\]\)"):
        transform(lambda x: cv.numpy.log(x).sum())(strict(x))


def test_debug_nans_goes_backward_on_strict_arrays():
    with cv.debug_nans(), np.errstate(all="ignore"), pytest.raises(FloatingPointError, match="the pullback of sqrt"):
        cv.grad(lambda x: (cv.numpy.sqrt(x) * 0.0).sum())(strict([4.0, 0.0]))
    with cv.debug_nans():
        programs.same(cv.grad(lambda x: (x * x)[1:].sum())(strict(X)), cv.grad(lambda x: (x * x)[1:].sum())(X), Array)


def test_indices_that_are_traced():
    x, k = strict(X.T), strict(np.array([2, 0, 1]))
    found = cv.vmap(lambda k: cv.numpy.take(x, k, axis=0))(k)
    assert isinstance(found, Array) and np.array_equal(found.get(), X.T[[2, 0, 1]])
    found = cv.jit(lambda x, k: (x[k], np.take(x, k, axis=0)))(x, k)
    assert all(isinstance(a, Array) and np.array_equal(a.get(), X.T[[2, 0, 1]]) for a in found)


def test_a_compiled_function_is_staged_for_each_library_also_where_it_is_traced():
    f = cv.jit(lambda x: np.pad(x, 1).sum() + (x.T[0] @ cv.numpy.ones(len(x), like=x)) ** 2)
    for transform in (cv.grad, cv.jacrev, cv.hessian):
        wanted = transform(f)(X)
        for _ in range(2):
            programs.same(transform(f)(strict(X)), wanted, Array)
            assert np.array_equal(transform(f)(X), wanted)
    batch = np.stack([X, X + 1])
    programs.same(cv.vmap(f)(strict(batch)), cv.vmap(f)(batch), Array)


@pytest.mark.parametrize("make", [lambda x: np.ones(3, like=x), lambda x: np.eye(3, like=x)[0] + 0.0,
                                  lambda x: np.full(3, 1.0, like=x), lambda x: np.arange(3.0, like=x),
                                  lambda x: cv.numpy.zeros(3, like=x) + 1.0, lambda x: np.tri(3, like=x)[2]])
def test_arrays_made_like_a_traced_value_are_of_its_library(make):
    batch = np.arange(6.0).reshape(2, 3)
    fun = lambda x: (x @ make(x)) ** 2  # noqa: E731
    for transform in (cv.grad, cv.jit, lambda f: cv.jit(cv.grad(f))):
        programs.same(transform(fun)(strict(batch[0])), transform(fun)(batch[0]), Array)
    programs.same(cv.vmap(fun)(strict(batch)), cv.vmap(fun)(batch), Array)
