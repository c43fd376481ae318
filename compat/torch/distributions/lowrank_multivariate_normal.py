"""torch.distributions.lowrank_multivariate_normal."""

from .._impl.distributions.normal_vectors import LowRankMultivariateNormal as LowRankMultivariateNormal
