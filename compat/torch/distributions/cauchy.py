"""torch.distributions.cauchy."""

from .._impl.distributions.location_scale import Cauchy as Cauchy
