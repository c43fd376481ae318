"""torch.distributions.distribution."""

from .._impl.distributions.distribution import Distribution as Distribution
