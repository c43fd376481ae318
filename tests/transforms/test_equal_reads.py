"""A step that reads the same part of what lies around it more than once: one value, with one cotangent."""

import numpy as np
import pytest

import covector as cv
from covector.transforms.graph.equations import walk
from covector.transforms.staging.passes import merged

X = np.linspace(0.1, 0.9, 6)


def four_times(step):
    """A loss whose loop calls `step(w, c)` four times with a `w` around it."""
    def loss(w):
        def turn(c, _):
            for _ in range(4):
                c = c + 0.1 * step(w, c)
            return c, None

        return np.sum(cv.scan(turn, np.ones(3), None, length=5)[0])

    return loss


STEPS = {
    "parts": lambda w, c: np.tanh(w[:3] * c) + w[3] * c,
    "turned": lambda w, c: w.reshape(2, 3).T @ (w.reshape(2, 3) @ c),
    "spread": lambda w, c: np.broadcast_to(w[5], (3,)) * c,
    "shifted": lambda w, c: (w + 1.0)[:3] * c + w[:3] * c,  # the node of w + 1 is that of w, its value is not
    "written": lambda w, c: c * w[0] if np.ndim(c) else c,
}


def loops(graph):
    return [eq for eq in walk(graph.equations) if eq.prim.name == "scan"]


@pytest.mark.parametrize("name", STEPS)
def test_gradients(name):
    loss = four_times(STEPS[name])
    want = cv.grad(loss)(X)
    np.testing.assert_allclose(cv.jit(cv.grad(loss))(X), want, rtol=1e-13)
    np.testing.assert_allclose(cv.grad(cv.jit(loss))(X), want, rtol=1e-13)
    hessian = cv.hessian(loss)(X)
    np.testing.assert_allclose(cv.jit(cv.hessian(loss))(X), hessian, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(cv.jit(cv.jacfwd(cv.grad(loss)))(X), hessian, rtol=1e-12, atol=1e-14)
    step = 1e-6
    for k in range(len(X)):
        e = step * np.eye(len(X))[k]
        assert abs((loss(X + e) - loss(X - e)) / (2 * step) - want[k]) < 1e-6 * (1 + abs(want[k]))


def test_one_sum_for_each_part():
    backward = loops(cv.make_graph(cv.grad(four_times(STEPS["parts"])))(X))[-1]
    assert backward.params[2] == 3  # the carry, the sum of w[:3] and that of w[3]


def test_writes_between_reads_are_seen():
    def loss(w):
        y = w * 2.0

        def turn(c, _):
            return c * y[0] + z[0], None

        z = y
        y = y.copy()
        y[0] = y[0] + 1.0
        return cv.scan(turn, 1.0, None, length=3)[0]

    np.testing.assert_allclose(cv.jit(cv.grad(loss))(X), cv.grad(loss)(X), rtol=1e-13)


def test_equal_equations_become_one():
    graph = cv.make_graph(lambda x: np.sin(x * 2.0) * np.sin(x * 2.0) + np.sin(x * 3.0))(X)
    small = merged(graph)
    assert [eq.prim.name for eq in graph.equations].count("sin") == 3
    assert [eq.prim.name for eq in small.equations].count("sin") == 2
    np.testing.assert_array_equal(small.eval([X])[0], graph.eval([X])[0])
    assert merged(small) is small


def test_what_acts_stays():
    seen = []

    def turn(c, _):
        cv.debug.callback(seen.append, c)
        cv.debug.callback(seen.append, c)
        return c + 1.0, None

    cv.jit(lambda x: cv.scan(turn, x, None, length=2)[0])(0.0)
    assert len(seen) == 4
