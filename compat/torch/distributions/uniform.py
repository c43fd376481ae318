"""torch.distributions.uniform."""

from .._impl.distributions.location_scale import Uniform as Uniform
