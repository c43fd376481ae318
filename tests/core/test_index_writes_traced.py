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


UFUNCS = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "power": np.power,
          "min": np.minimum, "max": np.maximum}
KEYS = {  # keys that name places of a (3, 4) array more than once, and the shape of what they pick
    "rows": np.array([0, 2, 0, -3]), "elements": (np.array([[0], [-1]]), np.array([1, 3, -1])),
    "columns": (slice(None), np.array([1, 1])), "apart": (np.array([0, 0]), None, np.array([1, 1])),
    "one": np.array([1]), "none": np.array([], int), "mask": X > 4,
}


def met(ufunc, x, key, value):
    out = x.copy()
    with np.errstate(invalid="ignore"):
        ufunc.at(out, key, value)
    return out


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("name", UFUNCS)
def test_a_place_named_twice_is_written_to_twice(name, key):
    x = X + 0.5
    values = np.random.default_rng(0).uniform(0.5, 2.0, x[key].shape)
    for value in (values, values[..., :1], 1.5):
        def f(x, value):
            return getattr(cnp.at(x)[key], name)(value)

        wanted = met(UFUNCS[name], x, key, value)
        np.testing.assert_allclose(f(x, value), wanted)
        np.testing.assert_allclose(cv.jit(f)(x, value), wanted)
        np.testing.assert_allclose(cv.vmap(f, (0, None))(x[None], value)[0], wanted)
    cv.testing.check_grads(f, (x, 1.43), order=2)


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8, bool, complex])
@pytest.mark.parametrize("name", ["min", "max"])
def test_the_extremes_of_segments_at_traced_places(name, dtype):
    rng = np.random.default_rng(1)
    places = rng.integers(-4, 4, (2, 9))
    values = rng.integers(0, 9, (2, 9)).astype(dtype)
    if dtype is float:
        values[0, 3] = np.nan

    def f(places, values):
        return getattr(cnp.at(np.full(4, 3, dtype))[places], name)(values)

    wanted = [met(UFUNCS[name], np.full(4, 3, dtype), *row) for row in zip(places, values)]
    for fun in (cv.vmap(f), cv.jit(cv.vmap(f)), lambda *rows: np.stack([cv.jit(f)(*row) for row in zip(*rows)])):
        found = fun(places, values)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, wanted)


def test_the_extreme_of_a_segment_gets_the_gradient():
    def loss(v, places):
        return np.sum(cnp.at(np.zeros(2))[places].max(v) * np.array([2.0, 3.0]))

    for fun in (cv.grad(loss), cv.jit(cv.grad(loss))):
        np.testing.assert_array_equal(fun(np.array([1.0, 5.0, 4.0, 2.0]), np.array([0, 0, 1, 1])), [0, 2, 3, 0])


def test_f_is_applied_as_often_as_a_place_is_named():
    key = np.array([0, 2, 0])
    np.testing.assert_array_equal(cv.jit(lambda x: cnp.at(x)[key].apply(lambda v: v * 2))(np.ones(3)), [4, 1, 2])
    assert cv.grad(lambda x: cnp.at(x)[key].apply(np.square).sum())(np.full(3, 2.0)).tolist() == [32, 1, 4]


@pytest.mark.parametrize("name", ["multiply", "divide", "power", "apply"])
def test_products_at_traced_places_need_to_know_that_these_differ(name):
    value = (lambda v: 2 * v) if name == "apply" else 2.0

    def f(x, places, **known):
        return getattr(cnp.at(x)[places], name)(value, **known)

    x, places = np.full(3, 3.0), np.array([0, 2])
    for fun in (cv.jit(f), lambda x, places: cv.vmap(f, (None, 0))(x, places[None])[0]):
        with pytest.raises(TypeError, match=rf"\.at\[…\]\.{name}.*unique_indices=True.*test_index_writes_traced"):
            fun(x, places)
        np.testing.assert_array_equal(fun(x, places[:1]), f(x, places[:1]))
    fun = cv.jit(lambda x, places: f(x, places, unique_indices=True))
    np.testing.assert_array_equal(fun(x, places), f(x, places))


@pytest.mark.parametrize("name", ["set", "add", "min", "max"])
@pytest.mark.parametrize("value", [2.5, 3, True])
def test_numbers_of_python_take_the_dtype_of_the_array(name, value):
    x, places = X.astype(np.float32), PLACES
    for mapped in (cv.vmap(lambda x, i: getattr(x.at[i], name)(value)), cv.jit(lambda x, i: getattr(
            x.at[:, i], name)(value))):
        assert mapped(x, places).dtype == np.float32


@pytest.mark.parametrize("value", [np.float32([1.5, 2.5, -1.0]), np.arange(3), np.float32(1.5), 2.5])
def test_rows_that_are_cast_or_spread_are_added(value):
    def moved(x, value):
        return x.at[np.array([0, 2, 0])].add(value)

    mapped = cv.vmap(moved, (0, None))
    for fun, args in ((lambda x, value: mapped(x[None], value), (X[0], value)), (mapped, (X, value))):
        found, wanted = cv.jit(fun)(*args), fun(*args)
        assert np.array_equal(found, wanted) and found.dtype == wanted.dtype
