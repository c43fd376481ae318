"""covector.scipy.stats: SciPy's values, derivatives by every argument, the ends of supports, and what is refused."""

import numpy as np
import pytest

import covector as cv
from covector.core.errors import RuleError, ShapeError
from covector.scipy import stats
from covector.testing import check_grads

theirs = pytest.importorskip("scipy.stats")

REAL = {
    "norm": (), "lognorm": (0.7,), "uniform": (), "expon": (), "laplace": (), "logistic": (), "cauchy": (),
    "gumbel_r": (), "gumbel_l": (), "pareto": (2.5,), "weibull_min": (1.5,), "gamma": (2.3,), "invgamma": (2.3,),
    "chi2": (3.0,), "beta": (1.5, 2.5), "t": (3.5,), "gennorm": (1.7,), "vonmises": (2.0,),
}
WHOLE = {"bernoulli": (0.3,), "binom": (5, 0.3), "geom": (0.3,), "poisson": (2.2,), "nbinom": (3.5, 0.4)}
DENSITIES_ALONE = {"gennorm", "vonmises"}
X = np.array([-2.0, -0.5, 0.0, 0.25, 0.6, 1.0, 1.7, 3.0])
Q = np.array([0.01, 0.3, 0.5, 0.77, 0.999])
K = np.array([-1, 0, 1, 2, 3, 5, 7, 2.5])
CALLS = [(name, method) for name in REAL for method in "logpdf pdf cdf sf logcdf logsf".split()
         if method.endswith("pdf") or name not in DENSITIES_ALONE]


@pytest.mark.parametrize(("name", "method"), CALLS)
@pytest.mark.parametrize("place", [{}, {"loc": 0.3, "scale": 1.7}])
def test_values_are_those_of_scipy(name, method, place):
    x = X if name != "vonmises" else X / (1.0 + np.abs(X))
    got = getattr(getattr(stats, name), method)(x, *REAL[name], **place)
    with np.errstate(all="ignore"):
        want = getattr(getattr(theirs, name), method)(x, *REAL[name], **place)
    np.testing.assert_allclose(got, want, rtol=1e-10)


@pytest.mark.parametrize("name", sorted(set(REAL) - DENSITIES_ALONE))
def test_quantiles_are_those_of_scipy(name):
    ours, scipys = getattr(stats, name), getattr(theirs, name)
    for method in ("ppf", "isf"):
        got = getattr(ours, method)(Q, *REAL[name], loc=0.2, scale=2.0)
        np.testing.assert_allclose(got, getattr(scipys, method)(Q, *REAL[name], loc=0.2, scale=2.0), rtol=1e-10)
        assert np.isnan(getattr(ours, method)(np.array([-0.1, 1.1]), *REAL[name])).all()
    np.testing.assert_allclose(ours.cdf(ours.ppf(Q, *REAL[name]), *REAL[name]), Q, rtol=1e-9)


@pytest.mark.parametrize(("name", "method"), CALLS)
def test_derivatives_by_every_argument(name, method):
    fun, shapes = getattr(getattr(stats, name), method), REAL[name]
    x = np.array([1.4, 2.3]) if name == "pareto" else np.array([0.45, 0.8])
    if name == "t" and not method.endswith("pdf"):
        check_grads(lambda x, loc, scale: fun(x, *shapes, loc, scale), (x, np.array(0.1), np.array(1.3)))
        with pytest.raises(RuleError, match="with respect to the degrees of freedom has no closed form"):
            cv.grad(lambda df: fun(0.5, df))(3.5)
        return
    check_grads(fun, (x, *[np.asarray(float(s)) for s in shapes], np.array(0.1), np.array(1.2)))


@pytest.mark.parametrize("name", sorted(set(REAL) - DENSITIES_ALONE - {"t"}))
def test_derivatives_of_quantiles(name):
    for method in ("ppf", "isf"):
        fun = getattr(getattr(stats, name), method)
        check_grads(fun, (Q[[1, 3]], *[np.asarray(s) for s in REAL[name]], np.array(0.1), np.array(1.2)))


@pytest.mark.parametrize("name", sorted(WHOLE))
@pytest.mark.parametrize("place", [{}, {"loc": 1}])
def test_probabilities_of_whole_numbers_are_those_of_scipy(name, place):
    for method in ("logpmf", "pmf", "cdf", "sf"):
        got = getattr(getattr(stats, name), method)(K, *WHOLE[name], **place)
        with np.errstate(all="ignore"):
            want = getattr(getattr(theirs, name), method)(K, *WHOLE[name], **place)
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-15)
        fixed, live = (WHOLE[name][:1], WHOLE[name][1:]) if name == "binom" else ((), WHOLE[name])
        check_grads(lambda *p, m=method, fixed=fixed: np.where(
            np.isfinite(want), getattr(getattr(stats, name), m)(K, *fixed, *p, **place), 0.0),
            tuple(map(np.asarray, live)))


def test_beyond_the_support_nothing_depends_on_anything():
    for name in ("expon", "gamma", "beta", "lognorm", "pareto", "invgamma", "weibull_min", "uniform"):
        every = tuple(range(len(REAL[name]) + 1))
        args = (np.array(-1.0), *[np.asarray(p) for p in REAL[name]])
        for method in ("logpdf", "pdf", "cdf", "sf"):
            slopes = cv.grad(getattr(getattr(stats, name), method), every)(*args)
            assert all(s == 0.0 for s in slopes), (name, method)


def test_ends_of_the_support():
    assert cv.grad(stats.expon.logcdf)(0.0) == np.inf
    assert cv.grad(stats.lognorm.cdf)(0.0, 0.7) == cv.grad(stats.invgamma.cdf)(0.0, 2.0) == 0.0
    assert stats.lognorm.logpdf(0.0, 0.7) == stats.invgamma.logpdf(0.0, 2.0) == -np.inf


def test_batches_and_precision():
    x = X.astype(np.float32)
    assert stats.norm.logpdf(x, 0.5, 2.0).dtype == stats.t.logpdf(x, 3.0).dtype == np.float32
    np.testing.assert_allclose(cv.vmap(stats.norm.logpdf, (0, None, 0))(X, 0.5, np.exp(X)),
                               stats.norm.logpdf(X, 0.5, np.exp(X)))
    assert stats.gamma.logpdf(X[:, None], np.array([1.0, 2.0])).shape == (8, 2)
    assert stats.norm.pdf([0.0, 1.0]).shape == (2,)


COV = np.array([[1.0, 0.5, 0.1], [0.5, 2.0, 0.3], [0.1, 0.3, 1.5]])
MEAN = np.array([0.3, -1.0, 0.5])


def test_the_normal_distribution_of_vectors():
    x = np.random.default_rng(0).normal(size=(4, 3))
    ours = stats.multivariate_normal
    np.testing.assert_allclose(ours.logpdf(x, MEAN, COV), theirs.multivariate_normal.logpdf(x, MEAN, COV))
    np.testing.assert_allclose(ours.pdf(x[0], MEAN, COV), theirs.multivariate_normal.pdf(x[0], MEAN, COV))
    np.testing.assert_allclose(ours.logpdf(x, 0.5, COV), ours.logpdf(x, np.full(3, 0.5), COV))
    np.testing.assert_allclose(ours.logpdf(0.7, 0.2, 4.0), stats.norm.logpdf(0.7, 0.2, 2.0))
    check_grads(lambda x, m, c: ours.logpdf(x, m, c + c.T), (x, MEAN, COV))
    many = np.stack([COV, 2 * COV])
    np.testing.assert_allclose(ours.logpdf(x[:2], MEAN, many), [ours.logpdf(x[i], MEAN, many[i]) for i in (0, 1)])
    np.testing.assert_allclose(cv.vmap(ours.logpdf, (0, None, 0))(x[:2], MEAN, many), ours.logpdf(x[:2], MEAN, many))
    with pytest.raises(ShapeError, match=r"multivariate_normal.logpdf needs x and mean.*\(4, 3\), \(3,\) and \(2, 2\)"):
        ours.logpdf(x, MEAN, np.eye(2))
    with pytest.raises(ShapeError, match=r"needs covariances of shape.*a mean of shape \(3,\), but got one number"):
        ours.logpdf(x, MEAN, 2.0)


def test_the_distribution_of_shares():
    alpha, x = np.array([0.7, 2.0, 3.0]), np.array([[0.2, 0.1], [0.3, 0.6], [0.5, 0.3]])
    np.testing.assert_allclose(stats.dirichlet.logpdf(x, alpha), theirs.dirichlet.logpdf(x, alpha))
    np.testing.assert_allclose(stats.dirichlet.pdf(x[:2], alpha), theirs.dirichlet.pdf(x[:2], alpha))
    check_grads(stats.dirichlet.logpdf, (x[:2], alpha))
    check_grads(lambda alpha: stats.dirichlet.logpdf(x, alpha), (alpha,))
    assert stats.dirichlet.logpdf(np.array([0.5, 0.6, 0.5]), alpha) == -np.inf
    with pytest.raises(ShapeError, match=r"dirichlet.logpdf needs probabilities.*\(1,\) and \(3,\); put the "
                                         r"probabilities"):
        stats.dirichlet.logpdf(np.ones(1), alpha)


def test_the_distribution_of_counts():
    x, p = np.array([[1, 2, 0], [3, 0, 0], [1, 1, 0]]), np.array([0.2, 0.5, 0.3])
    with np.errstate(all="ignore"):
        want = theirs.multinomial.logpmf(x, 3, p)
    np.testing.assert_allclose(stats.multinomial.logpmf(x, 3, p), want)
    np.testing.assert_allclose(stats.multinomial.pmf(x, 3, p), np.exp(want))
    check_grads(lambda p: stats.multinomial.logpmf(x[:2], 3, p), (p,))


def test_parameters_are_given_once():
    assert stats.gamma.logpdf(1.0, a=2.0, scale=3.0) == stats.gamma.logpdf(1.0, 2.0, 0.0, 3.0)
    with pytest.raises(TypeError, match=r"gamma.logpdf takes the parameters a, loc, scale, but got no a; give it by"):
        stats.gamma.logpdf(1.0)
    with pytest.raises(TypeError, match=r"norm.cdf takes the parameters loc, scale, but got 3 of them; leave out"):
        stats.norm.cdf(1.0, 0.0, 1.0, 2.0)
    with pytest.raises(TypeError, match=r"norm.pdf takes the parameters loc, scale, each once, but got mu=1.0; rename"):
        stats.norm.pdf(1.0, mu=1.0)
    with pytest.raises(TypeError, match=r"poisson.pmf takes the parameters mu, loc, each once"):
        stats.poisson.pmf(1, 2.0, mu=1.0)
    with pytest.raises(RuleError, match=r"vonmises.cdf has no formula whose derivatives are known; vonmises has"):
        stats.vonmises.cdf(0.5, 2.0)
    assert repr(stats.gamma) == "<gamma(a, loc, scale)>"


def test_draws_fit_their_densities():
    """The mean of -logpdf of draws is the entropy."""
    key = cv.random.key(0)
    for draws, density, entropy in (
        (cv.random.normal(key, (20_000,)), stats.norm.logpdf, theirs.norm.entropy()),
        (cv.random.gamma(key, 2.3, (20_000,)), lambda x: stats.gamma.logpdf(x, 2.3), theirs.gamma.entropy(2.3)),
        (cv.random.t(key, 3.5, (20_000,)), lambda x: stats.t.logpdf(x, 3.5), theirs.t.entropy(3.5)),
    ):
        np.testing.assert_allclose(-density(draws).mean(), entropy, rtol=0.02)
