"""Objects that hold an array and are none: their values stand beside traced ones; `tests/reference` has pandas'."""

import numpy as np
import pytest

import covector as cv
import covector.numpy as cnp

X = np.array([0.5, 1.5, -2.0])
VALUES = np.array([1.0, 2.0, 4.0])


class Labelled:
    """As a column of a table: found by label, so that its elements in order are only in `__array__`."""

    shape, dtype, ndim, size = (3,), np.dtype(float), 1, 3

    def __array__(self, dtype=None, copy=None):
        return VALUES.astype(dtype or float)

    def __getitem__(self, key):
        raise KeyError(key)

    def __len__(self):
        return 3


class Holding:
    """As a DataArray: keeps what it is given."""

    def __init__(self, data):
        self.data = data

    shape = property(lambda self: self.data.shape)
    dtype = property(lambda self: self.data.dtype)
    ndim = property(lambda self: self.data.ndim)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)


class Elsewhere(Labelled):
    """An array of another library."""

    def __dlpack__(self):
        raise NotImplementedError


USES = {
    "left": lambda t, v: np.sum(t * v),
    "difference": lambda t, v: np.sum((t - v) ** 2),
    "power": lambda t, v: np.sum(abs(t) ** v),
    "ufunc": lambda t, v: np.sum(np.multiply(t, v)),
    "function": lambda t, v: np.sum(cnp.maximum(t, v) * cnp.hypot(t, v)),
    "product": lambda t, v: t @ v,
    "dot": lambda t, v: np.dot(t, v) + cnp.dot(t, v),
    "where": lambda t, v: np.sum(np.where(t > v, t, v)),
    "interp": lambda t, v: np.sum(np.interp(t, v, v) * t),
    "stack": lambda t, v: np.sum(np.stack([t, v]) ** 2),
    "nested": lambda t, v: np.sum(cnp.concatenate([t, v]) ** 2),
    "in place": lambda t, v: np.sum((t + 0.0).__iadd__(v) ** 2),
    "clip": lambda t, v: np.sum(np.clip(t, -1.0, v)),
    "scalar": lambda t, v: np.sum(t[0] * v),
}


@pytest.mark.parametrize("name", USES)
def test_values_are_used(name):
    def of(v):
        return lambda t: USES[name](t, v)

    wanted = cv.value_and_grad(of(VALUES))(X)
    for transform in (lambda f: f, lambda f: cv.jit(f)):
        value, gradient = transform(cv.value_and_grad(of(Labelled())))(X)
        np.testing.assert_allclose(value, wanted[0])
        np.testing.assert_allclose(gradient, wanted[1])
    np.testing.assert_allclose(cv.vmap(of(Labelled()))(np.stack([X, -X])), cv.vmap(of(VALUES))(np.stack([X, -X])))
    tangents = [cv.jvp(of(v), (X,), (VALUES,))[1] for v in (VALUES, Labelled())]
    np.testing.assert_allclose(tangents[1], tangents[0])


def test_values_are_written():
    def f(t):
        buf = np.zeros_like(t)
        buf[:] = Labelled()
        buf[0] = t[0]
        return np.sum(buf * t)

    np.testing.assert_allclose(cv.grad(f)(X), [2 * X[0], 2.0, 4.0])


def test_arrays_of_other_libraries_are_refused():
    with pytest.raises(TypeError, match="expected arrays, but got"):
        cv.grad(lambda t: np.sum(t * Elsewhere()))(X)


def test_a_traced_value_in_a_result_is_found():
    def f(t):
        return Holding(np.sum(t * t))

    np.testing.assert_allclose(cv.grad(f)(X), 2 * X)
    value, gradient = cv.value_and_grad(f)(X)
    np.testing.assert_allclose(value, np.sum(X * X))
    np.testing.assert_allclose(gradient, 2 * X)
    _, aux = cv.grad(lambda t: (np.sum(t), {"a": Holding(t * t)}), has_aux=True)(X)
    assert type(aux["a"]) is np.ndarray
    out, pullback = cv.vjp(lambda t: [Holding(t * t)], X)
    np.testing.assert_allclose(out[0], X * X)
    np.testing.assert_allclose(pullback([np.ones(3)])[0], 2 * X)
    np.testing.assert_allclose(cv.jvp(f, (X,), (X,))[1], 2 * X @ X)
    np.testing.assert_allclose(cv.jacobian(lambda t: Holding(t * t))(X), np.diag(2 * X))
    np.testing.assert_allclose(cv.hessian(f)(X), 2 * np.eye(3))
    np.testing.assert_allclose(cv.vmap(f)(np.stack([X, -X])), [X @ X] * 2)
    np.testing.assert_allclose(cv.jit(f)(X), X @ X)
    np.testing.assert_allclose(cv.jit(cv.grad(f))(X), 2 * X)


def test_a_traced_value_in_an_operand_is_found():
    np.testing.assert_allclose(cv.grad(lambda t: np.sum(t * Holding(t)))(X), 2 * X)
    np.testing.assert_allclose(cv.grad(lambda t: np.dot(t, Holding(t)))(X), 2 * X)


def test_a_finished_value_in_a_result_is_refused():
    kept = []
    cv.grad(lambda t: (kept.append(Holding(t @ t)), np.sum(t))[1])(X)
    with pytest.raises(RuntimeError, match="has finished"):
        cv.grad(lambda t: kept[0])(X)
