"""torch.distributions.exponential."""

from .._impl.distributions.positive import Exponential as Exponential
