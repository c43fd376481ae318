"""Systems of equations of up to 16 rows in native code: loops of elimination, inside of loops, too."""

from functools import partial
from itertools import product

import numpy as np
import pytest

import covector as cv
from covector.scipy import linalg

scipy = pytest.importorskip("scipy.linalg")
pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")

LLVM = {"printer": "llvm"}


def matrix(n, dtype=float):
    """One that needs exchanges of rows: its first pivots are 0."""
    a = np.random.default_rng(n).normal(size=(n, n))
    a[0, 0] = a[1, 1] = 0.0
    return a.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [2, 5, 8, 16, 17])
def test_solutions_and_inverses_are_those_of_lapack(n, dtype):
    a, rng = matrix(n, dtype), np.random.default_rng(0)
    tolerance = 1e4 * np.finfo(dtype).eps
    for b in (rng.normal(size=n), rng.normal(size=(n, 3)), rng.normal(size=(n, n))):
        b = b.astype(dtype)
        found = cv.jit(np.linalg.solve, compiler_options=LLVM)(a, b)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, np.linalg.solve(a, b), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(cv.jit(np.linalg.inv, compiler_options=LLVM)(a), np.linalg.inv(a), rtol=tolerance,
                               atol=tolerance)


@pytest.mark.parametrize("n", [5, 9])
def test_a_loop_that_solves_is_one_native_program(n):
    a, x = matrix(n) + np.eye(n), np.ones(n)

    def run(a, x):
        return cv.scan(lambda x, _: (np.linalg.solve(a, x) + 0.1 * x, np.sum(np.linalg.inv(a + x[0]))), x, None,
                       length=4)

    compiled = cv.jit(run, compiler_options=LLVM)
    assert compiled.lower(a, x).source.startswith("; table")
    for found, expected in zip(compiled(a, x), run(a, x)):
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    slope = cv.grad(lambda a, x: np.sum(run(a, x)[0]), (0, 1))
    for found, expected in zip(cv.jit(slope)(a, x), slope(a, x)):
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("n", [5, 9])
def test_a_singular_matrix_raises_as_in_lapack(n):
    def run(a, x):
        return cv.scan(lambda x, _: (np.linalg.solve(a, x), None), x, None, length=2)[0]

    for fun in (np.linalg.solve, run):
        compiled = cv.jit(fun, compiler_options=LLVM)
        compiled(matrix(n), np.ones(n))
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            compiled(np.zeros((n, n)), np.ones(n))


@pytest.mark.parametrize("n", [3, 5])
def test_stacks_of_right_sides_are_those_of_numpy(n):
    a, rng = matrix(n), np.random.default_rng(0)
    for shape in ((n, n, 2), (2, n, 1), (n, n, n)):
        b = rng.normal(size=shape)
        np.testing.assert_allclose(cv.jit(np.linalg.solve, compiler_options=LLVM)(a, b), np.linalg.solve(a, b), 1e-9)
    rows = rng.normal(size=(n, n))
    each = cv.vmap(lambda b: np.linalg.solve(a, b))
    np.testing.assert_allclose(cv.jit(each, compiler_options=LLVM)(rows), each(rows), 1e-9)


def test_what_is_not_a_number_stays_so():
    a = matrix(6)
    a[3, 3] = np.nan
    np.testing.assert_array_equal(cv.jit(np.linalg.solve, compiler_options=LLVM)(a, np.ones(6)),
                                  np.linalg.solve(a, np.ones(6)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 5, 16])
def test_triangular_solutions_are_those_of_scipy(n, dtype):
    rng, tolerance = np.random.default_rng(n), 1e4 * np.finfo(dtype).eps
    a = (0.1 * rng.normal(size=(n, n)) + np.eye(n)).astype(dtype)
    for b in (rng.normal(size=n).astype(dtype), rng.normal(size=(n, 3)).astype(dtype)):
        for lower, trans, unit in product((False, True), (0, 1), (False, True)):
            solve = partial(linalg.solve_triangular, lower=lower, trans=trans, unit_diagonal=unit)
            run = cv.jit(solve, compiler_options=LLVM)
            expected = scipy.solve_triangular(a, b, lower=lower, trans=trans, unit_diagonal=unit)
            np.testing.assert_allclose(run(a, b), expected, rtol=tolerance, atol=tolerance)
            assert "NumPy" not in str(run.explain(a, b))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        cv.jit(lambda a: linalg.solve_triangular(a, np.ones(n, dtype)))(0 * a)
