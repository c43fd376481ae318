"""covector.scipy.stats against jax.scipy.stats in float64: values, and derivatives by every argument."""

import numpy as np
import pytest

import covector as cv
from covector.scipy import stats

jax = pytest.importorskip("jax", reason="needs the `reference` extra: pip install -e '.[reference]'")
jax.config.update("jax_enable_x64", True)
pytestmark = pytest.mark.reference
theirs = jax.scipy.stats

X = np.array([0.3, 0.45, 0.8])
CALLS = {
    "norm": ("logpdf pdf cdf logcdf sf logsf ppf isf", ()), "expon": ("logpdf pdf cdf sf ppf", ()),
    "laplace": ("logpdf pdf cdf", ()), "logistic": ("logpdf pdf cdf sf ppf isf", ()),
    "cauchy": ("logpdf pdf cdf sf logcdf logsf ppf isf", ()), "gumbel_r": ("logpdf pdf cdf logcdf sf logsf ppf", ()),
    "gumbel_l": ("logpdf pdf cdf logcdf sf logsf ppf", ()), "gamma": ("logpdf pdf cdf sf logcdf logsf", (2.3,)),
    "chi2": ("logpdf pdf cdf sf logcdf logsf", (3.0,)), "beta": ("logpdf pdf", (1.5, 2.5)), "t": ("logpdf pdf", (3.5,)),
}
WHOLE = {"bernoulli": (0.3,), "geom": (0.3,), "poisson": (2.2,), "nbinom": (3.5, 0.4)}


def same(f, g, args, by):
    np.testing.assert_allclose(f(*args), g(*args), rtol=1e-9)
    ours = cv.grad(lambda *a: f(*a).sum(), by)(*args)
    for got, want in zip(ours, jax.grad(lambda *a: g(*a).sum(), by)(*args), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("name", "method"), [(n, m) for n, (methods, _) in CALLS.items() for m in methods.split()])
def test_function_of_a_real_number_is_that_of_jax(name, method):
    ours, jaxs = getattr(getattr(stats, name), method), getattr(getattr(theirs, name), method)
    args = (X, *CALLS[name][1], 0.1, 1.3)
    if name.startswith("gumbel"):  # JAX's own derivative fails in its insides
        np.testing.assert_allclose(ours(*args), jaxs(*args), rtol=1e-9)
    else:
        same(ours, jaxs, args, tuple(range(len(args))))


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_probability_is_that_of_jax(name):
    args = (np.array([0.0, 1.0]) if name == "bernoulli" else np.array([1.0, 2.0, 5.0]), *WHOLE[name])
    for method in ("logpmf", "pmf"):
        same(getattr(getattr(stats, name), method), getattr(getattr(theirs, name), method), args,
             tuple(range(1, len(args))))


def test_distributions_of_vectors_are_those_of_jax():
    cov = np.array([[1.0, 0.5, 0.1], [0.5, 2.0, 0.3], [0.1, 0.3, 1.5]])
    x = np.random.default_rng(0).normal(size=(4, 3))
    same(lambda x, m, c: stats.multivariate_normal.logpdf(x, m, c + c.T),
         lambda x, m, c: theirs.multivariate_normal.logpdf(x, m, c + c.T), (x, x[0], cov), (0, 1, 2))
    shares = np.array([[0.2, 0.1], [0.3, 0.6], [0.5, 0.3]])
    same(lambda a: stats.dirichlet.logpdf(shares, a), lambda a: theirs.dirichlet.logpdf(shares, a),
         (np.array([0.7, 2.0, 3.0]),), (0,))
