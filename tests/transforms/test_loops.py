"""Loops of batched length, loops of no length, and what a carry may be."""

import numpy as np
import pytest

import covector as cv

X = np.array([1.0, 2.0, 30.0])
COUNTS = np.array([0, 3, 1])


def doubled(x):
    return cv.while_loop(lambda c: c < 10.0, lambda c: c * 2.0, x)


def power(x, n):
    return cv.fori_loop(0, n, lambda i, c: c * x, 1.0)


def test_each_example_has_its_own_number_of_trips():
    np.testing.assert_array_equal(cv.vmap(doubled)(X), [doubled(x) for x in X])
    np.testing.assert_array_equal(cv.vmap(power)(X, COUNTS), X**COUNTS)
    np.testing.assert_array_equal(cv.vmap(power, (None, 0))(2.0, COUNTS), 2.0**COUNTS)
    np.testing.assert_array_equal(cv.vmap(lambda n: cv.fori_loop(n, 3, lambda i, c: c + i, 0))(COUNTS), [3, 0, 3])
    nested = cv.vmap(cv.vmap(power, (0, None)), (None, 0))(X, COUNTS)
    np.testing.assert_array_equal(nested, X[None] ** COUNTS[:, None])


def test_derivatives_of_loops_of_batched_length():
    want = [cv.grad(doubled)(x) for x in X]
    np.testing.assert_array_equal(cv.vmap(cv.grad(doubled))(X), want)
    np.testing.assert_array_equal(cv.grad(lambda x: cv.vmap(doubled)(x).sum())(X), want)
    np.testing.assert_array_equal(cv.jvp(cv.vmap(doubled), (X,), (np.ones(3),))[1], want)
    np.testing.assert_allclose(cv.vmap(cv.hessian(lambda x, n: power(x, n)))(X, COUNTS), [0.0, 12.0, 0.0])


def test_an_example_that_is_done_is_not_taken_beyond_its_end():
    """A body may be wrong at a state that the loop never runs it at: out of bounds, or infinite."""
    def total(x, n):
        return cv.while_loop(lambda c: c["i"] < n, lambda c: {"i": c["i"] + 1, "sum": c["sum"] + x[c["i"]]},
                             {"i": 0, "sum": 0.0})["sum"]

    rows = np.arange(6.0).reshape(2, 3)
    lengths = np.array([3, 1])
    np.testing.assert_array_equal(cv.vmap(total)(rows, lengths), [3.0, 3.0])
    np.testing.assert_array_equal(cv.vmap(cv.grad(total))(rows, lengths), [[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])

    def countdown(x):
        return cv.while_loop(lambda c: c[0] > 0.0, lambda c: (c[0] - 1.0, c[1] / c[0]), (x, 1.0))[1]

    with np.errstate(all="raise"):
        np.testing.assert_allclose(cv.vmap(countdown)(np.array([1.0, 3.0])), [1.0, 1 / 6])
        np.testing.assert_allclose(cv.vmap(cv.grad(countdown))(np.array([1.0, 3.0])),
                                   [cv.grad(countdown)(1.0), cv.grad(countdown)(3.0)])


def test_loops_of_staged_length_are_refused():
    for loop in (doubled, lambda x: power(x, cv.numpy.astype(x, int)), lambda x: cv.vmap(doubled)(x * X).sum()):
        with pytest.raises(NotImplementedError, match=r"while_loop needs a known condition.*staged.*scan"):
            cv.make_graph(loop)(2.0)


def test_a_batched_carry_that_changes_is_refused():
    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its structure.*but got"):
        cv.vmap(lambda x: cv.while_loop(lambda c: c < 2, lambda c: (c, c), x))(X)
    with pytest.raises(ValueError, match=r"while_loop needs a carry that keeps its shapes.*f64\[2\].*f64\[\]"):
        cv.vmap(lambda x: cv.while_loop(lambda c: c.sum() < 2, lambda c: np.stack([c, c]), x))(X)


def test_the_answers_of_no_steps_are_empty_arrays():
    def step(c, x):
        return c, {"row": c * x[0], "one": x.sum(), "count": 3}

    carry, ys = cv.scan(step, np.ones(2), np.zeros((0, 4), np.float32))
    assert ys["row"].shape == (0, 2) and ys["one"].dtype == np.float32 and ys["count"].dtype == np.int64
    assert cv.scan(lambda c, _: (c, c), 1.0, length=0)[1].shape == (0,)
    staged = cv.make_graph(lambda c, x: cv.scan(step, c, x))(np.ones(2), np.zeros((0, 4), np.float32))
    assert staged(np.ones(2), np.zeros((0, 4), np.float32))[1]["row"].shape == (0, 2)
    np.testing.assert_array_equal(cv.grad(lambda c: cv.scan(step, c, np.zeros((0, 4)))[1]["row"].sum())(X[:2]), [0, 0])
    with np.errstate(all="raise"):
        assert cv.scan(lambda c, x: (c, c / x), 1.0, np.zeros(0))[1].shape == (0,)
        assert cv.scan(lambda c, x: (c, c / x if x > 0 else x), 1.0, np.zeros(0))[1].shape == (0,)
    factors = cv.scan(lambda c, x: (c, np.linalg.cholesky(x)), 1.0, np.zeros((0, 2, 2)))[1]
    assert factors.shape == (0, 2, 2)
    staged = cv.make_graph(lambda x: cv.scan(lambda c, x: (c, np.linalg.cholesky(x)), 1.0, x)[1])
    assert staged(np.zeros((0, 2, 2)))(np.zeros((0, 2, 2))).shape == (0, 2, 2)
    w = cv.grad(lambda w: cv.scan(lambda c, x: (c * w, c), w, np.zeros(0))[0])(3.0)
    assert w == 1.0


@pytest.mark.parametrize("staged", [False, True])
def test_a_carry_keeps_structure_and_shapes(staged):
    def run(step, init):
        loop = lambda x: cv.scan(step, init, x)[0]  # noqa: E731 - staged below
        return cv.make_graph(loop)(X) if staged else loop(X)

    with pytest.raises(ValueError, match=r"keeps its structure.*'a'.*became.*'c'.*init"):
        run(lambda c, x: ({"c": c["a"], "d": c["b"]}, x), {"a": 1.0, "b": 2.0})
    with pytest.raises(ValueError, match=r"keeps its shapes.*\(\) to \(2,\).*init"):
        run(lambda c, x: (np.ones(2) * x, None), 0.0)
