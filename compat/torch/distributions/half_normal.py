"""torch.distributions.half_normal."""

from .._impl.distributions.transformed import HalfNormal as HalfNormal
