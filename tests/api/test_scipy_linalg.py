"""covector.scipy.linalg: SciPy's values, derivatives, stacks of matrices, and what is refused."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ShapeError
from covector.scipy import linalg
from covector.testing import check_grads

theirs = pytest.importorskip("scipy.linalg")

RNG = np.random.default_rng(3)
A = RNG.normal(size=(4, 4)) + 4.0 * np.eye(4)
POSITIVE = A @ A.T
HERMITIAN = POSITIVE + 1j * (np.triu(A, 1) - np.triu(A, 1).T)
B, ROWS = RNG.normal(size=4), RNG.normal(size=(4, 2))


@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_triangular_systems(trans, lower, unit):
    facts = {"trans": trans, "lower": lower, "unit_diagonal": unit}
    for a in (A, A + 1j * RNG.normal(size=(4, 4))):
        for b in (B, ROWS):
            np.testing.assert_allclose(linalg.solve_triangular(a, b, **facts), theirs.solve_triangular(a, b, **facts))
    for b in (B, ROWS):
        check_grads(lambda a, b: linalg.solve_triangular(a, b, **facts), (A, b))
    other = np.tril(np.ones((4, 4)), -1 if not unit else 0) > 0
    slope = cv.grad(lambda a: linalg.solve_triangular(a, B, **facts).sum())(A)
    assert not slope[other.T if lower else other].any()


def test_cholesky_factors():
    for a in (POSITIVE, HERMITIAN):
        for lower in (False, True):
            np.testing.assert_allclose(linalg.cholesky(a, lower), theirs.cholesky(a, lower), atol=1e-12)
            factor = linalg.cho_factor(a, lower)
            assert factor[1] is lower
            for b in (B, ROWS):
                np.testing.assert_allclose(linalg.cho_solve(factor, b), np.linalg.solve(a, b))
                np.testing.assert_allclose(linalg.cho_solve(theirs.cho_factor(a, lower), b), np.linalg.solve(a, b))
    for lower in (False, True):
        check_grads(lambda a, b, lower=lower: linalg.cho_solve(linalg.cho_factor(a + a.T, lower), b), (POSITIVE, ROWS))


def test_stacks_of_matrices():
    many = np.stack([POSITIVE, 2.0 * POSITIVE])
    found = linalg.cho_solve(linalg.cho_factor(many), np.stack([ROWS, ROWS]))
    np.testing.assert_allclose(found, np.linalg.solve(many, ROWS))
    np.testing.assert_allclose(cv.vmap(lambda a: linalg.cho_solve(linalg.cho_factor(a), B))(many),
                               [np.linalg.solve(a, B) for a in many])
    np.testing.assert_allclose(linalg.expm(many / 50.0), [theirs.expm(a) for a in many / 50.0])
    np.testing.assert_allclose(cv.vmap(linalg.expm)(many / 50.0), linalg.expm(many / 50.0))


@pytest.mark.parametrize("scale", [0.0, 1e-3, 0.3, 1.0, 5.0])
def test_exponentials(scale):
    a = scale * (A - 4.0 * np.eye(4))
    np.testing.assert_allclose(linalg.expm(a), theirs.expm(a), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(linalg.expm(1j * a), theirs.expm(1j * a), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(cv.make_graph(linalg.expm)(A)(a), theirs.expm(a), rtol=1e-11, atol=1e-12)
    da = RNG.normal(size=(4, 4))
    want = theirs.expm_frechet(a, da, compute_expm=False)
    np.testing.assert_allclose(cv.jvp(linalg.expm, (a,), (da,))[1], want, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(cv.make_graph(lambda a, da: cv.jvp(linalg.expm, (a,), (da,))[1])(A, A)(a, da), want,
                               rtol=1e-9, atol=1e-10)
    if scale <= 1.0:
        check_grads(linalg.expm, (a,))


def test_sizes_of_exponentials():
    assert linalg.expm(np.zeros((0, 0))).shape == (0, 0)
    graph = cv.make_graph(linalg.expm)(np.eye(2))
    np.testing.assert_allclose(graph(np.diag([-2e5, -1.0])), np.diag([0.0, np.exp(-1.0)]), rtol=1e-10, atol=1e-300)
    assert np.isnan(graph(-1e7 * np.eye(2))).all()
    with pytest.raises(ShapeError, match=r"expm needs square matrices \(…, n, n\), but got shape \(2, 3\); use np.exp"):
        linalg.expm(np.ones((2, 3)))


def test_matrices_of_a_pattern():
    parts = [np.ones((2, 3)), 2.0, np.array([3.0, 4.0])]
    np.testing.assert_array_equal(linalg.block_diag(*parts), theirs.block_diag(*parts))
    assert linalg.block_diag().shape == theirs.block_diag().shape
    check_grads(linalg.block_diag, (A[:2], B))
    for c, r in (([1.0, 2.0, 3.0], None), ([1.0, 2.0], [9.0, 4.0, 5.0]), ([1j, 2.0 + 1j], None), ([1.0], [1.0])):
        np.testing.assert_array_equal(linalg.toeplitz(c, r), theirs.toeplitz(c, r))
    check_grads(linalg.toeplitz, (B, ROWS[:, 0]))
    np.testing.assert_array_equal(cv.vmap(linalg.toeplitz)(A)[1], theirs.toeplitz(A[1]))


def test_shapes_that_do_not_fit():
    with pytest.raises(ShapeError, match=r"solve_triangular needs a of shape.*\(4, 4\) and \(3,\); reshape b"):
        linalg.solve_triangular(A, B[:3])
    with pytest.raises(ValueError, match=r'solve_triangular supports trans=0 or "N".*but got \'X\'; choose one'):
        linalg.solve_triangular(A, B, "X")
    with pytest.raises(ShapeError, match=r"block_diag needs matrices, but got shape \(1, 1, 1\); use vmap"):
        linalg.block_diag(np.ones((1, 1, 1)))
    with pytest.raises(ShapeError, match=r"toeplitz needs vectors, but got shapes \(4, 4\) and \(4, 4\); use vmap"):
        linalg.toeplitz(A)
    with pytest.raises(np.linalg.LinAlgError):
        linalg.cho_factor(-POSITIVE)
