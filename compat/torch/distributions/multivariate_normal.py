"""torch.distributions.multivariate_normal."""

from .._impl.distributions.matrices import MultivariateNormal as MultivariateNormal
