"""What the CuPy backend changes in CuPy's namespace, tried on a stand-in that refuses what CuPy refuses."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from covector.backends.cupy_ import CUPY


def _argsort(x, axis=-1, kind=None):
    if kind not in (None, "stable"):
        raise ValueError("kind can only be None or 'stable'")
    if not x.ndim:
        raise ValueError("sorting arrays with the rank of zero is not supported")
    return np.argsort(x, axis=axis, kind="stable")


def _solve(a, b):
    if a.ndim not in (b.ndim, b.ndim + 1) or a.shape[:-1] != b.shape[: a.ndim - 1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M) or (..., M, K)")
    if a.ndim == b.ndim + 1:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return np.linalg.solve(a, b)


@pytest.fixture
def xp():
    names = ("zeros", "broadcast_to", "exp", "sort", "abs", "copysign", "nextafter", "full_like", "take_along_axis")
    cupy = SimpleNamespace(**{n: getattr(np, n) for n in names}, argsort=_argsort,
                           linalg=SimpleNamespace(solve=_solve, inv=np.linalg.inv))
    return CUPY.namespace(cupy)


@pytest.mark.parametrize("kind", [None, "stable", "quicksort", "mergesort"])
def test_argsort_takes_every_kind_and_0d_arrays(xp, kind):
    x = np.array([[3.0, 1.0, 2.0]])
    np.testing.assert_array_equal(xp.argsort(x, axis=1, kind=kind), [[1, 2, 0]])
    assert xp.argsort(np.array(1.0), kind=kind).shape == ()


PAIRS = [
    ((3, 3), (3, 2)), ((2, 3, 3), (3, 2)), ((3, 3), (2, 3, 1)), ((2, 3, 3), (3, 3)), ((2, 1, 3, 3), (4, 3, 2)),
    ((0, 2, 2), (2, 1)), ((0, 0), (0, 2)), ((3, 3), (3, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_solve_broadcasts_as_numpy_does(xp, a, b):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=a) + 3 * np.eye(a[-1]), rng.normal(size=b)
    np.testing.assert_allclose(xp.linalg.solve(a, b), np.linalg.solve(a, b))


def test_solve_of_single_precision_stays_so(xp):
    assert xp.linalg.solve(np.eye(2, dtype="f4"), np.ones((2, 1), "f4")).dtype == np.float32


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
    assert xp.exp is np.exp and xp.linalg.inv is np.linalg.inv
    with pytest.raises(AttributeError):
        xp.no_such_function


def test_cupy_is_not_imported_by_looking_it_up():
    assert "cupy" not in sys.modules or CUPY.array_types(sys.modules["cupy"])
