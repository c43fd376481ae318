"""Distributions of positive numbers: Exponential, Gamma, Chi2, FisherSnedecor, GeneralizedPareto."""

import math

from ..public_names import torch
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .parameters import NO_AXES, batch_shape_of, broadcast_all


class Exponential(ExponentialFamily):
    """The exponential distribution.

    Args:
        rate: one over the mean.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanded = ("rate",)

    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def mode(self):
        return torch.zeros_like(self.rate)

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=NO_AXES):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        self._checked(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        self._checked(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Args:
        concentration: its shape parameter.
        rate: one over its scale.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0
    _expanded = ("concentration", "rate")

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(batch_shape_of(self.rate, concentration, rate), validate_args=validate_args)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape=NO_AXES):
        shape = self._extended_shape(sample_shape)
        value = torch._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return value + (value.detach().clamp(min=torch.finfo(value.dtype).tiny) - value.detach())  # away from 0

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        self._checked(value)
        return (torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value)
                - self.rate * value - torch.lgamma(self.concentration))

    def entropy(self):
        return (self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration)
                + (1.0 - self.concentration) * torch.digamma(self.concentration))

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())

    def cdf(self, value):
        self._checked(value)
        return torch.special.gammainc(self.concentration, self.rate * value)


class Chi2(Gamma):
    """The chi-squared distribution.

    Args:
        df: degrees of freedom.
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self):
        return self.concentration * 2


class FisherSnedecor(Distribution):
    """The F distribution.

    Args:
        df1, df2: degrees of freedom of the numerator and of the denominator.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expanded = ("df1", "df2")

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._parts()
        super().__init__(batch_shape_of(self.df1, df1, df2), validate_args=validate_args)

    def _parts(self):
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)

    def _also_expanded(self, new, batch_shape):
        new._parts()

    @property
    def mean(self):
        df2 = self.df2.clone()
        df2[df2 <= 2] = math.nan
        return df2 / (df2 - 2)

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = math.nan
        return mode

    @property
    def variance(self):
        df2 = self.df2.clone()
        df2[df2 <= 4] = math.nan
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape=NO_AXES):
        x1 = self._gamma1.rsample(sample_shape).view(self._extended_shape(sample_shape))
        x2 = self._gamma2.rsample(sample_shape).view(self._extended_shape(sample_shape))
        tiny = torch.finfo(x2.dtype).tiny
        x2 = x2.clamp(min=tiny)
        return (x1 / x2).clamp(min=tiny)

    def log_prob(self, value):
        self._checked(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        norm = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        return (norm + half1 * ratio.log() + (half1 - 1) * torch.log(value)
                - (half1 + half2) * torch.log1p(ratio * value))


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution.

    Args:
        loc, scale: where it begins, and how wide it is.
        concentration: its shape parameter.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _expanded = ("loc", "scale", "concentration")

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(batch_shape_of(self.loc, loc, scale, concentration), validate_args=validate_args)

    def _without_zero(self):
        """Tell whether the concentration is close to 0, and concentrations that are not."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape=NO_AXES):
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        self._checked(value)
        y = (value - self.loc) / self.scale
        zero, k = self._without_zero()
        whole = -torch.log(self.scale) - (1 + 1 / k) * torch.log1p(k * y)
        return torch.where(zero, -torch.log(self.scale) - y, torch.where(y >= 0, whole, -math.inf))

    def _log_survival(self, value):
        y = (value - self.loc) / self.scale
        zero, k = self._without_zero()
        return torch.where(zero, -y, -torch.log1p(k * y) / k)

    def cdf(self, value):
        self._checked(value)
        return torch.exp(torch.log1p(-torch.exp(self._log_survival(value))))

    def icdf(self, value):
        zero, k = self._without_zero()
        tail = torch.log1p(-value)
        return torch.where(zero, self.loc - self.scale * tail, self.loc + self.scale * torch.expm1(-k * tail) / k)

    @property
    def mean(self):
        k = self.concentration
        fine = k < 1
        found = self.loc + self.scale / (1 - torch.where(fine, k, torch.full_like(k, 0.5)))
        return torch.where(fine, found, torch.full_like(k, math.nan))

    @property
    def variance(self):
        k = self.concentration
        fine = k < 0.5
        inside = torch.where(fine, k, torch.full_like(k, 0.25))
        found = self.scale**2 / ((1 - inside) ** 2 * (1 - 2 * inside))
        return torch.where(fine, found, torch.full_like(k, math.nan))

    def entropy(self):
        return (torch.log(self.scale) + self.concentration + 1).expand(self._batch_shape)

    @property
    def mode(self):
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        lower = self.loc
        upper = torch.where(self.concentration < 0, lower - self.scale / self.concentration,
                            torch.full_like(lower, math.inf))
        return constraints.interval(lower, upper)
