"""Writes at index arrays that a transform traces: of places named twice the last one stays, as in NumPy."""

import numpy as np
import pytest

import covector as cv
from covector import numpy as cnp
from covector.extend import REGISTRY

X = np.arange(12.0).reshape(3, 4)
PLACES = np.array([[0, 2, 0], [1, -1, 1], [3, 3, 3]])
VALUES = np.arange(9.0).reshape(3, 3) + 100


def written(x, places, values):
    out = np.array(x)
    out[places] = values
    return out


def by_example(x, places, values):
    return x.at[places].set(values)


def test_vmap_writes_as_a_loop_does():
    found = cv.vmap(by_example)(X, PLACES, VALUES)
    assert np.array_equal(found, np.stack([written(*row) for row in zip(X, PLACES, VALUES)]))


def test_the_value_that_stays_gets_the_gradient():
    def loss(x, places, values):
        return cnp.sum(by_example(x, places, values) ** 2)

    dx, dv = cv.vmap(cv.grad(loss, (0, 2)))(X, PLACES, VALUES)
    for k in range(3):
        stays = np.array([np.flatnonzero(PLACES[k] % 4 == p % 4)[-1] == j for j, p in enumerate(PLACES[k])])
        hit = np.isin(np.arange(4), PLACES[k] % 4)
        assert np.array_equal(dx[k], np.where(hit, 0, 2 * X[k]))
        assert np.array_equal(dv[k], np.where(stays, 2 * VALUES[k], 0))


@pytest.mark.parametrize("shape", [(3, 0), (3, 1)])
def test_few_places(shape):
    places = np.zeros(shape, int)
    found = cv.vmap(by_example)(X, places, np.ones(shape))
    assert np.array_equal(found, np.stack([written(x, i, 1.0) for x, i in zip(X, places)]))


@pytest.mark.parametrize("use", [lambda x, i: x[i], lambda x, i: x.at[i].set(1.0), lambda x, i: x.at[i].add(1.0),
                                 lambda x, i: cnp.take(x, i, 0), lambda x, i: x[i, i]])
def test_an_index_out_of_range_in_any_example_is_refused(use):
    x = np.ones((2, 4, 4))
    for places in ([[0, 1], [4, 0]], [[0, -5], [1, 0]]):
        with pytest.raises(IndexError, match="out of bounds"):
            cv.vmap(use)(x, np.array(places))
        with pytest.raises(IndexError, match="out of bounds"):
            cv.vmap(cv.vmap(use))(x[None], np.array([places]))


@pytest.mark.parametrize("shape", [(1, 2), (1, 1), (3, 1)])
def test_places_on_short_axes_are_staged(shape):
    x = np.linspace(1.0, 0.0, shape[0] * shape[1]).reshape(shape)

    def f(x):
        return np.take_along_axis(x, np.argsort(x, axis=0), 0)

    assert np.array_equal(cv.make_graph(f)(x)(x), f(x))
    assert cv.eval_shape(f, x).shape == shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int64])
@pytest.mark.parametrize("shape", [(20,), (20, 1), (20, 3), (20, 2, 3), (20, 64), (20, 65), (3, 2), (20, 0)])
def test_rows_that_land_on_one_place_add_up(shape, dtype):
    rng = np.random.default_rng(0)
    rows, places = rng.integers(-9, 9, shape).astype(dtype), rng.integers(-4, 4, shape[0])
    wanted = np.zeros((4, *shape[1:]), dtype)
    for place, row in zip(places, rows):
        wanted[place] += row
    found = REGISTRY["scatter_add"].fun(rows, places, axis=0, n=4)
    assert found.dtype == dtype and np.array_equal(found, wanted)


WRITES = {
    "set": lambda x, v: cnp.at(x)[0:1].set(v), "add": lambda x, v: cnp.at(x)[0:1].add(v),
    "multiply": lambda x, v: cnp.at(x)[0:1].multiply(v), "max": lambda x, v: cnp.at(x)[0:1].max(v),
}


@pytest.mark.parametrize("name", WRITES)
def test_cotangents_of_a_write_that_widens_have_the_dtypes_of_its_operands(name):
    x, v = np.float32([1, 2, 3]), np.float64([1 / 3])

    def loss(x, v):
        out = WRITES[name](x, v)
        assert out.dtype == np.float64
        return out[0] ** 2 + np.sum(np.sin(out))

    plain = cv.grad(loss, (0, 1))
    wanted = [(np.float32, (3,)), (np.float64, (1,))]
    for fun in (plain, cv.jit(plain)):
        assert [(a.dtype, a.shape) for a in fun(x, v)] == wanted
    batched = cv.vmap(plain)(np.stack([x, x]), np.stack([v, v]))
    assert [(a.dtype, a.shape[1:]) for a in batched] == wanted
    if name == "set":
        np.testing.assert_allclose(plain(x, v)[1], 2 * v + np.cos(v), rtol=1e-15)  # not rounded to the dtype of x
