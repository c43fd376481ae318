"""Python numbers as arguments: in all transforms as weak as in NumPy, with the derivatives of NumPy's scalars."""

import numpy as np
import pytest

import covector as cv

SINGLE = np.array([1.5, -0.5], np.float32)
FUNCTIONS = {
    "operators": lambda x: (-x * 2 + 1.5) / 3.0 - (2 - x) * x,
    "powers": lambda x: x**3 + x**2 + 2.0**x + x**0.5,
    "beside single precision": lambda x: x * SINGLE,
    "an operator beside single precision": lambda x: (3 * x + 1) * SINGLE,
    "a power beside single precision": lambda x: x**3 * SINGLE,
    "single precision first": lambda x: SINGLE - x,
    "a number of single precision": lambda x: x * np.float32(2.0),
    "a function is strong": lambda x: np.sin(x) * SINGLE,
    "a choice is strong": lambda x: np.maximum(x, 0.5) * SINGLE,
    "a strong number": lambda x: x * np.float64(2.0) * SINGLE,
    "a strong number first": lambda x: (np.float64(2.0) + x) * SINGLE,
    "a strong array": lambda x: x * np.ones(2) * SINGLE,
    "a strong array of no axes": lambda x: x * np.array(3.0) * SINGLE,
    "both": lambda x: (x * x + np.exp(x)) * SINGLE,
    "an integer array": lambda x: x * np.arange(2),
    "truth": lambda x: x * True,
    "complex": lambda x: abs(x * 2j),
    "index": lambda x: np.stack([x, 2.0 * x])[1] * SINGLE,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_dtypes_and_derivatives_are_those_of_numpy(name, x):
    fun = FUNCTIONS[name]
    plain = np.asarray(fun(x))
    out, pullback = cv.vjp(fun, x)
    pushed, tangent = cv.jvp(fun, (x,), (1.0,))
    value, _ = cv.value_and_grad(lambda x: np.sum(fun(x)))(x)
    assert np.asarray(value).dtype == np.sum(fun(x)).dtype
    slope = (np.asarray(fun(x + 1e-6), float) - np.asarray(fun(x - 1e-6), float)) / 2e-6
    tolerance = 1e-6 if plain.dtype == np.float64 else 0.2
    for found in (out, pushed):
        np.testing.assert_allclose(found, plain, rtol=1e-6)
        assert np.asarray(found).dtype == plain.dtype
    np.testing.assert_allclose(tangent, slope, rtol=tolerance)
    for k in np.ndindex(plain.shape):
        ct = np.zeros(plain.shape, plain.dtype)
        ct[k] = 1
        np.testing.assert_allclose(pullback(ct)[0], slope[k], rtol=tolerance)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivatives_are_those_of_strong_numbers(name):
    def total(x):
        return np.sum(FUNCTIONS[name](x) * np.arange(1.0, 3.0))

    for twice in (cv.grad(cv.grad(total)), cv.jacfwd(cv.grad(total)), cv.jacfwd(cv.jacfwd(total))):
        np.testing.assert_allclose(twice(0.7), twice(np.float64(0.7)), rtol=1e-5)
    np.testing.assert_allclose(cv.make_graph(total)(0.7)(0.7), total(0.7), rtol=1e-6)


def test_weak_numbers_of_two_arguments_stay_weak_together():
    value = cv.value_and_grad(lambda x, y: ((x * y + x) * SINGLE).sum(), (0, 1))(2.0, 3.0)[0]
    assert np.asarray(value).dtype == np.float32
    value = cv.value_and_grad(lambda x, y: ((x * y) * SINGLE).sum(), (0, 1))(2.0, np.float64(3.0))[0]
    assert np.asarray(value).dtype == np.float64
    np.testing.assert_allclose(cv.grad(lambda z: abs(z * 2.0 + 1) ** 2)(0.5 + 1j), cv.grad(
        lambda z: abs(z * 2.0 + 1) ** 2)(np.complex128(0.5 + 1j)))
