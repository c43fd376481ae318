"""torch.distributions.half_cauchy."""

from .._impl.distributions.transformed import HalfCauchy as HalfCauchy
