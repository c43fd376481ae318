"""Promise 3: forward equals reverse everywhere, at kinks and in masked branches too."""

import numpy as np
import pytest

import covector

ZERO, TIES = np.zeros(3), np.array([1.0, 3.0, 3.0])
LARGE = np.array([1e4, 2.0, -1.0])  # whose exponential overflows
KINKS = {
    "abs": (np.abs, ZERO),
    "sign": (np.sign, ZERO),
    "relu": (lambda x: np.maximum(x, 0.0), ZERO),
    "minimum of equals": (lambda x: np.minimum(x, x * 1.0), TIES),
    "max with ties": (lambda x: np.max(x), TIES),
    "min with ties": (lambda x: np.min(-x), TIES),
    "clip at its limits": (lambda x: np.clip(x, 1.0, 3.0), TIES),
    "hypot": (lambda x: np.hypot(x, 0.0 * x), ZERO),
    "arctan2": (lambda x: np.arctan2(x, x), ZERO),
    "norm": (lambda x: np.linalg.norm(x), ZERO),
    "std": (lambda x: np.std(x), np.ones(3)),
    "power of zero": (lambda x: x**0, ZERO),
    "zero to a power": (lambda x: np.power(x, np.array([0.0, 1.0, 2.0])), ZERO),
    "prod": (lambda x: np.prod(x), np.array([0.0, 0.0, 2.0])),
    "cube": (lambda x: x**3, ZERO),
    "sort with ties": (lambda x: np.sort(x) * np.arange(3.0), TIES),
    "masked log": (lambda x: np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), x), ZERO),
    "masked sqrt, bare": (lambda x: np.where(x > 0, np.sqrt(x), 0.0), ZERO),
    "masked division, bare": (lambda x: np.where(x > 0, 1.0 / x, x), ZERO),
    "masked power, bare": (lambda x: np.where(x > 0, x**-1.5, 0.0), ZERO),
    "complex abs": (lambda x: np.abs(x + 0j), ZERO),
    "masked exp, bare": (lambda x: np.where(x > 30, x, np.exp(x)), LARGE),
    "masked elu, bare": (lambda x: np.where(x > 0, x, np.expm1(x)), LARGE),
    "masked sinh, bare": (lambda x: np.where(x > 30, x, np.sinh(x)), LARGE),
    "masked cosh, bare": (lambda x: np.where(x > 30, x, np.cosh(x)), LARGE),
    "masked power of 2, bare": (lambda x: np.where(x > 30, x, np.exp2(x)), LARGE),
    "a minimum of overflown values, bare": (lambda x: np.minimum(np.exp(x), 5.0), LARGE),
}


@pytest.mark.parametrize("name", KINKS)
def test_forward_equals_reverse(name):
    fun, x = KINKS[name]
    with np.errstate(all="ignore"):
        forward, reverse = covector.jacfwd(fun)(x), covector.jacrev(fun)(x)
    np.testing.assert_array_equal(forward, reverse)
    assert np.isfinite(reverse).all()


def test_a_masked_softplus_has_the_slope_of_what_is_taken():
    def softplus(x):
        with np.errstate(over="ignore"):
            return np.sum(np.where(x > 30, x, np.log1p(np.exp(x))))

    for fun in (covector.grad(softplus), covector.jit(covector.grad(softplus))):
        np.testing.assert_allclose(fun(LARGE), 1 / (1 + np.exp(-LARGE)))


@pytest.mark.parametrize("name", [n for n in KINKS if "bare" not in n])
def test_second_derivatives_agree_between_modes(name):
    fun, x = KINKS[name]
    with np.errstate(all="ignore"):
        total = lambda x: np.sum(fun(x) * 1.5)  # noqa: E731 - a name would say no more
        over_reverse = covector.jacfwd(covector.grad(total))(x)
        reverse_twice = covector.jacrev(covector.grad(total))(x)
    np.testing.assert_allclose(over_reverse, reverse_twice, rtol=1e-12, atol=1e-12)


POLES = {
    "masked sqrt at the pole": (lambda x: np.where(x >= 0, np.sqrt(x), 0.0), np.array([0.0, 1.0, -1.0])),
    "sqrt beside a maximum": (lambda x: np.maximum(x, 0.0) + np.sqrt(x), np.array([0.0, 2.0])),
    "sum with a pole": (lambda x: np.sum(np.where(x > 1, x, x**0.5)), np.array([0.0, 2.0])),
}


@pytest.mark.parametrize("name", [*KINKS, *POLES])
def test_a_tangent_map_equals_jvp(name):
    fun, x = (KINKS | POLES)[name]
    ones = np.ones_like(x)
    with np.errstate(all="ignore"):
        pushed = covector.jvp(fun, (x,), (ones,))[1]
        np.testing.assert_array_equal(covector.linearize(fun, x)[1](ones), pushed)
