"""torch.distributions.continuous_bernoulli."""

from .._impl.distributions.discrete import ContinuousBernoulli as ContinuousBernoulli
