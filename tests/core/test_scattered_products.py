"""Products of what lands on one place: by loops, by NumPy and by hand they are the same, zeros among them too."""

import numpy as np
import pytest

import covector
from covector.core.ops.indexing import scattered_products as products

PRODUCT = products.scattered_product


def _by_hand(x, src, index, fresh):
    """The product along the first axis, without one factor each time for the slopes."""
    out = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        found = src[:, place[1]][index[:, place[1]] == place[0]]
        out[place] = found.prod() * (1 if fresh and len(found) else x[place])
    return out


def _given(dtype, zeros):
    rng = np.random.default_rng(0)
    x, src = (np.where(rng.random(s) < zeros, 0, rng.normal(size=s)).astype(dtype) for s in ((6, 4), (15, 4)))
    return x, src, rng.integers(0, 5, (15, 4))


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("zeros", [0, 0.3])
@pytest.mark.parametrize("fresh", [False, True])
def test_loops_operations_and_products_by_hand_agree(fresh, zeros, dtype):
    x, src, index = _given(dtype, zeros)
    tol = {"rtol": 1e-4 if dtype == "f4" else 1e-12, "atol": 1e-5 if dtype == "f4" else 1e-12}
    expected = _by_hand(x, src, index, fresh)
    for found in (PRODUCT(x, src, index, 0, fresh), products._products(np, x, src, index, 0, fresh)):
        np.testing.assert_allclose(found, expected, **tol)
    slopes = covector.vjp(lambda x, src: PRODUCT(x, src, index, 0, fresh), x, src)[1](np.ones_like(x))
    for k, v in enumerate((x, src)):
        for place in np.ndindex(v.shape):  # linear in each factor
            up = [x.copy(), src.copy()]
            down = [x.copy(), src.copy()]
            up[k][place], down[k][place] = 1, 0
            difference = (_by_hand(*up, index, fresh) - _by_hand(*down, index, fresh)).sum()
            np.testing.assert_allclose(slopes[k][place], difference, **tol)


def test_second_derivatives_are_those_of_first_ones():
    x, src, index = _given("f8", 0.2)
    f = lambda x, src: (PRODUCT(x, src, index, 0, False) ** 2).sum()  # noqa: E731
    g = covector.grad(f, argnums=1)
    d = np.random.default_rng(1).normal(size=src.shape)
    expected = (g(x, src + 1e-6 * d) - g(x, src - 1e-6 * d)) / 2e-6
    for second in (covector.jvp(lambda s: g(x, s), (src,), (d,))[1],
                   covector.grad(lambda s: (g(x, s) * d).sum())(src), covector.jit(
                       lambda s: covector.jvp(lambda s: g(x, s), (s,), (d,))[1])(src)):
        np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-6)


def test_places_may_differ_between_the_examples_of_a_vmap():
    x, src, _ = _given("f8", 0.2)
    index = np.random.default_rng(2).integers(0, 6, (3, *src.shape))
    g = lambda index: covector.grad(lambda s: (PRODUCT(x, s, index, 0, False) ** 2).sum())(src)  # noqa: E731
    np.testing.assert_allclose(covector.vmap(g)(index), [g(i) for i in index], rtol=1e-12)


def test_a_product_that_overflows_stays_on_its_place():
    x, src = np.ones(2), np.array([1e200, 1e200, 2.0])
    with np.errstate(over="ignore"):
        found, back = covector.vjp(lambda x: PRODUCT(x, src, np.array([0, 0, 1]), 0, False), x)
        np.testing.assert_array_equal(found, [np.inf, 2.0])
        np.testing.assert_array_equal(back(np.array([0.0, 3.0]))[0], [0.0, 6.0])


def test_a_place_that_is_out_of_bounds_raises():
    for place in (2, -1):
        with pytest.raises(IndexError, match="out of bounds for an axis of 2"):
            PRODUCT(np.ones(2), np.ones(1), np.array([place]), 0, False)
