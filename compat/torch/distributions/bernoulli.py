"""torch.distributions.bernoulli."""

from .._impl.distributions.discrete import Bernoulli as Bernoulli
