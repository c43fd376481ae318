"""Promise 4: finite, valid derivatives where formulas divide by zero."""

import numpy as np
import pytest

import covector
from covector.core.tape import strong_zeros


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


BESIDE_ZERO = {
    "an index": (lambda x: np.sqrt(x)[1], [0.0, 0.25]),
    "an index before and after": (lambda x: np.sqrt(x[:2])[1] * 2.0, [0.0, 0.5]),
    "a mask": (lambda x: np.where(x > 0, np.log(x), 0.0).sum(), [0.0, 0.25]),
    "a mask, and singular functions after it": (lambda x: np.log(np.sqrt(np.where(x > 0, np.sqrt(x), 0.0).sum())),
                                                [0.0, 0.0625]),
    "an extreme": (lambda x: np.maximum(np.sqrt(x), 1.5).sum(), [0.0, 0.25]),
    "parts of a stack": (lambda x: np.stack([np.sqrt(x[0]), np.sqrt(x[1])])[1], [0.0, 0.25]),
    "a part of two paths": (lambda x: np.sqrt(x)[1] + 3.0 * x[0], [3.0, 0.25]),
    "a division": (lambda x: (1.0 / x)[1], [0.0, -0.0625]),
    "a call of its own": (lambda x: covector.checkpoint(lambda x: np.sqrt(x)[1])(x), [0.0, 0.25]),
}


@pytest.mark.parametrize("name", BESIDE_ZERO)
@pytest.mark.parametrize("kind", [np.array, list])
def test_what_a_choice_leaves_out_has_no_derivative(name, kind):
    """Singular operations that feed a choice meet the zeros it makes, wherever it lies in the program."""
    fun, want = BESIDE_ZERO[name]
    on = fun if kind is np.array else lambda x: fun(np.stack(x))
    with np.errstate(all="ignore"):
        found = [covector.grad(on)(kind([0.0, 4.0])), covector.vjp(on, kind([0.0, 4.0]))[1](1.0)[0]]
        for gradient in found:
            np.testing.assert_allclose(np.stack(gradient), want)
        if kind is np.array:
            np.testing.assert_allclose(covector.jacrev(lambda x: fun(x)[None])(np.array([0.0, 4.0])), [want])
            np.testing.assert_allclose(covector.jacfwd(fun)(np.array([0.0, 4.0])), want)


def test_reductions_meet_the_zeros_of_a_choice_row_by_row():
    """A sum of products masks each product, in both modes."""
    logits, weights = np.array([[1.0, -np.inf, 0.5], [0.2, 0.1, 0.4]]), np.array([[0.5, 0.0, 0.5], [0.2, 0.8, 0.0]])

    def loss(w):
        return covector.nn.softmax_cross_entropy(logits, np.where(w > 0, w, 0.0)).sum()

    with np.errstate(all="ignore"):
        wanted = np.where(weights > 0, -covector.nn.log_softmax(logits), 0.0)
        np.testing.assert_allclose(covector.grad(loss)(weights), wanted)
        np.testing.assert_allclose(covector.jvp(loss, (weights,), (weights,))[1], np.sum(
            np.where(weights > 0, wanted, 0.0) * weights))
        np.testing.assert_allclose(covector.jvp(loss, (weights,), (np.where(weights > 0, 0.0, 1.0),))[1], 0.0)


def test_zeros_of_the_given_cotangent_meet_strong_zeros_as_before():
    with np.errstate(all="ignore"):
        _, pullback = covector.vjp(lambda x: np.sqrt(x[:2]), np.array([0.0, 4.0, 1.0]))
        np.testing.assert_allclose(pullback(np.array([0.0, 1.0]))[0], [0.0, 0.25, 0.0])
        jacobian = covector.jacrev(lambda x: np.sqrt(x[:2]))(np.array([0.0, 4.0, 1.0]))
    np.testing.assert_allclose(jacobian, [[np.inf, 0.0, 0.0], [0.0, 0.25, 0.0]])


def test_only_what_feeds_a_choice_pays_for_strong_zeros(monkeypatch):
    calls = []
    real = strong_zeros.holds_nan
    monkeypatch.setattr(strong_zeros, "holds_nan", lambda c: calls.append(1) or real(c))

    def logs(x):
        for _ in range(5):
            x = np.log(x) + 3.0
        return x

    x = np.array([2.0, 3.0])
    covector.grad(lambda x: logs(x[0]))(x)
    assert len(calls) == 0
    covector.grad(lambda x: logs(x)[0])(x)
    assert len(calls) == 5
    covector.grad(lambda x: logs(logs(x)[0]))(x)
    assert len(calls) == 10
