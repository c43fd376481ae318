"""Roots and their derivatives by the implicit function theorem."""

from functools import partial

import numpy as np
import pytest

import covector as cv
from covector.core.trace.tracer import Tracer
from covector.testing import check_grads
from covector.transforms.compile.program import optimised
from covector.transforms.custom import implicit

M = np.array([[3.0, 1.0], [0.5, 2.0]])


def newton(f, x):
    for _ in range(30):
        x = x - f(x) / cv.grad(f)(x)
    return x


def until(f, x):
    """Stops when the value says so, with the number of trips beside it."""
    trips = 0
    while abs(f(x)) > 1e-13:
        x, trips = x - f(x) / cv.grad(f)(x), trips + 1
    return x, {"trips": trips, "last": f(x)}


def square_root(a):
    return cv.custom_root(lambda x: x * x - a, 1.0, newton, lambda g, y: y / g(1.0))


def newton_of_vectors(f, x):
    for _ in range(8):  # each doubles the digits
        x = x - np.linalg.solve(cv.jacobian(f)(x), f(x))
    return x


def vector_root(a, b):
    return cv.custom_root(lambda x: a @ x + 0.1 * np.sin(x) - b, np.zeros(2), newton_of_vectors,
                          lambda g, y: np.linalg.solve(cv.jacobian(g)(y), y))


def test_derivatives_of_a_root_of_numbers():
    check_grads(square_root, (np.array(2.0),), order=3)
    a = np.array([1.0, 4.0, 9.0])
    np.testing.assert_allclose(cv.vmap(square_root)(a), np.sqrt(a))
    np.testing.assert_allclose(cv.vmap(cv.grad(square_root))(a), 0.5 / np.sqrt(a))
    np.testing.assert_allclose(cv.grad(lambda a: cv.vmap(square_root)(a).sum())(a), 0.5 / np.sqrt(a))
    np.testing.assert_allclose(cv.make_graph(cv.grad(square_root))(4.0)(4.0), 0.25)
    np.testing.assert_allclose(cv.grad(cv.checkpoint(square_root))(4.0), 0.25)


def test_derivatives_of_a_root_of_vectors():
    b = np.array([1.0, -2.0])
    x = vector_root(M, b)
    np.testing.assert_allclose(M @ x + 0.1 * np.sin(x), b)
    check_grads(vector_root, (M, b))


def test_nothing_of_the_search_is_differentiated():
    seen = []

    def solve(f, x):
        seen.append(type(f(x)))
        return np.sqrt(f(0.0) * -1.0)

    def root(a):
        return cv.custom_root(lambda x: x * x - a, 1.0, solve, lambda g, y: y / g(1.0))

    assert cv.grad(root)(4.0) == 0.25
    assert all(not issubclass(kind, Tracer) for kind in seen)


class _Held:
    def __init__(self, a):
        self.a = a

    def residual(self, x):
        return x * x - self.a


class _Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


def _nested(a):
    square = lambda x: x * x  # noqa: E731
    off = lambda x, y: square(x) - y * a  # noqa: E731
    return lambda x: off(x, 1.0)


def _slotted(a):
    held = _Slotted(a)
    return lambda x: x * x - held.a


def _through_a_list(a):
    held = {"all": [1.0, (a,)]}
    return lambda x: x * x - held["all"][1][0]


CLOSURES = {"a cell": lambda a: lambda x: x * x - a, "functions in cells": _nested, "a list": _through_a_list,
            "a default": lambda a: lambda x, a=a: x * x - a, "a partial": lambda a: partial(lambda a, x: x * x - a, a),
            "a method": lambda a: _Held(a).residual, "a slot": _slotted, "a product": lambda a: _nested(a * 1.0)}


@pytest.mark.parametrize("name", CLOSURES)
def test_what_a_function_closes_over_is_found_wherever_it_is_held(name):
    def root(a):
        return cv.custom_root(CLOSURES[name](a), 1.0, newton, lambda g, y: y / g(1.0))

    check_grads(root, (np.array(2.0),), order=2)
    np.testing.assert_allclose(cv.vmap(cv.grad(root))(np.array([1.0, 4.0])), [0.5, 0.25])
    np.testing.assert_allclose(cv.jit(cv.grad(root))(4.0), 0.25)
    np.testing.assert_allclose(cv.grad(cv.grad(root))(4.0), -0.03125)


def test_a_search_may_stop_by_value_and_tell_of_itself():
    def root(a):
        return cv.custom_root(lambda x: x * x - a, 1.0, until, lambda g, y: y / g(1.0), has_aux=True)

    slope, aux = cv.grad(root, has_aux=True)(4.0)
    np.testing.assert_allclose(slope, 0.25)
    assert aux["trips"] > 2
    np.testing.assert_allclose(cv.jvp(lambda a: root(a)[0], (4.0,), (1.0,))[1], 0.25)


def test_containers_and_guesses():
    def pair(a, guess):
        def off(x):
            return {"u": x["u"] - a, "v": x["v"] * 2.0 - x["u"]}

        return cv.custom_root(off, {"u": guess, "v": guess}, lambda f, x: {"u": x["u"] - f(x)["u"], "v": 0.5 * (
            x["u"] - f(x)["u"])}, lambda g, y: {"u": y["u"], "v": 0.5 * (y["v"] + y["u"])})["v"]

    assert pair(3.0, 1.0) == 1.5
    assert cv.grad(pair, (0, 1))(3.0, 1.0) == (0.5, 0.0)
    assert cv.custom_root(lambda x: x - 2.0, 0.0, lambda f, x: x - f(x), lambda g, y: y) == 2.0
    with pytest.raises(TypeError, match="custom_root needs a function, but got 3"):
        cv.custom_root(3, 0.0, abs, abs)


def through_eigh(a, x, b):
    values, vectors = np.linalg.eigh(a + a.T + 0.1 * np.outer(x, x))
    return vectors @ (values * (vectors.T @ x)) - b + 0.05 * values


def through_scan(a, x, b):
    return x - cv.scan(lambda c, _: (0.5 * np.tanh(0.1 * a @ c) + b + 0.1 * x, None), x, None, length=3)[0]


def by_the_jacobian(g, y):
    return np.linalg.solve(cv.jacobian(g)(y), y)


def by_linear_solve(g, y):
    return cv.custom_linear_solve(g, y, by_the_jacobian, by_the_jacobian)


def by_the_transpose(g, y):
    return np.linalg.solve(cv.jacobian(lambda ct: cv.linear_transpose(g, y)(ct)[0])(y).T, y)


@pytest.mark.parametrize("tangent_solve", [by_the_jacobian, by_linear_solve, by_the_transpose])
@pytest.mark.parametrize("f", [through_eigh, through_scan])
def test_a_function_that_is_not_linear_has_a_tangent_map_that_is(f, tangent_solve):
    def root(a, b):
        return cv.custom_root(lambda x: f(a, x, b), np.zeros(2), newton_of_vectors, tangent_solve)

    b = np.array([1.0, -2.0])
    x = root(M, b)
    df = cv.jacobian(lambda x: f(M, x, b))(x)
    by_b = -np.linalg.solve(df, cv.jacobian(lambda b: f(M, x, b))(b))
    by_a = -np.linalg.solve(df, cv.jacobian(lambda a: f(a, x, b))(M).reshape(2, 4)).reshape(2, 2, 2)
    for jac in (cv.jacfwd, cv.jacrev):
        np.testing.assert_allclose(jac(root, 0)(M, b), by_a, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(jac(root, 1)(M, b), by_b, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(cv.jit(jac(root, 1))(M, b), by_b, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(cv.vmap(jac(root, 1), (None, 0))(M, np.stack([b, b]))[1], by_b, rtol=1e-9)
    slope = cv.grad(lambda b: root(M, b).sum())
    steps = [slope(b + 1e-5 * e) - slope(b - 1e-5 * e) for e in np.eye(2)]
    for jac in (cv.jacfwd, cv.jacrev):
        np.testing.assert_allclose(jac(slope)(b), np.stack(steps) / 2e-5, atol=1e-8)


def test_the_tangent_map_computes_what_depends_on_the_root_alone_once():
    seen = []

    def iterate(g, y):
        seen.append(cv.make_graph(g)(y))
        return np.linalg.solve(cv.jacobian(g)(y), y)

    def root(b):
        return cv.custom_root(lambda x: np.linalg.eigh(M + np.outer(x, x))[1] @ np.exp(x) - b, np.zeros(2),
                              lambda f, x: np.array([0.3, 0.2]), iterate)

    b = np.array([1.0, -1.5])
    np.testing.assert_allclose(cv.jacrev(root)(b), cv.jacfwd(root)(b))
    assert not any(name in str(graph) for graph in seen for name in ("eigh", "exp "))


@pytest.mark.parametrize("tangent_solve", [by_the_jacobian, lambda g, y: y + g(y), lambda g, y: np.stack([y, g(y)])[1]])
def test_eagerly_no_graph_of_the_tangent_map_is_made(tangent_solve, monkeypatch):
    def refuse(*args):
        raise AssertionError("a graph of the tangent map")

    def root(b):
        return cv.custom_root(lambda x: M @ x + 0.1 * np.sin(x) - b, np.zeros(2), newton_of_vectors, tangent_solve)

    b = np.array([1.0, -2.0])
    want = cv.jacfwd(root)(b)
    monkeypatch.setattr(implicit._LinearMap, "graph_of", refuse)
    np.testing.assert_allclose(cv.grad(lambda b: root(b)[1])(b), want[1], rtol=1e-12)


def test_compiled_roots_run_the_equations_of_their_search_and_of_their_rule():
    b = np.array([1.0, -2.0])
    for fun in (lambda b: vector_root(M, b), cv.jacrev(lambda b: vector_root(M, b))):
        compiled = cv.jit(fun)
        np.testing.assert_allclose(compiled(b), fun(b), rtol=1e-12)
        names = {eq.prim.name for eq in optimised(cv.make_graph(fun)(b), frozenset()).equations}
        assert "solve_vector" in names and names.isdisjoint({"custom_jvp", "two_way"})


def test_a_compiled_function_with_a_rule_shares_no_memory_with_its_argument():
    same = cv.custom_jvp(lambda x: x)
    same.defjvp(lambda primals, tangents: (primals[0], tangents[0]))
    x = np.ones(3)
    cv.jit(same)(x)[0] = 7.0
    assert x[0] == 1.0
