"""torch.distributions.poisson."""

from .._impl.distributions.discrete import Poisson as Poisson
