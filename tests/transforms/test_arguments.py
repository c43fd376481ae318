"""What transforms take as arguments: integers beside floats, keywords, pairs, containers of a graph."""

import inspect
from functools import partial

import numpy as np
import pytest

import covector as cv
from covector import _primitives

X = np.array([1.0, 2.0, 3.0])
COUNTS = np.array([2, 0, 1])
STATE = {"x": X, "n": COUNTS, "on": True}
FLOAT0 = np.dtype([("float0", np.void, 0)])


def loss(state):
    return np.sum(state["x"] ** 2 * state["n"]) * state["on"]


def test_integers_are_constants_with_a_gradient_without_values():
    found = cv.grad(loss, allow_int=True)(STATE)
    np.testing.assert_array_equal(found["x"], 2 * X * COUNTS)
    assert (found["n"].dtype, found["n"].shape, found["on"].shape) == (FLOAT0, (3,), ())
    value, (gx, gn) = cv.value_and_grad(lambda x, n: x**n, (0, 1), allow_int=True)(2.0, 3)
    assert (value, gx, gn.dtype) == (8.0, 12.0, FLOAT0)
    assert cv.grad(lambda n: n * 2.0, allow_int=True)(3).dtype == FLOAT0
    with pytest.raises(TypeError, match=r"grad differentiates arrays and numbers.*'text'"):
        cv.grad(loss, allow_int=True)(STATE | {"n": "text"})
    with pytest.raises(TypeError, match=r"floating or complex inputs.*int64"):
        cv.grad(loss)(STATE)


def test_integers_allowed_inside_other_transforms():
    gradient = cv.grad(loss, allow_int=True)
    batch = {"x": np.stack([X, 2 * X]), "n": np.stack([COUNTS, COUNTS]), "on": np.array([True, False])}
    found = cv.vmap(gradient)(batch)
    np.testing.assert_array_equal(found["x"], [2 * X * COUNTS, 0 * X])
    assert (found["n"].dtype, found["n"].shape) == (FLOAT0, (2, 3))
    second = cv.jacrev(lambda x: gradient(STATE | {"x": x})["x"])(X)
    np.testing.assert_array_equal(second, np.diag(2.0 * COUNTS))
    graph = cv.make_graph(gradient)(STATE)
    np.testing.assert_array_equal(graph(STATE)["x"], 2 * X * COUNTS)


def test_tangents_without_values_for_integers():
    out, tangent = cv.jvp(lambda x, n: x * n, (X, COUNTS), (X, np.zeros(3, FLOAT0)))
    np.testing.assert_array_equal(tangent, X * COUNTS)


def test_graphs_and_shapes_of_functions_with_keywords():
    def affine(x, *, rest):
        return x @ rest["w"] + rest["b"]

    rest = {"w": np.ones((3, 2)), "b": np.arange(2.0)}
    assert cv.eval_shape(affine, cv.ShapeDtype((4, 3)), rest=rest) == cv.ShapeDtype((4, 2), np.float64)
    graph = cv.make_graph(affine)(X, rest=rest)
    np.testing.assert_array_equal(graph(X, rest=rest), affine(X, rest=rest))
    np.testing.assert_array_equal(cv.grad(lambda b: graph(X, rest=rest | {"b": b}).sum())(np.zeros(2)), [1, 1])


def test_a_graph_takes_the_containers_it_was_made_from():
    graph = cv.make_graph(lambda d: d["a"] - d["b"])({"a": 3.0, "b": 1.0})
    assert graph({"b": 1.0, "a": 3.0}) == 2.0
    for wrong in ({"a": 3.0, "c": 1.0}, (3.0, 1.0)):
        with pytest.raises(ValueError, match=r"graph of arguments.*'a'.*was called with.*another graph"):
            graph(wrong)


def test_aux_may_come_in_a_list():
    assert cv.grad(lambda x: [x**2, "kept"], has_aux=True)(3.0) == (6.0, "kept")
    assert cv.jvp(lambda x: [x**2, "kept"], (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, "kept")


def test_linear_transpose_names_itself():
    for x in (COUNTS, cv.ShapeDtype((3,), np.int64)):
        with pytest.raises(TypeError, match=r"linear_transpose needs floating or complex.*astype\(float\)"):
            cv.linear_transpose(lambda x: 2 * x, x)


def test_indexed_updates_that_subtract_and_multiply():
    at = _primitives.At
    np.testing.assert_array_equal(at(X)[np.array([0, 0, 2])].subtract(1.0), [-1, 2, 2])
    np.testing.assert_array_equal(cv.grad(lambda x: x.at[0].subtract(x[1]).prod())(X), [6.0, -9.0, -2.0])
    np.testing.assert_array_equal(cv.grad(lambda x: x.at[0].mul(x[1]).prod())(X), [12.0, 12.0, 4.0])


def test_the_documentation_of_a_derivative_begins_with_what_it_is_and_goes_on_with_the_function_s():
    def loss(w, *, scale=1.0):
        """Sum of squares.

        Args:
            w: weights.
        """
        return scale * w * w

    for transform in (cv.grad, cv.value_and_grad, cv.vmap, cv.jacobian, cv.hessian):
        made = transform(loss)
        assert inspect.getdoc(made) == f"{transform.__name__} of loss: Sum of squares.\n\nArgs:\n    w: weights."
        assert inspect.signature(made) == inspect.signature(loss) and made.__name__ == "loss"
    assert cv.grad(cv.grad(loss)).__doc__.startswith("grad of loss: grad of loss: Sum of squares.")
    assert cv.grad(lambda x: x).__doc__ == "grad of <lambda>." == cv.grad(partial(lambda x: x)).__doc__.replace(
        "a function", "<lambda>")
    assert cv.jit(loss).__doc__ == loss.__doc__
