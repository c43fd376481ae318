"""torch.distributions.lowrank_multivariate_normal."""

from .._impl.distributions.matrices import LowRankMultivariateNormal as LowRankMultivariateNormal
