"""cg, gmres and bicgstab of covector.scipy.sparse.linalg for systems that are given by a function."""

import numpy as np
import pytest

import covector as cv

linalg = pytest.importorskip("covector.scipy.sparse.linalg", reason="needs the extra `scipy`")

RNG = np.random.default_rng(3)
B = RNG.normal(size=(12, 12))
SYMMETRIC, OTHER = B @ B.T + 12 * np.eye(12), B + 8 * np.eye(12)
RIGHT = RNG.normal(size=12)
SYSTEMS = [("cg", SYMMETRIC), ("cg", SYMMETRIC + 1j * (B - B.T)), ("gmres", OTHER), ("gmres", OTHER + 1j * B.T),
           ("bicgstab", OTHER), ("bicgstab", OTHER + 1j * B.T)]


def solution(name, a, b, **options):
    return getattr(linalg, name)(lambda x: a @ x, b, rtol=1e-12, **options)[0]


@pytest.mark.parametrize(("name", "a"), SYSTEMS, ids=[f"{name}-{a.dtype}" for name, a in SYSTEMS])
def test_functions_are_solved_and_differentiated_like_their_matrices(name, a):
    b = RIGHT.astype(a.dtype)

    def total(solve):
        return lambda a, b: np.sum(abs(solve(a, b)) ** 2)

    def ours(a, b):
        return solution(name, a, b)

    np.testing.assert_allclose(ours(a, b), np.linalg.solve(a, b), rtol=1e-9)
    np.testing.assert_allclose(cv.vmap(ours, (None, 0))(a, np.stack([b, 2 * b])),
                               [np.linalg.solve(a, k * b) for k in (1, 2)], rtol=1e-9)
    expected = cv.grad(total(np.linalg.solve), (0, 1))(a, b)
    for gradient in (cv.grad(total(ours), (0, 1)), cv.jit(cv.grad(total(ours), (0, 1))),
                     cv.grad(cv.jit(total(ours)), (0, 1))):
        for found, known in zip(gradient(a, b), expected):
            np.testing.assert_allclose(found, known, rtol=1e-8, atol=1e-12)
    moved = cv.jvp(np.linalg.solve, (a, b), (a.T, b))[1]
    np.testing.assert_allclose(cv.jvp(ours, (a, b), (a.T, b))[1], moved, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab"])
def test_preconditioners_starting_points_and_what_solvers_tell(name):
    diagonal = 1.0 / np.diag(SYMMETRIC)
    expected = np.linalg.solve(SYMMETRIC, RIGHT)
    for given in (lambda v: diagonal * v, np.diag(diagonal)):
        np.testing.assert_allclose(solution(name, SYMMETRIC, RIGHT, M=given, x0=RIGHT), expected, rtol=1e-9)
        slope = cv.grad(lambda b: np.sum(solution(name, SYMMETRIC, b, M=given)))(RIGHT)
        np.testing.assert_allclose(slope, np.linalg.solve(SYMMETRIC, np.ones(12)), rtol=1e-8)
    few = {"restart": 2} if name == "gmres" else {}
    solver = getattr(linalg, name)
    assert int(solver(lambda x: SYMMETRIC @ x, RIGHT)[1]) == 0
    assert int(solver(lambda x: SYMMETRIC @ x, RIGHT, rtol=1e-12, maxiter=2, **few)[1]) == 2
    assert int(cv.jit(lambda b: solver(lambda x: SYMMETRIC @ x, b, rtol=1e-12, maxiter=2, **few)[1])(RIGHT)) == 2


@pytest.mark.parametrize("name", ["cg", "gmres", "bicgstab"])
def test_a_solved_system_and_a_zero_one_end_at_once(name):
    solver = getattr(linalg, name)
    np.testing.assert_array_equal(solver(lambda x: 2.0 * x, np.zeros(3))[0], np.zeros(3))
    np.testing.assert_allclose(solver(lambda x: 2.0 * x, np.ones(3))[0], np.full(3, 0.5))
    np.testing.assert_array_equal(solver(lambda x: 2.0 * x, np.ones(3), x0=np.full(3, 0.5))[0], np.full(3, 0.5))


def test_right_hand_sides_are_pytrees():
    weights = {"w": np.array([[1.0, 2.0], [3.0, 4.0]]), "b": np.array([5.0], np.float32)}

    def product(tree):
        return cv.tree.map(lambda x, w: w * x, tree, weights)

    out, info = linalg.cg(product, {"w": np.ones((2, 2)), "b": np.ones(1, np.float32)}, rtol=1e-12)
    np.testing.assert_allclose(out["w"], 1 / weights["w"])
    assert out["b"].dtype == np.float32 and int(info) == 0


def test_what_does_not_fit_is_said():
    with pytest.raises(ValueError, match=r"cg needs a function whose results are like b, of 3 elements.*2"):
        linalg.cg(lambda x: x[:2], np.ones(3))
    with pytest.raises(TypeError, match=r"gmres solves for values of the dtype of b, float64.*complex128; give b"):
        linalg.gmres(lambda x: 1j * x, np.ones(3))
    with pytest.raises(ValueError, match="bicgstab needs a starting point like b, of 3 elements, but got 2"):
        linalg.bicgstab(lambda x: 2.0 * x, np.ones(3), x0=np.ones(2))
    with pytest.raises(TypeError, match="cg does not support callback=.*omit it"):
        linalg.cg(lambda x: 2.0 * x, np.ones(3), callback=print)
