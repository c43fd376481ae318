"""Effects in graphs: they survive pruning, inside bodies too, and keep their order."""

import numpy as np
import pytest

import covector as cv
from covector.transforms.graph.equations import walk

X = np.array([1.0, 2.0])


def said(text, x):
    cv.debug.print(text + " {}", x)
    return x * 2.0


@cv.custom_jvp
def custom(x):
    return said("custom", x)


custom.defjvp(lambda primals, tangents: (custom(*primals), tangents[0] * 2.0))
BODIES = {
    "scan": (lambda x: cv.scan(lambda c, v: (said("step", c), v), x, X), ["step 3.0", "step 6.0"]),
    "cond": (lambda x: cv.cond(x > 0, lambda x: said("yes", x), lambda x: said("no", x), x), ["yes 3.0"]),
    "checkpoint": (lambda x: cv.checkpoint(lambda x: said("point", x))(x), ["point 3.0"]),
    "nested": (lambda x: cv.scan(lambda c, v: (cv.cond(c > 0, lambda c: said("in", c), lambda c: c, c), v), x, X),
               ["in 3.0", "in 6.0"]),
    "custom": (custom, ["custom 3.0"]),
}


@pytest.mark.parametrize("name", BODIES)
def test_an_effect_in_a_body_survives_where_its_results_are_unused(name, capsys):
    run, want = BODIES[name]

    def fun(x):
        cv.debug.print("before {}", x)
        run(x)
        cv.debug.print("after {}", x)
        return x + 1.0

    graph = cv.make_graph(fun)(3.0)
    capsys.readouterr()
    for again in (graph, cv.make_graph(graph)(3.0)):
        assert again(3.0) == 4.0
        assert capsys.readouterr().out.splitlines() == ["before 3.0", *want, "after 3.0"]


def test_a_body_without_effects_is_dropped():
    graph = cv.make_graph(lambda x: (cv.scan(lambda c, v: (c * v, c), x, X), x + 1.0)[1])(3.0)
    assert [eq.prim.name for eq in graph.equations] == ["add"]


def test_unused_work_in_a_body_is_dropped_and_its_effects_stay(capsys):
    def step(c, v):
        np.sin(c)
        said("step", c)
        return c + v, None

    graph = cv.make_graph(lambda x: cv.scan(step, x, X)[0])(3.0)
    assert [eq.prim.name for eq in walk(graph.equations)] == ["debug_print", "add", "scan"]
    graph(3.0)
    assert capsys.readouterr().out.splitlines() == ["step 3.0", "step 4.0"]


def test_a_host_callback_in_a_body_runs_once_a_step():
    seen = []

    def step(c, v):
        cv.host_callback(lambda c: seen.append(float(c)) or np.zeros(()), cv.ShapeDtype(()), c)
        return c + v, None

    graph = cv.make_graph(lambda x: (cv.scan(step, x, X), x)[1])(3.0)
    seen.clear()
    graph(3.0)
    assert seen == [3.0, 4.0]


def test_branches_for_their_effects_alone(capsys):
    def fun(x):
        cv.cond(x > 0, lambda x: cv.debug.print("yes {}", x), lambda x: None, x)
        return x

    graph = cv.make_graph(fun)(3.0)
    for x in (3.0, 4.0, -1.0):
        graph(x)
    assert capsys.readouterr().out.splitlines() == ["yes 3.0", "yes 4.0"]


def test_callback_runs_once_per_example_and_in_compiled_loops():
    seen = []

    def step(carry, x):
        cv.debug.callback(lambda c, scale: seen.append((float(c), scale)), carry, scale=x)
        return carry * x, None

    def f(x):
        return cv.scan(step, x, np.array([2.0, 3.0]))[0]

    for run in (lambda: f(1.0), lambda: cv.jit(f)(1.0), lambda: cv.grad(f)(1.0), lambda: cv.jit(cv.grad(f))(1.0)):
        seen.clear()
        run()
        assert seen == [(1.0, 2.0), (2.0, 3.0)]
    for run in (cv.vmap(f), cv.jit(cv.vmap(f))):
        seen.clear()
        run(np.array([1.0, 5.0]))
        assert seen == [(1.0, 2.0), (5.0, 2.0), (2.0, 3.0), (10.0, 3.0)]
    with pytest.raises(TypeError, match=r"debug.callback needs a function, but got 3; give a function of plain arrays"):
        cv.debug.callback(3, 1.0)
