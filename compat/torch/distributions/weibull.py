"""torch.distributions.weibull."""

from .._impl.distributions.transformed_families import Weibull as Weibull
