"""What covector.compat.autograd.numpy takes: lists, iterators, views of dicts, arrays of objects, pandas' frames."""

import numpy as onp
import pytest

import covector.compat.autograd.numpy as np
from covector.compat.autograd import grad
from covector.compat.autograd.scipy import special

X = onp.array([0.3, 1.2, 2.5])
MASK = onp.array([True, False, True])


def slopes(f):
    """Central differences."""
    return onp.array([(float(f(X + 1e-6 * d)) - float(f(X - 1e-6 * d))) / 2e-6 for d in onp.eye(3)])


FUNCTIONS = {
    "sum of a list": lambda x: np.sum([x[0], x[1] * 2]),
    "mean, std, max of lists": lambda x: np.mean([x[0], x[1] * 2]) + np.std([x[0], x[1]]) + np.max([x[0], x[2]]),
    "norm of a list": lambda x: np.linalg.norm([x[0], x[1]]),
    "stack of a generator": lambda x: np.sum(np.stack(v for v in [x, x**2])),
    "stack of the values of a dict": lambda x: np.sum(np.stack({"a": x, "b": x * 2}.values())),
    "concatenate of a map": lambda x: np.sum(np.concatenate(map(x.__pow__, range(3)))),
    "array of the values of a dict": lambda x: np.sum(np.array({"a": x[0], "b": x[1] ** 2}.values())),
    "nested lists": lambda x: np.sum(np.array([[x[0], 1.0], [x[1], x[2]]]) ** 2),
    "objects": lambda x: np.sum(onp.array([x[0], x[1]], dtype=object) * 2.0),
    "objects in a product": lambda x: np.sum(np.dot(onp.array([[x[0], 1.0], [2.0, x[1]]], dtype=object), onp.ones(2))),
    "objects made by elements": lambda x: np.sum(np.array([onp.array([v, 1.0], dtype=object) for v in x])),
    "mask by keyword": lambda x: np.sum(np.where(MASK, x=x, y=x**2)),
    "zeros_like is plain": lambda x: np.sum(np.zeros_like(x) + x) if isinstance(np.zeros_like(x), onp.ndarray) else 0.0,
    "integers of traced values": lambda x: x[0] * np.int64(x[2]),
    "isscalar": lambda x: x[0] * (1.0 if np.isscalar(x[0]) else 2.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_that_by_differences(name):
    onp.testing.assert_allclose(grad(FUNCTIONS[name])(X), slopes(FUNCTIONS[name]), atol=1e-6)


FRAMES = {
    "a Series in an expression": lambda s, df, x: np.sum(s * x) + np.sum(x * s) + np.sum(x / s - s**x),
    "a Series in a function": lambda s, df, x: np.sum(np.exp(s * x) + np.log(s) * x),
    "a Series in a special function": lambda s, df, x: np.sum(special.gammaln(s * x + 1) + special.gammaln(s) * x),
    "a DataFrame in a product": lambda s, df, x: np.sum(np.dot(df.T, x)) + np.sum(x @ df),
    "a DataFrame in an expression": lambda s, df, x: np.sum(df * x[0]) + np.sum(df["a"] * x + df["b"] / x),
    "a Series as a mask": lambda s, df, x: np.sum(np.where(s > 1.5, x, 2 * x)) + np.sum(x[(s > 1.5).values]),
    "a maximum": lambda s, df, x: np.sum(np.maximum(s, x)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_pandas(name):
    pd = pytest.importorskip("pandas", reason="needs pandas, of the `reference` extra")
    df = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [3.0, 1.0, 2.0]})

    def f(x):
        return FRAMES[name](df["a"], df, x)

    onp.testing.assert_allclose(grad(f)(X), slopes(f), atol=1e-5, rtol=1e-6)


def test_where_wants_both_or_neither():
    with pytest.raises(ValueError, match="either both or neither"):
        np.where([True], 1.0)


def test_array_of_a_traced_array_is_a_copy():
    def written(x):
        y = np.array(x)
        y[0] = 5.0
        return np.sum(x * y)

    onp.testing.assert_array_equal(grad(written)(X), [5.0, 2 * X[1], 2 * X[2]])


def test_an_iterator_is_read_once():
    onp.testing.assert_array_equal(np.fromiter((2.0 * k for k in range(3)), dtype=float), [0.0, 2.0, 4.0])
    onp.testing.assert_array_equal(np.fromiter((2 * k for k in range(3)), int, count=2), [0, 2])


def test_arrays_of_objects_that_hold_nothing_traced_stay_as_they_are():
    parts = [onp.array(object(), dtype=object), onp.array(object(), dtype=object)]
    assert np.stack(parts).dtype == object and np.concatenate([onp.array([None, "a"], dtype=object)] * 2).shape == (4,)


def test_the_namespace_holds_its_modules():
    assert {"builtins", "fft", "linalg", "random", "numpy_boxes", "numpy_wrapper"} <= vars(np).keys()
