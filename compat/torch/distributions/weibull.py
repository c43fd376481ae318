"""torch.distributions.weibull."""

from .._impl.distributions.transformed import Weibull as Weibull
