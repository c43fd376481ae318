"""Triangular systems of more than one block, and the derivative of large Cholesky factors."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ShapeError, SquareError
from covector.core.ops.linalg import decompositions, triangular
from covector.core.ops.linalg.triangular import factor_solve, solve_triangular

RNG = np.random.default_rng(5)
N = 150


def system(trans, lower, unit, dtype=float):
    """A matrix, and what of it is read."""
    a = RNG.normal(size=(N, N)) / 30.0 + 2.0 * np.eye(N)
    if dtype is complex:
        a = a + 1j * RNG.normal(size=(N, N)) / 30.0
    a = a.astype(dtype)
    read = np.tril(a, -unit) if lower else np.triu(a, unit)
    read = read + np.eye(N) if unit else read
    return a, (read, read.T, read.conj().T)[trans].astype(dtype)


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_solutions_and_cotangents_are_those_of_general_systems(trans, lower, unit, dtype):
    a, matrix = system(trans, lower, unit, dtype)
    tolerance = 1e-3 if dtype is np.float32 else 1e-9
    for k in (1, 3):
        b, ct = RNG.normal(size=(2, N, k)).astype(dtype)
        x, pullback = cv.vjp(lambda a, b: solve_triangular(a, b, lower, trans, unit), a, b)
        np.testing.assert_allclose(x, np.linalg.solve(matrix, b), rtol=tolerance, atol=tolerance)
        assert x.dtype == dtype
        by_a, by_b = pullback(ct)
        np.testing.assert_allclose(by_b, np.linalg.solve(matrix.T, ct), rtol=tolerance, atol=tolerance)
        da, db = RNG.normal(size=(N, N)).astype(dtype), RNG.normal(size=(N, k)).astype(dtype)
        tangent = cv.jvp(lambda a, b: solve_triangular(a, b, lower, trans, unit), (a, b), (da, db))[1]
        both = np.sum(by_a * da) + np.sum(by_b * db)
        np.testing.assert_allclose(np.sum(ct * tangent).real, both.real, rtol=10 * tolerance, atol=tolerance)
        assert not (np.triu(by_a, 1 - unit) if lower else np.tril(by_a, unit - 1)).any()


def test_the_other_triangle_is_not_read():
    a, matrix = system(0, True, True)
    b = RNG.normal(size=(N, 2))
    dirty = a + np.triu(np.full((N, N), np.nan))
    np.testing.assert_allclose(solve_triangular(dirty, b, True, 0, True), np.linalg.solve(matrix, b))


def test_stacks_broadcast_and_map():
    a, matrix = system(0, False, False)
    b = RNG.normal(size=(4, 1, N, 2))
    many = np.stack([a, 2.0 * a])
    want = np.linalg.solve(np.stack([matrix, 2.0 * matrix]), b)
    np.testing.assert_allclose(solve_triangular(many, b, False, 0, False), want)
    mapped = cv.vmap(lambda b: cv.vmap(lambda a: solve_triangular(a, b[0], False, 0, False))(many))(b)
    np.testing.assert_allclose(mapped, want)
    np.testing.assert_allclose(cv.vmap(lambda b: solve_triangular(a, b[0], False, 0, False))(b), want[:, 0])


@pytest.mark.parametrize("lower", [False, True])
def test_solution_does_not_depend_on_the_scale_of_the_equations(lower):
    """Elimination with exchanges of rows would choose others; substitution gives the same to the last bit."""
    a, _ = system(0, lower, False)
    b = RNG.normal(size=(N, 2))
    scale = 2.0 ** RNG.integers(-40, 40, N)[:, None]
    np.testing.assert_array_equal(solve_triangular(scale * a, scale * b, lower, 0, False),
                                  solve_triangular(a, b, lower, 0, False))


def test_what_is_refused():
    a = np.triu(np.ones((N, N)))
    a[70, 70] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        solve_triangular(a, np.ones((N, 1)), False, 0, False)
    with pytest.raises(SquareError, match="square matrices"):
        cv.make_graph(lambda a: solve_triangular(a, a, False, 0, False))(np.ones((2, 3)))
    with pytest.raises(ShapeError, match="needs b of shape"):
        cv.make_graph(lambda a: solve_triangular(a, np.ones((3, 1)), False, 0, False))(np.ones((2, 2)))


@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("n", [65, 128, 150, 300])
def test_cotangent_of_a_large_cholesky_factor(n, dtype):
    a = RNG.normal(size=(n, n))
    a = (a @ a.T / n + np.eye(n)).astype(dtype)
    ct = RNG.normal(size=(n, n)).astype(dtype)
    lower, pullback = cv.vjp(np.linalg.cholesky, a)
    want = decompositions._cholesky_vjp(ct.astype(float), np.linalg.cholesky(a.astype(float)))
    np.testing.assert_allclose(pullback(ct)[0], want, rtol=1e-9 if dtype is float else 1e-2,
                               atol=1e-9 if dtype is float else 1e-3)


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("n", [3, N])
def test_solutions_by_a_factor_are_those_of_its_product_with_its_adjoint(n, dtype):
    factor = np.tril(RNG.normal(size=(n, n)) / n + 2.0 * np.eye(n)).astype(dtype)
    factor = factor + 1j * np.tril(RNG.normal(size=(n, n)) / n, -1) if dtype is complex else factor
    b, ct = RNG.normal(size=(2, n, 2)).astype(dtype)
    product = factor @ factor.conj().T
    x, pullback = cv.vjp(factor_solve, factor, b)
    np.testing.assert_allclose(x, np.linalg.solve(product, b), rtol=1e-9, atol=1e-12)
    by_general = cv.vjp(lambda l, b: np.linalg.solve(l @ cv.numpy.conj(l).swapaxes(-1, -2), b), factor, b)[1](ct)
    for ours, theirs in zip(pullback(ct), by_general):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


def test_systems_turned_in_memory_and_singular_ones_are_as_others():
    a, matrix = system(0, True, False)
    b = RNG.normal(size=(N, 3))
    np.testing.assert_allclose(solve_triangular(np.asfortranarray(a), b, True, 0, False), np.linalg.solve(matrix, b))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        solve_triangular(np.diag([1.0, 0.0]), np.ones((2, 1)), True, 0, False)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_systems_have_one_solution_with_and_without_blas(monkeypatch, dtype, lower, unit):
    rng = np.random.default_rng(0)
    for n, k in ((1, 1), (7, 3), (120, 2)):
        a = (rng.normal(size=(n, n)) / n + 2 * np.eye(n)).astype(dtype) * (1 + 0.5j if dtype == "c16" else 1)
        b = rng.normal(size=(n, k)).astype(dtype)
        for given in (a, np.asfortranarray(a)):
            found = triangular.substitute(np, given, b, lower, unit)
            with monkeypatch.context() as without:
                without.setattr(triangular, "triangular_solver", lambda dtype: None)
                other = triangular.substitute(np, given, b, lower, unit)
            assert found.dtype == b.dtype
            np.testing.assert_allclose(found, other, rtol=1e-4 if dtype == "f4" else 1e-11, atol=1e-6)
    if not unit:
        with pytest.raises(np.linalg.LinAlgError):
            triangular.substitute(np, np.zeros_like(a), b, lower, unit)
