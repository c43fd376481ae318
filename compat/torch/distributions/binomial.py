"""torch.distributions.binomial."""

from .._impl.distributions.discrete import Binomial as Binomial
