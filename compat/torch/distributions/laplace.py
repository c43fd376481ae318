"""torch.distributions.laplace."""

from .._impl.distributions.location_scale import Laplace as Laplace
