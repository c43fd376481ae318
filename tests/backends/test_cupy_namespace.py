"""What the CuPy backend changes in CuPy's namespace, tried on a stand-in that refuses what CuPy refuses."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.special

from covector.backends.cupy_ import CUPY, Special
from covector.core.arrays.backend import BACKENDS, Backend
from covector.core.errors import BackendError
from covector.extend import Tracer
from covector.testing import check


def _argsort(x, axis=-1, kind=None):
    if kind not in (None, "stable"):
        raise ValueError("kind can only be None or 'stable'")
    if not x.ndim:
        raise ValueError("sorting arrays with the rank of zero is not supported")
    return np.argsort(x, axis=axis, kind="stable")


def _solve(a, b):
    if b.ndim == 1 and a.shape[-1] != b.size or b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b")
    return np.linalg.solve(a, b)


class _Add:
    def __call__(self, x, y):
        return np.add(x, y)

    def at(self, out, index, x):
        if out.dtype.name not in "int32 int64 float16 float32 float64 uint32 uint64".split():
            raise TypeError("cupy.add.at only supports int32, int64, float16, float32, float64, uint32, uint64")
        np.add.at(out, index, x)


def _sums_of_products(x, y, n, m, out):
    """The loop of the kernel."""
    assert x.dtype == y.dtype == out.dtype
    for i in range(out.size):
        first, last = 0 if i < n else i - n + 1, i if i < m else m - 1
        for k in range(first, last + 1):
            out[i] = out[i] + x[i - k] * y[k]
    return out


class _Array(np.ndarray):
    get = np.ndarray.copy


@pytest.fixture
def xp(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupyx", SimpleNamespace(errstate=lambda **named: nullcontext()))
    names = ("zeros", "broadcast_to", "exp", "sort", "abs", "copysign", "nextafter", "full_like", "take_along_axis",
             "asarray", "eye", "concatenate", "convolve")
    cupy = SimpleNamespace(**{n: getattr(np, n) for n in names}, argsort=_argsort, add=_Add(),
                           ElementwiseKernel=lambda *code: _sums_of_products,
                           linalg=SimpleNamespace(solve=_solve, inv=np.linalg.inv, eigvals=np.linalg.eigvals))
    return CUPY.namespace(cupy)


@pytest.mark.parametrize("kind", [None, "stable", "quicksort", "mergesort"])
def test_argsort_takes_every_kind_and_0d_arrays(xp, kind):
    x = np.array([[3.0, 1.0, 2.0]])
    np.testing.assert_array_equal(xp.argsort(x, axis=1, kind=kind), [[1, 2, 0]])
    assert xp.argsort(np.array(1.0), kind=kind).shape == ()


PAIRS = [
    ((3, 3), (3, 2)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1)), ((2, 3, 3), (3, 3)), ((2, 1, 3, 3), (4, 3, 2)),
    ((0, 2, 2), (2, 1)), ((0, 0), (0, 2)), ((3, 3), (3, 0)), ((3, 3), (3,)), ((2, 3, 3), (3,)), ((0, 2, 2), (2,)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_solve_broadcasts_as_numpy_does(xp, a, b):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=a) + 3 * np.eye(a[-1]), rng.normal(size=b)
    np.testing.assert_allclose(xp.linalg.solve(a, b), np.linalg.solve(a, b))


def test_solve_of_single_precision_stays_so(xp):
    assert xp.linalg.solve(np.eye(2, dtype="f4"), np.ones((2, 1), "f4")).dtype == np.float32


@pytest.mark.parametrize("dtype", "? b h i q B H I Q e f d F D".split())
def test_sums_at_places_are_numpys_for_every_dtype(xp, dtype):
    rng = np.random.default_rng(0)
    index = rng.integers(0, 5, size=(8, 5))
    x = (rng.integers(-100, 100, size=(2, 8, 5)) * (1 - 2j if dtype in "FD" else 1)).astype(dtype)
    found, want = np.ones((2, 5), dtype), np.ones((2, 5), dtype)
    xp.add.at(found, (slice(None), index), x)
    np.add.at(want, (slice(None), index), x)
    np.testing.assert_array_equal(found, want)
    assert found.dtype == want.dtype and xp.add(1, 2) == 3


@pytest.mark.parametrize(("x", "y"), [("d", "d"), ("f", "d"), ("f", "f"), ("D", "d"), ("d", "i"), ("e", "e")])
def test_convolution_sums_the_products(xp, x, y):
    x, y = np.arange(1.0, 8.0).astype(x), np.array([2, -1, 3]).astype(y)
    for one, other in ((x, y), (y, x), (x, x), (x[:1], y)):
        found, want = xp.convolve(one, other), np.convolve(one, other)
        assert found.dtype == want.dtype
        np.testing.assert_allclose(found, want, rtol=1e-6)
    if x.dtype.kind == "f":
        x[0] = np.inf
        np.testing.assert_array_equal(xp.convolve(x, y), np.convolve(x, y))


@pytest.mark.parametrize("p", [[1, -3, 2], [0, 0, 2.0, 1, 5, 0, 0], [0.0, 0], [3.0], [3.0, 0], [1, 2j, 3 - 1j]])
def test_roots_are_numpys(xp, p):
    p = np.array(p)
    found, want = xp.roots(p.view(_Array)), np.roots(p)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(want), rtol=1e-12)


@pytest.mark.parametrize("axis", [0, 1])
def test_lexsort_takes_several_keys_along_any_axis(xp, axis):
    keys = np.array([[3, 1, 1, 2], [0, 1, 1, 2]]), np.array([[1, 1, 0, 1], [1, 0, 1, 0]])
    np.testing.assert_array_equal(xp.lexsort(keys, axis=axis), np.lexsort(keys, axis=axis))


def test_absent_functions_of_digits_are_composed(xp):
    x = np.array([0.0, -1.0, 3.7, 1e300, -5e-324])
    np.testing.assert_array_equal(xp.spacing(x), np.spacing(x))
    n = np.array([0, 1, -7, 255, 2**40 + 1])
    np.testing.assert_array_equal(xp.bitwise_count(n), np.bitwise_count(n))
    assert xp.bitwise_count(n).dtype == np.bitwise_count(n).dtype


def test_all_other_names_are_those_of_cupy(xp):
    assert xp.exp is np.exp and xp.copysign is np.copysign
    with pytest.raises(AttributeError):
        xp.no_such_function


def test_cupy_is_not_imported_by_looking_it_up():
    assert "cupy" not in sys.modules or CUPY.array_types(sys.modules["cupy"])


def _real_alone(x):
    if x.dtype.kind == "c":
        raise TypeError("Wrong type ((dtype('complex128'),)) of arguments for cupyx_scipy_special_erf")
    return scipy.special.erf(x)


def _cuda_yn(n, x):
    assert (n.dtype, x.dtype) == (np.int32, np.float64)
    return np.where(n < 0, np.nan, scipy.special.yn(n, x))


def _harmonic(n, m, theta, phi):
    return np.where(abs(m) > n, np.nan, scipy.special.sph_harm_y(n, m, theta, phi))


SPECIAL = Special(SimpleNamespace(erf=_real_alone, yn=_cuda_yn, sph_harm_y=_harmonic))


def test_arrays_that_a_special_function_does_not_take_are_refused():
    x = np.ones(2)
    np.testing.assert_array_equal(SPECIAL.erf(x), scipy.special.erf(x))
    with pytest.raises(BackendError, match=r"erf of CuPy does not take arrays of complex128.*convert them"):
        SPECIAL.erf(x + 1j)
    assert not hasattr(SPECIAL, "airy")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bessel_functions_of_negative_orders_are_scipys(dtype):
    n, x = np.array([[-3.0], [-2], [-1], [0], [1], [2]]), np.array([0.0, 0.5, 3.0], dtype)
    found = SPECIAL.yn(n, x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, scipy.special.yn(n, x.astype(float)), rtol=1e-6)


def test_harmonics_above_their_degree_are_scipys():
    n, m = np.array([[0], [2], [2], [3], [-1]]), np.array([[0], [2], [3], [-4], [0]])
    theta, phi = np.array([0.3, 2.0, 1.0]), np.array([0.1, -1.0, 3.0])
    np.testing.assert_allclose(SPECIAL.sph_harm_y(n, m, theta, phi), scipy.special.sph_harm_y(n, m, theta, phi),
                               rtol=1e-12)


def test_cupy_is_not_told_how_to_convert_traced_values():
    """Its operators would ask for `__cupy_get_ndarray__` before they leave an operation to a traced value."""
    assert not hasattr(Tracer, "__cupy_get_ndarray__") and not hasattr(Tracer, "__cuda_array_interface__")


def test_a_library_without_a_device_is_left_out_of_the_checks(monkeypatch, caplog):
    def refuse(*args):
        raise RuntimeError("no device")

    backend = Backend(name="lame", module="lame_arrays", array_types=lambda module: (), namespace=refuse,
                      usable=lambda module: False)
    monkeypatch.setitem(sys.modules, "lame_arrays", SimpleNamespace())
    monkeypatch.setitem(BACKENDS, "lame", backend)
    assert check("sin", stages=["backends"]) > 0
    assert [r.message for r in caplog.records if "lame" in r.message] == [
        "lame is loaded, but finds no device that it can use: no rule is compared on its arrays"]
