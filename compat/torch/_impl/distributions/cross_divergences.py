"""Divergences of distributions of two kinds; infinite where one does not cover the other."""

import math

from ..public_names import torch
from .discrete import Bernoulli, Binomial, ContinuousBernoulli, Poisson
from .divergence import infinite, register_kl
from .location_scale import Laplace, Normal, Uniform
from .parameters import euler_constant
from .positive import Exponential, Gamma
from .simplex import Beta
from .transformed_families import Gumbel, Pareto

HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


def to_normal(mean, variance, q):
    """`-E[log q]` of a normal distribution, from the mean and variance of the first one."""
    return HALF_LOG_TAU + q.scale.log() + 0.5 * (variance + (mean - q.loc).pow(2)) / q.scale.pow(2)


def against(*kinds):
    """Register a function `-E_p[log q]` of second kinds: the divergence is that minus the entropy of the first."""
    return lambda fun: [register_kl(p, q)(lambda a, b: -a.entropy() + fun(a, b)) for p, q in kinds]


against(*[(kind, Normal) for kind in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform)])(
    lambda p, q: to_normal(p.mean, p.variance, q))


@register_kl(Pareto, Normal)
def _(p, q):
    found = -p.entropy() + to_normal(p.alpha * p.scale / (p.alpha - 1), p.scale.pow(2) * p.alpha / (
        (p.alpha - 1).pow(2) * (p.alpha - 2)), q)
    return torch.where(p.alpha <= 2, math.inf, found)


@register_kl(Bernoulli, Poisson)
def _(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _(p, q):
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def to_gamma(mean, mean_log, q):
    """`-E[log q]` of a gamma distribution."""
    return -q.concentration * q.rate.log() + q.concentration.lgamma() - (q.concentration - 1) * mean_log + q.rate * mean


@register_kl(Beta, Gamma)
def _(p, q):
    total = p.concentration1 + p.concentration0
    return -p.entropy() + to_gamma(p.mean, p.concentration1.digamma() - total.digamma(), q)


@register_kl(Beta, Uniform)
def _(p, q):
    found = -p.entropy() + (q.high - q.low).log()
    return torch.where((q.low > 0) | (q.high < p.support.upper_bound), math.inf, found)


@register_kl(ContinuousBernoulli, Exponential)
def _(p, q):
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Uniform)
def _(p, q):
    found = -p.entropy() + (q.high - q.low).log()
    outside = (q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)
    return torch.where(outside, torch.ones_like(found) * math.inf, found)


@register_kl(Exponential, Gamma)
def _(p, q):
    ratio = q.rate / p.rate
    return (-q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma()
            + q.concentration * euler_constant - (1 + euler_constant))


@register_kl(Exponential, Gumbel)
def _(p, q):
    product, shift = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 + product.reciprocal() - shift + torch.exp(shift) * product / (product + 1)


@register_kl(Gamma, Exponential)
def _(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _(p, q):
    product, shift = p.rate * q.scale, q.loc / q.scale
    power = torch.exp(shift) * (1 + product.reciprocal()).pow(-p.concentration)
    return ((p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
            + product.log() + p.concentration / product + power - shift)


@register_kl(Normal, Gumbel)
def _(p, q):
    shift, ratio = (p.loc - q.loc) / q.scale, (p.scale / q.scale).pow(2)
    return shift - ratio.log() * 0.5 + torch.exp(-shift + 0.5 * ratio) - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _(p, q):
    apart = p.loc - q.loc
    ratio, z = p.scale / q.scale, apart / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2)) + apart * torch.erf(math.sqrt(0.5) * z)
    return -torch.log(ratio) + spread / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


@register_kl(Pareto, Exponential)
def _(p, q):
    reach = p.scale * q.rate
    found = (p.alpha / reach).log() - p.alpha.reciprocal() + p.alpha * reach / (p.alpha - 1) - 1
    return torch.where(p.alpha <= 1, math.inf, found)


@register_kl(Pareto, Gamma)
def _(p, q):
    mean_log = p.scale.log() + p.alpha.reciprocal()
    found = -p.entropy() + to_gamma(p.alpha * p.scale / (p.alpha - 1), mean_log, q)
    return torch.where(p.alpha <= 1, math.inf, found)


@register_kl(Poisson, Bernoulli)
def _(p, q):
    return infinite(p.rate)


@register_kl(Poisson, Binomial)
def _(p, q):
    return infinite(p.rate)


@register_kl(Uniform, Beta)
def _(p, q):
    width = p.high - p.low
    log_x = ((xlogx(p.high) - xlogx(p.low)) / width) - 1
    log_rest = ((xlogx(1 - p.low) - xlogx(1 - p.high)) / width) - 1
    norm = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    found = -width.log() - (q.concentration1 - 1) * log_x - (q.concentration0 - 1) * log_rest + norm
    return torch.where((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), math.inf, found)


def xlogx(x):
    """x log x, which is 0 at 0."""
    return torch.special.xlogy(x, x)


@register_kl(Uniform, ContinuousBernoulli)
def _(p, q):
    found = -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()
    outside = (p.high > q.support.upper_bound) | (p.low < q.support.lower_bound)
    return torch.where(outside, torch.ones_like(found) * math.inf, found)


@register_kl(Uniform, Exponential)
def _(p, q):
    found = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return torch.where(p.low < q.support.lower_bound, math.inf, found)


@register_kl(Uniform, Gamma)
def _(p, q):
    mean_log = (xlogx(p.high) - xlogx(p.low)) / (p.high - p.low) - 1
    found = -p.entropy() + to_gamma((p.high + p.low) / 2, mean_log, q)
    return torch.where(p.low < q.support.lower_bound, math.inf, found)


@register_kl(Uniform, Gumbel)
def _(p, q):
    width = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return width.log() + 0.5 * (high + low) - width * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Pareto)
def _(p, q):
    mean_log = (xlogx(p.high) - xlogx(p.low) - p.high + p.low) / (p.high - p.low)
    found = mean_log * (q.alpha + 1) - q.alpha.log() - q.alpha * q.scale.log() - (p.high - p.low).log()
    return torch.where(p.low < q.support.lower_bound, math.inf, found)


LINE = (Beta, ContinuousBernoulli, Uniform, Pareto, Exponential, Gamma)
INFINITE = ((Beta, (Pareto,)), (ContinuousBernoulli, (Pareto,)),
            (Exponential, (Beta, ContinuousBernoulli, Pareto, Uniform)),
            (Gamma, (Beta, ContinuousBernoulli, Pareto, Uniform)), (Gumbel, LINE), (Laplace, LINE), (Normal, LINE),
            (Pareto, (Beta, ContinuousBernoulli, Uniform)))
_PARAMETER = {Beta: "concentration1", ContinuousBernoulli: "probs", Exponential: "rate", Gamma: "concentration",
              Gumbel: "loc", Laplace: "loc", Normal: "loc", Pareto: "scale"}
for _p, _kinds in INFINITE:
    for _q in _kinds:
        register_kl(_p, _q)(lambda p, q, name=_PARAMETER[_p]: infinite(getattr(p, name)))
