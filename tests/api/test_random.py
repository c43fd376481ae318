"""covector.random: distributions, transforms of draws, derivatives by parameters, and what is refused."""

import numpy as np
import pytest

import covector as cv
from covector import random
from covector.core.errors import DtypeError, ShapeError
from covector.testing import check_grads

stats = pytest.importorskip("scipy.stats")

KEY = random.key(7)
N = 20_000
COV = np.array([[1.0, 0.5], [0.5, 2.0]])
DISTRIBUTIONS = {
    "uniform": (lambda k, s: random.uniform(k, s, minval=-1.0, maxval=3.0), stats.uniform(-1, 4)),
    "normal": (random.normal, stats.norm()),
    "truncated_normal": (lambda k, s: random.truncated_normal(k, -0.5, 2.0, s), stats.truncnorm(-0.5, 2.0)),
    "exponential": (random.exponential, stats.expon()),
    "gumbel": (random.gumbel, stats.gumbel_r()),
    "laplace": (random.laplace, stats.laplace()),
    "logistic": (random.logistic, stats.logistic()),
    "cauchy": (random.cauchy, stats.cauchy()),
    "maxwell": (random.maxwell, stats.maxwell()),
    "rayleigh": (lambda k, s: random.rayleigh(k, 2.0, s), stats.rayleigh(scale=2)),
    "lognormal": (lambda k, s: random.lognormal(k, 0.5, s), stats.lognorm(0.5)),
    "pareto": (lambda k, s: random.pareto(k, 3.0, s), stats.pareto(3)),
    "weibull_min": (lambda k, s: random.weibull_min(k, 2.0, 1.5, s), stats.weibull_min(1.5, scale=2)),
    "triangular": (lambda k, s: random.triangular(k, 0.0, 1.0, 3.0, s), stats.triang(1 / 3, scale=3)),
    "gamma": (lambda k, s: random.gamma(k, 2.5, s), stats.gamma(2.5)),
    "gamma of small shape": (lambda k, s: random.gamma(k, 0.1, s), stats.gamma(0.1)),
    "loggamma": (lambda k, s: random.loggamma(k, 0.01, s), stats.loggamma(0.01)),
    "beta": (lambda k, s: random.beta(k, 0.5, 2.0, s), stats.beta(0.5, 2)),
    "chisquare": (lambda k, s: random.chisquare(k, 3.0, s), stats.chi2(3)),
    "t": (lambda k, s: random.t(k, 3.0, s), stats.t(3)),
    "f": (lambda k, s: random.f(k, 3.0, 5.0, s), stats.f(3, 5)),
    "generalized_normal": (lambda k, s: random.generalized_normal(k, 3.0, s), stats.gennorm(3)),
    "share of three": (lambda k, s: random.dirichlet(k, np.array([1.0, 2.0, 3.0]), s)[..., 1], stats.beta(2, 4)),
    "part of a normal vector": (lambda k, s: random.multivariate_normal(k, np.array([1.0, 2.0]), COV, s)[..., 1],
                                stats.norm(2, np.sqrt(2))),
    "radius of a ball": (lambda k, s: np.linalg.norm(random.ball(k, 3, shape=s), axis=-1) ** 3, stats.uniform()),
    "element of a rotation": (lambda k, s: random.orthogonal(k, 3, s)[..., 0, 0], stats.uniform(-1, 2)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_draws_have_their_distribution(name):
    draw, law = DISTRIBUTIONS[name]
    x = draw(KEY, (N,))
    assert x.shape == (N,) and x.dtype == np.float64
    assert stats.kstest(x, law.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_each_example_draws_by_its_key(name):
    draw, _ = DISTRIBUTIONS[name]
    keys = random.split(KEY, 3)
    want = np.stack([draw(k, (2,)) for k in keys])
    np.testing.assert_allclose(cv.vmap(lambda k: draw(k, (2,)))(keys), want, rtol=1e-13)
    np.testing.assert_allclose(cv.make_graph(lambda k: draw(k, (2,)))(KEY)(keys[1]), want[1], rtol=1e-13)
    twice = cv.vmap(cv.vmap(lambda k: draw(k, (2,))))(keys[None])
    np.testing.assert_allclose(twice[0], want, rtol=1e-13)
    assert not np.allclose(want[0], want[1])


PARAMETERS = {
    "uniform": (lambda a, b: random.uniform(KEY, (3,), minval=a, maxval=b), (-1.0, 3.0)),
    "truncated_normal": (lambda a, b: random.truncated_normal(KEY, a, b, (3,)), (-1.0, 2.0)),
    "rayleigh": (lambda a: random.rayleigh(KEY, a, (3,)), (2.0,)),
    "lognormal": (lambda a: random.lognormal(KEY, a, (3,)), (0.5,)),
    "pareto": (lambda a: random.pareto(KEY, a, (3,)), (3.0,)),
    "weibull_min": (lambda a, b: random.weibull_min(KEY, a, b, (3,)), (2.0, 1.5)),
    "triangular": (lambda a, b, c: random.triangular(KEY, a, b, c, (3,)), (0.0, 1.0, 3.0)),
    "loggamma": (lambda a: random.loggamma(KEY, a, (3,)), (0.02,)),
    "gamma": (lambda a: random.gamma(KEY, a, (3,)), (2.5,)),
    "beta": (lambda a, b: random.beta(KEY, a, b, (3,)), (0.5, 2.0)),
    "chisquare": (lambda a: random.chisquare(KEY, a, (3,)), (3.0,)),
    "t": (lambda a: random.t(KEY, a, (3,)), (3.0,)),
    "f": (lambda a, b: random.f(KEY, a, b, (3,)), (3.0, 5.0)),
    "dirichlet": (lambda a: random.dirichlet(KEY, a), (np.array([0.5, 1.0, 2.0]),)),
    "multivariate_normal": (lambda m, c: random.multivariate_normal(KEY, m, c + c.T, (3,)), (np.zeros(2), COV)),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_draws_have_derivatives_by_their_parameters(name):
    draw, values = PARAMETERS[name]
    values = tuple(np.asarray(v) for v in values)
    check_grads(draw, values)
    batch = tuple(np.stack([v, 1.1 * v]) for v in values)
    np.testing.assert_allclose(cv.vmap(draw)(*batch), np.stack([draw(*[v[i] for v in batch]) for i in range(2)]))


def test_the_derivative_of_a_mean_is_the_mean_of_derivatives():
    keys = random.split(KEY, 4000)
    slope = cv.vmap(cv.grad(lambda a, k: random.gamma(k, a) ** 2), (None, 0))(1.7, keys).mean()
    np.testing.assert_allclose(slope, 2 * 1.7 + 1, rtol=0.1)  # E x² = a (a + 1)


def test_whole_numbers_have_their_frequencies():
    counts = np.bincount(random.randint(KEY, (N,), 3, 9) - 3, minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-3
    p = np.array([0.1, 0.0, 0.6, 0.3])
    for places in (random.choice(KEY, 4, (N,), p=p), random.categorical(KEY, np.log(p + 1e-300), shape=(N,))):
        counts = np.bincount(places, minlength=4)
        assert counts[1] == 0 and stats.chisquare(counts[p > 0], N * p[p > 0]).pvalue > 1e-3
    assert abs(random.bernoulli(KEY, 0.3, (N,)).mean() - 0.3) < 0.02
    assert set(random.rademacher(KEY, (99,))) == {-1, 1}
    assert stats.kstest(random.geometric(KEY, 0.01, (N,)), stats.geom(0.01).cdf).pvalue > 1e-4
    first = cv.vmap(lambda k: random.choice(k, 4, (2,), replace=False, p=p)[0])(random.split(KEY, 2000))
    counts = np.bincount(first, minlength=4)
    assert stats.chisquare(counts[p > 0], 2000 * p[p > 0]).pvalue > 1e-3


def test_bounds_of_whole_numbers():
    assert set(random.randint(KEY, (999,), 254, 256, "uint8")) == {254, 255}
    assert set(random.randint(KEY, (999,), -128, 128, "int8")) <= set(range(-128, 128))
    assert (random.randint(KEY, (9,), 5, 3) == 5).all()
    x = random.randint(KEY, (3,), np.array([0, 10, 20]), np.array([1, 11, 21]))
    np.testing.assert_array_equal(x, [0, 10, 20])
    wide = random.randint(KEY, (999,), -(2**63), 2**63 - 1)
    assert wide.min() < -(2**62) and wide.max() > 2**62
    mapped = cv.vmap(lambda k, n: random.randint(k, (4,), 0, n))(random.split(KEY), np.array([1, 2]))
    assert (mapped[0] == 0).all() and set(mapped[1]) <= {0, 1}


def test_permutations_hold_every_element_once():
    x = np.arange(12.0).reshape(3, 4)
    assert sorted(random.permutation(KEY, 6)) == list(range(6))
    rows = random.permutation(KEY, x)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, x))
    each = random.permutation(KEY, x, axis=1, independent=True)
    np.testing.assert_array_equal(np.sort(each, axis=1), x)
    check_grads(lambda x: random.permutation(KEY, x) * x, (x,))
    check_grads(lambda x: random.permutation(KEY, x, axis=1, independent=True) * x, (x,))
    check_grads(lambda x: random.choice(KEY, x, (2, 2), axis=1), (x,))
    mapped = cv.vmap(lambda k: random.permutation(k, 6))(random.split(KEY, 3))
    np.testing.assert_array_equal(np.sort(mapped, axis=1), np.tile(np.arange(6), (3, 1)))
    np.testing.assert_array_equal(mapped[1], random.permutation(random.split(KEY, 3)[1], 6))


def test_keys_are_values():
    assert random.PRNGKey is random.key
    np.testing.assert_array_equal(random.key(2**40 + 5), [256, 5])
    np.testing.assert_array_equal(random.key(-1), [2**32 - 1] * 2)
    seeds = np.array([3, 2**40 + 5])
    np.testing.assert_array_equal(cv.vmap(random.key)(seeds), [random.key(3), random.key(2**40 + 5)])
    steps = cv.vmap(lambda i: random.fold_in(KEY, i))(np.arange(3))
    np.testing.assert_array_equal(steps, [random.fold_in(KEY, i) for i in range(3)])
    both = cv.vmap(random.fold_in)(random.split(KEY, 3), np.arange(3))
    np.testing.assert_array_equal(both[2], random.fold_in(random.split(KEY, 3)[2], 2))
    assert random.split(KEY, (2, 3)).shape == (2, 3, 2)
    np.testing.assert_array_equal(random.uniform(KEY, (5,)), random.uniform(KEY, 5))


def test_large_draws_begin_as_small_ones():
    """Element i depends on the key and on i alone, however many are drawn, in the lanes of one, few and many."""
    long = random.uniform(KEY, (40_000,))
    for n in (1, 7, 9, 20_000):
        np.testing.assert_array_equal(random.uniform(KEY, (n,)), long[:n])
    many = cv.vmap(lambda k: random.uniform(k, (3,)))(random.split(KEY, 9000))
    np.testing.assert_array_equal(many[8999], random.uniform(random.split(KEY, 9000)[8999], (3,)))


def test_a_replay_draws_the_same_numbers():
    def noisy(w, key):
        return (w * random.normal(key, (3,)) * random.bernoulli(key, 0.5, (3,))).sum()

    want = cv.grad(noisy)(2.0, KEY)
    assert cv.grad(cv.checkpoint(noisy))(2.0, KEY) == want
    total = cv.scan(lambda c, k: (c + random.normal(k), None), 0.0, random.split(KEY, 4))[0]
    np.testing.assert_allclose(total, sum(random.normal(k) for k in random.split(KEY, 4)))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_draws_have_the_dtype_that_was_asked_for(dtype):
    for fun in (random.uniform, random.normal, random.exponential, random.gumbel, random.laplace, random.logistic):
        assert fun(KEY, (50,), dtype).dtype == dtype
    small = np.ones(3, dtype)
    for draw in (random.gamma, random.rayleigh, random.t, random.dirichlet, random.lognormal):
        assert draw(KEY, small).dtype == dtype
    assert random.uniform(KEY, (3,), dtype, minval=small * 0, maxval=small).dtype == dtype


def test_complex_normal_numbers_have_variance_one():
    z = random.normal(KEY, (N,), complex)
    assert z.dtype == np.complex128
    np.testing.assert_allclose([z.real.var(), z.imag.var()], 0.5, rtol=0.05)
    q = random.orthogonal(KEY, 3, dtype=complex)
    np.testing.assert_allclose(q @ q.conj().T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(random.orthogonal(KEY, 2, m=3) @ random.orthogonal(KEY, 2, m=3).T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize("method", ["cholesky", "svd", "eigh"])
def test_normal_vectors_have_their_covariance(method):
    x = random.multivariate_normal(KEY, np.array([1.0, -1.0]), COV, (N,), method=method)
    np.testing.assert_allclose(np.cov(x.T), COV, atol=0.06)
    np.testing.assert_allclose(x.mean(axis=0), [1.0, -1.0], atol=0.05)


def test_what_is_no_key_is_refused():
    for wrong, words in ((0, r"int64 of shape \(\); make a key with random.key"), (
            random.split(KEY), r"uint32 of shape \(2, 2\); take one of these keys, or use vmap")):
        with pytest.raises(TypeError, match=rf"random.normal needs a key, two uint32 words.*{words}"):
            random.normal(wrong)
    with pytest.raises(TypeError, match=r"random.key needs an integer, but got float64 of shape \(\); cast it"):
        random.key(1.5)
    for wrong in ("a", None):
        with pytest.raises(TypeError, match=rf"random.key needs an integer, but got {wrong!r} of.*random\.key\(0\)"):
            random.key(wrong)
    with pytest.raises(TypeError, match=r"random.fold_in needs an integer, but got float64"):
        random.fold_in(KEY, 1.5)


def test_shapes_and_dtypes_that_do_not_fit_are_refused():
    with pytest.raises(TypeError, match=r"random.uniform needs a shape of integers, but got 1.5; write shape="):
        random.uniform(KEY, 1.5)
    with pytest.raises(ShapeError, match=r"random.uniform needs a shape of nonnegative integers.*-1"):
        random.uniform(KEY, (-1,))
    with pytest.raises(ShapeError, match=r"random.gamma|random.loggamma was asked for shape \(2,\).*shape \(3,\)"):
        random.gamma(KEY, np.ones(3), (2,))
    with pytest.raises(DtypeError, match=r"random.normal returns float16, float32 or float64, but dtype=int64.*cast"):
        random.normal(KEY, (2,), int)
    with pytest.raises(DtypeError, match=r"random.bits returns unsigned integers, but dtype=int64 was asked for"):
        random.bits(KEY, dtype=int)
    with pytest.raises(DtypeError, match=r"random.randint returns integers, but dtype=float64 was asked for"):
        random.randint(KEY, (2,), 0, 3, float)
    with pytest.raises(TypeError, match=r"random.randint needs integer bounds, but got float64 and int64; cast them"):
        random.randint(KEY, (2,), 0.5, 3)
    with pytest.raises(ShapeError, match=r"random.choice was asked for 6 of 5 elements; draw fewer"):
        random.choice(KEY, 5, (2, 3), replace=False)
    with pytest.raises(ShapeError, match=r"random.choice needs one probability for each of 5 elements.*\(4,\)"):
        random.choice(KEY, 5, p=np.ones(4) / 4)
    with pytest.raises(ShapeError, match=r"random.categorical was asked for 4 of 3 categories; draw fewer"):
        random.categorical(KEY, np.zeros(3), shape=(4,), replace=False)
    with pytest.raises(TypeError, match=r"random.permutation needs an array or an integer.*float64"):
        random.permutation(KEY, 1.5)
    with pytest.raises(ShapeError, match=r"random.multivariate_normal needs a mean of shape.*\(3,\) and \(2, 2\)"):
        random.multivariate_normal(KEY, np.zeros(3), COV)
    with pytest.raises(ValueError, match=r'random.multivariate_normal supports the methods "cholesky".*\'lu\''):
        random.multivariate_normal(KEY, np.zeros(2), COV, method="lu")
    with pytest.raises(TypeError, match=r"random.dirichlet needs alpha of at least one axis.*use beta"):
        random.dirichlet(KEY, 1.0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("lower, upper", [
    (10.0, 1e6), (-np.inf, -8.0), (5.0, 6.0), (-6.0, -5.0), (30.0, 30.01), (0.0, 1.0)])
def test_truncated_normal_on_one_side_has_the_distribution(lower, upper, dtype):
    found = np.asarray(random.truncated_normal(KEY, dtype(lower), dtype(upper), (4000,)))
    assert found.dtype == dtype
    assert (found >= dtype(lower)).all() and (found <= dtype(upper)).all()
    turned = np.sort(-found if upper <= 0 else found).astype(float)
    low, high = (float(dtype(v)) for v in ((-upper, -lower) if upper <= 0 else (lower, upper)))
    tail = np.exp(stats.norm.logsf(turned) - stats.norm.logsf(low))
    least = np.exp(stats.norm.logsf(high) - stats.norm.logsf(low))
    assert stats.kstest((1.0 - tail) / (1.0 - least), "uniform").pvalue > 0.01


def test_truncated_normal_far_out_moves_with_its_bounds():
    def draw(a, b):
        return random.truncated_normal(KEY, a, b, (3,))

    for k, (a, b) in enumerate([(10.0, 12.0), (10.0, 10.2)]):
        step = np.array([1e-6, 0.0]) if k == 0 else np.array([0.0, 1e-6])
        wanted = (draw(a + step[0], b + step[1]) - draw(a - step[0], b - step[1])) / 2e-6
        np.testing.assert_allclose(cv.jacobian(draw, argnums=k)(a, b), wanted, rtol=1e-6)
