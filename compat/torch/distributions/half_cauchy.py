"""torch.distributions.half_cauchy."""

from .._impl.distributions.transformed_families import HalfCauchy as HalfCauchy
