"""pandas and xarray beside traced values, against the same programs on plain arrays."""

import re

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

pandas, xarray = (
    pytest.importorskip(name, reason="needs the `reference` extra: pip install -e '.[reference]'")
    for name in ("pandas", "xarray")
)
pytestmark = pytest.mark.reference

X = np.array([0.5, 1.0, 2.0])
VALUES = np.array([10.0, 30.0, 20.0])
LABELLED = {
    "series": pandas.Series(VALUES, index=[2, 0, 1]),
    "index": pandas.Index(VALUES),
    "array": xarray.DataArray(VALUES, dims="t", coords={"t": [0.0, 1.0, 2.0]}),
    "column": pandas.DataFrame({"a": VALUES})["a"],
}
USES = {
    "right": lambda t, v: np.sum(v * t),
    "left": lambda t, v: np.sum(t * v),
    "minus": lambda t, v: np.sum((v - t) ** 2),
    "power": lambda t, v: np.sum((v / 10.0) ** t),
    "scalar": lambda t, v: np.sum(v * t[0]),
    "sin": lambda t, v: np.sum(np.sin(v * t)),
    "ufunc": lambda t, v: np.sum(np.multiply(t, v)),
    "compared": lambda t, v: np.sum(np.where(10 * t < v, t, 0.0)),
    "greater": lambda t, v: np.sum(np.where(v > 10 * t, t, 0.0)),
    "product": lambda t, v: t @ v,
    "dot": lambda t, v: np.dot(v, t),
    "mask": lambda t, v: np.sum(t[v > 15.0]),
    "where": lambda t, v: np.sum(np.where(t > 0.7, t, v)),
    "interp": lambda t, v: np.sum(np.interp(20 * t, np.sort(v), v)),
    "stack": lambda t, v: np.sum(np.stack([t, v]) ** 2),
}


@pytest.mark.parametrize("name", USES)
@pytest.mark.parametrize("kind", LABELLED)
def test_values_are_used_on_both_sides(kind, name):
    fun, labelled = USES[name], LABELLED[kind]
    value, gradient = cv.value_and_grad(lambda t: fun(t, VALUES))(X)
    found = cv.value_and_grad(lambda t: fun(t, labelled))(X)
    np.testing.assert_allclose(found[0], value)
    np.testing.assert_allclose(found[1], gradient)
    np.testing.assert_allclose(cv.jit(cv.grad(lambda t: fun(t, labelled)))(X), gradient)
    if kind != "array":
        np.testing.assert_allclose(cv.jvp(lambda t: fun(t, labelled), (X,), (X,))[1], gradient @ X)


def test_tables():
    table = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]})
    for f in (lambda t: np.sum(table.T * t), lambda t: np.sum(t * table.T), lambda t: np.sum(t @ table)):
        np.testing.assert_allclose(cv.grad(f)(X), [5.0, 7.0, 9.0])


GRID = xarray.DataArray(np.arange(6.0).reshape(2, 3), dims=("x", "t"), coords={"t": [0.0, 1.0, 2.0]})
WEIGHTS = xarray.DataArray([1.0, 2.0, 3.0], dims="t")
PROGRAMS = {
    "sum": lambda t: (GRID * t).sum(),
    "mean": lambda t: (GRID * t).mean("t").sum(),
    "std": lambda t: ((GRID * t) ** 2).std(),
    "isel": lambda t: (GRID * t).isel(x=1).sum(),
    "sel": lambda t: (GRID * t).sel(t=1.0).sum(),
    "max": lambda t: (GRID * t).max(),
    "dot": lambda t: np.exp(GRID * t / 5.0).sum("x").dot(WEIGHTS),
    "where": lambda t: (GRID * t).where(GRID > 1).sum(),
    "cumsum": lambda t: (GRID * t).cumsum("t").sum(),
    "concat": lambda t: xarray.concat([GRID * t, GRID], "x").sum(),
    "xr.where": lambda t: xarray.where(GRID > 1, GRID * t, 0.0).sum(),
    "data": lambda t: (GRID * t).data.sum(),
    "both": lambda t: (GRID * t * (GRID * t) - t).sum(),
    "numpy": lambda t: np.sum(np.tanh(GRID * t)),
    "product": lambda t: cnp.dot(GRID * t, t).sum(),
    "logsumexp": lambda t: cv.nn.logsumexp(GRID * t),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_xarray_keeps_traced_values(name):
    fun = PROGRAMS[name]
    value, gradient = cv.value_and_grad(fun)(X)
    np.testing.assert_allclose(value, fun(X))
    steps = 1e-6 * np.eye(3)
    slopes = [(float(fun(X + h)) - float(fun(X - h))) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)


# name -> what raises, the remedy in the message, and the same with it
REFUSED = {
    "series @ t": (
        lambda t: LABELLED["series"] @ t,
        "s.to_numpy() @ t for a pandas s @ t",
        lambda t: LABELLED["series"].to_numpy() @ t,
    ),
    "where of a DataArray": (
        lambda t: np.sum(np.where(GRID > 1, GRID * t, 0.0)),
        "a.data of an xarray DataArray a",
        lambda t: np.sum(np.where(GRID > 1, (GRID * t).data, 0.0)),
    ),
    "values": (lambda t: (GRID * t).values.sum(), "a.data of an xarray DataArray a", lambda t: (GRID * t).data.sum()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_has_a_remedy(name):
    refused, remedy, followed = REFUSED[name]
    with pytest.raises(TypeError, match=re.escape(remedy)):
        cv.grad(refused)(X)
    value, gradient = cv.value_and_grad(followed)(X)
    np.testing.assert_allclose(value, refused(X))
    np.testing.assert_allclose(cv.jvp(followed, (X,), (X,))[1], gradient @ X)


def test_arguments_are_arrays():
    for given in (LABELLED["series"], LABELLED["array"]):
        with pytest.raises(TypeError, match=r"(?s)grad differentiates arrays and numbers.*convert it"):
            cv.grad(lambda s: np.sum(s * s))(given)


def test_a_dataset_is_refused():
    with pytest.raises(TypeError, match="it returned Dataset; return the loss alone"):
        cv.grad(lambda t: xarray.Dataset({"v": LABELLED["array"]}) * t)(X)
