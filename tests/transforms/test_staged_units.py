"""Jacobians and Hessians that are compiled start from unit vectors that stay diagonal, as they do eagerly."""

import numpy as np
import pytest

import covector as cv
from covector.core.tape import lazy_cotangents
from covector.transforms.interpreters import basis

RNG = np.random.default_rng(3)
X, W, V = RNG.normal(size=6), RNG.normal(size=(5, 6)), RNG.normal(size=(4, 5))
Y = RNG.normal(size=(5, 3))

FUNCTIONS = {  # of a point and of data, which are both arguments
    "two layers": (lambda x, w: np.tanh(V @ np.tanh(w @ x)), X, W),
    "from the left": (lambda x, w: np.tanh(x @ w.T) @ V.T, X, W),
    "factors beside": (lambda x, w: w[0] * np.sin(x) / (1.0 + w[1] ** 2), X, W),
    "a mask beside": (lambda x, w: np.where(w[0] > 0, x * w[1], np.exp(x)), X, W),
    "neighbours": (lambda x, w: w[0, 1:] * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 3, X, W),
    "reversed": (lambda x, w: np.sin(x[::-1]) * x * w[0], X, W),
    "in no order": (lambda x, w: np.sin(x)[np.array([3, 0, 0, 5])] * w[0, :4] + x[:4] ** 2, X, W),
    "every other one": (lambda x, w: x[::2] ** 2 * x[1::2] * w[0, :3], X, W),
    "layers of a network": (lambda x, w: (np.tanh(w[:, :3] @ x[:3] + x[3]) * x[4]) ** 2 * x[5], X, W),
    "a shape": (lambda x, w: np.tanh(x).reshape(2, 3) * w[:2, :3], X, W),
    "matrices": (lambda x, w: np.tanh(w.T @ x), Y, W),
    "a larger factor": (lambda x, w: x * w, X, W),
    "single precision": (lambda x, w: np.tanh(w @ x) * w[:, 0], X.astype("f4"), W.astype("f4")),
}


@pytest.fixture(params=("units", "arrays"))
def how(request, monkeypatch):
    """Small bases are arrays from the start, unless told otherwise."""
    if request.param == "units":
        monkeypatch.setattr(basis, "FEW", 0)
        monkeypatch.setattr(lazy_cotangents, "SMALL", 0)


def compiled(fun, *args):
    """What a compiled function gives; its source gives the same as its graph, bit for bit."""
    stages = cv.jit(fun, compiler_options={"printer": "numpy"})
    found = stages(*args)
    graph = stages.lower(*args).graph.interpret([np.array(a) for a in args])
    assert np.asarray(found).tobytes() == np.asarray(graph[0]).tobytes()
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_jacobians_are_those_that_run_eagerly(name, how):
    f, x, w = FUNCTIONS[name]
    close = {"rtol": 1e-5, "atol": 1e-5} if x.dtype == np.float32 else {"rtol": 1e-11, "atol": 1e-11}
    np.testing.assert_allclose(compiled(cv.jacrev(f), x, w), cv.jacfwd(f)(x, w), **close)
    np.testing.assert_allclose(compiled(cv.jacrev(f, chunk_size=2), x, w), cv.jacfwd(f)(x, w), **close)

    def energy(x, w):
        return (f(x, w) ** 2).sum()

    np.testing.assert_allclose(compiled(cv.hessian(energy), x, w), cv.jacfwd(cv.grad(energy))(x, w), **close)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_can_be_differentiated_and_mapped(name, how):
    f, x, w = FUNCTIONS[name]
    close = {"rtol": 1e-4, "atol": 1e-4} if x.dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-9}

    def size(jacobian):
        return lambda x, w: (jacobian(f)(x, w) ** 3).sum()

    for outer in (cv.grad(size(cv.jacrev), argnums=1), cv.jacfwd(size(cv.jacrev), argnums=1)):
        np.testing.assert_allclose(outer(x, w), cv.grad(size(cv.jacfwd), argnums=1)(x, w), **close)
        np.testing.assert_allclose(compiled(outer, x, w), outer(x, w), **close)
    found = cv.vmap(cv.jit(cv.jacrev(f)), in_axes=(0, None))(np.stack([x, 2 * x]), w)
    np.testing.assert_allclose(found[1], cv.jacrev(f)(2 * x, w), **close)


def names(fun, *args):
    return [eq.prim.name for eq in cv.make_graph(fun)(*args).equations]


def test_a_product_with_an_argument_is_no_product_with_units():
    x, w, v = RNG.normal(size=30), RNG.normal(size=(30, 30)), RNG.normal(size=(30, 30))
    found = names(cv.jacrev(lambda x, w, v: np.tanh(v @ np.tanh(w @ x))), x, w, v)
    assert found.count("matmul") == 2 and found.count("two_way") == 1 and not {"where", "spread"} & set(found)


def test_a_factor_of_rows_is_one_vector():
    """XᵀDX: all factors meet before the matrix is multiplied once."""
    x, y = RNG.normal(size=(100, 40)), RNG.normal(size=100)

    def loss(w, x, y):
        z = x @ w
        return (np.logaddexp(0.0, z) - y * z).mean()

    graph = cv.make_graph(cv.hessian(loss))(np.zeros(40), x, y)
    wide = [eq for eq in graph.equations if eq.prim.name in ("multiply", "strong_times") and
            eq.outputs[0].aval.size == x.size]
    assert len(wide) == 2  # the rows are made by one factor, for strong zeros look at them before the other


def test_diagonals_are_computed_as_vectors_and_written_once():
    x = np.linspace(-1.0, 1.0, 80)

    def loss(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    graph = cv.make_graph(cv.hessian(loss))(x)
    wide = {eq.prim.name for eq in graph.equations if eq.outputs[0].aval.size >= 79 * 79}
    assert wide <= {"index_update", "reshape", "getitem"}
    np.testing.assert_allclose(compiled(cv.hessian(loss), x), cv.jacfwd(cv.grad(loss))(x), rtol=1e-12)


def test_zeros_meet_infinities_as_in_single_pullbacks():
    def f(x, w):
        return np.where(x > 0, np.sqrt(x) * w, x * w)

    x, w = np.array([0.0, 4.0, 1.0] * 12), np.linspace(1.0, 2.0, 36)
    found = compiled(cv.jacrev(f), x, w)
    out, pullback = cv.vjp(lambda x: f(x, w), x)
    np.testing.assert_array_equal(found, np.stack([pullback(e)[0] for e in np.eye(36)]))
