"""Static arguments of make_graph."""

import numpy as np
import pytest

import covector as cv

X = np.array([1.0, 2.0])


def power(x, settings, y=0.0, *, scale=1.0):
    return (x ** settings["n"] if settings["n"] else x) * scale + y


@pytest.mark.parametrize("static", [{"static_argnums": 1}, {"static_argnums": (1,)}, {"static_argnums": -2},
                                    {"static_argnames": "settings"}, {"static_argnames": ["settings"]}], ids=str)
def test_static_arguments_by_position_or_name(static):
    settings = {"n": 2}  # which has no hash
    graph = cv.make_graph(power, **static)(X, settings, 3.0)
    np.testing.assert_array_equal(graph(X + 1, 3.0), power(X + 1, settings, 3.0))
    if static.get("static_argnums") != -2:
        graph = cv.make_graph(power, **static)(X, settings=settings, scale=2.0)
        np.testing.assert_array_equal(graph(X, scale=2.0), power(X, settings, scale=2.0))


def test_a_static_argument_that_is_left_out_is_the_default():
    def scaled(x, n=3):
        return x * n if n > 2 else x

    np.testing.assert_array_equal(cv.make_graph(scaled, static_argnums=1)(X)(X), 3 * X)
    np.testing.assert_array_equal(cv.make_graph(scaled, static_argnames="n")(X, n=1)(X), X)
    np.testing.assert_array_equal(cv.make_graph(cv.grad(lambda x, n: np.sum(x**n)), static_argnums=1)(X, 2)(X), 2 * X)


def test_a_static_argument_that_the_function_lacks_is_refused():
    with pytest.raises(ValueError, match=r"static_argnums of make_graph names argument 5.*takes 3; name one"):
        cv.make_graph(power, static_argnums=5)
    with pytest.raises(ValueError, match=r"static_argnames of make_graph names 'q'.*takes x, settings.*name one"):
        cv.make_graph(power, static_argnames="q")
    with pytest.raises(TypeError, match=r"static_argnums of make_graph needs positions.*0\.5.*write static_argnums"):
        cv.make_graph(power, static_argnums=(0.5,))
