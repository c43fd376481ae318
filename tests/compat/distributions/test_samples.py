"""Samples: their distribution by Kolmogorov and Smirnov's test and by moments, and gradients that pass through them."""

import numpy as np
import pytest

import covector.compat.torch as torch
from distribution_cases import CASES, made

special, stats = pytest.importorskip("scipy.special"), pytest.importorskip("scipy.stats")
D = torch.distributions
N = 4000


@pytest.mark.parametrize(("ours", "theirs"), [
    (lambda: D.Normal(1.0, 2.0), lambda: stats.norm(1, 2)), (lambda: D.Laplace(1.0, 2.0), lambda: stats.laplace(1, 2)),
    (lambda: D.Cauchy(1.0, 2.0), lambda: stats.cauchy(1, 2)), (lambda: D.StudentT(3.0), lambda: stats.t(3)),
    (lambda: D.Uniform(-1.0, 2.0), lambda: stats.uniform(-1, 3)),
    (lambda: D.Gumbel(1.0, 2.0), lambda: stats.gumbel_r(1, 2)),
    (lambda: D.VonMises(torch.tensor(0.5), torch.tensor(2.0)), lambda: stats.vonmises(2, 0.5)),
    (lambda: D.Exponential(2.0), lambda: stats.expon(scale=0.5)),
    (lambda: D.Gamma(0.5, 2.0), lambda: stats.gamma(0.5, scale=0.5)),
    (lambda: D.Chi2(torch.tensor(3.0)), lambda: stats.chi2(3)), (lambda: D.Beta(2.0, 0.7), lambda: stats.beta(2, 0.7)),
    (lambda: D.FisherSnedecor(5.0, 7.0), lambda: stats.f(5, 7)),
    (lambda: D.HalfNormal(2.0), lambda: stats.halfnorm(scale=2)),
    (lambda: D.HalfCauchy(2.0), lambda: stats.halfcauchy(scale=2)),
    (lambda: D.Pareto(2.0, 3.0), lambda: stats.pareto(3, scale=2)),
    (lambda: D.LogNormal(0.5, 0.7), lambda: stats.lognorm(0.7, scale=np.exp(0.5))),
    (lambda: D.InverseGamma(3.0, 2.0), lambda: stats.invgamma(3, scale=2)),
    (lambda: D.Weibull(2.0, 1.5), lambda: stats.weibull_min(1.5, scale=2)),
    (lambda: D.GeneralizedPareto(0.5, 2.0, 0.2), lambda: stats.genpareto(0.2, 0.5, 2)),
])
def test_samples_are_distributed_as_scipys(ours, theirs):
    torch.manual_seed(0)
    x = ours().sample((N,)).numpy().astype(float)
    assert stats.kstest(x, theirs().cdf).pvalue > 1e-3


@pytest.mark.parametrize(("kind", "parameters"), [(k, p) for k, p, _ in CASES if k not in (
    "Cauchy", "HalfCauchy", "LKJCholesky", "Categorical", "LogisticNormal", "RelaxedBernoulli",
    "RelaxedOneHotCategorical", "VonMises")], ids=str)
def test_samples_have_the_mean_and_the_variance(kind, parameters):
    torch.manual_seed(0)
    d, _ = made(torch, kind, parameters)
    x = d.sample((N,)).detach().numpy().astype(float)
    mean, spread = d.mean.detach().numpy(), d.stddev.detach().numpy()
    assert np.all(np.abs(x.mean(0) - mean) < 6 * spread / N**0.5 + 1e-6)
    heavy = kind in ("InverseGamma", "Pareto", "FisherSnedecor", "StudentT", "GeneralizedPareto", "LogNormal")
    assert heavy or np.allclose(x.std(0), spread, rtol=0.2)


def test_categories_come_as_often_as_they_should():
    torch.manual_seed(0)
    p = np.array([0.1, 0.6, 0.3])
    found = np.bincount(D.Categorical(torch.tensor(p)).sample((N,)).numpy(), minlength=3)
    assert stats.chisquare(found, p * N).pvalue > 1e-3


def test_correlation_factors_have_rows_of_length_one():
    torch.manual_seed(0)
    d = D.LKJCholesky(4, torch.tensor(1.5, dtype=torch.float64))
    x = d.sample((500,))
    assert d.support.check(x).all()
    off = (x @ x.mT)[:, 1, 0].numpy()
    assert stats.kstest((off + 1) / 2, stats.beta(2.5, 2.5).cdf).pvalue > 1e-3  # concentration + (dim - 2) / 2


@pytest.mark.parametrize("a", [0.05, 0.7, 3.0, 40.0])
def test_gradient_of_a_gamma_sample_is_that_of_its_quantile(a):
    torch.manual_seed(1)
    shape = torch.full((50,), a, dtype=torch.float64, requires_grad=True)
    x = torch._standard_gamma(shape)
    (g,) = torch.autograd.grad(x.sum(), shape)
    x, h = x.detach().numpy(), 1e-5 * a
    lower = special.gammainc(a, x) < 0.5
    u, v = special.gammainc(a, x), special.gammaincc(a, x)
    ends = [np.where(lower, special.gammaincinv(b, u), special.gammainccinv(b, v)) for b in (a + h, a - h)]
    expected = (ends[0] - ends[1]) / (2 * h)
    fine = x > 1e-200
    assert np.allclose(g.numpy()[fine], expected[fine], rtol=1e-5, atol=1e-12)


def test_second_derivative_of_a_gamma_sample_is_that_of_its_quantile():
    torch.manual_seed(1)
    a = torch.tensor([0.7, 3.0], dtype=torch.float64, requires_grad=True)
    x = torch._standard_gamma(a)
    (g,) = torch.autograd.grad(x.sum(), a, create_graph=True)
    (second,) = torch.autograd.grad(g.sum(), a)
    u, h = special.gammainc(a.detach().numpy(), x.detach().numpy()), 1e-4
    q = [special.gammaincinv(a.detach().numpy() + k * h, u) for k in (1, 0, -1)]
    assert np.allclose(second.numpy(), (q[0] - 2 * q[1] + q[2]) / h**2, rtol=1e-3)


@pytest.mark.parametrize(("kind", "parameters"), [(k, p) for k, p, _ in CASES if k in (
    "Beta", "Dirichlet", "Gamma", "Exponential", "Normal", "Laplace", "Gumbel", "Uniform", "Weibull", "HalfNormal",
    "Kumaraswamy", "LogNormal", "MultivariateNormal", "LowRankMultivariateNormal", "ContinuousBernoulli", "Chi2",
    "Wishart") and (k != "ContinuousBernoulli" or "logits" in p)], ids=str)  # in the middle samples stay as they are
def test_gradient_through_samples_is_that_of_the_mean(kind, parameters):
    torch.manual_seed(0)
    d, leaves = made(torch, kind, parameters)
    if not leaves:
        return
    weights = torch.cos(torch.arange(d.mean.numel(), dtype=torch.float64)).reshape(d.mean.shape)
    shares = []
    for _ in range(10):
        x = d.rsample((N // 4,))
        shares.append(torch.autograd.grad((x.mean(0) * weights).sum(), leaves, retain_graph=True, allow_unused=True))
    expected = torch.autograd.grad((d.mean * weights).sum(), leaves, allow_unused=True)
    for k, e in enumerate(expected):
        if shares[0][k] is None:
            assert e is None or not e.abs().sum()
            continue
        found = np.stack([s[k].numpy() for s in shares])
        e = np.zeros_like(found[0]) if e is None else e.numpy()
        if kind in ("MultivariateNormal", "Wishart") and e.shape == (3, 3):  # gradients of symmetric matrices
            found, e = found + np.swapaxes(found, -1, -2), e + np.swapaxes(e, -1, -2)
        error = found.std(0, ddof=1) / 10**0.5
        assert np.all(np.abs(found.mean(0) - e) < 8 * error + 1e-9)


def test_seeded_samples_come_again():
    d = D.Gamma(2.0, 1.0)
    torch.manual_seed(5)
    x = d.sample((3,))
    torch.manual_seed(5)
    assert torch.equal(x, d.sample((3,)))


def test_binomial_numbers():
    torch.manual_seed(0)
    x = torch.binomial(torch.full((N,), 10.0), torch.full((N,), 0.3))
    assert abs(x.mean().item() - 3.0) < 0.15
    with pytest.raises(RuntimeError, match="count >= 0"):
        torch.binomial(torch.tensor([-1.0]), torch.tensor([0.5]))


def test_examples_of_vmap_draw_numbers_of_their_own():
    x = torch.vmap(torch._standard_gamma, randomness="different")(torch.ones(3, 200))
    assert len(np.unique(x.numpy())) == 600


def test_density_in_transforms_is_that_of_a_loop():
    x = torch.tensor([0.1, -0.5, 2.0], dtype=torch.float64)

    def density(value, scale):
        return D.Normal(0.5, scale, validate_args=False).log_prob(value)

    scale = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)
    slopes = torch.vmap(torch.func.grad(density, argnums=1))(x, scale)
    loop = [torch.func.grad(density, argnums=1)(a, b).item() for a, b in zip(x, scale)]
    assert np.allclose(slopes.numpy(), loop)
