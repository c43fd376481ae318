"""torch.distributions.normal."""

from .._impl.distributions.location_scale import Normal as Normal
