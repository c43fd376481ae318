"""Promise 4: finite, valid derivatives where formulas divide by zero."""

import numpy as np
import pytest

import covector


@pytest.mark.parametrize(
    ("fun", "x", "wanted"),
    [
        (lambda x: np.linalg.norm(x), np.zeros(3), [0.0, 0.0, 0.0]),
        (lambda x: np.sqrt(np.sum(x * x)) * 0.0 + np.hypot(x[0], x[1]), np.zeros(2), [0.0, 0.0]),
        (lambda x: np.std(x), np.full(3, 2.0), [0.0, 0.0, 0.0]),
        (lambda x: np.sum(x**0), np.zeros(2), [0.0, 0.0]),
        (lambda x: np.sum(np.power(x, 0.0)), np.zeros(2), [0.0, 0.0]),
        (lambda x: np.sum(np.power(x, np.zeros(2))), np.zeros(2), [0.0, 0.0]),
        (lambda x: np.prod(x), np.array([0.0, 2.0, 3.0]), [6.0, 0.0, 0.0]),
        (lambda x: np.prod(x), np.array([0.0, 0.0, 3.0]), [0.0, 0.0, 0.0]),
    ],
)
def test_first_derivative_is_finite_and_valid(fun, x, wanted):
    if "hypot" in fun.__code__.co_names:
        fun = lambda x: np.hypot(x[0], x[1])  # noqa: E731 - the bare kink
    assert covector.grad(fun)(x).tolist() == wanted


def test_derivative_of_power_in_the_exponent_at_zero():
    for y in (0.0, 2.0):
        assert covector.grad(lambda y: np.power(0.0, y))(y) == 0.0


@pytest.mark.parametrize("y", [0.0, np.array([0.0, 0.0, 2.0]), np.float64(0.0)])
def test_mixed_derivative_of_power_at_exponent_zero(y):
    """d/dx x**y is y x**(y - 1), whose derivative by y is x**(y - 1) (1 + y log x): 1 / x where y is 0."""
    x = np.array([0.5, 2.0, 3.0])
    both = x ** (y - 1.0) * (1.0 + y * np.log(x))
    y = y + np.zeros(3)
    by_x = lambda y: covector.grad(lambda x: np.sum(x**y))(x)  # noqa: E731
    by_y = lambda x: covector.grad(lambda y: np.sum(x**y))(y)  # noqa: E731
    for outer in (covector.jacrev, covector.jacfwd):
        np.testing.assert_allclose(outer(by_x)(y), np.diag(both))
        np.testing.assert_allclose(outer(by_y)(x), np.diag(both))
    assert covector.grad(lambda x: np.sum(x ** np.zeros(2)))(np.array([np.inf, 5e-324])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("x", [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
def test_second_derivative_of_prod_is_exact(x):
    x = np.array(x)
    wanted = np.array([[0.0 if i == j else np.prod(np.delete(x, [i, j])) for j in range(3)] for i in range(3)])
    np.testing.assert_array_equal(covector.hessian(np.prod)(x), wanted)


SINGULAR = [np.zeros((2, 2)), np.ones((2, 2)), np.array([[1.0, 2.0, 3.0], [2, 4, 6], [0, 1, 5]])]


@pytest.mark.parametrize("matrix", SINGULAR)
def test_det_of_a_singular_matrix(matrix):
    n = len(matrix)
    cofactors = np.array([[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(matrix, i, 0), j, 1))
                           for j in range(n)] for i in range(n)])
    np.testing.assert_allclose(covector.grad(lambda a: np.linalg.det(a))(matrix), cofactors, atol=1e-12)
