"""CuPy: every primitive in every mode and the transforms compute on the GPU what they compute with NumPy."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import covector as cv
from covector.backends.cupy_ import CUPY
from covector.core.errors import BackendError
from covector.testing import check

if importlib.util.find_spec("cupy") is None:
    pytest.skip("CuPy is not installed: nothing ran on a GPU (pip install -e '.[cuda12]')", allow_module_level=True)

import cupy

if not cupy.is_available():
    pytest.skip("CuPy finds no CUDA device: nothing ran on a GPU", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("backends_programs", Path(__file__).with_name("programs.py"))
programs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(programs)
_spec = importlib.util.spec_from_file_location("backends_layers", Path(__file__).with_name("layers.py"))
layers = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(layers)
X, W = programs.X, programs.W
pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("mode", programs.MODES)
@pytest.mark.parametrize("name", programs.PRIMITIVES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_primitive_computes_with_cupy(name, mode):
    for ours, theirs in programs.primitive_runs(name, mode, cupy.asarray):
        programs.same(ours, theirs, cupy.ndarray)


@pytest.mark.parametrize("name", programs.PRIMITIVES)
def test_checker_compares_with_cupy(name):
    assert check(name, stages=["backends"]) > 0


@pytest.mark.parametrize("name", sorted(layers.LAYERS))
def test_layer_computes_with_cupy(name):
    layer = layers.LAYERS[name]
    for ours, theirs in zip(cv.vjp(layer, cupy.asarray(X))[:1], cv.vjp(layer, X)[:1], strict=True):
        programs.same(ours, theirs, cupy.ndarray)
    slope = cv.grad(lambda x: layer(x).sum())
    programs.same(slope(cupy.asarray(X)), slope(X), cupy.ndarray)


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_transform_computes_with_cupy(name):
    run = programs.PROGRAMS[name]
    programs.same(run(cupy.asarray(X), cupy.asarray(W)), run(X, W), cupy.ndarray)


@pytest.mark.parametrize("fun", [cupy.tanh, cupy.sqrt, cupy.sum, lambda x: cupy.stack([x, x]), lambda x: x @ x.T])
def test_functions_of_cupy_itself_differentiate(fun):
    ours = cv.grad(lambda x: fun(x).sum())(cupy.asarray(X))
    theirs = cv.grad(lambda x: getattr(np, getattr(fun, "__name__", ""), fun)(x).sum())(X) if fun in (
        cupy.tanh, cupy.sqrt, cupy.sum) else None
    assert isinstance(ours, cupy.ndarray)
    if theirs is not None:
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


@pytest.mark.parametrize("fun", [lambda x: x * X, lambda x: X * x, lambda x: np.maximum(x, X), lambda x: x @ X.T])
def test_arrays_of_numpy_and_cupy_in_one_operation_are_refused(fun):
    with pytest.raises(BackendError, match="numpy and cupy|cupy and numpy"):
        cv.grad(lambda x: fun(x).sum())(cupy.asarray(X))


def test_cupy_on_the_left_of_a_traced_value_defers_to_it():
    c = cupy.asarray(X)
    gradient = cv.grad(lambda x: (c * x + c - c / x).sum())(c)
    np.testing.assert_allclose(gradient.get(), X + 1 / X, rtol=1e-12)


def test_results_stay_on_the_device_they_came_from():
    value, gradient = cv.value_and_grad(lambda x: (x * x).sum())(cupy.asarray(X))
    assert isinstance(value, cupy.ndarray) and gradient.device == cupy.asarray(X).device


def test_what_cupy_lacks_is_in_its_namespace():
    xp = CUPY.namespace(cupy)
    for kind in (None, "stable", "quicksort"):
        assert xp.argsort(cupy.asarray(X), axis=0, kind=kind).shape == X.shape
    stack = cupy.eye(3)[None] + cupy.zeros((2, 3, 3))
    assert xp.linalg.solve(stack, cupy.ones((3, 2))).shape == (2, 3, 2)
    assert xp.linalg.solve(cupy.zeros((0, 2, 2)), cupy.ones((2, 1))).shape == (0, 2, 1)


def shaken(x):
    for _ in range(4):
        x = x / np.sum(x) + np.max(x)
    return x


KERNELS = {
    "elementwise": (lambda x: np.exp(-x * x) * np.tanh(x), (200_000,)),
    "sums": (lambda x: (np.sum(x * x), np.max(x, axis=0), np.sum(x, axis=1)), (900, 70)),
    "recorded": (shaken, (20_000,)),
    "calls": (lambda x: (np.linalg.inv(x @ x.T + np.eye(60) * x[0, 0]) @ np.tanh(x), np.sort(x, axis=0)), (60, 60)),
    "loop": (lambda x: cv.scan(lambda s, _: (s + 0.01 * np.sin(s), s[0]), x, None, length=20), (3,)),
    "loops": (cv.vmap(lambda x: cv.scan(lambda s, _: (s + 0.01 * np.sin(s), s[0]), x, None, length=20)), (300, 3)),
    "gradient": (cv.grad(lambda x: np.sum(np.log1p(np.tanh(x) ** 2))), (5000,)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_jit_compute_what_numpy_does(name, dtype):
    fun, shape = KERNELS[name]
    compiled = cv.jit(fun, compiler_options={"printer": "cuda"})
    tolerance = 1e-10 if dtype is np.float64 else 2e-3
    for seed in range(3):  # compiled, recorded, replayed
        x = np.random.default_rng(seed).uniform(1.0, 2.0, size=shape).astype(dtype)
        found, wanted = cv.tree.leaves(compiled(cupy.asarray(x))), cv.tree.leaves(fun(x))
        for ours, theirs in zip(found, wanted, strict=True):
            assert isinstance(ours, cupy.ndarray) and ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=tolerance)


def test_kernels_of_jit_differentiate_and_run_on_streams():
    compiled = cv.jit(lambda x: np.sum(shaken(x)), compiler_options={"printer": "cuda"})
    x = np.random.default_rng(0).uniform(1.0, 2.0, size=3000)
    for stream in (cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream.null):
        with stream:
            for _ in range(3):
                slope = cv.grad(compiled)(cupy.asarray(x))
                np.testing.assert_allclose(slope.get(), cv.grad(lambda x: np.sum(shaken(x)))(x), rtol=1e-9, atol=1e-12)
