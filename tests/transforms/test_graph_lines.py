"""Lines of the user's code: each equation knows the one that asked for it, and errors name it."""

import inspect

import numpy as np
import pytest

import covector as cv
from covector.transforms.graph.equations import walk

X = np.array([1.0, 2.0])
FIRST = inspect.currentframe().f_lineno + 3


def fun(x):
    y = np.sin(x)
    z = (y
         * x)
    return cv.scan(lambda c, v: (
        np.cos(c), v), z.sum(), X)[0]


def line(k):
    return f"test_graph_lines.py:{FIRST + k}"


def test_an_equation_knows_its_line():
    graph = cv.make_graph(fun)(X)
    found = {eq.prim.name: eq.line for eq in walk(graph.equations)}
    assert found == {"sin": line(1), "multiply": line(2), "cos": line(5), "reduce_sum": line(5), "scan": line(4)}


def test_equations_of_derivatives_know_the_line_of_the_call():
    graph = cv.make_graph(cv.grad(lambda x: np.sin(x).sum()))(X)
    here = inspect.currentframe().f_lineno - 1
    assert {eq.line for eq in graph.equations} == {f"test_graph_lines.py:{here}"}


def test_a_graph_that_raises_names_the_line():
    graph = cv.make_graph(lambda x: np.log(x) * 2.0)(X)
    here = inspect.currentframe().f_lineno - 1
    with cv.debug_nans(), np.errstate(all="ignore"), pytest.raises(FloatingPointError) as error:
        cv.grad(lambda x: graph(x).sum())(np.array([1.0, -1.0]))
    assert str(error.value).startswith("log produced a NaN")
    assert f"(staged at test_graph_lines.py:{here})" in str(error.value)


def test_errors_of_callbacks_stay_as_they_are():
    def refuse(x):
        raise ValueError("mine")

    graph = cv.make_graph(lambda x: cv.host_callback(refuse, cv.ShapeDtype((2,)), x))(X)
    with pytest.raises(ValueError, match="^mine$"):
        graph(X)
