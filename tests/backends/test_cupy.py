"""CuPy: every primitive in every mode and the transforms compute on the GPU what they compute with NumPy."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.special

import covector as cv
from covector.backends.cupy_ import CUPY
from covector.core.arrays.backend import namespace_of, special_function
from covector.core.errors import BackendError, ConversionError
from covector.testing.cases import cases, find
from covector.testing.elsewhere import check_backends

if importlib.util.find_spec("cupy") is None:
    pytest.skip("CuPy is not installed: nothing ran on a GPU (pip install -e '.[cuda12]')", allow_module_level=True)

import cupy
import cupyx.scipy.special

if "stand-in" in cupy.__version__:
    pytest.skip("it is a stand-in for CuPy: nothing ran on a GPU", allow_module_level=True)
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
    for ours, theirs in programs.primitive_runs(name, mode, cupy.asarray, lacks):
        programs.same(ours, theirs, cupy.ndarray)


@pytest.mark.parametrize("name", programs.PRIMITIVES)
def test_checker_compares_with_cupy(name):
    found = cases(find(name))
    assert found
    for case in found:
        try:
            check_backends(case, np.random.default_rng(1))
        except BackendError as refusal:
            if not lacks(refusal, case.operands):
                raise


def lacks(refusal, operands):
    """Whether CuPy has no such special function, or has it for real arrays alone and got complex ones."""
    absent = re.match(r"(\w+) has no implementation on arrays of cupy", str(refusal))
    if absent:
        return absent[1] in ABSENT
    return str(refusal).startswith(tuple(f"{name} of CuPy does not take arrays of" for name in REAL_ALONE)) and any(
        np.iscomplexobj(x) for x in operands)


# Of CuPy 14; that a function is refused which CuPy has by now is noticed.
REAL_ALONE = ["erf", "erfc", "erfcx", "exp1", "expi", "log_ndtr", "ndtr"]
ABSENT = set("""airy dawsn ellipe erfi fresnel hyp0f1 hyp1f1 hyp2f1 hyperu iv ive jv kv kve ndtri_exp owens_t spence
    spherical_in spherical_jn spherical_kn stdtr stdtrit voigt_profile wofz wrightomega yv""".split())


def test_special_functions_that_are_refused_are_those_that_cupy_lacks():
    assert {name for name in ABSENT if hasattr(cupyx.scipy.special, name)} == set(), "no more refused"
    x = cupy.asarray(X)
    for name in ABSENT:
        with pytest.raises(BackendError, match=f"{name} has no implementation on arrays of cupy"):
            special_function(namespace_of([x]), name)
    for name in REAL_ALONE:
        fun = special_function(namespace_of([x]), name)
        np.testing.assert_allclose(fun(x).get(), getattr(scipy.special, name)(X), rtol=1e-9)
        with pytest.raises(BackendError, match=f"{name} of CuPy does not take arrays of complex128"):
            fun(x + 1j)


def test_orders_of_special_functions_are_those_of_scipy():
    x = cupy.asarray(X)
    for order in (-3, -2, -1, 0, 1, 4):
        for dtype in (np.float64, np.float32):
            found = cv.scipy.special.yn(order, x.astype(dtype))
            assert found.dtype == dtype
            np.testing.assert_allclose(found.get(), scipy.special.yn(order, X), rtol=1e-4 if dtype != X.dtype else 1e-9)
    n, m = np.array([[0], [2], [2], [3], [-1]]), np.array([[0], [2], [3], [-2], [0]])
    found = cv.scipy.special.sph_harm_y(cupy.asarray(n), cupy.asarray(m), x[0], x[1])
    np.testing.assert_allclose(found.get(), scipy.special.sph_harm_y(n, m, X[0], X[1]), rtol=1e-9, atol=1e-12)


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


@pytest.mark.parametrize("fun", [np.tanh, np.sqrt, np.sum, lambda x: np.stack([x, x * x]), lambda x: x @ x.T])
def test_functions_of_numpy_differentiate_on_arrays_of_cupy(fun):
    ours = cv.grad(lambda x: fun(x).sum())(cupy.asarray(X))
    assert isinstance(ours, cupy.ndarray)
    np.testing.assert_allclose(ours.get(), cv.grad(lambda x: fun(x).sum())(X), rtol=1e-12)



@pytest.mark.parametrize("fun", [cupy.tanh, cupy.sqrt, lambda x: cupy.maximum(x, 0.5), lambda x: cupy.stack([x, x])])
def test_functions_of_cupy_itself_raise(fun):
    with pytest.raises((TypeError, ConversionError)):
        cv.grad(lambda x: fun(x).sum())(cupy.asarray(X))


DTYPES = "? b h i q B H I Q e f d F D".split()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_at_places_are_numpys_for_every_dtype(dtype):
    rng = np.random.default_rng(0)
    index = rng.integers(0, 5, size=40)
    x = (rng.integers(-100, 100, size=(40, 3)) + (1j if dtype in "FD" else 0)).astype(dtype)
    for at in (index, index.reshape(8, 5), np.array(3)):
        rows = x.reshape(*at.shape, -1)[..., :3] if at.ndim else x[0]
        want, found = np.zeros((5, 3), dtype), cupy.zeros((5, 3), dtype)
        np.add.at(want, at, rows)
        CUPY.namespace(cupy).add.at(found, cupy.asarray(at), cupy.asarray(rows))
        assert found.dtype == want.dtype
        np.testing.assert_allclose(found.get(), want, rtol=1e-2 if dtype == "e" else 1e-6)


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
