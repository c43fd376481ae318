"""Jacobians column by column: the first product of the unit vectors with a matrix is the matrix itself."""

import numpy as np
import pytest

import covector as cv

RNG = np.random.default_rng(5)
X = RNG.normal(size=4)
W = RNG.normal(size=(4, 3))
V = RNG.normal(size=(3, 3))

FUNCTIONS = {
    "row": lambda x: np.tanh(x @ W) @ V,
    "column": lambda x: V @ np.tanh(W.T @ x),
    "linear": lambda x: x @ W,
    "linear from the left": lambda x: W.T @ x,
    "twice": lambda x: (x @ W) * (W.T @ x),
    "with itself": lambda x: x * (x @ x),
    "a matrix of x": lambda x: np.outer(x, x) @ x,
    "single precision": lambda x: x @ W.astype(np.float32),
    "moved first": lambda x: x[::-1] @ W,
    "scaled first": lambda x: (2.0 * x) @ W,
    "captured from outside": lambda x: cv.jvp(lambda w: x @ w, (W,), (W,))[1],
}


@pytest.mark.parametrize("chunk", [None, 3, 1])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_columns_are_those_of_single_pushes(name, chunk):
    f = FUNCTIONS[name]
    want = np.stack([cv.jvp(f, (X,), (e,))[1] for e in np.eye(4)], axis=-1)
    found = cv.jacfwd(f, chunk_size=chunk)(X)
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found, cv.jacrev(f)(X), rtol=1e-12, atol=1e-12)
    assert found.flags.writeable and not np.may_share_memory(found, W)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_nest(name):
    f = FUNCTIONS[name]
    second = cv.jacfwd(cv.jacfwd(f))(X)
    np.testing.assert_allclose(second, cv.jacrev(cv.jacrev(f))(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(cv.vmap(cv.jacfwd(f))(np.stack([X, 2 * X]))[1], cv.jacfwd(f)(2 * X), rtol=1e-12)
    np.testing.assert_allclose(cv.grad(lambda x: np.sum(cv.jacfwd(f)(x) ** 2))(X),
                               cv.grad(lambda x: np.sum(cv.jacrev(f)(x) ** 2))(X), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(cv.make_graph(cv.jacfwd(f))(X)(X), cv.jacfwd(f)(X), rtol=1e-12)


def test_matrices_that_are_traced_keep_their_derivatives():
    def f(w):
        return np.sum(cv.jacfwd(lambda x: np.tanh(x @ w))(X) ** 2)

    def g(w):
        return np.sum(cv.jacrev(lambda x: np.tanh(x @ w))(X) ** 2)

    np.testing.assert_allclose(cv.grad(f)(W), cv.grad(g)(W), rtol=1e-10)


def test_infinite_entries_stay_in_their_column():
    w = W.copy()
    w[1, 2] = np.inf
    with np.errstate(all="ignore"):
        found = cv.jacfwd(lambda x: x @ w)(X)
    np.testing.assert_array_equal(found, w.T)


def test_complex_and_several_arguments():
    z = X + 1j
    np.testing.assert_allclose(cv.jacfwd(lambda z: z @ (W * 1j), holomorphic=True)(z), (W * 1j).T)
    a, b = cv.jacfwd(lambda x, y: x @ W + y, argnums=(0, 1))(X, np.ones(3))
    np.testing.assert_allclose(a, W.T)
    np.testing.assert_allclose(b, np.eye(3))


def test_a_function_that_raises_leaves_nothing_behind():
    def f(x):
        raise KeyError("x")

    with pytest.raises(KeyError):
        cv.jacfwd(f)(X)
    np.testing.assert_allclose(cv.jacfwd(FUNCTIONS["row"])(X), cv.jacrev(FUNCTIONS["row"])(X))
