"""float16 and bfloat16: what they cannot hold on the way to an answer or a derivative does not change it."""

import numpy as np
import pytest

import covector as cv
from covector import nn
from covector.extend import REGISTRY
from covector.scipy import special

N = 70_000  # infinite in float16
ONES = np.ones(N)
NOISE = np.random.default_rng(0).normal(size=N)


def half_dtypes():
    try:
        import ml_dtypes
    except ImportError:
        return [np.float16]
    return [np.float16, ml_dtypes.bfloat16]


def compare(fun, x, dtype, rtol=0.02):
    """The answer and both derivatives in `dtype`, against those of float64 at the same place."""
    near = x.astype(dtype)
    wide = near.astype(float)
    ans, pullback = cv.vjp(fun, near)
    want, wide_pullback = cv.vjp(fun, wide)
    assert ans.dtype == dtype
    atol = rtol * np.abs(want).max(initial=0)
    np.testing.assert_allclose(np.asarray(ans, float), want, rtol=rtol, atol=atol)
    direction = np.cos(np.arange(x.size)).reshape(x.shape)
    found = np.asarray(pullback(np.ones(ans.shape, dtype))[0], float)
    expected = wide_pullback(np.ones(want.shape))[0]
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max(initial=0))
    pushed = np.asarray(cv.jvp(fun, (near,), (direction.astype(dtype),))[1], float)
    expected = cv.jvp(fun, (wide,), (direction.astype(dtype).astype(float),))[1]
    np.testing.assert_allclose(pushed, expected, rtol=rtol, atol=rtol * max(np.abs(expected).max(), np.abs(want).max()))


@pytest.mark.parametrize("dtype", half_dtypes())
def test_the_mean_of_more_elements_than_the_dtype_counts(dtype):
    x = ONES.astype(dtype)
    for mean in (np.mean, np.average, np.nanmean, lambda x: x.mean(), lambda x: np.mean(x, where=np.ones(N, bool))):
        assert float(cv.value_and_grad(mean)(x)[0]) == 1.0
        np.testing.assert_allclose(cv.grad(lambda x, f=mean: 1000 * f(x))(x).astype(float), 1 / 70, rtol=0.01)
        assert float(cv.jvp(mean, (x,), (x,))[1]) == 1.0


@pytest.mark.parametrize("dtype", half_dtypes())
@pytest.mark.parametrize("fun", [
    lambda x: 1000 * np.var(x), lambda x: 1000 * np.var(x, ddof=1), lambda x: 1000 * np.std(x),
    lambda x: 1000 * np.nanvar(x), lambda x: np.var(x * 50) / 10,
    lambda x: 1000 * special.logsumexp(x), lambda x: 1000 * nn.logsumexp(x), lambda x: 30 * nn.log_softmax(x)[:5],
    lambda x: 1000 * nn.softmax(x)[:5], lambda x: nn.standardize(x)[:5], lambda x: nn.standardize(300 * x)[:5],
    lambda x: nn.layer_norm(300 * x)[:5], lambda x: 1000 * nn.avg_pool(x[None], N)[0],
    lambda x: 1000 * nn.softmax_cross_entropy(x[None], np.array([3])),
])
def test_reductions_over_more_elements_than_the_dtype_counts(fun, dtype):
    compare(fun, NOISE, dtype)


PLACES = np.array([0.03, 0.5, 3.0, 60.0, 300.0, 1000.0])


@pytest.mark.parametrize("fun", [
    np.arcsinh, lambda x: np.arctan2(x, x[::-1]), np.log1p, np.arctan, np.reciprocal,
    lambda x: x ** np.array(-1.5, x.dtype), lambda x: x / (x[::-1] + 1), special.gammaln, np.sinc, special.i0e,
    lambda x: np.exp(-x / 100) ** 3, lambda x: (x / 1000) ** 3000,
])
def test_slopes_whose_factors_the_dtype_does_not_hold(fun):
    """1 / √(1 + x²) at 1000 is 1e-3, though x² is infinite in float16."""
    compare(fun, PLACES, np.dtype(np.float16), rtol=0.05)


@pytest.mark.parametrize(("wide", "narrow"), [
    (wide, narrow) for narrow in half_dtypes() for wide in (*half_dtypes(), np.float32, np.float64, np.complex64)
    if wide is not narrow])
def test_a_cast_takes_its_cotangent_back_in_one_step(wide, narrow):
    x, ct = NOISE.astype(wide), NOISE[::-1].astype(narrow)
    _, pullback = cv.vjp(lambda x: np.real(x).astype(narrow), x)
    found, = pullback(ct)
    assert found.dtype == wide and np.array_equal(found, ct.astype(np.float32).astype(wide))
    pushed = cv.jvp(lambda x: x.astype(narrow), (np.real(x),), (np.real(x),))[1]
    assert pushed.dtype == narrow and np.array_equal(pushed, np.real(x).astype(narrow))


def test_equal_elements_of_which_the_dtype_cannot_count_so_many_share_an_extreme():
    found = cv.grad(np.max)(np.ones(70_000, np.float16))
    np.testing.assert_array_equal(found, np.full(70_000, 1 / 70_000, np.float16))


def test_shares_of_an_extreme_are_computed_in_single_precision_where_it_is():
    graph = cv.make_graph(cv.grad(np.max))(np.ones(3, np.float32))
    assert "f64" not in str(graph)


@pytest.mark.parametrize("shapes", [
    ((40, 50), (50, 60)), ((3, 40, 50), (50, 6)), ((2, 9, 40), (2, 40, 9)), ((700,), (700,))])
def test_products_of_halves_round_once(shapes):
    x, y = (np.random.default_rng(0).normal(size=shape).astype(np.float16) for shape in shapes)
    found = REGISTRY["matmul"].fun(x, y)
    wanted = np.matmul(x.astype(np.float32), y.astype(np.float32)).astype(np.float16)
    assert found.dtype == np.float16 and np.shape(found) == wanted.shape
    np.testing.assert_array_max_ulp(np.asarray(found), np.asarray(wanted), 1)


@pytest.mark.parametrize("size", [(5,), (6, 7), (40, 30), (4, 3, 5)])
def test_convolutions_of_halves_and_their_gradients_round_once(size):
    n = len(size)
    rng = np.random.default_rng(0)
    x, w, b = (rng.normal(size=s).astype(np.float16) for s in ((8, 4, *size), (8, 4, *(3,) * n), (8,)))
    singles = [a.astype(np.float32) for a in (x, w, b)]

    def run(x, w, b):
        return nn.conv(x, w, b, padding=1)

    found, wanted = run(x, w, b), run(*singles)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-2)  # rounded before the bias and behind it
    ct = rng.normal(size=found.shape).astype(np.float16)
    for mine, theirs in zip(cv.vjp(run, x, w, b)[1](ct), cv.vjp(run, *singles)[1](ct.astype(np.float32))):
        assert mine.dtype == np.float16
        np.testing.assert_allclose(mine, theirs, rtol=2e-3, atol=2e-3)
