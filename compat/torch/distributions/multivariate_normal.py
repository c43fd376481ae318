"""torch.distributions.multivariate_normal."""

from .._impl.distributions.normal_vectors import MultivariateNormal as MultivariateNormal
