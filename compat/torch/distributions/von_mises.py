"""torch.distributions.von_mises."""

from .._impl.distributions.location_scale import VonMises as VonMises
