"""switch among functions, map along an axis, running combinations, and what cond and loops take for JAX's sake."""

import operator

import numpy as np
import pytest

import covector as cv
from covector.core.errors import ShapeError, TreeError

X = np.array([0.5, 1.5, -2.0, 0.3, 1.0])
PLACES = np.array([-3, 0, 1, 2, 9])
BRANCHES = [lambda x, w: np.sin(x) * w, lambda x, w: np.exp(x) + w, lambda x, w: x * w * w]


def chosen(i, x, w):
    return BRANCHES[min(max(i, 0), 2)](x, w)


def switched(i, x, w):
    return cv.switch(i, BRANCHES, x, w)


def test_a_known_index_calls_one_function():
    called = []
    branches = [lambda: called.append(0), lambda: called.append(1)]
    for i in (0, 1, -1, 7, np.int8(1)):
        cv.switch(i, branches)
    assert called == [0, 1, 0, 1, 1]


def test_an_index_of_each_example():
    want = [chosen(i, x, 2.0) for i, x in zip(PLACES, X, strict=True)]
    np.testing.assert_allclose(cv.vmap(switched, (0, 0, None))(PLACES, X, 2.0), want)
    slopes = [cv.grad(chosen, (1, 2))(i, x, 2.0) for i, x in zip(PLACES, X, strict=True)]
    found = cv.vmap(cv.grad(switched, (1, 2)), (0, 0, None))(PLACES, X, 2.0)
    np.testing.assert_allclose(np.stack(found, axis=1), slopes)
    of_all = cv.grad(lambda w: cv.vmap(switched, (0, 0, None))(PLACES, X, w).sum())(2.0)
    np.testing.assert_allclose(of_all, sum(s[1] for s in slopes))
    curvature = [cv.hessian(lambda x, i=i: chosen(i, x, 2.0))(x) for i, x in zip(PLACES, X, strict=True)]
    np.testing.assert_allclose(cv.vmap(lambda i, x: cv.hessian(lambda x: switched(i, x, 2.0))(x))(PLACES, X), curvature)


@pytest.mark.parametrize("i", [-1, 0, 1, 2, 5])
def test_a_staged_index(i):
    graph = cv.make_graph(switched)(0, 1.0, 2.0)
    np.testing.assert_allclose(graph(i, 0.7, 3.0), chosen(i, 0.7, 3.0))
    slopes = cv.make_graph(cv.grad(switched, (1, 2)))(0, 1.0, 2.0)
    np.testing.assert_allclose(slopes(i, 0.7, 3.0), cv.grad(chosen, (1, 2))(i, 0.7, 3.0))
    np.testing.assert_allclose(cv.grad(graph, 1)(i, 0.7, 3.0), cv.grad(chosen, 1)(i, 0.7, 3.0))
    mapped = cv.make_graph(lambda i, x: cv.vmap(lambda x: switched(i, x, 2.0))(x))(0, X)
    np.testing.assert_allclose(mapped(i, X), chosen(i, X, 2.0))


def test_functions_of_a_switch_close_over_traced_values():
    def closed(w, i):
        return cv.switch(i, [lambda x: x * w, lambda x: x + w * w], 3.0)

    assert cv.grad(closed)(2.0, 0) == 3.0
    np.testing.assert_allclose(cv.vmap(cv.grad(closed), (None, 0))(2.0, np.array([0, 1])), [3.0, 4.0])
    graph = cv.make_graph(cv.grad(closed))(2.0, 0)
    assert (graph(2.0, 0), graph(2.0, 1)) == (3.0, 4.0)


def test_what_switch_cannot_choose_by():
    for index in (1.0, True, np.arange(2)):
        with pytest.raises(TypeError, match=r"switch needs an integer scalar.*but got an index of.*cast the index"):
            cv.switch(index, BRANCHES, 1.0, 2.0)
    with pytest.raises(TypeError, match=r"switch needs.*at least one function.*and 0 functions"):
        cv.switch(0, [])
    with pytest.raises(TypeError, match="switch needs a function, but got 3"):
        cv.switch(0, [3])
    with pytest.raises(TreeError, match="switch needs its functions to return one structure, but got"):
        cv.vmap(lambda i: cv.switch(i, [lambda: (1, 2), lambda: 1]))(PLACES)
    with pytest.raises(TreeError, match="switch needs its functions to return equal shapes, but got"):
        cv.vmap(lambda i: cv.switch(i, [lambda: X, lambda: X[:2]]))(PLACES)
    with pytest.raises(TreeError, match="switch needs its functions to return equal shapes and dtypes"):
        cv.make_graph(lambda i: cv.switch(i, [lambda: X, lambda: X[:2]]))(0)


def test_one_operand_by_name():
    assert cv.cond(True, lambda _: 1.0, lambda _: 2.0, operand=None) == 1.0
    assert cv.switch(1, [lambda x: x, lambda x: -x], operand=3.0) == -3.0
    with pytest.raises(TypeError, match=r"cond was given 1 operands by position and operand= as well"):
        cv.cond(True, abs, abs, 1.0, operand=2.0)


def test_loops_take_the_words_of_jax():
    np.testing.assert_array_equal(cv.scan(lambda c, x: (c + x, c), 0.0, X, unroll=2)[1],
                                  cv.scan(lambda c, x: (c + x, c), 0.0, X)[1])
    assert cv.fori_loop(lower=0, upper=3, body_fun=lambda i, c: c + i, init_val=0, unroll=True) == 3
    assert cv.while_loop(cond_fun=lambda c: c < 5, body_fun=lambda c: c + 1, init_val=0) == 5


@pytest.mark.parametrize("batch_size", [None, 1, 2, 5, 7])
def test_map_gives_what_vmap_gives(batch_size):
    w = np.arange(3.0)

    def step(e):
        return {"dot": e["x"] * w, "sum": e["x"].sum()}

    def both(fun, x):
        out = fun({"x": x})
        return out["dot"].sum(axis=0) @ w + (out["sum"] ** 2).sum()

    xs = X[:, None] * np.ones((5, 3))
    found = cv.map(step, {"x": xs}, batch_size=batch_size)
    want = cv.vmap(step)({"x": xs})
    for name, value in want.items():
        np.testing.assert_allclose(found[name], value)
    np.testing.assert_allclose(cv.grad(lambda x: both(lambda e: cv.map(step, e, batch_size=batch_size), x))(xs),
                               cv.grad(lambda x: both(cv.vmap(step), x))(xs))
    graph = cv.make_graph(lambda x: cv.map(step, {"x": x}, batch_size=batch_size)["dot"])(xs)
    np.testing.assert_allclose(graph(xs), want["dot"])
    np.testing.assert_allclose(cv.vmap(lambda x: cv.map(step, {"x": x}, batch_size=batch_size)["dot"])(xs[None])[0],
                               want["dot"])


def test_map_of_nothing_has_the_shape_of_answers():
    for batch_size in (None, 2):
        assert cv.map(lambda x: x[:2] * 2.0, np.zeros((0, 3)), batch_size=batch_size).shape == (0, 2)
    with pytest.raises(ShapeError, match=r"map needs a batch_size of at least 1, but got 0; leave it out"):
        cv.map(np.sin, X, batch_size=0)
    with pytest.raises(ShapeError, match=r"map needs arrays of one length on axis 0, but got shapes.*\(5,\), \(2,\)"):
        cv.map(np.sin, (X, X[:2]), batch_size=2)


def combined(p, q):
    """Affine maps, one after the other: associative, and not commutative."""
    return {"a": p["a"] * q["a"], "b": q["a"] * p["b"] + q["b"]}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 8, 13])
def test_running_combinations_are_those_one_by_one(n, reverse):
    rng = np.random.default_rng(n)
    elems = {"a": rng.normal(size=(2, n)), "b": rng.normal(size=(2, n))}

    def by_hand(elems):
        columns = [{k: v[:, i] for k, v in elems.items()} for i in range(n)]
        out = []
        for c in reversed(columns) if reverse else columns:
            out.append(combined(out[-1], c) if out else c)
        out = out[::-1] if reverse else out
        return {k: np.stack([c[k] for c in out], axis=1) for k in "ab"} if n else elems

    for axis in (1, -1):
        found, want = cv.associative_scan(combined, elems, reverse, axis), by_hand(elems)
        for k in "ab":
            np.testing.assert_allclose(found[k], want[k], rtol=1e-12)
    slopes = [cv.grad(lambda e, f=f: (f(e)["b"] ** 2).sum())(elems)
              for f in (lambda e: cv.associative_scan(combined, e, reverse, 1), by_hand)]
    for k in "ab":
        np.testing.assert_allclose(slopes[0][k], slopes[1][k], rtol=1e-9)


def test_running_products_of_matrices():
    m = np.random.default_rng(0).normal(size=(6, 2, 2))
    found = cv.associative_scan(np.matmul, m)
    np.testing.assert_allclose(found[-1], np.linalg.multi_dot(list(m)))
    np.testing.assert_allclose(cv.make_graph(lambda m: cv.associative_scan(np.matmul, m))(m)(m), found)
    np.testing.assert_allclose(cv.vmap(lambda m: cv.associative_scan(np.matmul, m))(m[None])[0], found)


def test_what_cannot_be_combined():
    with pytest.raises(ShapeError, match=r"associative_scan needs a function that keeps shapes.*\(2,\) it returned "
                                         r"\(\)"):
        cv.associative_scan(lambda a, b: a[0], X)
    with pytest.raises(TreeError, match="associative_scan needs outputs of its function with the structure"):
        cv.associative_scan(lambda a, b: (a, b), X)
    with pytest.raises(ShapeError, match=r"associative_scan needs arrays of one length on axis 0, but got"):
        cv.associative_scan(operator.add, (X, X[:2]))
