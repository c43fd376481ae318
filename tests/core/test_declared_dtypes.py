"""Elementwise primitives that programs declare: of real operands they may be complex, and do not have to say so."""

import numpy as np
import pytest

import covector
from covector.extend import REGISTRY, elementwise

X, Y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])


@pytest.fixture(params=[{}, {"same": False}])
def declared(request):
    both = elementwise("declared_complex", impl=lambda xp, x, y: x + 1j * y,
                       d={"x": lambda x: 1.0 + 0.0 * x, "y": lambda y: 1j + 0.0 * y},
                       samples=lambda rng: [(rng.normal(size=3), rng.normal(size=3), {})], **request.param)
    one = elementwise("declared_turned", impl=lambda xp, x: (1.0 + 2.0j) * x, d={"x": lambda x: 1.0 + 2.0j + 0.0 * x},
                      samples=lambda rng: [(rng.normal(size=3), {})], **request.param)
    yield both, one
    del REGISTRY["declared_complex"], REGISTRY["declared_turned"]


def test_complex_values_of_two_real_operands_have_real_gradients(declared):
    def loss(x, y):
        z = declared[0](x, y)
        return np.sum(np.real(z * z * (1.0 + 1.0j)))  # x² - y² - 2 x y

    wanted = [2.0 * (X - Y), -2.0 * (X + Y)]
    gradient = covector.grad(loss, (0, 1))
    for found in (gradient(X, Y), covector.jit(gradient)(X, Y), covector.grad(covector.jit(loss), (0, 1))(X, Y),
                  covector.jacfwd(loss, (0, 1))(X, Y)):
        assert [g.dtype for g in found] == [np.float64] * 2
        np.testing.assert_allclose(found, wanted)


def test_complex_values_of_one_real_operand_have_real_gradients(declared):
    def loss(x):
        return np.sum(np.real(declared[1](x) ** 2))  # -3 x²

    for found in (covector.grad(loss)(X), covector.jit(covector.grad(loss))(X), covector.jacfwd(loss)(X)):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, -6.0 * X)
