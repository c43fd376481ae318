"""Linear systems solved by any method: custom_linear_solve."""

import numpy as np
import pytest

import covector as cv
from covector.testing import check_grads

A = np.array([[3.0, 1.0], [0.5, 2.0]])
B = np.array([1.0, -2.0])


def dense(matvec, b):
    return np.linalg.solve(cv.jacobian(matvec)(b), b)


def by_columns(matvec, b):
    return np.linalg.solve(np.stack([matvec(e) for e in np.eye(2) + 0j], axis=1), b)


def conjugate_gradients(matvec, b):
    """Stops when the value says so."""
    x, r, p = np.zeros_like(b), b, b
    while np.linalg.norm(r) > 1e-14:
        q = matvec(p)
        step = r @ r / (p @ q)
        x, rest = x + step * p, r - step * q
        r, p = rest, rest + (rest @ rest) / (r @ r) * p
    return x


def solution(a, b):
    return cv.custom_linear_solve(lambda x: a @ x, b, dense, dense)


def test_derivatives_of_the_matrix_and_of_the_right_hand_side():
    np.testing.assert_allclose(solution(A, B), np.linalg.solve(A, B), rtol=1e-14)
    check_grads(solution, (A, B), order=3)


def test_a_solver_that_looks_at_values():
    def total(d):
        return cv.custom_linear_solve(lambda x: d * x, B, conjugate_gradients, symmetric=True).sum()

    d = np.array([2.0, 4.0])
    np.testing.assert_allclose(cv.grad(total)(d), -B / d**2)
    np.testing.assert_allclose(cv.jvp(cv.grad(total), (d,), (d,))[1], 2.0 * B / d**2)


def test_it_nests_in_every_transform():
    many = np.stack([A, 2.0 * A, A.T])
    loop = np.stack([cv.jacobian(solution)(a, B) for a in many])
    np.testing.assert_allclose(cv.vmap(cv.jacobian(solution), (0, None))(many, B), loop)
    np.testing.assert_allclose(cv.vmap(lambda b: solution(A, b))(many[0]), np.linalg.solve(A, many[0].T).T)
    np.testing.assert_allclose(cv.jit(cv.jacobian(solution))(A, B), loop[0])
    np.testing.assert_allclose(cv.make_graph(solution)(A, B)(A, B), solution(A, B))
    np.testing.assert_allclose(cv.linearize(solution, A, B)[1](A, B), cv.jvp(solution, (A, B), (A, B))[1])
    np.testing.assert_allclose(cv.jacobian(cv.checkpoint(solution))(A, B), loop[0])

    def steps(s):
        return cv.scan(lambda c, a: (solution(a * s, c),) * 2, B, many)[1].sum()

    difference = (steps(1.2 + 1e-5) - steps(1.2 - 1e-5)) / 2e-5
    np.testing.assert_allclose(cv.grad(steps)(1.2), difference, rtol=1e-7)
    np.testing.assert_allclose(cv.jit(cv.grad(steps))(1.2), difference, rtol=1e-7)


def test_complex_systems_follow_the_convention():
    a, b = A + 1j * A.T, B - 0.5j
    other = np.linalg.solve
    ct = np.array([1.0 + 2.0j, -1.0])

    def solution(a, b):
        return cv.custom_linear_solve(lambda x: a @ x, b, by_columns, by_columns)

    for got, expected in zip(cv.vjp(solution, a, b)[1](ct), cv.vjp(other, a, b)[1](ct)):
        np.testing.assert_allclose(got, expected)
    np.testing.assert_allclose(cv.jvp(solution, (a, b), (1j * a.T, b))[1], cv.jvp(other, (a, b), (1j * a.T, b))[1])


def test_containers_and_what_solvers_tell():
    def solve(matvec, b):
        return {"u": b["u"] / matvec({"u": 1.0, "v": 0.0})["u"], "v": b["v"] / matvec({"u": 0.0, "v": 1.0})["v"]}, {
            "n": 2
        }

    def both(d):
        return cv.custom_linear_solve(
            lambda x: {"u": d * x["u"], "v": d * d * x["v"]}, {"u": 1.0, "v": 2.0}, solve, solve, has_aux=True
        )

    x, aux = both(2.0)
    assert (x["u"], x["v"], aux["n"]) == (0.5, 0.5, 2)
    assert cv.grad(lambda d: both(d)[0]["u"] + both(d)[0]["v"])(2.0) == -0.25 - 0.5


def test_what_is_missing_or_does_not_fit_is_said():
    with pytest.raises(NotImplementedError, match="needs transpose_solve for reverse mode, but was given None; pass"):
        cv.grad(lambda b: cv.custom_linear_solve(lambda x: A @ x, b, dense).sum())(B)
    assert cv.jvp(lambda b: cv.custom_linear_solve(lambda x: A @ x, b, dense), (B,), (B,))[1].shape == (2,)
    with pytest.raises(TypeError, match="custom_linear_solve needs a function, but got 3"):
        cv.custom_linear_solve(3, B, dense)
    with pytest.raises(ValueError, match=r"it returned \(1,\) for \(2,\); a system has as many.*test_linear_solve"):
        cv.custom_linear_solve(lambda x: x[:1], B, lambda m, b: m(b))
    with pytest.raises(ValueError, match="to return the structure of b"):
        cv.custom_linear_solve(lambda x: (x, x), B, lambda m, b: m(b))
    with pytest.raises(TypeError, match=r"has_aux=True needs solvers that return \(x, aux\)"):
        cv.custom_linear_solve(lambda x: A @ x, B, lambda m, b: b, has_aux=True)


def test_solvers_may_close_over_traced_values():
    def closing(a, b):
        return cv.custom_linear_solve(lambda x: a @ x, b, lambda matvec, b: np.linalg.solve(a, b),
                                      lambda vecmat, ct: np.linalg.solve(a.T, ct))

    def total(a, b):
        return np.sum(closing(a, b) ** 2)

    many, rows = np.stack([A, 2.0 * A, A.T]), cv.jacobian(solution, (0, 1))(A, B)
    loop = np.stack([cv.jacobian(solution)(a, B) for a in many])
    hessian = cv.hessian(lambda a: np.sum(solution(a, B) ** 2))(A)
    for jacobian in (cv.jacfwd, cv.jacrev):
        for order in (lambda f: cv.jit(jacobian(f, (0, 1))), lambda f: jacobian(cv.jit(f), (0, 1)),
                      lambda f: jacobian(f, (0, 1)), lambda f: jacobian(cv.make_graph(f)(A, B), (0, 1))):
            for ours, expected in zip(order(closing)(A, B), rows):
                np.testing.assert_allclose(ours, expected, atol=1e-14)
        each = cv.vmap(jacobian(closing), (0, None))
        np.testing.assert_allclose(each(many, B), loop, atol=1e-14)
        np.testing.assert_allclose(cv.jit(each)(many, B), loop, atol=1e-14)
    for order in (cv.hessian(total), cv.jit(cv.hessian(total)), cv.hessian(cv.jit(total)),
                  cv.jit(cv.jacfwd(cv.jacfwd(total)))):
        np.testing.assert_allclose(order(A, B), hessian, atol=1e-13)


def test_solvers_that_run_after_a_transform_may_close_over_its_values():
    def total(d):
        def solve(matvec, b):
            return b / d

        return cv.custom_linear_solve(lambda x: d * x, B, solve, solve).sum()

    d, step = np.array([2.0, 4.0]), np.array([1.0, 0.5])
    gradient, hessian = -B / d**2, np.diag(2.0 * B / d**3)
    np.testing.assert_allclose(cv.vjp(total, d)[1](1.0)[0], gradient)
    np.testing.assert_allclose(cv.linearize(total, d)[1](step), gradient @ step)
    np.testing.assert_allclose(cv.grad(lambda d: cv.linearize(total, d)[1](step))(d), hessian @ step)
    np.testing.assert_allclose(cv.linearize(cv.grad(total), d)[1](step), hessian @ step)
    for outer in (cv.jacfwd, cv.jacrev):
        for inner in (cv.jacfwd, cv.jacrev):
            np.testing.assert_allclose(outer(inner(total))(d), hessian, atol=1e-15)
