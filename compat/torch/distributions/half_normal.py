"""torch.distributions.half_normal."""

from .._impl.distributions.transformed_families import HalfNormal as HalfNormal
