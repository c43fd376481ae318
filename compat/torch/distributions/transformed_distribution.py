"""torch.distributions.transformed_distribution."""

from .._impl.distributions.transformed import TransformedDistribution as TransformedDistribution
