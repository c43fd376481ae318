"""Keys of every form: what is read, written and flows back is NumPy's, traced or not."""

import itertools

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

X = np.arange(60.0).reshape(3, 4, 5)
PARTS = [np.array([[0, 1], [2, 1]]), np.array([1, 2]), 1, slice(None), slice(1, 3), None, Ellipsis,
         np.array([True, False, True])]


def keys(length):
    for key in itertools.product(PARTS, repeat=length):
        if sum(k is Ellipsis for k in key) < 2 and not all(k is None or k is Ellipsis for k in key):
            try:
                X[key]
            except IndexError:
                continue
            yield key


def written(key, value):
    def write(x):
        out = cnp.zeros(x.shape) + x
        out[key] = value
        return out

    return write


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_keys_are_numpys(length):
    for k, key in enumerate(keys(length)):
        wanted = X[key]
        value = np.random.default_rng(0).normal(size=wanted.shape)
        found, back = cv.vjp(lambda x, key=key: x[key], X)
        np.testing.assert_array_equal(found, wanted, str(key))
        slope = np.zeros_like(X)
        np.add.at(slope, key, value)
        np.testing.assert_allclose(back(value)[0], slope, 1e-14, 1e-14, err_msg=str(key))
        if k % 5 == 0:
            after = X.copy()
            after[key] = value
            np.testing.assert_array_equal(cv.vjp(written(key, value), X)[0], after, str(key))
        if k % 40 == 0:
            batch = np.stack([X, X + 1.0])
            np.testing.assert_array_equal(cv.vmap(lambda x, key=key: x[key])(batch), [x[key] for x in batch], str(key))
            np.testing.assert_array_equal(cv.jit(lambda x, key=key: x[key])(X), wanted, str(key))


def test_an_ellipsis_that_passes_over_nothing_parts_arrays():
    places = np.array([1, 2])
    assert cv.jit(lambda x: x[:, places, ..., places])(X).shape == X[:, places, ..., places].shape == (2, 3)
    assert cv.jit(lambda x: x[:, places, ..., 1])(X).shape == X[:, places, ..., 1].shape == (2, 3)
    assert cv.jit(lambda x: x[:, places, places, ...])(X).shape == (3, 2)


@pytest.mark.parametrize("axes", [32, 33, 40, 63])
@pytest.mark.parametrize("way", ["last", "first", "take", "along", "mask"])
def test_indices_of_arrays_with_many_axes_have_gradients(axes, way):
    x = np.arange(2.0).reshape((2,) + (1,) * (axes - 1) if way == "first" else (1,) * (axes - 1) + (2,))
    fun = {"last": lambda w: w[..., [1, 1]], "first": lambda w: w[[1, 1]],
           "take": lambda w: np.take(w, [1, 1], axis=-1),
           "along": lambda w: np.take_along_axis(w, np.ones(x.shape, int), axis=-1),
           "mask": lambda w: 2.0 * w[w > 0.0]}[way]
    found = cv.grad(lambda w: np.sum(fun(w)))(x)
    assert found.shape == x.shape and found.reshape(-1).tolist() == [0.0, 2.0]
