"""What distributions give for fixed values, with gradients: densities, moments, entropies, supports, divergences."""

import itertools
import warnings

import numpy as np

from distribution_cases import CASES, made
from harness import attempt, rounds_as

# Beyond what PyTorch has: derivatives of the incomplete gamma function by its parameter.
NO_SLOPE = {("Chi2", "cdf"), ("Gamma", "cdf"), ("InverseGamma", "cdf")}
# Where PyTorch's gradients of what a selection leaves out are NaN.
NO_SLOPE |= {("Kumaraswamy", "mode"), *[("Uniform", b) for b in ("mode", "Beta", "Chi2", "Gamma", "Pareto")]}
DIGAMMA = rounds_as("float32", "PyTorch's digamma is good to 1e-8 alone, and its Bessel functions to 1e-7")


def answer(T, get, leaves, slope=True):
    """A value, and its gradients by parameters behind fixed weights; or the class of the error."""
    try:
        value = get()
    except Exception as error:
        return type(error).__name__
    if not hasattr(value, "requires_grad"):
        return str(value).replace("covector.compat.", "")
    found = [value.detach().contiguous()]
    if slope and value.requires_grad and leaves:
        weights = T.cos(T.arange(value.numel(), dtype=T.float64)).reshape(value.shape).to(value.dtype)
        total = (value * weights)[T.isfinite(value.detach())].sum()
        gradients = T.autograd.grad(total, leaves, allow_unused=True, retain_graph=True)
        found += [T.zeros_like(t) if g is None else g.contiguous() for t, g in zip(leaves, gradients)]
    return found


def of_all(T, get, name=None):
    """An answer for every distribution; `get(distribution, value)`."""
    found = []
    for kind, parameters, value in CASES:
        d, leaves = made(T, kind, parameters)
        x = T.tensor(value)
        if x.is_floating_point():
            leaves.append(x.requires_grad_())
        found.append([kind, answer(T, lambda d=d, x=x: get(d, x), leaves, (kind, name) not in NO_SLOPE)])
    return found


@DIGAMMA
def script_log_prob(T):
    return of_all(T, lambda d, x: d.log_prob(x))


def script_cdf(T):
    return of_all(T, lambda d, x: d.cdf(x), "cdf")


@DIGAMMA
def script_icdf(T):
    return of_all(T, lambda d, x: d.icdf(T.tensor([0.1, 0.5, 0.8], dtype=T.float64)))


@DIGAMMA
def script_entropy(T):
    return of_all(T, lambda d, x: d.entropy())


def script_mean(T):
    return of_all(T, lambda d, x: d.mean)


@DIGAMMA
def script_variance(T):
    return of_all(T, lambda d, x: d.variance)


@DIGAMMA
def script_stddev(T):
    return of_all(T, lambda d, x: d.stddev)


def script_mode(T):
    return of_all(T, lambda d, x: d.mode, "mode")


def script_probabilities_and_logits(T):
    return of_all(T, lambda d, x: d.probs), of_all(T, lambda d, x: d.logits)


def script_covariances(T):
    cases = [c for c in CASES if "Multivariate" in c[0]]
    found = []
    for kind, parameters, _ in cases:
        d, _ = made(T, kind, parameters)
        found += [d.covariance_matrix.detach(), d.precision_matrix.detach(), d.scale_tril.detach()]
    return found


def script_enumerated_supports(T):
    return [of_all(T, lambda d, x, e=e: d.enumerate_support(e)) for e in (True, False)]


def script_shapes_and_text(T):
    found = []
    for kind, parameters, _ in CASES:
        d, _ = made(T, kind, parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of singular samples
            shapes = [str(d.sample().shape), str(d.sample((5,)).shape), str(d.sample().dtype)]
        found.append([repr(d), str(d.batch_shape), str(d.event_shape), d.has_rsample, d.has_enumerate_support,
                      str(d.support.event_dim), d.support.is_discrete, sorted(d.arg_constraints),
                      *shapes])
    return found


@DIGAMMA
def script_expanded(T):
    found = []
    for kind, parameters, value in CASES:
        d, leaves = made(T, kind, parameters)
        wide = d.expand((4, *d.batch_shape))
        x = T.tensor(value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of singular samples
            shapes = [str(wide.sample((2,)).shape), str(wide.sample().dtype)]
        found.append([str(wide.batch_shape), *shapes,
                      answer(T, lambda w=wide, x=x: w.log_prob(x), leaves), answer(T, lambda w=wide: w.mean, leaves)])
    return found


@DIGAMMA
def script_divergences(T):
    found = []
    for (a, p, _), (b, q, _) in itertools.product(CASES, CASES):
        if a == b == "Bernoulli" and p is not q:
            continue  # PyTorch does not broadcast there
        if a == b == "Wishart" and "scale_tril" in p | q:
            continue  # where PyTorch's gradient of a triangle has entries outside of it
        other = {k: v * (0.9 if k == "probs" else 1.1) if isinstance(v, np.ndarray) and k != "total_count" else v
                 for k, v in q.items()}
        (d, first), (e, second) = made(T, a, p), made(T, b, other)
        value = answer(T, lambda d=d, e=e: T.distributions.kl_divergence(d, e), first + second,
                       (a, b) not in NO_SLOPE)
        if not isinstance(value, str):
            found.append([a, b, value])
    return found


def script_mixtures(T):
    D, found = T.distributions, []
    weights = T.tensor([0.2, 0.5, 0.3], dtype=T.float64, requires_grad=True)
    loc = T.tensor([0.5, -1.0, 2.0], dtype=T.float64, requires_grad=True)
    m = D.MixtureSameFamily(D.Categorical(weights), D.Normal(loc, 1.5))
    x = T.tensor([0.1, 0.7], dtype=T.float64)
    for get in (lambda: m.log_prob(x), lambda: m.mean, lambda: m.variance, lambda: m.cdf(x)):
        found.append(answer(T, get, [weights, loc]))
    i = D.Independent(D.Normal(loc, T.ones(3)), 1)
    found += [answer(T, lambda: i.log_prob(x[:1]), [loc]), answer(T, i.entropy, [loc])]
    t = D.TransformedDistribution(D.Normal(loc, 1.0), [D.SigmoidTransform(), D.AffineTransform(1.0, -2.0)])
    for get in (lambda: t.log_prob(-x[:1]), lambda: t.cdf(-x[:1]), lambda: t.icdf(x[:1])):
        found.append(answer(T, get, [loc]))
    return found, repr(m), repr(i), repr(t), str(m.sample((4,)).shape), str(m.expand((2,)).batch_shape)


def script_bad_arguments(T):
    D, n = T.distributions, lambda *values: T.tensor(values)
    lines = [
        lambda: D.Normal(0.0, -1.0), lambda: D.Normal(n(0.0, 1.0), n(1.0, -1.0)), lambda: D.Normal("a", 1.0),
        lambda: D.Bernoulli(), lambda: D.Bernoulli(0.5, 0.5), lambda: D.Bernoulli(2.0),
        lambda: D.Categorical(n(0.5)[0]),
        lambda: D.Bernoulli(0.5).log_prob(n(0.5)), lambda: D.Normal(0.0, 1.0).log_prob(3.0), lambda: D.LKJCholesky(1),
        lambda: D.Normal(n(0.0, 1.0), 1.0).log_prob(n(1.0, 2.0, 3.0)), lambda: D.Categorical(n(-1.0, 2.0)),
        lambda: D.Categorical(n(0.5, 0.5)).log_prob(n(2)), lambda: D.Dirichlet(n(1.0)[0]), lambda: D.Uniform(1.0, 0.0),
        lambda: D.Dirichlet(n(1.0, 1.0)).log_prob(n(0.5, 0.6)), lambda: D.MultivariateNormal(n(0.0, 0.0)),
        lambda: D.MultivariateNormal(n(0.0, 0.0), T.eye(2), T.eye(2)), lambda: D.Gamma(1.0, 0.0),
        lambda: D.MultivariateNormal(n(0.0, 0.0), n(1.0, 2.0)), lambda: D.MultivariateNormal(n(0.0, 0.0), -T.eye(2)),
        lambda: D.Poisson(-1.0), lambda: D.Multinomial(n(1, 2), n(0.5, 0.5)), lambda: D.Wishart(1.0, T.eye(3)),
        lambda: D.Independent(D.Normal(0.0, 1.0), 1), lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [3]),
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform()), lambda: D.Wishart(3.0),
        lambda: D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)), lambda: D.Geometric(0.0),
        lambda: D.MixtureSameFamily(D.Categorical(T.ones(3)), D.Normal(T.ones(2), T.ones(2))),
        lambda: D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0)), lambda: D.Poisson(1.0).entropy(),
        lambda: D.Normal(0.0, 1.0).enumerate_support(), lambda: D.Bernoulli(0.5).rsample(),
        lambda: D.Binomial(n(1.0, 2.0), 0.5).entropy(), lambda: D.Distribution().expand((2,)),
        lambda: D.LowRankMultivariateNormal(n(0.0, 0.0), T.ones(3, 1), n(1.0, 1.0)), lambda: D.Transform(2)]
    return [attempt(lambda line=line: str(line())) for line in lines]


def script_arguments_are_checked_inside_of_transforms(T):
    D, f = T.distributions, T.func
    loc, scale = T.tensor([[0.5, 1.0], [2.0, -0.3]]), T.tensor([[0.5, 1.0], [2.0, 0.3]])
    normal = lambda m, s: D.Normal(m, s).log_prob(s).sum()  # noqa: E731
    matrix = T.eye(2) + T.ones(2, 2)
    lines = [
        lambda: f.vmap(normal)(loc, scale), lambda: f.vmap(f.grad(normal))(loc, scale),
        lambda: f.vmap(normal)(scale, loc), lambda: f.vmap(f.grad(normal))(scale, loc),
        lambda: f.vmap(lambda p: D.Bernoulli(p).log_prob(p.round()).sum())(scale / 2),
        lambda: f.vmap(lambda p: D.Bernoulli(p).log_prob(p).sum())(scale / 2),
        lambda: f.vmap(lambda a: D.Categorical(logits=a).log_prob(T.tensor(1)))(loc),
        lambda: f.vmap(lambda a: D.MultivariateNormal(a, matrix).log_prob(a))(loc),
        lambda: f.vmap(lambda s: D.kl_divergence(D.Normal(s, s), D.Normal(0.0, s)).sum())(scale),
        lambda: f.hessian(lambda s: D.Gamma(s, s).log_prob(s).sum())(scale[0]),
        lambda: f.vmap(lambda s: D.Normal(s, s).sample().shape[0] + s.sum(), randomness="different")(scale)]
    return [found[:2] if isinstance(found, tuple) else found for found in map(attempt, lines)]
