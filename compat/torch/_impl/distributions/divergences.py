"""Divergences of two distributions of one kind."""


import math

from ..dispatch.backward_calls import grad
from ..public_names import F, torch
from .categorical import Categorical, OneHotCategorical
from .discrete import Bernoulli, Binomial, ContinuousBernoulli, Geometric, Poisson
from .distribution import ExponentialFamily, Independent, TransformedDistribution
from .divergence import infinite, kl_divergence, register_kl
from .location_scale import Cauchy, Laplace, Normal, Uniform
from .normal_vectors import (
    LowRankMultivariateNormal,
    MultivariateNormal,
    log_diagonal,
    lowrank_logdet,
    lowrank_mahalanobis,
    mahalanobis,
)
from .parameters import euler_constant, sum_rightmost
from .positive import Exponential, Gamma
from .simplex import Beta, Dirichlet
from .transformed_families import Gumbel, HalfNormal, Pareto


@register_kl(Bernoulli, Bernoulli)
def _(p, q):
    one = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    one = torch.where(q.probs == 0, torch.full_like(one, math.inf), one)
    one = torch.where(p.probs == 0, torch.zeros_like(one), one)
    zero = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    zero = torch.where(q.probs == 1, torch.full_like(zero, math.inf), zero)
    return one + torch.where(p.probs == 1, torch.zeros_like(zero), zero)


@register_kl(Beta, Beta)
def _(p, q):
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    total = a + b
    return (c.lgamma() + d.lgamma() + total.lgamma() - (c + d).lgamma() - a.lgamma() - b.lgamma()
            + (a - c) * a.digamma() + (b - d) * b.digamma() + (c + d - total) * total.digamma())


@register_kl(Binomial, Binomial)
def _(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    found = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return torch.where(p.total_count > q.total_count, infinite(found), found)


@register_kl(Categorical, Categorical)
def _(p, q):
    t = p.probs * (p.logits - q.logits)
    t = torch.where((q.probs == 0).expand_as(t), math.inf, t)
    return torch.where((p.probs == 0).expand_as(t), 0.0, t).sum(-1)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + torch.log1p(-p.probs)
            - q._cont_bern_log_norm() - torch.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _(p, q):
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return (total.lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
            + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1))


@register_kl(Exponential, Exponential)
def _(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _(p, q):
    """The Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed "
                                  "using Bregman divergences")
    ours = [n.detach().requires_grad_() for n in p._natural_params]
    theirs = q._natural_params
    normalizer = p._log_normalizer(*ours)
    slopes = grad(normalizer.sum(), ours, create_graph=True)
    found = q._log_normalizer(*theirs) - normalizer
    for a, b, slope in zip(ours, theirs, slopes):
        found = found - sum_rightmost((b - a) * slope, len(q.event_shape))
    return found


@register_kl(Gamma, Gamma)
def _(p, q):
    a, b = p.concentration, q.concentration
    return b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + (q.rate - p.rate) * (
        a / p.rate)


@register_kl(Gumbel, Gumbel)
def _(p, q):
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return (-ratio.log() + shift + ratio * euler_constant + torch.exp(-shift + (1 + ratio).lgamma())
            - (1 + euler_constant))


@register_kl(Geometric, Geometric)
def _(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Normal, Normal)
def _(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _(p, q):
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * torch.exp(-apart / p.scale) - 1


@register_kl(Cauchy, Cauchy)
def _(p, q):
    return (((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _(p, q):
    return kl_divergence(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _(p, q):
    ratio, alpha = p.scale / q.scale, q.alpha / p.alpha
    found = q.alpha * ratio.log() - alpha.log() + alpha - 1
    return torch.where(p.scale < q.support.lower_bound, math.inf, found)


@register_kl(Poisson, Poisson)
def _(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _(p, q):
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return torch.where((q.low > p.low) | (q.high < p.high), math.inf, found)


@register_kl(TransformedDistribution, TransformedDistribution)
def _(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


def check_sizes(p, q):
    """PyTorch's refusal of vectors of different lengths."""
    if p.event_shape != q.event_shape:
        kind = "Low Rank Multivariate Normals" if "LowRank" in type(p).__name__ + type(q).__name__ else (
            "Multivariate Normals")
        raise ValueError(f"KL-divergence between two {kind} with different event shapes cannot be computed")


def spread(tril, matrix):
    """The squared Frobenius norm of the solution of `tril @ x = matrix`, with broadcasting."""
    x = torch.linalg.solve_triangular(tril, matrix, upper=False)
    return x.pow(2).sum(-1).sum(-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _(p, q):
    check_sizes(p, q)
    a, b = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    return (log_diagonal(b) - log_diagonal(a)
            + 0.5 * (spread(b, a) + mahalanobis(b, q.loc - p.loc) - p.event_shape[0]))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _(p, q):
    check_sizes(p, q)
    w, d, c = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q._capacitance_tril
    a = p._unbroadcasted_scale_tril
    logs = lowrank_logdet(d, c) - 2 * log_diagonal(a)
    inner = w.mT / d.unsqueeze(-2)
    trace = (a.pow(2) / d.unsqueeze(-1)).sum(-1).sum(-1) - spread(c, inner @ a)
    return 0.5 * (logs + trace + lowrank_mahalanobis(w, d, q.loc - p.loc, c) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _(p, q):
    check_sizes(p, q)
    b = q._unbroadcasted_scale_tril
    logs = 2 * log_diagonal(b) - lowrank_logdet(p._unbroadcasted_cov_diag, p._capacitance_tril)
    trace = spread(b, p._unbroadcasted_cov_factor.expand(torch.broadcast_shapes(
        p._unbroadcasted_cov_factor.shape[:-2], b.shape[:-2]) + p._unbroadcasted_cov_factor.shape[-2:]))
    trace = trace + spread(b, torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()))
    return 0.5 * (logs + trace + mahalanobis(b, q.loc - p.loc) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _(p, q):
    check_sizes(p, q)
    w, d, c = q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q._capacitance_tril
    v, e = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    logs = lowrank_logdet(d, c) - lowrank_logdet(e, p._capacitance_tril)
    inner = w.mT / d.unsqueeze(-2)
    trace = ((e / d).sum(-1) + (v.pow(2) / d.unsqueeze(-1)).sum(-1).sum(-1)
             - spread(c, inner * e.sqrt().unsqueeze(-2)) - spread(c, inner @ v))
    return 0.5 * (logs + trace + lowrank_mahalanobis(w, d, q.loc - p.loc, c) - p.event_shape[0])


