"""What messages advise works: each is raised, and its remedy followed."""

import re

import numpy as np
import pytest
import scipy.sparse

import covector as cv

A = np.array([[2.0, 1.0], [0.5, 3.0], [1.0, -1.0]])
SPARSE = scipy.sparse.csr_array(np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]]))
X = np.array([1.0, -2.0, 3.0])


def doubled(x):
    while x < 10.0:
        x = x * 2.0
    return x


# name -> what raises, the remedy in the message, and the same program with it; what that gives
CASES = {
    "if under vmap": (lambda: cv.vmap(lambda x: x if x > 0 else -x)(X), "use np.where or covector.cond instead of `if`",
                      lambda: cv.vmap(lambda x: cv.cond(x > 0, lambda x: x, lambda x: -x, x))(X), np.abs(X)),
    "while under vmap": (lambda: cv.vmap(doubled)(np.abs(X)), "covector.while_loop instead of `while`",
                         lambda: cv.vmap(lambda x: cv.while_loop(lambda x: x < 10.0, lambda x: x * 2.0, x))(np.abs(X)),
                         np.array([16.0, 16.0, 12.0])),
    "while under jit": (lambda: cv.jit(doubled)(1.0), "covector.while_loop instead of `while`",
                        lambda: cv.jit(lambda x: cv.while_loop(lambda x: x < 10.0, lambda x: x * 2.0, x))(1.0), 16.0),
    "where of one argument": (lambda: cv.vmap(lambda x: np.sum(x[np.where(x > 0)]))(X[None]),
                              "np.sum(np.where(mask, x, 0.0))",
                              lambda: cv.vmap(lambda x: np.sum(np.where(x > 0, x, 0.0)))(X[None]), np.array([4.0])),
    "sparse matrix": (lambda: cv.grad(lambda x: np.sum(SPARSE @ x))(X), "A.toarray() @ t for a sparse A @ t",
                      lambda: cv.grad(lambda x: np.sum(SPARSE.toarray() @ x))(X), np.array([2.0, 3.0, 1.0])),
    "solve that is not square": (lambda: cv.grad(lambda a: np.sum(np.linalg.solve(a, X)))(A),
                                 "np.linalg.lstsq(a, b)[0]",
                                 lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.lstsq(a, X)[0]))(A)[0],
                                 np.sum(np.linalg.lstsq(A, X, rcond=None)[0])),
    "the same": (lambda: cv.grad(lambda a: np.sum(np.linalg.solve(a, X)))(A), "np.linalg.pinv(a) @ b",
                 lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.pinv(a) @ X))(A)[0],
                 np.sum(np.linalg.pinv(A) @ X)),
    "inverse that is not square": (lambda: cv.grad(lambda a: np.sum(np.linalg.inv(a)))(A), "np.linalg.pinv(a)",
                                   lambda: cv.value_and_grad(lambda a: np.sum(np.linalg.pinv(a)))(A)[0],
                                   np.sum(np.linalg.pinv(A))),
    "array of traced numbers": (lambda: cv.grad(lambda x: np.sum(np.array([x, 2.0 * x])))(1.0), "np.stack([...])",
                                lambda: cv.grad(lambda x: np.sum(np.stack([x, 2.0 * x])))(1.0), 3.0),
}


@pytest.mark.parametrize("name", CASES)
def test_remedy_works(name):
    refused, remedy, followed, wanted = CASES[name]
    with pytest.raises((TypeError, ValueError), match=re.escape(remedy)):
        refused()
    np.testing.assert_allclose(followed(), wanted)
